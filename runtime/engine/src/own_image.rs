//! Where the runtime's own code and data are.

use core::ffi::c_void;
use dpor_machine::snapshot::Range;
use dpor_machine::state::Kept;
use dpor_machine::sys::PAGE;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The runtime's own segments.
fn find() -> Range {
    struct Search {
        address: usize,
        found: Range,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> i32 {
        // SAFETY: dl_iterate_phdr passes a valid record and the pointer given below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        let mut range = (usize::MAX, 0);
        for k in 0..info.dlpi_phnum as usize {
            // SAFETY: the array has `dlpi_phnum` entries.
            let header = unsafe { &*info.dlpi_phdr.add(k) };
            if header.p_type == libc::PT_LOAD {
                let start = info.dlpi_addr as usize + header.p_vaddr as usize;
                range = (
                    range.0.min(start & !(PAGE - 1)),
                    range
                        .1
                        .max((start + header.p_memsz as usize).next_multiple_of(PAGE)),
                );
            }
        }
        if range.0 <= search.address && search.address < range.1 {
            search.found = range;
        }
        0
    }
    let mut search = Search {
        address: find as *const () as usize,
        found: (0, 0),
    };
    // SAFETY: the callback gets the pointer while `search` lives.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

static IMAGE_START: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static IMAGE_END: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Looks the image up, at the root.
pub fn look_up() {
    let (start, end) = find();
    IMAGE_START.store(start, Ordering::Relaxed);
    IMAGE_END.store(end, Ordering::Relaxed);
}

/// Whether an instruction is the runtime's own. Looked up once, at the root: asking the dynamic
/// linker takes a lock.
pub fn is_own(instruction: usize) -> bool {
    (IMAGE_START.load(Ordering::Relaxed)..IMAGE_END.load(Ordering::Relaxed)).contains(&instruction)
}

/// The range of instructions from which system calls go straight to the kernel.
pub fn range() -> Range {
    (
        IMAGE_START.load(Ordering::Relaxed),
        IMAGE_END.load(Ordering::Relaxed),
    )
}
