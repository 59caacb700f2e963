//! What a program asked the system for, with what was there.

use super::state::State;
use dpor_asked::Look;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The states of all paths that were looked at, each as it was at the first look.
pub type States = BTreeMap<PathBuf, State>;

/// What is written down of one check, shared with the listeners of its processes.
#[derive(Clone, Debug)]
pub struct Record {
    /// The program, whose code the key has.
    program: PathBuf,
    /// Descriptors that it should not read from.
    pub watched: Vec<i32>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    states: States,
    /// A process was started, and its listener ended.
    ended: bool,
    /// Why the verdict cannot be kept: the first thing that was asked for and may differ.
    refused: Option<String>,
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        Arc::ptr_eq(&self.seen, &other.seen)
    }
}

impl Eq for Record {}

/// Parts of `/proc/self` that are of the process itself, and say nothing that it could not know.
const OWN: [&str; 13] = [
    "maps",
    "smaps",
    "pagemap",
    "mem",
    "exe",
    "fd",
    "fdinfo",
    "task",
    "stat",
    "statm",
    "status",
    "auxv",
    "clear_refs",
];

impl Record {
    /// Of a program, and the descriptors of which it is to be known whether it reads from them.
    pub fn new(program: &Path, watched: &[i32]) -> Record {
        let program = program
            .canonicalize()
            .unwrap_or_else(|_| program.to_owned());
        Record {
            program,
            watched: watched.to_vec(),
            seen: Arc::default(),
        }
    }

    /// Writes down what is asked for. The process waits meanwhile.
    pub fn hear(&self, look: Look) {
        let Ok(mut seen) = self.seen.lock() else {
            return;
        };
        let refused = match look {
            Look::Path(path) if self.is_own(&path) => None,
            Look::Path(path) if seen.states.contains_key(&path) => None,
            Look::Path(path) => match State::of(&path) {
                Ok(state) => {
                    seen.states.insert(path, state);
                    None
                }
                Err(why) => Some(why),
            },
            Look::Run(path) if self.is_program(&path) => None,
            Look::Run(path) => Some(format!("it runs {}", path.display())),
            Look::Other(what) => Some(what),
        };
        seen.refused = seen.refused.take().or(refused);
    }

    /// Writes down that all was heard of a process.
    pub fn end(&self) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.ended = true;
        }
    }

    /// What was there.
    ///
    /// # Errors
    /// What was asked for that may differ another time, in words.
    pub fn states(&self) -> Result<States, String> {
        let seen = self.seen.lock();
        let seen = seen.map_err(|_| "[dpor internal bug] a listener failed".to_owned())?;
        match &seen.refused {
            Some(why) => Err(why.clone()),
            None if !seen.ended => Err("no process was listened to".to_owned()),
            None => Ok(seen.states.clone()),
        }
    }

    fn is_program(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| path == self.program)
    }

    fn is_own(&self, path: &Path) -> bool {
        let own = path.strip_prefix("/proc/self");
        let own = own.or_else(|_| path.strip_prefix("/proc/thread-self"));
        let first = own.ok().and_then(|rest| rest.components().next());
        let first = first.and_then(|first| first.as_os_str().to_str());
        first.is_some_and(|first| OWN.contains(&first)) || self.is_program(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_seen_first_and_all_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("program"), "p").expect("written");
        std::fs::write(path("input"), "1").expect("written");
        let record = Record::new(&path("program"), &[]);
        assert!(record.states().is_err());
        record.hear(Look::Run(path("program")));
        record.hear(Look::Path(path("program")));
        record.hear(Look::Path("/proc/self/maps".into()));
        record.hear(Look::Path(path("input")));
        let state = |name: &str| State::of(&path(name)).expect("known");
        let first = state("input");
        std::fs::write(path("input"), "22").expect("written");
        record.hear(Look::Path(path("input")));
        record.hear(Look::Path(path("absent")));
        record.end();
        let states = record.states().expect("kept");
        let expected = [(path("absent"), state("absent")), (path("input"), first)];
        assert_eq!(states, States::from(expected));
    }

    #[test]
    fn what_may_differ_is_refused() {
        for look in [
            Look::Run("/bin/sh".into()),
            Look::Other("system call 41".to_owned()),
            Look::Path("/dev/urandom".into()),
            Look::Path("/proc/meminfo".into()),
        ] {
            let record = Record::new(Path::new("/bin/true"), &[]);
            record.hear(look.clone());
            record.end();
            assert!(record.states().is_err(), "{look:?}");
        }
    }
}
