//! What the report says decides: exit code, text, files.

use super::{a_bug, check, report, said};
use crate::installation::Installation;
use dpor_report::{Captured, FindingKind, Outcome, Report, Verdict};

#[test]
fn the_report_decides() {
    let installation = Installation::with_program();
    let ran = check(&installation, "", &said(report(1680)), "exit 0");
    assert_eq!(ran.text(), (0, "verified: all 1,680 executions\n", ""));

    // The exit status of the process means nothing once the runtime has spoken.
    let ran = check(&installation, "", &said(report(1)), "exit 5");
    assert_eq!(ran.text(), (0, "verified: all 1 execution\n", ""));

    let mut incomplete = report(5);
    incomplete.verdict = Verdict::Incomplete;
    incomplete.reason = Some("--max-executions".to_owned());
    let ran = check(&installation, "", &said(incomplete), "exit 0");
    assert_eq!(
        ran.text(),
        (3, "incomplete: --max-executions after 5 executions\n", "")
    );

    let mut unsupported = report(5);
    unsupported.verdict = Verdict::Unsupported;
    unsupported.reason = Some("pthread_barrier_wait at x.c:5".to_owned());
    let ran = check(&installation, "", &said(unsupported), "exit 0");
    assert_eq!(
        ran.text(),
        (4, "unsupported: pthread_barrier_wait at x.c:5\n", "")
    );
}

#[test]
fn a_bug_is_saved_and_can_be_replayed() {
    let installation = Installation::with_program();
    let ran = check(
        &installation,
        "--message-format=short",
        &said(a_bug()),
        "exit 0",
    );
    let expect = "error: assertion x == 1 fails [assertion]\n\
                  bug found: assertion, after 4 executions\n\
                  replay: dpor replay program.dpor.json#1\n";
    assert_eq!(ran.text(), (42, expect, ""));

    let ran = installation.dpor("replay program.dpor.json#1 --message-format=short");
    let expect = "error: assertion x == 1 fails [assertion]\n\
                  bug found: assertion, after 4 executions\n";
    assert_eq!(ran.text(), (42, expect, ""));

    // Now the program behaves.
    installation.write("channel", &said(report(1)));
    let ran = installation.dpor("replay program.dpor.json");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("did not show the assertion again"),
        "{}",
        ran.stderr
    );

    let mut diverged = report(0);
    diverged.verdict = Verdict::Unsupported;
    diverged.reason = Some("nondeterminism: rdtsc at x.c:3".to_owned());
    installation.write("channel", &said(diverged));
    let ran = installation.dpor("replay program.dpor.json");
    assert_eq!(
        ran.text(),
        (4, "unsupported: nondeterminism: rdtsc at x.c:3\n", "")
    );
}

#[test]
fn json_goes_round() {
    let installation = Installation::with_program();
    let ran = check(&installation, "--json out.json", &said(a_bug()), "exit 0");
    assert_eq!(ran.code, 42);
    assert!(
        ran.stdout.ends_with("replay: dpor replay out.json#1\n"),
        "{}",
        ran.stdout
    );
    let text = std::fs::read_to_string(installation.path("out.json")).unwrap();
    let read: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(read.program, "./program");
    assert_eq!(read.args, ["channel", "exit", "0"]);
    assert_eq!(read.findings[0].kind, FindingKind::Assertion);
    assert_eq!(read.executions.total(), 4);

    let ran = check(&installation, "--json -", &said(report(2)), "exit 0");
    let read: Report = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, read.executions.complete), (0, 2));
    assert_eq!(ran.stderr, "verified: all 2 executions\n");
}

