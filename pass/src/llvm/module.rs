//! The module under transformation.

use super::sys::core::*;
use super::sys::prelude::{
    LLVMAttributeRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef,
};
use super::sys::target::*;
use super::sys::{LLVMLinkage, LLVMModuleFlagBehavior, LLVMUnnamedAddr};
use super::{Attribute, Type, Value};
use std::ffi::{c_char, c_int, CString};

extern "C" {
    fn dpor_append_used(module: LLVMModuleRef, global: LLVMValueRef);
    fn dpor_append_constructor(module: LLVMModuleRef, function: LLVMValueRef, priority: c_int);
    fn dpor_constant_text(
        module: LLVMModuleRef,
        start: *const c_char,
        length: usize,
    ) -> LLVMValueRef;
    fn dpor_report_error(module: LLVMModuleRef, message: *const c_char);
}

/// The module that the pass runs over.
#[derive(Clone, Copy)]
pub struct Module {
    raw: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
}

/// The name as C wants it; a name with a NUL inside is cut there.
fn c_name(name: &str) -> CString {
    let end = name.find('\0').unwrap_or(name.len());
    CString::new(&name[..end]).expect("cut at the first NUL")
}

impl Module {
    /// Takes over the module of LLVM's pass manager.
    ///
    /// # Safety
    /// `raw` is a live module that nobody else uses until the pass returns.
    pub(super) unsafe fn from_raw(raw: LLVMModuleRef) -> Module {
        // SAFETY: by the caller's promise `raw` is live, and its context and data layout live as long as it does.
        unsafe {
            Module {
                raw,
                context: LLVMGetModuleContext(raw),
                layout: LLVMGetModuleDataLayout(raw),
            }
        }
    }

    pub(super) fn context(self) -> LLVMContextRef {
        self.context
    }

    /// The source file's name as given to the compiler.
    pub fn source_name(self) -> String {
        super::question::text(|length| {
            // SAFETY: the module is live until the pass returns, and `text` copies the name (the handle rule).
            unsafe { LLVMGetSourceFileName(self.raw, length) }
        })
    }

    /// The functions, declarations included.
    pub fn functions(self) -> Vec<Value> {
        // SAFETY: the module is live, and this thread alone adds or erases functions, not during the walk (the handle
        // rule).
        list(unsafe { LLVMGetFirstFunction(self.raw) }, |f| unsafe {
            LLVMGetNextFunction(f)
        })
    }

    /// The global variables, declarations included.
    pub fn variables(self) -> Vec<Value> {
        // SAFETY: the module is live, and this thread alone adds or erases globals, not during the walk (the handle
        // rule).
        list(unsafe { LLVMGetFirstGlobal(self.raw) }, |g| unsafe {
            LLVMGetNextGlobal(g)
        })
    }

    /// Bytes of a global variable.
    pub fn variable_bytes(self, variable: Value) -> u64 {
        // SAFETY: the handle rule; callers ask global variables, whose types are sized.
        unsafe { LLVMABISizeOfType(self.layout, LLVMGlobalGetValueType(variable.0)) }
    }

    /// The resolver of every ifunc.
    pub fn resolvers(self) -> Vec<Value> {
        // SAFETY: the module is live, and nothing here adds or erases ifuncs (the handle rule).
        list(unsafe { LLVMGetFirstGlobalIFunc(self.raw) }, |i| unsafe {
            LLVMGetNextGlobalIFunc(i)
        })
        .into_iter()
        // SAFETY: the handle rule; every ifunc has a resolver.
        .filter_map(|ifunc| Value::from_raw(unsafe { LLVMGetGlobalIFuncResolver(ifunc.0) }))
        .collect()
    }

    /// True if the module has the flag, whatever its value.
    pub fn has_flag(self, name: &str) -> bool {
        // SAFETY: the handle rule; the name is passed with its length.
        unsafe { !LLVMGetModuleFlag(self.raw, name.as_ptr().cast(), name.len()).is_null() }
    }

    /// Sets a module flag to 1; two modules that have it may be linked.
    pub fn set_flag(self, name: &str) {
        let one = self.integer(32, 1);
        // SAFETY: the handle rule; the name is passed with its length.
        unsafe {
            LLVMAddModuleFlag(
                self.raw,
                LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorOverride,
                name.as_ptr().cast(),
                name.len(),
                LLVMValueAsMetadata(one.0),
            );
        }
    }

    /// Lets the compiler report an error and fail.
    pub fn report_error(self, message: &str) {
        let message = c_name(message);
        // SAFETY: the handle rule; the text is NUL-terminated.
        unsafe { dpor_report_error(self.raw, message.as_ptr()) }
    }

    // Types.

