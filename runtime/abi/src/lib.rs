//! What the pass, the runtime and the driver agree on.
//!
//! The pass inserts calls named in [`hook`]; each takes the address of a [`Site`] record that the
//! pass emitted. Every instrumented module carries a [`ModuleInfo`] in section [`MODULE_SECTION`]
//! and hands it to `__dpor_module` from a constructor. The driver turns command line options into
//! the value of `DPOR_OPTIONS`, the runtime parses it: both through [`options::Options`].
//!
//! No code here runs in the program under test except field reads.
#![forbid(unsafe_code)]

pub mod access_list;
pub mod cxx_findings;
pub mod cxx_library;
pub mod foreign;
pub mod hook;
pub mod initializer;
pub mod journal;
#[macro_use]
pub mod libc_access;
#[macro_use]
pub mod libc_call;
pub mod link;
pub mod llvm;
pub mod options;
pub mod reach;
pub mod return_site;
pub mod size_class;
pub mod syscall_name;
pub mod syscall_sharing;
pub mod thread_api;
pub mod timeouts;
pub mod uninstrumented;

use core::ffi::c_char;

/// Version of everything in this crate. A module instrumented for another version is refused.
pub const ABI_VERSION: u32 = 8;

/// Says in the environment of a program that its addresses are not randomized, that its functions are bound and that glibc
/// has no restartable sequences; its value is the user's `GLIBC_TUNABLES`, if there was one.
pub const EXECUTED_AGAIN: &str = "DPOR_AGAIN";

/// The release that dpor and the runtime that it finds must have in common: they speak to each other in the words of
/// their release.
pub fn version() -> String {
    format!("{}/{ABI_VERSION}", env!("CARGO_PKG_VERSION"))
}

/// Mutexes that one `std::lock` can have for the pass to announce them, and the runtime to lock them at once.
pub const LOCK_ALL_MAX: usize = 16;

/// Values of a `__VERIFIER_nondet_*` that are tried one after the other: all of a byte.
pub const CLASSES_MAX: usize = 256;

/// "dpor" in ASCII, first word of every [`ModuleInfo`]: guards against a foreign section.
pub const MODULE_MAGIC: u32 = 0x726f_7064;

/// ELF section that holds one [`ModuleInfo`] per instrumented translation unit.
/// (A C identifier, so the linker also provides `__start_` and `__stop_` symbols.)
pub const MODULE_SECTION: &str = "dpor_modules";

/// Where in the source an access or a call stands. Emitted by the pass as a private constant.
///
/// *Layout*: C, 40 bytes on x86-64. Strings are NUL-terminated UTF-8 (as the compiler wrote them).
#[repr(C)]
#[derive(Debug)]
pub struct Site {
    /// Path of the source file as in the debug information, or null without debug information.
    pub file: *const c_char,
    /// Name of the source function (demangling is the reader's), never null.
    pub function: *const c_char,
    /// The place this one was inlined into, or null. The chain ends at the real function.
    pub inlined_at: *const Site,
    /// Line in the source file, 1-based; 0 if unknown.
    pub line: u32,
    /// Column in the line, 1-based; 0 if unknown.
    pub column: u32,
    /// Bits of [`site_flag`].
    pub flags: u32,
    /// Keeps the size explicit.
    pub reserved: u32,
}

/// Where a call of a function of C++'s library stands that accesses an object ([`cxx_library`]): a [`Site`] with
/// [`site_flag::CALL`].
///
/// *Layout*: C, 48 bytes on x86-64.
#[repr(C)]
#[derive(Debug)]
pub struct CallSite {
    /// The place of the call.
    pub site: Site,
    /// The linker's name of the function, NUL-terminated; null for a virtual call.
    pub callee: *const c_char,
}

