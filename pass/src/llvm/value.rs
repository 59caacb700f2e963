//! Values: constants, globals, functions, arguments and instructions.

use super::debug::Location;
use super::sys::comdat::{LLVMGetComdat, LLVMSetComdat};
use super::sys::core::*;
use super::sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use super::sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use super::sys::LLVMLinkage;
use super::{Block, Type};
use std::ffi::CStr;

pub use super::sys::LLVMOpcode as Opcode;

extern "C" {
    fn dpor_loop_location(branch: LLVMValueRef) -> LLVMMetadataRef;
    fn dpor_switch_case(switch_: LLVMValueRef, index: u32) -> LLVMValueRef;
}

/// A value of the module: a constant, a global, a function, an argument or an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(pub(super) LLVMValueRef);

impl Value {
    pub(super) fn from_raw(raw: LLVMValueRef) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    /// The type of the value (for a function or a global: pointer).
    pub fn ty(self) -> Type {
        // SAFETY: `self` is a live value of the module (the handle rule).
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// The operation of an instruction; none for any other value.
    pub fn opcode(self) -> Option<Opcode> {
        // SAFETY: the handle rule; the opcode is asked of instructions only.
        unsafe { (!LLVMIsAInstruction(self.0).is_null()).then(|| LLVMGetInstructionOpcode(self.0)) }
    }

    /// The operation of a constant expression; none for any other value.
    pub fn constant_opcode(self) -> Option<Opcode> {
        // SAFETY: the handle rule; the opcode is asked of constant expressions only.
        unsafe { (!LLVMIsAConstantExpr(self.0).is_null()).then(|| LLVMGetConstOpcode(self.0)) }
    }

    /// The name, empty if there is none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the handle rule; LLVM returns `length` bytes that live as long as the value.
        let bytes = unsafe {
            let start = LLVMGetValueName2(self.0, &mut length);
            std::slice::from_raw_parts(start.cast::<u8>(), length)
        };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Number of operands.
    pub fn operand_count(self) -> u32 {
        // SAFETY: `self` is a live instruction, user or constant of the module (the handle rule).
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    /// Operand `index`, counted from 0.
    ///
    /// # Panics
    /// If there are not that many, or it is metadata or a block.
    pub fn operand(self, index: u32) -> Value {
        assert!(index < self.operand_count(), "operand {index} out of range");
        // SAFETY: the handle rule; the index was checked.
        Value::from_raw(unsafe { LLVMGetOperand(self.0, index) }).expect("operand is a value")
    }

    /// Replaces operand `index` by another value of its type.
    pub fn set_operand(self, index: u32, value: Value) {
        assert!(index < self.operand_count(), "operand {index} out of range");
        // SAFETY: the handle rule; the index was checked.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// The value of an integer constant of at most 64 bits.
    pub fn constant_integer(self) -> Option<i64> {
        // SAFETY: the handle rule; the value is asked of integer constants only.
        unsafe {
            let is_integer = !LLVMIsAConstantInt(self.0).is_null();
            let fits = || LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) <= 64;
            (is_integer && fits()).then(|| LLVMConstIntGetSExtValue(self.0))
        }
    }

    /// Every user of the value, once for each use.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        // SAFETY: the handle rule; no use is added or removed during the walk.
        unsafe {
            let mut current = LLVMGetFirstUse(self.0);
            while !current.is_null() {
                users.push(Value(LLVMGetUser(current)));
                current = LLVMGetNextUse(current);
            }
        }
        users
    }

    /// Lets every user of `self` use `other`.
    pub fn replace_all_uses_with(self, other: Value) {
        // SAFETY: the handle rule; callers give a value of the same type that dominates the uses.
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Takes an instruction out of its block for good.
    pub fn erase(self) {
        // SAFETY: the handle rule: the instruction has no users left and is not looked at again.
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Debug location of an instruction.
    pub fn location(self) -> Option<Location> {
        // SAFETY: the handle rule; only instructions are asked.
        Location::from_raw(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    /// Where in the source the loop begins that a branch goes back in; none if nothing says so.
    pub fn loop_location(self) -> Option<Location> {
        // SAFETY: the handle rule; only instructions are asked.
        Location::from_raw(unsafe { dpor_loop_location(self.0) })
    }

    /// Gives an instruction a debug location.
    pub fn set_location(self, location: Location) {
        // SAFETY: the handle rule; the location belongs to the same function.
        unsafe { LLVMInstructionSetDebugLoc(self.0, location.raw()) }
    }

    /// The block an instruction stands in.
    pub fn block(self) -> Block {
        // SAFETY: the handle rule; only instructions are asked, and they stand in blocks.
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    // Globals and functions.

    /// True for functions.
    pub fn is_function(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { !LLVMIsAFunction(self.0).is_null() }
    }

    /// True for global variables.
    pub fn is_global_variable(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { !LLVMIsAGlobalVariable(self.0).is_null() }
    }

    /// True for constants of every kind, globals and functions included.
    pub fn is_constant(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// True for inline assembly.
    pub fn is_assembly(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { !LLVMIsAInlineAsm(self.0).is_null() }
    }

    /// True for arguments of functions.
    pub fn is_argument(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { !LLVMIsAArgument(self.0).is_null() }
    }

    /// True for `null` and zero.
    pub fn is_null(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// True for `null`, `undef` and `poison`.
    pub fn is_null_or_undefined(self) -> bool {
        // SAFETY: `self` is a live value of the module (the handle rule).
        unsafe { LLVMIsNull(self.0) != 0 || LLVMIsUndef(self.0) != 0 }
    }

    /// True for a global variable marked `constant`.
    pub fn is_read_only_global(self) -> bool {
        // SAFETY: the handle rule; asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// True for a global variable marked `thread_local`.
    pub fn is_thread_local(self) -> bool {
        // SAFETY: the handle rule; asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// The ELF section that the source names for a function or variable; empty if none.
    pub fn section(self) -> String {
        // SAFETY: the handle rule; callers ask functions and global variables. A NUL-terminated text
        // that lives as long as the value, or null.
        unsafe {
            let name = LLVMGetSection(self.0);
            match name.is_null() {
                true => String::new(),
                false => CStr::from_ptr(name).to_string_lossy().into_owned(),
            }
        }
    }

    /// True if the linker keeps or drops the function or variable together with others.
    pub fn is_in_comdat(self) -> bool {
        // SAFETY: the handle rule; callers ask functions and global variables.
        unsafe { !LLVMGetComdat(self.0).is_null() }
    }

    /// True if the module only declares the function or variable.
    pub fn is_declaration(self) -> bool {
        // SAFETY: the handle rule; callers ask functions and global variables.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// True for a copy of a definition that another module holds and that is dropped in the end.
    pub fn is_available_externally(self) -> bool {
        // SAFETY: the handle rule; callers ask functions and global variables.
        unsafe { LLVMGetLinkage(self.0) == LLVMLinkage::LLVMAvailableExternallyLinkage }
    }

    /// True if no other module can name the function or variable.
    pub fn is_local(self) -> bool {
        // SAFETY: the handle rule; callers ask functions and global variables.
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        matches!(
            linkage,
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    }

    /// No other module can name the defined function from now on, and it is kept or dropped by itself.
    pub fn make_private(self) {
        // SAFETY: the handle rule; callers pass defined functions. Null: in no group.
        unsafe {
            LLVMSetComdat(self.0, std::ptr::null_mut());
            LLVMSetLinkage(self.0, LLVMLinkage::LLVMInternalLinkage);
        }
    }

    /// True if the definition may go when this module has no use for it.
    pub fn is_droppable(self) -> bool {
        // SAFETY: the handle rule; callers ask functions and global variables.
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        self.is_local()
            || matches!(
                linkage,
                LLVMLinkage::LLVMLinkOnceAnyLinkage | LLVMLinkage::LLVMLinkOnceODRLinkage
            )
    }

    /// True for an ordinary external definition: the only one of its name in the program.
    pub fn is_strong_definition(self) -> bool {
        // SAFETY: the handle rule; callers ask functions and global variables.
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        !self.is_declaration() && linkage == LLVMLinkage::LLVMExternalLinkage
    }

    /// Number of parameters of a function, the variable ones not counted.
    pub fn parameter_count(self) -> u32 {
        // SAFETY: the handle rule; callers ask functions.
        unsafe { LLVMCountParams(self.0) }
    }

    /// The type of a function's result.
    pub fn result_type(self) -> Type {
        // SAFETY: the handle rule; callers ask functions, whose value type is that of functions.
        Type(unsafe { LLVMGetReturnType(LLVMGlobalGetValueType(self.0)) })
    }

    /// Parameter `index` of a function.
    pub fn parameter(self, index: u32) -> Value {
        assert!(
            index < self.parameter_count(),
            "parameter {index} out of range"
        );
        // SAFETY: the handle rule; the index was checked.
        Value(unsafe { LLVMGetParam(self.0, index) })
    }

    /// The function of an argument.
    pub fn parent_of_argument(self) -> Value {
        // SAFETY: the handle rule; callers ask arguments.
        Value(unsafe { LLVMGetParamParent(self.0) })
    }

    /// The blocks of a function, the entry first.
    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        // SAFETY: the handle rule; callers ask functions.
        unsafe {
            let mut current = LLVMGetFirstBasicBlock(self.0);
            while !current.is_null() {
                blocks.push(Block(current));
                current = LLVMGetNextBasicBlock(current);
            }
        }
        blocks
    }

    // Instructions.

    /// The calling convention of a function, by LLVM's number.
    pub fn convention(self) -> u32 {
        // SAFETY: the handle rule; callers ask functions.
        unsafe { LLVMGetFunctionCallConv(self.0) }
    }

    /// The calling convention of a call, by LLVM's number.
    pub fn call_convention(self) -> u32 {
        // SAFETY: the handle rule; callers ask calls.
        unsafe { LLVMGetInstructionCallConv(self.0) }
    }

    /// The callee of a call: a function, inline assembly or any pointer.
    pub fn callee(self) -> Value {
        // SAFETY: the handle rule; callers ask calls.
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// The call shall not be made by a jump: it returns to its function.
    pub fn forbid_tail_call(self) {
        if self.opcode() == Some(Opcode::LLVMCall) {
            // SAFETY: the handle rule; it is a call instruction.
            unsafe { LLVMSetTailCall(self.0, 0) }
        }
    }

    /// True for a call that may be, or has to be, made by a jump (a tail call).
    pub fn may_be_jump(self) -> bool {
        // SAFETY: the handle rule; it is a call instruction.
        self.opcode() == Some(Opcode::LLVMCall) && unsafe { LLVMIsTailCall(self.0) != 0 }
    }

    /// The condition of a conditional branch.
    pub fn branch_condition(self) -> Option<Value> {
        // SAFETY: the handle rule; a condition is asked of conditional branches only.
        unsafe {
            let is_branch = self.opcode() == Some(Opcode::LLVMBr) && LLVMIsConditional(self.0) != 0;
            is_branch.then(|| Value(LLVMGetCondition(self.0)))
        }
    }

    /// The constant for which a `switch` goes to its successor number `1 + index`.
    pub fn switch_case(self, index: u32) -> Value {
        // SAFETY: the handle rule; callers ask a `switch`, and the index is below the number of its cases.
        Value(unsafe { dpor_switch_case(self.0, index) })
    }

    /// The value that a phi has if control comes from `block`.
    pub fn incoming(self, block: Block) -> Option<Value> {
        // SAFETY: the handle rule; callers ask phis, and the index is below the count.
        unsafe {
            let from = |i: &u32| LLVMGetIncomingBlock(self.0, *i) == block.0;
            let found = (0..LLVMCountIncoming(self.0)).find(from)?;
            Some(Value(LLVMGetIncomingValue(self.0, found)))
        }
    }

    /// The type of which a `getelementptr` indexes elements.
    pub fn element_type_of_address(self) -> Type {
        // SAFETY: the handle rule; callers ask `getelementptr`.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// The predicate of an integer comparison, with LLVM's number.
    pub fn comparison(self) -> u32 {
        // SAFETY: the handle rule; callers ask `icmp`.
        unsafe { LLVMGetICmpPredicate(self.0) as u32 }
    }

    /// The index of an `extractvalue` that has one only.
    pub fn field(self) -> Option<u32> {
        // SAFETY: the handle rule; callers ask `extractvalue`, which has at least one index.
        unsafe { (LLVMGetNumIndices(self.0) == 1).then(|| *LLVMGetIndices(self.0)) }
    }

    /// Number of arguments of a call.
    pub fn argument_count(self) -> u32 {
        // SAFETY: the handle rule; callers ask calls.
        unsafe { LLVMGetNumArgOperands(self.0) }
    }

    /// The type that an `alloca` allocates.
    pub fn allocated_type(self) -> Type {
        // SAFETY: the handle rule; callers ask allocas.
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }
}
