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

/// Parts of `/proc/self` that are of the process itself, and say nothing that it could not know: of what it was started with,
/// the key says all.
const OWN: [&str; 15] = [
    "maps",
    "smaps",
    "pagemap",
    "mem",
    "exe",
    "stat",
    "statm",
    "status",
    "auxv",
    "clear_refs",
    "cmdline",
    "comm",
    "environ",
    "limits",
    "personality",
];

/// Parts of `/proc/self` that say the same of a process and of the one that starts it: their contents are their states.
const INHERITED: [&str; 7] = [
    "cgroup",
    "mounts",
    "mountinfo",
    "uid_map",
    "gid_map",
    "setgroups",
    "oom_score_adj",
];

/// What a path in `/proc/self` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It says nothing that the process could not know.
    Own,
    /// It is a descriptor of this number by another name.
    Descriptor(i32),
    /// It is the same for the process that asks for its state.
    Inherited,
    /// It leads elsewhere, or nobody knows what it says.
    Other,
}

impl Part {
    /// `rest`: behind `/proc/self`.
    fn of(rest: &Path) -> Part {
        let names = rest.components().map(|name| name.as_os_str().to_str());
        let names: Option<Vec<&str>> = names.collect();
        let of_thread = |names: &[&str]| match names {
            [] | ["task" | "fd" | "fdinfo"] => Part::Own,
            ["fd" | "fdinfo", number] => number.parse().map_or(Part::Other, Part::Descriptor),
            [name] if OWN.contains(name) => Part::Own,
            [name] if INHERITED.contains(name) => Part::Inherited,
            _ => Part::Other,
        };
        match names.as_deref().unwrap_or(&["?"]) {
            ["task", thread, names @ ..] if thread.parse::<u32>().is_ok() => of_thread(names),
            names => of_thread(names),
        }
    }
}

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
            Look::Path(path) if self.is_program(&path) => None,
            Look::Path(path) if part(&path) == Some(Part::Own) => None,
            Look::Path(path) if self.is_opened(&path) => None,
            Look::Path(path) if part(&path).is_some_and(|part| part != Part::Inherited) => {
                Some(format!("it reads {}", path.display()))
            }
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

    /// Writes down that a process ended, and whether all was heard of it.
    pub fn end(&self, is_all: bool) {
        if !is_all {
            return self.hear(Look::Other("of which a part was not heard".to_owned()));
        }
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

    /// Whether it is a descriptor by its other name, of something that the process opened itself, and that was told then.
    fn is_opened(&self, path: &Path) -> bool {
        match part(path) {
            Some(Part::Descriptor(number)) => number > 2 && !self.watched.contains(&number),
            _ => false,
        }
    }

    fn is_program(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| path == self.program)
    }
}

/// Which part of `/proc/self` it is, if it is one.
fn part(path: &Path) -> Option<Part> {
    let own = path.strip_prefix("/proc/self");
    let own = own.or_else(|_| path.strip_prefix("/proc/thread-self"));
    own.ok().map(Part::of)
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
        record.end(true);
        let states = record.states().expect("kept");
        let expected = [(path("absent"), state("absent")), (path("input"), first)];
        assert_eq!(states, States::from(expected));
    }

    #[test]
    fn a_process_may_ask_for_itself() {
        let record = Record::new(Path::new("/bin/true"), &[]);
        record.hear(Look::Run("/bin/true".into()));
        for path in [
            "/bin/true",
            "/bin/../bin/true",
            "/proc/self/maps",
            "/proc/self/fd",
            "/proc/self/fd/8",
            "/proc/self/task/12/fdinfo/8",
            "/proc/self/task",
            "/proc/self/task/12/stat",
            "/proc/thread-self/status",
        ] {
            record.hear(Look::Path(path.into()));
        }
        record.end(true);
        assert_eq!(record.states(), Ok(States::new()));
        let mounts = PathBuf::from("/proc/self/mountinfo");
        record.hear(Look::Path(mounts.clone()));
        let states = record.states().expect("kept");
        assert_eq!(states.keys().collect::<Vec<_>>(), [&mounts]);
    }

    #[test]
    fn all_has_to_be_heard_of_each_process() {
        let record = Record::new(Path::new("/bin/true"), &[]);
        assert!(record.states().is_err(), "no process");
        record.end(true);
        assert!(record.states().is_ok());
        record.end(false);
        record.end(true);
        assert!(record.states().is_err());
    }

    /// The first reason is told, and nothing that is heard later takes it back.
    #[test]
    fn what_was_refused_stays_refused() {
        let record = Record::new(Path::new("/bin/true"), &[]);
        record.hear(Look::Run("/bin/true".into()));
        record.hear(Look::Run("/bin/sh".into()));
        record.hear(Look::Other("else".to_owned()));
        record.hear(Look::Path("/none".into()));
        record.end(true);
        assert_eq!(record.states(), Err("it runs /bin/sh".to_owned()));
    }

    #[test]
    fn what_may_differ_is_refused() {
        for look in [
            Look::Run("/bin/sh".into()),
            Look::Other("system call 41".to_owned()),
            Look::Path("/dev/urandom".into()),
            Look::Path("/proc/meminfo".into()),
            // Ways to standard input, to other processes, and to what is elsewhere for the process that asks for a state.
            Look::Path("/proc/self/fd/0".into()),
            Look::Path("/proc/self/fd/2".into()),
            Look::Path("/proc/self/fd/7".into()),
            Look::Path("/proc/self/fd/8/a".into()),
            Look::Path("/proc/self/fdinfo/0".into()),
            Look::Path("/proc/thread-self/fd/0".into()),
            Look::Path("/proc/self/task/7/fd/0".into()),
            Look::Path("/proc/self/task/../../meminfo".into()),
            Look::Path("/proc/self/maps/../../meminfo".into()),
            Look::Path("/proc/self/task/../fd/0".into()),
            Look::Path("/proc/self/cwd/a".into()),
            Look::Path("/proc/self/root/bin".into()),
            Look::Path("/proc/self/net/dev".into()),
            Look::Path("/proc/self/io".into()),
            Look::Path("/proc/self/schedstat".into()),
        ] {
            let record = Record::new(Path::new("/bin/true"), &[7]);
            record.hear(look.clone());
            record.end(true);
            assert!(record.states().is_err(), "{look:?}");
        }
    }
}
