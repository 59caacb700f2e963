//! Blocks that were freed by another thread than the one whose they are, where states are remembered.
//!
//! Such a block comes back to its owner: on the list of the thread that frees, to which it goes otherwise, it would be of
//! no use to a producer whose consumer frees, and no state would come back. But *an address may depend on nothing but what
//! happens before the allocation*, or two steps that no rule orders would give other addresses in their two orders. So it
//! is set aside, and the owner takes it if the free happens before that, as the race detector knows; of several the one
//! with the lowest address, and none while it has a block of its own.
//!
//! Who knows of each free decides who will get the block; a state is told that with who knows of which access
//! ([`dpor_races::Races::knowledge`]). Blocks are in the order of their addresses, so that frees may come in any.
//!
//! Without a race detector (`--races=off`) blocks go to the thread that frees them. So do those of no bytes, of which it
//! is not told.

use crate::engine;
use crate::hooks::options::is_by_states;
use crate::scoped_cell::ScopedCell;
use crate::world::{self, rolled_back};
use dpor_machine::heap::block;

/// Blocks at once, at most.
const BLOCKS_MAX: usize = 511;

/// Blocks that are set aside.
#[repr(C)]
pub struct State {
    count: usize,
    /// By ascending address.
    blocks: [Freed; BLOCKS_MAX],
}

/// A block that is set aside.
#[derive(Clone, Copy)]
#[repr(C)]
struct Freed {
    /// Address of its first byte.
    outer: usize,
    /// Address that the program freed.
    address: usize,
}

rolled_back!(static STATE: RolledBack<State> = world::FREED_ELSEWHERE);

fn state() -> ScopedCell<State> {
    // SAFETY: the state lies in the world, which is mapped, and is reached through this function only.
    unsafe { ScopedCell::at(STATE.get()) }
}

/// Returns the block at a place.
fn freed(at: usize) -> Option<Freed> {
    state().look(|all| all.blocks[..all.count].get(at).copied())
}

/// Sets a block aside that the running thread frees, of which the race detector was told. False: it is to go to the
/// running thread.
///
/// # Safety
/// The block lives, and has so many bytes.
pub unsafe fn put(address: usize, bytes: usize) -> bool {
    if !engine::active() || !is_by_states() {
        return false;
    }
    let is_own = block::owner(address) == usize::from(engine::thread().0);
    if bytes == 0 || is_own || engine::ask_races().is_none() {
        return false;
    }
    // SAFETY: the caller's.
    let outer = unsafe { block::set_aside(address) };
    state().change(|all| {
        if all.count == all.blocks.len() {
            engine::unsupported("more than 511 blocks that other threads free than allocate them");
        }
        let at = all.blocks[..all.count].partition_point(|freed| freed.outer < outer);
        all.blocks.copy_within(at..all.count, at + 1);
        all.blocks[at] = Freed { outer, address };
        all.count += 1;
    });
    true
}

/// Gives the running thread a block back, if it has no other for so many bytes and knows of the free of one.
#[inline]
pub fn take_back(bytes: usize) {
    if engine::active() && is_by_states() && state().look(|all| all.count > 0) {
        look_for(bytes);
    }
}

#[cold]
fn look_for(bytes: usize) {
    let me = engine::thread();
    for at in 0.. {
        let Some(Freed { outer, address }) = freed(at) else {
            return;
        };
        // SAFETY: it was set aside, and is not put back but here.
        let serves = unsafe { block::would_serve(usize::from(me.0), bytes, outer) };
        let knows = || {
            let races = engine::ask_races();
            races.is_some_and(|(races, slot)| races.knows_free(slot, address as u64))
        };
        if serves && knows() {
            state().change(|all| {
                all.blocks.copy_within(at + 1..all.count, at);
                all.count -= 1;
                all.blocks[all.count] = Freed {
                    outer: 0,
                    address: 0,
                };
            });
            // SAFETY: as above.
            return unsafe { block::put_back(outer) };
        }
    }
}
