//! `dpor scenario --progress-guarantee`: twins whose guarantees are known, and random objects against all their states.
//!
//! `DPOR_TEST_RANDOM=N` takes N random objects instead of 120, `DPOR_TEST_SEED=N` begins at another seed.

use super::command::{scenario, source};
use super::number;
use super::states::{is_broken, is_endless, object, text, Broken};
use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use std::path::{Path, PathBuf};

/// An object with one operation, whose body this is; the argument is 1 or 2.
fn twin(tool: &Tool, name: &str, members: &str, body: &str) -> PathBuf {
    let text = format!(
        "#include <atomic>\n#include <dpor/scenario.hpp>\n#include <mutex>\n#include <optional>\n\
         struct Twin {{ {members} int call(int me) {{ {body} }} }};\n\
         DPOR_SCENARIO(Twin, dpor::operation(\"call\", [](auto &twin, int me) {{ return twin.call(me); }}, dpor::values(1, 2)))\n"
    );
    let file = tool.path(&format!("{name}.cc"));
    std::fs::write(&file, text).expect("a file");
    file
}

/// Asks for a guarantee of a test with these arguments; what is said if it is broken.
pub fn broken(
    tool: &Tool,
    file: &Path,
    guarantee: &str,
    sizes: &str,
    arguments: &[&str],
) -> Option<String> {
    let asked = format!("--progress-guarantee={guarantee}");
    let sizes = format!("--sizes={sizes}");
    let mut options = vec![asked.as_str(), &sizes];
    if !arguments.is_empty() {
        options.push("--");
        options.extend(arguments);
    }
    let (ran, report) = scenario(tool, &[file], &options);
    let report = report.unwrap_or_else(|| panic!("{}", ran.shown()));
    match report.verdict {
        Verdict::Verified => {
            let said = format!("verified: {guarantee} in all ");
            assert!(ran.stdout.contains(&said), "{}", ran.shown());
            assert!(
                ran.stdout.contains(", compared exactly)"),
                "{}",
                ran.shown()
            );
            None
        }
        Verdict::Bug => {
            let finding = &report.findings[0];
            assert_eq!(finding.kind, FindingKind::NonProgress, "{}", ran.shown());
            let mut replay = tool.dpor("replay");
            let again = tool.run(replay.arg(tool.path("scenario.json")), "");
            assert_eq!(again.code, 42, "{}", again.shown());
            Some(format!(
                "{}\n{}",
                finding.message,
                finding.details.join("\n")
            ))
        }
        _ => panic!("{}", ran.shown()),
    }
}

/// Each twin, and whether it is obstruction-free, and lock-free.
///
/// - `added`: one addition by the processor: nobody ever waits, whatever happens.
/// - `tried again`: an exchange that fails has lost against another call's, which then ends.
/// - `taken over`: each writes its number and looks whether it is still there. Alone that is so at once; two that write and look
///   in turn never end.
/// - `polite`: each raises a flag and takes it back if the other's is up. Who stops behind raising it stops the other.
/// - `spinning`, `locking`: who stops with the lock in its hands stops all others.
/// - `for another`: the call waits for a call of the other operation's value.
#[test]
fn twins_have_the_guarantees_that_they_have_by_hand() {
    let tool = Tool::new("scenario-promised");
    let twins = [
        (
            "added",
            "std::atomic<int> n{0};",
            "return n += me;",
            true,
            true,
        ),
        (
            "tried_again",
            "std::atomic<int> n{0};",
            "int seen = n; while (!n.compare_exchange_strong(seen, seen + me)) { } return seen;",
            true,
            true,
        ),
        (
            "taken_over",
            "std::atomic<int> owner{0};",
            "do owner = me; while (owner != me); return 0;",
            true,
            false,
        ),
        (
            "polite",
            "std::atomic<int> up[3] = {0, 0, 0};",
            "for (;;) { up[me] = 1; if (!up[3 - me]) break; up[me] = 0; } up[me] = 0; return 0;",
            false,
            false,
        ),
        (
            "spinning",
            "std::atomic<int> locked{0}; int n = 0;",
            "while (locked.exchange(1)) { } int was = n; n += me; locked = 0; return was;",
            false,
            false,
        ),
        (
            "locking",
            "std::mutex lock; int n = 0;",
            "std::lock_guard guard(lock); return n += me;",
            false,
            false,
        ),
        (
            "for_another",
            "std::atomic<int> n{0};",
            "n |= me; while (n != 3) { } return 0;",
            false,
            false,
        ),
    ];
    for (name, members, body, is_obstruction_free, is_lock_free) in twins {
        let file = twin(&tool, name, members, body);
        for (guarantee, holds) in [
            ("obstruction-free", is_obstruction_free),
            ("lock-free", is_lock_free),
        ] {
            let said = broken(&tool, &file, guarantee, "2x1", &[]);
            assert_eq!(said.is_none(), holds, "{name}, {guarantee}: {said:?}");
            let Some(said) = said else { continue };
            assert!(said.starts_with(&format!("not {guarantee}: ")), "{said}");
            assert!(
                said.contains("call(") && said.contains(" has begun"),
                "{said}"
            );
        }
        if name == "locking" {
            let said = broken(&tool, &file, "lock-free", "2x1", &[]).expect("it is broken");
            assert!(
                said.contains("T2 waits for T1") || said.contains("T1 waits for T2"),
                "{said}"
            );
        }
    }
}

