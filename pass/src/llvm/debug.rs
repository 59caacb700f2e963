//! Debug locations and where they were inlined.

use super::question::text;
use super::sys::debuginfo::*;
use super::sys::prelude::LLVMMetadataRef;
use super::Value;
use std::ffi::c_char;

extern "C" {
    fn dpor_scope_function(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn dpor_scope_filename(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn dpor_scope_directory(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
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

    /// 1-based line, 0 if unknown.
    pub fn line(self) -> u32 {
        // SAFETY: `self` is a DILocation that LLVM returned.
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    /// 1-based column, 0 if unknown.
    pub fn column(self) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    /// The place this one was inlined into.
    pub fn inlined_at(self) -> Option<Location> {
        // SAFETY: as above.
        Location::from_raw(unsafe { LLVMDILocationGetInlinedAt(self.0) })
    }

    /// Linkage name (or name) of the source function.
    pub fn function_name(self) -> String {
        // SAFETY: as above; the scope of a location is never null.
        text(|length| unsafe { dpor_scope_function(LLVMDILocationGetScope(self.0), length) })
    }

    /// Path of the source file: as written if absolute, otherwise below the directory of compilation.
    pub fn path(self) -> String {
        // SAFETY: as above.
        let scope = unsafe { LLVMDILocationGetScope(self.0) };
        // SAFETY: as above.
        let file = text(|length| unsafe { dpor_scope_filename(scope, length) });
        // SAFETY: as above.
        let directory = text(|length| unsafe { dpor_scope_directory(scope, length) });
        match file.starts_with('/') || directory.is_empty() || file.is_empty() {
            true => file,
            false => format!("{}/{}", directory.trim_end_matches('/'), file),
        }
    }
}
