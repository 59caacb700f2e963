use super::*;
use dpor_report::{Place, Step, Thread};

fn step(thread: u32, operation: &str, object: &str, value: Option<u64>, line: u32) -> Step {
    Step {
        thread,
        operation: operation.to_owned(),
        object: object.to_owned(),
        value,
        value_text: String::new(),
        place: Place {
            file: "src/x.c".to_owned(),
            line,
            ..Place::default()
        },
        ..Step::default()
    }
}

fn finding(functions: &[&str], trace: Vec<Step>) -> Finding {
    let status = std::os::unix::process::ExitStatusExt::from_raw(6);
    let mut finding = crate::report::plain::finding(status).expect("a finding");
    finding.threads = (0..)
        .zip(functions)
        .map(|(thread, function)| Thread {
            thread,
            function: (*function).to_owned(),
            start: 0,
        })
        .collect();
    finding.trace = trace;
    finding
}

fn three() -> Finding {
    let mut finding = finding(
        &["main", "add", "add"],
        vec![
            step(0, "thread-create", "T1", None, 30),
            step(0, "thread-create", "T2", None, 31),
            step(2, "atomic-load", "x", Some(0), 9),
            step(1, "atomic-store", "x", Some(1), 8),
            step(1, "exit", "", None, 0),
        ],
    );
    finding.trace[4].place = Place::default();
    finding.preemptions_at = vec![3];
    finding
}

/// The lines of a table without colours.
fn check(finding: &Finding, most: usize, expect: &str) {
    let shown = trace(finding, false, most, false);
    assert_eq!(shown, expect);
    assert!(
        shown.lines().all(|line| fit::width(line) <= most),
        "{shown}"
    );
}

#[test]
fn a_column_per_thread() {
    // Widest of the columns: "T0 (main)" (9), "ends the process" (16), "T2 (add, 2nd)" (13).
    let expect = "\
trace (5 events):
      T0 (main)   T1 (add, 1st)      T2 (add, 2nd)
  1   starts T1                                    x.c:30
  2   starts T2                                    x.c:31
  3                                > reads x: 0    x.c:9
  4             ! writes x: 1                      x.c:8
  5               ends the process
  ! preemption: the thread before could have gone on
";
    check(&three(), 80, expect);
}

#[test]
fn a_loop_has_a_line_at_each_end() {
    let mut finding = three();
    finding.loop_begins = Some(3);
    let expect = "\
trace (5 events):
      T0 (main)   T1 (add, 1st)      T2 (add, 2nd)
  1   starts T1                                    x.c:30
  2   starts T2                                    x.c:31
  3                                > reads x: 0    x.c:9
  the loop begins here:
  4             ! writes x: 1                      x.c:8
  5               ends the process
  and again from step 4, for ever
  ! preemption: the thread before could have gone on
";
    check(&finding, 80, expect);
    // As a list, and from the first step on.
    finding.loop_begins = Some(0);
    let list = trace(&finding, false, 38, false);
    let lines: Vec<&str> = list.lines().collect();
    let at = |text: &str| lines.iter().position(|line| *line == text);
    let begin = at("  the loop begins here:").expect("it is there");
    assert!(lines[begin + 1].trim_start().starts_with("1 "), "{list}");
    let end = at("  and again from step 1, for ever").expect("it is there");
    assert!(lines[end - 1].trim_start().starts_with("5 "), "{list}");
}

/// Steps that are left out may be on both sides of where the loop begins.
#[test]
fn a_loop_may_begin_where_steps_are_left_out() {
    let mut finding = three();
    finding.loop_begins = Some(2);
    let mut shown = [true, false, false, false, true];
    let rows = row::rows(&finding, &mut shown, false);
    let line = |row: &Row<'_>| format!("{}\n", row.number + 1);
    let lines = with_gaps(&finding, &rows, Styles::new(false), line);
    let gap = |steps: u64| text::gap(steps).trim_end().to_owned();
    let expect = [
        "1",
        &gap(1),
        "  the loop begins here:",
        &gap(2),
        "5",
        "  and again from step 3, for ever",
    ];
    assert_eq!(lines.lines().collect::<Vec<_>>(), expect);
}

#[test]
fn the_critical_switch_is_marked() {
    let mut finding = three();
    finding.preemptions_at = Vec::new();
    finding.critical_step = Some(3);
    let shown = trace(&finding, false, 80, false);
    let marked: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("* "))
        .collect();
    assert_eq!(marked.len(), 1, "{shown}");
    assert!(marked[0].contains("4             > writes x: 1"), "{shown}");
    assert!(shown.contains("\n  * critical switch: "), "{shown}");
    // It is shown also where it would not be among those that matter.
    let mut long = finding.clone();
    long.trace.extend(vec![step(1, "yield", "", None, 3); 60]);
    long.critical_step = Some(40);
    let shown = trace(&long, false, 80, false);
    assert!(shown.contains("\n* 41 "), "{shown}");
    long.critical_step = None;
    assert!(!trace(&long, false, 80, false).contains(" 41 "));
}