/// Bits of [`Site::flags`].
pub mod site_flag {
    /// The access is volatile in the source.
    pub const VOLATILE: u32 = 1;
    /// The access comes from inline assembly.
    pub const ASSEMBLY: u32 = 2;
    /// The record is a [`super::CallSite`].
    pub const CALL: u32 = 16;
    /// The record is the runtime's own copy of another, with the calls that led there. The pass never says so.
    pub const STACKED: u32 = 32;
    /// The wait is for plain accesses: they are events only if those are explored.
    pub const PLAIN: u32 = 8;
    /// The module's initializers of mutexes have a mark ([`crate::initializer`]).
    pub const MARKED: u32 = 4;
}

/// The record that every instrumented translation unit has in section [`MODULE_SECTION`].
///
/// *Layout*: C, 56 bytes on x86-64; read by the driver from the ELF file (the first two words and
/// the counts need no relocation) and by the runtime from memory.
#[repr(C)]
#[derive(Debug)]
pub struct ModuleInfo {
    /// The constant [`MODULE_MAGIC`].
    pub magic: u32,
    /// [`ABI_VERSION`] of the pass that wrote it.
    pub abi_version: u32,
    /// Source file name of the module.
    pub name: *const c_char,
    /// Memory accesses the pass met.
    pub accesses_seen: u32,
    /// Accesses it put a hook at.
    pub accesses_instrumented: u32,
    /// Accesses it proved private (seen = instrumented + private + skipped functions').
    pub accesses_private: u32,
    /// LLVM major version; 0: another compiler put in the hooks.
    pub llvm_version: u32,
    /// The instrumented functions that code outside the module can call, by address: null ends the
    /// list, which may be null itself.
    pub functions: *const *const u8,
    /// The module's own variables that have room for a mutex, if its initializers are marked: an
    /// address that is null ends the list, which may be null itself.
    pub variables: *const Variable,
    /// Bits of [`initializer::flag`].
    pub initializers: u32,
    /// Bits of [`module_flag`].
    pub flags: u32,
}

/// Bits of [`ModuleInfo::flags`].
pub mod module_flag {
    /// `NDEBUG` was defined on the command line: `assert` is compiled out.
    pub const NDEBUG: u32 = 1;
    /// A function of the module is called in another way than the platform's ABI says for C, so that registers which
    /// calls preserve may hold arguments (`preserve_none`, `swiftcc`).
    pub const OTHER_CONVENTIONS: u32 = 2;
}

/// Environment variable by which the compiler's wrapper tells the pass of [`module_flag::NDEBUG`], with the value
/// `1`: a pass sees no macros.
pub const NDEBUG: &str = "DPOR_NDEBUG";

/// A variable of a module.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Address of the variable's first byte.
    pub start: *const u8,
    /// Size of the variable in bytes.
    pub bytes: u64,
}

/// Memory orders, with the numbers of LLVM's C API (`LLVMAtomicOrdering`).
pub mod order {
    /// LLVM `unordered`: treated as relaxed.
    pub const UNORDERED: u32 = 1;
    /// LLVM `monotonic`, C11 `memory_order_relaxed`.
    pub const RELAXED: u32 = 2;
    /// C11 `memory_order_acquire` (and `consume`).
    pub const ACQUIRE: u32 = 4;
    /// C11 `memory_order_release`.
    pub const RELEASE: u32 = 5;
    /// C11 `memory_order_acq_rel`.
    pub const ACQ_REL: u32 = 6;
    /// C11 `memory_order_seq_cst`.
    pub const SEQ_CST: u32 = 7;

    /// The order of a load of which the program asks nothing but whether a count is 1, its first `bytes` bytes. It may ask
    /// more of the others, as long as it has the same answer where the count is not 1.
    pub const fn counting(order: u32, bytes: u32) -> u32 {
        order | bytes << 8
    }

    /// The order of a load, and the bytes of the count; 0: it asks for more.
    pub const fn parts(order: u32) -> (u32, u32) {
        (order & 0xff, order >> 8)
    }
}

