//! The functions we stand in for, as libc has them. No other file calls `dlsym`.

use core::ffi::{c_char, c_int, c_void, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A libc function, looked up at its first use or at the root.
#[repr(C)]
pub struct Real {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Real {
    /// Makes a function that was not looked up yet.
    pub const fn new(name: &'static CStr) -> Self {
        Real {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Returns the address of the function in the next object after the runtime in the search
    /// order; null if there is none.
    pub fn get(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let found = next(self.name);
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Returns the address of a name as the program sees it; 0 if nobody has it.
pub fn visible(name: &CStr) -> usize {
    // SAFETY: the call reads the name, which ends with a NUL, and the linker's tables.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}

/// Looks up all that `real!` names, so that none is looked up while the program is explored:
/// that writes to pages of the dynamic linker's, which would be copied back ever after.
pub fn resolve_all() {
    extern "C" {
        /// Begin of the section that `real!` puts its statics into, by the linker.
        #[link_name = "__start_dpor_real"]
        static BEGIN: u8;
        /// End of that section, by the linker.
        #[link_name = "__stop_dpor_real"]
        static END: u8;
    }
    // SAFETY: the section holds nothing but `Kept<Real>`s, which are `Real`s, back to back.
    let all = unsafe {
        let begin = (&raw const BEGIN).cast::<Real>();
        let end = (&raw const END).cast::<Real>();
        core::slice::from_raw_parts(begin, end.offset_from_unsigned(begin))
    };
    for function in all {
        function.get();
    }
}

/// Returns the definition of `name` that comes after ours.
pub fn next(name: &CStr) -> *mut c_void {
    // SAFETY: the name is NUL-terminated; dlsym has no other precondition.
    unsafe { dlsym(::libc::RTLD_NEXT, name.as_ptr()) }
}

/// Returns the definition of `name` that the whole process uses.
pub fn first(name: &CStr) -> *mut c_void {
    // SAFETY: `dlsym` reads the name, which ends with a NUL, and the linker's tables, which it
    // locks.
    unsafe { dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `real!(pthread_create: fn(A, B) -> C)`: libc's own function, as an `unsafe extern "C" fn`.
#[macro_export]
macro_rules! real {
    ($name:ident : fn($($argument:ty),* $(,)?) $(-> $result:ty)?) => {{
        // Used, or the optimizer takes it apart.
        #[used]
        #[link_section = "dpor_real"]
        static REAL: ::dpor_machine::state::Kept<$crate::real::Real> = ::dpor_machine::state::Kept::new($crate::real::Real::new(
            // SAFETY: the literal ends with its only NUL.
            unsafe { core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }));
        let address = REAL.get();
        // SAFETY: the address is libc's function of that name; whoever writes the macro's call has
        // its C signature from the standard.
        unsafe { core::mem::transmute::<*mut core::ffi::c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(address) }
    }};
}

/// Calls libc's `exit`, which runs the handlers.
pub fn exit(code: c_int) -> ! {
    let exit = real!(exit: fn(c_int) -> !);
    // SAFETY: the caller is in a call of `exit`, so the handlers may run.
    unsafe { exit(code) }
}
