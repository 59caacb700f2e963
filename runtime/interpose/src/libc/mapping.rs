//! Memory that the program maps while it is explored.
//!
//! Each thread maps in an address range of its own, upwards, and no address is used twice in an
//! execution: so an address depends on what the thread mapped before, and on nothing else. What was
//! mapped is unmapped when the program goes back; until then no snapshot is taken
//! ([`none_since_root`]), as snapshots do not hold these pages.
//!
//! What was mapped before the root is unmapped by taking its protection away ([`unmap_from_before`]), and
//! is given back when the program goes back.

use super::overlay;
use super::syscalls::SyscallOutcome::{self, Unsupported, Value};
use crate::engine;
use crate::scoped_cell::ScopedCell;
use crate::state::Kept;
use crate::world::{self, rolled_back, THREADS_MAX};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use dpor_machine::{snapshot, sys, thread_limit};

/// Address at which thread 0 maps.
const BASE: usize = 0x4000_0000_0000;

/// Returns the distance from one thread's range to the next, in bytes.
fn stride() -> usize {
    1 << thread_limit::part_bits()
}

const PAGE: usize = 4096;

/// Bytes that each thread has mapped in this execution, unmapped ones included.
#[repr(C)]
pub struct State {
    used: [usize; THREADS_MAX],
    /// Number of ranges from before the root that are unmapped.
    unmapped: usize,
}

rolled_back!(static STATE: RolledBack<State> = world::MAPPINGS);

/// Bytes used of each thread's range, as the kernel has them mapped: grows with [`State::used`],
/// and falls when what is beyond that has been unmapped.
static MAPPED: Kept<[AtomicUsize; THREADS_MAX]> =
    Kept::new([const { AtomicUsize::new(0) }; THREADS_MAX]);

fn used(thread: usize) -> *mut usize {
    // SAFETY: only the address of a field of the world is computed, which is mapped.
    unsafe { &raw mut (*STATE.get()).used[thread] }
}

fn pages(bytes: usize) -> Option<usize> {
    bytes
        .checked_next_multiple_of(PAGE)
        .filter(|&bytes| bytes > 0 && bytes < stride())
}

/// Maps, by `mmap`'s arguments; the descriptor is the kernel's. Returns the kernel's value.
///
/// # Safety
/// A mapping at a new address: none. `flags` has no `MAP_FIXED`.
pub unsafe fn map(
    bytes: usize,
    protection: usize,
    flags: usize,
    fd: usize,
    offset: usize,
) -> isize {
    let thread = usize::from(engine::thread().0);
    let Some(bytes) = pages(bytes) else {
        return -(::libc::EINVAL as isize);
    };
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let before = unsafe { *used(thread) };
    // An unmapped page after each mapping stops an overrun.
    let after = before + bytes + PAGE;
    if after > stride() {
        return -(::libc::ENOMEM as isize);
    }
    let at = BASE + thread * stride() + before;
    let flags = flags | ::libc::MAP_FIXED_NOREPLACE as usize | ::libc::MAP_NORESERVE as usize;
    // SAFETY: the range is ours and nothing is mapped there.
    let result = unsafe { sys::call6(::libc::SYS_mmap, at, bytes, protection, flags, fd, offset) };
    if result >= 0 {
        // SAFETY: `used` points into the world, and the running thread alone writes its own entry.
        unsafe { *used(thread) = after };
        MAPPED[thread].store(after, Ordering::Relaxed);
    }
    result
}

/// Whether the program mapped code after the root, in some execution: a library with destructors of its own.
static CODE: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Notes that the program maps code.
pub fn code_is_mapped() {
    CODE.store(true, Ordering::Relaxed);
}

/// Returns whether the program mapped code after the root, in an execution of this process.
pub fn is_code_mapped() -> bool {
    CODE.load(Ordering::Relaxed)
}

/// Returns whether all of the range was mapped through [`map`] in this execution (or unmapped
/// since).
pub fn contains(at: usize, bytes: usize) -> bool {
    let Some(offset) = at.checked_sub(BASE) else {
        return false;
    };
    let thread = offset / stride();
    let Some(end) = (offset % stride()).checked_add(bytes) else {
        return false;
    };
    // SAFETY: the state lies in the world, which is mapped; this is a plain access, and no other
    // fiber runs since the event.
    thread < thread_limit::get() && end <= unsafe { *used(thread) }
}

