//! Debug locations and where they were inlined.

use super::question::text;
use super::sys::core::{LLVMGetGlobalParent, LLVMGetModuleContext};
use super::sys::debuginfo::*;
use super::sys::prelude::LLVMMetadataRef;
use super::Value;
use std::ffi::c_char;

extern "C" {
    fn dpor_scope_function(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn dpor_scope_filename(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn dpor_scope_directory(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn dpor_source_name(
        function: super::sys::prelude::LLVMValueRef,
        length: *mut usize,
    ) -> *const c_char;
    fn dpor_artificial_location(function: super::sys::prelude::LLVMValueRef) -> LLVMMetadataRef;
}

/// A place in the source: a DILocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location(LLVMMetadataRef);

impl Location {
    pub(super) fn from_raw(raw: LLVMMetadataRef) -> Option<Location> {
        (!raw.is_null()).then_some(Location(raw))
    }

    pub(super) fn raw(self) -> LLVMMetadataRef {
        self.0
    }

    /// Line 0 of `function`, for code without a place of its own; none without debug information.
    pub fn artificial(function: Value) -> Option<Location> {
        // SAFETY: the handle rule; callers pass functions.
        Location::from_raw(unsafe { dpor_artificial_location(function.0) })
    }

    /// Another place of `function`, in the same file; none without debug information.
    pub fn moved(self, function: Value, line: u32, column: u32) -> Option<Location> {
        // SAFETY: the handle rule; callers pass functions. The scope is the function's own record.
        Location::from_raw(unsafe {
            let program = LLVMGetSubprogram(function.0);
            match program.is_null() {
                true => std::ptr::null_mut(),
                false => {
                    let context = LLVMGetModuleContext(LLVMGetGlobalParent(function.0));
                    LLVMDIBuilderCreateDebugLocation(
                        context,
                        line,
                        column,
                        program,
                        std::ptr::null_mut(),
                    )
                }
            }
        })
    }

    /// 1-based line, 0 if unknown.
    pub fn line(self) -> u32 {
        // SAFETY: `self` is a DILocation that LLVM returned.
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    /// 1-based column, 0 if unknown.
    pub fn column(self) -> u32 {
        // SAFETY: `self` is a DILocation that LLVM returned for this module, and metadata lives as long as the module.
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    /// The place this one was inlined into.
    pub fn inlined_at(self) -> Option<Location> {
        // SAFETY: `self` is a DILocation that LLVM returned for this module, and metadata lives as long as the module.
        Location::from_raw(unsafe { LLVMDILocationGetInlinedAt(self.0) })
    }

    /// Linkage name (or name) of the source function.
    pub fn function_name(self) -> String {
        // SAFETY: as above; the scope of a location is never null.
        text(|length| unsafe { dpor_scope_function(LLVMDILocationGetScope(self.0), length) })
    }

    /// Path of the source file: as written if absolute, otherwise below the directory of compilation.
    pub fn path(self) -> String {
        // SAFETY: `self` is a DILocation that LLVM returned for this module, and metadata lives as long as the module.
        let scope = unsafe { LLVMDILocationGetScope(self.0) };
        // SAFETY: the scope of a location is never null and lives as long as the module; `text` copies what it is
        // shown.
        let file = text(|length| unsafe { dpor_scope_filename(scope, length) });
        // SAFETY: the scope of a location is never null and lives as long as the module; `text` copies what it is
        // shown.
        let directory = text(|length| unsafe { dpor_scope_directory(scope, length) });
        match file.starts_with('/') || directory.is_empty() || file.is_empty() {
            true => file,
            false => format!("{}/{}", directory.trim_end_matches('/'), file),
        }
    }
}

impl Value {
    /// The name of a function in its source; none without debug information.
    pub fn source_name(self) -> Option<String> {
        // SAFETY: the handle rule; callers ask functions.
        let name = text(|length| unsafe { dpor_source_name(self.0, length) });
        (!name.is_empty()).then_some(name)
    }

    /// The line on which the source names a function; none without debug information.
    pub fn source_line(self) -> Option<u32> {
        // SAFETY: the handle rule; callers ask functions, and the line is asked of records only.
        unsafe {
            let program = LLVMGetSubprogram(self.0);
            (!program.is_null()).then(|| LLVMDISubprogramGetLine(program))
        }
    }
}
