//! The part of LLVM that the pass uses, as plain safe values.
//!
//! inkwell brings the C API in the version that the cargo feature names; the C API lacks a few
//! questions (orderings, names of scopes, text of assembly), which `shim.cc` answers.
//! Only functions of the C API that every LLVM from 15 on has may be called from Rust: rustc's calls are
//! bound when the plugin is loaded, and a missing one would get in ahead of the version check's clear
//! sentence. The rest goes through the shim, whose calls are bound when they are made.
//!
//! inkwell's own enums are not used inside functions: they panic on types they do not know (token,
//! x86_amx, target types), and the pass must get through every module that clang can produce.
//!
//! **Unsafe policy.** This folder holds all the `unsafe` of the crate. What makes the calls sound
//! is the same everywhere: a [`Value`], [`Type`], [`Block`] or [`Module`] is only ever made here,
//! from a non-null pointer that LLVM returned for the one module that [`register`] was given; one
//! thread works on it; and the pass erases an instruction only after it has rewritten it and never
//! looks at it again. SAFETY comments call this *the handle rule*.

mod attribute;
mod block;
mod builder;
mod debug;
mod module;
mod question;
mod reach;
mod register;
mod types;
mod value;

pub use attribute::Attribute;
pub use block::Block;
pub use builder::{Builder, Predicate};
pub use debug::Location;
pub use module::Module;
pub use types::{Type, TypeKind};
pub use value::{Opcode, Value};

#[cfg(not(through_llvm_plugin))]
use inkwell11::llvm_sys as sys;
#[cfg(through_llvm_plugin)]
use llvm_plugin::inkwell::llvm_sys as sys;
