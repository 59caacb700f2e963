//! Misuses before the root: exploration begins where one is made, and the model reports it.
//!
//! So a program that never has a second thread is judged as well. One that is run by itself is the plain
//! program, whose misuses are libc's business.

use super::locks_at_root;
use crate::engine;
use crate::libc::before_root;
use dpor_model::ObjectId;

/// Begins the exploration if this is a misuse before the root, under `dpor check`.
pub fn explore_if(is_misuse: impl FnOnce() -> bool) {
    if engine::before_root() && is_misuse() && before_root::is_checked() {
        engine::begin();
    }
}

/// Returns, before the root, whether thread 0 holds a lock which it must not hold, or does not hold
/// one which it must.
pub fn is_held_wrongly(object: ObjectId, must: bool) -> bool {
    locks_at_root::is_known() && locks_at_root::contains(object) != must
}
