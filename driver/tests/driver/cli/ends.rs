//! How the process of the program ended decides: exits, signals, limits, silence.

use super::{check, lines, report, said};
use crate::installation::{Installation, Ran};
use dpor_report::{Message, Progress, Verdict};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn a_program_with_one_thread_is_judged_by_its_end() {
    let installation = Installation::with_program();
    let check = |end: &str, code: i32, verdict: &str| {
        let loaded = lines(&[Message::Loaded]);
        let ran = check(&installation, "", &loaded, end);
        assert_eq!(ran.code, code, "{end}: {}", ran.stdout);
        assert!(ran.stdout.contains(verdict), "{end}: {}", ran.stdout);
    };
    check("exit 0", 0, "verified: all 1 execution");
    check("exit 77", 42, "bug found: nonzero-exit, after 1 execution");
    check("signal 6", 42, "bug found: abort, after 1 execution");
    check("signal 11", 42, "the program is killed by SIGSEGV");
    check("signal 9", 3, "incomplete: killed by SIGKILL from outside");
    check("fork", 0, "verified: all 1 execution");
}

#[test]
fn what_ends_before_the_runtime_is_there_is_no_bug() {
    let installation = Installation::with_program();
    for end in ["exit 0", "exit 127", "signal 6", "signal 11"] {
        let ran = check(&installation, "", "", end);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{end}: {}",
            ran.stderr
        );
        let expect = "before the checker's runtime was there";
        assert!(ran.stderr.contains(expect), "{end}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{end}: {}", ran.stderr);
    }
}

#[test]
fn a_program_that_waits_before_its_second_thread_has_a_limit_of_time() {
    let installation = Installation::with_program();
    let loaded = lines(&[Message::Loaded]);
    // It ignores SIGINT and SIGTERM, and waits for ever.
    let ran = check(&installation, "--time-limit=0.5", &loaded, "stubborn");
    let expect = "incomplete: time-limit: 0.5 s, before the program had a second thread, after 0 executions\n";
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stdout.ends_with(expect), "{}", ran.stdout);
}

#[test]
fn silence_after_the_start_is_the_tools_own_fault() {
    let installation = Installation::with_program();
    let started = lines(&[Message::Started]);
    let ran = check(&installation, "", &started, "exit 3");
    let expect = "dpor: error: [dpor internal bug] the runtime ended without a report \
                  (exit status: 3)\n";
    assert_eq!(ran.text(), (2, "", expect));
    let ran = check(&installation, "", &started, "signal 11");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("[dpor internal bug]") && ran.stderr.contains("signal: 11"));

    let failure = lines(&[Message::Failure("no memory for fibers".to_owned())]);
    let ran = check(&installation, "", &failure, "exit 0");
    assert_eq!(ran.text(), (2, "", "dpor: error: no memory for fibers\n"));

    let ran = check(&installation, "", "Segmentation fault\n", "exit 0");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("no message but 'Segmentation fault'"),
        "{}",
        ran.stderr
    );
}

/// Sends `signal` to `dpor check` when the program says that it is ready.
fn interrupt(installation: &Installation, channel: &str, how: &str, signals: u32) -> Ran {
    installation.write("channel", channel);
    let mut command = installation.command(&format!("check ./program -- channel {how}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    assert_eq!(first, "ready\n");
    for _ in 0..signals {
        let kill = std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: rest,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn an_interrupted_run_tells_what_was_explored() {
    let installation = Installation::with_program();
    let mut partial = report(12);
    partial.verdict = Verdict::Incomplete;
    partial.reason = Some("interrupted".to_owned());
    let ran = interrupt(&installation, &said(partial), "wait", 1);
    assert_eq!(
        ran.text(),
        (3, "incomplete: interrupted after 12 executions\n", "")
    );

    // A runtime that does not answer is killed with the second signal; the last progress counts.
    let progress = Progress {
        executions: report(9).executions,
        ..Progress::default()
    };
    let text = lines(&[Message::Started, Message::Progress(progress)]);
    let ran = interrupt(&installation, &text, "stubborn", 2);
    assert_eq!(
        ran.text(),
        (3, "incomplete: interrupted after 9 executions\n", "")
    );
}
