//! Whether the program locks FILEs itself.
//!
//! Every stdio call takes the FILE's lock, which matters only if somebody holds it across calls
//! (`flockfile`). Then each call is a lock and an unlock; otherwise one event is enough. Which of
//! the two must be the same in all executions, so it is decided at the root, by looking whether any
//! loaded object imports the function.

use crate::state::Kept;
use core::ffi::{c_char, c_int, c_void, CStr};
use core::sync::atomic::{AtomicBool, Ordering};

static MODELLED: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Returns whether calls on a FILE take the lock `object::guard(FILE)`. If not, `flockfile` must be
/// refused.
#[inline]
pub fn modelled() -> bool {
    MODELLED.load(Ordering::Relaxed)
}

/// Decides, at the root.
pub fn decide() {
    let mut found = false;
    // SAFETY: the callback gets back the pointer to the flag, which outlives the call.
    unsafe { ::libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    MODELLED.store(found, Ordering::Relaxed);
}

unsafe extern "C" fn visit(
    info: *mut ::libc::dl_phdr_info,
    _size: usize,
    found: *mut c_void,
) -> c_int {
    // SAFETY: ld.so's description of a loaded object, and our flag.
    unsafe {
        let imports = imports_lock(&*info);
        *found.cast::<bool>() |= imports;
        c_int::from(imports)
    }
}

const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

/// Returns whether an undefined symbol of the object is one of the FILE locks.
///
/// # Safety
/// `info` describes a loaded ELF object.
unsafe fn imports_lock(info: &::libc::dl_phdr_info) -> bool {
    let base = info.dlpi_addr;
    // SAFETY: `info` describes a loaded object, as this function's caller guarantees; the dynamic
    // section ends with DT_NULL, and ld.so has made its addresses absolute (where it has not, in
    // the vDSO, they are below the base).
    unsafe {
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let Some(dynamic) = headers
            .iter()
            .find(|header| header.p_type == ::libc::PT_DYNAMIC)
        else {
            return false;
        };
        let mut entry = (base + dynamic.p_vaddr) as *const [u64; 2];
        let (mut symbols, mut strings, mut count) = (0u64, 0u64, 0u64);
        while (*entry)[0] != DT_NULL {
            let [tag, value] = *entry;
            let address = if value < base { value + base } else { value };
            match tag {
                DT_SYMTAB => symbols = address,
                DT_STRTAB => strings = address,
                // The second word counts all symbols.
                DT_HASH => count = count.max(u64::from((*(address as *const [u32; 2]))[1])),
                // The second word is the first hashed symbol; undefined ones come before it.
                DT_GNU_HASH => count = count.max(u64::from((*(address as *const [u32; 2]))[1])),
                _ => {}
            }
            entry = entry.add(1);
        }
        if symbols == 0 || strings == 0 {
            return false;
        }
        (1..count).any(|k| {
            let symbol = &*(symbols as *const ::libc::Elf64_Sym).add(k as usize);
            let name = CStr::from_ptr((strings + u64::from(symbol.st_name)) as *const c_char);
            symbol.st_shndx == 0 && matches!(name.to_bytes(), b"flockfile" | b"ftrylockfile")
        })
    }
}
