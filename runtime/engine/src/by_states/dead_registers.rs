//! Values that functions of the program left in registers and will not read again, made zeros where states are remembered.
//!
//! A thread that stands in a call holds them in the registers that the call preserves, and in frames of functions that
//! preserve them for their callers. They would tell two states apart that behave alike. [`dpor_liveness`] reads off the
//! program's code which they are; in code without instrumentation only what its frames keep for others is looked at, and
//! the walk ends where the runtime's or libc's own frames begin.

use crate::loaded;
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::process;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_abi::{module_flag, ModuleInfo};
use dpor_liveness::{Caller, Frames, Part};
use dpor_machine::call_frames::Object;
use dpor_machine::state::Kept;
use dpor_report::LoadedObject;

static FRAMES: Kept<AtomicPtr<Frames>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Looks up where the program's parts have their code. At the root, if states are remembered.
pub fn at_root() {
    let modules = process::modules();
    let parts = loaded::objects();
    let parts = parts.iter().filter_map(|object| part(object, &modules));
    FRAMES.store(
        Box::into_raw(Box::new(Frames::new(parts.collect()))),
        Ordering::Relaxed,
    );
}

/// An object whose frames may be walked along; `None` of the runtime itself, libc and the dynamic linker, parts of which
/// are written in assembly.
fn part(object: &LoadedObject, modules: &[usize]) -> Option<Part> {
    let name = object.path.rsplit('/').next().unwrap_or("");
    let is_low = ["libc.so", "libc-", "ld-linux", "linux-vdso"]
        .iter()
        .any(|low| name.starts_with(low));
    if is_low || crate::own_image::is_own(object.start as usize) {
        return None;
    }
    // SAFETY: the linker mapped the object whole, and what is loaded at the root stays: with `--states` a program that takes
    // memory away is unsupported.
    let frames = unsafe { Object::of_headers(object.base as usize, crate::headers_of(object)) };
    Some(Part::new(frames?, is_judged(object, modules)))
}

/// True if the object is instrumented, and no function of it is called in another way than C's.
fn is_judged(object: &LoadedObject, modules: &[usize]) -> bool {
    let own = modules
        .iter()
        .filter(|&&module| (object.start..object.end).contains(&(module as u64)));
    // SAFETY: records that the pass emitted, of modules that are loaded.
    let mut flags = own
        .map(|&module| unsafe { (*(module as *const ModuleInfo)).flags })
        .peekable();
    flags.peek().is_some() && flags.all(|flags| flags & module_flag::OTHER_CONVENTIONS == 0)
}

/// Makes zeros of the dead registers of the functions that wait for a call to return, whose innermost one called the
/// runtime.
pub extern "C" fn forget(caller: &mut Caller) {
    let frames = FRAMES.load(Ordering::Relaxed);
    if frames.is_null() || !crate::active() || keeps() {
        return;
    }
    let (low, bytes) = crate::stack_of(crate::thread());
    // SAFETY: the table is never freed, and used by one fiber at a time: no event comes meanwhile. `caller` is what the
    // hook's entry found on this fiber's stack. That compilers' call frame information is right is what unwinding needs,
    // too.
    unsafe { (*frames).overwrite_dead(caller, &(low..low + bytes), instead()) };
}

/// What a dead register holds then.
#[cfg(not(feature = "mutations"))]
fn instead() -> u64 {
    0
}

#[cfg(not(feature = "mutations"))]
fn keeps() -> bool {
    false
}

#[cfg(feature = "mutations")]
fn instead() -> u64 {
    match mutations::does(Mutation::RubbishDead) {
        true => 0xdead_0bad_dead_0bad,
        false => 0,
    }
}

#[cfg(feature = "mutations")]
fn keeps() -> bool {
    mutations::does(Mutation::KeepsDead)
}
