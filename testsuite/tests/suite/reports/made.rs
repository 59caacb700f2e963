//! Reports made by hand.

use dpor_driver::report::plain;
use dpor_report::{Finding, Place, Report, Step};

/// `T0 lock m`, `T1 atomic-load x = 1`: one event a line, at the line of its number.
pub fn trace(lines: &str) -> Vec<Step> {
    let step = |(number, line): (u32, &str)| {
        let (event, value) = match line.split_once(" = ") {
            Some((event, value)) => (event, value.parse().ok()),
            None => (line, None),
        };
        let mut words = event.split_whitespace();
        let mut word = || words.next().unwrap_or_default().to_owned();
        Step {
            thread: word()[1..].parse().expect("a thread"),
            operation: word(),
            object: word(),
            value,
            value_text: String::new(),
            place: Place {
                file: "x.c".to_owned(),
                line: number,
                column: 1,
                function: "f".to_owned(),
                ..Place::default()
            },
            ..Step::default()
        }
    };
    (1..).zip(lines.lines().map(str::trim)).map(step).collect()
}

/// A wait that is woken, then a semaphore and an atomic.
pub const WAIT: &str = "T0 thread-create T1
    T1 thread-start
    T1 lock m
    T1 cond-wait c
    T0 lock m
    T0 cond-broadcast c
    T0 unlock m
    T1 cond-wake c
    T1 unlock m
    T1 sem-post s
    T1 atomic-store f = 1
    T0 sem-wait s
    T0 atomic-load f = 1
    T0 thread-join T1";

/// A report with one finding.
pub fn a_report(finding: Finding) -> Report {
    let options = dpor_abi::options::Options::default();
    let mut report = plain::empty(&options, std::time::Duration::ZERO);
    report.findings = vec![finding];
    report
}

/// A finding without accesses.
pub fn a_finding(message: &str, trace: Vec<Step>) -> Finding {
    let status = std::os::unix::process::ExitStatusExt::from_raw(6);
    Finding {
        message: message.to_owned(),
        trace,
        ..plain::finding(status).expect("a finding")
    }
}