/// Bits in the count that `__dpor_turn` is given, besides the number of words.
pub mod turn {
    /// A turn may store to memory that others know with hooks of plain stores.
    pub const WRITES: u32 = 1 << 31;
    /// A turn may read memory that others know without an event.
    pub const READS: u32 = 1 << 30;
    /// The loop was left: no turn begins. Nothing else of the call counts.
    pub const LEFT: u32 = 1 << 29;
    /// The number of words.
    pub const WORDS: u32 = LEFT - 1;
}

/// Conditions that an access waits for (`__dpor_await`). Each compares `found`, the bits of `mask` in the value that
/// the access finds, with the hook's operand; only the lowest `bits` bits of both count.
pub mod wait {
    /// `found` = operand.
    pub const EQUAL: u32 = 0;
    /// `found` ≠ operand.
    pub const NOT_EQUAL: u32 = 1;
    /// Unsigned `found` < operand.
    pub const BELOW: u32 = 2;
    /// Unsigned `found` ≤ operand.
    pub const AT_MOST: u32 = 3;
    /// Unsigned `found` > operand.
    pub const ABOVE: u32 = 4;
    /// Unsigned `found` ≥ operand.
    pub const AT_LEAST: u32 = 5;
    /// Signed `found` < operand.
    pub const SIGNED_BELOW: u32 = 6;
    /// Signed `found` ≤ operand.
    pub const SIGNED_AT_MOST: u32 = 7;
    /// Signed `found` > operand.
    pub const SIGNED_ABOVE: u32 = 8;
    /// Signed `found` ≥ operand.
    pub const SIGNED_AT_LEAST: u32 = 9;
    /// A `cmpxchg` finds what it expects; bits, mask and operand mean nothing.
    pub const SUCCESS: u32 = 10;
    /// Like [`SUCCESS`], for a `cmpxchg` that its thread tries again with what it found, so that a failure is like a
    /// later look.
    pub const RETRY: u32 = 11;
}

/// What the program does with the result of a `__dpor_rmw*`.
pub mod used {
    /// Nothing.
    pub const NOT: u32 = 0;
    /// Something that nothing is known of.
    pub const SOMEHOW: u32 = 1;
    /// Bit of a comparison.
    const COMPARED: u32 = 2;

    /// A comparison of the kind `test` of [`crate::wait`] with a constant, and nothing else.
    pub const fn compared(test: u32, constant: i8) -> u32 {
        COMPARED | test << 8 | (constant as u8 as u32) << 16
    }

    /// The test and the constant, if the result is only compared.
    pub const fn comparison(used: u32) -> Option<(u32, i8)> {
        match used & COMPARED {
            0 => None,
            _ => Some((used >> 8 & 0xff, (used >> 16) as u8 as i8)),
        }
    }

    #[test]
    fn comparisons_come_back() {
        for constant in [0, 1, -1, 127, -128] {
            for test in [crate::wait::EQUAL, crate::wait::SIGNED_AT_LEAST] {
                assert_eq!(comparison(compared(test, constant)), Some((test, constant)));
            }
        }
        assert_eq!((comparison(NOT), comparison(SOMEHOW)), (None, None));
    }
}

/// Read-modify-write operators of `__dpor_rmw*`, with the numbers of LLVM's C API
/// (`LLVMAtomicRMWBinOp`). All other operators (floating point, wrapping increments, …) are
/// expanded by the pass between `__dpor_rmw_begin*` and `__dpor_rmw_end*`.
pub mod rmw {
    #![allow(missing_docs, reason = "the names of LLVM's operators")]
    pub const XCHG: u32 = 0;
    pub const ADD: u32 = 1;
    pub const SUB: u32 = 2;
    pub const AND: u32 = 3;
    pub const NAND: u32 = 4;
    pub const OR: u32 = 5;
    pub const XOR: u32 = 6;
    pub const MAX: u32 = 7;
    pub const MIN: u32 = 8;
    pub const UMAX: u32 = 9;
    pub const UMIN: u32 = 10;
}
