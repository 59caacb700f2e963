//! Declares the hooks in the module, each when it is first needed.

use crate::llvm::{Attribute, Module, Type, Value};
use std::collections::HashMap;

/// A hook's declaration and function type.
#[derive(Clone, Copy)]
pub struct Hook {
    /// The declared function.
    pub function: Value,
    /// The function type of the hook.
    pub ty: Type,
}

/// The hooks declared so far, by name and width in bytes (0: the hook has none).
pub struct Hooks {
    module: Module,
    declared: HashMap<(&'static str, u32), Hook>,
}

impl Hooks {
    /// No hook declared yet.
    pub fn new(module: Module) -> Hooks {
        Hooks {
            module,
            declared: HashMap::new(),
        }
    }

    /// The hook `name`, with `width` appended unless that is 0.
    pub fn get(&mut self, name: &'static str, width: u32) -> Hook {
        let module = self.module;
        *self.declared.entry((name, width)).or_insert_with(|| {
            let full = match width {
                0 => name.to_string(),
                _ => format!("{name}{width}"),
            };
            let ty = signature(module, name, width);
            let function = module.declare(&full, ty);
            // Called through the table of addresses, without a jump in between.
            module.add_function_attribute(function, Attribute::named("nonlazybind"));
            Hook { function, ty }
        })
    }
}

/// The signature in [`dpor_abi::hook`]'s table.
fn signature(module: Module, name: &str, width: u32) -> Type {
    let pointer = module.pointer_type();
    let word = module.integer_type(32);
    let size = module.integer_type(64);
    let value = module.integer_type(8 * width.max(1));
    let void = module.void_type();
    let (result, parameters): (Type, Vec<Type>) = match name {
        "__dpor_read" | "__dpor_write" => (void, vec![pointer, pointer]),
        "__dpor_update" => (word, vec![pointer, pointer, pointer]),
        "__dpor_read_range" | "__dpor_write_range" | "__dpor_assembly_access" => {
            (void, vec![pointer, size, pointer])
        }
        "__dpor_read_ahead" => (void, vec![pointer, size, pointer, pointer]),
        "__dpor_used_ahead" => (void, vec![pointer, word]),
        "__dpor_read_masked" | "__dpor_write_masked" => {
            (void, vec![pointer, word, word, size, pointer])
        }
        "__dpor_load" => (value, vec![pointer, word, pointer]),
        "__dpor_store" => (void, vec![pointer, value, word, pointer]),
        "__dpor_rmw" => (value, vec![pointer, value, word, word, word, pointer]),
        "__dpor_rmw_begin" => (value, vec![pointer, word, word, pointer]),
        "__dpor_rmw_end" => (void, vec![pointer, value, word, pointer]),
        "__dpor_cas" => (
            value,
            vec![pointer, value, value, word, word, word, pointer],
        ),
        "__dpor_fence" => (void, vec![word, word, pointer]),
        "__dpor_volatile_load" => (value, vec![pointer, pointer]),
        "__dpor_volatile_store" => (void, vec![pointer, value, pointer]),
        "__dpor_volatile_range" => (void, vec![pointer, size, word, pointer]),
        "__dpor_await" => (void, vec![pointer, word, word, size, size, pointer]),
        "__dpor_turn" => (void, vec![pointer, pointer, word, pointer]),
        "__dpor_frame_begin" | "__dpor_frame_end" => (word, vec![pointer, pointer]),
        "__dpor_stack_end" => (void, vec![pointer, pointer]),
        "__dpor_scope_begin" | "__dpor_scope_end" => (void, vec![pointer, size, pointer]),
        "__dpor_round" => (void, vec![pointer, pointer]),
        "__dpor_spin" | "__dpor_endless" => (void, vec![]),
        "__dpor_waits_at" => (void, vec![pointer]),
        "__dpor_wait_value" => (void, vec![pointer, size, word, word]),
        "__dpor_classes" => (void, vec![pointer, pointer, word]),
        "__dpor_destructor_vptr" => (void, vec![pointer, pointer, pointer]),
        "__dpor_member" => (
            void,
            vec![word, pointer, pointer, pointer, pointer, pointer],
        ),
        "__dpor_missing_return" | "__dpor_call_unseen" => (void, vec![pointer, pointer]),
        "__dpor_assembly_unknown"
        | "__dpor_call"
        | "__dpor_module"
        | "__dpor_result_ignored"
        | "__dpor_tries_again" => (void, vec![pointer]),
        _ => unreachable!("no hook is called {name}"),
    };
    module.function_type(result, &parameters)
}
