//! Who uses a mutex of zeros, and whether it may be one by the initializer of somebody who does not know
//! of marks.
//!
//! *The caller* counts if the call is one that instrumented code announced, of a function on mutexes and
//! of no other: then it is not a library that calls. In a module without marks it does not count. C11's
//! functions are for mutexes that `mtx_init` made, which always leaves a mark, so that any caller does.
//!
//! *The memory* is a variable of a module with marks, or a block of the heap or on a stack if no code
//! without marks is loaded that knows of mutexes: no library without instrumentation, but for the C and
//! C++ libraries themselves, that imports a function on them, and no instrumented module that calls one and
//! was compiled without the header. Of other memory (thread-local, mapped) nobody knows.
//!
//! Not seen: objects without instrumentation that are linked into the program or into an instrumented
//! library, and initialize by assignment what a module with marks locks.

use crate::libc::opaque;
use crate::state::Kept;
use crate::{engine, process};
use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use dpor_abi::initializer::{flag, PREFIX};
use dpor_abi::{site_flag, ModuleInfo};
use dpor_machine::heap;

/// The code that uses a mutex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A module with marks, as POSIX has it.
    Posix,
    /// Any module, as C11 has it.
    C11,
}

extern "C" {
    fn pthread_mutex_lock();
    fn pthread_mutex_trylock();
    fn pthread_mutex_timedlock();
    fn pthread_mutex_clocklock();
    fn pthread_cond_wait();
    fn pthread_cond_timedwait();
    fn pthread_cond_clockwait();
    fn mtx_lock();
    fn mtx_trylock();
    fn mtx_timedlock();
    fn cnd_wait();
    fn cnd_timedwait();
}

/// Returns which code makes the present call; `None`: code that does not count.
pub fn caller() -> Option<Caller> {
    const POSIX: [unsafe extern "C" fn(); 7] = [
        pthread_mutex_lock,
        pthread_mutex_trylock,
        pthread_mutex_timedlock,
        pthread_mutex_clocklock,
        pthread_cond_wait,
        pthread_cond_timedwait,
        pthread_cond_clockwait,
    ];
    const C11: [unsafe extern "C" fn(); 5] = [
        mtx_lock,
        mtx_trylock,
        mtx_timedlock,
        cnd_wait,
        cnd_timedwait,
    ];
    let callee = opaque::announced_callee()?;
    let is_one =
        |of: &[unsafe extern "C" fn()]| of.iter().any(|&f| f as *const () as usize == callee);
    if is_one(&C11) {
        return Some(Caller::C11);
    }
    let has_marks = || engine::sites::flags(engine::site()) & site_flag::MARKED != 0;
    (is_one(&POSIX) && has_marks()).then_some(Caller::Posix)
}

/// Returns whether somebody may have initialized a mutex of zeros at this address.
pub fn may_be_initialized(caller: Caller, address: usize) -> bool {
    if caller == Caller::C11 || is_variable(address) {
        return false;
    }
    let is_judged = heap::block_at(address).is_some() || engine::is_on_stack(address);
    !is_judged || has_code_without_marks()
}

// Variables of modules with marks.

/// First and last byte of each.
static VARIABLES: Kept<AtomicPtr<Vec<(usize, usize)>>> =
    Kept::new(AtomicPtr::new(core::ptr::null_mut()));

/// Notes the variables of modules from now on.
pub fn be_strict() {
    VARIABLES.store(Box::into_raw(Box::default()), Ordering::Relaxed);
}

/// Learns the variables of a module.
///
/// # Safety
/// The pass wrote the record.
pub unsafe fn module_loaded(module: *const ModuleInfo) {
    // SAFETY: constructors run one after the other; never freed.
    let Some(known) = (unsafe { VARIABLES.load(Ordering::Relaxed).as_ref() }) else {
        return;
    };
    let mut all = known.clone();
    // SAFETY: the module's list is null or ends with a null, as this function's caller guarantees,
    // and nobody writes it.
    unsafe {
        let mut next = (*module).variables;
        while !next.is_null() && !(*next).start.is_null() {
            let start = (*next).start as usize;
            all.push((start, start + (*next).bytes as usize - 1));
            next = next.add(1);
        }
    }
    all.sort_unstable();
    VARIABLES.store(Box::into_raw(Box::new(all)), Ordering::Relaxed);
}

