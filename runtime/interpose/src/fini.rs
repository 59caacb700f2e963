//! What the dynamic linker does when the process exits, left out where nobody can tell.
//!
//! After the exit handlers `_dl_fini` runs the destructors of every object. In a C program that
//! needs nothing but the C library these are those of the compiler's start-up files, which call
//! handlers that have run already. But it takes locks and counts in pages of the linker, of libc
//! and of libgcc, which would have to be copied back for every execution: more than all that a
//! small program changes itself.
//!
//! Left out only under exploration, and only if every object is either one of the C library's, or
//! the program with a single destructor (the start-up files') and an empty `_fini`; not after the
//! program mapped code.

use crate::engine;
use crate::libc::mapping;
use crate::state::Kept;
use core::ffi::{c_int, c_void, CStr};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static REAL: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
/// Whether nobody can tell if the linker's part takes place, as far as the objects go that are there at the root.
static TRIVIAL: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Objects without destructors that a program could notice.
const LIBRARIES: [&str; 9] = [
    "libdpor_rt.so",
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "ld-linux-x86-64.so.2",
    "linux-vdso.so.1",
];

/// `<elf.h>`.
const DT_NULL: u64 = 0;
const DT_FINI: u64 = 13;
const DT_FINI_ARRAYSZ: u64 = 28;

/// `_fini` of the start-up files: `sub rsp, 8; add rsp, 8; ret`.
const EMPTY: [u8; 9] = [0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3];
/// `endbr64`.
const LANDING: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// Keeps the linker's function; what to register in its place.
pub fn wrap(real: usize) -> usize {
    if real == 0 {
        return 0;
    }
    REAL.store(real, Ordering::Relaxed);
    leave_objects as *const () as usize
}

/// Looks at the objects. At the root.
pub fn at_root() {
    let mut trivial = true;
    // SAFETY: the callback gets the pointer while `trivial` lives.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut trivial).cast()) };
    TRIVIAL.store(trivial, Ordering::Relaxed);
}

extern "C" fn leave_objects() {
    let is_trivial = TRIVIAL.load(Ordering::Relaxed) && !mapping::is_code_mapped();
    if engine::active() && is_trivial {
        return;
    }
    // SAFETY: `_dl_fini`, as the startup code passed it.
    let real: extern "C" fn() = unsafe { core::mem::transmute(REAL.load(Ordering::Relaxed)) };
    real();
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, trivial: *mut c_void) -> c_int {
    // SAFETY: dl_iterate_phdr passes a valid record and the pointer given above.
    unsafe {
        let name = CStr::from_ptr((*info).dlpi_name).to_bytes();
        let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        let known = LIBRARIES.iter().any(|library| library.as_bytes() == file);
        let silent = known || name.is_empty() && has_only_startup_destructors(&*info);
        *trivial.cast::<bool>() &= silent;
    }
    0
}

/// Returns whether an object has the destructors that the compiler's start-up files bring, and no
/// others.
///
/// # Safety
/// `info` describes an object that stays loaded during the call.
unsafe fn has_only_startup_destructors(info: &libc::dl_phdr_info) -> bool {
    let (mut fini, mut array_bytes) = (0, 0);
    // SAFETY: program headers and the dynamic section of a loaded object.
    unsafe {
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let Some(dynamic) = headers.iter().find(|h| h.p_type == libc::PT_DYNAMIC) else {
            return false;
        };
        let mut entry = (info.dlpi_addr + dynamic.p_vaddr) as *const [u64; 2];
        while (*entry)[0] != DT_NULL {
            match (*entry)[0] {
                DT_FINI => fini = info.dlpi_addr + (*entry)[1],
                DT_FINI_ARRAYSZ => array_bytes = (*entry)[1],
                _ => {}
            }
            entry = entry.add(1);
        }
        if fini == 0 || array_bytes != 8 {
            return false;
        }
        let mut code = fini as *const u8;
        if code.cast::<[u8; 4]>().read_unaligned() == LANDING {
            code = code.add(4);
        }
        code.cast::<[u8; 9]>().read_unaligned() == EMPTY
    }
}
