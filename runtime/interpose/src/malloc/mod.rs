//! `malloc` and its family, as the program calls them.
//!
//! The memory is [`dpor_machine::heap`]'s; here it is decided whose it is, the race detector is told of it, and
//! misuse is found. With `off=1` several threads of the system run, and everything goes to libc ([`native`]).

pub mod alone;
pub mod freed_elsewhere;
mod native_calls;

use crate::engine::accesses::cells::note_write;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::engine::{self, call_stacks, first_uses};
use crate::hooks::options::is_by_states;
use crate::pthread::live_objects;
use crate::state::Kept;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_abi::size_class::HEADER_BYTES;
use dpor_machine::heap::block::{self, Known};
use dpor_machine::heap::{region, usable};
use dpor_machine::sys::PAGE;
use dpor_model::ThreadId;
use dpor_races::{Block, Races};
use dpor_report::FindingKind;

/// True if all requests go to libc.
static NATIVE: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Decides, once and before a second OS thread exists, whether libc's heap serves the program.
/// Blocks of ours that live then are never used again once they are freed.
pub fn native(native: bool) {
    if native {
        // Looked up now: dlsym may allocate.
        native_calls::resolve();
    }
    NATIVE.store(native, Ordering::Relaxed);
}

#[inline]
fn is_native() -> bool {
    NATIVE.load(Ordering::Relaxed)
}

/// Number of the thread whose region serves the caller.
#[inline]
fn thread() -> usize {
    if engine::active() {
        usize::from(engine::thread().0)
    } else {
        0
    }
}

fn out_of_memory() -> *mut c_void {
    // SAFETY: libc's errno of the running thread.
    unsafe { *::libc::__errno_location() = ::libc::ENOMEM };
    ptr::null_mut()
}

/// Tells the race detector of a new block.
#[inline]
fn announce(address: usize, bytes: usize) {
    if !engine::active() {
        return usable::begin_life(address, bytes);
    }
    if let Some((mut races, thread)) = engine::races_of_memory() {
        tell_of_new(&mut races, thread, address, bytes);
    }
}

/// Tells the race detector of a new block, and of the bytes next to it.
fn tell_of_new(races: &mut Races, thread: ThreadId, address: usize, bytes: usize) {
    let (start, site) = (address as u64, engine::site());
    let block = Block {
        start,
        bytes: bytes as u64,
        site,
        thread,
    };
    races.allocate(thread, start, block.bytes, site);
    // SAFETY: `allocate` gave the block out just now, so it lives and its header is in front of it.
    let (front, end) = unsafe { (block::front_of(address), block::end_of(address)) };
    races.guard(
        block,
        (address + bytes) as u64,
        (end - address - bytes) as u64,
    );
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::FrontFree) {
        return;
    }
    races.guard(block, front as u64, (address - front) as u64);
}

/// Whether errors are looked for in what happens to a block. Before the second thread nobody knows: what
/// lives then may be used by threads.
fn is_guarded() -> bool {
    !engine::active() || engine::follows_memory()
}

/// Bytes behind each new block that are nobody's, besides the header of the next one.
fn spare() -> usize {
    match is_guarded() {
        true => SPARE_BYTES,
        false => 0,
    }
}

/// Bytes that are kept behind a block: with the header of what follows, 64 (chosen: a line of the cache, so that an
/// index that is one too large is seen for elements of that size).
const SPARE_BYTES: usize = 64 - HEADER_BYTES;

fn allocate(bytes: usize) -> Option<(usize, bool)> {
    engine::note_allocation();
    freed_elsewhere::take_back(bytes.saturating_add(spare()));
    let taken = block::take(thread(), bytes, spare())?;
    announce(taken.0, bytes);
    Some(taken)
}

/// A new block has what these first bytes of it were given: what another block had at the same place is gone.
fn filled(address: usize, bytes: usize) {
    if engine::active() {
        note_write(address, bytes as u64);
    }
}

