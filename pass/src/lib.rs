//! libdpor.so: inserts a call of [`dpor_abi::hook`] at every access to memory that threads may
//! share, after all optimization, and decides nothing else.
//!
//! | instruction | inserted call | file |
//! |---|---|---|
//! | load, store | `__dpor_readN`, `__dpor_writeN` before it; `_range` if the width is no N, or for vectors and aggregates | [`access`] |
//! | load and store of the same bytes next to each other | `__dpor_updateN` before the load, and `__dpor_writeN` before the store if that asks for it | [`update`] |
//! | volatile load, store | replaced by `__dpor_volatile_loadN`, `_storeN`; `__dpor_volatile_range` before it for other widths | [`access`] |
//! | atomic load, store | replaced by `__dpor_loadN`, `__dpor_storeN` | [`atomic`] |
//! | cmpxchg | replaced by `__dpor_casN` | [`atomic`] |
//! | atomicrmw on integers, and any exchange | replaced by `__dpor_rmwN` | [`atomic`] |
//! | other atomicrmw | `__dpor_rmw_beginN`, the computation, `__dpor_rmw_endN` | [`atomic`] |
//! | fence | replaced by `__dpor_fence` | [`atomic`] |
//! | memcpy, memmove, memset, memcmp: intrinsic or call | `__dpor_read_range`, `__dpor_write_range` before it | [`memory_call`] |
//! | masked vector intrinsics, gathers, scatters | `__dpor_read_masked`, `__dpor_write_masked` before it; a gather's or scatter's lanes one by one | [`masked`] |
//! | byval argument | `__dpor_read_range` before the call | [`call`] |
//! | call that may leave the module | `__dpor_call` before it | [`call`] |
//! | the same, of what may read shared memory unseen | `__dpor_call_unseen` before it | [`unseen`] |
//! | call of a function of libstdc++.so that accesses an object, virtual call | `__dpor_member` before it, in front of `__dpor_call` | [`member_call`] |
//! | access in which a loop waits | `__dpor_await` before it, with what it waits for | [`waits`] |
//! | head of a loop that may wait for several places | `__dpor_turn`, with what a turn depends on | [`turns`] |
//! | head of a loop that may make events | `__dpor_round` | [`rounds`] |
//! | begin, return of a function with variables that other threads may reach | `__dpor_frame_begin`, `__dpor_frame_end`, and if they say so what follows | [`frames`] |
//! | begin, end of the life of such a variable | `__dpor_scope_begin`, `__dpor_scope_end`, `__dpor_stack_end` | [`frames`] |
//! | trap at the end of a function that returns no value | `__dpor_missing_return` before it | [`missing_return`] |
//! | inline assembly that is one load | made an atomic load first | [`plain_assembly`] |
//! | other inline assembly | `__dpor_assembly_access` per memory operand, or `__dpor_assembly_unknown` | [`assembly`] |
//!
//! [`initializer`] tells the runtime whether the module's mutexes have marks.
//! Before optimization, [`spin`] shortens loops of libstdc++'s, [`value_wait`] lets its atomics wait for their values, [`lock_all`] lets `std::lock` say what it
//! wants, values that are only compared say with what ([`classes`]), and loads are kept where they are ([`early`]).
//! Loops that are never left say so ([`endless`]).
//! [`reach`] leaves a record of what functions and variables are made of and refer to.
//! With link-time optimization all this happens when the program is linked ([`stage`]).
//! What [`skip`] names is left alone; what [`escape`] proves private gets no call.
//!
//! Build, for clang N: `LLVM_CONFIG=/usr/lib/llvm-N/bin/llvm-config cargo build --release
//! --manifest-path pass/Cargo.toml --no-default-features --features llvmN --target-dir
//! target/pass-N`. Use: `clang -fpass-plugin=libdpor.so`, or `opt -load-pass-plugin=libdpor.so
//! -passes=dpor`.
//!
//! Environment, read once per module: `DPOR_PASS=shared-all` turns the escape analysis off;
//! `DPOR_PASS_VERBOSE=1` prints one line of counts per module to standard error; `DPOR_LEVEL`, the
//! level that is compiled at, asks for the list of all hooked accesses in the program ([`listing`]).
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the plugin has no public items but its entry"
)]

mod access;
mod ahead;
mod assembly;
mod assertions;
mod atomic;
mod call;
mod classes;
mod conventions;
mod counted;
mod counters;
mod destructor;
mod early;
mod endless;
mod escape;
mod frames;
mod hooks;
mod initializer;
mod inlined;
mod instrument;
mod keep;
mod listing;
mod llvm;
mod lock_all;
mod loops;
mod masked;
mod member_call;
mod memory_call;
mod missing_return;
mod plain_assembly;
mod reach;
mod returns;
mod rewriter;
mod rounds;
mod site;
mod skip;
mod spin;
mod stage;
mod turns;
mod uninstrumented;
mod update;
mod value_wait;
mod waits;
