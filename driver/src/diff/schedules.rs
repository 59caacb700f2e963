//! Two traces side by side, aligned where they do the same.
//!
//! **Source**: longest common subsequence by dynamic programming, Wagner and Fischer, "The
//! String-to-String Correction Problem", J. ACM 1974.

use crate::report::names_of_threads::name;
use dpor_report::{text, Finding, Step, Thread};

/// The trace of an execution, as it is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule<'a> {
    /// The events of the trace.
    pub steps: &'a [Step],
    /// The threads in it.
    pub threads: &'a [Thread],
    /// The schedule in the words of the runtime; empty if it was not kept.
    pub words: &'a str,
}

impl<'a> From<&'a Finding> for Schedule<'a> {
    fn from(finding: &'a Finding) -> Schedule<'a> {
        Schedule {
            steps: &finding.trace,
            threads: &finding.threads,
            words: &finding.schedule,
        }
    }
}

/// A row of two traces side by side: the step of either, or of both where they are the same.
pub type Row<'a> = (Option<&'a Step>, Option<&'a Step>);

/// Longest trace that is aligned (chosen: the table then has a million cells).
const STEPS_MAX: usize = 1000;

/// Traces that are tried to find the most similar one.
const TRIED_MAX: usize = 10;

/// Rows that are shown; the rest of longer ones is left out.
const ROWS_MAX: usize = 100;

/// The source line of a step of a side (0 or 1), so that the same line is equal on both.
pub type Where<'a> = dyn Fn(usize, &Step) -> (String, u32) + 'a;

/// The source line as it was recorded.
pub fn as_recorded(_side: usize, step: &Step) -> (String, u32) {
    (step.place.file.clone(), step.place.line)
}

/// The trace of the other side that is most similar to this one of side `own`.
pub fn most_similar<'a>(
    trace: &[Step],
    own: usize,
    others: impl Iterator<Item = Schedule<'a>>,
    place: &Where<'_>,
) -> Option<Schedule<'a>> {
    let score = |other: &Schedule<'_>| {
        let rows = match own {
            0 => align(trace, other.steps, place),
            _ => align(other.steps, trace, place),
        };
        let common = rows.iter().filter(|row| row.0.is_some() && row.1.is_some());
        // Of those that have as much in common, the first that has least besides.
        (common.count(), std::cmp::Reverse(rows.len()))
    };
    let mut best = None;
    for other in others.take(TRIED_MAX) {
        let score = score(&other);
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, other));
        }
    }
    best.map(|(_, other)| other)
}

