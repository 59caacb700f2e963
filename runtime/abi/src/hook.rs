//! The calls that the pass inserts: names and signatures.
//!
//! Notation: `N` is the width in bytes (1, 2, 4, 8 or 16), `iN` the integer of that width,
//! `site` a `ptr` to a [`crate::Site`]. Orders are [`crate::order`], operators [`crate::rmw`].
//! All are `nounwind` except where said; none is `readnone`, `willreturn` or `nosync`.
//!
//! | C signature | inserted at |
//! |---|---|
//! | `void __dpor_readN(ptr, site)`, `void __dpor_writeN(ptr, site)` | before a plain access; any alignment |
//! | `i32 __dpor_updateN(ptr, write_site, read_site)` | instead of `__dpor_readN` before a plain load, if the same block stores to the same bytes next and does nothing between that could fail or be seen: tells of both accesses, unless it returns other than 0. Then `__dpor_writeN` is called before the store |
//! | `void __dpor_destructor_vptr(ptr, ptr value, site)` | instead of `__dpor_write8` before a destructor's write of its class's virtual table pointer, which C++ does not have: no access if it is there already |
//! | `void __dpor_read_range(ptr, i64 bytes, site)`, `__dpor_write_range` | before memory intrinsics, `mem*` calls, aggregates, vectors, odd widths |
//! | `void __dpor_read_masked(ptr, i32 lane_bytes, i32 lanes, i64 mask, site)`, `__dpor_write_masked` | before masked vector accesses (bit k of mask: lane k is accessed); gathers and scatters use one plain hook per active lane |
//! | `void __dpor_read_ahead(ptr, i64 bytes, ptr token, site)` | before a plain load, in programs that are compared ([`crate::access_list`]), whose value may not be used after all: the optimizer may have made it ahead of its condition. `token` is a variable of the function's own, one per load |
//! | `void __dpor_used_ahead(ptr token, i32 is_used)` | where that value is used, or (`is_used`) may be |
//! | `iN __dpor_loadN(ptr, i32 order, site)` | instead of an atomic load (float, pointer: bitcast); in `order` is besides whether the program only asks for a count ([`crate::order::counting`]) |
//! | `void __dpor_storeN(ptr, iN value, i32 order, site)` | instead of an atomic store |
//! | `iN __dpor_rmwN(ptr, iN value, i32 operator, i32 order, i32 result_used, site)` | instead of an integer `atomicrmw`; returns the old value |
//! | `iN __dpor_rmw_beginN(ptr, i32 order, i32 result_used, site)` … `void __dpor_rmw_endN(ptr, iN new, i32 order, site)` | around the plain computation of any other `atomicrmw`; nothing else is inserted between the two |
//! | `iN __dpor_casN(ptr, iN expected, iN desired, i32 success_order, i32 failure_order, i32 weak, site)` | instead of `cmpxchg`; returns the old value, success is old == expected |
//! | `void __dpor_fence(i32 order, i32 single_thread, site)` | instead of `fence` |
//! | `iN __dpor_volatile_loadN(ptr, site)`, `void __dpor_volatile_storeN(ptr, iN, site)` | instead of a volatile access (volatile *atomics* use the atomic hooks) |
//! | `void __dpor_volatile_range(ptr, i64 bytes, i32 is_write, site)` | before a volatile access of any other width |
//! | `void __dpor_assembly_access(ptr, i64 bytes, site)` | before inline assembly, once per memory operand (`*m` with elementtype) |
//! | `void __dpor_await(ptr, i32 test, i32 bits, i64 mask, i64 value, site)` | before an atomic or volatile load, an `atomicrmw` or a `cmpxchg` of the same address in a loop that does nothing else, and goes round until what is found there passes a [`crate::wait`]: the next access may block until then |
//! | `void __dpor_turn(ptr record, ptr now, i32 count, site)` | at the head of a loop that does nothing to memory but events, accesses with hooks, and to the variables shown: `now` is `count` i64, all that the next turn depends on besides what is shared; `record`, `2 + count` i64 of which the first is 0 when the loop is entered, is the runtime's; `count` has bits of [`crate::turn`] besides. With [`crate::turn::LEFT`] where the loop is left, if that may be before it made an event |
//! | `void __dpor_tries_again(site)` | before a call that tries to lock, in a loop that does nothing else, and goes round until it succeeds: the call may block until then |
//! | `void __dpor_round(ptr count, site)` | at the head of a loop that may make events, unless it counts to a number that stays; before `__dpor_turn`; `count` is an i64 that is 0 when the loop is entered, the runtime's. The site is the loop's |
//! | `void __dpor_spin()` | instead of a hint in a loop of a library's that only waits for a lock, which is held for a few instructions |
//! | `void __dpor_endless()` | at the head of a loop that calls functions and that the source never leaves, in each turn |
//! | `void __dpor_waits_at(ptr)` | right before a call of libstdc++'s in which the thread waits for the value at this address |
//! | `void __dpor_wait_value(ptr futex, i64 value, i32 bytes, i32 operation)` | instead of libstdc++'s call that waits on a futex for the value whose address was told last: the thread sleeps if it is still there. `operation`: the library's, of futex(2) |
//! | `void __dpor_classes(ptr name, ptr values, i32 count)` | right before a call of a `__VERIFIER_nondet_` function, whose name it is, if what it returns is only compared with constants: `count` i64, 0 first, one of each class of values that the comparisons tell apart, at most [`crate::CLASSES_MAX`] |
//! | `void __dpor_assembly_unknown(site)` | before inline assembly that reaches memory only through a clobber |
//! | `void __dpor_call(site)` | before every call that may leave the module's instrumented code (external or indirect); remembers the site for interposed functions. May be followed by an unwinding call, itself `nounwind` |
//! | `void __dpor_call_unseen(ptr function, site)` | instead of it if the called function is not known to read nothing of what threads share (see [`crate::uninstrumented`]); null: it is known to read. The runtime finds out whether it is instrumented |
//! | `void __dpor_member(i32 what, ptr function, ptr first, ptr second, ptr third, site)` | before a call of a function of C++'s library that is not in the module and accesses what its arguments point to, in front of `__dpor_call`; `what` is a word of [`crate::cxx_library::Call`], the pointers are the call's first ones. With 0 before a virtual call: the runtime finds out which function it is. The site is a [`crate::CallSite`] |
//! | `void __dpor_scope_begin(ptr, i64 bytes, site)`, `void __dpor_scope_end(ptr, i64 bytes, site)` | where the life of a variable on the stack that another thread may reach begins and ends: where its function begins, and before it returns or goes on unwinding (not in `main`); where `llvm.lifetime` says so, if it lives for a part of it only |
//! | `i32 __dpor_frame_begin(ptr top, site)`, `i32 __dpor_frame_end(ptr top, site)` | in front of these, where a function has several of them: whether they have to be called. `top` is the address of the return address; the frame reaches from there down to where the hook's own begins |
//! | `void __dpor_stack_end(ptr top, site)` | before the stack is cut back to `top` (`llvm.stackrestore`, or a return), where the function has such memory of a size that it computes: all below ends |
//! | `void __dpor_missing_return(ptr name, site)` | before the trap that clang puts at the end of a function of C++ that returns no value; `name` is the function's |
//! | `void __dpor_module(ptr to ModuleInfo)` | from a module constructor of priority 0 |

