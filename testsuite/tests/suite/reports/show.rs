//! `dpor show`.

use super::programs::{one_of_each, ordinary, ODD_PROGRAM, RACE};
use dpor_testsuite::tool::Tool;

#[test]
fn a_saved_report_is_printed_as_it_was() {
    let tool = Tool::new("reports-show");
    let mut programs: Vec<_> = one_of_each().to_vec();
    programs.push(("odd \"<&>' é", ODD_PROGRAM.to_owned(), &["--outcomes"], 42));
    let loud = ordinary("dpor_observe(\"s\", s); puts(\"to stdout\");");
    let loud = format!("#include <dpor.h>\n#include <stdio.h>\n{loud}");
    programs.push(("loud", loud, &["--outcomes", "--output=all"], 0));
    for (name, program, options, code) in programs {
        let binary = tool.compile(name, &program, &["-Wno-unused-value"]);
        for form in ["human", "short"] {
            let form = format!("--message-format={form}");
            let mut options = options.to_vec();
            options.push(&form);
            let checked = tool.check(&binary, &options, &[]);
            assert_eq!(checked.ran.code, code, "{}", checked.ran.shown());
            let mut command = tool.dpor("show");
            let shown = tool.run(command.arg(&checked.json).arg(&form), "");
            assert_eq!(shown.code, 0, "{}", shown.shown());
            assert_eq!(shown.stdout, checked.ran.stdout, "{name} {form}");
        }
    }
}

#[test]
fn one_finding_and_other_formats() {
    let tool = Tool::new("reports-show-one");
    // Two races: other is not protected on the way back.
    let program = RACE.replace(
        "    pthread_mutex_unlock(&m);\n",
        "    pthread_mutex_unlock(&m); other++;\n",
    );
    let binary = tool.compile("races", &program, &[]);
    let checked = tool.check(&binary, &["-k", "--message-format=short"], &[]);
    let findings = &checked.report.findings;
    assert!(findings.len() >= 2, "{}", checked.ran.shown());
    let second = format!("{}#2", checked.json.display());
    let show = |report: &str, options: &[&str]| {
        let mut command = tool.dpor("show");
        tool.run(command.arg(report).args(options), "")
    };
    let ran = show(&second, &["--message-format=short"]);
    // Some lines for each finding, the verdict, one line for each replay.
    let lines: Vec<&str> = checked.ran.stdout.lines().collect();
    let is_first = |line: &&str| line.contains(": error: ");
    let at = |wanted: usize| {
        let of_findings = lines.iter().enumerate().filter(|(_, line)| is_first(line));
        let mut at = of_findings.map(|(at, _)| at);
        at.nth(wanted).unwrap_or(lines.len() - 1 - findings.len())
    };
    let replay = format!("replay: dpor replay {second}");
    let verdict = lines[lines.len() - 1 - findings.len()];
    let expect = [&lines[at(1)..at(2)], &[verdict, &replay]].concat();
    assert_eq!(
        (ran.code, ran.stdout.lines().collect::<Vec<_>>()),
        (0, expect)
    );
    let ran = show(&second, &["--sarif=-"]);
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("SARIF");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 1);
    assert_eq!(
        results[0]["properties"]["replay"],
        format!("dpor replay {second}")
    );
    assert_eq!(ran.code, 0);
    let whole = show(checked.json.to_str().expect("UTF-8"), &["--json=-"]);
    let saved = std::fs::read_to_string(&checked.json).expect("the report");
    assert_eq!(whole.stdout, saved);
    let none = show(&format!("{}#99", checked.json.display()), &[]);
    assert_eq!(
        (none.code, none.stderr.lines().count()),
        (2, 1),
        "{}",
        none.shown()
    );
    assert!(
        none.stderr.contains("there is no number 99"),
        "{}",
        none.stderr
    );
}
