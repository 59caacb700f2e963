//! What counts of what is known before.

use super::*;
use crate::flags::{MessageFormat, ProgressWhen, Scope, Wanted};
use crate::suppress::Suppressions;

/// A program without records: all of its file counts.
const SHELL: &str = "/bin/sh";

fn check() -> Check {
    Check {
        target: Target::Program(SHELL.into()),
        args: vec!["a".to_owned()],
        options: Options::default(),
        mpi: false,
        scope: Scope::Program,
        suppressions: Suppressions::default(),
        cache: None,
        reports: Wanted::default(),
        message_format: MessageFormat::default(),
        progress: ProgressWhen::default(),
    }
}

fn program(path: &str) -> Program {
    Program {
        path: path.into(),
        runner: Vec::new(),
        library_path: None,
        libraries: Vec::new(),
        without_assertions: false,
        record: None,
    }
}

#[test]
fn another_check_has_another_key() {
    let digits = |check: &Check, path: &str| {
        let key = of(check, &program(path), Stdout::Nowhere);
        key.expect("kept").digits
    };
    let with = |options: Options| Check { options, ..check() };
    let rule = |text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rules");
        std::fs::write(&path, text).expect("written");
        crate::suppress::read(&[path.to_str().expect("UTF-8").to_owned()]).expect("rules")
    };
    let before = digits(&check(), SHELL);
    // Limits of time only cut, and progress is for who looks on.
    for same in [
        check(),
        with(Options {
            time_limit_seconds: 5.0,
            progress: true,
            ..Options::default()
        }),
    ] {
        assert_eq!(digits(&same, SHELL), before);
    }
    let mut seen = vec![
        before,
        digits(
            &with(Options {
                bound: Some(2),
                ..Options::default()
            }),
            SHELL,
        ),
        digits(
            &Check {
                args: vec!["a".to_owned(), "a".to_owned()],
                ..check()
            },
            SHELL,
        ),
        digits(
            &Check {
                suppressions: rule("race:one\n"),
                ..check()
            },
            SHELL,
        ),
        // The name by which it is started, and the place where it is.
        digits(&check(), "/bin/../bin/sh"),
        digits(
            &Check {
                target: Target::Program("/bin/other".into()),
                ..check()
            },
            SHELL,
        ),
    ];
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 6);
}

#[test]
fn searches_that_are_parts_or_write_more_have_no_key() {
    let why = |check: &Check, program: &Program| of(check, program, Stdout::Nowhere).err();
    let with = |change: &dyn Fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        why(&Check { options, ..check() }, &program(SHELL))
    };
    assert_eq!(with(&|_| ()), None);
    let part = Some("it is a part of a search".to_owned());
    assert_eq!(with(&|options| options.save = "a".to_owned()), part);
    assert_eq!(with(&|options| options.resume = "a".to_owned()), part);
    let more = Some("it writes more than reports".to_owned());
    assert_eq!(with(&|options| options.commit_files = true), more);
    assert_eq!(with(&|options| options.graph = true), more);
    let other = Some("another program starts this one".to_owned());
    let ranks = Check {
        mpi: true,
        ..check()
    };
    assert_eq!(why(&ranks, &program(SHELL)), other);
    let run = Program {
        runner: vec!["valgrind".to_owned()],
        ..program(SHELL)
    };
    assert_eq!(why(&check(), &run), other);
    assert!(why(&check(), &program("/none")).is_some());
}

#[test]
fn streams_are_of_the_kinds_that_the_program_finds() {
    let file = tempfile::tempfile().expect("a file");
    for (stdout, expected) in [
        (Stdout::Inherit, ["pipe", "terminal"]),
        (Stdout::ToStderr, ["terminal", "terminal"]),
        (Stdout::Nowhere, ["null", "null"]),
        (Stdout::To(&file), ["file", "file"]),
    ] {
        assert_eq!(streams(stdout, "pipe", "terminal"), expected);
    }
    let null = std::fs::File::open("/dev/null").expect("opened");
    let zero = std::fs::File::open("/dev/zero").expect("opened");
    let (one, _other) = std::os::unix::net::UnixStream::pair().expect("sockets");
    let (read, _write) = std::io::pipe().expect("a pipe");
    let folder = std::fs::File::open("/").expect("opened");
    assert_eq!(kind_of(&file), Ok("file"));
    assert_eq!(kind_of(&null), Ok("null"));
    assert_eq!(kind_of(&zero), Ok("terminal"));
    assert_eq!(kind_of(&one), Ok("socket"));
    assert_eq!(kind_of(&read), Ok("pipe"));
    assert_eq!(kind_of(&folder), Ok("other"));
}

#[test]
fn lists_are_told_apart_by_their_lengths() {
    let digits = |add: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::new();
        add(&mut parts);
        parts.digits()
    };
    let all = |parts: &mut Parts, texts: &[&str]| {
        parts.add_all(texts.iter().map(|text| text.as_bytes()));
    };
    // The same bytes in each.
    let seen = [
        digits(&|parts| parts.add(b"ab")),
        digits(&|parts| {
            [&b"a"[..], b"b"]
                .map(|part| parts.add(part))
                .into_iter()
                .collect()
        }),
        digits(&|parts| all(parts, &["a", "b"])),
        digits(&|parts| all(parts, &["ab"])),
        digits(&|parts| {
            [&["a"], &["b"]]
                .map(|one| all(parts, one))
                .into_iter()
                .collect()
        }),
        digits(&|parts| {
            [&["a", "b"][..], &[]]
                .map(|one| all(parts, one))
                .into_iter()
                .collect()
        }),
        digits(&|parts| {
            [&[][..], &["a", "b"]]
                .map(|one| all(parts, one))
                .into_iter()
                .collect()
        }),
    ];
    for (k, one) in seen.iter().enumerate() {
        assert!(!seen[..k].contains(one), "{k}: {seen:?}");
    }
}

