//! The real `dpor` and `dpor-cc` in an installation of their own, with programs that speak the
//! runtime's side of the channel as told (`fake/program.c`).

use crate::installation::{Installation, Ran};
use dpor_report::{
    Captured, Estimate, Executions, FindingKind, Message, Outcome, Progress, Report, Total, Verdict,
};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// A verified report with `complete` executions.
fn report(complete: u64) -> Report {
    let options = dpor_abi::options::Options::default();
    let mut report = dpor_driver::report::plain::empty(&options, std::time::Duration::from_secs(1));
    report.verdict = Verdict::Verified;
    report.executions = Executions {
        complete,
        ..Executions::default()
    };
    report
}

fn lines(messages: &[Message]) -> String {
    let line = |message: &Message| serde_json::to_string(message).unwrap() + "\n";
    messages.iter().map(line).collect()
}

fn said(report: Report) -> String {
    let report = Message::Report {
        report: Box::new(report),
        loaded: Vec::new(),
    };
    lines(&[Message::Started, report])
}

fn a_bug() -> Report {
    let mut report = report(3);
    report.verdict = Verdict::Bug;
    report.executions.failed = 1;
    let mut finding = dpor_driver::report::plain::finding(status(7 << 8)).unwrap();
    finding.kind = FindingKind::Assertion;
    finding.message = "assertion x == 1 fails".to_owned();
    report.findings = vec![finding];
    report
}

fn status(raw: i32) -> std::process::ExitStatus {
    std::os::unix::process::ExitStatusExt::from_raw(raw)
}

