//! The journal of a process that may die: a mapping that the driver made and can still read.
//!
//! The runtime writes down where the running execution stands, with plain stores, before every
//! step. Nothing is told to the kernel, so a step costs no system call; the mapping is shared with the
//! driver, so it outlives the process, whatever killed it.
//!
//! ```text
//! word  0  MAGIC
//!       1  position: events | passive steps since the last << 32 | running thread << 52
//!       2  1 while program code runs, 0 while the checker does (one byte)
//!       3  executions that have ended
//!       4  how the process died, if it could still say: an `Announced`
//!       5  address of the fault     6  its instruction
//!       7  thread numbers given: (creator << 16 | n-th of its children) each, at NAMES
//!  CLOCK…  what the clocks showed at the root: length in bytes, text
//!  CALLS…  calls that the search found to be events: length in bytes, text
//! EVENTS…  decisions of the running execution: thread | alternative << 16, the first event at EVENTS + 1
//! ```
//!
//! *Validity*: a program that overwrites the checker's memory may overwrite this too. What
//! [`Journal::read`] gives back is well formed, and whether it is true is seen by running it again.

/// The first word of a journal: "journal" and a version.
pub const MAGIC: u64 = 0x026c_616e_7275_6f6a;
/// Index of the word with the position.
pub const POSITION: usize = 1;
/// Index of the word whose first byte says whether program code runs.
pub const RUNS: usize = 2;
/// Index of the word with the number of executions.
pub const EXECUTIONS: usize = 3;
/// Index of the word with an [`Announced`].
pub const ANNOUNCED: usize = 4;
/// Index of the word with the address of a fault.
pub const ADDRESS: usize = 5;
/// Index of the word with the instruction of a fault.
pub const INSTRUCTION: usize = 6;
/// Index of the word with the number of names.
pub const NAMED: usize = 7;
/// Index of the first name.
pub const NAMES: usize = 8;
/// Names there is room for: more than there can be threads.
pub const NAMES_MAX: usize = 1088;
/// Index of the word with the bytes of the clock's text, which follows.
pub const CLOCK: usize = NAMES + NAMES_MAX;
/// Bytes that there is room for in the clock's text.
pub const CLOCK_BYTES_MAX: usize = 1024;
/// Index of the word with the bytes of the text of calls, which follows.
pub const CALLS: usize = CLOCK + 1 + CLOCK_BYTES_MAX / 8;
/// Bytes that there is room for in the text of calls.
pub const CALLS_BYTES_MAX: usize = 2048;
/// Index of the word before the first event.
pub const EVENTS: usize = 1535;
/// Events there is room for: an execution may have a million (chosen as its largest length).
pub const EVENTS_MAX: usize = 1 << 20;
/// Bytes of the whole; only touched pages cost memory.
pub const BYTES: usize = (EVENTS + 1 + EVENTS_MAX) * 8;

/// The way in which a process died, as it could still write down itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// A signal (its number) arrived in the checker's own code.
    Fault(u32),
    /// The checker found itself in a state that cannot be.
    Panic,
    /// The process of one execution died; its wait status.
    Child(u32),
}

impl Announced {
    /// Returns the number that stands for the announcement in the journal, which is never 0.
    pub fn to_word(self) -> u64 {
        match self {
            Announced::Fault(signal) => 1 | u64::from(signal) << 8,
            Announced::Panic => 2,
            Announced::Child(status) => 3 | u64::from(status) << 8,
        }
    }

    fn from_word(word: u64) -> Option<Announced> {
        let value = u32::try_from(word >> 8).ok()?;
        match word & 0xff {
            1 => Some(Announced::Fault(value)),
            2 => Some(Announced::Panic),
            3 => Some(Announced::Child(value)),
            _ => None,
        }
    }
}

/// A step of an execution: an event, or a passive step after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Events so far, this one included.
    pub events: usize,
    /// Passive steps since the last event.
    pub passives: usize,
    /// Number of the thread that makes the step.
    pub thread: u16,
}

/// The contents of a journal whose process has died.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The step in which the process died.
    pub position: Position,
    /// True if program code ran at that moment, false if the checker did.
    pub program_ran: bool,
    /// Number of executions that had ended.
    pub executions: u64,
    /// The way in which the process died, if it could still say so.
    pub announced: Option<Announced>,
    /// Address of the memory and of the instruction of the fault, if a signal was announced.
    pub fault: (u64, u64),
    /// Creator and number of each thread but the first.
    pub names: Vec<(u16, u16)>,
    /// The clocks at the root, in the words of option `clock`; empty before the root.
    pub clock: String,
    /// The calls that the search found to be events, in the words of schedules.
    pub calls: String,
    /// Thread and alternative of each event.
    pub decisions: Vec<(u16, u32)>,
}

