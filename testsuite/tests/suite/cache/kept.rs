//! What is kept of verdicts, and what is not.

use super::{cached, empty, reader, READER};
use dpor_report::Verdict;
use dpor_testsuite::tool::{Checked, Tool};
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Stdio;

#[test]
fn what_may_differ_another_time_is_not_kept() {
    let tool = Tool::new("cache-refused");
    let folder = empty(&tool, "kept");
    let option = format!("--cache={folder}");
    for is_late in [false, true] {
        let program = reader(&tool, is_late);
        for (args, why) in [
            (&["socket"][..], "system call 41"),
            (&["file", "/dev/random"], "it reads /dev/random"),
            (&["file", "/proc/uptime"], "it reads /proc/uptime"),
        ] {
            for _ in 0..2 {
                let options = [option.as_str(), "--verbose"];
                let Checked { ran, report, .. } = tool.check(&program, &options, args);
                let is_known = is_late && report.verdict != Verdict::Verified;
                let note = format!("the verdict is not kept for later checks: {why}");
                assert!(
                    is_known || report.notes.contains(&note),
                    "{args:?} {}",
                    ran.shown()
                );
                assert!(!report.cached && !ran.stdout.contains("(cached)"));
            }
        }
    }
    let kept = std::fs::read_dir(&folder).map_or(0, Iterator::count);
    assert_eq!(kept, 0);
}

#[test]
fn by_clocks_a_verdict_is_of_its_time() {
    let tool = Tool::new("cache-clocks");
    for is_late in [false, true] {
        let program = reader(&tool, is_late);
        for how in ["time", "gettimeofday", "clock_gettime"] {
            let folder = empty(&tool, "kept");
            let check = |expected: Option<u64>| {
                let options = [format!("--cache={folder}")];
                let Checked { ran, report, .. } = tool.check(&program, &[&options[0]], &[how]);
                assert_eq!(report.cached, expected.is_some(), "{how}: {}", ran.shown());
                let Some(age) = expected else {
                    assert!(!ran.stdout.contains("cached"), "{}", ran.shown());
                    return;
                };
                // A busy machine may take its time.
                let seconds = report.cached_seconds.expect("it looked at a clock");
                assert!(
                    (age..age + 100).contains(&seconds),
                    "{how}: {}",
                    ran.shown()
                );
                assert!(
                    ran.stdout.contains(" (cached, by clocks of "),
                    "{}",
                    ran.shown()
                );
            };
            let age = |seconds: u64| {
                let entry = std::fs::read_dir(&folder).expect("made").next();
                let entry = entry.expect("one").expect("readable").path();
                let text = std::fs::read_to_string(&entry).expect("readable");
                let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("later");
                json["seconds"] = (now.as_secs() - seconds).into();
                std::fs::write(&entry, json.to_string()).expect("written");
            };
            check(None);
            check(Some(0));
            age(10 * 3600);
            check(Some(10 * 3600));
            age(13 * 3600);
            check(None);
            check(Some(0));
        }
    }
}

