//! Ctrl-C while there are folders to be removed.
//!
//! Without this a signal ends the command where it is, and what it built stays behind. With it the command that runs is
//! ended, and then whoever looks comes to an end by itself.

use crate::signals::{answered, Answering};
use rustix::process::{kill_process_group, Pid, Signal};
use signal_hook::flag;
use signal_hook::SigId;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at a command that runs (chosen: nobody sees it).
const PAUSE: Duration = Duration::from_millis(10);

/// The time that a command has to end by itself (chosen).
const GRACE: Duration = Duration::from_secs(3);

/// Signals are noted, not obeyed, as long as this is there.
#[derive(Debug)]
pub struct Patience {
    is_asked: Arc<AtomicBool>,
    registered: Vec<SigId>,
    _answering: Answering,
}

impl Patience {
    /// Notes signals from now on.
    ///
    /// # Errors
    /// One sentence.
    pub fn begin() -> Result<Patience, String> {
        let is_asked = Arc::new(AtomicBool::new(false));
        let register = |signal| flag::register(signal, Arc::clone(&is_asked));
        let registered = answered().into_iter().map(register).collect();
        let registered: std::io::Result<Vec<SigId>> = registered;
        Ok(Patience {
            registered: registered.map_err(|why| format!("signals cannot be handled: {why}"))?,
            is_asked,
            _answering: Answering::begin(),
        })
    }

    /// Whether it was asked to come to an end.
    pub fn is_over(&self) -> bool {
        self.is_asked.load(Ordering::SeqCst)
    }

    /// Runs a command to its end, or until a signal ends it with all that it started.
    ///
    /// # Errors
    /// As the system says: it cannot be started.
    pub fn run(&self, command: &mut Command) -> std::io::Result<ExitStatus> {
        // What a terminal sends reaches it through this process only.
        let mut child = command.process_group(0).spawn()?;
        let group = Pid::from_child(&child);
        let mut told: Option<Instant> = None;
        loop {
            if let Some(status) = child.try_wait()? {
                if told.is_some() {
                    // Some that it started may not have gone with it.
                    let _ = kill_process_group(group, Signal::KILL);
                }
                return Ok(status);
            }
            match told {
                None if self.is_over() => {
                    told = Some(Instant::now());
                    let _ = kill_process_group(group, Signal::TERM);
                }
                Some(since) if since.elapsed() > GRACE => return end(&mut child, group),
                _ => {}
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn end(child: &mut Child, group: Pid) -> std::io::Result<ExitStatus> {
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()
}

impl Drop for Patience {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}
