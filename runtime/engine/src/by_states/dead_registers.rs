//! Values that functions of the program left in registers and will not read again, made zeros where states are remembered.
//!
//! A thread that stands in a call holds them in the registers that the call preserves, and in frames of functions that
//! preserve them for their callers. They would tell two states apart that behave alike. [`dpor_liveness`] reads off the
//! program's code which they are; in code without instrumentation only what its frames keep for others is looked at, and
//! the walk ends where the runtime's or libc's own frames begin.

use crate::loaded;
use crate::process;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_abi::{module_flag, ModuleInfo};
use dpor_liveness::{Caller, Frames, Part};
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
    let headers = crate::headers_of(object);
    let range = |header: &libc::Elf64_Phdr| -> Range<usize> {
        let start = object.base as usize + header.p_vaddr as usize;
        start..start + header.p_memsz as usize
    };
    let constant: Vec<Range<usize>> = { headers.iter() }
        .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0)
        .map(range)
        .collect();
    let frames = { headers.iter() }.find(|header| header.p_type == libc::PT_GNU_EH_FRAME)?;
    // SAFETY: the linker mapped these segments readable, nobody can write them, and what is loaded at the root stays.
    unsafe { Part::new(range(frames), &constant, is_judged(object, modules)) }
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
    if frames.is_null() || !crate::active() {
        return;
    }
    let (low, bytes) = crate::stack_of(crate::thread());
    // SAFETY: the table is never freed, and used by one fiber at a time: no event comes meanwhile. `caller` is what the
    // hook's entry found on this fiber's stack. That compilers' call frame information is right is what unwinding needs,
    // too.
    unsafe { (*frames).overwrite_dead(caller, &(low..low + bytes), 0) };
}