fn allocate_aligned(alignment: usize, bytes: usize) -> *mut c_void {
    if is_native() {
        return native_calls::memalign(alignment, bytes);
    }
    engine::note_allocation();
    freed_elsewhere::take_back(bytes.saturating_add(alignment).saturating_add(spare()));
    let Some(address) = block::take_aligned(thread(), alignment, bytes, spare()) else {
        return out_of_memory();
    };
    announce(address, bytes);
    address as *mut c_void
}

/// Frees a block: tells everybody who has to know, and gives it back.
///
/// # Safety
/// `address` is that of a live block of `bytes` bytes ([`block::look_up`]).
unsafe fn release(address: usize, bytes: usize) {
    engine::note_allocation();
    live_objects::freed(address, bytes);
    first_uses::freed(address, bytes);
    usable::end_life(address, bytes);
    if engine::active() {
        if let Some((mut races, thread)) = engine::races_of_memory() {
            let site = call_stacks::at_this_moment(engine::site());
            if let Some(race) = races.free(thread, address as u64, bytes as u64, site) {
                engine::race(race);
            }
        }
    }
    // SAFETY: by the caller's promise the block lives; nothing since has given it back.
    unsafe {
        if !freed_elsewhere::put(address, bytes) {
            block::give_back(
                thread(),
                address,
                is_guarded() && !(engine::active() && is_by_states()),
            );
        }
    }
}

/// A pointer that is no live block was handed to `function`. Comes back if nothing orders it behind the free
/// that came first.
#[cold]
fn misuse(known: &Known, address: usize, function: &str) {
    let (kind, what) = match known {
        Known::Freed(_) => (FindingKind::DoubleFree, "the block was freed before"),
        _ => (FindingKind::InvalidFree, "not the start of a heap block"),
    };
    if engine::active() || alone::begin(engine::site()) {
        return engine::freed_wrongly(
            kind,
            &format!("{function} of {address:#x}: {what}"),
            address,
        );
    }
    dpor_machine::sys::write_all(2, function.as_bytes());
    dpor_machine::sys::write_all(2, b"(): invalid pointer: ");
    dpor_machine::sys::write_all(2, what.as_bytes());
    dpor_machine::sys::write_all(2, b"\n");
    // SAFETY: `abort` may be called at any moment and does not return.
    unsafe { ::libc::abort() }
}

/// Allocates a block, as C's `malloc` does.
#[no_mangle]
pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
    if is_native() {
        return native_calls::malloc(bytes);
    }
    allocate(bytes).map_or_else(out_of_memory, |(address, _)| address as *mut c_void)
}

/// Allocates a block of zeros, as C's `calloc` does.
#[no_mangle]
pub extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    if is_native() {
        return native_calls::calloc(count, bytes);
    }
    let Some(bytes) = count.checked_mul(bytes) else {
        return out_of_memory();
    };
    let Some((address, zero)) = allocate(bytes) else {
        return out_of_memory();
    };
    if !zero {
        // SAFETY: a block of this many bytes.
        unsafe { ptr::write_bytes(address as *mut u8, 0, bytes) };
    }
    filled(address, bytes);
    address as *mut c_void
}

/// C `free`. A pointer outside our regions goes to libc, unless the program is explored: there it
/// is a finding, as all its blocks are ours.
///
/// # Safety
/// The program calls this as C allows it: it uses the block no more. What is no live block is caught.
#[no_mangle]
pub unsafe extern "C" fn free(address: *mut c_void) {
    let at = address as usize;
    if at == 0 {
        return;
    }
    let ours = region::contains(at);
    if is_native() || (!ours && !engine::active()) {
        if !ours {
            native_calls::free(address);
        }
        return;
    }
    match block::look_up(at) {
        // SAFETY: `look_up` just said that the block lives, and nothing ran since.
        Known::Live(bytes) => unsafe { release(at, bytes) },
        known => misuse(&known, at, "free"),
    }
}

