//! The rewriter, which has what every rewriting rule needs: the place, the hooks, the counts, and what is private.

use crate::escape::Privacy;
use crate::hooks::Hooks;
use crate::listing::{Inserted, Listing};
use crate::llvm::{Builder, Location, Module, Value};
use crate::site::Sites;

/// Numbers of the accesses that were met, by what became of them.
#[derive(Default, Clone, Copy)]
pub struct Counts {
    /// Accesses that were met.
    pub seen: u32,
    /// Accesses that got a hook.
    pub instrumented: u32,
    /// Accesses whose memory was proved private.
    pub private: u32,
}

/// Rewrites one instruction after the other.
pub struct Rewriter {
    /// The module under transformation.
    pub module: Module,
    /// Stands before the instruction being rewritten.
    pub builder: Builder,
    /// True if anything was inserted into the current function.
    pub inserted: bool,
    /// Accesses of the whole module.
    pub counts: Counts,
    hooks: Hooks,
    sites: Sites,
    privacy: Privacy,
    /// The list of accesses, if the environment asks for it.
    listing: Option<Listing>,
    /// True if the function at hand is left alone: its accesses are counted and nothing else.
    only_count: bool,
    /// Flags that all sites of the module have.
    site_flags: u32,
    function: Option<Value>,
    location: Option<Location>,
    /// Location for instructions of the function that have none.
    fallback: Option<Location>,
}

impl Rewriter {
    /// A rewriter for the module; `privacy` says which pointers lead to private memory, `site_flags`
    /// are those that all its sites have.
    pub fn new(module: Module, privacy: Privacy, site_flags: u32) -> Rewriter {
        Rewriter {
            module,
            builder: Builder::new(module),
            inserted: false,
            counts: Counts::default(),
            hooks: Hooks::new(module),
            sites: Sites::new(module),
            privacy,
            listing: Listing::from_environment(module),
            only_count: false,
            site_flags,
            function: None,
            location: None,
            fallback: None,
        }
    }

    /// Goes to the next function.
    pub fn enter(&mut self, function: Value, only_count: bool) {
        self.function = Some(function);
        self.fallback = Location::artificial(function);
        self.only_count = only_count;
        self.inserted = false;
    }

    /// Goes to the next instruction of the function.
    pub fn stand_before(&mut self, instruction: Value) {
        self.location = instruction.location().or(self.fallback);
        if !self.only_count {
            self.builder.stand_before(instruction, self.location);
        }
    }

    /// Stays there, as code of another place in the source.
    pub fn stand_at(&mut self, instruction: Value, location: Location) {
        self.location = Some(location);
        if !self.only_count {
            self.builder.stand_before(instruction, self.location);
        }
    }

    /// Counts an access through `pointer`. True if it must get a hook.
    pub fn meet(&mut self, pointer: Value) -> bool {
        self.counts.seen += 1;
        if self.only_count {
            return false;
        }
        if pointer.is_swifterror() || self.privacy.is_silent(pointer) {
            self.counts.private += 1;
            return false;
        }
        self.counts.instrumented += 1;
        true
    }

    /// True if only one thread can reach what the pointer leads to, or nobody writes it.
    pub fn is_private(&self, pointer: Value) -> bool {
        self.privacy.is_private(pointer)
    }

    /// True in a function that is left alone.
    pub fn only_counts(&self) -> bool {
        self.only_count
    }

    /// The site record of the current instruction.
    pub fn site(&mut self, flags: u32) -> Value {
        let function = self.function.expect("stands in a function");
        let flags = flags | self.site_flags;
        self.sites.get(function, self.location, flags)
    }

    /// The site record of another plain access of the function.
    pub fn site_of(&mut self, instruction: Value) -> Value {
        let function = self.function.expect("stands in a function");
        let location = instruction.location().or(self.fallback);
        self.sites.get(function, location, self.site_flags)
    }

