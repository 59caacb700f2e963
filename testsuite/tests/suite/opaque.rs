//! Random programs with system calls that no function of libc's table stands for, against brute force
//! that knows nothing of the search: same number of executions, same outcomes, also with
//! `--search=dfs` and `--checkpoint=restart`.
//!
//! Threads take items of one open file: bytes with system calls made by assembly, one or two in a
//! call, or with `read`, which the table has; or lines with a function of libc that the table does not
//! have. They ask `posix_fadvise`, which changes nothing but is not in the table, and add to a cell.
//! Each thing conflicts with what the definition says: what the table does not have, with everything,
//! creations of threads included; `read` with the descriptor; an addition with the cell.
//!
//! `DPOR_TEST_OPAQUE=N` runs N programs instead of 24, `DPOR_TEST_SEED=N` begins at another seed.

use dpor_report::{Report, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::{Checked, Tool};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;

const PROGRAMS: u64 = 24;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// A byte, by assembly.
    Raw,
    /// Two bytes with two system calls in one call.
    RawTwice,
    /// A byte, by libc's `read`.
    Read,
    /// A line, by a function of libc outside the table.
    Line,
    /// Advice about the file.
    Advise,
    /// An addition to the cell.
    Add,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Conflicts with everything; takes so many items.
    Opaque(i64),
    /// Conflicts with its like and takes an item.
    Shared,
    /// Conflicts with its like.
    Cell,
    /// Creation of this thread.
    Create(usize),
}

impl Event {
    fn conflicts(self, other: Event) -> bool {
        matches!(
            (self, other),
            (Event::Opaque(_), _)
                | (_, Event::Opaque(_))
                | (Event::Shared, Event::Shared)
                | (Event::Cell, Event::Cell)
        )
    }
}

/// The events of an operation.
fn events(op: Op) -> &'static [Event] {
    match op {
        Op::Raw | Op::Line => &[Event::Opaque(1)],
        Op::RawTwice => &[Event::Opaque(1), Event::Opaque(1)],
        Op::Advise => &[Event::Opaque(0)],
        Op::Read => &[Event::Shared],
        Op::Add => &[Event::Cell],
    }
}

type Program = Vec<Vec<Op>>;
type Outcome = BTreeMap<String, i64>;

/// Threads of a program; thread 0 creates the others first.
fn program(random: &mut Random) -> Program {
    let lines = random.below(3) == 0;
    let kinds: &[Op] = match lines {
        true => &[Op::Line, Op::Line, Op::Add, Op::Advise],
        false => &[
            Op::Raw,
            Op::RawTwice,
            Op::Read,
            Op::Read,
            Op::Add,
            Op::Advise,
        ],
    };
    let one = |random: &mut Random| kinds[random.below(kinds.len() as u64) as usize];
    let threads = 2 + random.below(2);
    (0..threads)
        .map(|_| (0..1 + random.below(2)).map(|_| one(random)).collect())
        .collect()
}

const PRELUDE: &str = r#"#define _GNU_SOURCE
#include <dpor.h>
#include <fcntl.h>
#include <mntent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int file;
static FILE *lines;
static atomic_long cell;
static long got[3][4];

__attribute__((noinline, disable_sanitizer_instrumentation))
static void raw(long *to, int count) {
    for (int i = 0; i < count; i++) {
        char byte;
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(0L), "D"((long)file), "S"(&byte), "d"(1L)
                         : "rcx", "r11", "memory");
        to[i] = byte - 'a';
    }
}
static void table(long *to) {
    char byte = 0;
    (void)!read(file, &byte, 1);
    *to = byte - 'a';
}
static void line(long *to) {
    struct mntent one;
    char text[256];
    struct mntent *found = getmntent_r(lines, &one, text, sizeof text);
    *to = found ? found->mnt_freq : -1;
}
static void advise(void) { posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL); }
"#;

