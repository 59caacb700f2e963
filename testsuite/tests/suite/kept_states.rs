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

fn text(program: &str) -> String {
    let path = Path::new("programs/states").join(format!("{program}.c"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn finds_what_is_wrong(tool: &Tool, keeps: &str) {
    for (number, (name, flag, kind)) in WRONG.into_iter().enumerate() {
        let flags: Vec<&str> = ["-O2", flag]
            .into_iter()
            .filter(|f| !f.is_empty())
            .collect();
        let program = tool.compile(&format!("{name}-{number}"), &text(name), &flags);
        let options = [keeps, "--states-memory", "16777216"];
        let found = tool.check(&program, &options, &[]);
        assert_eq!(found.report.verdict, Verdict::Bug, "{}", found.ran.shown());
        let kinds: Vec<String> = { found.report.findings.iter() }
            .map(|finding| finding.kind.to_string())
            .collect();
        assert_eq!(kinds, [kind], "{name} {flag}");
        let mut replay = tool.dpor("replay");
        let again = tool.run(replay.arg(format!("{}#1", found.json.display())), "");
        assert_eq!(again.code, 42, "{name} {flag}: {}", again.shown());
    }
}

#[test]
fn with_bits_what_is_wrong_is_found() {
    finds_what_is_wrong(&Tool::new("states-wrong-bits"), "--states=bitstate");
}
