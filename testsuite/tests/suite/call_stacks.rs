//! The user's own places and the calls that led there, at -O0 and at -O2: of accesses in the library, locks, waits, frees,
//! assertions and crashes; and that nothing of a report needs a system header to be read.

use crate::levels::{at_each_level, compile, LEVELS};
use dpor_report::{Access, Finding, Place, Report};
use dpor_testsuite::tool::{Checked, Tool};

fn first(checked: &Checked) -> &Finding {
    &checked.report.findings[0]
}

/// The number of the line that has a mark.
fn line(text: &str, mark: &str) -> u32 {
    let lines = text.lines().position(|line| line.ends_with(mark));
    lines.expect("a line with the mark") as u32 + 1
}

/// The lines of the user's own functions on the stack, the innermost first; or the place alone.
fn own(place: &Place) -> Vec<u32> {
    match place.stack.is_empty() {
        true => vec![place.line],
        false => {
            let own = place.stack.iter().filter(|frame| !frame.library);
            own.map(|frame| frame.line).collect()
        }
    }
}

/// No place of a report is a library's, and no sentence names one.
fn assert_own(report: &Report, name: &str) {
    for finding in &report.findings {
        let accesses = finding.accesses.iter().map(|access| &access.place);
        for place in accesses.chain(finding.trace.iter().map(|step| &step.place)) {
            assert!(place.file.ends_with(name), "{place:?}");
        }
        for sentence in finding.details.iter().chain([&finding.message]) {
            assert!(!sentence.contains("/usr/"), "{sentence}");
        }
    }
}

const SWAP: &str = "
#include <thread>
#include <utility>
struct Item { int key, value; };
static Item a{1, 2}, b{3, 4};
static void exchange(Item &x, Item &y) {
    std::swap(x, y); // swap
}
int main() {
    std::thread t([] { exchange(a, b); }); // thread
    exchange(a, b); // main
    t.join();
}
";

#[test]
fn an_access_in_the_library_is_at_the_user_s_call() {
    at_each_level("swap", SWAP, |checked, _| {
        let lines = |mark| [line(SWAP, "// swap"), line(SWAP, mark)];
        let accesses = &first(checked).accesses;
        let of = |thread| accesses.iter().find(|access| access.thread == thread);
        let stack = |access: Option<&Access>| own(&access.expect("an access").place);
        assert_eq!(stack(of(0)), lines("// main"));
        assert_eq!(stack(of(1)), lines("// thread"));
        for access in accesses {
            assert_eq!(access.place.line, line(SWAP, "// swap"));
            // What the program was at is there, too.
            let recorded = access.place.as_recorded();
            assert!(recorded.file.ends_with("/move.h"), "{recorded:?}");
            assert!(access.place.stack[0].library);
        }
        assert_own(&checked.report, "swap.cc");
        let shown = &checked.ran.stdout;
        assert!(shown.contains("… 1 frame of libstdc++"), "{shown}");
        assert!(!shown.contains("enable_if"), "{shown}");
    });
}

const LOCKS: &str = "
#include <mutex>
#include <thread>
static std::mutex a, b;
static void both(std::mutex &x, std::mutex &y) {
    std::lock_guard<std::mutex> l(x); // first
    std::lock_guard<std::mutex> k(y); // second
}
int main() { std::thread t([] { both(a, b); }); both(b, a); t.join(); }
";

