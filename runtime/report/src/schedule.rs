//! The text of a schedule: the decisions that lead from the root to a finding.
//!
//! ```text
//! 0.0 0.1; 0 1 1 2/1 0; calls 1; dies 4.0.2
//! │        │            │        └ the step that kills the process: events so far, passive steps since, thread
//! │        │            └ what the search had learnt is an event, in the runtime's own words
//! │        └ THREAD or THREAD/ALTERNATIVE of each event that is a decision
//! └ for each thread but the first: its creator, and which of the creator's children it is
//! ```
//!
//! Threads are numbered densely, in the order in which a run first met them; so a replay is told the order of the run
//! that it repeats. The last two parts are left out if there is nothing to say.

use dpor_abi::journal::Position;
use std::fmt;
use std::str::FromStr;

/// A schedule: what its text says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The threads but the first, in the order of their numbers, which begin with 1.
    pub threads: Vec<Child>,
    /// One for each event that did not come by itself.
    pub decisions: Vec<Decision>,
    /// What was learnt to be an event: words of the runtime's, separated by blanks; empty if nothing was.
    pub learned: String,
    /// The step that kills the process, if one does.
    pub death: Option<Position>,
}

/// A thread, known by who created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The number of the thread that created it.
    pub creator: u16,
    /// How many threads that one created before.
    pub nth: u16,
}

/// Who goes on, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The number of the thread.
    pub thread: u16,
    /// Which of the outcomes that its operation may have.
    pub alternative: u32,
}

/// Begins the part with the step that kills the process.
const DIES: &str = "dies ";

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        words(f, &self.threads)?;
        f.write_str("; ")?;
        words(f, &self.decisions)?;
        let further = self.further();
        match further.is_empty() {
            true => Ok(()),
            false => write!(f, "; {further}"),
        }
    }
}

impl Schedule {
    /// The parts behind the decisions; empty if there are none.
    pub fn further(&self) -> String {
        let learned = Some(self.learned.clone()).filter(|learned| !learned.is_empty());
        let death = self.death.map(|at| {
            let Position {
                events,
                passives,
                thread,
            } = at;
            format!("{DIES}{events}.{passives}.{thread}")
        });
        let parts: Vec<String> = learned.into_iter().chain(death).collect();
        parts.join("; ")
    }
}

fn words<T: fmt::Display>(f: &mut fmt::Formatter<'_>, all: &[T]) -> fmt::Result {
    for (n, word) in all.iter().enumerate() {
        let blank = if n == 0 { "" } else { " " };
        write!(f, "{blank}{word}")?;
    }
    Ok(())
}

impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.creator, self.nth)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.alternative {
            0 => write!(f, "{}", self.thread),
            alternative => write!(f, "{}/{alternative}", self.thread),
        }
    }
}

impl FromStr for Schedule {
    type Err = String;

    /// # Errors
    /// One sentence that quotes what is wrong.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(';').map(str::trim);
        let (Some(threads), Some(decisions)) = (parts.next(), parts.next()) else {
            return Err(format!("'{text}' is no schedule: THREADS; DECISIONS"));
        };
        let mut schedule = Schedule {
            threads: list(threads)?,
            decisions: list(decisions)?,
            ..Schedule::default()
        };
        for part in parts.filter(|part| !part.is_empty()) {
            let is_first = match part.strip_prefix(DIES) {
                Some(step) => schedule.death.replace(position(step)?).is_none(),
                None => core::mem::replace(&mut schedule.learned, part.to_owned()).is_empty(),
            };
            if !is_first {
                return Err(format!("'{part}' is a part too many of a schedule"));
            }
        }
        Ok(schedule)
    }
}

fn list<T: FromStr<Err = String>>(text: &str) -> Result<Vec<T>, String> {
    text.split_ascii_whitespace().map(str::parse).collect()
}

impl FromStr for Child {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('.');
        let child = numbers.and_then(|(creator, nth)| {
            Some(Child {
                creator: creator.parse().ok()?,
                nth: nth.parse().ok()?,
            })
        });
        child.ok_or_else(|| format!("'{text}' is no thread of a schedule: CREATOR.NUMBER"))
    }
}

impl FromStr for Decision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (thread, alternative) = text.split_once('/').unwrap_or((text, "0"));
        match (thread.parse(), alternative.parse()) {
            (Ok(thread), Ok(alternative)) => Ok(Decision {
                thread,
                alternative,
            }),
            _ => Err(format!(
                "'{text}' is no decision of a schedule: THREAD or THREAD/ALTERNATIVE"
            )),
        }
    }
}

fn position(text: &str) -> Result<Position, String> {
    let mut numbers = text.split('.');
    let mut read = || {
        let position = Position {
            events: numbers.next()?.parse().ok()?,
            passives: numbers.next()?.parse().ok()?,
            thread: numbers.next()?.parse().ok()?,
        };
        numbers.next().is_none().then_some(position)
    };
    read().ok_or_else(|| {
        format!("'{text}' is no step that kills the process: EVENTS.PASSIVE-STEPS.THREAD")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "; ",
            "0.0; 0 1 1",
            "0.0 0.1 2.0; 0 1 1/2 65535/4294967295",
            "0.0; 0; dies 3.0.1",
            "0.0; 0 1; calls 1 fd:3",
            "0.0; 0 1; calls 1 fd:3; dies 3.14.1",
        ] {
            let schedule: Schedule = text.parse().unwrap();
            assert_eq!(schedule.to_string(), text);
        }
    }

    #[test]
    fn blanks_and_empty_parts_say_nothing() {
        let schedule: Schedule = " 0.0  0.1 ;0  1/0;; ".parse().unwrap();
        assert_eq!(schedule.to_string(), "0.0 0.1; 0 1");
    }

    #[test]
    fn a_sentence_says_what_is_wrong() {
        let check = |text: &str, expect: &str| {
            assert_eq!(text.parse::<Schedule>().unwrap_err(), expect);
        };
        check("", "'' is no schedule: THREADS; DECISIONS");
        check("0.0", "'0.0' is no schedule: THREADS; DECISIONS");
        let thread = "is no thread of a schedule: CREATOR.NUMBER";
        check("0; 0", &format!("'0' {thread}"));
        check("0.0 0.x; 0", &format!("'0.x' {thread}"));
        check("0.65536; 0", &format!("'0.65536' {thread}"));
        let decision = "is no decision of a schedule: THREAD or THREAD/ALTERNATIVE";
        check("0.0; 0 T1", &format!("'T1' {decision}"));
        check("0.0; 0/", &format!("'0/' {decision}"));
        check("0.0; -1", &format!("'-1' {decision}"));
        let step = "is no step that kills the process: EVENTS.PASSIVE-STEPS.THREAD";
        check("0.0; 0; dies 1.2", &format!("'1.2' {step}"));
        check("0.0; 0; dies 1.2.3.4", &format!("'1.2.3.4' {step}"));
        check("0.0; 0; dies now", &format!("'now' {step}"));
        let part = "is a part too many of a schedule";
        check("0.0; 0; a; b", &format!("'b' {part}"));
        check(
            "; ; dies 1.0.1; dies 2.0.1",
            &format!("'dies 2.0.1' {part}"),
        );
    }
}