/// Ranges in which the program has mapped memory since the root, with holes.
pub fn mappings() -> impl Iterator<Item = (usize, usize)> {
    (0..thread_limit::get()).filter_map(|thread| {
        let start = BASE + thread * stride();
        // SAFETY: the state lies in the world, which is mapped; this is a plain access, and no
        // other fiber runs since the event.
        let used = unsafe { *used(thread) };
        (used > 0).then_some((start, start + used))
    })
}

/// Returns whether there is nothing mapped that a snapshot would miss, and nothing gone that it
/// would hold.
pub fn none_since_root() -> bool {
    // `used` never falls but by rollback, so a range that was unmapped again counts too: its
    // addresses are spent.
    // SAFETY: the state lies in the world, which is mapped; this is a plain access, and no other
    // fiber runs since the event.
    mappings().next().is_none() && unsafe { (*STATE.get()).unmapped } == 0
}

/// Gives a mapping more room at another address. Returns that, or −errno.
///
/// # Safety
/// A mapping of this execution, in whole pages, that the program wants moved; nothing lies there in part.
pub unsafe fn move_to_larger(at: usize, old: usize, new: usize) -> isize {
    let flags = (::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS) as usize;
    // SAFETY: no fixed address is asked for, so nothing of the program's is replaced.
    let to = unsafe { map(new, ::libc::PROT_NONE as usize, flags, usize::MAX, 0) };
    if to <= 0 {
        return to;
    }
    let flags = (::libc::MREMAP_MAYMOVE | ::libc::MREMAP_FIXED) as usize;
    // SAFETY: the target was reserved just above. The old addresses stay unused.
    unsafe { sys::call6(::libc::SYS_mremap, at, old, new, flags, to as usize, 0) }
}

/// A mapping of the program's from before the root.
struct Before {
    start: usize,
    end: usize,
    protection: i32,
}

/// Mappings from before the root, and the ranges of them that were unmapped in this execution or in
/// those before it.
#[derive(Default)]
struct FromBefore {
    mappings: Vec<Before>,
    unmapped: Vec<(usize, usize)>,
}

static FROM_BEFORE: Kept<AtomicPtr<FromBefore>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

fn from_before() -> Option<ScopedCell<FromBefore>> {
    let place = FROM_BEFORE.load(Ordering::Relaxed);
    // SAFETY: set at the root, and reached through this function only.
    (!place.is_null()).then(|| unsafe { ScopedCell::at(place) })
}

/// The runtime's own mappings at fixed addresses are all below this, and above [`OWN_START`]; the program's
/// are elsewhere.
const OWN_END: usize = BASE + thread_limit::PARTS_BYTES;
const OWN_START: usize = 0x0400_0000_0000;

/// Makes memory that is shared private, as there is no other process, so that it goes back in time. At the
/// root, by what `/proc/self/maps` says.
///
/// # Errors
/// What cannot be controlled, in words.
pub fn make_private(maps: &str) -> Result<bool, String> {
    let mut has_changed = false;
    for line in maps.lines() {
        let Some(found) = Line::parse(line) else {
            continue;
        };
        let is_own = (OWN_START..OWN_END).contains(&found.start);
        if is_own || !found.permissions.ends_with('s') {
            continue;
        }
        let is_anonymous =
            found.name.starts_with("/dev/zero (deleted)") || found.name.starts_with("/SYSV");
        if is_anonymous {
            if !replace(found.start, found.end - found.start, found.protection()) {
                return Err("memory that was shared before the second thread".to_owned());
            }
            has_changed = true;
        } else if found.permissions.starts_with("rw") {
            return Err(format!(
                "a writable shared mapping from before the second thread: {}",
                found.name
            ));
        } else {
            overlay::open::note_mapped_path(found.name);
        }
    }
    Ok(has_changed)
}

/// Puts private memory of the same content in place of a mapping.
fn replace(start: usize, bytes: usize, protection: i32) -> bool {
    let Some(copy) = sys::map(0, bytes, ::libc::MAP_PRIVATE | ::libc::MAP_NORESERVE) else {
        return false;
    };
    let flags = ::libc::MREMAP_MAYMOVE | ::libc::MREMAP_FIXED;
    let fixed = ::libc::MAP_PRIVATE | ::libc::MAP_FIXED_NOREPLACE | ::libc::MAP_NORESERVE;
    let (copy, readable) = (copy as usize, ::libc::PROT_READ | ::libc::PROT_WRITE);
    // SAFETY: the mapping moves away, so its place is free; nothing else runs.
    unsafe {
        let (flags, old) = (flags as usize, bytes);
        let moved = sys::call6(::libc::SYS_mremap, start, old, bytes, flags, copy, 0);
        if moved < 0
            || !sys::protect(copy, bytes, readable)
            || sys::map(start, bytes, fixed).is_none_or(|at| at as usize != start)
        {
            return false;
        }
        for offset in (0..bytes).step_by(PAGE) {
            let from = (copy + offset) as *const [u8; PAGE];
            if (*from).iter().any(|&byte| byte != 0) {
                ptr::copy_nonoverlapping(from, (start + offset) as *mut [u8; PAGE], 1);
            }
        }
        sys::call3(::libc::SYS_munmap, copy, bytes, 0);
        protection == readable || sys::protect(start, bytes, protection)
    }
}