#[test]
fn structures_have_their_guarantees() {
    let tool = Tool::new("scenario-promised-structures");
    let of = |name: &str| source("testsuite/programs/scenarios").join(name);
    for (name, guarantee) in [("treiber.cc", "lock-free"), ("chase_lev.cc", "lock-free")] {
        assert_eq!(
            broken(&tool, &of(name), guarantee, "2x1,2x2", &[]),
            None,
            "{name}"
        );
    }
    assert!(broken(&tool, &of("deque.cc"), "obstruction-free", "2x1", &[]).is_some());
}

/// What no answer is given to: threads of the object's own, and calls with a time limit, which may go on alone.
#[test]
fn what_is_not_known_is_refused() {
    let tool = Tool::new("scenario-promised-refused");
    let refused = |file: &Path, expect: &str| {
        let options = ["--progress-guarantee=obstruction-free", "--sizes=2x1"];
        let (ran, report) = scenario(&tool, &[file], &options);
        assert_eq!(
            report.expect("a report").verdict,
            Verdict::Unsupported,
            "{}",
            ran.shown()
        );
        assert!(ran.stdout.contains(expect), "{}", ran.shown());
    };
    let members = "std::timed_mutex lock;";
    let body = "if (lock.try_lock_for(std::chrono::seconds(1))) lock.unlock(); return me;";
    refused(&twin(&tool, "limited", members, body), "with a time limit");
    let members = "std::atomic<int> n{0};";
    let body = "std::thread one([this] { n++; }); one.join(); return me;";
    let file = twin(&tool, "helped", members, body);
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, format!("#include <thread>\n{text}")).expect("a file");
    refused(&file, "threads of the object's own");
}

/// Objects in a normal run.
const OBJECTS: u64 = 120;

/// Of one of so many objects it is asked whether it is wait-free (chosen: it takes 50 ms of processor time).
const WAIT_FREE: u64 = 2;

/// Of one of so many of these where threads make up to two calls in turn, of the others where they make the same one again and
/// again.
const LONG: u64 = 3;

#[test]
fn random_objects_have_the_guarantees_of_all_their_states() {
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", OBJECTS);
    let tool = Tool::new("scenario-promised-random");
    let objects: Vec<_> = (first..first + count)
        .map(|seed| object(&mut Random(seed)))
        .collect();
    let binary = tool.compile("promised", &text(&objects), &[]);
    let (mut kept, mut only_alone, mut wait_free) = (0, 0, 0);
    for (index, object) in objects.iter().enumerate() {
        let seed = first + index as u64;
        let expected = is_broken(object);
        let (size, calls) = if seed.is_multiple_of(LONG) {
            ("2x2", 2)
        } else {
            ("2x1", 1)
        };
        let loses = is_endless(object, calls);
        for (guarantee, size, is_broken) in [
            ("obstruction-free", "2x1", expected.obstruction_free),
            ("lock-free", "2x1", expected.lock_free),
            ("wait-free", size, loses),
        ] {
            if guarantee == "wait-free" && seed % WAIT_FREE != 1 {
                continue;
            }
            let asked = format!("--progress-guarantee={guarantee}");
            let size = format!("--sizes={size}");
            let options = [
                asked.as_str(),
                &size,
                "--minimize-time=0",
                "--",
                &index.to_string(),
            ];
            let (ran, report) = scenario(&tool, &[&binary], &options);
            let report = report.unwrap_or_else(|| panic!("{}", ran.shown()));
            let verdict = match is_broken {
                true => Verdict::Bug,
                false => Verdict::Verified,
            };
            assert_eq!(
                report.verdict,
                verdict,
                "seed {seed}, {guarantee}: {object:?}\n{}",
                ran.shown()
            );
        }
        let Broken {
            obstruction_free,
            lock_free,
        } = expected;
        kept += u64::from(!lock_free);
        only_alone += u64::from(!obstruction_free && lock_free);
        wait_free += u64::from(!loses);
        assert!(
            loses || !lock_free,
            "seed {seed}: wait-free, and not lock-free"
        );
    }
    println!(
        "{count} objects, {kept} of them lock-free, {only_alone} obstruction-free alone, {wait_free} wait-free"
    );
    assert!(wait_free >= count / 20 && wait_free + count / 20 <= kept);
    assert!(kept >= count / 10 && only_alone > 0 && kept + only_alone < count);
}
