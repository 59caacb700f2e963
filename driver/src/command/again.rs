//! `dpor check --watch`: checks, and checks again whenever a source is saved.
//!
//! Each check is a process of its own, this command without `--watch`: one that still runs when a file is saved is asked to
//! end, as Ctrl-C does, and the next one begins.

use crate::exit::{self, Exit};
use crate::flags::is_source;
use crate::say;
use crate::signals::{self, Answering};
use notify::event::{Event, EventKind};
use notify::{RecursiveMode, Watcher};
use rustix::process::{kill_process, Pid, Signal};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::time::Duration;

/// How long nothing may be written before a check begins: an editor writes a file in several steps, and several files one
/// after another (chosen: too short to be noticed).
const QUIET: Duration = Duration::from_millis(50);

/// How often it is looked whether the check has ended, and whether a signal came.
const TURN: Duration = Duration::from_millis(100);

/// Extensions of files that sources include.
const HEADERS: [&str; 9] = ["h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl", "ipp"];

/// Checks until a signal ends it; then the exit code of the last check that came to its end.
///
/// `files`: the program, or the sources; what is in their folders counts if it is a source or a header.
///
/// # Errors
/// One sentence, if a file or its folder cannot be watched, or this command cannot be started.
pub fn run(files: &[PathBuf]) -> Result<Exit, String> {
    let watched = Watched::new(files)?;
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(|why| why.to_string())?;
    for folder in &watched.folders {
        watcher
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(|why| format!("--watch: {}: {why}", folder.display()))?;
    }
    let _answering = Answering::begin();
    let asked = Arc::new(AtomicBool::new(false));
    for signal in signals::answered() {
        // One that cannot be registered ends this command, as it does without.
        let _ = signal_hook::flag::register(signal, Arc::clone(&asked));
    }
    let mut checking = Checking {
        child: None,
        last: exit::INCOMPLETE,
    };
    checking.begin()?;
    while !asked.load(Ordering::Relaxed) {
        if let Some(saved) = saved(&events, &watched)? {
            checking.end()?;
            say::line(&format!("dpor: {} was saved", saved.display()));
            checking.begin()?;
        }
        checking.look()?;
    }
    checking.end()?;
    Ok(checking.last)
}

/// The file that was saved in the last moment, once nothing is written any more.
fn saved(
    events: &Receiver<notify::Result<Event>>,
    watched: &Watched,
) -> Result<Option<PathBuf>, String> {
    let mut found = None;
    let mut patience = TURN;
    loop {
        match events.recv_timeout(patience) {
            Ok(Ok(event)) => {
                let counts = !matches!(event.kind, EventKind::Access(_));
                let of = { event.paths.into_iter() }.rfind(|path| counts && watched.has(path));
                if of.is_some() {
                    (found, patience) = (of, QUIET);
                }
            }
            Ok(Err(why)) => return Err(format!("--watch: {why}")),
            Err(RecvTimeoutError::Timeout) => return Ok(found),
            Err(RecvTimeoutError::Disconnected) => {
                return Err("--watch: files are not watched any more".to_owned())
            }
        }
    }
}

/// What is watched.
struct Watched {
    /// The program, or the sources.
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Watched {
    fn new(files: &[PathBuf]) -> Result<Watched, String> {
        let mut watched = Watched {
            files: BTreeSet::new(),
            folders: BTreeSet::new(),
        };
        for file in files {
            let path = file
                .canonicalize()
                .map_err(|why| format!("{}: {why}", file.display()))?;
            watched.folders.extend(path.parent().map(Path::to_owned));
            watched.files.insert(path);
        }
        Ok(watched)
    }

    fn has(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_header = extension.is_some_and(|extension| HEADERS.contains(&extension));
        let are_sources = self.files.iter().all(|file| is_source(file));
        self.files.contains(path) || are_sources && (is_header || is_source(path))
    }
}

/// The check that runs.
struct Checking {
    child: Option<Child>,
    /// How the last one ended.
    last: Exit,
}

impl Checking {
    fn begin(&mut self) -> Result<(), String> {
        let failed = |why| format!("--watch: this command cannot be started again: {why}");
        let command = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(command);
        child.args(arguments(std::env::args_os().skip(1)));
        // Ctrl-C of the terminal is for this process, which passes it on once: a check that gets two of them is killed.
        child.process_group(0);
        self.child = Some(child.spawn().map_err(failed)?);
        Ok(())
    }

    /// Looks whether it ended.
    fn look(&mut self) -> Result<(), String> {
        let Some(child) = &mut self.child else {
            return Ok(());
        };
        let ended = child.try_wait().map_err(|why| format!("--watch: {why}"))?;
        if let Some(status) = ended {
            self.ended(status);
        }
        Ok(())
    }

    /// Asks it to end, and waits for that.
    fn end(&mut self) -> Result<(), String> {
        self.look()?;
        let Some(child) = &mut self.child else {
            return Ok(());
        };
        // It is not reaped yet, so its number is its own.
        let _ = kill_process(Pid::from_child(child), Signal::INT);
        let status = child.wait().map_err(|why| format!("--watch: {why}"))?;
        self.ended(status);
        Ok(())
    }

    fn ended(&mut self, status: ExitStatus) {
        self.child = None;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        self.last = code.map_or(exit::USAGE, Exit::of_process);
    }
}

/// The arguments without `--watch`; those of the program stay as they are.
fn arguments(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_of_program = false;
    all.filter(|argument| {
        is_of_program |= argument == "--";
        is_of_program || argument != "--watch"
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_s_own_arguments_stay() {
        let check = |words: &[&str], expect: &[&str]| {
            let words = words.iter().map(OsString::from);
            assert_eq!(arguments(words), expect);
        };
        check(&["check", "--watch", "x.c"], &["check", "x.c"]);
        let all = ["check", "x.c", "--watch", "--", "--watch"];
        check(&all, &["check", "x.c", "--", "--watch"]);
    }
}
