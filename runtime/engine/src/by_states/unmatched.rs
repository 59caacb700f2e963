//! Memory that the program says decides nothing (`dpor_unmatched`): it goes back with the rest, and states that differ
//! only there are taken for one. The verdict says how many bytes that are.

use crate::runtime::Runtime;
use crate::stop::Stop;
use crate::{learned_events, stack_of};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::snapshot::Range;
use dpor_machine::state::Kept;
use dpor_model::ThreadId;

static ALL: Kept<AtomicPtr<Vec<Range>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// What was said so far.
pub(crate) fn all() -> &'static [Range] {
    // SAFETY: null, or a list that is never freed and only grows by being replaced.
    unsafe { ALL.load(Ordering::Relaxed).as_ref() }.map_or(&[], Vec::as_slice)
}

/// The program says that so many bytes decide nothing. If that is new in a search, it begins anew.
pub fn add(address: usize, bytes: usize) {
    let range = (address, address.saturating_add(bytes));
    if bytes == 0 || all().contains(&range) {
        return;
    }
    let mut list = all().to_vec();
    list.push(range);
    ALL.store(Box::into_raw(Box::new(list)), Ordering::Relaxed);
    if crate::active() {
        learned_events::note_other();
    }
}

/// The number of these bytes.
pub(super) fn bytes() -> u64 {
    let sizes = all().iter().map(|(start, end)| end - start);
    sizes.sum::<usize>() as u64
}

/// Refuses local variables: what lies in their place later is another's.
pub(super) fn check(rt: &mut Runtime) {
    let is_on_stack = |&(start, end): &Range| {
        (0..rt.areas.len()).any(|thread| {
            let (low, bytes) = stack_of(ThreadId(thread as u16));
            start < low + bytes && low < end
        })
    };
    if all().iter().any(is_on_stack) {
        let why =
            "dpor_unmatched of a local variable, in whose place others lie later: make it static";
        rt.stop = Some(Stop::Unsupported(why.to_owned()));
    }
}
