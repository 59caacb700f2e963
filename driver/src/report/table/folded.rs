//! What C++'s library does to objects of its own, in one row: the counts of a `std::shared_ptr`, the state of a
//! `std::future`.
//!
//! ```text
//!   updates *this: 2 (acq_rel)      pool.cc:43  ┐
//!   updates *this: 3 (acq_rel)      pool.cc:43  ├─►  … 3 accesses inside std::shared_ptr  pool.cc:43
//!   updates task[…]: 2 (acq_rel)    pool.cc:43  ┘
//! ```
//!
//! Such an object has no name of the user's, and what the library does to it the user did not write. Folded are only
//! successive atomic accesses of one thread in one line, by calls of functions of one class; nothing that the finding is
//! about, nor where a thread comes to run against the will of another.

use crate::report::moments::Moment;
use dpor_report::{text, Finding, Frame, Step};
use std::ops::Range;

/// Steps that have one row.
#[derive(Debug, PartialEq, Eq)]
pub struct Fold {
    /// Their numbers in the trace.
    pub steps: Range<usize>,
    /// What is in the row.
    pub words: String,
}

/// All of a finding, of which these are the moments.
pub fn folds(finding: &Finding, moments: &[Moment<'_>]) -> Vec<Fold> {
    let is_apart = |moment: &Moment<'_>| {
        let at = moment.at as u64;
        let is_special = finding.preemptions_at.contains(&at)
            || [finding.critical_step, finding.loop_begins].contains(&Some(at));
        moment.is_marked || !moment.note.is_empty() || is_special
    };
    let class = |moment: &Moment<'_>| match moment.is_step && !is_apart(moment) {
        true => inside(&moment.step),
        false => None,
    };
    let all: Vec<(&Moment<'_>, Option<String>)> = moments
        .iter()
        .map(|moment| (moment, class(moment)))
        .collect();
    let runs = all.chunk_by(|(one, before), (other, after)| {
        let line = |step: &Step| {
            let own = step.place.stack.iter().any(|frame| !frame.library);
            let own = own.then(|| (step.place.line, step.place.file.clone()));
            (step.thread, own)
        };
        let is_next = other.step.left_out == 0;
        is_next && before.is_some() && before == after && line(&one.step) == line(&other.step)
    });
    let folds = runs.filter_map(|run| {
        let [(first, Some(class)), ..] = run else {
            return None;
        };
        let accesses = match run.len() {
            1 => "1 access".to_owned(),
            several => format!("{} accesses", text::grouped(several as u64)),
        };
        Some(Fold {
            steps: first.at..first.at + run.len(),
            words: format!("… {accesses} inside {class}"),
        })
    });
    folds.collect()
}

/// The class of the library inside of which a step is, as the user calls it; `None` if the step is no such access.
fn inside(step: &Step) -> Option<String> {
    let is_access =
        ["atomic-load", "atomic-store", "atomic-rmw"].contains(&step.operation.as_str());
    let stack = &step.place.stack;
    let called = match stack.iter().position(|frame| !frame.library) {
        Some(user) => stack[..user].last().filter(|frame| is_of_library(frame))?,
        // A thread that ends gives up what it was started with.
        None => stack.iter().rfind(|frame| is_of_library(frame))?,
    };
    let is_unnamed = is_access && is_unnamed(&step.object);
    let class = is_unnamed.then(|| class(&called.function))?;
    let is_own = |class: &str| SYNCHRONIZING.iter().any(|part| class.contains(part));
    (!is_own(&class)).then_some(class)
}

/// Parts of the names of classes whose accesses are the user's own business, whatever the object is called.
const SYNCHRONIZING: [&str; 8] = [
    "atomic",
    "mutex",
    "lock",
    "semaphore",
    "latch",
    "barrier",
    "condition_variable",
    "once",
];

fn is_of_library(frame: &Frame) -> bool {
    frame.file.contains("/c++/")
}

/// Whether an object has a name by which its user knows it: not that of a member function's own object, or of something
/// inside of another.
fn is_unnamed(name: &str) -> bool {
    let own = name.trim_start_matches('*').strip_prefix("this");
    let is_this =
        own.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    name.is_empty() || is_this || name.contains("[…]") || name.starts_with("heap block of ")
}

