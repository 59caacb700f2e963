//! `dpor diff` on the programs of `diff/`, each of which says what has to come out, and what the compiler
//! has to have made of it for that.
//!
//! | line | means |
//! |---|---|
//! | `//@ options: …` | of `dpor diff`; all programs are compared at -O0 and -O2 |
//! | `//@ cflags: …` | for the compiler, if not `-g` |
//! | `//@ verdict: same` | or `different`, `incomplete` |
//! | `//@ introduced: KIND OBJECT LINES` | a difference; of outcomes `NAME=VALUE` each; `hidden` likewise |
//! | `//@ both: KIND OBJECT` | a finding of both levels |
//! | `//@ change: WHAT ACCESS OBJECT LINES -> LINES` | what became of accesses, over all differences |
//! | `//@ ir: FUNCTION: TEXT: N` | lines with that text in the function, compiled at -O2 |

use dpor_testsuite::tool::Tool;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program says.
#[derive(Default)]
struct Expected {
    options: Vec<String>,
    cflags: String,
    verdict: String,
    /// Lines that begin with `introduced`, `hidden`, `both` and `change`.
    told: BTreeSet<String>,
    /// Function, text, how often.
    ir: Vec<(String, String, usize)>,
}

impl Expected {
    fn of(file: &Path) -> Expected {
        let text = std::fs::read_to_string(file).expect("a program");
        let mut expected = Expected {
            cflags: "-g".to_owned(),
            ..Expected::default()
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("//@ ")) {
            let (key, value) = line.split_once(": ").expect("KEY: VALUE");
            match key {
                "options" => expected.options = value.split(' ').map(str::to_owned).collect(),
                "cflags" => value.clone_into(&mut expected.cflags),
                "verdict" => value.clone_into(&mut expected.verdict),
                "introduced" | "hidden" | "both" | "change" => {
                    expected.told.insert(line.to_owned());
                }
                "ir" => {
                    let (rest, count) = value.rsplit_once(": ").expect("FUNCTION: TEXT: N");
                    let (function, text) = rest.split_once(": ").expect("FUNCTION: TEXT: N");
                    let count = count.parse().expect("a number");
                    expected
                        .ir
                        .push((function.to_owned(), text.to_owned(), count));
                }
                _ => panic!("{}: {key}", file.display()),
            }
        }
        expected
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("diff")
}

/// The comparison of a program, and the exit code.
fn diff(tool: &Tool, file: &Path, options: &[String], cflags: &str) -> (i32, Value) {
    let json = tool.path("diff.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("diff");
    command.envs(tool.clangs()).current_dir(folder());
    command.args(options).arg("--json").arg(&json);
    command
        .arg("--cflags")
        .arg(cflags)
        .arg(file.file_name().expect("a name"));
    let ran = tool.run(&mut command, "");
    let text = std::fs::read_to_string(&json).unwrap_or_else(|_| panic!("{}", ran.shown()));
    (ran.code, serde_json::from_str(&text).expect("JSON"))
}

/// A member that is a list.
fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn lines(places: &[Value]) -> Vec<u64> {
    let mut lines: Vec<u64> = places
        .iter()
        .filter_map(|place| place["line"].as_u64())
        .collect();
    lines.sort_unstable();
    lines
}

fn words(words: impl IntoIterator<Item = impl ToString>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    words.join(" ")
}

/// The comparison in the form of the programs' lines.
fn told(comparison: &Value) -> BTreeSet<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut told = BTreeSet::new();
    for finding in list(comparison, "both") {
        let (kind, object) = (text(&finding["kind"]), text(&finding["object"]["name"]));
        told.insert(format!("both: {kind} {object}"));
    }
    for difference in list(comparison, "differences") {
        let finding = &difference["finding"];
        let about = match difference["outcome"]["values"].as_object() {
            Some(values) => words(values.iter().map(|(name, value)| format!("{name}={value}"))),
            None => words(
                std::iter::once(text(&finding["object"]["name"]))
                    .filter(|name| !name.is_empty())
                    .chain(lines(list(finding, "accesses")).iter().map(u64::to_string)),
            ),
        };
        let (effect, kind) = (text(&difference["effect"]), text(&difference["kind"]));
        told.insert(format!("{effect}: {kind} {about}"));
        for change in list(difference, "accesses") {
            let (before, after) = (list(change, "before"), list(change, "after"));
            let site = before.first().or(after.first()).expect("an access");
            let arrow = if after.is_empty() { "" } else { " -> " };
            told.insert(format!(
                "change: {} {} {} {}{arrow}{}",
                text(&change["what"]),
                text(&site["access"]),
                text(&site["object"]),
                words(lines(before)),
                words(lines(after))
            ));
        }
    }
    told
}

/// Lines with the text in a function of a module.
fn count(module: &str, function: &str, text: &str) -> usize {
    let head = format!("@{function}(");
    let body = module
        .lines()
        .skip_while(|line| !(line.starts_with("define") && line.contains(&head)));
    body.take_while(|line| *line != "}")
        .filter(|line| line.contains(text))
        .count()
}

/// Each level's schedule comes with its threads.
fn threads_are_named(comparison: &Value) {
    for difference in list(comparison, "differences") {
        for side in [0, 1] {
            let numbers = |list: &Value| -> BTreeSet<u64> {
                let list = list.as_array().expect("a list").iter();
                list.map(|one| one["thread"].as_u64().expect("a number"))
                    .collect()
            };
            let named = &difference["threads"][side];
            let missing = &numbers(&difference["schedules"][side]) - &numbers(named);
            assert!(missing.is_empty(), "{difference:#}");
            let mains = named.as_array().expect("a list").iter();
            assert!(
                mains.take(1).all(|thread| thread["function"] == "main"),
                "{named}"
            );
        }
    }
}

fn check(name: &str) {
    let file = folder().join(name);
    let expected = Expected::of(&file);
    for llvm in Tool::versions() {
        let tool = Tool::with(&format!("diff-{name}"), llvm);
        let (code, comparison) = diff(&tool, &file, &expected.options, &expected.cflags);
        let exit = match expected.verdict.as_str() {
            "same" => 0,
            "different" => 42,
            _ => 3,
        };
        assert_eq!(
            comparison["verdict"], expected.verdict,
            "clang {llvm}: {comparison:#}"
        );
        assert_eq!(code, exit, "clang {llvm}");
        assert_eq!(told(&comparison), expected.told, "clang {llvm}");
        threads_are_named(&comparison);
        let module = tool.path("module.ll");
        let mut compiler = tool.compiler("dpor-cc");
        compiler
            .args(expected.cflags.split(' '))
            .args(["-O2", "-g0", "-S", "-emit-llvm", "-o"]);
        compiler.env("DPOR_LEVEL", "-O2");
        let ran = tool.run(compiler.arg(&module).arg(&file), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let module = std::fs::read_to_string(&module).expect("a module");
        for (function, text, expect) in &expected.ir {
            let found = count(&module, function, text);
            assert_eq!(found, *expect, "clang {llvm}: {function}: {text}\n{module}");
        }
    }
}

macro_rules! programs {
    ($($test:ident $name:literal;)+) => {
        $(#[test] fn $test() { check($name); })+

        #[test]
        fn every_program_is_here() {
            let entries = std::fs::read_dir(folder()).expect("a folder");
            let names = entries.map(|entry| entry.expect("a file").file_name());
            let names: BTreeSet<String> = names.map(|name| name.into_string().expect("text")).collect();
            assert_eq!(names, BTreeSet::from([$($name.to_owned()),+]));
        }
    };
}

programs! {
    addresses_are_no_difference "addresses.c";
    a_conditional_load_becomes_unconditional "conditional_load.c";
    so_does_one_whose_value_is_used "conditional_load_used.c";
    a_conditional_store_becomes_unconditional "conditional_store.c";
    two_reads_become_one "double_read.c";
    a_conditional_load_leaves_its_loop "hoisted_load.c";
    so_does_one_that_one_turn_uses "hoisted_load_used.c";
    conditional_loads_go_ahead_of_a_lock "loads_across_a_lock.c";
    two_stores_become_one "merged_stores.c";
    peterson_with_atomics_is_the_same "peterson_atomic.c";
    peterson_with_plain_variables_is_not "peterson_plain.c";
    a_store_leaves_its_loop "promoted_store.c";
    a_read_goes_ahead_of_a_publication "publication.c";
    a_copy_is_read_in_parts "split_copy.c";
    a_read_vanishes_with_its_race "vanished_read.c";
    a_waiting_loop_is_deleted "wait_flag.c";
    a_waiting_loop_becomes_endless "wait_flag_kept.c";
}

#[test]
fn what_a_level_did_not_reach_is_no_difference() {
    let tool = Tool::new("diff-incomplete");
    let options = ["--plain=explore", "--races=off", "--max-executions", "1"].map(str::to_owned);
    let (code, comparison) = diff(&tool, Path::new("double_read.c"), &options, "-g");
    assert_eq!(
        (code, &comparison["verdict"]),
        (3, &Value::from("incomplete"))
    );
    assert!(
        list(&comparison, "differences").is_empty(),
        "{comparison:#}"
    );
    let reason = comparison["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("-O0: max-executions") && reason.contains("-O2: max-executions"));
}

#[test]
fn where_accesses_race_that_are_no_events_not_all_is_known() {
    let tool = Tool::new("diff-races");
    // The race is at both levels. What both end with may be all, or not.
    let (code, comparison) = diff(&tool, Path::new("double_read.c"), &[], "-g");
    assert_eq!(
        (code, &comparison["verdict"]),
        (3, &Value::from("incomplete"))
    );
    assert!(
        list(&comparison, "differences").is_empty(),
        "{comparison:#}"
    );
    assert_eq!(comparison["both"][0]["kind"], "data-race");
    let reason = comparison["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("--plain=explore"), "{reason}");
}

/// `dpor diff --build` in a folder with these files.
fn build(tool: &Tool, options: &[&str]) -> dpor_testsuite::limited::Ran {
    let mut command = tool.dpor("diff");
    command.envs(tool.clangs()).current_dir(tool.path(""));
    command
        .args(["--plain=explore", "--races=off", "--message-format=short"])
        .args(options);
    tool.run(&mut command, "")
}

#[test]
fn each_level_is_built_in_a_copy() {
    let tool = Tool::new("diff-build");
    let source = std::fs::read_to_string(folder().join("double_read.c")).expect("a program");
    std::fs::write(tool.path("x.c"), source).expect("written");
    drop(std::fs::remove_file(tool.path("x")));
    drop(std::fs::remove_file(tool.path("x.o")));
    // The level replaces that of the build.
    let command = "dpor-cc -O3 -g -c x.c && dpor-cc x.o -o x -pthread";
    let ran = build(&tool, &["--build", command, "--program", "./x"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let expect =
        "error[outcome-difference]: only at -O0 (hidden by the optimizer): again=1  first=0\n\
                  -O0: verified without looking for races: all 3 executions\n\
                  -O2: verified without looking for races: all 2 executions\n\
                  -O0 and -O2 differ: 0 introduced, 1 hidden, 0 at both\n";
    assert_eq!(ran.stdout, expect);
    assert!(!tool.path("x").exists());
    // An object that was there before is of no level.
    let mut compiler = tool.compiler("dpor-cc");
    compiler
        .args(["-g", "-c"])
        .arg(tool.path("x.c"))
        .arg("-o")
        .arg(tool.path("x.o"));
    assert_eq!(tool.run(&mut compiler, "").code, 0);
    let ran = build(
        &tool,
        &["--build", "dpor-cc x.o -o x -pthread", "--program", "x"],
    );
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("not compiled at -O0 as a whole"),
        "{}",
        ran.shown()
    );
    let ran = build(&tool, &["--build", "exit 7", "--program", "x"]);
    assert_eq!(ran.code, 2, "{}", ran.shown());
}

/// Each level has an outcome of its own: its thread goes another way there.
const PARTS: &str = "
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
__attribute__((noinline)) static void set(void) {
    atomic_store(&flag, 1); // set
    __asm__ volatile(\"\");
}
__attribute__((noinline)) static void set_otherwise(void) {
    atomic_store(&flag, 2); // set otherwise
    __asm__ volatile(\"\");
}
static void *work(void *unused) {
#ifdef __OPTIMIZE__
    set_otherwise(); // optimized
#else
    set(); // plain
#endif
    __asm__ volatile(\"\");
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    dpor_observe(\"flag\", atomic_load(&flag));
    return 0;
}
";

#[test]
fn where_schedules_part_their_calls_are_told() {
    let tool = Tool::new("diff-calls");
    std::fs::write(tool.path("parts.c"), PARTS).expect("written");
    let line = |mark: &str| {
        let at = PARTS.lines().position(|line| line.ends_with(mark));
        at.expect("a line with the mark") as u64 + 1
    };
    let json = tool.path("diff.json");
    let mut command = tool.dpor("diff");
    command.envs(tool.clangs()).current_dir(tool.path(""));
    let ran = tool.run(command.arg("--json").arg(&json).arg("parts.c"), "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let text = std::fs::read_to_string(&json).expect("a report");
    let comparison: Value = serde_json::from_str(&text).expect("JSON");
    let differences = list(&comparison, "differences");
    assert_eq!(differences.len(), 2, "{comparison:#}");
    for difference in differences {
        let marks = [("// set", "// plain"), ("// set otherwise", "// optimized")];
        for (side, marks) in marks.into_iter().enumerate() {
            let steps = difference["schedules"][side].as_array().expect("steps");
            let set = { steps.iter() }.find(|step| step["operation"] == "atomic-store");
            let stack = list(set.expect("the store"), "stack").iter();
            let lines: Vec<u64> = stack.filter_map(|frame| frame["line"].as_u64()).collect();
            assert_eq!(lines[..2], [line(marks.0), line(marks.1)], "{difference:#}");
        }
    }
    for (level, flag, function, marks) in [
        ("-O0", 1, "set", ("// set", "// plain")),
        (
            "-O2",
            2,
            "set_otherwise",
            ("// set otherwise", "// optimized"),
        ),
    ] {
        let calls = format!(
            "    {level}: T1 (work) writes flag: {flag}\n      parts.c:{} in {function}\n      parts.c:{} in work\n",
            line(marks.0),
            line(marks.1)
        );
        assert!(ran.stdout.contains(&calls), "{}", ran.shown());
    }
}

#[test]
fn a_program_with_one_thread_is_compared_by_its_end() {
    let tool = Tool::new("diff-alone");
    let check = |text: &str, code: i32, expect: &str| {
        std::fs::write(tool.path("alone.c"), text).expect("written");
        let mut command = tool.dpor("diff");
        command.envs(tool.clangs()).arg("--message-format=short");
        let ran = tool.run(command.arg(tool.path("alone.c")), "");
        assert_eq!(ran.code, code, "{}", ran.shown());
        assert!(ran.stdout.contains(expect), "{}", ran.shown());
    };
    let not_compared = "its output is not compared";
    check("int main(void) { return 0; }", 3, not_compared);
    check(
        "int main(void) { return 7; }",
        3,
        "at both levels: the program exits with status 7",
    );
    let differs = "int main(void) {\n#ifdef __OPTIMIZE__\nreturn 7;\n#endif\nreturn 0; }";
    check(differs, 42, "1 introduced, 0 hidden");
}

/// What can be read once only is gone at the second level, unless there was nothing to read.
#[test]
fn the_second_level_reads_what_the_first_did() {
    let tool = Tool::new("diff-input");
    let file = tool.path("reads.c");
    let text = "#include <stdio.h>\nint main(void) { return getchar() == '1'; }";
    std::fs::write(&file, text).expect("written");
    std::fs::write(tool.path("number"), "1").expect("written");
    let check = |before: &str, after: &str, at_both: bool, has_note: bool| {
        let mut shell = Command::new("sh");
        let dpor = tool.dpor("diff").get_program().to_owned();
        let script = format!("{before} \"$DPOR\" diff --message-format=short reads.c {after}");
        shell.args(["-c", &script]).current_dir(tool.path(""));
        shell
            .envs(tool.clangs())
            .env("DPOR", dpor)
            .env_remove("DPOR_OPTIONS");
        let ran = tool.run(&mut shell, "");
        let exits = "at both levels: the program exits with status 1";
        assert_eq!(ran.stdout.contains(exits), at_both, "{}", ran.shown());
        let note = "standard input can be read only once";
        assert_eq!(ran.stderr.contains(note), has_note, "{}", ran.shown());
    };
    check("", "< number", true, false);
    // The writer has ended before there is a level.
    check(": | (sleep 0.3;", ")", false, false);
    check("printf 1 | (sleep 0.3;", ")", false, true);
    // Nobody knows whether more came.
    check("sleep 5 | ", "", false, true);
}

/// The programs of `programs/await/` whose atomic variables become plain ones.
const MADE_PLAIN: [&str; 4] = ["bakery", "lamport", "peterson", "szymanski"];

#[test]
fn where_plain_accesses_are_explored_loops_wait_as_with_atomics() {
    let tool = Tool::new("diff-waits");
    let executions = |name: &str, text: &str| {
        let binary = tool.compile_with(name, text, &["-O0"], &[("DPOR_LEVEL", "-O0")]);
        // Where plain accesses are explored, no turn is left out.
        let options = [
            "--plain=explore",
            "--races=off",
            "--reductions=commute,observers,counters,every-turn",
        ];
        let checked = tool.check(&binary, &options, &[]);
        assert_eq!(checked.ran.code, 0, "{name}: {}", checked.ran.shown());
        checked.report.executions
    };
    for name in MADE_PLAIN {
        let file = folder().join(format!("../programs/await/{name}.c"));
        let atomic = std::fs::read_to_string(file).expect("a program");
        let plain = atomic
            .replace("#include <stdatomic.h>", "")
            .replace("atomic_int ", "int ")
            .replace("_Atomic ", "");
        let macros = "#define atomic_load(p) (*(p))\n#define atomic_store(p, v) (*(p) = (v))\n";
        let plain = macros.to_owned() + &plain;
        assert!(
            !plain.contains("atomic_int") && !plain.contains("_explicit"),
            "{name}"
        );
        let of_plain = executions(&format!("{name}_plain"), &plain);
        assert_eq!(of_plain, executions(name, &atomic), "{name}");
    }
}