/// Widths in bytes for which the hooks with a trailing `N` exist.
pub const WIDTHS: [u32; 5] = [1, 2, 4, 8, 16];

/// Functions with a width appended to their name.
pub const SIZED: [&str; 11] = [
    "__dpor_read",
    "__dpor_write",
    "__dpor_update",
    "__dpor_load",
    "__dpor_store",
    "__dpor_rmw",
    "__dpor_rmw_begin",
    "__dpor_rmw_end",
    "__dpor_cas",
    "__dpor_volatile_load",
    "__dpor_volatile_store",
];

/// Functions without a width.
pub const UNSIZED: [&str; 30] = [
    "__dpor_read_range",
    "__dpor_write_range",
    "__dpor_read_masked",
    "__dpor_write_masked",
    "__dpor_fence",
    "__dpor_volatile_range",
    "__dpor_assembly_access",
    "__dpor_assembly_unknown",
    "__dpor_call",
    "__dpor_call_unseen",
    "__dpor_module",
    "__dpor_spin",
    "__dpor_classes",
    "__dpor_endless",
    "__dpor_waits_at",
    "__dpor_wait_value",
    "__dpor_await",
    "__dpor_turn",
    "__dpor_tries_again",
    "__dpor_round",
    "__dpor_destructor_vptr",
    "__dpor_read_ahead",
    "__dpor_used_ahead",
    "__dpor_member",
    "__dpor_frame_begin",
    "__dpor_frame_end",
    "__dpor_stack_end",
    "__dpor_scope_begin",
    "__dpor_scope_end",
    "__dpor_missing_return",
];
