//! Hooks of plain accesses, which are told of before they are made: each once in a step, as far as [`repeated`] knows.

use super::options::plain_is_explored;
use super::plain::{access, explore, is_unjudged, note, tell, tell_explored};
use super::race::report;
use crate::annotations;
use crate::engine::accesses::cells::{are_unnoted, is_nothing_noted, note_nothing, note_read};
use crate::engine::accesses::repeated;
use crate::engine::by_states::dead_stack;
use crate::engine::properties::watched::is_watched;
use crate::engine::runtime::runtime;
use crate::engine::{self, call_stacks, is_page_whole, long_step};
use dpor_abi::options::Races;
use dpor_model::SiteId;

/// Tells of a plain access of `1 << SIZE` bytes that is about to happen.
#[inline(always)]
fn access_once<const SIZE: u32, const WRITES: bool>(address: u64, site: SiteId) {
    if !repeated::is_known(address, SIZE, WRITES) || !long_step::has_counted_plain_access() {
        access_again::<SIZE, WRITES>(address, site);
    }
}

/// Tells of an access that is not among the known ones. Apart from [`access_once`], so that known
/// ones need no stack.
#[inline(never)]
fn access_again<const SIZE: u32, const WRITES: bool>(address: u64, site: SiteId) {
    // What holds for one access of this step holds for all: see `access_first`.
    let is_seen = WRITES && is_watched(address, 1 << SIZE);
    if !repeated::is_any_known() || is_seen || !engine::active() {
        return access_first(address, 1 << SIZE, WRITES, site);
    }
    long_step::count_plain_access(site);
    if is_odd(address, SIZE) && repeated::is_range_known(address, 1 << SIZE, WRITES) {
        return dead_stack::forget_scratch();
    }
    note_read(address, 1 << SIZE);
    match was_told(address, 1 << SIZE, WRITES) {
        true => note(address, 1 << SIZE, WRITES),
        false => tell(address, 1 << SIZE, WRITES, site),
    }
    remember::<SIZE>(address, WRITES);
    note_nothing();
    dead_stack::forget_scratch();
}

/// Whether the detector was told of such an access in the running thread's epoch.
#[inline(always)]
fn was_told(address: u64, bytes: u64, writes: bool) -> bool {
    let is_aligned = address & (bytes - 1) == 0;
    is_aligned && repeated::was_page_told(address, writes)
        || repeated::was_told(address, bytes, writes)
}

/// Remembers an access of `1 << SIZE` bytes that was told.
#[inline(always)]
fn remember<const SIZE: u32>(address: u64, writes: bool) {
    let is_whole = is_nothing_noted(writes) && !is_odd(address, SIZE) && is_page_whole(address);
    if !is_whole || !repeated::remember_page(address, writes) {
        repeated::remember(address, SIZE, writes, carries(address, SIZE, writes));
    }
}

/// Whether nothing has to be noted of other accesses to the granule that the access is in.
#[inline(always)]
fn carries(address: u64, size: u32, writes: bool) -> bool {
    (address & 7) + (1 << size) <= 8 && are_unnoted(address, writes)
}

/// Whether [`repeated::is_known`] knows nothing of such an access: it is not aligned.
#[inline(always)]
fn is_odd(address: u64, size: u32) -> bool {
    address & ((1 << size) - 1) & 7 != 0
}

/// Tells of an access as [`access`] does, and remembers it: what follows in this step need not be
/// asked whether it is to be judged, if this one is.
#[cold]
fn access_first(address: u64, bytes: u64, is_write: bool, site: SiteId) {
    access(address, bytes, is_write, site);
    // Each store that a property sees is an event of its own.
    let is_seen = is_write && is_watched(address, bytes);
    if engine::active() && !plain_is_explored() && !annotations::ignoring() && !is_seen {
        repeated::remember_range(address, bytes, is_write);
        dead_stack::forget_scratch();
    }
}

/// Tells of a plain access of any length that is about to happen.
fn range_once<const WRITES: bool>(address: u64, bytes: u64, site: SiteId) {
    if bytes == 0 {
        return;
    }
    if !repeated::is_range_known(address, bytes, WRITES) || !long_step::has_counted_plain_access() {
        access_first(address, bytes, WRITES, site);
    }
}

/// Tells of a plain read of `1 << SIZE` bytes that is about to happen, and a write to them next, as
/// one access of a step: two are told of. Returns whether the write has to be told of where it
/// happens.
#[inline(always)]
fn update_once<const SIZE: u32>(address: u64, write_site: SiteId, read_site: SiteId) -> u32 {
    if repeated::is_known(address, SIZE, true) && long_step::has_counted_plain_access() {
        return 0;
    }
    update_again::<SIZE>(address, write_site, read_site)
}

/// Tells of an access that reads and then may write, which is not among the known ones.
#[inline(never)]
fn update_again<const SIZE: u32>(address: u64, write_site: SiteId, read_site: SiteId) -> u32 {
    let is_seen = is_watched(address, 1 << SIZE);
    if !repeated::is_any_known() || is_seen || !engine::active() {
        return update_first(address, SIZE, write_site, read_site);
    }
    long_step::count_plain_access(read_site);
    if is_odd(address, SIZE) && repeated::is_range_known(address, 1 << SIZE, true) {
        dead_stack::forget_scratch();
        return 0;
    }
    note_read(address, 1 << SIZE);
    if was_told(address, 1 << SIZE, true) {
        note(address, 1 << SIZE, true);
    } else {
        tell(address, 1 << SIZE, false, read_site);
        tell(address, 1 << SIZE, true, write_site);
    }
    remember::<SIZE>(address, true);
    note_nothing();
    dead_stack::forget_scratch();
    0
}

