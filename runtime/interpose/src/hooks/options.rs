//! What the options make of plain and of volatile accesses.

use crate::engine;
use crate::engine::runtime::runtime;
use dpor_abi::options::{Plain, Volatile};

/// Returns whether plain accesses are events (`--plain=explore`).
#[inline]
pub(crate) fn plain_is_explored() -> bool {
    // SAFETY: the caller runs while a program is explored, so the runtime exists; its options never
    // change.
    unsafe { (*runtime()).options.plain == Plain::Explore }
}

/// Returns whether states are remembered (`--states`): loops go round as they are, and nothing of them is counted.
#[inline]
pub(crate) fn is_by_states() -> bool {
    // SAFETY: the caller runs while a program is explored, so the runtime exists; its options never
    // change.
    unsafe { (*runtime()).options.is_by_states() }
}

/// Returns whether a volatile access is judged like a plain one; outside exploration it is just
/// performed.
#[inline]
pub(crate) fn volatile_is_plain() -> bool {
    // SAFETY: `active` has found that the runtime exists; its options never change.
    !engine::active() || unsafe { (*runtime()).options.volatile == Volatile::Plain }
}