fn is_variable(address: usize) -> bool {
    // SAFETY: `VARIABLES` is null or a leaked box, which nobody frees; a new one replaces it as a
    // whole.
    let all = unsafe { VARIABLES.load(Ordering::Relaxed).as_ref() };
    all.is_some_and(|all| {
        let after = all.partition_point(|&(first, _)| first <= address);
        after > 0 && address <= all[after - 1].1
    })
}

// Code that may make mutexes without marks.

/// Whether code is loaded that may make mutexes without marks, and for which set of code that was
/// found out: twice the number of libraries and modules that were loaded then, plus one if there is
/// such code.
static WITHOUT_MARKS: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(usize::MAX));

fn has_code_without_marks() -> bool {
    let libraries = libraries();
    let modules = process::modules();
    let count = 2 * (libraries.len() + modules.len());
    let known = WITHOUT_MARKS.load(Ordering::Relaxed);
    if known & !1 == count {
        return known & 1 == 1;
    }
    // SAFETY: records of modules that the pass wrote.
    let unmarked = |&module: &usize| unsafe {
        (*(module as *const ModuleInfo)).initializers & flag::UNMARKED != 0
    };
    let found = modules.iter().any(unmarked)
        || libraries
            .iter()
            .any(|library| library.is_suspect(&libraries, &modules));
    WITHOUT_MARKS.store(count | usize::from(found), Ordering::Relaxed);
    found
}

/// A loaded object, as far as mutexes are concerned.
struct Library {
    base: usize,
    dynamic: usize,
    name: &'static [u8],
}

/// Libraries that make no mutexes for others to lock, but where their headers do.
const KNOWN: [&[u8]; 16] = [
    b"libc.so.",
    b"ld-linux-x86-64.so.",
    b"libpthread.so.",
    b"libm.so.",
    b"librt.so.",
    b"libdl.so.",
    b"libresolv.so.",
    b"libnss_",
    b"libanl.so.",
    b"libutil.so.",
    b"libstdc++.so.",
    b"libc++.so.",
    b"libc++abi.so.",
    b"libgcc_s.so.",
    b"linux-vdso.so.",
    b"libdpor_rt.so",
];

/// Returns all loaded objects, the program first.
fn libraries() -> Vec<Library> {
    let mut all = Vec::new();
    engine::each_loaded(&mut |base, name, dynamic| {
        // SAFETY: the linker's own string, of an object that stays loaded.
        let path = unsafe { CStr::from_ptr(name as *const c_char) }.to_bytes();
        all.push(Library {
            base,
            dynamic,
            name: path.rsplit(|&byte| byte == b'/').next().unwrap_or(path),
        });
    });
    all
}

impl Library {
    /// Returns whether the library is code without instrumentation that knows of mutexes.
    fn is_suspect(&self, all: &[Library], modules: &[usize]) -> bool {
        let is_known = KNOWN.iter().any(|known| self.name.starts_with(known));
        if is_known || self.is_instrumented(all, modules) {
            return false;
        }
        // SAFETY: `self.base` and `self.dynamic` are those of an object that is loaded, whose
        // tables the linker leaves alone.
        let (symbols, _) = unsafe { opaque::symbols(self.base, self.dynamic) };
        let knows = |name: &[u8]| name.starts_with(PREFIX.as_bytes()) || name.starts_with(b"mtx_");
        symbols.imports(knows).unwrap_or(true)
    }

    /// Returns whether the library holds one of the instrumented modules: it is the last object
    /// that begins before the module.
    fn is_instrumented(&self, all: &[Library], modules: &[usize]) -> bool {
        let is_here = |module: &usize| {
            let bases = all.iter().map(|other| other.base);
            bases.filter(|base| base <= module).max() == Some(self.base)
        };
        modules.iter().any(is_here)
    }
}
