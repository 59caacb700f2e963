//! Emits the [`dpor_abi::Site`] records: one per place and flags, shared by all hooks there.

use crate::llvm::{Location, Module, Value};
use std::collections::HashMap;

/// What distinguishes one site from another.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Key {
    Located(Location, u32),
    /// Without a location all that is known is the function.
    Function(Value, u32),
}

/// The sites and texts emitted so far.
pub struct Sites {
    module: Module,
    sites: HashMap<Key, Value>,
    texts: HashMap<String, Value>,
}

impl Sites {
    /// No site emitted yet.
    pub fn new(module: Module) -> Sites {
        Sites {
            module,
            sites: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// The record for an instruction of `function` at `location`; `flags` are
    /// [`dpor_abi::site_flag`].
    pub fn get(&mut self, function: Value, location: Option<Location>, flags: u32) -> Value {
        match location {
            Some(location) => self.located(location, flags),
            None => self.unlocated(function, flags),
        }
    }

    fn located(&mut self, location: Location, flags: u32) -> Value {
        let key = Key::Located(location, flags);
        if let Some(&site) = self.sites.get(&key) {
            return site;
        }
        // The frames around an inlined one are calls: the flags say nothing about them.
        let outer = match location.inlined_at() {
            Some(outer) => self.located(outer, 0),
            None => self.module.null(),
        };
        let file = match location.path() {
            path if path.is_empty() => self.module.null(),
            path => self.text(path),
        };
        let function = self.text(location.function_name());
        let site = self.emit(
            file,
            function,
            outer,
            location.line(),
            location.column(),
            flags,
        );
        self.sites.insert(key, site);
        site
    }

    fn unlocated(&mut self, function: Value, flags: u32) -> Value {
        let key = Key::Function(function, flags);
        if let Some(&site) = self.sites.get(&key) {
            return site;
        }
        let name = self.text(function.name());
        let null = self.module.null();
        let site = self.emit(null, name, null, 0, 0, flags);
        self.sites.insert(key, site);
        site
    }

    /// Fields in the order of [`dpor_abi::Site`].
    fn emit(
        &mut self,
        file: Value,
        function: Value,
        inlined_at: Value,
        line: u32,
        column: u32,
        flags: u32,
    ) -> Value {
        let word = |value: u32| self.module.integer(32, u64::from(value));
        let fields = [
            file,
            function,
            inlined_at,
            word(line),
            word(column),
            word(flags),
            word(0),
        ];
        self.module
            .private_constant("dpor.site", self.module.constant_struct(&fields))
    }

    /// A NUL-terminated text in the module, each different one once.
    pub fn text(&mut self, text: String) -> Value {
        let module = self.module;
        *self
            .texts
            .entry(text)
            .or_insert_with_key(|text| module.private_text(text))
    }
}
