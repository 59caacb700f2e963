//! What a process asks the system for: the files it looks at, and what else may differ another time.
//!
//! A filter of seccomp's lets those system calls pass whose results depend on the process and on what
//! it did before ([`silent`]). Each other call waits until a thread of ours, the listener, has told of it: of the paths
//! that it names ([`paths`]), or that it was made at all. So it is known what any code asked for, instrumented or not, the
//! loader of programs included. The filter is inherited by all that the process forks.
//!
//! ```text
//! Command ──fork──► child: filter, listener's descriptor ──socket──► thread: for each call that waits: told(Look),
//!                   execve, program …                                           then the call goes on
//! ```
//!
//! *Source*: seccomp(2), `seccomp_unotify(2)`; Linux 5.5 or newer.
//!
//! *Limits.* What a call that passes returns is not told: time read without a system call (vDSO, `rdtsc`), numbers of
//! processes, addresses. Another thread of the process may change a path between our reading it and the system's.

mod filter;
mod listen;
mod notification;
mod paths;
mod silent;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread::JoinHandle;

/// Something that a process asks for, before it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// What is at a path, which is absolute.
    Path(PathBuf),
    /// To run the program at this path, which is absolute, in its place.
    Run(PathBuf),
    /// Something whose answer may differ another time, in words.
    Other(String),
}

/// A listener, whose process is started or will be.
#[derive(Debug)]
pub struct Listener {
    thread: JoinHandle<()>,
    /// Closing it ends the thread.
    end: OwnedFd,
}

/// Sees to it that `told` hears of what the process of `command` asks for, while that waits for the answer.
///
/// Of descriptors that the process inherits, those are `watched` from which it may read what nobody knows: that it reads
/// from one is told ([`Look::Other`]), and so is whatever is opened later in its place. That a path of `/proc` may name one
/// is for whoever hears of the path.
///
/// If the system has no listeners, or refuses one, `told` hears so ([`Look::Other`]), and the process runs as without.
/// The command is to be started once, and dropped then.
///
/// # Errors
/// No socket or thread can be made.
pub fn listen(
    command: &mut Command,
    watched: &[i32],
    told: impl FnMut(Look) + Send + 'static,
) -> io::Result<Listener> {
    // Both ends are closed when a program is executed.
    let (ours, theirs) = UnixStream::pair()?;
    let (end, ended) = UnixStream::pair()?;
    let filter = filter::Filter::new(watched);
    let watched = watched.to_vec();
    // SAFETY: between fork and execve the closure makes system calls only, on memory that was there before.
    unsafe {
        command.pre_exec(move || {
            // Without a listener the process runs all the same; who listens hears that nothing came.
            if let Some(listener) = filter.install() {
                filter::send(&theirs, &listener);
            }
            Ok(())
        });
    }
    let thread = std::thread::Builder::new()
        .name("listener".to_owned())
        .spawn(move || listen::until_over(ours.into(), ended.into(), &watched, told))?;
    Ok(Listener {
        thread,
        end: end.into(),
    })
}

impl Listener {
    /// Ends it, after the process ended. What `told` kept may then be read; false if it panicked, and did not hear all.
    pub fn end(self) -> bool {
        drop(self.end);
        self.thread.join().is_ok()
    }
}
