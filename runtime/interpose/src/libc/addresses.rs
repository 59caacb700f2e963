//! Where libc's functions of the table of events are.

use super::access::token;
use crate::real;
use crate::state::Kept;
use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_abi::libc_call::CALLS;

/// Addresses of libc's functions, once known.
static ADDRESSES: Kept<[AtomicUsize; CALLS.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; CALLS.len()]);

/// Looks all functions up, so that none is looked up while the program is explored.
pub fn resolve_all() {
    for index in 0..CALLS.len() {
        look_up(index);
    }
}

/// Returns the address of libc's function number `index`; 0 if it was never called.
pub fn address_of(index: usize) -> usize {
    ADDRESSES[index].load(Ordering::Relaxed)
}

/// Looks libc's function number `index` up and returns its address; 0 if libc has none of that name.
fn look_up(index: usize) -> usize {
    let mut name = [0u8; 64];
    let text = CALLS[index].name.as_bytes();
    name[..text.len()].copy_from_slice(text);
    let Ok(name) = CStr::from_bytes_until_nul(&name) else {
        return 0;
    };
    // Natively there is no world that could keep its place.
    let is_ours = CALLS[index].name == "strtok" && crate::process::options().is_some();
    let address = match is_ours {
        true => token::strtok as *const () as usize,
        false => real::next(name) as usize,
    };
    ADDRESSES[index].store(address, Ordering::Relaxed);
    address
}

/// Returns the address of libc's function number `index`, which is looked up if it was not yet; 0 if libc has none of
/// that name.
pub fn found(index: usize) -> usize {
    match address_of(index) {
        0 => look_up(index),
        known => known,
    }
}

/// Ends the process: the program was linked against a newer libc than it runs with.
#[cold]
pub fn missing(name: &str) -> ! {
    for text in ["dpor: libc has no function ", name, "\n"] {
        dpor_machine::sys::write_all(2, text.as_bytes());
    }
    dpor_machine::sys::exit_group(2)
}