/// The system's files as they are, with one word changed at a time.
#[test]
fn what_the_system_tells_a_process_counts() {
    // As the kernel writes them (proc(5)): the fields of `stat` are numbered from 1, the name has a blank.
    let fields: Vec<String> = (4..=52)
        .map(|number: u32| (number * 1000).to_string())
        .collect();
    let files = [
        ("self/stat", format!("7 (a b) S {}\n", fields.join(" "))),
        (
            "self/status",
            "Name:\tdpor\nUmask:\t0022\nPid:\t77\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10\n\
             VmPeak:\t1234 kB\nSigPnd:\t00a0\nSigBlk:\t00a1\nSigIgn:\t00a2\nCapInh:\t00a3\nCapPrm:\t00a4\n\
             CapEff:\t00a5\nCapBnd:\t00a6\nCapAmb:\t00a7\nCpus_allowed:\t3\nMems_allowed:\t00000001\n"
                .to_owned(),
        ),
        ("self/limits", "Max open files 1024\n".to_owned()),
        ("self/personality", "00040000\n".to_owned()),
        ("sys/kernel/osrelease", "6.1.0\n".to_owned()),
        (
            "cpuinfo",
            "model name\t: A\ncpu MHz\t: 2000\nflags\t: fpu avx\n\nmodel name\t: B\n".to_owned(),
        ),
    ];
    let told = |changed: Option<(&str, &str, &str)>| {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in &files {
            let text = match changed {
                Some((file, old, new)) if file == *name => {
                    assert_eq!(text.matches(old).count(), 1, "{old}");
                    text.replace(old, new)
                }
                _ => text.clone(),
            };
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("one")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        process(folder.path())
    };
    let before = told(None);
    assert!(before.is_ok());
    for (file, old, counts) in [
        ("self/status", "0022", true),
        ("self/status", "\t1\t2", true),
        ("self/status", "\t5\t6", true),
        ("self/status", "9 10", true),
        ("self/status", "00a1", true),
        ("self/status", "00a2", true),
        ("self/status", "00a3", true),
        ("self/status", "00a4", true),
        ("self/status", "00a5", true),
        ("self/status", "00a6", true),
        ("self/status", "00a7", true),
        ("self/status", "Cpus_allowed:\t3", true),
        ("self/status", "00000001", true),
        ("self/limits", "1024", true),
        ("self/personality", "00040000", true),
        ("sys/kernel/osrelease", "6.1.0", true),
        ("cpuinfo", "avx", true),
        ("cpuinfo", ": A", true),
        // nice, rt_priority, policy.
        ("self/stat", "19000", true),
        ("self/stat", "40000", true),
        ("self/stat", "41000", true),
        // What differs from one process to the next, from one moment to the next.
        ("self/status", "77", false),
        ("self/status", "1234", false),
        ("self/stat", "14000", false),
        ("self/stat", "22000", false),
        ("cpuinfo", "2000", false),
    ] {
        let new = format!("{}9", &old);
        let after = told(Some((file, old, &new)));
        assert!(after.is_ok());
        assert_eq!(after != before, counts, "{file}: {old}");
    }
    assert!(process(Path::new("/none")).is_err());
}

#[test]
fn of_what_is_inherited_it_counts_what_a_program_learns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    std::fs::write(&path, "one").expect("written");
    let stat = |path: &Path| path.metadata().expect("there");
    let file = stat(&path);
    let mut seen = vec![
        inherited_words(7, &file, "pos:\t0\n"),
        inherited_words(8, &file, "pos:\t0\n"),
        inherited_words(7, &file, "pos:\t1\n"),
        inherited_words(7, &stat(folder.path()), "pos:\t0\n"),
        inherited_words(7, &stat(Path::new("/dev/null")), "pos:\t0\n"),
        inherited_words(7, &stat(Path::new("/dev/zero")), "pos:\t0\n"),
    ];
    std::fs::write(&path, "three").expect("written");
    seen.push(inherited_words(7, &stat(&path), "pos:\t0\n"));
    for (k, one) in seen.iter().enumerate() {
        assert!(!seen[..k].contains(one), "{k}: {seen:?}");
    }
    // Where a device stands is nothing.
    let null = inherited_words(7, &stat(Path::new("/dev/null")), "pos:\t9\n");
    assert_eq!(null, seen[4]);
}

/// `flags` as in proc(5): O_RDWR is 2, O_CLOEXEC 02000000.
#[test]
fn what_is_closed_when_a_program_is_executed_is_not_inherited() {
    assert!(is_closed_on_execution(
        "pos:\t0\nflags:\t02100002\nmnt_id:\t9\n"
    ));
    assert!(!is_closed_on_execution(
        "pos:\t02000000\nflags:\t0100002\nmnt_id:\t9\n"
    ));
    assert!(!is_closed_on_execution(""));
}
