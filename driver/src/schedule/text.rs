//! The file of a schedule: a header, then one line per step of the trace.
//!
//! ```text
//! dpor schedule 1
//! finding   data-race
//! …
//! events
//! T0    thread-create  T1  -  count.c:6:5  main
//! (T1)  thread-start   …
//! ```
//!
//! A step's cells are thread, operation, object, value, place, function; then place and function of what
//! it was inlined into, innermost first; then, for steps that follow each other and are alike, `x` and how
//! many. A thread in brackets: the step comes by itself. `T1/2`: of the ways to go on, the one with this
//! number was taken. `name#K`: the object with this number in the trace. A line `left-out  N` stands for steps that
//! the report does not have.

use super::cells::{cell, cells, table};
use super::{alternatives, Schedule};
use crate::words::{quoted, split};
use dpor_abi::options::Options;
use dpor_report::Schedule as Recorded;
use dpor_report::{Access, Child, Decision, Finding, FindingKind, Place, Step};
use std::collections::BTreeMap;

/// What such a file begins with.
pub const MAGIC: &str = "dpor schedule ";

/// Lines of a header: number and text of each, by its name.
type Header = BTreeMap<String, (usize, String)>;

/// Begins the line in the place of steps that the report leaves out.
const LEFT_OUT: &str = "left-out";

/// Version of the format.
const VERSION: &str = "1";

/// Options that say nothing about the schedule.
const NOT: [&str; 11] = [
    "driver",
    "channel",
    "journal",
    "replay",
    "deaths",
    "save",
    "resume",
    "cluster",
    "progress",
    "j",
    "workers-after",
];

/// The file's text.
///
/// # Errors
/// One sentence: the finding has no readable schedule.
pub fn write(schedule: &Schedule) -> Result<String, String> {
    let finding = &schedule.finding;
    let decided = alternatives(finding);
    let recorded: Recorded = match finding.schedule.as_str() {
        "" => Recorded::default(),
        text => text.parse()?,
    };
    // Only where the steps do not tell.
    let decisions = match decided {
        Some(_) => Vec::new(),
        None => recorded.decisions.iter().map(Decision::to_string).collect(),
    };
    let threads: Vec<String> = recorded.threads.iter().map(Child::to_string).collect();
    let header = [
        ("finding", finding.kind.to_string()),
        ("message", finding.message.clone()),
        ("program", schedule.program.clone()),
        ("build", schedule.build.clone()),
        ("args", words(&schedule.args)),
        ("sources", words(&shown(&schedule.sources))),
        ("cflags", words(&schedule.cflags)),
        ("options", words(&options(&schedule.options))),
        ("threads", threads.join(" ")),
        ("further", recorded.further()),
        ("decisions", decisions.join(" ")),
    ];
    let header = header.into_iter().filter(|(_, text)| !text.is_empty());
    let mut rows: Vec<Vec<String>> = header
        .map(|(name, text)| vec![name.to_owned(), cell(&text)])
        .collect();
    for access in &finding.accesses {
        let mut row = vec!["access".to_owned(), format!("T{}", access.thread)];
        row.push(cell(&access.access));
        row.extend(places(&access.place));
        rows.push(row);
    }
    let (head, accesses): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.len() == 2);
    let events = events(finding, decided.as_deref());
    Ok(format!(
        "{MAGIC}{VERSION}\n{}{}events\n{}",
        table(&head),
        table(&accesses),
        table(&events)
    ))
}

