//! Questions about instructions that the C API leaves open, answered by `shim.cc`.

use super::sys::prelude::{LLVMModuleRef, LLVMValueRef};
use super::{Module, Value};
use dpor_abi::uninstrumented::Reads;
use std::ffi::{c_char, c_int, c_uint};

extern "C" {
    fn dpor_pointer_base(
        module: LLVMModuleRef,
        pointer: LLVMValueRef,
        offset: *mut i64,
        known: *mut c_int,
    ) -> LLVMValueRef;
    fn dpor_ordering(instruction: LLVMValueRef) -> c_int;
    fn dpor_failure_ordering(instruction: LLVMValueRef) -> c_int;
    fn dpor_is_weak(instruction: LLVMValueRef) -> c_int;
    fn dpor_is_volatile(instruction: LLVMValueRef) -> c_int;
    fn dpor_is_single_thread(instruction: LLVMValueRef) -> c_int;
    fn dpor_rmw_name(instruction: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn dpor_call_reaches_memory(instruction: LLVMValueRef) -> c_int;
    fn dpor_call_reads(instruction: LLVMValueRef) -> c_int;
    fn dpor_argument_not_read(instruction: LLVMValueRef, index: c_uint) -> c_int;
    fn dpor_argument_not_captured(instruction: LLVMValueRef, index: c_uint) -> c_int;
    fn dpor_address_from_table(function: LLVMValueRef);
    fn dpor_may_be_speculated(instruction: LLVMValueRef) -> c_int;
    fn dpor_only_computes(instruction: LLVMValueRef) -> c_int;
    fn dpor_split_before(instruction: LLVMValueRef, condition: LLVMValueRef) -> LLVMValueRef;
    fn dpor_is_swifterror(pointer: LLVMValueRef) -> c_int;
    fn dpor_asm_text(assembly: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn dpor_asm_constraints(assembly: LLVMValueRef, length: *mut usize) -> *const c_char;
}

/// Copies a text that the shim hands out as pointer and length.
pub(super) fn text(ask: impl FnOnce(*mut usize) -> *const c_char) -> String {
    let mut length = 0;
    let start = ask(&mut length);
    if start.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: the shim returned `length` bytes that LLVM owns and nothing frees meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl Module {
    /// The object that a pointer points into, and the offset in bytes if that is a constant.
    pub fn pointer_base(self, pointer: Value) -> (Value, Option<i64>) {
        let (mut offset, mut known) = (0, 0);
        // SAFETY: the handle rule; callers pass pointers, and the shim answers with a value for each.
        let base =
            unsafe { dpor_pointer_base(self.raw(), pointer.0, &raw mut offset, &raw mut known) };
        (Value(base), (known != 0).then_some(offset))
    }
}

impl Value {
    /// Memory order of an access or fence, with the numbers of [`dpor_abi::order`]; 0: not atomic.
    pub fn ordering(self) -> u32 {
        // SAFETY: the handle rule; answers 0 for anything but the five atomic instructions.
        unsafe { dpor_ordering(self.0) as u32 }
    }

    /// Memory order of a `cmpxchg` that fails.
    pub fn failure_ordering(self) -> u32 {
        // SAFETY: the handle rule; callers ask `cmpxchg` only.
        unsafe { dpor_failure_ordering(self.0) as u32 }
    }

    /// True for a `cmpxchg` that may fail though the values are equal.
    pub fn is_weak(self) -> bool {
        // SAFETY: the handle rule; callers ask `cmpxchg` only.
        unsafe { dpor_is_weak(self.0) != 0 }
    }

    /// True for volatile accesses and volatile memory intrinsics.
    pub fn is_volatile(self) -> bool {
        // SAFETY: the handle rule; callers ask instructions.
        unsafe { dpor_is_volatile(self.0) != 0 }
    }

    /// True if this atomic instruction orders against signal handlers of its own thread only.
    pub fn is_single_thread(self) -> bool {
        // SAFETY: the handle rule; callers ask instructions.
        unsafe { dpor_is_single_thread(self.0) != 0 }
    }

    /// LLVM's name for the operator of an `atomicrmw`.
    pub fn rmw_name(self) -> String {
        // SAFETY: the handle rule; callers ask `atomicrmw` only.
        text(|length| unsafe { dpor_rmw_name(self.0, length) })
    }

    /// True if the call may read or write memory that the program can see.
    pub fn call_reaches_memory(self) -> bool {
        // SAFETY: the handle rule; callers ask calls.
        unsafe { dpor_call_reaches_memory(self.0) != 0 }
    }

    /// True if LLVM may make this instruction where the program does not.
    pub fn may_be_speculated(self) -> bool {
        // SAFETY: the handle rule; callers ask instructions.
        unsafe { dpor_may_be_speculated(self.0) != 0 }
    }

    /// True if the instruction does nothing but compute a value from its operands.
    pub fn only_computes(self) -> bool {
        // SAFETY: the handle rule; callers ask instructions.
        unsafe { dpor_only_computes(self.0) != 0 }
    }

    /// The memory of the program that the call may read, as far as its attributes say.
    pub fn call_reads(self) -> Reads {
        // SAFETY: the handle rule; callers ask calls.
        match unsafe { dpor_call_reads(self.0) } {
            0 => Reads::Nothing,
            1 => Reads::Arguments { but: None },
            _ => Reads::Anything,
        }
    }

    /// True if the call promises not to read through argument `index`.
    pub fn argument_not_read(self, index: u32) -> bool {
        // SAFETY: the handle rule; callers ask calls, with an index below `argument_count`.
        unsafe { dpor_argument_not_read(self.0, index) != 0 }
    }

    /// True if the call promises to keep no copy of argument `index`.
    pub fn argument_not_captured(self, index: u32) -> bool {
        // SAFETY: the handle rule; callers ask calls, with an index below `argument_count`.
        unsafe { dpor_argument_not_captured(self.0, index) != 0 }
    }

    /// Lets the address of a declared function be taken in every kind of executable. Nothing else is
    /// changed.
    pub fn take_address_from_table(self) {
        // SAFETY: `self` is a live function of the module, which only this thread changes (the handle rule).
        unsafe { dpor_address_from_table(self.0) }
    }

    /// Splits the block of an instruction in front of it, with a block that control goes through if the `i1`
    /// holds, which is unlikely. The end of that block.
    pub fn split_before(self, condition: Value) -> Value {
        // SAFETY: the handle rule; callers pass an instruction behind the phis, and a condition that is computed
        // in front of it.
        Value(unsafe { dpor_split_before(self.0, condition.0) })
    }

    /// True for a pointer that only stands for a register (Swift's error register).
    pub fn is_swifterror(self) -> bool {
        // SAFETY: `self` is a live value of the module, which only this thread changes (the handle rule).
        unsafe { dpor_is_swifterror(self.0) != 0 }
    }

    /// Text of inline assembly.
    pub fn assembly_text(self) -> String {
        // SAFETY: the handle rule; empty for anything else.
        text(|length| unsafe { dpor_asm_text(self.0, length) })
    }

    /// Constraints of inline assembly, as LLVM writes them.
    pub fn assembly_constraints(self) -> String {
        // SAFETY: the handle rule; empty for anything else.
        text(|length| unsafe { dpor_asm_constraints(self.0, length) })
    }
}
