//! Types of the module's context.

use super::sys::core::*;
use super::sys::prelude::LLVMTypeRef;
use super::sys::LLVMTypeKind;

/// A type of the module's context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(pub(super) LLVMTypeRef);

/// What the pass tells apart among types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// An integer of any width.
    Integer,
    /// A pointer in any address space.
    Pointer,
    /// Any floating point type.
    Float,
    /// A vector of fixed length.
    Vector,
    /// A vector whose length is known at run time only.
    ScalableVector,
    /// Structs, arrays and everything else.
    Other,
}

impl Type {
    /// The kind of the type.
    pub fn kind(self) -> TypeKind {
        // SAFETY: `self` is a type of the module's context, which lives as long as the module (the handle rule).
        match unsafe { LLVMGetTypeKind(self.0) } {
            LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Integer,
            LLVMTypeKind::LLVMPointerTypeKind => TypeKind::Pointer,
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind
            | LLVMTypeKind::LLVMX86_FP80TypeKind
            | LLVMTypeKind::LLVMFP128TypeKind
            | LLVMTypeKind::LLVMPPC_FP128TypeKind => TypeKind::Float,
            LLVMTypeKind::LLVMVectorTypeKind => TypeKind::Vector,
            LLVMTypeKind::LLVMScalableVectorTypeKind => TypeKind::ScalableVector,
            _ => TypeKind::Other,
        }
    }

    /// Width of an integer type in bits; 0 for other types.
    pub fn integer_bits(self) -> u32 {
        match self.kind() {
            // SAFETY: the handle rule; the type is an integer.
            TypeKind::Integer => unsafe { LLVMGetIntTypeWidth(self.0) },
            _ => 0,
        }
    }

    /// Number of lanes of a vector of fixed length; 0 for other types.
    pub fn lanes(self) -> u32 {
        match self.kind() {
            // SAFETY: the handle rule; the type is a vector.
            TypeKind::Vector => unsafe { LLVMGetVectorSize(self.0) },
            _ => 0,
        }
    }

    /// Element type of a vector; the type itself if it is no vector.
    pub fn element(self) -> Type {
        match self.kind() {
            TypeKind::Vector | TypeKind::ScalableVector => {
                // SAFETY: the handle rule; the type is a vector.
                Type(unsafe { LLVMGetElementType(self.0) })
            }
            _ => self,
        }
    }

    /// Address space of a pointer type; 0 for other types.
    pub fn address_space(self) -> u32 {
        match self.kind() {
            // SAFETY: the handle rule; the type is a pointer.
            TypeKind::Pointer => unsafe { LLVMGetPointerAddressSpace(self.0) },
            _ => 0,
        }
    }
}
