//! The list of hooked accesses ([`dpor_abi::access_list`]), if the environment asks for it.

use crate::llvm::{Location, Module, Value};
use dpor_abi::access_list::{level_line, ListedAccess, LEVEL, SECTION};

/// The level that the environment says the program is compiled at, to be compared with another.
pub fn level() -> Option<String> {
    std::env::var(LEVEL).ok().filter(|level| !level.is_empty())
}

/// The lines for the accesses of the module listed so far.
pub struct Listing {
    module: Module,
    text: String,
}

/// A hook call that is inserted.
pub struct Inserted<'a> {
    /// The hook's name, without the width.
    pub name: &'a str,
    /// Number of bytes, if the hook's name ends with it; otherwise 0.
    pub width: u32,
    /// The arguments, without the site.
    pub arguments: &'a [Value],
    /// The function that the call is inserted into.
    pub function: Value,
    /// The place in the source that the hook stands for.
    pub location: Option<Location>,
}

impl Listing {
    /// A list for the level in the environment; none without.
    pub fn from_environment(module: Module) -> Option<Listing> {
        let level = level()?;
        let text = level_line(&level);
        Some(Listing { module, text })
    }

    /// Lists a hook, if it stands for an access.
    pub fn add(&mut self, hook: &Inserted<'_>) {
        let Some(access) = self.access(hook) else {
            return;
        };
        let (base, offset) = self.module.pointer_base(hook.arguments[0]);
        let location = hook.location;
        let listed = ListedAccess {
            access: access.to_owned(),
            bytes: bytes(hook),
            object: match base.is_global_variable() {
                true => base.name(),
                false => String::new(),
            },
            offset,
            file: location.map_or(String::new(), Location::path),
            line: location.map_or(0, Location::line),
            column: location.map_or(0, Location::column),
            function: location.map_or_else(|| hook.function.name(), Location::function_name),
            copy: copy(hook),
        };
        self.text += &listed.to_string();
    }

    /// The kind of access that the hook tells of; none if it tells of no access.
    fn access(&self, hook: &Inserted<'_>) -> Option<&'static str> {
        let writes = || {
            hook.arguments
                .get(2)
                .and_then(|write| write.constant_integer())
                == Some(1)
        };
        Some(match hook.name {
            "__dpor_read" | "__dpor_read_range" | "__dpor_read_masked" | "__dpor_read_ahead" => {
                "read"
            }
            "__dpor_write" | "__dpor_write_range" | "__dpor_write_masked" => "write",
            "__dpor_destructor_vptr" => "write",
            "__dpor_load" => "atomic read",
            "__dpor_store" => "atomic write",
            "__dpor_rmw" | "__dpor_rmw_begin" | "__dpor_cas" => "atomic update",
            "__dpor_volatile_load" => "volatile read",
            "__dpor_volatile_store" => "volatile write",
            "__dpor_volatile_range" if writes() => "volatile write",
            "__dpor_volatile_range" => "volatile read",
            "__dpor_assembly_access" => "assembly access",
            _ => return None,
        })
    }

    /// Puts the list into the module.
    pub fn emit(self) {
        let contents = self.module.constant_text(&self.text);
        self.module
            .section_variable("dpor.accesses", SECTION, contents);
    }
}

/// Number of bytes that the hook tells of; 0 if the program computes them.
fn bytes(hook: &Inserted<'_>) -> u64 {
    let number = |index: usize| {
        let value = hook
            .arguments
            .get(index)
            .and_then(|bytes| bytes.constant_integer());
        value
            .and_then(|bytes| u64::try_from(bytes).ok())
            .unwrap_or(0)
    };
    match hook.name {
        _ if hook.width > 0 => u64::from(hook.width),
        "__dpor_read_masked" | "__dpor_write_masked" => number(1) * number(2),
        "__dpor_destructor_vptr" => 8,
        _ => number(1),
    }
}

/// The function, and where in it the code was inlined.
fn copy(hook: &Inserted<'_>) -> String {
    let mut text = hook.function.name();
    let mut outer = hook.location.and_then(Location::inlined_at);
    while let Some(location) = outer {
        text += &format!(" {}:{}", location.line(), location.column());
        outer = location.inlined_at();
    }
    text
}
