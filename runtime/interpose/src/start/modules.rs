//! What an instrumented module says of itself when it is loaded.

use crate::process::{self, modules};
use crate::pthread::uninitialized_mutexes;
use core::ffi::c_void;
use dpor_abi::ModuleInfo;

/// Takes note of an instrumented module that was loaded: its constructor calls.
#[no_mangle]
pub extern "C" fn __dpor_module(module: *const c_void) {
    let module: *const ModuleInfo = module.cast();
    // SAFETY: the constructor that the pass emitted passes the module's own record.
    let version = unsafe { (*module).abi_version };
    if version != dpor_abi::ABI_VERSION {
        process::refuse(&format!(
            "a module was instrumented for version {version} of the runtime, this one has version {}: build it again",
            dpor_abi::ABI_VERSION
        ));
    }
    // SAFETY: the record is the pass's, live as long as the module is loaded, and constructors run one after the other.
    unsafe {
        uninitialized_mutexes::module_loaded(module);
        modules::add(module);
    }
}
