//! Finds private memory: memory that one thread alone can ever reach.
//!
//! A pointer leads to private memory if everything it can come from ([`source`]) is an object whose
//! address never gets out ([`flow`]). Objects are local variables, blocks from the C and C++
//! allocation functions, thread-local variables that no other module can name, byval parameters,
//! and constants. Both walks cover the whole module: into the functions that are called, and back
//! to the callers of functions that only this module can call.
//!
//! **Sharing is over-approximated.** A user that has no rule of its own lets the address escape, a
//! source without a rule is shared, and a walk that grows beyond [`VISITS_MAX`] gives up and says
//! shared. A function whose body may be exchanged by the linker (weak, `linkonce_odr`, subject to
//! interposition) counts as unknown, for the reason LLVM does not infer attributes from it: the
//! copy that runs may differ.
//!
//! **Source.** Escape analysis by reachability, flow- and context-insensitive: Choi, Gupta, Serrano,
//! Sreedhar, Midkiff, "Escape Analysis for Java", OOPSLA 1999, reduced to one question per object.

mod flow;
pub(crate) mod knowledge;
mod source;

use crate::llvm::{Module, Value};
use knowledge::Knowledge;
pub use knowledge::{is_call, Fate, DEALLOCATORS};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Values one walk may visit. Chosen: larger walks were rare in the programs measured, and what
/// they prove is seldom worth the compile time.
const VISITS_MAX: usize = 4000;

/// Tells which pointers lead to memory that one thread alone can reach.
pub struct Privacy(Option<Analysis>);

impl Privacy {
    /// A privacy analysis that takes everything for shared.
    pub fn everything_shared() -> Privacy {
        Privacy(None)
    }

    /// Analyses the module; `skipped` are the functions left alone, whose bodies are not looked at.
    pub fn analyse(module: Module, skipped: HashSet<Value>) -> Privacy {
        Privacy(Some(Analysis {
            knowledge: Knowledge::new(module, skipped),
            objects: RefCell::default(),
            pointers: RefCell::default(),
        }))
    }

    /// True if no other thread can reach what the pointer leads to.
    pub fn is_private(&self, pointer: Value) -> bool {
        self.0
            .as_ref()
            .is_some_and(|analysis| analysis.is_private(pointer))
    }

    /// True if nobody need be told of an access: the memory is private, and lives as long as the code that has its
    /// address. A block of the heap may have been freed, or end before the access does.
    pub fn is_silent(&self, pointer: Value) -> bool {
        self.0
            .as_ref()
            .is_some_and(|analysis| analysis.is_private(pointer) && !analysis.is_of_heap(pointer))
    }
}

/// Answers and remembers.
struct Analysis {
    knowledge: Knowledge,
    /// Objects asked about so far, and whether they stay private.
    objects: RefCell<HashMap<Value, bool>>,
    /// Pointers asked about so far, and whether they lead to private memory.
    pointers: RefCell<HashMap<Value, bool>>,
}

impl Analysis {
    fn is_private(&self, pointer: Value) -> bool {
        if let Some(&known) = self.pointers.borrow().get(&pointer) {
            return known;
        }
        let sources = source::sources(&self.knowledge, pointer);
        let private = sources.as_ref().is_some_and(|sources| {
            !sources.objects.is_empty()
                && sources
                    .objects
                    .iter()
                    .all(|&object| self.is_private_object(object))
        });
        let mut pointers = self.pointers.borrow_mut();
        pointers.insert(pointer, private);
        // What was passed on the way comes from some of the same objects.
        if let Some(sources) = sources.filter(|_| private) {
            pointers.extend(sources.on_the_way.into_iter().map(|value| (value, true)));
        }
        private
    }

    /// Whether a private pointer may lead to a block of the heap.
    fn is_of_heap(&self, pointer: Value) -> bool {
        let sources = source::sources(&self.knowledge, pointer);
        sources.is_none_or(|sources| sources.objects.iter().any(|&object| is_call(object)))
    }

    fn is_private_object(&self, object: Value) -> bool {
        if let Some(&known) = self.objects.borrow().get(&object) {
            return known;
        }
        let constant = object.is_read_only_global() && !object.is_declaration();
        let private = constant || !flow::escapes(&self.knowledge, object);
        self.objects.borrow_mut().insert(object, private);
        private
    }
}