#[test]
fn steps_go_on_below_the_heads_to_their_right() {
    // Five threads in 80 columns: without room for what each needs.
    let functions = ["main", "producer", "producer", "consumer", "consumer"];
    let load = |thread: u32| step(thread, "atomic-load", "queue.head", Some(0), 9);
    let finding = finding(
        &functions,
        vec![load(0), load(1), load(2), load(3), load(4)],
    );
    // The line with the names up to the comma after T3's is 81 wide.
    let names =
        "\n  threads: T0 (main), T1 (producer, 1st), T2 (producer, 2nd), T3 (consumer,\n    \
                 1st), T4 (consumer, 2nd)\n";
    let shown = trace(&finding, false, 80, false);
    assert!(shown.lines().all(|line| fit::width(line) <= 80), "{shown}");
    let starts = |line: &str| line.find("reads queue");
    let columns: Vec<usize> = shown.lines().filter_map(starts).collect();
    assert_eq!(columns.len(), 5, "{shown}");
    assert!(columns.is_sorted_by(|one, next| one < next), "{shown}");
    assert_eq!(shown.matches("reads queue.head: 0").count(), 5, "{shown}");
    assert!(shown.contains(names), "{shown}");
    // With room for it, it is a table whose heads are the names.
    let wide = trace(&finding, false, 200, false);
    assert!(
        wide.lines()
            .nth(1)
            .is_some_and(|head| head.contains("T4 (consumer, 2nd)")),
        "{wide}"
    );
}

#[test]
fn names_are_shortened_and_values_are_not() {
    let name = format!("accounts[{}].balance", "1".repeat(80));
    let finding = finding(
        &["main", "add"],
        vec![
            step(0, "thread-create", "T1", None, 3),
            step(1, "atomic-store", &name, Some(u64::MAX), 9),
        ],
    );
    let shown = trace(&finding, false, 80, false);
    assert!(shown.lines().all(|line| fit::width(line) <= 80), "{shown}");
    assert!(shown.contains("writes accounts"), "{shown}");
    assert!(shown.contains("balance: 18446744073709551615"), "{shown}");
    assert!(shown.contains('…'), "{shown}");
}

#[test]
fn what_would_look_alike_is_a_list() {
    let name = |middle: &str| format!("{}{middle}{}", "a".repeat(60), "b".repeat(60));
    let load = |thread: u32, middle: &str| step(thread, "atomic-load", &name(middle), None, 9);
    let finding = finding(&["main", "add"], vec![load(0, "x"), load(1, "y")]);
    let shown = trace(&finding, false, 80, false);
    assert!(shown.lines().all(|line| fit::width(line) <= 80), "{shown}");
    assert!(!shown.contains('…'), "{shown}");
    // Nothing is lost where lines were broken.
    let whole: String = shown.split_whitespace().collect();
    for middle in ["x", "y"] {
        assert!(whole.contains(&name(middle)), "{shown}");
    }
    assert!(
        shown.contains("\n  threads: T0 (main), T1 (add)\n"),
        "{shown}"
    );
}

#[test]
fn too_many_threads_are_a_list() {
    let names: Vec<String> = (0..40).map(|number| format!("f{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let load = |thread: u32| step(thread, "atomic-load", "x", Some(0), 9);
    let mut finding = finding(&names, (0..20).map(load).collect());
    finding.preemptions_at = vec![2];
    let shown = trace(&finding, false, 80, false);
    assert!(shown.lines().all(|line| fit::width(line) <= 80), "{shown}");
    assert!(
        shown.contains("\n   1   T0   reads x: 0  x.c:9\n"),
        "{shown}"
    );
    assert!(
        shown.contains("\n   2 > T1   reads x: 0  x.c:9\n"),
        "{shown}"
    );
    assert!(
        shown.contains("\n   3 ! T2   reads x: 0  x.c:9\n"),
        "{shown}"
    );
}

#[test]
fn what_is_left_out_is_said() {
    let mut trace_of = vec![step(0, "thread-create", "T1", None, 3)];
    trace_of.extend(vec![step(0, "lock", "own", None, 5); 60]);
    trace_of.push(step(1, "exit", "", None, 7));
    let finding = finding(&["main", "add"], trace_of);
    let expect = "\
trace (62 events, 60 left out; --full shows them):
       T0 (main)   T1 (add)
   1   starts T1                    x.c:3
  … 60 events
  62             > ends the process x.c:7
";
    check(&finding, 80, expect);
    assert_eq!(trace(&finding, true, 80, false).lines().count(), 64);
}

#[test]
fn colours_are_for_terminals() {
    let mut finding = three();
    finding.critical_step = Some(3);
    let plain = trace(&finding, false, 80, false);
    assert!(!plain.contains('\u{1b}'));
    let styled = trace(&finding, false, 80, true);
    assert!(styled.contains("\u{1b}[1m"), "{styled:?}");
    // Without the colours it is the same text.
    let mut bare = String::new();
    let mut rest = styled.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare += before;
        rest = after.split_once('m').expect("the end of a colour").1;
    }
    assert_eq!(bare + rest, plain);
}
