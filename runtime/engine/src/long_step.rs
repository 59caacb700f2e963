//! A thread that makes very many plain accesses without an operation may be waiting for a plain variable: it is set
//! aside, so that the thread that would write it runs. Next time it may make twice as many: whoever only computes is
//! not held up, and who waits needs few looks.

use crate::running::own_fiber;
use crate::runtime::CALL_SITE;
use crate::world::world;
use crate::{is_cancelled, perform, site};
use dpor_machine::state::{PerStep, Plain};
use dpor_model::{Kind, Operation, SiteId, ThreadId};

/// Plain accesses of a step before its thread is set aside: many times what a data structure walk makes, and well
/// under a millisecond.
const PLAIN_ACCESSES_MAX: i64 = 20_000;

/// Number of plain accesses that the running thread has left, as the step's beginning says. No atomic: those are not
/// counted down in one instruction.
static LEFT: PerStep<Plain<i64>> = PerStep::new(Plain::new(PLAIN_ACCESSES_MAX));

/// Times that the number of accesses is doubled at most (chosen: some milliseconds).
const DOUBLINGS_MAX: u8 = 6;

/// A step of the thread begins.
pub fn begin(thread: ThreadId) {
    // SAFETY: only the thread that runs the program's fibers touches the counter, and the fiber is suspended.
    unsafe {
        let fiber = &raw mut (*world()).threads[thread.0 as usize].fiber;
        if (*fiber).set_aside != 0 && (*fiber).pending != Kind::Pause as u8 {
            (*fiber).set_aside = 0;
        }
        // The program may have overwritten the number.
        *LEFT.get() = PLAIN_ACCESSES_MAX << (*fiber).set_aside.min(DOUBLINGS_MAX);
    }
}

/// The running thread makes a plain access; it is set aside before, if it has made too many. `access`: its site.
#[inline(always)]
pub fn count_plain_access(access: SiteId) {
    if !has_counted_plain_access() {
        set_aside(access);
    }
}

/// Counts a plain access, unless that needs [`count_plain_access`].
#[inline(always)]
pub fn has_counted_plain_access() -> bool {
    // SAFETY: only the thread that runs the program's fibers touches the counter, and no reference to it is made.
    unsafe {
        *LEFT.get() -= 1;
        *LEFT.get() >= 0
    }
}

#[cold]
fn set_aside(access: SiteId) {
    if is_cancelled() {
        crate::given::posix().may_leave_at(access);
    }
    // SAFETY: a fiber runs: this thread's entry of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe {
        let fiber = own_fiber();
        (*fiber).set_aside = (*fiber).set_aside.saturating_add(1).min(DOUBLINGS_MAX);
    }
    let before = site();
    perform(Operation::new(Kind::Pause, access));
    CALL_SITE.set(before);
}
