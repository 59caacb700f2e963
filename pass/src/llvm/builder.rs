//! Makes new instructions before an existing one.

use super::sys::core::*;
use super::sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use super::sys::{LLVMAtomicOrdering, LLVMIntPredicate};
use super::{Location, Module, Opcode, Type, TypeKind, Value};

/// Inserts instructions before the one it stands at, with that one's debug location.
pub struct Builder {
    raw: LLVMBuilderRef,
    module: Module,
    location: Option<Location>,
}

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

impl Builder {
    /// A builder that stands nowhere yet.
    pub fn new(module: Module) -> Builder {
        // SAFETY: the handle rule; disposed of in `drop`.
        let raw = unsafe { LLVMCreateBuilderInContext(module.context()) };
        Builder {
            raw,
            module,
            location: None,
        }
    }

    /// Goes before `instruction`; what is built gets `location`.
    pub fn stand_before(&mut self, instruction: Value, location: Option<Location>) {
        // SAFETY: the builder was made in `new`, and `instruction` is a live instruction of the module (the handle
        // rule).
        unsafe { LLVMPositionBuilderBefore(self.raw, instruction.0) };
        self.location = location;
    }

    fn finish(&self, raw: LLVMValueRef) -> Value {
        let value = Value(raw);
        if let (Some(location), Some(_)) = (self.location, value.opcode()) {
            value.set_location(location);
        }
        value
    }