/// The two traces, in rows; two steps are the same by thread, operation and source line. *Cost*: O(product of their
/// lengths).
pub fn align<'a>(left: &'a [Step], right: &'a [Step], place: &Where<'_>) -> Vec<Row<'a>> {
    let left = &left[..left.len().min(STEPS_MAX)];
    let right = &right[..right.len().min(STEPS_MAX)];
    let keys = [left, right].map(|steps| steps.iter());
    let mut side = 0..;
    let keys = keys.map(|steps| {
        let side = side.next().unwrap_or(0);
        let key = |step: &'a Step| (step.thread, step.operation.as_str(), place(side, step));
        steps.map(key).collect::<Vec<_>>()
    });
    let is_same = |i: usize, j: usize| keys[0][i] == keys[1][j];
    let width = right.len() + 1;
    // common[i * width + j]: length of the longest common subsequence of left[i..] and right[j..].
    let mut common = vec![0u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            common[i * width + j] = match is_same(i, j) {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut rows = Vec::new();
    while i < left.len() || j < right.len() {
        if i < left.len() && j < right.len() && is_same(i, j) {
            rows.push((Some(&left[i]), Some(&right[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == right.len()
            || (i < left.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            rows.push((Some(&left[i]), None));
            i += 1;
        } else {
            rows.push((None, Some(&right[j])));
            j += 1;
        }
    }
    rows
}

/// Where two traces part: the first step of either that the other does not have.
pub fn parting<'a>(rows: &[Row<'a>]) -> [Option<&'a Step>; 2] {
    let left = rows.iter().find(|row| row.1.is_none());
    let right = rows.iter().find(|row| row.0.is_none());
    [left.and_then(|row| row.0), right.and_then(|row| row.1)]
}

/// The rows as text, `heads` above them, threads by name; each line ends with a newline.
pub fn columns(rows: &[Row<'_>], threads: &[Vec<Thread>; 2], heads: [&str; 2]) -> String {
    let [left, right] = threads;
    let width = |step: Option<&Step>, threads: &[Thread]| {
        step.map_or(0, |step| name(threads, step.thread).chars().count())
    };
    let shown = || rows.iter().take(ROWS_MAX);
    let left_width = shown().map(|row| width(row.0, left)).max().unwrap_or(0);
    let right_width = shown().map(|row| width(row.1, right)).max().unwrap_or(0);
    let cell = |step: Option<&Step>, threads: &[Thread], width: usize| {
        step.map_or(String::new(), |step| {
            let who = name(threads, step.thread);
            format!("{who:width$}  {}", text::operation_at(step))
        })
    };
    let cells: Vec<(String, char, String)> = rows
        .iter()
        .take(ROWS_MAX)
        .map(|&(one, other)| {
            let sign = match (one, other) {
                (Some(_), None) => '<',
                (None, Some(_)) => '>',
                _ => '|',
            };
            (
                cell(one, left, left_width),
                sign,
                cell(other, right, right_width),
            )
        })
        .collect();
    let lengths = cells.iter().map(|(left, ..)| left.chars().count());
    let width = lengths.chain([heads[0].len()]).max().unwrap_or(0);
    let line = |left: &str, sign: char, right: &str| {
        let line = format!("    {left:width$}  {sign}  {right}");
        line.trim_end().to_owned() + "\n"
    };
    let mut shown = line(heads[0], '|', heads[1]);
    for (left, sign, right) in &cells {
        shown += &line(left, *sign, right);
    }
    if rows.len() > ROWS_MAX {
        let rest = text::counted((rows.len() - ROWS_MAX) as u64, "more row");
        shown += &format!("    … {rest}\n");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::Place;

    /// A step of thread 0 for each letter, at the line with its number.
    fn trace(letters: &str) -> Vec<Step> {
        let step = |letter: u8| Step {
            thread: 0,
            operation: "lock".to_owned(),
            object: "m".to_owned(),
            value: None,
            value_text: String::new(),
            place: Place {
                file: "x.c".to_owned(),
                line: u32::from(letter),
                ..Place::default()
            },
            ..Step::default()
        };
        letters.bytes().map(step).collect()
    }

    /// The rows as pairs of letters, `.` for none.
    fn aligned(left: &str, right: &str) -> String {
        let (left, right) = (trace(left), trace(right));
        let letter = |step: Option<&Step>| step.map_or('.', |step| step.place.line as u8 as char);
        let rows = align(&left, &right, &as_recorded);
        let pairs = rows
            .iter()
            .map(|&(l, r)| format!("{}{}", letter(l), letter(r)));
        pairs.collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn rows() {
        assert_eq!(aligned("abc", "abc"), "aa bb cc");
        assert_eq!(aligned("abc", "ac"), "aa b. cc");
        assert_eq!(aligned("ac", "abc"), "aa .b cc");
        assert_eq!(aligned("ab", "cd"), "a. b. .c .d");
        assert_eq!(aligned("", "a"), ".a");
        assert_eq!(aligned("", ""), "");
    }

    #[test]
    fn where_traces_part() {
        let check = |left: &str, right: &str, expect: [Option<u8>; 2]| {
            let (left, right) = (trace(left), trace(right));
            let rows = align(&left, &right, &as_recorded);
            let lines = parting(&rows).map(|step| step.map(|step| step.place.line as u8));
            assert_eq!(lines, expect);
        };
        check("abc", "abc", [None, None]);
        check("abxc", "aybc", [Some(b'x'), Some(b'y')]);
        check("ab", "a", [Some(b'b'), None]);
    }

    #[test]
    fn the_most_similar() {
        let others = ["xyz", "abxcd", "abd", "ab"].map(trace);
        let own = trace("abcd");
        let schedule = |steps| Schedule {
            steps,
            threads: &[],
            words: "",
        };
        let found = others.iter().map(|steps| schedule(steps));
        let found = most_similar(&own, 0, found, &as_recorded);
        assert_eq!(found, Some(schedule(&others[1])));
        let found = most_similar(&own, 1, std::iter::empty(), &as_recorded);
        assert_eq!(found, None);
    }

    #[test]
    fn two_columns() {
        let (left, right) = (trace("AB"), trace("B"));
        let rows = align(&left, &right, &as_recorded);
        let shown = |threads| columns(&rows, &threads, ["-O0", "-O2"]);
        let expect = "    \
            -O0                  |  -O2\n    \
            T0  locks m  x.c:65  <\n    \
            T0  locks m  x.c:66  |  T0  locks m  x.c:66\n";
        assert_eq!(shown([vec![], vec![]]), expect);
        let thread = Thread {
            function: "main".to_owned(),
            ..Thread::default()
        };
        let expect = "    \
            -O0                  |  -O2\n    \
            T0  locks m  x.c:65  <\n    \
            T0  locks m  x.c:66  |  T0 (main)  locks m  x.c:66\n";
        assert_eq!(shown([vec![], vec![thread]]), expect);
    }
}