/// Input that can be read only once is no reason, unless it is read.
#[test]
fn a_pipe_that_is_not_read_is_no_reason() {
    let tool = Tool::new("cache-pipe");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    let run = |how: &str| {
        let mut command = tool.dpor("check");
        command
            .arg(format!("--cache={folder}"))
            .arg(&program)
            .args(["--", how]);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = pipes.expect("started");
        let mut input = child.stdin.take().expect("a pipe");
        // A check that is answered at once may have ended: then nobody reads.
        let _ = input.write_all(b"2");
        drop(input);
        let output = child.wait_with_output().expect("ended");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(run("nothing"), "verified: all 2 executions\n");
    assert_eq!(run("nothing"), "verified: all 2 executions (cached)\n");
    for _ in 0..2 {
        assert_eq!(run("input"), "verified: all 6 executions\n");
    }
}

#[test]
fn findings_and_verdicts_that_are_not_complete_are_not_kept() {
    let tool = Tool::new("cache-findings");
    let folder = empty(&tool, "kept");
    let option = format!("--cache={folder}");
    let race = "#include <pthread.h>\nint x;\nvoid *f(void *p) { x++; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); }";
    let race = tool.compile("race", race, &[]);
    let leak = "#include <pthread.h>\n#include <stdlib.h>\nvoid *f(void *p) { return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n\
        *(char *volatile *)&(char *){0} = malloc(10); }";
    let leak = tool.compile("leak", leak, &[]);
    let program = reader(&tool, false);
    let file = tool.path("digit");
    std::fs::write(&file, "4").expect("written");
    let file = file.to_str().expect("UTF-8");
    for (program, options, args, code) in [
        (&race, &[][..], &[][..], 42),
        (&leak, &[], &[], 0),
        (&program, &["--max-executions=5"], &["file", file], 3),
        (
            &program,
            &["--search=random", "--samples=5"],
            &["file", file],
            0,
        ),
    ] {
        for _ in 0..2 {
            let options = [&[option.as_str()], options].concat();
            let Checked { ran, report, .. } = tool.check(program, &options, args);
            assert_eq!(ran.code, code, "{}", ran.shown());
            assert!(!report.cached);
            let is_found = report.verdict == Verdict::Incomplete || !report.findings.is_empty();
            assert!(is_found, "{}", ran.shown());
        }
    }
    assert_eq!(std::fs::read_dir(&folder).map_or(0, Iterator::count), 0);
    // What is verified by the part that a bound allows is another check than all.
    assert_eq!(
        cached(&tool, &program, &folder, &["file", file]),
        (false, 70)
    );
    assert_eq!(
        cached(&tool, &program, &folder, &["file", file]),
        (true, 70)
    );
}

/// Whether a process has a child, by what each process says of its parent: `number (name) state parent …` (proc(5)).
fn has_child(process: u32) -> bool {
    let parent = |stat: &str| {
        let (_, behind_name) = stat.rsplit_once(") ")?;
        behind_name.split(' ').nth(1)?.parse::<u32>().ok()
    };
    let processes = std::fs::read_dir("/proc").expect("there").flatten();
    // A process may end while they are read.
    let mut stats = processes.flat_map(|it| std::fs::read_to_string(it.path().join("stat")));
    stats.any(|stat| parent(&stat) == Some(process))
}

/// The key is made before the program is executed: what was put in its place in between is another program.
#[test]
fn a_program_that_is_replaced_while_it_is_checked_is_not_known() {
    let tool = Tool::new("cache-replaced");
    let folder = empty(&tool, "kept");
    // (2 · 9)! / 9!² = 48,620 orders take longer than to put another file there.
    let text = READER.replace(
        "times = digit >= '0' && digit <= '4' ? digit - '0' : 1;",
        "times = TIMES;",
    );
    let program = tool.compile("nine", &text, &["-DLATE=0", "-DTIMES=9"]);
    let other = tool.compile("one", &text, &["-DLATE=0", "-DTIMES=1"]);
    let mut command = tool.dpor("check");
    command.arg(format!("--cache={folder}")).arg(&program);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("started");
    while !has_child(child.id()) && child.try_wait().expect("known").is_none() {
        std::thread::yield_now();
    }
    std::fs::rename(&other, &program).expect("replaced");
    let output = child.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // The child may have executed the one or the other.
    assert!(said.starts_with("verified: all "), "{said}");
    assert_eq!(std::fs::read_dir(&folder).map_or(0, Iterator::count), 0);
    assert_eq!(cached(&tool, &program, &folder, &[]), (false, 2));
}

#[test]
fn what_cannot_be_kept_or_read_is_as_if_there_were_no_cache() {
    let tool = Tool::new("cache-damaged");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    assert_eq!(cached(&tool, &program, &folder, &[]), (false, 2));
    let entry = std::fs::read_dir(&folder).expect("made").next();
    let entry = entry.expect("one").expect("readable").path();
    let whole = std::fs::read(&entry).expect("readable");
    for damaged in [&whole[..whole.len() / 2], b"", b"{}", b"\xff"] {
        std::fs::write(&entry, damaged).expect("written");
        assert_eq!(cached(&tool, &program, &folder, &[]), (false, 2));
        assert_eq!(cached(&tool, &program, &folder, &[]), (true, 2));
    }
    // A socket and a file are no folders.
    let path = tool.path("socket");
    let _ = std::fs::remove_file(&path);
    let _socket = UnixListener::bind(&path).expect("bound");
    for odd in [path.as_path(), program.as_path(), Path::new("/proc/none")] {
        let odd = odd.to_str().expect("UTF-8");
        assert_eq!(cached(&tool, &program, odd, &[]), (false, 2));
        assert_eq!(cached(&tool, &program, odd, &[]), (false, 2));
    }
}

#[test]
fn a_program_that_is_built_anew_is_another_one() {
    let tool = Tool::new("cache-built");
    let folder = empty(&tool, "kept");
    let text = READER.replace("times = 1;", "times = START;");
    let build = |start: &str| tool.compile("built", &text, &["-DLATE=0", start]);
    let program = build("-DSTART=1");
    assert_eq!(cached(&tool, &program, &folder, &[]), (false, 2));
    build("-DSTART=1");
    assert_eq!(cached(&tool, &program, &folder, &[]), (true, 2));
    build("-DSTART=2");
    assert_eq!(cached(&tool, &program, &folder, &[]), (false, 2));
}

/// What an installation consists of is part of each verdict.
#[test]
fn the_tool_and_its_runtime_are_among_the_states() {
    let tool = Tool::new("cache-own");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    assert_eq!(cached(&tool, &program, &folder, &[]), (false, 2));
    let entry = std::fs::read_dir(&folder).expect("made").next();
    let entry = entry.expect("one").expect("readable").path();
    let text = std::fs::read_to_string(entry).expect("readable");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let states = json["states"].as_object().expect("states");
    for name in ["bin/dpor", "lib/libdpor_rt.so"] {
        let path = dpor_testsuite::trial::product().join(name);
        let path = path.canonicalize().expect("built");
        let is_it = |state: &String| Path::new(state).canonicalize().is_ok_and(|it| it == path);
        assert!(states.keys().any(is_it), "{name}: {text}");
    }
}

/// Without a folder in the option or the variable it is the user's.
#[test]
fn the_folder_is_the_one_that_is_named() {
    let tool = Tool::new("cache-folder");
    let program = reader(&tool, false);
    let [named, home, xdg] = ["named", "home", "xdg"].map(|name| empty(&tool, name));
    // The option, the variables DPOR_CACHE, HOME and XDG_CACHE_HOME, and the folder that has the entry.
    let in_home = format!("{home}/.cache/dpor");
    let in_xdg = format!("{xdg}/dpor");
    for (option, variables, expected) in [
        (None, ["", &home, &xdg], None),
        (None, [&named, &home, &xdg], Some(&named)),
        (Some("--cache"), ["", &home, ""], Some(&in_home)),
        (Some("--cache"), [&named, &home, &xdg], Some(&in_xdg)),
    ] {
        for folder in [&named, &home, &xdg] {
            let _ = std::fs::remove_dir_all(folder);
        }
        let mut command = tool.dpor("check");
        let names = ["DPOR_CACHE", "HOME", "XDG_CACHE_HOME"];
        command.envs(names.into_iter().zip(variables)).args(option);
        let ran = tool.run(command.arg(&program), "");
        assert_eq!(ran.stdout, "verified: all 2 executions\n");
        for folder in [&named, &in_home, &in_xdg] {
            let count = std::fs::read_dir(folder).map_or(0, Iterator::count);
            let is_it = Some(folder) == expected;
            assert_eq!(count, usize::from(is_it), "{folder} {}", ran.shown());
        }
    }
}