/// The C text; program `i` runs with argument `i` and the two files.
fn text(programs: &[Program]) -> String {
    let mut text = PRELUDE.to_owned();
    for (number, threads) in programs.iter().enumerate() {
        for (t, ops) in threads.iter().enumerate() {
            let _ = writeln!(text, "static void *p{number}_{t}(void *unused) {{");
            let mut k = 0;
            for op in ops {
                let to = format!("&got[{t}][{k}]");
                let _ = match op {
                    Op::Raw => writeln!(text, "    raw({to}, 1);"),
                    Op::RawTwice => writeln!(text, "    raw({to}, 2);"),
                    Op::Read => writeln!(text, "    table({to});"),
                    Op::Line => writeln!(text, "    line({to});"),
                    Op::Advise => writeln!(text, "    advise();"),
                    Op::Add => writeln!(text, "    *{to} = atomic_fetch_add(&cell, 1);"),
                };
                k += values(*op);
            }
            text.push_str("    return unused;\n}\n");
        }
    }
    text.push_str("int main(int count, char **arguments) {\n    if (count < 4) return 2;\n");
    text.push_str(
        "    file = open(arguments[2], O_RDONLY);\n    lines = fopen(arguments[3], \"r\");\n",
    );
    text.push_str("    pthread_t threads[3];\n    switch (atoi(arguments[1])) {\n");
    for (number, threads) in programs.iter().enumerate() {
        let _ = writeln!(text, "    case {number}:");
        for t in 1..threads.len() {
            let _ = writeln!(
                text,
                "        pthread_create(&threads[{t}], 0, p{number}_{t}, 0);"
            );
        }
        let _ = writeln!(text, "        p{number}_0(0);");
        for t in 1..threads.len() {
            let _ = writeln!(text, "        pthread_join(threads[{t}], 0);");
        }
        for (t, ops) in threads.iter().enumerate() {
            for k in 0..ops.iter().map(|op| values(*op)).sum() {
                let _ = writeln!(text, "        dpor_observe(\"{t}.{k}\", got[{t}][{k}]);");
            }
        }
        text.push_str("        break;\n");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

/// Numbers that an operation leaves.
fn values(op: Op) -> usize {
    match op {
        Op::Advise => 0,
        Op::RawTwice => 2,
        _ => 1,
    }
}

/// All interleavings: as traces (which of two conflicting events came first) and their outcomes.
struct Brute {
    threads: Vec<Vec<Event>>,
    traces: BTreeSet<Vec<(usize, usize, usize, usize)>>,
    outcomes: BTreeSet<Outcome>,
}

impl Brute {
    fn new(program: &Program) -> Brute {
        let mut threads: Vec<Vec<Event>> = program
            .iter()
            .map(|ops| ops.iter().flat_map(|op| events(*op)).copied().collect())
            .collect();
        let creations = (1..threads.len()).map(Event::Create);
        threads[0].splice(0..0, creations);
        let mut brute = Brute {
            threads,
            traces: BTreeSet::new(),
            outcomes: BTreeSet::new(),
        };
        brute.extend(&mut Vec::new());
        brute
    }

    /// `order`: the threads of the events so far.
    fn extend(&mut self, order: &mut Vec<usize>) {
        let made = |t: usize| order.iter().filter(|&&other| other == t).count();
        let candidates: Vec<usize> = (0..self.threads.len())
            .filter(|&t| made(t) < self.threads[t].len() && (t == 0 || made(0) >= t))
            .collect();
        if candidates.is_empty() {
            self.end(order);
        }
        for t in candidates {
            order.push(t);
            self.extend(order);
            order.pop();
        }
    }

    fn end(&mut self, order: &[usize]) {
        let mut made = vec![0; self.threads.len()];
        let mut all = Vec::new();
        for &t in order {
            all.push((t, made[t], self.threads[t][made[t]]));
            made[t] += 1;
        }
        let mut trace = Vec::new();
        for (i, a) in all.iter().enumerate() {
            for b in all[i + 1..]
                .iter()
                .filter(|b| b.0 != a.0 && a.2.conflicts(b.2))
            {
                trace.push((a.0, a.1, b.0, b.1));
            }
        }
        trace.sort_unstable();
        self.traces.insert(trace);
        let (mut item, mut cell) = (0, 0);
        let mut outcome = Outcome::new();
        let mut given = vec![0; self.threads.len()];
        for (t, _, event) in all {
            let value = match event {
                Event::Opaque(1) | Event::Shared => &mut item,
                Event::Cell => &mut cell,
                _ => continue,
            };
            outcome.insert(format!("{t}.{}", given[t]), *value);
            *value += 1;
            given[t] += 1;
        }
        self.outcomes.insert(outcome);
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn outcomes(report: &Report) -> BTreeSet<Outcome> {
    let all = report.outcomes.iter().map(|o| o.values.clone());
    all.filter(|values| !values.is_empty()).collect()
}

#[test]
fn as_brute_force() {
    let tool = Tool::new("opaque");
    let first = number("DPOR_TEST_SEED", 1);
    let programs: Vec<Program> = (0..number("DPOR_TEST_OPAQUE", PROGRAMS))
        .map(|k| program(&mut Random(first + k)))
        .collect();
    let binary = tool.compile("opaque", &text(&programs), &[]);
    let bytes = tool.path("bytes");
    std::fs::write(&bytes, "abcdefghijklmnopqrstuvwxyz").expect("the file can be written");
    let lines = tool.path("lines");
    let all: String = (0..26).map(|k| format!("a b c d {k} 0\n")).collect();
    std::fs::write(&lines, all).expect("the file can be written");
    let files = [bytes.display().to_string(), lines.display().to_string()];
    let mut wrong = Vec::new();
    for (k, program) in programs.iter().enumerate() {
        let brute = Brute::new(program);
        let mut expected = brute.outcomes.clone();
        expected.remove(&Outcome::new());
        let argument = k.to_string();
        for options in [
            &["--checkpoint-after=2"][..],
            &["--checkpoint=restart"],
            &["--reductions=none"],
            &["--search=dfs"],
        ] {
            let report = tool
                .check(&binary, options, &[&argument, &files[0], &files[1]])
                .report;
            let is_dfs = options[0] == "--search=dfs";
            let count = report.executions.complete;
            let is_right = report.verdict == Verdict::Verified
                && outcomes(&report) == expected
                && (is_dfs
                    || count == brute.traces.len() as u64 && report.executions.total() == count);
            if !is_right {
                wrong.push(format!(
                    "seed {}: {program:?} {options:?}: {:?} {} executions, expected {}; missing {:?}, \
                     too many {:?}",
                    first + k as u64,
                    report.verdict,
                    count,
                    brute.traces.len(),
                    expected.difference(&outcomes(&report)).collect::<Vec<_>>(),
                    outcomes(&report).difference(&expected).collect::<Vec<_>>(),
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reads a byte with a system call of its own, and a line with a function outside the table.
const LIBRARY: &str = r#"#include <mntent.h>
#include <stdio.h>

long raw_byte(int file) {
    char byte = 0;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(0L), "D"((long)file), "S"(&byte), "d"(1L)
                     : "rcx", "r11", "memory");
    return byte - 'a';
}
long line_number(FILE *lines) {
    struct mntent one;
    char text[256];
    struct mntent *found = getmntent_r(lines, &one, text, sizeof text);
    return found ? found->mnt_freq : -1;
}
"#;

const USER: &str = r#"#include <dpor.h>
#include <fcntl.h>
#include <mntent.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

long raw_byte(int file);
long line_number(FILE *lines);
static FILE *lines;
static int file;
static long got[2];

static void *work(void *unused) {
#ifdef LINES
    got[0] = line_number(lines);
    got[1] = line_number(lines);
#else
    got[0] = raw_byte(file);
    got[1] = raw_byte(file);
#endif
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    struct mntent one;
    char text[256], byte = 0;
    if (count < 2) return 2;
    lines = fopen(arguments[1], "r");
    file = open(arguments[1], O_RDONLY);
    pthread_create(&thread, 0, work, 0);
#ifdef LINES
    struct mntent *found = getmntent_r(lines, &one, text, sizeof text);
    dpor_observe("main", found ? found->mnt_freq : -1);
#else
    (void)!read(file, &byte, 1);
    dpor_observe("main", byte - 'a');
#endif
    pthread_join(thread, 0);
    dpor_observe("first", got[0]);
    dpor_observe("second", got[1]);
    return 0;
}
"#;

/// A thread takes two items of three, main one, which is the first, the second or the third: three
/// executions. The thread goes through a library.
fn through_library(tool: &Tool, name: &str, compiler: &mut Command, user: &[&str]) -> Checked {
    let source = tool.path(&format!("{name}_library.c"));
    std::fs::write(&source, LIBRARY).expect("the source can be written");
    let library = tool.path(&format!("lib{name}.so"));
    let flags = ["-O2", "-g", "-fPIC", "-shared", "-o"];
    let ran = tool.run(compiler.args(flags).arg(&library).arg(&source), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let path = library.display().to_string();
    let flags: Vec<&str> = user.iter().copied().chain([path.as_str()]).collect();
    let binary = tool.compile(name, USER, &flags);
    let items = tool.path(&format!("{name}_items"));
    let text = match user.contains(&"-DLINES") {
        true => "a b c d 0 0\na b c d 1 0\na b c d 2 0\n",
        false => "abc",
    };
    std::fs::write(&items, text).expect("the file can be written");
    let checked = tool.check(&binary, &["-v"], &[&items.display().to_string()]);
    let expected: BTreeSet<Outcome> = [[0, 1, 2], [1, 0, 2], [2, 0, 1]]
        .iter()
        .map(|values| {
            let names = ["main", "first", "second"].into_iter().map(str::to_owned);
            names.zip(values.iter().copied()).collect()
        })
        .collect();
    assert_eq!(
        checked.report.verdict,
        Verdict::Verified,
        "{}",
        checked.ran.shown()
    );
    assert_eq!(outcomes(&checked.report), expected);
    assert_eq!(checked.report.executions.complete, 3);
    checked
}

#[test]
fn a_library_without_instrumentation() {
    let tool = Tool::new("opaque_library");
    let mut compiler = tool.clang();
    let checked = through_library(&tool, "plain", &mut compiler, &[]);
    // The address is in the library, whose function the dynamic linker knows; each call once.
    let calls: Vec<_> = checked.report.opaque_calls.iter().collect();
    let named = |call: &&dpor_report::OpaqueCall| {
        (
            call.system_call.as_str(),
            call.function.as_str(),
            call.whole_call,
        ) == ("read", "raw_byte", false)
    };
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls.iter().all(named), "{calls:?}");
    assert!(calls
        .iter()
        .all(|call| call.object == "libplain.so" && call.place.line > 0));
    let line = "opaque: system call read in raw_byte of libplain.so, ";
    assert_eq!(
        checked.ran.stdout.matches(line).count(),
        2,
        "{}",
        checked.ran.shown()
    );
}

#[test]
fn one_function_from_two_objects() {
    let tool = Tool::new("opaque_objects");
    let mut compiler = tool.compiler("dpor-cc");
    let checked = through_library(&tool, "instrumented", &mut compiler, &["-DLINES"]);
    let calls = &checked.report.opaque_calls;
    let is_known = |call: &dpor_report::OpaqueCall| {
        call.function == "getmntent_r" && call.object == "libc.so.6" && call.whole_call
    };
    assert!(!calls.is_empty() && calls.iter().all(is_known), "{calls:?}");
}

const CALLBACK: &str = r#"#include <dirent.h>
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int cell;

static int choose(const struct dirent *entry) {
    return entry->d_name[0] != '.' && atomic_fetch_add(&cell, 1) >= 0;
}

static void *work(void *folder) {
    struct dirent **list;
    dpor_assert(scandir(folder, &list, choose, 0) == 2);
    return 0;
}

int main(int count, char **arguments) {
    pthread_t thread;
    if (count < 2) return 2;
    pthread_create(&thread, 0, work, arguments[1]);
    dpor_observe("seen", atomic_fetch_add(&cell, 1));
    pthread_join(thread, 0);
    return 0;
}
"#;

/// `scandir` is opaque by the table, and calls back: two additions, which are events. What it asks the
/// kernel for after those is no part of its own event any more: that the directory has ended, and that
/// it be closed. So the thread has five events, all of which conflict with main's addition, which has
/// six places: two of them before the thread's additions, one between, three after.
#[test]
fn in_the_midst_of_a_call() {
    let tool = Tool::new("opaque_callback");
    let binary = tool.compile("callback", CALLBACK, &["-D_GNU_SOURCE"]);
    let folder = tool.path("folder");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for name in ["a", "b"] {
        std::fs::write(folder.join(name), "").expect("the file can be written");
    }
    for options in [&["--checkpoint-after=2"][..], &["--checkpoint=restart"]] {
        let checked = tool.check(&binary, options, &[&folder.display().to_string()]);
        let report = checked.report;
        assert_eq!(report.verdict, Verdict::Verified, "{}", checked.ran.shown());
        let counts = report
            .outcomes
            .iter()
            .map(|o| (o.values["seen"], o.executions));
        assert_eq!(counts.collect::<Vec<_>>(), [(0, 2), (1, 1), (2, 3)]);
        let names = report
            .opaque_calls
            .iter()
            .map(|call| call.system_call.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["close", "getdents64"]);
    }
}