#[test]
fn locks_are_where_the_user_takes_them() {
    at_each_level("locks", LOCKS, |checked, tool| {
        assert_own(&checked.report, "locks.cc");
        let finding = first(checked);
        let second = line(LOCKS, "// second");
        let waits = finding
            .accesses
            .iter()
            .filter(|access| access.access == "lock");
        let waits: Vec<u32> = waits.map(|access| access.place.line).collect();
        assert_eq!(waits, [second, second]);
        let rows = finding.trace.iter().filter(|step| step.operation == "lock");
        for row in rows {
            assert_eq!(row.place.line, line(LOCKS, "// first"));
            // The lock that is held has its calls with it.
            assert_eq!(own(&row.place)[0], row.place.line);
            assert!(row.place.stack.len() > 1);
        }
        let held = format!("locks.cc:{}", line(LOCKS, "// first"));
        let held = finding
            .details
            .iter()
            .filter(|detail| detail.ends_with(&held));
        assert_eq!(held.count(), 4, "{:?}", finding.details);
        for (option, mark) in [("--sarif", "\"stacks\""), ("--html", "class=\"calls\"")] {
            let file = tool.path("report");
            let mut command = tool.dpor("show");
            command.arg(option).arg(&file).arg(&checked.json);
            let ran = tool.run(&mut command, "");
            assert_eq!(ran.code, 0, "{}", ran.shown());
            let text = std::fs::read_to_string(&file).expect("a report");
            assert!(text.contains(mark), "{option}");
        }
    });
}