/// C `realloc`; of 0 bytes it frees the block, as glibc's does.
///
/// # Safety
/// The program calls this as C allows it: it uses the block at its old address no more. What is no live block is
/// caught.
#[no_mangle]
pub unsafe extern "C" fn realloc(address: *mut c_void, bytes: usize) -> *mut c_void {
    let at = address as usize;
    if at == 0 {
        return malloc(bytes);
    }
    let ours = region::contains(at);
    if !ours && (is_native() || !engine::active()) {
        return native_calls::realloc(address, bytes);
    }
    let known = block::look_up(at);
    let old = match known {
        Known::Live(old) => old,
        Known::Freed(old) => {
            misuse(&known, at, "realloc");
            return moved(address, old, bytes);
        }
        Known::Unknown => {
            misuse(&known, at, "realloc");
            return ptr::null_mut();
        }
    };
    if bytes == 0 {
        // SAFETY: `address` is the caller's, who asks for the block to be freed by a size of 0.
        unsafe { free(address) };
        return ptr::null_mut();
    }
    // SAFETY: the block lives; with `off=1` other OS threads may use the heap, so it is not resized.
    if !is_native() && unsafe { resize(at, old, bytes) } {
        return address;
    }
    let new = malloc(bytes);
    if !new.is_null() {
        // SAFETY: both blocks have that many bytes, and they are distinct.
        unsafe {
            ptr::copy_nonoverlapping(address.cast::<u8>(), new.cast(), old.min(bytes));
            filled(new as usize, old.min(bytes));
            free(address);
        }
    }
    new
}

/// A new block with what was in a freed one, which keeps its contents: as if the free had come later.
fn moved(freed: *mut c_void, old: usize, bytes: usize) -> *mut c_void {
    let new = malloc(bytes);
    if !new.is_null() {
        // SAFETY: both have that many bytes, and they are distinct: the freed block is kept back, or its
        // bytes are read before anybody writes the new block.
        unsafe { ptr::copy(freed.cast::<u8>(), new.cast(), old.min(bytes)) };
        filled(new as usize, old.min(bytes));
    }
    new
}

/// Resizes in place and tells the race detector what became new or was given up.
///
/// # Safety
/// The block lives and has `old` bytes.
unsafe fn resize(at: usize, old: usize, bytes: usize) -> bool {
    // SAFETY: by the caller's promise the block lives.
    if !unsafe { block::resize(at, bytes, spare()) } {
        return false;
    }
    if bytes < old {
        live_objects::freed(at + bytes, old - bytes);
    }
    usable::end_life(at, old);
    usable::begin_life(at, bytes);
    if engine::active() {
        if let Some((mut races, thread)) = engine::races_of_memory() {
            let site = call_stacks::at_this_moment(engine::site());
            // As C has it: the old block ends, and a new one begins.
            if let Some(race) = races.free(thread, at as u64, old as u64, site) {
                engine::race(race);
            }
            tell_of_new(&mut races, thread, at, bytes);
        }
    }
    true
}

/// Resizes a block to the product of two numbers, as [`realloc`] does; null if the product is too large.
///
/// # Safety
/// As for [`realloc`], the program uses the block at its old address no more.
#[no_mangle]
pub unsafe extern "C" fn reallocarray(
    address: *mut c_void,
    count: usize,
    bytes: usize,
) -> *mut c_void {
    match count.checked_mul(bytes) {
        // SAFETY: the caller promises what `realloc` asks for.
        Some(bytes) => unsafe { realloc(address, bytes) },
        None => out_of_memory(),
    }
}

/// Allocates an aligned block, as glibc's `memalign` does: an alignment that is no power of two is rounded up.
#[no_mangle]
pub extern "C" fn memalign(alignment: usize, bytes: usize) -> *mut c_void {
    match alignment.max(1).checked_next_power_of_two() {
        Some(alignment) => allocate_aligned(alignment, bytes),
        None => out_of_memory(),
    }
}

