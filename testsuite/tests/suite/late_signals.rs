//! Random programs with signals that only a time-out leads to: what the checker finds is what a machine finds that
//! takes every step in every order (`signal_model`).
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 150, `DPOR_TEST_SEED=N` begins at another seed.

use dpor_report::{FindingKind, Report};
use dpor_testsuite::signal_model::{self, Outcomes};
use dpor_testsuite::tool::Tool;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn found(report: &Report, threads: usize) -> Outcomes {
    let names = ["l0", "l1", "l2"];
    let logs = report.outcomes.iter();
    let deadlock = |kind| matches!(kind, FindingKind::Deadlock | FindingKind::SelfDeadlock);
    Outcomes {
        logs: logs
            .map(|o| {
                names[..threads]
                    .iter()
                    .map(|&name| o.values[name])
                    .collect()
            })
            .collect(),
        deadlocks: report.findings.iter().any(|f| deadlock(f.kind)),
    }
}

#[test]
fn late_signals_do_what_a_machine_says() {
    let tool = Tool::new("late_signals");
    let first = number("DPOR_TEST_SEED", 1);
    let seeds = first..first + number("DPOR_TEST_RANDOM", 150);
    let programs: Vec<_> = seeds.clone().map(signal_model::program).collect();
    let binary = tool.compile("late_signals", &signal_model::text(&programs), &[]);
    let (mut compared, mut several, mut deadlocks) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (index, seed) in seeds.clone().enumerate() {
        let options = [
            "-k",
            "--outcomes",
            "--max-executions=30000",
            // The machine lets time pass where nothing else can go on.
            "--timeouts=none",
            // Nobody looks at the schedules.
            "--minimize-time=0",
        ];
        let report = tool.check(&binary, &options, &[&index.to_string()]).report;
        if report.reason.is_some() {
            continue;
        }
        let program = &programs[index];
        let expected = signal_model::outcomes(program);
        let found = found(&report, program.threads());
        compared += 1;
        several += u64::from(expected.logs.len() > 1);
        deadlocks += u64::from(expected.deadlocks);
        if found != expected {
            let missed = expected.logs.difference(&found.logs);
            let extra = found.logs.difference(&expected.logs);
            wrong.push(format!(
                "seed {seed}: missed {:?}, extra {:?}, deadlocks {} and {}: {program:?}",
                missed.collect::<Vec<_>>(),
                extra.collect::<Vec<_>>(),
                found.deadlocks,
                expected.deadlocks
            ));
        }
    }
    println!(
        "{compared} programs, {several} with several outcomes, {deadlocks} that may wait for ever"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A generator of huge programs, or of programs in which nothing happens, would compare nothing.
    let all = seeds.end - seeds.start;
    assert!(compared * 10 >= all * 9 && several * 4 >= all && deadlocks * 8 >= all);
}
