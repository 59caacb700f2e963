//! `std::atomic<T>::wait` of libstdc++'s where T is no int: it waits for the value itself.
//!
//! Linux's futexes are of four bytes. For other values the library sleeps on a counter that several atomics share and
//! that each notification raises: it reads the counter, looks at the value, and sleeps if the counter is what it was.
//! Every notification between the two is another execution. The kernel of the model can compare what the program means:
//! the thread sleeps on the counter's futex, where notifications find it as before, if the *value* is what it was, and
//! the counter is not read. The argument is in docs/decisions/0024.
//!
//! The functions are found by their names, before optimization, and changed only if all of them look as in GCC 11 to 14.
//! Waits for a predicate (semaphores, barriers) have other names. What is changed becomes private to the module, so that
//! it does not meet a copy that was not.

use crate::hooks::Hooks;
use crate::llvm::{Attribute, Builder, Module, Opcode, TypeKind, Value};

/// Beginning of the names of `std::__atomic_wait_address_v`'s instances.
const WAITS: &str = "_ZSt23__atomic_wait_address_vI";

/// What the names of the functions contain that it calls, one in the other.
const LOOP: &str = "12_M_do_wait_vI";
const LOOK: &str = "12_M_do_spin_vI";
const SPIN: &str = "12_S_do_spin_vI";

/// `std::__detail::__waiter_pool::_M_do_wait(const int*, int)`.
const SLEEP: &str = "_ZNSt8__detail13__waiter_pool10_M_do_waitEPKii";

/// Beginning of the names of the functions that those call, `std::__detail::__platform_wait`.
const KERNEL: &str = "_ZNSt8__detail15__platform_waitI";

/// One wait as the library has it.
struct Shape {
    outer: Value,
    inner: [Value; 3],
    /// The call, in `outer`, of the first of `inner`.
    call: Value,
    /// The call that sleeps, in the first of `inner`.
    sleep: Value,
    /// The load of the counter, in the last of `inner`.
    counter: Value,
    bytes: u64,
    /// The operation of futex(2) that the library sleeps with.
    futex: i64,
}

/// Changes them all.
pub fn simplify(module: Module) {
    for outer in module.functions() {
        if !outer.is_declaration() && outer.name().starts_with(WAITS) {
            if let Some(shape) = understand(module, outer) {
                change(module, &shape);
            }
        }
    }
}

fn instructions(function: Value) -> Vec<Value> {
    let blocks = function.blocks();
    blocks
        .iter()
        .flat_map(|block| block.instructions())
        .collect()
}

/// The only call in a function of one whose name passes.
fn only_call(function: Value, is_it: impl Fn(&str) -> bool) -> Option<Value> {
    let all = instructions(function).into_iter().filter(|instruction| {
        let calls = matches!(
            instruction.opcode(),
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke)
        );
        calls && instruction.callee().is_function() && is_it(&instruction.callee().name())
    });
    let all: Vec<Value> = all.collect();
    match all[..] {
        [call] => Some(call),
        _ => None,
    }
}

fn understand(module: Module, outer: Value) -> Option<Shape> {
    let defined = |call: Value| {
        let callee = call.callee();
        (!callee.is_declaration()).then_some(callee)
    };
    let call = only_call(outer, |name| name.contains(LOOP))?;
    let in_loop = defined(call)?;
    let sleep = only_call(in_loop, |name| name == SLEEP)?;
    let looks = only_call(in_loop, |name| name.contains(LOOK))?;
    let look = defined(looks)?;
    let spin = defined(only_call(look, |name| name.contains(SPIN))?)?;
    let is_counter = |i: &Value| {
        i.opcode() == Some(Opcode::LLVMLoad) && i.ordering() != 0 && i.ty().integer_bits() == 32
    };
    let counters: Vec<Value> = instructions(spin).into_iter().filter(is_counter).collect();
    let [counter] = counters[..] else {
        return None; // The value is an int.
    };
    let kernel = defined(only_call(defined(sleep)?, |name| name.starts_with(KERNEL))?)?;
    let futex = only_call(kernel, |name| name == "syscall")?
        .operand(2)
        .constant_integer()?;
    let is_plain = sleep.opcode() == Some(Opcode::LLVMCall)
        && sleep.argument_count() == 3
        && sleep.users().is_empty()
        && in_loop.parameter_count() > 1
        && looks.argument_count() > 1;
    is_plain.then_some(())?;
    // The second parameter of the one is the value, of the other a reference to one: that says how many bytes it has.
    let value = in_loop.parameter(1).ty();
    let bytes = looks.argument_number_attribute(1, Attribute::named("dereferenceable"))?;
    let is_scalar = matches!(
        value.kind(),
        TypeKind::Integer | TypeKind::Pointer | TypeKind::Float
    );
    let fits = is_scalar && module.store_bytes(value) == bytes && [1, 2, 4, 8].contains(&bytes);
    fits.then_some(Shape {
        outer,
        inner: [in_loop, look, spin],
        call,
        sleep,
        counter,
        bytes,
        futex,
    })
}

fn change(module: Module, shape: &Shape) {
    let mut hooks = Hooks::new(module);
    let mut builder = Builder::new(module);
    let hook = hooks.get("__dpor_waits_at", 0);
    builder.stand_before(shape.call, shape.call.location());
    builder.call(hook.function, hook.ty, &[shape.outer.parameter(0)]);
    let hook = hooks.get("__dpor_wait_value", 0);
    builder.stand_before(shape.sleep, shape.sleep.location());
    let value = builder.to_integer(shape.inner[0].parameter(1), 64);
    let bytes = module.integer(32, shape.bytes);
    let futex = module.integer(32, shape.futex as u64);
    let arguments = [shape.sleep.operand(1), value, bytes, futex];
    builder.call(hook.function, hook.ty, &arguments);
    shape.sleep.erase();
    shape.counter.replace_all_uses_with(module.integer(32, 0));
    shape.counter.erase();
    shape.outer.make_private();
    for function in shape.inner {
        function.make_private();
    }
}
