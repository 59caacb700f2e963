//! Examples of papers under `--states`: their numbers where a paper gives them, their shape where it does not.

use dpor_report::{Report, Verdict};
use dpor_testsuite::tool::Tool;
use dpor_testsuite::trial;

/// Checks a program of `programs/states/` that is compiled with the number given to the macro.
fn checked(tool: &Tool, name: &str, macro_name: &str, number: u64, options: &[&str]) -> Report {
    let source = trial::programs().join(format!("states/{name}.c"));
    let text = std::fs::read_to_string(&source).expect("the program can be read");
    let define = format!("-D{macro_name}={number}");
    let program = tool.compile(&format!("{name}_{number}"), &text, &[&define]);
    let report = tool.check(&program, options, &[]).report;
    assert_eq!(report.verdict, Verdict::Verified, "{name} {number}");
    report
}

fn states_and_steps(report: &Report) -> (u64, u64) {
    let states = report.states.as_ref().expect("states were remembered");
    (states.states, states.steps.expect("all steps were counted"))
}

/// The One Page Model Checker (Holt) calls `hook` at the start of each of two threads, and behind each of their n
/// statements but the last. With its table each step between two pairs of counters is executed once: of the 2n(n+1)
/// steps 2(n+1) are a thread's last, so that there are 2 + 2n(n+1) - 2(n+1) = 2n² calls. Without, each prefix of each of
/// the C(2n, n) executions is executed by itself: C(2n+2, n+1) - 2 steps, of which C(2n, n) are the last of each thread,
/// so that there are C(2n+2, n+1) - 2C(2n, n) = 2C(2n, n-1) calls. (The paper has 22,876 for n = 8.)
/// One more step, or event, creates the second thread here; joins of what has ended are none. States are the pairs of
/// counters, that before the thread, and one more at the end: whether the first thread waited for the other.
#[test]
fn calls_of_hook_are_those_of_the_one_page_model_checker() {
    let tool = Tool::new("states-onepage");
    let with_table = [18, 32, 50, 72, 98, 128];
    let exhaustive = [30, 112, 420, 1584, 6006, 22880];
    for (n, (with_table, exhaustive)) in (3..).zip(with_table.into_iter().zip(exhaustive)) {
        let options = ["--states", "--reductions=none"];
        let (states, steps) = states_and_steps(&checked(&tool, "onepage", "N", n, &options));
        assert_eq!(states, (n + 1) * (n + 1) + 2, "{n}");
        assert_eq!(2 + (steps - 1) - 2 * (n + 1), with_table, "{n}");
        let options = ["--search=dfs", "--reductions=none"];
        let searched = checked(&tool, "onepage", "N", n, &options);
        let ends_of_each = searched.executions.complete;
        assert_eq!(
            2 + (searched.events - 1) - 2 * ends_of_each,
            exhaustive,
            "{n}"
        );
        // Nothing that the threads do conflicts: one way is enough.
        let (_, reduced) = states_and_steps(&checked(&tool, "onepage", "N", n, &["--states"]));
        assert_eq!(reduced, 2 * n + 1, "{n}");
    }
}

/// Two robots on a board (the benchmark that pancam's authors measured, without figures in the text). Each makes 2 steps
/// for each of the n² - 1 moves, so that there are (2n² - 1)² pairs of places, all of which are reached; what compiled
/// code keeps in registers tells few more apart. Persistent sets leave a part of them out, as in the prototype.
#[test]
fn robots_are_at_all_pairs_of_places() {
    let tool = Tool::new("states-robots");
    for side in [2, 4, 6, 8] {
        let options = ["--states", "--reductions=none"];
        let (states, _) = states_and_steps(&checked(&tool, "robots", "SIDE", side, &options));
        let pairs = (2 * side * side - 1_u64).pow(2);
        assert!(
            (pairs + 2..pairs + 5 + 3 * side).contains(&states),
            "{side}: {states}"
        );
        let (reduced, _) = states_and_steps(&checked(&tool, "robots", "SIDE", side, &["--states"]));
        assert!(reduced < states, "{side}: {reduced} of {states}");
        assert!(
            side < 4 || reduced < states * 3 / 4,
            "{side}: {reduced} of {states}"
        );
    }
}

/// Positions of a ring that only grow make its states endless, and are named; masked they are not, and the search ends.
#[test]
fn positions_that_grow_are_named() {
    let tool = Tool::new("states-positions");
    let source = trial::programs().join("states/positions.c");
    let text = std::fs::read_to_string(source).expect("the program can be read");
    let growing = tool.compile("growing", &text, &[]);
    let found = tool.check(&growing, &["--states", "--max-states=3000"], &[]);
    assert_eq!(found.report.verdict, Verdict::Incomplete);
    let states = found.report.states.expect("states were remembered");
    let names = { states.differing.iter() }.map(|differing| differing.object.name.as_str());
    assert!(
        names.clone().any(|name| name.starts_with("ring.")),
        "{states:?}"
    );
    let masked = tool.compile("masked", &text, &["-DKEPT=MASK"]);
    let found = tool.check(&masked, &["--states", "--max-states=3000"], &[]);
    assert_eq!(found.report.verdict, Verdict::Verified);
}
