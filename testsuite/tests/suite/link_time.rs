//! Link-time optimization: hooks are put in by the linker, when all of the program is known, and what is
//! explored is what the linker made. Two ways to optimize (`-flto`, `-flto=thin`), with each LLVM.

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use std::path::{Path, PathBuf};

/// Two threads, each with one critical section: two orders. What a thread counts by itself is in a
/// variable of its own, whose address goes to the other file.
const MAIN: &str = r#"#include <pthread.h>
#include <stdio.h>
void bump(long *counter);
#ifdef RACES
extern long shared;
#else
static long shared;
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    long own = 0;
    for (int i = 0; i < 3; i++)
        bump(&own);
    pthread_mutex_lock(&mutex);
    shared += own; // line 15
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
#ifdef RACES
    bump(&shared);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("%ld\n", shared);
    return 0;
}
"#;

const PART: &str = "long shared;
__attribute__((noinline)) void bump(long *counter) {
    *counter += 1; // line 3
}
";

/// Kinds of link-time optimization; the first is none.
const KINDS: [&[&str]; 3] = [&[], &["-flto"], &["-flto=thin"]];

struct Folder {
    tool: Tool,
}

impl Folder {
    fn source(&self, name: &str, text: &str) -> PathBuf {
        let path = self.tool.path(name);
        std::fs::write(&path, text).expect("the source can be written");
        path
    }

    /// `dpor-cc ARGUMENTS -o NAME`; what it printed.
    fn cc(&self, name: &str, arguments: &[&str]) -> (PathBuf, i32, String) {
        let binary = self.tool.path(name);
        drop(std::fs::remove_file(&binary));
        let mut command = self.tool.compiler("dpor-cc");
        command.env("DPOR_PASS_VERBOSE", "1").args(arguments);
        let ran = self.tool.run(command.arg("-o").arg(&binary), "");
        (binary, ran.code, ran.stdout + &ran.stderr)
    }

    /// Runs `dpor-cc ARGUMENTS -o NAME`, which must succeed, and returns what it made and printed.
    fn made(&self, name: &str, arguments: &[&str]) -> (PathBuf, String) {
        let (binary, code, printed) = self.cc(name, arguments);
        assert_eq!(code, 0, "{arguments:?}: {printed}");
        (binary, printed)
    }
}

