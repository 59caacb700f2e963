//! The synchronization inside libgcc's unwinder, which is no event.
//!
//! The first exception fills a table of register sizes (`pthread_once`), and every exception may take
//! a lock to search the registered unwind tables. The table has one possible content, and programs
//! with `.eh_frame_hdr` (all that clang and gcc link) register nothing, so the search is the same
//! whoever comes first: events would only multiply executions by the orders of exceptions. Neither
//! has an operation inside, so no fiber is set aside in its middle.

use crate::state::Kept;
use ::libc::{dl_phdr_info, PT_LOAD};
use core::ffi::{c_int, c_void, CStr};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writable data of libgcc_s: first byte, and one past the last. The same in all executions.
static START: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static END: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Returns whether the mutex or control word at this address is the unwinder's.
#[inline]
pub fn contains(address: usize) -> bool {
    address >= START.load(Ordering::Relaxed) && address < END.load(Ordering::Relaxed)
}

/// Looks where the unwinder is.
pub(crate) fn at_root() {
    // SAFETY: the callback takes no data, and is called before this call returns.
    unsafe { ::libc::dl_iterate_phdr(Some(visit), core::ptr::null_mut()) };
}

unsafe extern "C" fn visit(info: *mut dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: ld.so's description of a loaded object; its name is a string.
    unsafe {
        let name = CStr::from_ptr((*info).dlpi_name).to_bytes();
        if !name.windows(LIBRARY.len()).any(|part| part == LIBRARY) {
            return 0;
        }
        let headers =
            core::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
        let writable = |header: &&::libc::Elf64_Phdr| {
            header.p_type == PT_LOAD && header.p_flags & ::libc::PF_W != 0
        };
        if let Some(data) = headers.iter().find(writable) {
            let start = ((*info).dlpi_addr + data.p_vaddr) as usize;
            START.store(start, Ordering::Relaxed);
            END.store(start + data.p_memsz as usize, Ordering::Relaxed);
        }
    }
    1
}

const LIBRARY: &[u8] = b"/libgcc_s.so.";
