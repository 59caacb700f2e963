//! Verdicts that are taken over from an earlier check (`--cache`): exactly where nothing changed that they depend on.

use dpor_report::Verdict;
use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::{Checked, Tool};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Two threads that take a lock as often as what the program reads says: with `n` times each there are (2n)! / (n!)²
/// orders. The first argument says what is read, the second where.
const READER: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int times = 1;
static const char *how, *where;

static void look(void) {
    char digit = '1';
    struct stat status;
    if (!strcmp(how, "file")) {
        FILE *file = fopen(where, "r");
        if (file) {
            digit = (char)fgetc(file);
            fclose(file);
        }
    } else if (!strcmp(how, "folder")) {
        DIR *folder = opendir(where);
        for (digit = '0'; folder && readdir(folder); digit++) {
        }
        // . and .. are there, too.
        digit -= 1;
        if (folder) closedir(folder);
    } else if (!strcmp(how, "written")) {
        digit = '0';
        if (!stat(where, &status)) digit += status.st_mtime % 3;
    } else if (!strcmp(how, "there")) {
        digit = access(where, F_OK) ? '1' : '2';
    } else if (!strcmp(how, "link")) {
        char target[100] = "1";
        if (readlink(where, target, sizeof target - 1) < 0) abort();
        digit = target[0];
    } else if (!strcmp(how, "variable")) {
        digit = getenv(where) ? getenv(where)[0] : '1';
    } else if (!strcmp(how, "input")) {
        if (read(0, &digit, 1) < 0) abort();
    } else if (!strcmp(how, "library")) {
        void *library = dlopen(where, RTLD_NOW);
        int (*answer)(void) = library ? (int (*)(void))dlsym(library, "answer") : 0;
        if (answer) digit = (char)('0' + answer());
    } else if (!strcmp(how, "time")) {
        digit = time(0) ? '1' : '2';
    } else if (!strcmp(how, "gettimeofday")) {
        struct timeval now;
        gettimeofday(&now, 0);
    } else if (!strcmp(how, "clock_gettime")) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } else if (!strcmp(how, "socket")) {
        if (socket(AF_UNIX, SOCK_STREAM, 0) < 0) abort();
    } else if (strcmp(how, "nothing")) {
        abort();
    }
    // Of a device it may be anything.
    times = digit >= '0' && digit <= '4' ? digit - '0' : 1;
}
static void *work(void *number) {
    if (LATE && number) look();
    for (int k = 0; k < times; k++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return number;
}
int main(int count, char **values) {
    how = count > 1 ? values[1] : "nothing";
    where = count > 2 ? values[2] : "";
    if (!LATE) look();
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, &lock);
    if (LATE) pthread_join(threads[0], 0);
    pthread_create(&threads[1], 0, work, 0);
    if (!LATE) pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
"#;

/// The program, which looks before it has a second thread, or in that (then its threads run one after the other).
fn reader(tool: &Tool, is_late: bool) -> PathBuf {
    let (name, flag) = match is_late {
        true => ("late", "-DLATE=1"),
        false => ("early", "-DLATE=0"),
    };
    tool.compile(name, READER, &[flag])
}

/// Orders of two threads that take a lock `n` times each.
fn orders(n: u64) -> u64 {
    [1, 2, 6, 20, 70][n as usize]
}

/// A test's own folder for a cache, empty.
fn empty(tool: &Tool, name: &str) -> String {
    let folder = tool.path(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder.to_str().expect("UTF-8").to_owned()
}

/// Checks with a cache; whether the verdict was taken over, and the number of executions.
fn cached(tool: &Tool, program: &Path, folder: &str, args: &[&str]) -> (bool, u64) {
    let checked = tool.check(program, &[&format!("--cache={folder}")], args);
    assert_eq!(checked.ran.code, 0, "{}", checked.ran.shown());
    assert_eq!(checked.report.verdict, Verdict::Verified);
    let count = checked.report.executions.complete;
    let how = if checked.report.cached {
        " (cached)"
    } else {
        ""
    };
    let executions = if count == 1 {
        "execution"
    } else {
        "executions"
    };
    let line = format!("verified: all {count} {executions}{how}\n");
    assert_eq!(checked.ran.stdout, line);
    assert_eq!(checked.ran.stderr, "");
    (checked.report.cached, count)
}

#[test]
fn a_verdict_is_taken_over_until_what_was_read_changes() {
    let tool = Tool::new("cache-read");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    let data = PathBuf::from(empty(&tool, "data"));
    std::fs::create_dir(&data).expect("made");
    let at = |name: &str| data.join(name).to_str().expect("UTF-8").to_owned();
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("written");
    let written_at = |name: &str, seconds: u64| {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let file = std::fs::File::options().append(true).open(at(name));
        file.and_then(|file| file.set_modified(time)).expect("set");
    };
    let library = |answer: u32| {
        let text = format!("int answer(void) {{ return {answer}; }}");
        write("answer.c", &text);
        let mut compiler = tool.clang();
        compiler.args(["-shared", "-fPIC", "-o", &at("answer.so"), &at("answer.c")]);
        assert_eq!(tool.run(&mut compiler, "").code, 0);
    };
    let link = |to: &str| {
        let _ = std::fs::remove_file(at("link"));
        std::os::unix::fs::symlink(to, at("link")).expect("linked");
    };
    let remove = |name: &str| std::fs::remove_file(at(name)).expect("removed");
    write("stamped", "");
    // What is read, where, and what changes it, with the number that the program finds then.
    let folder_of = at("");
    type Change<'a> = (&'a str, String, Vec<(Box<dyn Fn() + 'a>, u64)>);
    let changes: [Change<'_>; 6] = [
        (
            "file",
            at("digit"),
            vec![
                (Box::new(|| ()), 1),
                (Box::new(|| write("digit", "2")), 2),
                (Box::new(|| write("digit", "3")), 3),
                (Box::new(|| remove("digit")), 1),
            ],
        ),
        (
            "there",
            at("there"),
            vec![(Box::new(|| ()), 1), (Box::new(|| write("there", "")), 2)],
        ),
        (
            "written",
            at("stamped"),
            vec![
                (Box::new(|| written_at("stamped", 301)), 1),
                (Box::new(|| written_at("stamped", 302)), 2),
            ],
        ),
        (
            "link",
            at("link"),
            vec![(Box::new(|| link("1")), 1), (Box::new(|| link("2")), 2)],
        ),
        (
            "library",
            at("answer.so"),
            vec![(Box::new(|| library(1)), 1), (Box::new(|| library(2)), 2)],
        ),
        (
            "folder",
            folder_of,
            vec![
                // there, stamped, link, answer.c and answer.so are there.
                (
                    Box::new(|| {
                        ["answer.c", "answer.so", "link"]
                            .map(remove)
                            .into_iter()
                            .collect()
                    }),
                    3,
                ),
                (Box::new(|| remove("there")), 2),
            ],
        ),
    ];
    for (how, place, steps) in &changes {
        for (step, (change, found)) in steps.iter().enumerate() {
            change();
            let check = || cached(&tool, &program, &folder, &[how, place]);
            assert_eq!(check(), (false, orders(*found)), "{how} {step}");
            assert_eq!(check(), (true, orders(*found)), "{how} {step}");
        }
    }
}

#[test]
fn other_options_arguments_and_variables_are_another_check() {
    let tool = Tool::new("cache-key");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    let option = format!("--cache={folder}");
    let run = |more: &[&str], args: &[&str], variable: Option<&str>, input: &str| {
        let mut command = tool.dpor("check");
        command
            .arg(&option)
            .args(more)
            .arg(&program)
            .arg("--")
            .args(args);
        if let Some(value) = variable {
            command.env("DIGIT", value);
        }
        tool.run(&mut command, input)
    };
    // In this order; each for the first time and then again, and at last all once more.
    let checks: [(&[&str], &[&str], Option<&str>, &str, u64); 7] = [
        (&[], &["variable", "DIGIT"], None, "", 1),
        (&[], &["variable", "DIGIT"], Some("2"), "", 2),
        (&[], &["variable", "DIGIT"], Some("3"), "", 3),
        (&[], &["variable", "OTHER"], Some("3"), "", 1),
        (&["--races=off"], &["variable", "DIGIT"], Some("3"), "", 3),
        (&[], &["input"], None, "2", 2),
        (&[], &["input"], None, "3", 3),
    ];
    let check = |k: usize, is_cached: bool| {
        let (more, args, variable, input, found) = checks[k];
        let ran: Ran = run(more, args, variable, input);
        let has = ran.stdout.contains("(cached)");
        assert_eq!((ran.code, has), (0, is_cached), "{k}: {}", ran.shown());
        let all = format!(": all {} execution", orders(found));
        assert!(ran.stdout.contains(&all), "{k}: {}", ran.shown());
    };
    for k in 0..checks.len() {
        check(k, false);
        check(k, true);
    }
    (0..checks.len()).for_each(|k| check(k, true));
    // A limit that was not reached cuts nothing.
    let ran = run(&["--time-limit=100"], &["input"], None, "3");
    assert!(ran.stdout.contains("(cached)"), "{}", ran.shown());
    // As without a cache.
    let ran = run(&["--no-cache"], &["input"], None, "3");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    let mut command = tool.dpor("check");
    command
        .env("DPOR_CACHE", &folder)
        .arg("--no-cache")
        .arg(&program);
    let ran = tool.run(command.args(["--", "input"]), "3");
    assert_eq!(ran.stdout, "verified: all 20 executions\n");
    // The variable names the folder, and is a part of the environment.
    for line in [
        "verified: all 20 executions\n",
        "verified: all 20 executions (cached)\n",
    ] {
        let mut command = tool.dpor("check");
        command.env("DPOR_CACHE", &folder).arg(&program);
        let ran = tool.run(command.args(["--", "input"]), "3");
        assert_eq!(ran.stdout, line);
    }
}

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
        input.write_all(b"2").expect("written");
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

/// Two threads that take a lock as often as a file says: the second or third argument, by the digit in the first.
const CHOOSER: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int times;
static int digit(const char *name) {
    FILE *file = fopen(name, "r");
    if (!file) abort();
    int digit = fgetc(file) - '0';
    fclose(file);
    return digit;
}
static void *work(void *unused) {
    for (int k = 0; k < times; k++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(int count, char **names) {
    if (count != 4) abort();
    times = digit(digit(names[1]) % 2 ? names[3] : names[2]);
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) pthread_create(&threads[k], 0, work, 0);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
}
"#;

/// A model says when a verdict is taken over: if neither the first file nor the one it chose was written since the last
/// check with the same variable.
#[test]
fn random_changes_are_noticed_where_they_matter() {
    let tool = Tool::new("cache-random");
    let program = tool.compile("chooser", CHOOSER, &[]);
    let folder = empty(&tool, "kept");
    let names = ["first", "even", "odd"].map(|name| tool.path(name));
    let mut random = 7u64;
    let mut below = |limit: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % limit
    };
    // Of each file its digit and how often it was written; of each variable what was found.
    let mut files = [(0, 0u32); 3];
    let mut known: BTreeMap<u64, [(usize, u32); 2]> = BTreeMap::new();
    let mut taken_over = 0;
    for round in 0..120 {
        for (file, name) in files.iter_mut().zip(&names) {
            if round == 0 || below(6) == 0 {
                *file = (1 + below(3), file.1 + 1);
                std::fs::write(name, file.0.to_string()).expect("written");
            }
        }
        let chosen = if files[0].0 % 2 == 1 { 2 } else { 1 };
        let found = [(0, files[0].1), (chosen, files[chosen].1)];
        let variable = below(2);
        let is_known = known.insert(variable, found) == Some(found);
        taken_over += u32::from(is_known);
        let mut command = tool.dpor("check");
        command.env("VARIABLE", variable.to_string());
        command
            .arg(format!("--cache={folder}"))
            .arg(&program)
            .arg("--")
            .args(&names);
        let ran = tool.run(&mut command, "");
        let how = if is_known { " (cached)" } else { "" };
        let line = format!(
            "verified: all {} executions{how}\n",
            orders(files[chosen].0)
        );
        assert_eq!(
            (ran.code, ran.stdout),
            (0, line),
            "{round}: {files:?} {}",
            ran.stderr
        );
    }
    assert!((20..100).contains(&taken_over), "{taken_over}");
}

/// Six tests link one library of three functions. A function is changed: those that call it are explored, and no others.
#[test]
fn a_change_of_one_function_is_for_the_tests_that_reach_it() {
    let tool = Tool::new("cache-reached");
    let folder = empty(&tool, "kept");
    let run = |command: &mut std::process::Command| {
        let ran = tool.run(command, "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
    };
    // What each function adds.
    let build = |adds: [u32; 3]| {
        let function = |(k, add): (usize, &u32)| {
            format!(
                "static pthread_mutex_t lock{k} = PTHREAD_MUTEX_INITIALIZER;\nstatic int sum{k};\n\
                 void step{k}(void) {{ pthread_mutex_lock(&lock{k}); sum{k} += {add}; pthread_mutex_unlock(&lock{k}); }}\n"
            )
        };
        let functions: String = adds.iter().enumerate().map(function).collect();
        let text = format!("#include <pthread.h>\n{functions}");
        std::fs::write(tool.path("steps.c"), text).expect("written");
        let mut compiler = tool.compiler("dpor-cc");
        compiler.args(["-O2", "-g", "-c"]).arg(tool.path("steps.c"));
        run(compiler.arg("-o").arg(tool.path("steps.o")));
        for k in 0..6 {
            let text = format!(
                "#include <pthread.h>\nvoid step{}(void);\nstatic void *work(void *p) {{ step{}(); return p; }}\n\
                 int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); }}\n",
                k % 3,
                k % 3
            );
            let object = tool.path("steps.o");
            let object = object.to_str().expect("UTF-8");
            tool.compile(&format!("test{k}"), &text, &[object]);
        }
    };
    let checked = || {
        let known = |k: usize| cached(&tool, &tool.path(&format!("test{k}")), &folder, &[]);
        let all = (0..6).map(known);
        all.map(|(is_known, count)| {
            assert_eq!(count, 2);
            is_known
        })
        .collect::<Vec<bool>>()
    };
    build([1, 1, 1]);
    assert_eq!(checked(), [false; 6]);
    build([1, 1, 1]);
    assert_eq!(checked(), [true; 6]);
    build([1, 2, 1]);
    assert_eq!(checked(), [true, false, true, true, false, true]);
    build([2, 2, 1]);
    assert_eq!(checked(), [false, true, true, false, true, true]);
    // As it was: the first verdicts still hold.
    build([1, 1, 1]);
    assert_eq!(checked(), [true; 6]);
}