/// Checks the fake program that says `channel` and ends as `end` says.
fn check(installation: &Installation, options: &str, channel: &str, end: &str) -> Ran {
    installation.write("channel", channel);
    let line = format!("check {options} ./program -- channel {end}");
    installation.dpor(&line)
}

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
                  bug found: assertion in 4 executions\n\
                  replay: dpor replay program.dpor.json#1\n";
    assert_eq!(ran.text(), (42, expect, ""));

    let ran = installation.dpor("replay program.dpor.json#1 --message-format=short");
    let expect = "error: assertion x == 1 fails [assertion]\n\
                  bug found: assertion in 4 executions\n";
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
fn a_program_with_one_thread_is_judged_by_its_end() {
    let installation = Installation::with_program();
    let check = |end: &str, code: i32, verdict: &str| {
        let loaded = lines(&[Message::Loaded]);
        let ran = check(&installation, "", &loaded, end);
        assert_eq!(ran.code, code, "{end}: {}", ran.stdout);
        assert!(ran.stdout.contains(verdict), "{end}: {}", ran.stdout);
    };
    check("exit 0", 0, "verified: all 1 execution");
    check("exit 77", 42, "bug found: nonzero-exit in 1 execution");
    check("signal 6", 42, "bug found: abort in 1 execution");
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

#[test]
fn progress_is_shown_when_asked_for() {
    let installation = Installation::with_program();
    let at = |seconds: f64, total| {
        Message::Progress(Progress {
            executions: report((1000.0 * seconds) as u64).executions,
            findings: 1,
            seconds,
            total,
        })
    };
    // 1,000 per second: 148 s for 148,000.
    let estimate = Estimate::new([150_000.0, 80_000.0, 400_000.0], 0.8, 2_000, 2.0);
    let messages = [
        Message::Started,
        at(2.0, Total::Unknown),
        at(11.9, Total::Unknown),
        at(12.0, Total::Estimated(estimate)),
        at(12.2, Total::Estimated(estimate)),
    ];
    let text = lines(&messages) + &said(report(1));
    let ran = check(&installation, "--progress=always", &text, "exit 0");
    let first =
        "progress: 2,000 executions, total not known yet, 1,000 per second, 1 finding, 2 s\n";
    let second =
        "progress: 12,000 executions of about 150,000 (80,000 to 400,000), 1,000 per second, \
                  about 2 min (78 s to 7 min) left, 1 finding, 12 s\n";
    let verdict = "verified: all 1 execution\n";
    assert_eq!(ran.text(), (0, verdict, &*(first.to_owned() + second)));
    // Every ten seconds where it was not asked for, the first after ten.
    let ran = check(&installation, "", &text, "exit 0");
    let eleven = first.replace("2,000", "11,900").replace("2 s", "12 s");
    assert_eq!(ran.text(), (0, verdict, &*eleven));
    let ran = check(&installation, "--progress=never", &text, "exit 0");
    assert_eq!(ran.text(), (0, verdict, ""));
}

/// On a terminal, which `script` (util-linux) makes: one line with a bar, taken away at the end.
#[test]
fn a_terminal_has_a_bar() {
    let installation = Installation::with_program();
    let estimate = Estimate::new([8_000.0, 5_000.0, 9_000.0], 0.8, 4_000, 4.0);
    let at = |total| {
        Message::Progress(Progress {
            executions: report(4_000).executions,
            findings: 0,
            seconds: 4.0,
            total,
        })
    };
    let messages = [
        Message::Started,
        at(Total::Unknown),
        at(Total::Estimated(estimate)),
    ];
    installation.write("channel", &(lines(&messages) + &said(report(1))));
    let dpor = installation.path("bin/dpor");
    let line = format!(
        "stty cols 200; {} check ./program -- channel exit 0",
        dpor.display()
    );
    let output = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(installation.path("."))
        .env("TERM", "xterm")
        .env_remove("DPOR_OPTIONS")
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("script(1) of util-linux");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{shown}");
    // Half of twenty columns is full.
    let bar =
        "██████████░░░░░░░░░░ 4,000 executions of about 8,000 (5,000 to 9,000), 1,000 per second, \
               about 4 s (1 s to 5 s) left, 0 findings, 4 s";
    assert!(shown.contains(bar), "{shown:?}");
    let (_, end) = shown.rsplit_once("0 findings, 4 s").expect("shown");
    assert!(end.contains("\u{1b}[2K"), "taken away: {end:?}");
    assert!(
        end.trim_end().ends_with("verified: all 1 execution"),
        "{end:?}"
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

#[test]
fn bad_input_gets_one_sentence() {
    let installation = Installation::with_program();
    installation.write("script", "#!/bin/sh\n");
    installation.write(
        "wrapper",
        "#!/bin/sh\n# wrapper - temporary wrapper script for libtool\n",
    );
    installation.write("text", "hello");
    installation.gcc("-DPLAIN program.c -o plain -Llib -ldpor_rt -Wl,-rpath,lib");
    installation.gcc("-DABI=999 program.c -o newer -Llib -ldpor_rt -Wl,-rpath,lib");
    installation.gcc("-shared -fPIC program.c -o library.so -Llib -ldpor_rt");
    installation.gcc("-c program.c -o object");
    installation.gcc("-static program.c runtime.c -o static");
    installation.gcc("program.c runtime.c -o unlinked");
    installation.gcc("program.c -o hidden -Llib -ldpor_rt -Wl,-rpath,lib");
    installation.run("chmod", "-x hidden");
    installation.elf32("small");
    let check = |line: &str, expect: &str| {
        let ran = installation.dpor(line);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{line}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(expect), "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
    };
    check("check ./nowhere", "no such file: ./nowhere");
    check("check nowhere.c", "no such file: nowhere.c");
    check("check lib", "lib is a folder");
    check("check script", "script is a script");
    check("check wrapper", "libtool's wrapper script");
    check("check text", "is not a program");
    check("check plain", "plain is not instrumented");
    check(
        "check newer",
        &format!(
            "another version of dpor (interface 999, this one has {})",
            dpor_abi::ABI_VERSION
        ),
    );
    check("check library.so", "shared library, not a program");
    check("check object", "object is not linked");
    check("check static", "static is static");
    check("check unlinked", "not linked with the runtime");
    check("check hidden", "hidden is not executable");
    check("check small", "small is a 32-bit program");
    check("check ./program ./program", "only one program");
    check(
        "check --bound 2 -j 2 ./program",
        "a bound of preemptions is for one process: without -j and --mpi",
    );
    check(
        "check --search best ./program",
        "--search: 'best' is not one of",
    );
    check("show nowhere.json", "no such file: nowhere.json");
    check("show lib", "lib cannot be read");
    check("show text", "text is not a JSON report of dpor");
    check("show text#0", "'0' is not the number of a finding");
    check(
        "list-executions --outcome r1 ./program",
        "--outcome: 'r1' is not NAME=VALUE",
    );
    check(
        "list-executions --first 2 -j 2 ./program",
        "--first and -j exclude each other",
    );
    check("list-executions nowhere", "no such file: nowhere");
    check("replay nowhere.json", "no such file: nowhere.json");
    check("replay text", "text is not a JSON report of dpor");
    check("replay text#0", "'0' is not the number of a finding");
    check("replay --gdb text", "text is not a JSON report of dpor");
    check("replay --rr text", "text is not a JSON report of dpor");

    std::fs::remove_file(installation.path("lib/libdpor_rt.so")).unwrap();
    check("check ./program", "the runtime libdpor_rt.so is neither");

    let ran = installation.dpor("check --depth 3 ./program");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--depth"), "{}", ran.stderr);
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
