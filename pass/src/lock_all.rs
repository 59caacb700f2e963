//! `std::lock` says which mutexes it wants.
//!
//! It locks one mutex, tries the others, and if that fails unlocks all and begins again. Two threads may do
//! that for ever, so that its executions have no end, but nobody can tell a round that failed from none,
//! unless somebody tries one of the mutexes meanwhile. So the runtime is told all of them when the function
//! begins, waits until they are free, and answers its calls.
//!
//! This is libstdc++'s `std::lock`, of two to sixteen mutexes of the standard library, or `unique_lock`s of
//! them. It is found by its name before optimization takes it apart. What is not as expected stays as it is.
//! The argument is in docs/decisions/0041.

use crate::llvm::Predicate::Equal;
use crate::llvm::{Builder, Module, Opcode, Value};
use dpor_abi::LOCK_ALL_MAX;

/// Beginning of the names of its instances.
const NAME: &str = "_ZSt4lockI";

/// Mutexes of the standard library that are a `pthread_mutex_t` and nothing in front of it.
const MUTEXES: [&str; 4] = [
    "5mutex",
    "15recursive_mutex",
    "11timed_mutex",
    "21recursive_timed_mutex",
];
const UNIQUE_LOCK: &str = "11unique_lock";
/// Where a `unique_lock`, which begins with the address of its mutex, says that it owns it.
const OWNS_OFFSET: u64 = 8;

/// The runtime's functions take so many at a time.
const ARGUMENTS: usize = 3;

/// What a parameter refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lockable {
    Mutex,
    Unique,
    /// The name has a part that is no type of a parameter.
    Neither,
}

/// Reads a mangled name.
struct Name<'a> {
    rest: &'a str,
    /// What `S_`, `S0_`, ... stand for.
    seen: Vec<Lockable>,
}

impl Name<'_> {
    fn take(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn lockable(&mut self) -> Option<Lockable> {
        if self.take("St").is_none() {
            return self.seen_before();
        }
        if let Some(mutex) = MUTEXES.iter().find(|m| self.rest.starts_with(**m)) {
            self.take(mutex)?;
            self.seen.push(Lockable::Mutex);
            return Some(Lockable::Mutex);
        }
        self.take(UNIQUE_LOCK)?;
        self.seen.push(Lockable::Neither);
        self.take("I")?;
        if self.lockable()? != Lockable::Mutex {
            return None;
        }
        self.take("E")?;
        self.seen.push(Lockable::Unique);
        Some(Lockable::Unique)
    }

    /// `S_` is the first, `S0_` the second; more than eleven there are not.
    fn seen_before(&mut self) -> Option<Lockable> {
        self.take("S")?;
        let (number, _) = self.rest.split_once('_')?;
        let nth = match number {
            "" => 0,
            digit => digit.parse::<usize>().ok()? + 1,
        };
        self.take(number)?;
        self.take("_")?;
        self.seen.get(nth).copied()
    }
}

/// The parameters of an instance of `std::lock` with this name, if all are known.
fn parameters(name: &str) -> Option<Vec<Lockable>> {
    let mut name = Name {
        rest: name.strip_prefix(NAME)?,
        seen: vec![Lockable::Neither],
    };
    let mut all = vec![name.lockable()?, name.lockable()?];
    name.take("J")?;
    while name.take("EEv").is_none() {
        all.push(name.lockable()?);
    }
    let known = all.len() <= LOCK_ALL_MAX && !all.contains(&Lockable::Neither);
    known.then_some(all)
}

/// Lets them all say so.
pub fn announce(module: Module) {
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        if let Some(parameters) = parameters(&function.name()) {
            if function.parameter_count() as usize == parameters.len() {
                announce_in(module, function, &parameters);
            }
        }
    }
}

fn announce_in(module: Module, function: Value, parameters: &[Lockable]) {
    let blocks = function.blocks();
    let instructions = || blocks.iter().flat_map(|block| block.instructions());
    let first = instructions().find(|i| i.opcode() != Some(Opcode::LLVMAlloca));
    let Some(first) = first else { return };
    let location = instructions().find_map(|i| i.location().filter(|l| l.line() != 0));
    let mut builder = Builder::new(module);
    builder.stand_before(first, location);
    let (pointer, byte) = (module.pointer_type(), module.integer_type(8));
    let mut mutexes = Vec::new();
    for (at, lockable) in parameters.iter().enumerate() {
        let parameter = function.parameter(at as u32);
        mutexes.push(match lockable {
            Lockable::Unique => {
                // One that owns its mutex, or has none, is left to the function, which throws.
                let owns = builder.load(byte, builder.offset(parameter, OWNS_OFFSET));
                let free = builder.compare(Equal, owns, module.integer(8, 0));
                builder.select(free, builder.load(pointer, parameter), module.null())
            }
            _ => parameter,
        });
    }
    mutexes.resize(mutexes.len().next_multiple_of(ARGUMENTS), module.null());
    // Nothing comes between the calls: the runtime takes them as one.
    let (first, more) = mutexes.split_at(ARGUMENTS);
    let types = [module.integer_type(32), pointer, pointer, pointer];
    for three in more.chunks(ARGUMENTS) {
        let ty = module.function_type(module.void_type(), &types[1..]);
        builder.call(module.declare("dpor_lock_more", ty), ty, three);
    }
    let ty = module.function_type(module.void_type(), &types);
    let count = module.integer(32, parameters.len() as u64);
    let arguments: Vec<Value> = std::iter::once(count)
        .chain(first.iter().copied())
        .collect();
    builder.call(module.declare("dpor_lock_all", ty), ty, &arguments);
}

#[cfg(test)]
mod tests {
    use super::Lockable::{Mutex, Unique};
    use super::*;

    #[test]
    fn names() {
        for (name, expected) in [
            (
                "_ZSt4lockISt5mutexS0_JEEvRT_RT0_DpRT1_",
                Some(vec![Mutex, Mutex]),
            ),
            (
                "_ZSt4lockISt5mutexS0_JS0_EEvRT_RT0_DpRT1_",
                Some(vec![Mutex; 3]),
            ),
            (
                "_ZSt4lockISt5mutexS0_JS0_S0_EEvRT_RT0_DpRT1_",
                Some(vec![Mutex; 4]),
            ),
            (
                "_ZSt4lockISt5mutexS0_JS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_EEvRT_RT0_DpRT1_",
                Some(vec![Mutex; 16]),
            ),
            (
                "_ZSt4lockISt5mutexS0_JS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_EEvRT_RT0_DpRT1_",
                None,
            ),
            (
                "_ZSt4lockISt11timed_mutexSt15recursive_mutexJEEvRT_RT0_DpRT1_",
                Some(vec![Mutex; 2]),
            ),
            (
                "_ZSt4lockISt11unique_lockISt5mutexES2_JEEvRT_RT0_DpRT1_",
                Some(vec![Unique; 2]),
            ),
            (
                "_ZSt4lockISt5mutexSt11unique_lockIS0_EJEEvRT_RT0_DpRT1_",
                Some(vec![Mutex, Unique]),
            ),
            ("_ZSt4lockISt12shared_mutexS0_JEEvRT_RT0_DpRT1_", None),
            ("_ZSt4lockI4MineS0_JEEvRT_RT0_DpRT1_", None),
            ("_ZSt4lockISt5mutexS1_JEEvRT_RT0_DpRT1_", None),
            ("_ZSt4lockISt5mutexS_JEEvRT_RT0_DpRT1_", None),
        ] {
            assert_eq!(parameters(name), expected, "{name}");
        }
    }
}