const HELPERS: &str = "
#include <cassert>
#include <mutex>
#include <thread>
static std::mutex m;
static int n;
__attribute__((noinline)) static void check(int value) {
    assert(value != 2); // check
}
static void step() {
    std::scoped_lock l(m);
    n++;
    check(n); // step
    asm volatile(\"\");
}
int main() {
    std::thread t([] {
        step(); // thread
        asm volatile(\"\");
    });
    step(); // main
    t.join();
}
";

#[test]
fn an_assertion_in_a_helper_has_its_callers() {
    at_each_level("helpers", HELPERS, |checked, _| {
        assert_own(&checked.report, "helpers.cc");
        let access = &first(checked).accesses[0];
        let caller = if access.thread == 0 {
            "// main"
        } else {
            "// thread"
        };
        let expect = ["// check", "// step", caller].map(|mark| line(HELPERS, mark));
        assert_eq!(own(&access.place), expect);
    });
}

const FREED: &str = "
#include <memory>
#include <thread>
struct Node { int value; int *p; };
static std::unique_ptr<Node> node;
static std::unique_ptr<Node> make() {
    return std::make_unique<Node>(); // make
}
static void drop() {
    node.reset(); // free
}
int main() {
    std::thread other([] {});
    other.join();
    node = make();
    Node *seen = node.get();
    std::thread t([] { drop(); });
    int value = seen->value; // use
    t.join();
    return value;
}
";

#[test]
fn frees_and_allocations_are_the_user_s() {
    at_each_level("freed", FREED, |checked, _| {
        let finding = first(checked);
        assert_own(&checked.report, "freed.cc");
        let lines: Vec<u32> = finding.accesses.iter().map(|a| a.place.line).collect();
        assert!(lines.contains(&line(FREED, "// use")), "{lines:?}");
        assert!(lines.contains(&line(FREED, "// free")), "{lines:?}");
        let object = finding.object.as_ref().expect("an object");
        assert!(object
            .file
            .as_ref()
            .is_some_and(|file| file.ends_with("freed.cc")));
        assert_eq!(object.line, line(FREED, "// make"));
    });
}

const CRASH: &str = "
#include <thread>
static int *volatile p;
__attribute__((noinline)) static int read_it() {
    return *p; // crash
}
__attribute__((noinline)) static int twice() {
    return 2 * read_it(); // twice
}
int main() {
    std::thread t([] {});
    int value = 1 + twice(); // main
    t.join();
    return value;
}
";

#[test]
fn a_crash_has_its_callers() {
    at_each_level("crash", CRASH, |checked, _| {
        let access = &first(checked).accesses[0];
        let expect = ["// crash", "// twice", "// main"].map(|mark| line(CRASH, mark));
        assert_eq!(own(&access.place), expect);
    });
}

/// Ends the process, in a way that the first argument says, three functions deep in a thread.
const DEATHS: &str = "
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <thread>
#include <unistd.h>
static char *const heap = (char *)0x80000000000;
__attribute__((noinline)) static void end(char how) {
    if (how == 'a') std::abort(); // abort
    if (how == 'e') std::exit(3); // exit
    if (how == '_') _exit(3); // _exit
    if (how == 's') std::raise(SIGTERM); // signal
    if (how == 'o') memset(heap, 0x41, 400); // overwrite
    asm volatile(\"\");
}
__attribute__((noinline)) static void stop(char how) {
    end(how); // stop
    asm volatile(\"\");
}
int main(int, char **arguments) {
    std::thread t([how = arguments[1][0]] {
        stop(how); // thread
        asm volatile(\"\");
    });
    t.join();
}
";

#[test]
fn the_end_of_the_process_has_its_callers() {
    let tool = Tool::new("call_stacks_deaths");
    for level in LEVELS {
        let program = compile(&tool, "deaths", DEATHS, &[level]);
        for (how, mark) in [
            ("a", "// abort"),
            ("e", "// exit"),
            ("_", "// _exit"),
            ("s", "// signal"),
            ("o", "// overwrite"),
        ] {
            let checked = tool.check(&program, &[], &[how]);
            let shown = checked.ran.shown();
            let end = &first(&checked).accesses[0];
            let expect = [mark, "// stop", "// thread"].map(|mark| line(DEATHS, mark));
            assert_eq!(own(&end.place), expect, "{how} {level}: {shown}");
            let called = format!("deaths.cc:{} in stop(char)", expect[1]);
            assert!(checked.ran.stdout.contains(&called), "{how}: {shown}");
            for (option, mark) in [("--sarif", "\"stacks\""), ("--html", "class=\"calls\"")] {
                let file = tool.path("report");
                let mut command = tool.dpor("show");
                command.arg(option).arg(&file).arg(&checked.json);
                let ran = tool.run(&mut command, "");
                assert_eq!(ran.code, 0, "{}", ran.shown());
                let text = std::fs::read_to_string(&file).expect("a report");
                assert!(text.contains(mark), "{how} {option}");
            }
        }
    }
}

/// A library's function that does what its argument says.
const OPERATIONS: &str = "
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>
namespace theirs {
inline pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
inline int *volatile null;
inline char *volatile heap = (char *)0x80000000000;
#ifndef __OPTIMIZE__
__attribute__((noinline)) inline int forgets(int n) { if (n > 200) return 1; }
#endif
__attribute__((noinline)) inline void operate(char how) {
    switch (how) {
    case 'a': std::abort();
    case 'A': assert(how != 'A'); break;
    case 'b': { volatile int *p = (int *)malloc(8); p[2] = 1; break; }
    case 'c': *null = 1; break;
    case 'd': { int *p = new int(1); delete p; delete p; break; }
    case 'D': dpor_assert(how != 'D'); break;
    case 'e': std::exit(3);
    case 'f': { int *p = new int(1); delete p; *p = 2; break; }
#ifndef __OPTIMIZE__
    case 'm': forgets(how); break;
#endif
    case 'o': memset(heap, 0x41, 400); break;
    case 's': std::raise(SIGTERM); break;
    case 'S': kill(getpid(), SIGKILL); break;
    case 't': throw 3;
    case 'u': pthread_mutex_unlock(&m); break;
    case '_': _exit(3);
    }
    asm volatile(\"\");
}
}
";

const CALLS_THEM: &str = "
#include \"theirs/operations.h\"
#include <functional>
#include <thread>
__attribute__((noinline)) static void apply(char how) {
    std::function<void()> f = [how] {
        theirs::operate(how); // call
        asm volatile(\"\");
    };
    f(); // apply
    asm volatile(\"\");
}
int main(int, char **arguments) {
    std::thread t([how = arguments[1][0]] {
        apply(how); // thread
        asm volatile(\"\");
    });
    t.join();
}
";

#[test]
fn whatever_a_library_s_helper_does_is_the_user_s_call() {
    let tool = Tool::new("call_stacks_operations");
    std::fs::create_dir_all(tool.path("theirs")).expect("a folder");
    std::fs::write(tool.path("theirs/operations.h"), OPERATIONS).expect("a header");
    std::fs::write(tool.path("x.cc"), CALLS_THEM).expect("a source");
    let expect = ["// call", "// apply", "// thread"].map(|mark| line(CALLS_THEM, mark));
    for level in LEVELS {
        let mut command = tool.compiler("dpor-c++");
        // Debug information has the header as `./theirs/operations.h` of this folder.
        command.current_dir(tool.path(""));
        command.args(["-g", "-w", "-pthread", level, "./x.cc", "-o", "x"]);
        let ran = tool.run(&mut command, "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let theirs = tool.path("theirs").display().to_string();
        let kinds = "aAbcdDefmosStu_".chars();
        // The optimizer makes nothing of an end without a value.
        for how in kinds.filter(|how| *how != 'm' || level == "-O0") {
            let options = ["--library", &theirs];
            let checked = tool.check(&tool.path("x"), &options, &[&how.to_string()]);
            let shown = checked.ran.shown();
            assert_eq!(checked.ran.code, 42, "{how} {level}: {shown}");
            let place = &first(&checked).accesses[0].place;
            assert_eq!(own(place), expect, "{how} {level}: {shown}");
            assert_eq!(place.line, expect[0], "{how} {level}: {shown}");
            assert_own(&checked.report, "x.cc");
            // What the program prints of an assertion is its own word.
            let names_it = checked.ran.stdout.contains("operations.h");
            assert!(how == 'A' || !names_it, "{how} {level}: {shown}");
        }
    }
}

const COUNTS: &str = "
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
static std::atomic<int> n;
static void work(std::shared_ptr<int> own) {
    auto other = own;
    n = n + *other;
}
int main() {
    auto p = std::make_shared<int>(1);
    std::thread t(work, p);
    work(p);
    t.join();
    assert(n == 2);
}
";

#[test]
fn what_the_library_does_to_its_own_objects_is_a_row_of_the_page_too() {
    at_each_level("counts", COUNTS, |checked, tool| {
        let counts = { first(checked).trace.iter() }.filter(|step| step.operation == "atomic-rmw");
        // The report has all.
        assert!(counts.count() > 3);
        let page = |options: &[&str]| {
            let mut command = tool.dpor("show");
            command.args(options).arg("--html=-").arg(&checked.json);
            tool.run(&mut command, "").stdout
        };
        for shown in [&checked.ran.stdout, &page(&[])] {
            assert!(shown.contains("inside std::shared_ptr"), "{shown}");
            assert!(shown.contains("writes n: 1"), "{shown}");
        }
        // Neither do rows without a line of the user's, of a thread that ends, name one of the library's.
        for file in ["shared_ptr_base.h", "atomicity.h"] {
            let shown = &checked.ran.stdout;
            assert!(!shown.contains(file), "{shown}");
        }
        let full = page(&["--full"]);
        assert!(!full.contains("inside std::shared_ptr"), "{full}");
        assert!(full.contains("(acq_rel)"), "{full}");
    });
}

#[test]
fn a_folder_can_be_a_library_s() {
    let tool = Tool::new("call_stacks_library");
    let folder = tool.path("theirs");
    std::fs::create_dir_all(&folder).expect("a folder");
    let header = "inline void add(int &n) { n++; }\n";
    std::fs::write(folder.join("add.h"), header).expect("a header");
    let text = "
#include <thread>
#include \"theirs/add.h\"
static int n;
int main() {
    std::thread t([] { add(n); }); // thread
    add(n); // main
    t.join();
}
";
    for level in LEVELS {
        let program = compile(&tool, "x", text, &[level]);
        let places = |options: &[&str]| -> Vec<(String, u32)> {
            let checked = tool.check(&program, options, &[]);
            let mut places: Vec<(String, u32)> = { first(&checked).accesses.iter() }
                .map(|access| &access.place)
                .map(|place| {
                    (
                        place.file.rsplit('/').next().unwrap_or("").to_owned(),
                        place.line,
                    )
                })
                .collect();
            places.sort();
            places
        };
        let theirs = ("add.h".to_owned(), 1);
        assert_eq!(places(&[]), [theirs.clone(), theirs]);
        let ours = |mark| ("x.cc".to_owned(), line(text, mark));
        let library = ["--library", folder.to_str().expect("a path")];
        assert_eq!(places(&library), [ours("// thread"), ours("// main")]);
    }
}