impl Journal {
    /// Reads the bytes of the mapping; `None` if they are not of a journal.
    pub fn read(bytes: &[u8]) -> Option<Journal> {
        let word = |at: usize| -> Option<u64> {
            let bytes = bytes.get(at * 8..at * 8 + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        if word(0)? != MAGIC {
            return None;
        }
        let position = position(word(POSITION)?);
        let named = usize::try_from(word(NAMED)?).ok()?;
        if position.events > EVENTS_MAX || position.thread >= NAMES_MAX as u16 || named > NAMES_MAX
        {
            return None;
        }
        let names = (0..named).map(|k| word(NAMES + k).map(|n| ((n >> 16) as u16, n as u16)));
        let text = |at: usize, most: usize| -> Option<String> {
            let length = usize::try_from(word(at)?).ok()?;
            let start = (at + 1) * 8;
            String::from_utf8(bytes.get(start..start + length.min(most))?.to_vec()).ok()
        };
        let decisions = (1..=position.events).map(|k| {
            let word = word(EVENTS + k)?;
            let thread = (word & 0xffff) as u16;
            let alternative = u32::try_from(word >> 16).ok()?;
            (thread < NAMES_MAX as u16).then_some((thread, alternative))
        });
        Some(Journal {
            position,
            program_ran: word(RUNS)? & 0xff == 1,
            executions: word(EXECUTIONS)?,
            announced: Announced::from_word(word(ANNOUNCED)?),
            fault: (word(ADDRESS)?, word(INSTRUCTION)?),
            names: names.collect::<Option<_>>()?,
            clock: text(CLOCK, CLOCK_BYTES_MAX)?,
            calls: text(CALLS, CALLS_BYTES_MAX)?,
            decisions: decisions.collect::<Option<_>>()?,
        })
    }
}

/// The position that a word stands for.
pub fn position(word: u64) -> Position {
    Position {
        events: (word & 0xffff_ffff) as usize,
        passives: (word >> 32 & 0xf_ffff) as usize,
        thread: (word >> 52) as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[(usize, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; (EVENTS + 8) * 8];
        for &(at, word) in words {
            bytes[at * 8..at * 8 + 8].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let journal = Journal::read(&bytes(&[
            (0, MAGIC),
            (POSITION, 2 | 1 << 32 | 1027 << 52),
            (RUNS, 1),
            (EXECUTIONS, 7),
            (ANNOUNCED, Announced::Fault(11).to_word()),
            (NAMED, 1),
            (NAMES, 2 << 16 | 5),
            (CLOCK, 3),
            (CLOCK + 1, u64::from_le_bytes(*b"1.2\0\0\0\0\0")),
            (CALLS, 1),
            (CALLS + 1, u64::from(b'x')),
            (EVENTS + 1, 1),
            (EVENTS + 2, 1027 | u64::from(u32::MAX) << 16),
        ]));
        let journal = journal.expect("it is well formed");
        let position = Position {
            events: 2,
            passives: 1,
            thread: 1027,
        };
        assert_eq!(journal.position, position);
        assert!(journal.program_ran);
        assert_eq!(journal.executions, 7);
        assert_eq!(journal.announced, Some(Announced::Fault(11)));
        assert_eq!(journal.names, [(2, 5)]);
        assert_eq!(journal.clock, "1.2");
        assert_eq!(journal.calls, "x");
        assert_eq!(journal.decisions, [(1, 0), (1027, u32::MAX)]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let check = |words: &[(usize, u64)]| assert_eq!(Journal::read(&bytes(words)), None);
        check(&[]);
        check(&[(0, MAGIC ^ 1)]);
        // More events than there is room for; than were read; a thread that cannot be.
        check(&[(0, MAGIC), (POSITION, EVENTS_MAX as u64 + 1)]);
        check(&[(0, MAGIC), (POSITION, 100)]);
        check(&[(0, MAGIC), (POSITION, 1), (EVENTS + 1, NAMES_MAX as u64)]);
        check(&[(0, MAGIC), (POSITION, (NAMES_MAX as u64) << 52)]);
        check(&[(0, MAGIC), (NAMED, NAMES_MAX as u64 + 1)]);
        assert!(Journal::read(&bytes(&[(0, MAGIC)])).is_some());
        assert_eq!(Journal::read(&[]), None);
    }
}
