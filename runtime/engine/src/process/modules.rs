//! The program's instrumented modules, and which memory is the program's itself.

use super::functions;
use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_abi::{module_flag, ModuleInfo, MODULE_MAGIC};
use dpor_machine::probe;
use dpor_machine::state::Kept;
use dpor_report::text;
use std::collections::BTreeSet;

static MODULES: Kept<AtomicPtr<Vec<usize>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Adds a module, and the functions that it lists.
///
/// # Safety
/// `module` is the record that the pass emitted, live as long as the module is loaded. Constructors call, which run
/// one after the other.
pub unsafe fn add(module: *const ModuleInfo) {
    // SAFETY: the record is the pass's, as the caller promises.
    unsafe { functions::add(module) };
    // SAFETY: null, or a box that is never freed; constructors run one after the other.
    let mut modules = unsafe { MODULES.load(Ordering::Relaxed).as_ref() }
        .cloned()
        .unwrap_or_default();
    modules.push(module as usize);
    MODULES.store(Box::into_raw(Box::new(modules)), Ordering::Relaxed);
}

/// Addresses of the records of instrumented modules that are loaded: of a library that the program has unloaded again
/// nothing is there, or what was loaded in its place.
pub fn modules() -> Vec<usize> {
    // SAFETY: null, or a list that a module's constructor put there, which is never freed and only grows by being
    // replaced.
    let added = unsafe { MODULES.load(Ordering::Relaxed).as_ref() };
    // The record begins with a number; one that was loaded again was added again.
    let mut seen = BTreeSet::new();
    let is_there =
        |&module: &usize| probe::word(module).map(|word| word as u32) == Some(MODULE_MAGIC);
    let all = added.into_iter().flatten().copied();
    all.filter(|module| is_there(module) && seen.insert(*module))
        .collect()
}

/// A note if another compiler than clang instrumented a module, which tells of less.
pub fn by_other_compiler() -> Option<String> {
    // SAFETY: records that the pass or `dpor-gcc` emitted, of modules that are loaded.
    let is_other = |&module: &usize| unsafe { (*(module as *const ModuleInfo)).llvm_version == 0 };
    let all = modules();
    { all.iter().any(is_other) }.then(|| text::OF_OTHER_COMPILER.to_owned())
}

/// A note if assertions are compiled out of instrumented modules: of which, unless it is all of them.
pub fn without_assertions() -> Option<String> {
    let all = modules();
    // SAFETY: records that the pass emitted, of modules that are loaded.
    let infos = all
        .iter()
        .map(|&module| unsafe { &*(module as *const ModuleInfo) });
    let without: Vec<&ModuleInfo> = infos
        .filter(|info| info.flags & module_flag::NDEBUG != 0)
        .collect();
    if without.is_empty() {
        return None;
    }
    let note = text::WITHOUT_ASSERTIONS.to_owned();
    if without.len() == all.len() {
        return Some(note);
    }
    let names = without.iter().take(MODULES_NAMED).map(|info| {
        // SAFETY: the pass emitted a NUL-terminated name.
        unsafe { CStr::from_ptr(info.name) }.to_string_lossy()
    });
    let names = names.collect::<Vec<_>>().join(", ");
    let more = match without.len().saturating_sub(MODULES_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{note} of {names}{more}"))
}

/// So many modules are named.
const MODULES_NAMED: usize = 4;
