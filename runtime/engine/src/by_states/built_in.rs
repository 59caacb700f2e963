//! Propositions that no program states: formulas and automata may speak of them all the same.
//!
//! | name | holds at a state where |
//! |---|---|
//! | `ended(T1)`, `ended(main)` | the last thread of this number has ended; of thread 0, also where it waits for the process to end |
//! | `enabled(T1)` | the thread can make a step |
//! | `in(function, T1)` | the operation before which the thread stands is written in the function, or in one that the compiler inlined there |
//! | `deadlock` | no thread can make a step, and some have not ended |
//!
//! They change with steps that touch nothing of which others know: who takes a lock makes another thread wait, and what a
//! thread does behind a join may be a part of a step of the thread that ended. So steps that are independent need not be
//! so for them, and formulas that speak of them are asked of the whole graph.

use crate::sites::place;
use dpor_explorer::states::{ByStates, Driven};
use dpor_explorer::End;
use dpor_ltl::PROPOSITIONS_MAX;
use dpor_model::{Kind, ThreadId, THREADS_MAX};
use std::cell::RefCell;

/// A proposition that no program states.
#[derive(Clone, PartialEq, Eq, Debug)]
enum BuiltIn {
    Ended(ThreadId),
    Enabled(ThreadId),
    In(String, ThreadId),
    Deadlock,
}

/// What there is, in the words of a message.
pub(super) const KNOWN: &str =
    "built in are ended(main), ended(T1), enabled(T1), in(function, T1), deadlock";

/// Those of which questions speak, with their names. They have the highest numbers, from 63 downwards.
#[derive(Default)]
pub(super) struct BuiltIns(RefCell<Vec<(String, BuiltIn)>>);

/// `T1`, or `main` for `T0`.
fn thread(name: &str) -> Option<ThreadId> {
    let number = match name {
        "main" => 0,
        _ => name.strip_prefix('T')?.parse().ok()?,
    };
    (usize::from(number) < THREADS_MAX).then_some(ThreadId(number))
}

fn parsed(name: &str) -> Option<BuiltIn> {
    if name == "deadlock" {
        return Some(BuiltIn::Deadlock);
    }
    let (what, arguments) = name.strip_suffix(')')?.split_once('(')?;
    match what {
        "ended" => thread(arguments).map(BuiltIn::Ended),
        "enabled" => thread(arguments).map(BuiltIn::Enabled),
        "in" => {
            let (function, of) = arguments.rsplit_once(',')?;
            let is_named = !function.is_empty();
            let of = thread(of).filter(|_| is_named)?;
            Some(BuiltIn::In(function.to_owned(), of))
        }
        _ => None,
    }
}

