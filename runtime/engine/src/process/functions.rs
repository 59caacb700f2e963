//! Functions of which it is known what they read: those of instrumented modules, and those of a few libraries.

use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use dpor_abi::ModuleInfo;
use dpor_machine::state::Kept;

/// Functions that instrumented modules list, in order.
static FUNCTIONS: Kept<AtomicPtr<Vec<usize>>> = Kept::new(AtomicPtr::new(core::ptr::null_mut()));

const CACHED: usize = 256;

/// Functions that were found in that list, each where its address says.
static CACHE: Kept<[AtomicUsize; CACHED]> = Kept::new([const { AtomicUsize::new(0) }; CACHED]);

/// Adds the functions that a module lists.
///
/// # Safety
/// The pass wrote the record.
pub(crate) unsafe fn add(module: *const ModuleInfo) {
    // SAFETY: constructors run one after the other; never freed.
    let known = unsafe { FUNCTIONS.load(Ordering::Relaxed).as_ref() };
    let mut all = known.cloned().unwrap_or_default();
    // SAFETY: the module's list is null or ends with a null, as this function's caller guarantees,
    // and nobody writes it.
    unsafe {
        let mut next = (*module).functions;
        while !next.is_null() && !(*next).is_null() {
            all.push(*next as usize);
            next = next.add(1);
        }
    }
    all.sort_unstable();
    FUNCTIONS.store(Box::into_raw(Box::new(all)), Ordering::Relaxed);
}

/// Returns whether instrumented code begins at an address, and code outside its module may call it.
pub fn is_instrumented(function: usize) -> bool {
    let cached = &CACHE[function >> 4 & (CACHED - 1)];
    if function == 0 || cached.load(Ordering::Relaxed) == function {
        return function != 0;
    }
    // SAFETY: `FUNCTIONS` is null or a leaked box, which nobody frees; a new one replaces it as a
    // whole.
    let all = unsafe { FUNCTIONS.load(Ordering::Relaxed).as_ref() };
    let found = all.is_some_and(|all| all.binary_search(&function).is_ok());
    if found {
        cached.store(function, Ordering::Relaxed);
    }
    found
}

/// Libraries whose own functions, given to the runtime to be called, read only what they are given:
/// the body with which C++'s library begins its threads, `free` as a destructor.
const LIBRARIES: [&str; 3] = ["libstdc++.so", "libc++.so", "libdpor_rt.so"];

/// Returns whether a function is of a library whose own functions, given to the runtime to be called, read only what
/// they are given.
pub fn is_of_a_known_library(function: usize) -> bool {
    // SAFETY: all zero is a valid value.
    let mut found: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: the call only reads the linker's tables, and fills the local result.
    let known = unsafe { libc::dladdr(function as *const _, &mut found) } != 0;
    if !known || found.dli_fname.is_null() {
        return false;
    }
    // SAFETY: the linker found the object, so its name ends with a NUL and stays as long as the
    // object.
    let path = unsafe { CStr::from_ptr(found.dli_fname as *const c_char) };
    let name = path.to_str().unwrap_or("").rsplit('/').next();
    let of_library = name.is_some_and(|name| LIBRARIES.iter().any(|l| name.starts_with(l)));
    if of_library {
        CACHE[function >> 4 & (CACHED - 1)].store(function, Ordering::Relaxed);
    }
    of_library
}