#[test]
fn unwritable_json_is_noticed_before_the_program_runs() {
    let installation = Installation::with_program();
    for (file, why) in [("no/such/x.json", "No such file"), ("lib", "folder")] {
        // The end of this program would be a bug.
        let ran = check(&installation, &format!("--json {file}"), "", "exit 1");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn captured_output_comes_first() {
    let installation = Installation::with_program();
    let mut loud = report(1);
    loud.output = vec![Captured {
        execution: 1,
        stdout: "to stdout".to_owned(),
        stderr: "to stderr\n".to_owned(),
    }];
    let ran = check(&installation, "", &said(loud), "exit 0");
    assert_eq!(
        ran.text(),
        (0, "to stdout\nverified: all 1 execution\n", "to stderr\n")
    );
}

#[test]
fn warnings_are_bugs_only_on_request() {
    let installation = Installation::with_program();
    let mut warned = report(1);
    warned.findings = a_bug().findings;
    warned.findings[0].kind = FindingKind::Leak;
    let text = said(warned);
    let ran = check(&installation, "--message-format=short", &text, "exit 0");
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .contains("verified: all 1 execution, 1 warning\n"),
        "{}",
        ran.stdout
    );
    let ran = check(&installation, "--warnings-as-errors", &text, "exit 0");
    assert_eq!(ran.code, 42);
}

#[test]
fn nothing_in_a_report_steers_the_terminal() {
    let installation = Installation::with_program();
    let mut odd = a_bug();
    let finding = &mut odd.findings[0];
    finding.message = "\u{1b}[2Jtwo\nlines".to_owned();
    finding.details = vec!["detail\u{9b}K".to_owned()];
    odd.notes = vec!["a note\u{7}\r".to_owned()];
    odd.reason = Some("\u{202e}because".to_owned());
    let text = said(odd);
    for format in ["human", "short"] {
        let ran = check(
            &installation,
            &format!("--message-format={format}"),
            &text,
            "exit 0",
        );
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!ran.stdout.contains(steers), "{:?}", ran.stdout);
        for shown in [r"\x1b[2Jtwo", r"a note\x07\r", r"\u{202e}because"] {
            assert!(ran.stdout.contains(shown), "{shown}: {}", ran.stdout);
        }
    }
    let ran = installation.dpor("show \u{1b}[2J.json");
    assert_eq!(ran.stderr, "dpor: error: no such file: \\x1b[2J.json\n");
}

#[test]
fn a_report_that_cannot_be_written_is_not_named_for_a_replay() {
    let installation = Installation::with_program();
    // A stream is written, and cannot be read again: the report of its own name can.
    let ran = check(&installation, "--json /dev/null", &said(a_bug()), "exit 0");
    assert_eq!(ran.code, 42, "{}", ran.stderr);
    let own = "replay: dpor replay program.dpor.json#1\n";
    assert!(ran.stdout.ends_with(own), "{}", ran.stdout);
    let ran = check(&installation, "--json /dev/full", &said(a_bug()), "exit 0");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("/dev/full cannot be written"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let installation = Installation::with_program();
    installation.write("channel", &said(a_bug()));
    let mut command = installation.command("check ./program -- channel exit 0");
    let (reading, writing) = std::io::pipe().expect("a pipe");
    drop(reading);
    command.stdout(writing.try_clone().expect("a descriptor"));
    command.stderr(writing);
    let status = command.status().expect("dpor starts");
    assert_eq!(status.code(), Some(42));
    let saved = std::fs::read_to_string(installation.path("program.dpor.json"));
    assert!(saved.is_ok_and(|text| text.contains("assertion x == 1 fails")));
}

#[test]
fn a_program_that_would_not_find_the_runtime_gets_a_path() {
    let installation = Installation::with_program();
    installation.gcc("program.c -o lost -Llib -ldpor_rt");
    let ran = installation.dpor("check lost");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn findings_of_a_report_are_numbered() {
    let installation = Installation::with_program();
    check(&installation, "", &said(a_bug()), "exit 0");
    let ran = installation.dpor("replay program.dpor.json#2");
    let expect = "dpor: error: program.dpor.json has 1 finding; there is no number 2\n";
    assert_eq!(ran.text(), (2, "", expect));
}

#[test]
fn a_race_is_a_warning_under_races_warn() {
    let installation = Installation::with_program();
    let mut raced = report(1);
    raced.findings = a_bug().findings;
    raced.findings[0].kind = FindingKind::DataRace;
    let text = said(raced);
    let ran = check(
        &installation,
        "--races=warn --message-format=short",
        &text,
        "exit 0",
    );
    let expect = "warning: assertion x == 1 fails [data-race]\n\
                  verified: all 1 execution, 1 warning\n";
    assert_eq!(ran.text(), (0, expect, ""));
}

#[test]
fn outcomes_are_listed_when_asked_for() {
    let installation = Installation::with_program();
    let mut observed = report(3);
    let outcome = |r1: i64, executions: u64| Outcome {
        values: [("r1".to_owned(), r1), ("r2".to_owned(), 1)].into(),
        executions,
    };
    observed.outcomes = vec![outcome(0, 1), outcome(-1, 12)];
    let text = said(observed);
    let ran = check(&installation, "--outcomes", &text, "exit 0");
    let expect = "2 distinct outcomes:\n   1 ×  r1=0  r2=1\n  12 ×  r1=-1  r2=1\n\
                  verified: all 3 executions\n";
    assert_eq!(ran.text(), (0, expect, ""));
    let ran = check(&installation, "", &text, "exit 0");
    assert_eq!(ran.text(), (0, "verified: all 3 executions\n", ""));
}
