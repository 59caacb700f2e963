//! `dpor diff` where the user's own code calls a library: places are the user's at either level, whatever was inlined, so
//! that what is the same is no difference.

use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use serde_json::Value;

/// What `dpor diff` prints and tells of a program.
fn differ(tool: &Tool, name: &str, text: &str, options: &[&str]) -> (Ran, Value) {
    std::fs::write(tool.path(name), text).expect("the source can be written");
    let json = tool.path("diff.json");
    let mut command = tool.dpor("diff");
    command.envs(tool.clangs()).current_dir(tool.path(""));
    let ran = tool.run(command.args(options).arg("--json").arg(&json).arg(name), "");
    let told = std::fs::read_to_string(&json).expect("a report");
    (ran, serde_json::from_str(&told).expect("JSON"))
}

/// The elements of a list in a report.
fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().expect("a list")
}

fn line(text: &str, mark: &str) -> u64 {
    let at = text.lines().position(|line| line.ends_with(mark));
    at.expect("a line with the mark") as u64 + 1
}

#[test]
fn what_a_library_does_at_both_levels_is_no_difference() {
    let tool = Tool::new("diff-both");
    let locks = "
#include <mutex>
#include <thread>
static std::mutex a, b;
static void both(std::mutex &x, std::mutex &y) {
    std::lock_guard<std::mutex> l(x);
    std::lock_guard<std::mutex> k(y); // second
}
int main() { std::thread t([] { both(a, b); }); both(b, a); t.join(); }
";
    let (ran, told) = differ(&tool, "locks.cc", locks, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let [deadlock] = list(&told, "both") else {
        panic!("{told:#}");
    };
    for access in list(deadlock, "accesses") {
        assert_eq!(access["line"], line(locks, "// second"), "{access:#}");
    }
    let swap = "
#include <thread>
#include <utility>
struct Item { int key, value; };
static Item a{1, 2}, b{3, 4};
static void exchange(Item &x, Item &y) {
    std::swap(x, y); // swap
}
int main() {
    std::thread t([] { exchange(a, b); });
    exchange(a, b);
    t.join();
}
";
    let (ran, told) = differ(&tool, "swap.cc", swap, &[]);
    // Orders of plain accesses are not known.
    assert_eq!(ran.code, 3, "{}", ran.shown());
    for name in ["differences", "doubtful"] {
        assert!(list(&told, name).is_empty(), "{}", ran.shown());
    }
    let both = list(&told, "both");
    let names = both.iter().map(|race| race["object"]["name"].as_str());
    assert_eq!(names.collect::<Vec<_>>(), [Some("a"), Some("b")]);
    for access in both.iter().flat_map(|race| list(race, "accesses")) {
        assert_eq!(access["line"], line(swap, "// swap"), "{access:#}");
    }
}

#[test]
fn the_schedules_of_an_outcome_are_in_the_user_s_lines() {
    let tool = Tool::new("diff-outcomes");
    std::fs::create_dir_all(tool.path("theirs")).expect("a folder");
    let header = "
#include <atomic>
inline void add(std::atomic<int> &to, int by) { to.store(to.load() + by); }
";
    std::fs::write(tool.path("theirs/add.h"), header).expect("a header");
    let text = "
#include \"theirs/add.h\"
#include <algorithm>
#include <dpor.h>
#include <thread>
#include <vector>
static std::atomic<int> n;
static void twice(int by) {
    add(n, by);
#ifdef __OPTIMIZE__
    add(n, by); // more
#endif
}
int main() {
    std::thread t([] {
        std::vector<int> all{1, 2};
        std::for_each(all.begin(), all.end(), twice); // each
    });
    twice(5);
    t.join();
    dpor_observe(\"n\", n);
}
";
    let (ran, told) = differ(&tool, "outcome.cc", text, &["--library", "theirs"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let differences = list(&told, "differences");
    assert!(!differences.is_empty(), "{told:#}");
    // More than are shown keep what the compiler told.
    for difference in differences.iter().take(20) {
        assert_eq!(difference["kind"], "outcome-difference");
        let schedules = list(difference, "schedules").iter();
        for step in schedules.flat_map(|steps| steps.as_array().expect("steps")) {
            assert_eq!(step["file"], "outcome.cc", "{step:#}");
        }
    }
    let shown = &ran.stdout;
    for library in ["/usr/", "add.h"] {
        assert!(!shown.contains(library), "{shown}");
    }
    let more = format!("outcome.cc:{} in twice(int)\n", line(text, "// more"));
    assert!(shown.contains("    -O2: T"), "{shown}");
    assert!(shown.contains(&more), "{shown}");
}
