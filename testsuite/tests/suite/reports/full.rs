//! `--full`: all events of a long trace, instead of those that matter.

use super::programs::ordinary;
use dpor_testsuite::tool::Tool;

/// Events shown: the lines of traces that begin with the number of a step.
pub fn rows(text: &str) -> Vec<&str> {
    let traces = text.split("\ntrace (").skip(1);
    let lines = traces.flat_map(|trace| trace.split("\n\n").next().unwrap_or("").lines().skip(1));
    let is_step = |line: &&str| {
        let number = line
            .trim_start_matches(['*', '=', '>', ' '])
            .split(' ')
            .next();
        number.is_some_and(|number| number.parse::<usize>().is_ok())
    };
    lines.filter(is_step).collect()
}

/// In the line of each gap.
fn left_out(text: &str) -> usize {
    let gaps = text.lines().filter_map(|line| line.strip_prefix("  … "));
    let counts = gaps.map(|gap| gap.split(' ').next().unwrap_or_default().parse::<usize>());
    counts.map(|count| count.expect("a number")).sum()
}

#[test]
fn a_long_trace_is_told_in_short_or_in_full() {
    let tool = Tool::new("reports-full");
    // The other thread does something of its own 40 times, which nobody reads; main fails when it
    // has read the store before that.
    let program = ordinary("assert(s == 0);")
        .replace("atomic_int cell;", "atomic_int cell, own;")
        .replace(
            "atomic_store(&cell, 1);",
            "atomic_store(&cell, 1); for (int i = 0; i < 40; i++) atomic_store(&own, atomic_load(&own) + 1);",
        );
    let binary = tool.compile("long", &program, &[]);
    let checked = tool.check(&binary, &[], &[]);
    assert_eq!(checked.ran.code, 42, "{}", checked.ran.shown());
    let text = &checked.ran.stdout;
    let events = checked.report.findings[0].trace.len();
    assert!(events > 80, "{text}");
    assert_eq!(rows(text).len() + left_out(text), events, "{text}");
    let heading = format!(
        "trace ({events} events, {} left out; --full shows them):",
        left_out(text)
    );
    assert!(text.contains(&heading), "{text}");
    for what in ["starts T1", "reads cell: 1"] {
        assert!(
            rows(text).iter().any(|row| row.contains(what)),
            "{what}: {text}"
        );
    }
    // What main joins shows how it ended.
    let own = rows(text).into_iter().filter(|row| row.contains("own"));
    let own: Vec<&str> = own.collect();
    assert!(
        own.len() == 1 && own[0].contains("writes own: 40"),
        "{text}"
    );

    let full = tool.check(&binary, &["--full"], &[]).ran.stdout;
    assert_eq!((rows(&full).len(), left_out(&full)), (events, 0), "{full}");
    let shown = tool.run(tool.dpor("show").arg(&checked.json).arg("--full"), "");
    assert_eq!(rows(&shown.stdout), rows(&full));
}