/// Notes what is mapped at the root, less the stack and what is the runtime's.
pub fn at_root(maps: &str) {
    let lines = maps.lines().filter_map(Line::parse);
    let mappings = lines.filter(|line| {
        let is_own = (OWN_START..OWN_END).contains(&line.start);
        !is_own && !line.name.starts_with('[')
    });
    let found = FromBefore {
        mappings: mappings
            .map(|line| Before {
                start: line.start,
                end: line.end,
                protection: line.protection(),
            })
            .collect(),
        unmapped: Vec::new(),
    };
    FROM_BEFORE.store(Box::into_raw(Box::new(found)), Ordering::Relaxed);
}

/// A line of `/proc/self/maps`.
struct Line<'a> {
    start: usize,
    end: usize,
    permissions: &'a str,
    name: &'a str,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Line<'a>> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let permissions = fields.next()?;
        Some(Line {
            start: usize::from_str_radix(start, 16).ok()?,
            end: usize::from_str_radix(end, 16).ok()?,
            permissions,
            name: fields.nth(3).unwrap_or("").trim_start(),
        })
    }

    fn protection(&self) -> i32 {
        let all = [::libc::PROT_READ, ::libc::PROT_WRITE, ::libc::PROT_EXEC];
        let letters = self.permissions.bytes().zip(all);
        let given = letters.filter(|(letter, _)| *letter != b'-');
        given.fold(0, |all, (_, one)| all | one)
    }
}

/// `munmap` of memory that was mapped before the root: it cannot be accessed from here on.
pub fn unmap_from_before(at: usize, bytes: usize) -> SyscallOutcome {
    let refused = || Unsupported("unmapping memory mapped before the second thread".into());
    let Some(before) = from_before() else {
        return refused();
    };
    let end = at + bytes.next_multiple_of(PAGE);
    let from = before.look(|before| {
        before.mappings.iter().fold(at, |from, mapping| {
            let is_here = (mapping.start..mapping.end).contains(&from);
            if is_here {
                mapping.end
            } else {
                from
            }
        })
    });
    // Also a range that was mapped as a whole but is the runtime's: its stacks, say.
    if from < end || engine::is_used_by_runtime(at, end) {
        return refused();
    }
    // SAFETY: the program gives it up; it is given back before anybody else reads it.
    if !unsafe { sys::protect(at, end - at, ::libc::PROT_NONE) } {
        return refused();
    }
    before.change(|before| before.unmapped.push((at, end)));
    // SAFETY: the state lies in the world, which is mapped; this is a plain access, and no other
    // fiber runs since the event.
    unsafe { (*STATE.get()).unmapped += 1 };
    Value(0)
}

/// Gives back what was unmapped, before the program goes back: no state is kept in which something is
/// unmapped.
pub fn before_restore() {
    let Some(before) = from_before() else { return };
    while let Some((start, end)) = before.change(|before| before.unmapped.pop()) {
        before.look(|before| {
            for mapping in &before.mappings {
                let (from, to) = (start.max(mapping.start), end.min(mapping.end));
                if from < to {
                    // SAFETY: as it was at the root.
                    unsafe { sys::protect(from, to - from, mapping.protection) };
                    snapshot::protect_again(from, to);
                }
            }
        });
    }
}

/// Unmaps what the restored state does not know of.
pub fn restore() {
    for (thread, mapped) in MAPPED[..thread_limit::get()].iter().enumerate() {
        let known = mapped.load(Ordering::Relaxed);
        // SAFETY: the state lies in the world, which is mapped; this is a plain access, and no
        // other fiber runs since the event.
        let used = unsafe { *used(thread) };
        if known > used {
            let at = BASE + thread * stride() + used;
            // SAFETY: mapped by executions that are over.
            unsafe { sys::call3(::libc::SYS_munmap, at, known - used, 0) };
            mapped.store(used, Ordering::Relaxed);
        }
    }
}