fn words(words: &[String]) -> String {
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn shown(files: &[std::path::PathBuf]) -> Vec<String> {
    files
        .iter()
        .map(|file| file.display().to_string())
        .collect()
}

/// The options that differ from their defaults.
fn options(text: &str) -> Vec<String> {
    let defaults = Options::default().to_string();
    let defaults: Vec<&str> = defaults.split(':').collect();
    let key = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let pairs = text.split(':').filter(|pair| !pair.is_empty());
    pairs
        .filter(|pair| !defaults.contains(pair) && !NOT.contains(&key(pair).as_str()))
        .map(str::to_owned)
        .collect()
}

fn events(finding: &Finding, decided: Option<&[Option<u32>]>) -> Vec<Vec<String>> {
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    let mut rows: Vec<(Vec<String>, usize)> = Vec::new();
    for (k, step) in finding.trace.iter().enumerate() {
        let thread = match decided.map(|decided| decided[k]) {
            None | Some(Some(0)) => format!("T{}", step.thread),
            Some(None) => format!("(T{})", step.thread),
            Some(Some(alternative)) => format!("T{}/{alternative}", step.thread),
        };
        let object = match step.address {
            0 if step.object.contains('#') => format!("{}#0", step.object),
            0 => step.object.clone(),
            address => {
                let next = numbers.len() + 1;
                let number = numbers.entry(address).or_insert(next);
                format!("{}#{number}", step.object)
            }
        };
        let value = step
            .value
            .map_or(String::new(), |value| format!("= {value}"));
        let mut row = vec![thread, cell(&step.operation), cell(&object), cell(&value)];
        row.extend(places(&step.place));
        if step.left_out > 0 {
            let left_out = step.left_out.to_string();
            rows.push((vec![LEFT_OUT.to_owned(), left_out], 1));
        }
        match rows.last_mut() {
            Some((last, times)) if *last == row => *times += 1,
            _ => rows.push((row, 1)),
        }
    }
    let rows = rows.into_iter().map(|(mut row, times)| {
        if times > 1 {
            row.push(format!("x{times}"));
        }
        row
    });
    rows.collect()
}

/// Place and function, and of what it was inlined into.
fn places(place: &Place) -> Vec<String> {
    let place = place.as_recorded();
    let all = std::iter::once(&place).chain(&place.inlined_into);
    all.flat_map(|place| {
        let at = match place.file.as_str() {
            "" if place.line == 0 && place.column == 0 => String::new(),
            file => format!("{file}:{}:{}", place.line, place.column),
        };
        [cell(&at), cell(&place.function)]
    })
    .collect()
}

/// Reads a file's text.
///
/// # Errors
/// `LINE: why`.
pub fn read(text: &str) -> Result<Schedule, String> {
    let mut lines = (1..).zip(text.lines());
    let version = lines.next().map(|(_, line)| line.trim_end());
    if version.and_then(|line| line.strip_prefix(MAGIC)) != Some(VERSION) {
        return Err(format!("1: not a schedule of version {VERSION}"));
    }
    let mut header = Header::new();
    let mut accesses = Vec::new();
    for (number, line) in lines.by_ref() {
        if line.trim_end() == "events" {
            break;
        }
        let wrong = || format!("{number}: '{line}' is no line of a schedule's header");
        let row = cells(line).ok_or_else(wrong)?;
        match row.as_slice() {
            [] => {}
            [name, rest @ ..] if name == "access" => accesses.push(access(rest).ok_or_else(wrong)?),
            [name, value] => drop(header.insert(name.clone(), (number, value.clone()))),
            _ => return Err(wrong()),
        }
    }
    let mut steps = Steps::default();
    for (number, line) in lines {
        let wrong = || format!("{number}: '{line}' is no event of a schedule");
        let row = cells(line).ok_or_else(wrong)?;
        if !row.is_empty() {
            steps.read(&row).ok_or_else(wrong)?;
        }
    }
    let schedule = recorded(&header, steps.decisions)?;
    let mut take = |name: &str| header.remove(name).unwrap_or_default().1;
    let kind = take("finding");
    let kind: FindingKind = serde_json::from_value(kind.clone().into())
        .map_err(|_| format!("2: '{kind}' is no kind of finding"))?;
    Ok(Schedule {
        program: take("program"),
        build: take("build"),
        args: split(&take("args")),
        sources: split(&take("sources"))
            .into_iter()
            .map(Into::into)
            .collect(),
        cflags: split(&take("cflags")),
        options: split(&take("options")).join(":"),
        finding: Finding {
            kind,
            message: take("message"),
            object: None,
            accesses,
            trace: steps.trace,
            executions: 1,
            preemptions: 0,
            minimal: false,
            preemptions_at_least: None,
            critical_step: None,
            loop_begins: None,
            loop_decisions: None,
            mark: None,
            replay: String::new(),
            schedule: schedule.to_string(),
            details: Vec::new(),
            warning: false,
            threads: Vec::new(),
            preemptions_at: Vec::new(),
            scenario: None,
        },
    })
}

/// What the header says of the schedule, and the decisions of the steps if it has none.
fn recorded(header: &Header, decisions: Vec<Decision>) -> Result<Recorded, String> {
    // Each line is a part of a schedule's text.
    let part = |name: &str, before: &str, after: &str| -> Result<Recorded, String> {
        let (number, text) = header.get(name).cloned().unwrap_or_default();
        let text = format!("{before}{text}{after}");
        text.parse().map_err(|why| format!("{number}: {why}"))
    };
    let told = part("decisions", ";", "")?.decisions;
    Ok(Recorded {
        threads: part("threads", "", ";")?.threads,
        decisions: if told.is_empty() { decisions } else { told },
        ..part("further", ";;", "")?
    })
}

fn access(row: &[String]) -> Option<Access> {
    let [thread, access, rest @ ..] = row else {
        return None;
    };
    Some(Access {
        thread: thread.strip_prefix('T')?.parse().ok()?,
        access: access.clone(),
        place: read_places(rest)?,
        locks: Vec::new(),
        instruction: 0,
        ..Access::default()
    })
}

/// The steps that were read so far.
#[derive(Default)]
struct Steps {
    trace: Vec<Step>,
    /// The decisions of the steps that were decided.
    decisions: Vec<Decision>,
    /// Steps that are left out before the next one.
    left_out: u64,
}

impl Steps {
    fn read(&mut self, row: &[String]) -> Option<()> {
        if let [name, number] = row {
            self.left_out += number.parse::<u64>().ok().filter(|_| name == LEFT_OUT)?;
            return Some(());
        }
        let (row, times) = match row.len() % 2 {
            0 => (row, 1),
            _ => {
                let (times, row) = row.split_last()?;
                (row, times.strip_prefix('x')?.parse::<usize>().ok()?)
            }
        };
        let [thread, operation, object, value, rest @ ..] = row else {
            return None;
        };
        let bare = thread.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        let decision = bare.unwrap_or(thread).strip_prefix('T')?;
        let decision: Decision = decision.parse().ok()?;
        let numbered = object.rsplit_once('#');
        let (object, address) = match numbered {
            Some((name, number)) => (name.to_owned(), number.parse().ok()?),
            None => (object.clone(), 0),
        };
        let value = match value.strip_prefix("= ") {
            Some(value) => Some(value.parse().ok()?),
            None => value.is_empty().then_some(()).map(|()| None)?,
        };
        let step = Step {
            thread: decision.thread.into(),
            operation: operation.clone(),
            object,
            value,
            value_text: String::new(),
            fails: false,
            place: read_places(rest)?,
            address,
            order: None,
            left_out: 0,
        };
        let first = self.trace.len();
        self.trace.extend(std::iter::repeat_n(step, times));
        if let Some(first) = self.trace.get_mut(first) {
            first.left_out = std::mem::take(&mut self.left_out);
        }
        if bare.is_none() {
            self.decisions.extend(std::iter::repeat_n(decision, times));
        }
        Some(())
    }
}

fn read_places(row: &[String]) -> Option<Place> {
    let (first, outer) = row.split_at_checked(2)?;
    let mut place = read_place(first)?;
    if outer.len() % 2 == 1 {
        return None;
    }
    let outer = outer.chunks_exact(2).map(read_place);
    place.inlined_into = outer.collect::<Option<_>>()?;
    Some(place)
}

fn read_place(pair: &[String]) -> Option<Place> {
    let [at, function] = pair else {
        return None;
    };
    let mut place = Place {
        function: function.clone(),
        ..Place::default()
    };
    if !at.is_empty() {
        let mut parts = at.rsplitn(3, ':');
        place.column = parts.next()?.parse().ok()?;
        place.line = parts.next()?.parse().ok()?;
        parts.next()?.clone_into(&mut place.file);
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: u32, operation: &str, object: &str, address: u64, value: Option<u64>) -> Step {
        Step {
            thread,
            operation: operation.to_owned(),
            object: object.to_owned(),
            value,
            value_text: String::new(),
            fails: false,
            place: Place {
                file: "a b:c.c".to_owned(),
                line: 3,
                column: 7,
                function: "f(int, char  const*)".to_owned(),
                inlined_into: vec![Place::default()],
                ..Place::default()
            },
            address,
            order: None,
            left_out: 0,
        }
    }

    fn schedule() -> Schedule {
        let lock = || step(1, "lock", "heap block of 8 bytes", 1, None);
        Schedule {
            program: "./a b".to_owned(),
            args: vec!["it's".to_owned(), String::new()],
            sources: vec!["x y.c".into()],
            cflags: vec!["-DX=a b".to_owned()],
            options: "plain=explore:clock=1.2".to_owned(),
            build: "crc32:00000001".to_owned(),
            finding: Finding {
                kind: FindingKind::DataRace,
                message: "two  blanks".to_owned(),
                object: None,
                accesses: vec![Access {
                    thread: 1,
                    access: "atomic read".to_owned(),
                    place: lock().place,
                    locks: Vec::new(),
                    instruction: 0,
                    ..Access::default()
                }],
                trace: vec![
                    step(0, "thread-create", "T1", 0, None),
                    step(1, "thread-start", "", 0, None),
                    lock(),
                    lock(),
                    step(1, "choose", "a#1", 0, Some(2)),
                    step(0, "atomic-load", "x", 2, Some(u64::MAX)),
                ],
                executions: 1,
                preemptions: 0,
                minimal: false,
                preemptions_at_least: None,
                critical_step: None,
                loop_begins: None,
                loop_decisions: None,
                mark: None,
                replay: String::new(),
                schedule: "0.0; 0 1 1 1/2 0; calls 1; dies 1.2.3".to_owned(),
                details: Vec::new(),
                warning: false,
                threads: Vec::new(),
                preemptions_at: Vec::new(),
                scenario: None,
            },
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let schedule = schedule();
        let text = write(&schedule).unwrap();
        assert_eq!(read(&text), Ok(schedule), "{text}");
        assert_eq!(
            text.lines()
                .filter(|line| line.contains("  lock  "))
                .count(),
            1,
            "{text}"
        );
        assert!(text.contains("\n(T1)"), "{text}");
        assert!(text.contains("\nT1/2 "), "{text}");
    }

    #[test]
    fn decisions_that_the_steps_do_not_tell_are_a_line() {
        let mut schedule = schedule();
        // One fewer than there are steps that must be decided.
        schedule.finding.schedule = "0.0; 0 1 1 1/2".to_owned();
        let text = write(&schedule).unwrap();
        assert!(text.contains("\ndecisions  0 1 1 1/2\n"), "{text}");
        assert_eq!(read(&text), Ok(schedule), "{text}");
    }

    #[test]
    fn errors_name_the_line() {
        let check = |text: &str, expect: &str| assert_eq!(read(text).unwrap_err(), expect);
        check("dpor schedule 2\n", "1: not a schedule of version 1");
        check(
            "dpor schedule 1\nfinding  x\nevents\n",
            "2: 'x' is no kind of finding",
        );
        check(
            "dpor schedule 1\nfinding  crash\nevents\nT1  lock\n",
            "4: 'T1  lock' is no event of a schedule",
        );
        check(
            "dpor schedule 1\nfinding  crash\nthreads  0\nevents\n",
            "3: '0' is no thread of a schedule: CREATOR.NUMBER",
        );
    }
}
