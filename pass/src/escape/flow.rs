//! Follows an object's address to everything it reaches.
//!
//! Two kinds of values are followed. A *holder* may be the object's address (or a struct or vector
//! with the address in it). A *container* is a pointer into a local variable or new block from which
//! the address, or that of another container, may be loaded.

use super::knowledge::{is_call, Fate, Knowledge};
use super::source::sources;
use super::VISITS_MAX;
use crate::llvm::{Opcode, Value};
use std::collections::{HashMap, HashSet};

/// The relation of a followed value to the object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Role {
    Holder,
    Container,
}

/// The address got where it cannot be followed.
struct Escaped;

/// Can anything outside the thread that owns `object` get hold of its address?
pub fn escapes(knowledge: &Knowledge, object: Value) -> bool {
    let mut flow = Flow {
        knowledge,
        seen: HashSet::new(),
        pending: Vec::new(),
        origins: HashSet::new(),
        entered: HashMap::new(),
        returning: HashSet::new(),
    };
    if object.opcode().is_some() {
        let function = object.block().function();
        if knowledge.is_skipped(function) {
            return true;
        }
        flow.origins.insert(function);
    } else if object.is_argument() {
        flow.origins.insert(object.parent_of_argument());
    }
    flow.reach(object, Role::Holder);
    flow.run().is_err()
}

/// State of one walk.
struct Flow<'a> {
    knowledge: &'a Knowledge,
    seen: HashSet<(Value, Role)>,
    pending: Vec<(Value, Role)>,
    /// Functions that know the object without having been given it.
    origins: HashSet<Value>,
    /// Calls through which a function was given the address.
    entered: HashMap<Value, HashSet<Value>>,
    /// Functions that return the address.
    returning: HashSet<Value>,
}

impl Flow<'_> {
    fn reach(&mut self, value: Value, role: Role) {
        if self.seen.insert((value, role)) {
            self.pending.push((value, role));
        }
    }

    fn run(&mut self) -> Result<(), Escaped> {
        while let Some((value, role)) = self.pending.pop() {
            if self.seen.len() > VISITS_MAX {
                return Err(Escaped);
            }
            for user in value.users() {
                self.follow(value, role, user)?;
            }
        }
        // A function that knows the object by itself may return it to callers not followed.
        match self.returning.is_disjoint(&self.origins) {
            true => Ok(()),
            false => Err(Escaped),
        }
    }

    /// One use of a followed value.
    fn follow(&mut self, value: Value, role: Role, user: Value) -> Result<(), Escaped> {
        let Some(opcode) = user.opcode() else {
            return self.follow_constant(role, user);
        };
        if value.is_constant() {
            self.origins.insert(user.block().function());
        }
        match opcode {
            Opcode::LLVMLoad => {
                if role == Role::Container {
                    // What is loaded is the address, or the address of another container.
                    self.reach(user, Role::Holder);
                    self.reach(user, Role::Container);
                }
                Ok(())
            }
            Opcode::LLVMStore => self.follow_store(value, user),
            Opcode::LLVMICmp => Ok(()),
            // Walks a va_list; what it reads was never stored by name.
            Opcode::LLVMVAArg if role == Role::Holder => Ok(()),
            Opcode::LLVMGetElementPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMAddrSpaceCast
            | Opcode::LLVMFreeze
            | Opcode::LLVMPHI
            | Opcode::LLVMSelect
            | Opcode::LLVMInsertValue
            | Opcode::LLVMExtractValue
            | Opcode::LLVMInsertElement
            | Opcode::LLVMExtractElement
            | Opcode::LLVMShuffleVector => {
                self.reach(user, role);
                Ok(())
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                let only_address = (1..user.operand_count()).all(|i| user.operand(i) != value);
                match role == Role::Holder && only_address {
                    true => Ok(()),
                    false => Err(Escaped),
                }
            }
            Opcode::LLVMRet if role == Role::Holder => {
                self.follow_return(user.block().function());
                Ok(())
            }
            _ if is_call(user) => self.follow_call(value, role, user),
            _ => Err(Escaped),
        }
    }

    /// Constant expressions on the address of a global; anything else (an initializer, an alias)
    /// publishes it.
    fn follow_constant(&mut self, role: Role, user: Value) -> Result<(), Escaped> {
        match user.constant_opcode() {
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast) => {
                self.reach(user, role);
                Ok(())
            }
            _ => Err(Escaped),
        }
    }

    /// A store through the value is harmless, a store of the value makes containers.
    fn follow_store(&mut self, value: Value, store: Value) -> Result<(), Escaped> {
        if store.operand(0) != value {
            return Ok(());
        }
        if store.ordering() != 0 {
            return Err(Escaped);
        }
        let destinations = sources(self.knowledge, store.operand(1)).ok_or(Escaped)?;
        for destination in destinations.objects {
            if destination.opcode().is_none() {
                return Err(Escaped);
            }
            self.reach(destination, Role::Container);
        }
        Ok(())
    }

    fn follow_return(&mut self, function: Value) {
        if self.returning.insert(function) {
            for call in self.entered.get(&function).cloned().unwrap_or_default() {
                self.reach(call, Role::Holder);
            }
        }
    }

    fn follow_call(&mut self, value: Value, role: Role, call: Value) -> Result<(), Escaped> {
        if call.callee() == value || call.callee().is_assembly() {
            return Err(Escaped);
        }
        let arguments = call.argument_count();
        let passed: Vec<u32> = (0..arguments)
            .filter(|&i| call.operand(i) == value)
            .collect();
        if passed.is_empty() {
            // It stands in an operand bundle. Those of llvm.assume only state facts.
            let assumes = call.callee().is_function() && call.callee().name() == "llvm.assume";
            return if assumes { Ok(()) } else { Err(Escaped) };
        }
        for index in passed {
            match (self.knowledge.fate(call, index), role) {
                (Fate::Forgotten, Role::Holder) => {}
                (Fate::CopiedFrom, Role::Holder) => {}
                (Fate::Forgotten, Role::Container) if reads_nothing(call) => {}
                (Fate::Returned, _) => self.reach(call, role),
                (Fate::Enters(parameter), Role::Holder) => {
                    self.enter(call, parameter);
                }
                _ => return Err(Escaped),
            }
        }
        Ok(())
    }

    /// Goes on in the function that is called.
    fn enter(&mut self, call: Value, parameter: Value) {
        let function = call.callee();
        self.entered.entry(function).or_default().insert(call);
        if self.returning.contains(&function) {
            self.reach(call, Role::Holder);
        }
        self.reach(parameter, Role::Holder);
    }
}

/// Calls that keep the address they are given to themselves and do not look at what is there.
fn reads_nothing(call: Value) -> bool {
    let name = call.callee().name();
    [
        "llvm.lifetime.",
        "llvm.assume",
        "llvm.dbg.",
        "llvm.invariant.",
        "llvm.memset.",
        "free",
        "_Zd",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}