    /// The integer type of `bits` bits.
    pub fn integer_type(self, bits: u32) -> Type {
        // SAFETY: the handle rule; bits is between 1 and 2^23.
        Type(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    /// The pointer type of address space 0.
    pub fn pointer_type(self) -> Type {
        // SAFETY: the context is the module's and lives as long (the handle rule).
        Type(unsafe { LLVMPointerTypeInContext(self.context, 0) })
    }

    /// The type of functions that return nothing.
    pub fn void_type(self) -> Type {
        // SAFETY: the context is the module's and lives as long (the handle rule).
        Type(unsafe { LLVMVoidTypeInContext(self.context) })
    }

    /// The vector of `lanes` elements.
    pub fn vector_type(self, element: Type, lanes: u32) -> Type {
        // SAFETY: the handle rule; callers pass integer elements and at least one lane.
        Type(unsafe { LLVMVectorType(element.0, lanes) })
    }

    /// The type of functions from `parameters` to `result`.
    pub fn function_type(self, result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<LLVMTypeRef> = parameters.iter().map(|t| t.0).collect();
        // SAFETY: the handle rule; the array is passed with its length.
        Type(unsafe { LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// Bytes that a store of the type writes. Only for types of fixed size.
    pub fn store_bytes(self, ty: Type) -> u64 {
        // SAFETY: the handle rule; accessed types are sized.
        unsafe { LLVMStoreSizeOfType(self.layout, ty.0) }
    }

    /// Bits that a value of the type has. Only for types of fixed size.
    pub fn value_bits(self, ty: Type) -> u64 {
        // SAFETY: the handle rule; accessed types are sized.
        unsafe { LLVMSizeOfTypeInBits(self.layout, ty.0) }
    }

    // Constants and globals.

    /// An integer constant.
    pub fn integer(self, bits: u32, value: u64) -> Value {
        // SAFETY: the type is an integer type of the module's context (the handle rule).
        Value(unsafe { LLVMConstInt(self.integer_type(bits).0, value, 0) })
    }

    /// The null pointer.
    pub fn null(self) -> Value {
        // SAFETY: the type is a pointer type of the module's context (the handle rule).
        Value(unsafe { LLVMConstNull(self.pointer_type().0) })
    }

    /// The value of the type with all bits zero.
    pub fn zero(self, ty: Type) -> Value {
        // SAFETY: the type is one of the module's context (the handle rule).
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    /// A poison value of the type.
    pub fn poison(self, ty: Type) -> Value {
        // SAFETY: the type is one of the module's context (the handle rule).
        Value(unsafe { LLVMGetPoison(ty.0) })
    }

    /// A constant with the fields of a C struct.
    pub fn constant_struct(self, fields: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = fields.iter().map(|f| f.0).collect();
        // SAFETY: the handle rule; the fields are constants, the array is passed with its length.
        Value(unsafe {
            LLVMConstStructInContext(self.context, raw.as_mut_ptr(), raw.len() as u32, 0)
        })
    }

    /// A private constant in memory; equal ones may be merged.
    pub fn private_constant(self, name: &str, contents: Value) -> Value {
        let name = c_name(name);
        // SAFETY: the handle rule; the name is NUL-terminated.
        unsafe {
            let global = LLVMAddGlobal(self.raw, LLVMTypeOf(contents.0), name.as_ptr());
            LLVMSetInitializer(global, contents.0);
            LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
            Value(global)
        }
    }

    /// A private list of addresses in memory, ended by null.
    pub fn private_list(self, name: &str, values: &[Value]) -> Value {
        let all: Vec<Value> = values.iter().copied().chain([self.null()]).collect();
        self.private_constant(name, self.constant_struct(&all))
    }

    pub(super) fn raw(self) -> LLVMModuleRef {
        self.raw
    }

    /// A NUL-terminated text.
    pub fn constant_text(self, text: &str) -> Value {
        // SAFETY: the handle rule; the text is passed with its length, LLVM adds the NUL.
        Value(unsafe { dpor_constant_text(self.raw, text.as_ptr().cast(), text.len()) })
    }

    /// A private NUL-terminated text in memory.
    pub fn private_text(self, text: &str) -> Value {
        let global = self.private_constant("dpor.text", self.constant_text(text));
        // SAFETY: `global` was made just now, in this module, and nobody else knows it (the handle rule).
        unsafe { LLVMSetAlignment(global.0, 1) }
        global
    }

    /// A variable of this module in an ELF section of its own, kept by compiler and linker.
    pub fn section_variable(self, name: &str, section: &str, contents: Value) -> Value {
        let (name, section) = (c_name(name), c_name(section));
        // SAFETY: the handle rule; both names are NUL-terminated.
        unsafe {
            let global = LLVMAddGlobal(self.raw, LLVMTypeOf(contents.0), name.as_ptr());
            LLVMSetInitializer(global, contents.0);
            LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetSection(global, section.as_ptr());
            LLVMSetAlignment(global, 8);
            dpor_append_used(self.raw, global);
            Value(global)
        }
    }

    /// Declares an external `nounwind` function. Integers narrower than 32 bits are zero-extended
    /// by whoever passes them, as C on x86-64 expects.
    pub fn declare(self, name: &str, ty: Type) -> Value {
        let c = c_name(name);
        // SAFETY: the handle rule; the name is NUL-terminated.
        let function = unsafe {
            let known = LLVMGetNamedFunction(self.raw, c.as_ptr());
            match known.is_null() {
                true => LLVMAddFunction(self.raw, c.as_ptr(), ty.0),
                false => return Value(known),
            }
        };
        let function = Value(function);
        self.add_attribute(function, u32::MAX, Attribute::named("nounwind"));
        self.zero_extend(ty, |index, attribute| {
            self.add_attribute(function, index, attribute)
        });
        function
    }

    /// Gives a function an attribute that carries no value.
    pub fn add_function_attribute(self, function: Value, attribute: Attribute) {
        self.add_attribute(function, u32::MAX, attribute);
    }

    /// Gives one call an attribute that carries no value.
    pub fn add_call_attribute(self, call: Value, attribute: Attribute) {
        // SAFETY: the handle rule; callers pass calls, and the attribute carries no value.
        unsafe { LLVMAddCallSiteAttribute(call.0, u32::MAX, self.attribute(attribute)) }
    }

    fn add_attribute(self, function: Value, index: u32, attribute: Attribute) {
        // SAFETY: the handle rule; the attribute carries no value.
        unsafe { LLVMAddAttributeAtIndex(function.0, index, self.attribute(attribute)) }
    }

    fn attribute(self, attribute: Attribute) -> LLVMAttributeRef {
        // SAFETY: the handle rule; the kind came from LLVM.
        unsafe { LLVMCreateEnumAttribute(self.context, attribute.kind(), 0) }
    }

    /// Calls `mark` for the result (0) and each parameter (from 1) that is a narrow integer.
    pub(super) fn zero_extend(self, function_type: Type, mut mark: impl FnMut(u32, Attribute)) {
        let extension = Attribute::named("zeroext");
        // SAFETY: the handle rule; the array has room for every parameter.
        let (result, parameters) = unsafe {
            let count = LLVMCountParamTypes(function_type.0) as usize;
            let mut raw = vec![std::ptr::null_mut(); count];
            LLVMGetParamTypes(function_type.0, raw.as_mut_ptr());
            (LLVMGetReturnType(function_type.0), raw)
        };
        for (index, raw) in std::iter::once(result).chain(parameters).enumerate() {
            if matches!(Type(raw).integer_bits(), 1..=31) {
                mark(index as u32, extension);
            }
        }
    }

    /// Marks the narrow integers of a call as [`Module::declare`] does those of the function.
    pub(super) fn zero_extend_call(self, call: Value, function_type: Type) {
        self.zero_extend(function_type, |index, attribute| {
            // SAFETY: the handle rule; the attribute carries no value.
            unsafe { LLVMAddCallSiteAttribute(call.0, index, self.attribute(attribute)) }
        });
    }

    /// The declaration of an intrinsic for the given overloaded types.
    pub fn intrinsic(self, name: &str, overloads: &[Type]) -> Value {
        let mut raw: Vec<LLVMTypeRef> = overloads.iter().map(|t| t.0).collect();
        // SAFETY: the handle rule; the name and the array are passed with their lengths.
        Value(unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert!(id != 0, "this LLVM has no {name}");
            LLVMGetIntrinsicDeclaration(self.raw, id, raw.as_mut_ptr(), raw.len())
        })
    }

    /// Adds an internal function that calls `callee(argument)` before main, ahead of all others.
    pub fn add_constructor(self, name: &str, callee: Value, callee_type: Type, argument: Value) {
        let name = c_name(name);
        let ty = self.function_type(self.void_type(), &[]);
        // SAFETY: the handle rule; the builder is disposed of here.
        unsafe {
            let function = LLVMAddFunction(self.raw, name.as_ptr(), ty.0);
            LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage);
            let block = LLVMAppendBasicBlockInContext(self.context, function, c"".as_ptr());
            let builder = LLVMCreateBuilderInContext(self.context);
            LLVMPositionBuilderAtEnd(builder, block);
            let mut arguments = [argument.0];
            LLVMBuildCall2(
                builder,
                callee_type.0,
                callee.0,
                arguments.as_mut_ptr(),
                1,
                c"".as_ptr(),
            );
            LLVMBuildRetVoid(builder);
            LLVMDisposeBuilder(builder);
            self.add_attribute(Value(function), u32::MAX, Attribute::named("nounwind"));
            dpor_append_constructor(self.raw, function, 0);
        }
    }
}

/// Follows a chain of globals to its end.
fn list(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value> {
    std::iter::successors(Value::from_raw(first), |v| Value::from_raw(next(v.0))).collect()
}
