//! Memory that properties read: stores to it are events, and have a common object besides.

use crate::knowledge::watched::is_any;
use crate::learned_events;
use crate::object;
use crate::runtime::runtime;
use dpor_model::{ObjectId, NO_OBJECT};

/// Whether a store to these bytes is an event because a property reads some of them. While a fiber runs.
#[inline(always)]
pub fn is_watched(address: u64, bytes: u64) -> bool {
    is_any() && group_of(address, bytes).is_some()
}

/// The object that stores to these bytes have in common with others that the same property sees; [`NO_OBJECT`] if none
/// does. While a fiber runs.
#[inline(always)]
pub fn object_of(address: u64, bytes: u64) -> ObjectId {
    match is_any() {
        false => NO_OBJECT,
        true => group_of(address, bytes).map_or(NO_OBJECT, object::property),
    }
}

#[cold]
fn group_of(address: u64, bytes: u64) -> Option<usize> {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let watched = &rt.properties.watched;
    let mut readers = watched.readers(address, bytes);
    let first = readers.next()?;
    let group = watched.group_of(first)?;
    let apart = readers.find(|&other| watched.group_of(other) != Some(group));
    drop(readers);
    if let (Some(other), false) = (apart, rt.is_replay()) {
        // One store that two properties see: what one sees conflicts with what the other does.
        for property in [first, other] {
            rt.properties.watched.watch((address, bytes), property);
        }
        rt.properties.watched.begin(&mut rt.blocks);
        learned_events::note_other();
    }
    Some(group)
}