/// The test with each LLVM; what it makes is in a folder of its own.
fn with_each(test: &str, run: impl Fn(&Folder)) {
    let versions = Tool::versions();
    assert!(!versions.is_empty());
    for version in versions {
        let tool = Tool::with(&format!("link_time_{test}"), version);
        run(&Folder { tool });
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

/// Seen, instrumented and private accesses of all modules, and how many modules.
fn counts(printed: &str) -> [u64; 4] {
    let mut sums = [0; 4];
    for line in printed.lines().filter(|line| line.starts_with("dpor: ")) {
        let numbers = line.split(|c: char| !c.is_ascii_digit() && c != ' ');
        let numbers = numbers.flat_map(|part| part.split(' ').map(str::parse::<u64>));
        let numbers: Vec<u64> = numbers.flatten().collect();
        let last = &numbers[numbers.len() - 3..];
        (0..3).for_each(|i| sums[i] += last[i]);
        sums[3] += 1;
    }
    sums
}

fn verified(checked: &Checked, executions: u64) {
    assert_eq!(
        checked.report.verdict,
        Verdict::Verified,
        "{}",
        checked.ran.shown()
    );
    assert_eq!(
        checked.report.executions.complete,
        executions,
        "{}",
        checked.ran.shown()
    );
}

/// Lines of the places of the only finding.
fn places(report: &Report) -> Vec<(String, u32)> {
    let [finding] = &report.findings[..] else {
        panic!("{} findings", report.findings.len());
    };
    assert_eq!(finding.kind, FindingKind::DataRace);
    let mut places: Vec<(String, u32)> = finding
        .accesses
        .iter()
        .map(|access| {
            let place = &access.place;
            let file = Path::new(&place.file).file_name().expect("a name");
            (file.to_string_lossy().into_owned(), place.line)
        })
        .collect();
    places.sort();
    places
}

/// One module, in which the other file's function has its body: the thread's own variable is private.
/// `bump` is not inlined, so a thin module knows no more of it than an object.
#[test]
fn what_no_other_file_names_is_private() {
    with_each("private", |folder| {
        let (main, part) = (folder.source("main.c", MAIN), folder.source("part.c", PART));
        for (kind, modules, private) in [
            (KINDS[0], 2, false),
            (KINDS[1], 1, true),
            (KINDS[2], 2, false),
        ] {
            let arguments = [&["-O2", "-g", text(&main), text(&part)], kind].concat();
            let (binary, printed) = folder.made("private", &arguments);
            let [seen, instrumented, found, linked] = counts(&printed);
            assert_eq!(seen, instrumented + found, "{printed}");
            assert_eq!(
                (linked, found > 0),
                (modules, private),
                "{kind:?}: {printed}"
            );
            verified(&folder.tool.check(&binary, &[], &[]), 2);
        }
    });
}

/// At every level, with the place in the file that it was written in.
#[test]
fn a_race_between_two_files_has_its_places() {
    with_each("race", |folder| {
        let (main, part) = (folder.source("main.c", MAIN), folder.source("part.c", PART));
        for kind in KINDS {
            for level in ["-O0", "-O2"] {
                let arguments =
                    [&[level, "-g", "-DRACES", text(&main), text(&part)], kind].concat();
                let (binary, _) = folder.made("race", &arguments);
                let checked = folder.tool.check(&binary, &[], &[]);
                let expected = [("main.c".to_owned(), 15), ("part.c".to_owned(), 3)];
                assert_eq!(places(&checked.report), expected, "{kind:?} {level}");
            }
        }
    });
}

/// Objects, archives, libraries, partly linked objects, and code that only clang compiled: all of it is
/// instrumented, once. In each the race must be found, one half of which is in that part.
#[test]
fn every_way_to_link_is_instrumented() {
    with_each("ways", |folder| {
        let (main, part) = (folder.source("main.c", MAIN), folder.source("part.c", PART));
        let finds = |name: &str, arguments: &[&str]| {
            let (binary, _) = folder.made(name, arguments);
            let checked = folder.tool.check(&binary, &[], &[]);
            let expected = [("main.c".to_owned(), 15), ("part.c".to_owned(), 3)];
            assert_eq!(places(&checked.report), expected, "{arguments:?}");
        };
        for kind in &KINDS[1..] {
            let flag = kind[0];
            let compile = ["-O2", "-g", "-c", "-DRACES"];
            let object = |name: &str, source: &Path, more: &[&str]| {
                let (object, printed) =
                    folder.made(name, &[&compile, more, &[text(source)][..]].concat());
                (object, counts(&printed)[3])
            };
            let (main_lto, none) = object("main_lto.o", &main, &[flag]);
            assert_eq!(none, 0, "bitcode that will be optimized again has no hooks");
            let (part_lto, _) = object("part_lto.o", &part, &[flag]);
            let (part_fat, _) = object("part_fat.o", &part, &[flag, "-ffat-lto-objects"]);
            let (part_object, one) = object("part_object.o", &part, &[]);
            assert_eq!(one, 1);
            let (main_lto, part_lto) = (text(&main_lto), text(&part_lto));
            finds("objects", &[flag, main_lto, part_lto]);
            finds("mixed", &[flag, main_lto, text(&part_object)]);
            finds("fat", &[flag, main_lto, text(&part_fat)]);
            finds("unasked", &["-fuse-ld=lld", main_lto, part_lto]);
            finds("level_0", &["-O0", flag, main_lto, part_lto]);

            // Without our wrapper: no hook, and the linker's pass puts them in.
            let plain = folder.tool.path("part_plain.o");
            let mut clang = folder.tool.clang();
            clang
                .args(compile)
                .args([flag, text(&part), "-o", text(&plain)]);
            assert_eq!(folder.tool.run(&mut clang, "").code, 0);
            finds("plain", &[flag, main_lto, text(&plain)]);

            let archive = folder.tool.path("libpart.a");
            drop(std::fs::remove_file(&archive));
            let ar = folder.tool.clang().get_program().to_owned();
            let ar = Path::new(&ar).with_file_name("llvm-ar");
            let mut ar = std::process::Command::new(ar);
            ar.args(["rcs", text(&archive), part_lto]);
            assert_eq!(folder.tool.run(&mut ar, "").code, 0);
            finds("archive", &[flag, main_lto, text(&archive)]);

            let (partly, _) = folder.made("partly.o", &["-r", flag, part_lto]);
            finds("partly", &[flag, main_lto, text(&partly)]);

            let shared = ["-O2", "-g", "-fPIC", "-shared", flag, text(&part)];
            let (library, _) = folder.made("libpart.so", &shared);
            let folder_of = library.parent().expect("it is in a folder");
            let rpath = format!("-Wl,-rpath,{}", folder_of.display());
            finds("library", &[flag, main_lto, text(&library), &rpath]);
        }
    });
}

/// A loop that waits in one file for what a function of another reads: only where all is one module, the
/// loop is understood, and ends. Two executions: the flag is set before it is looked at, or after.
#[test]
fn loops_are_understood_over_files() {
    const WAITS: &str = "#include <pthread.h>
        int is_set(void); void set(void);
        static void *work(void *unused) { set(); return unused; }
        int main(void) {
            pthread_t thread;
            pthread_create(&thread, 0, work, 0);
            while (!is_set()) ;
            pthread_join(thread, 0);
            return 0;
        }";
    const FLAG: &str = "#include <stdatomic.h>
        static atomic_int flag;
        __attribute__((noinline)) int is_set(void) { return flag; }
        void set(void) { flag = 1; }";
    with_each("waits", |folder| {
        let (waits, flag) = (
            folder.source("waits.c", WAITS),
            folder.source("flag.c", FLAG),
        );
        for level in ["-O0", "-O2"] {
            let (binary, _) =
                folder.made("waits", &[level, "-g", "-flto", text(&waits), text(&flag)]);
            verified(
                &folder
                    .tool
                    .check(&binary, &["--max-executions", "100"], &[]),
                // Behind a look before the store the thread goes no further: that execution is blocked.
                1,
            );
        }
    });
}

/// `--strict` knows by marks which mutex was initialized (`strict.rs`). A part that was compiled without
/// marks becomes one module with a part that has them: nobody is accused.
#[test]
fn a_part_without_marks_takes_them_from_the_whole() {
    const LOCKS: &str = "#include <pthread.h>
        pthread_mutex_t *of_part(void);
        static void *work(void *unused) {
            pthread_mutex_lock(of_part());
            pthread_mutex_unlock(of_part());
            return unused;
        }
        int main(void) {
            pthread_t thread;
            pthread_create(&thread, 0, work, 0);
            pthread_join(thread, 0);
            return 0;
        }";
    const OF_PART: &str = "#include <pthread.h>
        static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;
        void unused_here(void) { pthread_mutex_lock(&made); }
        pthread_mutex_t *of_part(void) { return &made; }";
    with_each("marks", |folder| {
        let (locks, part) = (
            folder.source("locks.c", LOCKS),
            folder.source("of_part.c", OF_PART),
        );
        let system = [
            "-nostdlibinc",
            "-isystem",
            "/usr/include",
            "-isystem",
            "/usr/include/x86_64-linux-gnu",
        ];
        let findings = |part: &Path, more: &[&str]| {
            let arguments = [&["-O2", "-g", "-c", "-flto", text(part)], more].concat();
            let (object, _) = folder.made("of_part.o", &arguments);
            let link = ["-O2", "-g", "-flto", text(&locks), text(&object)];
            let (binary, _) = folder.made("locks", &link);
            let checked = folder.tool.check(&binary, &["--strict"], &[]);
            verified(&checked, 1);
            let kinds = checked.report.findings.iter().map(|finding| finding.kind);
            kinds.collect::<Vec<_>>()
        };
        assert_eq!(findings(&part, &system), []);
        assert_eq!(findings(&part, &[]), []);
        // The accusation that this is about, where all parts have marks.
        let zeros = OF_PART.replace(" = PTHREAD_MUTEX_INITIALIZER", "");
        let zeros = folder.source("zeros.c", &zeros);
        assert_eq!(findings(&zeros, &[]), [FindingKind::UninitializedObject]);
    });
}

#[test]
fn what_cannot_be_is_refused() {
    with_each("refused", |folder| {
        let (main, part) = (folder.source("main.c", MAIN), folder.source("part.c", PART));
        let (bitcode, _) = folder.made("part.bc", &["-O2", "-c", "-emit-llvm", text(&part)]);
        let refused = |arguments: &[&str], sentence: &str| {
            let (_, code, printed) = folder.cc("refused", arguments);
            assert!(
                code != 0 && printed.contains(sentence),
                "{arguments:?}: {code} {printed}"
            );
        };
        refused(
            &["-flto", text(&main), text(&bitcode)],
            "instrumented already",
        );
        refused(
            &["-flto", "--ld-path=/usr/bin/ld.bfd", text(&main)],
            "--ld-path",
        );
        // The system's linker knows no bitcode: it says so and nothing is left out unseen.
        let (main_lto, _) = folder.made("main_lto.o", &["-O2", "-c", "-flto", text(&main)]);
        let (part_lto, _) = folder.made("part_lto.o", &["-O2", "-c", "-flto", text(&part)]);
        refused(
            &["-fuse-ld=bfd", text(&main_lto), text(&part_lto)],
            "main_lto.o",
        );
    });
}