    /// Goes to where control gets only if `condition` holds, which is seldom: behind a branch in front of the
    /// current instruction. Splits its block.
    pub fn stand_aside(&mut self, instruction: Value, condition: Value) {
        let aside = instruction.split_before(condition);
        self.builder.stand_before(aside, self.location);
    }

    /// Inserts a call of hook `name` (with `width` appended unless 0); `flags` are the site's, and
    /// the site is the last argument.
    pub fn insert(
        &mut self,
        name: &'static str,
        width: u32,
        arguments: &[Value],
        flags: u32,
    ) -> Value {
        self.inserted = true;
        if let Some(listing) = &mut self.listing {
            listing.add(&Inserted {
                name,
                width,
                arguments,
                function: self.function.expect("stands in a function"),
                location: self.location,
            });
        }
        let hook = self.hooks.get(name, width);
        let mut all = arguments.to_vec();
        all.push(self.site(flags));
        self.builder.call(hook.function, hook.ty, &all)
    }

    /// Inserts a call of hook `name`, which stands for what a call does. Its site, the last argument, names the function
    /// that is called, if that is known.
    pub fn insert_of_callee(
        &mut self,
        name: &'static str,
        arguments: &[Value],
        callee: Option<Value>,
    ) {
        self.inserted = true;
        let function = self.function.expect("stands in a function");
        let (location, flags) = (self.location, self.site_flags);
        let mut all = arguments.to_vec();
        all.push(self.sites.of_call(function, location, flags, callee));
        let hook = self.hooks.get(name, 0);
        self.builder.call(hook.function, hook.ty, &all);
    }

    /// Whether the program is one of two that are compared. Then all loops that may wait by plain loads are marked, as
    /// such loads are explored, and loads ahead of their conditions are told apart. Elsewhere that would only cost.
    pub fn is_compared(&self) -> bool {
        self.listing.is_some()
    }

    /// Puts the list of what was inserted into the module, if it is asked for.
    pub fn list(&mut self) {
        if let Some(listing) = self.listing.take() {
            listing.emit();
        }
    }

    /// The declaration of a hook, for calls that the pass inserts elsewhere.
    pub fn hook(&mut self, name: &'static str) -> crate::hooks::Hook {
        self.hooks.get(name, 0)
    }

    /// A text in the module.
    pub fn text(&mut self, text: String) -> Value {
        self.sites.text(text)
    }

    /// An `i32` constant.
    pub fn word(&self, value: u32) -> Value {
        self.module.integer(32, u64::from(value))
    }

    /// An `i64` constant.
    pub fn size(&self, value: u64) -> Value {
        self.module.integer(64, value)
    }

    /// True for a pointer that hooks can take. x86's segment-relative address spaces (256 to 258) have no address that
    /// a hook could use.
    pub fn is_flat(pointer: Value) -> bool {
        !matches!(pointer.ty().element().address_space(), 256..=258)
    }

    /// A length of any integer type as an `i64`.
    pub fn length(&self, value: Value) -> Value {
        self.builder.to_integer(value, 64)
    }

    /// Puts `result` where the instruction's value was used, and removes the instruction.
    pub fn replace(&mut self, instruction: Value, result: Option<Value>) {
        if let Some(result) = result {
            instruction.replace_all_uses_with(result);
        }
        instruction.erase();
    }

    /// A fence that is not LLVM's, treated as sequentially consistent.
    pub fn insert_full_fence(&mut self, flags: u32) {
        if !self.only_count {
            let arguments = [self.word(dpor_abi::order::SEQ_CST), self.word(0)];
            self.insert("__dpor_fence", 0, &arguments, flags);
        }
    }

    /// An access whose extent cannot be told: the run is unsupported if it gets here with threads.
    pub fn insert_unknown(&mut self) {
        if !self.only_count {
            self.insert(
                "__dpor_assembly_unknown",
                0,
                &[],
                dpor_abi::site_flag::ASSEMBLY,
            );
        }
    }
}
