//! How far a search is, as it is shown.

use super::{check, lines, report, said};
use crate::installation::Installation;
use dpor_report::{Estimate, Message, Progress, Total};
use std::process::Stdio;

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
