//! Attributes of functions, parameters and calls.

use super::sys::core::*;
use super::{Type, Value};
use std::ffi::c_uint;

/// An attribute kind of LLVM by name; 0 if this LLVM does not know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute(c_uint);

/// Index that stands for the function itself.
const FUNCTION: c_uint = c_uint::MAX;

impl Attribute {
    /// Looks an attribute up by its name in textual IR.
    pub fn named(name: &str) -> Attribute {
        // SAFETY: the name is passed with its length.
        Attribute(unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
    }

    pub(super) fn kind(self) -> c_uint {
        self.0
    }

    fn is_known(self) -> bool {
        self.0 != 0
    }
}

impl Value {
    /// True if the function (not one call of it) has the attribute.
    pub fn has_attribute(self, attribute: Attribute) -> bool {
        // SAFETY: the handle rule; callers ask functions.
        attribute.is_known()
            && unsafe { !LLVMGetEnumAttributeAtIndex(self.0, FUNCTION, attribute.0).is_null() }
    }

    /// Takes the attribute off a function.
    pub fn remove_attribute(self, attribute: Attribute) {
        if attribute.is_known() {
            // SAFETY: the handle rule; callers ask functions.
            unsafe { LLVMRemoveEnumAttributeAtIndex(self.0, FUNCTION, attribute.0) }
        }
    }

    /// Takes the attribute off one call.
    pub fn remove_call_attribute(self, attribute: Attribute) {
        if attribute.is_known() {
            // SAFETY: the handle rule; callers ask calls.
            unsafe { LLVMRemoveCallSiteEnumAttribute(self.0, FUNCTION, attribute.0) }
        }
    }

    /// The type that an attribute of argument `index` of a call carries (`byval`, `elementtype`).
    pub fn argument_type_attribute(self, index: u32, attribute: Attribute) -> Option<Type> {
        if !attribute.is_known() {
            return None;
        }
        // SAFETY: the handle rule; callers ask calls and name attributes that carry a type.
        unsafe {
            let found = LLVMGetCallSiteEnumAttribute(self.0, index + 1, attribute.0);
            (!found.is_null()).then(|| Type(LLVMGetTypeAttributeValue(found)))
        }
    }

    /// The number that an attribute of argument `index` of a call carries (`dereferenceable`), if the call has it or the
    /// function that it names.
    pub fn argument_number_attribute(self, index: u32, attribute: Attribute) -> Option<u64> {
        if !attribute.is_known() {
            return None;
        }
        let callee = self.callee();
        // SAFETY: the handle rule; callers ask calls and name attributes that carry a number.
        unsafe {
            let mut found = LLVMGetCallSiteEnumAttribute(self.0, index + 1, attribute.0);
            if found.is_null() && callee.is_function() && index < callee.parameter_count() {
                found = LLVMGetEnumAttributeAtIndex(callee.0, index + 1, attribute.0);
            }
            (!found.is_null()).then(|| LLVMGetEnumAttributeValue(found))
        }
    }

    /// The type that an attribute of parameter `index` of a function carries.
    pub fn parameter_type_attribute(self, index: u32, attribute: Attribute) -> Option<Type> {
        if !attribute.is_known() {
            return None;
        }
        // SAFETY: the handle rule; callers ask functions and name attributes that carry a type.
        unsafe {
            let found = LLVMGetEnumAttributeAtIndex(self.0, index + 1, attribute.0);
            (!found.is_null()).then(|| Type(LLVMGetTypeAttributeValue(found)))
        }
    }

    /// True if parameter `index` of a function has the attribute.
    pub fn parameter_has_attribute(self, index: u32, attribute: Attribute) -> bool {
        // SAFETY: the handle rule; callers ask functions.
        attribute.is_known()
            && unsafe { !LLVMGetEnumAttributeAtIndex(self.0, index + 1, attribute.0).is_null() }
    }
}
