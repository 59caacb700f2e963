//! Emits the [`dpor_abi::Site`] records: one per place and flags, shared by all hooks there.

use crate::llvm::{Location, Module, Value};
use dpor_abi::site_flag;
use std::collections::HashMap;

/// What distinguishes one site from another.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Key {
    Located(Location, u32),
    /// A place without a location, of which all that is known is the function.
    Function(Value, u32),
    /// A call: the function that it is in, the place, the flags, and the function that is called.
    Call(Value, Option<Location>, u32, Option<Value>),
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

    /// The record for a call of a function of C++'s library, with that function's name: a [`dpor_abi::CallSite`].
    pub fn of_call(
        &mut self,
        function: Value,
        location: Option<Location>,
        flags: u32,
        callee: Option<Value>,
    ) -> Value {
        let key = Key::Call(function, location, flags, callee);
        if let Some(&site) = self.sites.get(&key) {
            return site;
        }
        let mut fields = self.fields(function, location, flags | site_flag::CALL);
        fields.push(match callee {
            Some(callee) => self.text(callee.name()),
            None => self.module.null(),
        });
        let contents = self.module.constant_struct(&fields);
        let site = self.module.private_constant("dpor.site", contents);
        self.sites.insert(key, site);
        site
    }

    fn located(&mut self, location: Location, flags: u32) -> Value {
        let key = Key::Located(location, flags);
        if let Some(&site) = self.sites.get(&key) {
            return site;
        }
        let fields = self.fields_at(location, flags);
        let site = self.emit(&fields);
        self.sites.insert(key, site);
        site
    }

    fn unlocated(&mut self, function: Value, flags: u32) -> Value {
        let key = Key::Function(function, flags);
        if let Some(&site) = self.sites.get(&key) {
            return site;
        }
        let fields = self.fields(function, None, flags);
        let site = self.emit(&fields);
        self.sites.insert(key, site);
        site
    }

    /// Fields in the order of [`dpor_abi::Site`].
    fn fields(&mut self, function: Value, location: Option<Location>, flags: u32) -> Vec<Value> {
        if let Some(location) = location {
            return self.fields_at(location, flags);
        }
        let (name, null) = (self.text(function.name()), self.module.null());
        let numbers = [0, 0, flags, 0].map(|number| self.module.integer(32, u64::from(number)));
        [null, name, null].into_iter().chain(numbers).collect()
    }

    fn fields_at(&mut self, location: Location, flags: u32) -> Vec<Value> {
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
        let numbers = [location.line(), location.column(), flags, 0];
        let numbers = numbers.map(|number| self.module.integer(32, u64::from(number)));
        [file, function, outer].into_iter().chain(numbers).collect()
    }

    fn emit(&self, fields: &[Value]) -> Value {
        let contents = self.module.constant_struct(fields);
        self.module.private_constant("dpor.site", contents)
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
