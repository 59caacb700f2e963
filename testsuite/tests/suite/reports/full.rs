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

/// Two threads do much on their own, and then take a mutex in turn. The mutexes are not destroyed, and with `-DBUG` the
/// second assertion fails in every execution.
const LONG: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t own[2], m;
static int n, turns;
static void *work(void *p) {
    long i = (long)p;
    for (int k = 0; k < 300; k++) { pthread_mutex_lock(&own[i]); pthread_mutex_unlock(&own[i]); }
    pthread_mutex_lock(&m); n++; turns++; pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_mutex_init(&own[0], 0); pthread_mutex_init(&own[1], 0); pthread_mutex_init(&m, 0);
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
#ifdef BUG
    assert(n == 3);
#endif
}
";

/// Of the error as of the warnings 200 steps are in the report, and all with `--full`; both can be replayed, also from
/// the file of the schedule.
#[test]
fn a_report_keeps_the_steps_that_matter() {
    let tool = Tool::new("reports-kept");
    let whole = 1210..1230;
    for (name, cflags, code) in [("warned", &[][..], 0), ("wrong", &["-DBUG"][..], 42)] {
        let binary = tool.compile(name, LONG, cflags);
        let full = tool.check(&binary, &["--full"], &[]);
        assert_eq!(full.ran.code, code, "{}", full.ran.shown());
        let checked = tool.check(&binary, &[], &[]);
        assert_eq!(checked.ran.code, code, "{}", checked.ran.shown());
        assert_eq!(checked.report.findings.len(), full.report.findings.len());
        for (short, full) in { checked.report.findings.iter() }.zip(&full.report.findings) {
            assert_eq!(short.trace.len(), 200);
            assert!(whole.contains(&full.trace.len()), "{}", full.trace.len());
            assert_eq!(
                (short.steps(), full.is_whole()),
                (full.trace.len() as u64, true)
            );
            assert_eq!(short.schedule, full.schedule);
            for (step, number) in short.trace.iter().zip(short.numbers()) {
                let other = &full.trace[number as usize];
                let of =
                    |step: &dpor_report::Step| (step.thread, step.operation.clone(), step.value);
                assert_eq!((of(step), &step.object), (of(other), &other.object));
            }
        }
        let text = &checked.ran.stdout;
        let shown = rows(text).len() + left_out(text);
        let all: u64 = checked
            .report
            .findings
            .iter()
            .map(|finding| finding.steps())
            .sum();
        assert_eq!(shown as u64, all, "{text}");
        let replayed = tool.run(tool.dpor("replay").arg(&checked.json), "");
        assert_eq!(replayed.code, 42, "{}", replayed.shown());
        let file = tool.path("kept.schedule");
        let mut saving = tool.dpor("replay");
        saving.arg(&checked.json).arg("--save-schedule").arg(&file);
        assert_eq!(tool.run(&mut saving, "").code, 0);
        let again = tool.run(tool.dpor("replay").arg(&file), "");
        assert_eq!(again.code, 42, "{}", again.shown());
    }
}
