//! The destinations of reports: one to standard output at most, whole or not at all.

use super::programs::RACE;
use dpor_testsuite::tool::Tool;

#[test]
fn what_cannot_be_written_is_said_before_the_program_runs() {
    let tool = Tool::new("reports-files");
    let binary = tool.compile("race", RACE, &[]);
    let folder = tool.path("folder");
    std::fs::create_dir_all(&folder).expect("a folder");
    let folder = folder.to_str().expect("UTF-8");
    let table: [(&[&str], &str); 5] = [
        (
            &["--json=-", "--sarif=-"],
            "only one report can go to standard output",
        ),
        (&["--sarif=x", "--json=x"], "only one report can go to x"),
        (&["--sarif", folder], "it is a folder"),
        (&["--sarif=no/such/file"], "No such file"),
        (&["--sarif="], "a value is required"),
    ];
    for (options, why) in table {
        let mut command = tool.dpor("check");
        let ran = tool.run(command.args(options).arg(&binary), "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.shown());
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn several_reports_are_written_and_standard_output_is_one_of_them() {
    let tool = Tool::new("reports-several");
    let binary = tool.compile("race", RACE, &[]);
    let json = tool.path("race.json");
    let mut command = tool.dpor("check");
    command
        .arg("--sarif=-")
        .arg("--json")
        .arg(&json)
        .arg(&binary);
    let ran = tool.run(&mut command, "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("only SARIF");
    assert_eq!(log["version"], "2.1.0");
    assert!(
        ran.stderr.contains("bug found: data-race"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        dpor_testsuite::tool::read(&json)
            .expect("a report")
            .findings
            .len(),
        1
    );
}
