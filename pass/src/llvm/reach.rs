//! What each function and variable is made of and refers to, as `reach.cc` finds it.

use super::sys::prelude::{LLVMModuleRef, LLVMValueRef};
use super::{Module, Value};
use dpor_abi::reach::{flag, key, Entry, Part};
use std::ffi::{c_char, c_int, c_uint, c_void};

type Tell = extern "C" fn(*mut c_void, *const c_char, usize, c_uint, *const u8);
type Refers = extern "C" fn(*mut c_void, c_uint, c_uint);

extern "C" {
    fn dpor_reach(
        module: LLVMModuleRef,
        info: LLVMValueRef,
        words: *mut u8,
        to: *mut c_void,
        tell: Tell,
        refers: Refers,
    ) -> c_int;
    fn dpor_append_assembly(module: LLVMModuleRef, start: *const c_char, length: usize);
}

extern "C" fn tell(
    to: *mut c_void,
    name: *const c_char,
    length: usize,
    kind: c_uint,
    digest: *const u8,
) {
    // SAFETY: `reach` passed its part, which nobody else uses meanwhile.
    let part = unsafe { &mut *to.cast::<Part>() };
    // SAFETY: the name has `length` bytes and is kept until this returns.
    let name = unsafe { std::slice::from_raw_parts(name.cast::<u8>(), length) };
    // SAFETY: a digest has 16 bytes, of no alignment.
    let digest = unsafe { digest.cast::<[u8; 16]>().read() };
    part.entries.push(Entry {
        key: key(name),
        kind: kind as u8,
        digest,
        refers: Vec::new(),
    });
}

extern "C" fn refers(to: *mut c_void, entry: c_uint, other: c_uint) {
    // SAFETY: `reach` passed its part, which nobody else uses meanwhile.
    let part = unsafe { &mut *to.cast::<Part>() };
    part.entries[entry as usize].refers.push(other);
}

impl Module {
    /// The record of the module. `info`: the variable with its [`dpor_abi::ModuleInfo`].
    pub fn reach(self, info: Value) -> Part {
        let mut part = Part::default();
        let mut words = [0; 16];
        // SAFETY: the handle rule; `words` has room for a digest, and the two functions take `part` for what it is.
        let unknown = unsafe {
            dpor_reach(
                self.raw(),
                info.0,
                words.as_mut_ptr(),
                (&raw mut part).cast(),
                tell,
                refers,
            )
        };
        part.words = words;
        if unknown != 0 {
            part.flags |= flag::UNKNOWN;
        }
        part
    }

    /// Appends text to the assembly that stands beside the functions.
    pub fn append_assembly(self, text: &str) {
        // SAFETY: the handle rule; the text is passed with its length.
        unsafe { dpor_append_assembly(self.raw(), text.as_ptr().cast(), text.len()) }
    }
}