/// `std::shared_ptr` of `std::__shared_ptr<…>::reset`; of a function that is no member, its own name.
fn class(function: &str) -> String {
    let bare: String = without_arguments(function);
    let parts: Vec<&str> = bare.split("::").collect();
    // `std::thread` of `std::thread::_State_impl<…>::~_State_impl`.
    let end = parts.iter().skip(2).position(|part| part.starts_with('_'));
    let parts = match end {
        Some(end) => [&parts[..end + 2], &parts[parts.len() - 1..]].concat(),
        None => parts,
    };
    let member = match parts[..] {
        ["std", _] | [_] => parts.len(),
        _ => parts.len() - 1,
    };
    let names = parts[..member].iter().map(|part| {
        let part = part.trim_start_matches("__");
        part.strip_prefix("basic_").unwrap_or(part)
    });
    names.collect::<Vec<&str>>().join("::")
}

/// The name without arguments of templates and functions, and what is behind them.
fn without_arguments(name: &str) -> String {
    let (mut depth, mut bare) = (0_u32, String::new());
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            other if depth == 0 => bare.push(other),
            _ => {}
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::moments::moments;
    use dpor_report::Place;

    #[test]
    fn classes() {
        let check = |function: &str, expect: &str| assert_eq!(class(function), expect);
        check("std::shared_ptr<…>::shared_ptr", "std::shared_ptr");
        check("std::__shared_ptr<int, (x)2>::reset()", "std::shared_ptr");
        check("std::__basic_future<int>::wait() const", "std::future");
        check("std::make_shared<…>", "std::make_shared");
        check(
            "std::function<void ()>::operator()() const",
            "std::function",
        );
        check("std::thread::_State_impl<…>::~_State_impl", "std::thread");
        check("f", "f");
    }

    #[test]
    fn names_that_say_nothing() {
        let check = |name: &str, expect: bool| assert_eq!(is_unnamed(name), expect, "{name}");
        check("*this", true);
        check("this[0]", true);
        check("this->count", true);
        check("task[…]", true);
        check("heap block of 24 bytes", true);
        check("", true);
        check("thistle", false);
        check("pool.stopping_", false);
    }

    fn step(thread: u32, object: &str, line: u32, called: &str) -> Step {
        let frame = |file: &str, function: &str, library| Frame {
            file: file.to_owned(),
            function: function.to_owned(),
            library,
            ..Frame::default()
        };
        Step {
            thread,
            operation: "atomic-rmw".to_owned(),
            object: object.to_owned(),
            place: Place {
                file: "x.cc".to_owned(),
                line,
                stack: vec![
                    frame("/usr/include/c++/12/bits/x.h", "inner", true),
                    frame("/usr/include/c++/12/memory", called, true),
                    frame("x.cc", "f", false),
                ],
                ..Place::default()
            },
            ..Step::default()
        }
    }

    const POINTER: &str = "std::shared_ptr<…>::shared_ptr";

    #[test]
    fn successive_accesses_of_one_line_are_folded() {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        let mut finding = crate::report::plain::finding(status).expect("a finding");
        finding.trace = vec![
            step(0, "*this", 3, POINTER),
            step(0, "this[0]", 3, POINTER),
            step(0, "this[0]", 4, POINTER),
            step(1, "this[0]", 4, POINTER),
            step(1, "pointer", 4, POINTER),
            step(1, "*this", 4, "std::atomic<int>::fetch_add"),
            step(1, "*this", 4, "std::future<int>::get"),
            step(1, "*this", 4, "std::future<int>::get"),
        ];
        let all = |finding: &Finding| -> Vec<(Range<usize>, String)> {
            let folds = folds(finding, &moments(finding)).into_iter();
            folds.map(|fold| (fold.steps, fold.words)).collect()
        };
        let one = |at: usize| (at..at + 1, "… 1 access inside std::shared_ptr".to_owned());
        let two = |at: usize, class: &str| (at..at + 2, format!("… 2 accesses inside {class}"));
        let expect = [
            two(0, "std::shared_ptr"),
            one(2),
            one(3),
            two(6, "std::future"),
        ];
        assert_eq!(all(&finding), expect);
        // The end of a thread is in no line of the user's.
        finding.trace = vec![step(1, "*this", 3, POINTER), step(1, "*this", 5, POINTER)];
        for step in &mut finding.trace {
            step.place.stack[1].function = "std::thread::_State_impl<…>::~_State_impl".to_owned();
            step.place.stack.truncate(2);
        }
        assert_eq!(all(&finding), [two(0, "std::thread")]);
        finding.trace = vec![
            step(0, "*this", 3, POINTER),
            step(0, "this[0]", 3, POINTER),
            step(0, "this[0]", 4, POINTER),
        ];
        // A critical switch has a row of its own.
        finding.critical_step = Some(1);
        assert_eq!(all(&finding)[..2], [one(0), one(2)]);
    }
}