/// Tells of the read of an access that reads and then may write, and of both if they are no events.
/// Returns whether the write is still to be told.
#[cold]
fn update_first(address: u64, size: u32, write_site: SiteId, read_site: SiteId) -> u32 {
    access(address, 1 << size, false, read_site);
    if !engine::active() || annotations::ignoring() {
        return 0;
    }
    if plain_is_explored() || is_watched(address, 1 << size) {
        return 1;
    }
    tell(address, 1 << size, true, write_site);
    repeated::remember(address, size, true, false);
    dead_stack::forget_scratch();
    0
}

macro_rules! plain_hooks {
    ($($read:ident $write:ident $update:ident $size:literal;)+) => {$(
        /// Hook of a plain read, to be told before it is made.
        #[no_mangle]
        pub extern "C" fn $read(address: u64, site: SiteId) {
            access_once::<$size, false>(address, site);
        }
        /// Hook of a plain write, to be told before it is made.
        #[no_mangle]
        pub extern "C" fn $write(address: u64, site: SiteId) {
            access_once::<$size, true>(address, site);
        }
        /// Plain read and then write, by one thread in one step. 1: the write is still to be told of.
        #[no_mangle]
        pub extern "C" fn $update(address: u64, write_site: SiteId, read_site: SiteId) -> u32 {
            update_once::<$size>(address, write_site, read_site)
        }
    )+};
}

plain_hooks! {
    __dpor_read1 __dpor_write1 __dpor_update1 0;
    __dpor_read2 __dpor_write2 __dpor_update2 1;
    __dpor_read4 __dpor_write4 __dpor_update4 2;
    __dpor_read8 __dpor_write8 __dpor_update8 3;
    __dpor_read16 __dpor_write16 __dpor_update16 4;
}

/// Tells of a destructor's write of its class's virtual table pointer. In C++ there is no such
/// write: a destructor begins with the pointer that the constructor left, and others may still call
/// virtual functions until it waits for them. Where it changes the pointer it is a write.
#[no_mangle]
pub extern "C" fn __dpor_destructor_vptr(address: u64, value: u64, site: SiteId) {
    // SAFETY: the program stores eight bytes there next, so they are readable.
    if unsafe { (address as *const u64).read_unaligned() } != value {
        __dpor_write8(address, site);
    }
}

/// Plain read of any length.
#[no_mangle]
pub extern "C" fn __dpor_read_range(address: u64, bytes: u64, site: SiteId) {
    range_once::<false>(address, bytes, site);
}

/// Plain read that may be ahead of its condition: whether its value is used is said by
/// [`__dpor_used_ahead`]. `token` is the read's own in the running call of its function.
#[no_mangle]
pub extern "C" fn __dpor_read_ahead(address: u64, bytes: u64, token: u64, site: SiteId) {
    if is_unjudged(address, bytes, false, site) {
        return;
    }
    let mut judged = bytes;
    if annotations::ignoring() {
        judged = 0;
    } else if !plain_is_explored() {
        long_step::count_plain_access(site);
    }
    note_read(address, bytes);
    if judged != 0 && plain_is_explored() {
        explore(address, bytes, false, site);
        // SAFETY: the caller runs while a program is explored, so the runtime exists; its options
        // never change.
        if unsafe { (*runtime()).options.races } == Races::Off {
            return tell_explored(address, bytes, false, site);
        }
    }
    if let Some((mut races, thread)) = engine::races_of_access() {
        races.read_ahead(
            thread,
            address,
            judged,
            token,
            call_stacks::of_plain_access(site),
        );
    }
}

/// Tells whether the value of a read is used.
#[no_mangle]
pub extern "C" fn __dpor_used_ahead(token: u64, is_used: u32) {
    if is_used == 0 || !engine::active() {
        return;
    }
    if let Some((mut races, thread)) = engine::races_of_access() {
        report(races.used_ahead(thread, token));
    }
}

/// Plain write of any length.
#[no_mangle]
pub extern "C" fn __dpor_write_range(address: u64, bytes: u64, site: SiteId) {
    range_once::<true>(address, bytes, site);
}

/// Calls `access` for each active lane.
fn lanes(address: u64, lane_bytes: u32, count: u32, mask: u64, is_write: bool, site: SiteId) {
    for lane in (0..count.min(64)).filter(|lane| mask >> lane & 1 == 1) {
        access(
            address + u64::from(lane * lane_bytes),
            u64::from(lane_bytes),
            is_write,
            site,
        );
    }
}

/// Hook of a masked vector read, to be told before it is made.
#[no_mangle]
pub extern "C" fn __dpor_read_masked(
    address: u64,
    lane_bytes: u32,
    count: u32,
    mask: u64,
    site: SiteId,
) {
    lanes(address, lane_bytes, count, mask, false, site);
}

/// Hook of a masked vector write, to be told before it is made.
#[no_mangle]
pub extern "C" fn __dpor_write_masked(
    address: u64,
    lane_bytes: u32,
    count: u32,
    mask: u64,
    site: SiteId,
) {
    lanes(address, lane_bytes, count, mask, true, site);
}