    /// Builds a call. `ty` is the function's type.
    pub fn call(&self, function: Value, ty: Type, arguments: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|a| a.0).collect();
        // SAFETY: the handle rule; callers pass arguments of the types that `ty` lists.
        let call = unsafe {
            LLVMBuildCall2(
                self.raw,
                ty.0,
                function.0,
                raw.as_mut_ptr(),
                raw.len() as u32,
                NO_NAME,
            )
        };
        let call = self.finish(call);
        self.module.zero_extend_call(call, ty);
        call
    }

    /// Arithmetic on two values of the same type.
    pub fn binary(&self, operation: Opcode, left: Value, right: Value) -> Value {
        // SAFETY: the builder stands before a live instruction, and both operands are live values of one type (the
        // handle rule).
        self.finish(unsafe { LLVMBuildBinOp(self.raw, operation, left.0, right.0, NO_NAME) })
    }

    /// A plain load.
    pub fn load(&self, ty: Type, pointer: Value) -> Value {
        // SAFETY: the builder stands before a live instruction; type and pointer are of the same module (the handle
        // rule).
        self.finish(unsafe { LLVMBuildLoad2(self.raw, ty.0, pointer.0, NO_NAME) })
    }

    /// A plain load from any address.
    pub fn load_unaligned(&self, ty: Type, pointer: Value) -> Value {
        let load = self.load(ty, pointer);
        // SAFETY: the handle rule; it is a load.
        unsafe { LLVMSetAlignment(load.0, 1) };
        load
    }

    /// An atomic load, sequentially consistent, of an address that is aligned as its width wants.
    pub fn load_atomic(&self, ty: Type, pointer: Value) -> Value {
        let load = self.load(ty, pointer);
        let bytes = self.module.store_bytes(ty) as u32;
        // SAFETY: the handle rule; it is a load.
        unsafe {
            LLVMSetAlignment(load.0, bytes);
            LLVMSetOrdering(
                load.0,
                LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent,
            );
        }
        load
    }

    /// A plain store.
    pub fn store(&self, value: Value, pointer: Value) {
        // SAFETY: the builder stands before a live instruction; value and pointer are of the same module (the handle
        // rule).
        self.finish(unsafe { LLVMBuildStore(self.raw, value.0, pointer.0) });
    }

    /// Room for so many `i64`, where the function begins.
    pub fn variables(&self, count: u64) -> Value {
        let (ty, count) = (self.module.integer_type(64), self.module.integer(64, count));
        // SAFETY: the handle rule; a constant count.
        self.finish(unsafe { LLVMBuildArrayAlloca(self.raw, ty.0, count.0, NO_NAME) })
    }

    /// The address so many bytes behind a pointer.
    pub fn offset(&self, pointer: Value, bytes: u64) -> Value {
        let (byte, mut index) = (
            self.module.integer_type(8),
            self.module.integer(64, bytes).0,
        );
        // SAFETY: the handle rule; one index of an integer type.
        self.finish(unsafe {
            LLVMBuildGEP2(self.raw, byte.0, pointer.0, &raw mut index, 1, NO_NAME)
        })
    }

    /// The cast `operation`, which an instruction of the program makes with the same types.
    pub fn repeat_cast(&self, operation: Opcode, value: Value, ty: Type) -> Value {
        self.cast(operation, value, ty)
    }

    /// A cast that is valid for the two types.
    fn cast(&self, operation: Opcode, value: Value, ty: Type) -> Value {
        // SAFETY: the handle rule; private, the callers below choose valid casts.
        self.finish(unsafe { LLVMBuildCast(self.raw, operation, value.0, ty.0, NO_NAME) })
    }

    /// The bits of a scalar or vector of fixed size as an integer of `bits` bits, zero-extended.
    pub fn to_integer(&self, value: Value, bits: u32) -> Value {
        let wanted = self.module.integer_type(bits);
        let ty = value.ty();
        if ty.kind() == TypeKind::Pointer {
            return self.cast(Opcode::LLVMPtrToInt, value, wanted);
        }
        let exact_bits = self.module.value_bits(ty) as u32;
        let exact = match ty.kind() {
            TypeKind::Integer => value,
            TypeKind::Vector if ty.element().kind() == TypeKind::Pointer => {
                let lanes = self
                    .module
                    .vector_type(self.module.integer_type(64), ty.lanes());
                let lanes = self.cast(Opcode::LLVMPtrToInt, value, lanes);
                self.cast(
                    Opcode::LLVMBitCast,
                    lanes,
                    self.module.integer_type(exact_bits),
                )
            }
            _ => self.cast(
                Opcode::LLVMBitCast,
                value,
                self.module.integer_type(exact_bits),
            ),
        };
        match exact_bits.cmp(&bits) {
            std::cmp::Ordering::Equal => exact,
            std::cmp::Ordering::Less => self.cast(Opcode::LLVMZExt, exact, wanted),
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, exact, wanted),
        }
    }

    /// The opposite of [`Builder::to_integer`].
    pub fn to_value(&self, integer: Value, ty: Type) -> Value {
        if ty.kind() == TypeKind::Pointer {
            return self.cast(Opcode::LLVMIntToPtr, integer, ty);
        }
        let exact_bits = self.module.value_bits(ty) as u32;
        let exact = self.to_integer(integer, exact_bits);
        match ty.kind() {
            TypeKind::Integer => exact,
            TypeKind::Vector if ty.element().kind() == TypeKind::Pointer => {
                let lanes = self
                    .module
                    .vector_type(self.module.integer_type(64), ty.lanes());
                let lanes = self.cast(Opcode::LLVMBitCast, exact, lanes);
                self.cast(Opcode::LLVMIntToPtr, lanes, ty)
            }
            _ => self.cast(Opcode::LLVMBitCast, exact, ty),
        }
    }

    /// The pointer in address space 0.
    pub fn to_flat_pointer(&self, pointer: Value) -> Value {
        match pointer.ty().address_space() {
            0 => pointer,
            _ => self.cast(
                Opcode::LLVMAddrSpaceCast,
                pointer,
                self.module.pointer_type(),
            ),
        }
    }

    /// An integer comparison; the result is an `i1` (or a vector of them).
    pub fn compare(&self, predicate: Predicate, left: Value, right: Value) -> Value {
        let predicate = match predicate {
            Predicate::Equal => LLVMIntPredicate::LLVMIntEQ,
            Predicate::SignedLess => LLVMIntPredicate::LLVMIntSLT,
            Predicate::UnsignedAtLeast => LLVMIntPredicate::LLVMIntUGE,
            Predicate::UnsignedAbove => LLVMIntPredicate::LLVMIntUGT,
        };
        // SAFETY: the handle rule; callers pass integers of one type.
        self.finish(unsafe { LLVMBuildICmp(self.raw, predicate, left.0, right.0, NO_NAME) })
    }

    /// `condition ? yes : no`
    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        // SAFETY: the builder stands before a live instruction; the three values are of the same module (the handle
        // rule).
        self.finish(unsafe { LLVMBuildSelect(self.raw, condition.0, yes.0, no.0, NO_NAME) })
    }

    /// Lane `index` of a vector.
    pub fn extract_lane(&self, vector: Value, index: u32) -> Value {
        let index = self.module.integer(32, u64::from(index));
        // SAFETY: the builder stands before a live instruction; vector and index are of the same module (the handle
        // rule).
        self.finish(unsafe { LLVMBuildExtractElement(self.raw, vector.0, index.0, NO_NAME) })
    }

    /// `aggregate` with field `index` replaced.
    pub fn insert_field(&self, aggregate: Value, field: Value, index: u32) -> Value {
        // SAFETY: the builder stands before a live instruction; aggregate and field are of the same module (the handle
        // rule).
        self.finish(unsafe { LLVMBuildInsertValue(self.raw, aggregate.0, field.0, index, NO_NAME) })
    }

    /// Bytes that a store of the type writes, as an `i64`; also for types of scalable size.
    pub fn run_time_size(&self, ty: Type) -> Value {
        // SAFETY: the handle rule; accessed types are sized.
        let size = Value(unsafe { LLVMSizeOf(ty.0) });
        self.to_integer(size, 64)
    }

    /// An overloaded intrinsic, e.g. `llvm.maxnum`, on arguments that all have the first one's type.
    pub fn intrinsic(&self, name: &str, arguments: &[Value]) -> Value {
        let ty = arguments[0].ty();
        let overload = [ty];
        let function = self.module.intrinsic(name, &overload);
        let parameters: Vec<Type> = arguments.iter().map(|a| a.ty()).collect();
        self.call(
            function,
            self.module.function_type(ty, &parameters),
            arguments,
        )
    }

    /// Number of bits set.
    pub fn count_ones(&self, value: Value) -> Value {
        self.intrinsic("llvm.ctpop", &[value])
    }
}

/// Integer comparisons that the pass builds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicate {
    /// Operands are equal.
    Equal,
    /// Left < right, signed.
    SignedLess,
    /// Left ≥ right, unsigned.
    UnsignedAtLeast,
    /// Left > right, unsigned.
    UnsignedAbove,
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: made in `new`, used by nobody afterwards.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}
