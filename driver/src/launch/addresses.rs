//! A program's process has no randomized addresses, no lazily bound functions and no restartable sequences of glibc's.
//!
//! The runtime executes a program anew for that, if who started it has not seen to it (interpose/src/start). To be started
//! once takes two milliseconds less.

use dpor_abi::EXECUTED_AGAIN;
use nix::sys::personality::{self, Persona};
use std::ffi::OsString;
use std::process::Command;

/// Processes that this thread starts have addresses that are the same each time, as long as this is there.
pub(super) struct Fixed(Persona);

impl Drop for Fixed {
    fn drop(&mut self) {
        // It was this one before.
        let _ = personality::set(self.0);
    }
}

/// Sees to it that the program need not be executed anew. `None` where the system refuses: then it is.
pub(super) fn fix(command: &mut Command) -> Option<Fixed> {
    let before = personality::get().ok()?;
    personality::set(before | Persona::ADDR_NO_RANDOMIZE).ok()?;
    // What the user has set is put back by the runtime.
    let tunables = std::env::var_os("GLIBC_TUNABLES").unwrap_or_default();
    let mut all = tunables.clone();
    if !all.is_empty() {
        all.push(":");
    }
    all.push("glibc.pthread.rseq=0");
    let variables: [(&str, OsString); 3] = [
        (EXECUTED_AGAIN, tunables),
        ("LD_BIND_NOW", "1".into()),
        ("GLIBC_TUNABLES", all),
    ];
    command.envs(variables);
    Some(Fixed(before))
}