impl BuiltIns {
    /// The number of the one of this name, where the program states so many propositions and invariants; `None` if there
    /// is none of that name.
    pub fn number(&self, name: &str, stated: usize) -> Option<u32> {
        let meant = parsed(name)?;
        let mut all = self.0.borrow_mut();
        let known = all.iter().position(|(_, known)| *known == meant);
        let place = known.unwrap_or_else(|| {
            all.push((name.to_owned(), meant));
            all.len() - 1
        });
        let fits = stated + all.len() <= PROPOSITIONS_MAX as usize;
        Some(match fits {
            true => bit(place),
            false => PROPOSITIONS_MAX,
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// The numbers of all, a bit each.
    pub fn bits(&self) -> u64 {
        let count = self.0.borrow().len();
        (0..count).fold(0, |bits, place| bits | 1 << bit(place))
    }

    /// Those that hold where the program stands, a bit each.
    pub fn valuation<D: Driven>(&self, at: &mut ByStates<D>) -> u64 {
        let all = self.0.borrow();
        let holding = all.iter().enumerate().filter(|(_, (_, one))| one.holds(at));
        holding.fold(0, |bits, (place, _)| bits | 1 << bit(place))
    }

    /// The names of those that hold by a valuation.
    pub fn named(&self, valuation: u64) -> Vec<String> {
        let all = self.0.borrow();
        let holding = all.iter().enumerate();
        let holding = holding.filter(|(place, _)| valuation >> bit(*place) & 1 == 1);
        holding.map(|(_, (name, _))| name.clone()).collect()
    }

    /// Sentences about those that should hold somewhere and are in none of the valuations of which these are all bits:
    /// their names may be wrong.
    pub fn never(&self, bits: u64) -> Vec<String> {
        let all = self.0.borrow();
        let named = all.iter().enumerate().filter(|(place, (_, one))| {
            let is_somewhere = matches!(one, BuiltIn::In(..) | BuiltIn::Enabled(_));
            is_somewhere && bits >> bit(*place) & 1 == 0
        });
        named
            .map(|(_, (name, _))| {
                format!("{name} holds at no state: is there such a thread or function?")
            })
            .collect()
    }
}

fn bit(place: usize) -> u32 {
    PROPOSITIONS_MAX - 1 - place as u32
}

impl BuiltIn {
    fn holds<D: Driven>(&self, at: &mut ByStates<D>) -> bool {
        match self {
            BuiltIn::Deadlock => matches!(at.end(), Some(End::Deadlock(_))),
            BuiltIn::Enabled(thread) => at.is_enabled(*thread),
            BuiltIn::Ended(thread) => {
                let trace = at.trace();
                match trace.pending(*thread) {
                    Some(operation) => operation.kind == Kind::ProcessEnd,
                    // It has begun, or it is thread 0, which may have done nothing.
                    None => *thread == ThreadId::MAIN || trace.last_event(*thread).is_some(),
                }
            }
            BuiltIn::In(function, thread) => {
                // A thread that has not begun stands where it is created.
                let is_begun = |kind| kind != Kind::Start;
                let trace = at.trace();
                let operation = trace.pending(*thread);
                operation.is_some_and(|operation| {
                    let at = place(operation.site);
                    let mut all = std::iter::once(&at).chain(&at.inlined_into);
                    is_begun(operation.kind) && all.any(|place| is_named(&place.function, function))
                })
            }
        }
    }
}

/// Whether a function has this name, which is without white space.
fn is_named(function: &str, name: &str) -> bool {
    let written = function.chars().filter(|c| !c.is_whitespace());
    written.eq(name.chars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood() {
        let one = ThreadId(1);
        assert_eq!(parsed("ended(main)"), Some(BuiltIn::Ended(ThreadId::MAIN)));
        assert_eq!(parsed("enabled(T1)"), Some(BuiltIn::Enabled(one)));
        let within = |function: &str| Some(BuiltIn::In(function.to_owned(), one));
        assert_eq!(parsed("in(work,T1)"), within("work"));
        assert_eq!(parsed("in(of<int,long>,T1)"), within("of<int,long>"));
        assert_eq!(parsed("deadlock"), Some(BuiltIn::Deadlock));
        let none = [
            "ended",
            "ended()",
            "ended(T)",
            "ended(1)",
            "ended(T-1)",
            "ended(T9999)",
            "in(work)",
            "in(,T1)",
            "failed",
            "deadlock()",
            "inside",
            "in(work,T1",
        ];
        for name in none {
            assert_eq!(parsed(name), None, "{name}");
        }
    }

    #[test]
    fn numbers_are_those_that_the_program_leaves() {
        let all = BuiltIns::default();
        assert_eq!(all.number("deadlock", 2), Some(63));
        assert_eq!(all.number("ended(main)", 2), Some(62));
        assert_eq!(all.number("deadlock", 2), Some(63));
        assert_eq!(all.number("ended(T0)", 2), Some(62));
        assert_eq!(all.number("other", 2), None);
        assert_eq!(all.bits(), 3 << 62);
        assert_eq!(all.number("enabled(T1)", 62), Some(64), "too many");
    }
}
