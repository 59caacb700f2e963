//! What `--states` keeps of a state: whatever it is, the wrong variants of programs that go on for ever are found.

use dpor_report::Verdict;
use dpor_testsuite::tool::Tool;
use std::path::Path;

/// Programs of `programs/states/`: a name, the flags of a wrong variant, and the kind of what is found.
const WRONG: [(&str, &str, &str); 9] = [
    ("dekker", "-DSWAPPED", "assertion"),
    ("filter", "-DLEVELS=1", "assertion"),
    ("peterson", "-DSWAPPED", "assertion"),
    ("philosophers", "", "deadlock"),
    ("pipes", "-DWRONG", "assertion"),
    ("queue", "-DWHILE=if", "assertion"),
    ("queue", "-DONE", "deadlock"),
    ("ring", "-DFULL", "data-race"),
    ("ticket", "-DMASK=0", "assertion"),
];

pub fn text(program: &str) -> String {
    let path = Path::new("programs/states").join(format!("{program}.c"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn finds_what_is_wrong(tool: &Tool, keeps: &[&str]) {
    for (number, (name, flag, kind)) in WRONG.into_iter().enumerate() {
        let flags: Vec<&str> = ["-O2", flag]
            .into_iter()
            .filter(|f| !f.is_empty())
            .collect();
        let program = tool.compile(&format!("{name}-{number}"), &text(name), &flags);
        let options = [keeps, &["--states-memory", "16777216"]].concat();
        let found = tool.check(&program, &options, &[]);
        assert_eq!(found.report.verdict, Verdict::Bug, "{}", found.ran.shown());
        let kinds: Vec<String> = { found.report.findings.iter() }
            .map(|finding| finding.kind.to_string())
            .collect();
        // Warnings may follow.
        assert_eq!(kinds[0], kind, "{name} {flag}");
        let mut replay = tool.dpor("replay");
        let again = tool.run(replay.arg(format!("{}#1", found.json.display())), "");
        assert_eq!(again.code, 42, "{name} {flag}: {}", again.shown());
    }
}

#[test]
fn with_bits_what_is_wrong_is_found() {
    finds_what_is_wrong(&Tool::new("states-wrong-bits"), &["--states=bitstate"]);
}

#[test]
fn compared_exactly_what_is_wrong_is_found() {
    finds_what_is_wrong(&Tool::new("states-wrong-exact"), &["--states=exact"]);
}

#[test]
fn with_steps_fused_what_is_wrong_is_found() {
    let tool = Tool::new("states-wrong-fused");
    finds_what_is_wrong(&tool, &["--states", "--fuse", "8"]);
}

/// No two states of these programs have the same fingerprint: there are as many of them however they are compared.
#[test]
fn exact_and_compact_have_the_same_states() {
    let tool = Tool::new("states-exact");
    for (name, flags) in [
        ("peterson", &["-O0"][..]),
        ("peterson", &["-O2"]),
        ("ring", &["-O2"]),
        ("queue", &["-O2"]),
        ("philosophers", &["-O2", "-DORDERED"]),
        ("freed_elsewhere", &["-O2"]),
        ("pipes", &["-O2"]),
    ] {
        let program = tool.compile(&format!("{name}{}", flags[0]), &text(name), flags);
        let [exact, compact] = ["exact", "compact"].map(|keeps| {
            let found = tool.check(&program, &[&format!("--states={keeps}")], &[]);
            assert_eq!(
                found.report.verdict,
                Verdict::Verified,
                "{}",
                found.ran.shown()
            );
            let is_said = found.ran.stdout.contains("(compared exactly)");
            assert_eq!(is_said, keeps == "exact", "{}", found.ran.shown());
            let collides = found.ran.stdout.contains("hash collisions");
            assert_eq!(collides, keeps == "compact", "{}", found.ran.shown());
            let states = found.report.states.expect("states were remembered");
            assert_eq!(states.keeps, keeps);
            states
        });
        let counted = |states: &dpor_report::States| (states.states, states.steps, states.rounds);
        assert_eq!(counted(&exact), counted(&compact), "{name} {flags:?}");
        assert!(exact.bytes > compact.bytes, "{name}: contents are kept");
    }
}

/// A limit of memory counts what is kept of states.
#[test]
fn contents_count_as_memory() {
    let tool = Tool::new("states-exact-memory");
    let program = tool.compile("freed_elsewhere", &text("freed_elsewhere"), &["-O2"]);
    let options = ["--states=exact", "--states-memory", "2200000"];
    let found = tool.check(&program, &options, &[]);
    assert_eq!(
        found.report.verdict,
        Verdict::Incomplete,
        "{}",
        found.ran.shown()
    );
    assert_eq!(
        found.report.reason.as_deref(),
        Some("states-memory: 2200000 bytes")
    );
}

/// What is broken without a preemption too many is found within the bound and not below; a large bound leaves nothing out.
#[test]
fn a_bound_of_preemptions_is_said() {
    let tool = Tool::new("states-bound");
    let lock = tool.compile("peterson", &text("peterson"), &["-O2"]);
    let within =
        |program: &Path, bound: &str| tool.check(program, &["--states", "--bound", bound], &[]);
    let one = within(&lock, "1");
    assert_eq!(one.report.verdict, Verdict::Verified, "{}", one.ran.shown());
    let said = " with at most 1 preemption: all ";
    assert!(one.ran.stdout.contains(said), "{}", one.ran.shown());
    assert!(one.report.beyond && one.report.states.is_some_and(|states| !states.complete));
    let all = within(&lock, "1000");
    assert!(
        !all.ran.stdout.contains("with at most"),
        "{}",
        all.ran.shown()
    );
    assert!(!all.report.beyond && all.report.states.is_some_and(|states| states.complete));
    // The first is left between its forks, which is a preemption; the third waits for its fork, and the second for the
    // third's.
    let philosophers = tool.compile("philosophers", &text("philosophers"), &["-O2"]);
    let found = within(&philosophers, "1");
    assert_eq!(found.report.verdict, Verdict::Bug, "{}", found.ran.shown());
    assert_eq!(within(&philosophers, "0").report.verdict, Verdict::Verified);
}