/// Allocates an aligned block, as C11's `aligned_alloc` does.
#[no_mangle]
pub extern "C" fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
    memalign(alignment, bytes)
}

/// POSIX `posix_memalign`.
///
/// # Safety
/// `result` points to a pointer that the caller may write.
#[no_mangle]
pub unsafe extern "C" fn posix_memalign(
    result: *mut *mut c_void,
    alignment: usize,
    bytes: usize,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return ::libc::EINVAL;
    }
    // SAFETY: libc's errno of the running thread; POSIX does not let this function change it.
    let errno = unsafe { *::libc::__errno_location() };
    let address = allocate_aligned(alignment, bytes);
    if address.is_null() {
        // SAFETY: `errno` of the running thread lives as long as the thread, and only that thread writes it.
        unsafe { *::libc::__errno_location() = errno };
        return ::libc::ENOMEM;
    }
    // SAFETY: by the caller's promise `result` is writable; nobody else knows the new block.
    unsafe { *result = address };
    0
}

/// Allocates a block that begins a page.
#[no_mangle]
pub extern "C" fn valloc(bytes: usize) -> *mut c_void {
    allocate_aligned(PAGE, bytes)
}

/// Allocates whole pages, as many as hold `bytes` bytes.
#[no_mangle]
pub extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    match bytes.checked_next_multiple_of(PAGE) {
        Some(bytes) => allocate_aligned(PAGE, bytes),
        None => out_of_memory(),
    }
}

/// The number of bytes that were asked for: more are not there as far as the program may know.
///
/// # Safety
/// `address` is null or a block's that lives, as glibc asks for. In a region of ours any address is allowed.
#[no_mangle]
pub unsafe extern "C" fn malloc_usable_size(address: *mut c_void) -> usize {
    let at = address as usize;
    if at == 0 {
        return 0;
    }
    if !region::contains(at) {
        return native_calls::malloc_usable_size(address);
    }
    match block::look_up(at) {
        Known::Live(bytes) => bytes,
        _ => 0,
    }
}

/// C23 `free_sized`.
///
/// # Safety
/// As for [`free`], the program uses the block no more.
#[no_mangle]
pub unsafe extern "C" fn free_sized(address: *mut c_void, _bytes: usize) {
    // SAFETY: the caller promises what `free` asks for.
    unsafe { free(address) }
}

/// C23 `free_aligned_sized`.
///
/// # Safety
/// As for [`free`], the program uses the block no more.
#[no_mangle]
pub unsafe extern "C" fn free_aligned_sized(
    address: *mut c_void,
    _alignment: usize,
    _bytes: usize,
) {
    // SAFETY: the caller promises what `free` asks for.
    unsafe { free(address) }
}

/// Frees a block, under an obsolete name of `free`.
///
/// # Safety
/// As for [`free`], the program uses the block no more.
#[no_mangle]
pub unsafe extern "C" fn cfree(address: *mut c_void) {
    // SAFETY: the caller promises what `free` asks for.
    unsafe { free(address) }
}

/// Trims nothing, and says so by 0: freed blocks keep their contents.
#[no_mangle]
pub extern "C" fn malloc_trim(_pad: usize) -> c_int {
    0
}

/// Accepts every option, and ignores it.
#[no_mangle]
pub extern "C" fn mallopt(_option: c_int, _value: c_int) -> c_int {
    1
}

/// Returns statistics that are all zero.
#[no_mangle]
pub extern "C" fn mallinfo() -> ::libc::mallinfo {
    // SAFETY: numbers, for which zero is a value.
    unsafe { core::mem::zeroed() }
}

/// Returns statistics that are all zero.
#[no_mangle]
pub extern "C" fn mallinfo2() -> ::libc::mallinfo2 {
    // SAFETY: numbers, for which zero is a value.
    unsafe { core::mem::zeroed() }
}

/// Prints nothing: the heap keeps no statistics.
#[no_mangle]
pub extern "C" fn malloc_stats() {}
