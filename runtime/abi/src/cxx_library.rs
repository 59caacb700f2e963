//! The effects of functions in libstdc++.so on the objects that they are called on, by their linker's names.
//!
//! By \[res.on.data.races\] a call of a non-const member may write `*this`, of a const one may read it, and nobody else
//! need know how. So a rule says it for almost all of them, from class, name and `const`:
//!
//! | function | effect |
//! |---|---|
//! | not a member of a class, or static ([`STATIC`], `_S_…`) | none |
//! | of a class that threads may use at the same time, or whose calls the runtime sees ([`EXEMPT`]) | none |
//! | what \[container.requirements.dataraces\] takes for const ([`ACCESSORS`]), and what only returns an address | read |
//! | other const member | read |
//! | other member, constructor, destructor | write |
//! | `operator<<(ostream&, …)`, `getline` and their kind ([`FREE`]) | write of the stream |
//! | links of lists and trees | the links that they read or write |
//!
//! A test holds the rule against the symbols of the installed library.

mod in_registers;
mod name;

pub use in_registers::{begins_with_flag, BEHIND_FLAG};
pub use name::Name;
use name::Params;

/// The kind of access that a call makes to its object. The numbers are the hook's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Effect {
    /// The call reads the object.
    Reads = 1,
    /// The call writes the object.
    Writes = 2,
    /// The call reads a stream, whose state is in a virtual base.
    StreamReads = 3,
    /// The call writes a stream and its state.
    StreamWrites = 4,
    /// The call makes a stream, or ends its life: where the base is, the object does not say.
    StreamLife = 5,
    /// The call reads the state of a stream; its object is that state.
    StateReads = 6,
    /// The call writes the state of a stream; its object is that state.
    StateWrites = 7,
    /// `_Rb_tree_insert_and_rebalance(bool, node, parent, header)` writes the links of a tree.
    TreeInsert = 8,
    /// `_Rb_tree_rebalance_for_erase(node, header)` writes the links of a tree.
    TreeErase = 9,
    /// `_Rb_tree_increment(node)` and `_Rb_tree_decrement(node)` read the links of a tree.
    TreeStep = 10,
    /// `_List_node_base::_M_hook(position)` writes the links of a node and of its new neighbours.
    ListHook = 11,
    /// `_List_node_base::_M_unhook()` reads the links of the node, and writes those of its neighbours.
    ListUnhook = 12,
    /// `_List_node_base::_M_transfer(first, last)`, `swap(first, second)`, `_M_reverse()` write the links of all their
    /// arguments.
    ListLinks = 13,
}

impl Effect {
    /// Returns the effect that the number stands for, if there is one.
    pub fn from_number(number: u8) -> Option<Effect> {
        use Effect::*;
        let all = [
            Reads,
            Writes,
            StreamReads,
            StreamWrites,
            StreamLife,
            StateReads,
            StateWrites,
            TreeInsert,
            TreeErase,
            TreeStep,
            ListHook,
            ListUnhook,
            ListLinks,
        ];
        all.into_iter().find(|effect| *effect as u8 == number)
    }

    /// Whether the call writes the object that the function is called on.
    pub fn writes(self) -> bool {
        !matches!(
            self,
            Effect::Reads | Effect::StreamReads | Effect::StateReads | Effect::TreeStep
        )
    }
}

/// The kind of access that a call makes to its second argument, which is of the class that the function is a member of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Second {
    /// The call does not access the second argument.
    #[default]
    Nothing = 0,
    /// The call reads the second argument, as a copy or a comparison does.
    Reads = 1,
    /// The call writes the second argument, as a move or a swap does.
    Writes = 2,
}

/// The accesses of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The access to the object that the function is called on, or to its first argument.
    pub effect: Effect,
    /// The access to the second argument.
    pub second: Second,
    /// Number of bytes at the beginning of the object that are accessed at most: what follows is accessed from outside,
    /// too.
    pub bytes_max: u8,
    /// The object begins with the address of its table, which virtual calls read and only its life's begin and end write.
    pub skips_table: bool,
}

impl Call {
    const fn of(effect: Effect) -> Call {
        Call {
            effect,
            second: Second::Nothing,
            bytes_max: OBJECT_MAX,
            skips_table: false,
        }
    }

    const fn of_virtual(effect: Effect) -> Call {
        Call {
            skips_table: true,
            ..Call::of(effect)
        }
    }

    /// Packs the call for the hook. `bytes`, `second_bytes`: the sizes of the two objects as far as they are known, or
    /// 0.
    pub fn to_word(self, bytes: u64, second_bytes: u64) -> u32 {
        let known = |bytes: u64, most: u8| match bytes {
            0 => u32::from(most.min(2 * POINTER)),
            bytes => bytes.min(u64::from(most)) as u32,
        };
        self.effect as u32
            | (self.second as u32) << 8
            | u32::from(self.skips_table) << 15
            | known(bytes, self.bytes_max) << 16
            | known(second_bytes, STRING_HEAD) << 24
    }
}

/// The accesses of a call as the hook is given them, packed by [`Call::to_word`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unpacked {
    /// The access to the object that the function is called on.
    pub effect: Effect,
    /// The bytes of the object that are accessed: offset of the first, and of the one behind the last.
    pub bytes: (u64, u64),
    /// The access to the second argument.
    pub second: Second,
    /// Number of bytes of the second argument that are accessed.
    pub second_bytes: u64,
}

/// Unpacks the word of a hook; `None` if it stands for no access.
pub fn from_word(word: u32) -> Option<Unpacked> {
    let from = match word >> 15 & 1 {
        0 => 0,
        _ => u64::from(POINTER),
    };
    Some(Unpacked {
        effect: Effect::from_number(word as u8)?,
        bytes: (from, u64::from(word >> 16 & 0xff)),
        second: match word >> 8 & 0x7f {
            1 => Second::Reads,
            2 => Second::Writes,
            _ => Second::Nothing,
        },
        second_bytes: u64::from(word >> 24),
    })
}

/// Bytes of an object that count as accessed: what its first fields are tells it from others, and inline functions
/// access those.
const OBJECT_MAX: u8 = 64;
/// The address of a table; where nothing is known of the size, an object has that and another word.
const POINTER: u8 = 8;
/// Address and length of a string. Its characters may follow, which the program accesses by itself.
const STRING_HEAD: u8 = 16;

/// The effect of a function, as far as its name tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// The function accesses an object.
    Call(Call),
    /// The function accesses no object, or its access does not matter, for this reason.
    Exempt(&'static str),
    /// The name is not of a function of namespace std, or of one whose first argument is no object of the library's.
    Other,
    /// The name is of a member in std, and cannot be read further.
    Unreadable,
}

/// Namespaces in std: what stands in them alone is no member.
#[rustfmt::skip] // A table: many names to a line.
const NAMESPACES: &[&str] = &[
    "__atomic0", "__cxx11", "__cxx1998", "__debug", "__detail", "__exception_ptr", "__norm", "_V2", "chrono",
    "experimental", "filesystem", "fundamentals_v1", "__unicode", "pmr", "ranges", "this_thread", "tr1", "v1",
];

/// Static members, besides those that begin with `_S_`: class and member.
pub const STATIC: &[(&str, &str)] = &[
    ("char_traits", "eq"),
    ("ctype", "classic_table"),
    ("ios_base", "sync_with_stdio"),
    ("ios_base", "xalloc"),
    ("locale", "classic"),
    ("locale", "global"),
    ("steady_clock", "now"),
    ("system_clock", "now"),
    ("tai_clock", "now"),
    ("gps_clock", "now"),
    ("utc_clock", "now"),
    ("thread", "hardware_concurrency"),
    ("_Safe_iterator_base", "_M_get_mutex"),
];

/// Classes whose objects threads may use at the same time, with the reason.
pub const EXEMPT: &[(&str, &str)] = &[
    (
        "thread",
        "its calls end in those of pthread, which are judged",
    ),
    (
        "condition_variable",
        "its calls end in those of pthread, which are judged",
    ),
    (
        "condition_variable_any",
        "its calls end in those of pthread, which are judged",
    ),
    (
        "__future_base",
        "the state of a future is made for several threads",
    ),
    (
        "__atomic_futex_unsigned_base",
        "it waits on an atomic object",
    ),
    ("atomic_flag", "an atomic object"),
    (
        "synchronized_pool_resource",
        "[mem.res.pool.overview]: several threads may access it",
    ),
    ("ios_base::Init", "it counts its objects atomically"),
    ("error_category", "it has no state"),
    (
        "tzdb_list",
        "[time.zone.db.list]: several threads may access it",
    ),
    (
        "time_zone",
        "what it learns late is behind a mutex of its own",
    ),
];

/// Members that are not const and count as const ones.
#[rustfmt::skip] // A table: many names to a line.
pub const ACCESSORS: &[&str] = &[
    "begin", "end", "rbegin", "rend", "front", "back", "data", "find", "lower_bound", "upper_bound",
    "equal_range", "at", "operator[]",
    // They return an address, and are parts of functions that the program's own templates make of a string.
    "_M_data", "_M_local_data", "_M_get_allocator", "_M_allocated_capacity", "_M_use_local_data",
];

/// Streams: the state is in the virtual base `basic_ios`.
#[rustfmt::skip] // A table: many names to a line.
const STREAMS: &[&str] = &[
    "basic_istream", "basic_ostream", "basic_iostream", "basic_ifstream", "basic_ofstream", "basic_fstream",
    "basic_istringstream", "basic_ostringstream", "basic_stringstream", "basic_ispanstream",
    "basic_ospanstream", "basic_spanstream", "basic_osyncstream", "istrstream", "ostrstream", "strstream",
];

/// Classes, or the outermost of nested ones, whose objects begin with the address of a table of virtual functions, besides
/// the streams.
#[rustfmt::skip] // A table: many names to a line.
pub const POLYMORPHIC: &[&str] = &[
    "basic_streambuf", "basic_filebuf", "basic_stringbuf", "basic_spanbuf", "basic_syncbuf", "strstreambuf",
    "memory_resource", "monotonic_buffer_resource", "unsynchronized_pool_resource",
    "synchronized_pool_resource", "exception", "bad_alloc", "bad_array_length", "bad_array_new_length",
    "bad_cast", "bad_exception", "bad_function_call", "bad_typeid", "bad_weak_ptr", "bad_optional_access",
    "bad_variant_access", "bad_any_cast", "logic_error", "domain_error", "invalid_argument", "length_error",
    "out_of_range", "future_error", "lock_error", "runtime_error", "overflow_error", "underflow_error",
    "range_error", "regex_error", "system_error", "filesystem_error", "nested_exception", "failure",
    "error_category", "type_info", "facet", "ctype", "__ctype_abstract_base", "ctype_byname", "codecvt",
    "__codecvt_abstract_base", "codecvt_byname", "__codecvt_utf8_base", "__codecvt_utf16_base",
    "__codecvt_utf8_utf16_base", "codecvt_utf8", "collate", "collate_byname", "messages", "messages_byname",
    "money_get", "money_put", "moneypunct", "moneypunct_byname", "num_get", "num_put", "numpunct",
    "numpunct_byname", "time_get", "time_get_byname", "time_put", "time_put_byname", "__timepunct", "_State",
    "_State_base", "_Result_base", "_Async_state_common",
];

/// Functions outside of classes whose first argument is a stream: operators by the linker's two letters.
#[rustfmt::skip] // A table: many names to a line.
pub const FREE: &[&str] = &[
    "ls", "rs", "__ostream_insert", "__istream_extract", "endl", "ends", "flush", "ws", "getline",
];

/// Members of classes with virtual functions of which the library shows no symbol: the table of the class, the position
/// in it (the first function is 0), and what the function does. A test looks that there are no others.
pub const VIRTUALS: &[(&str, usize, Known)] = &[
    (
        "_ZTVNSt3pmr25monotonic_buffer_resourceE",
        2,
        Known::Call(Call::of_virtual(Effect::Writes)),
    ),
    // `deallocate` does nothing, by its description; nor can another one tell when.
    (
        "_ZTVNSt3pmr25monotonic_buffer_resourceE",
        3,
        Known::Exempt("it has no effect"),
    ),
    (
        "_ZTVNSt3pmr25monotonic_buffer_resourceE",
        4,
        Known::Call(Call::of_virtual(Effect::Reads)),
    ),
    (
        "_ZTVNSt13__future_base11_State_baseE",
        2,
        Known::Exempt("the state of a future is made for several threads"),
    ),
    (
        "_ZTVSt10lock_error",
        0,
        Known::Exempt("nothing makes such an object"),
    ),
    (
        "_ZTVSt10lock_error",
        1,
        Known::Exempt("nothing makes such an object"),
    ),
    (
        "_ZTVNSt13__future_base19_Async_state_commonE",
        2,
        Known::Exempt("the state of a future is made for several threads"),
    ),
];

/// Whether a name may be of interest, by a look at its first characters.
pub fn may_matter(name: &str) -> bool {
    ["_ZNS", "_ZNKS", "_ZSt"]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// Returns the effect of the function of this name.
pub fn known(name: &str) -> Known {
    if let Some(rest) = name.strip_prefix("_ZSt") {
        return free(rest);
    }
    if !name.starts_with("_ZNS") && !name.starts_with("_ZNKS") {
        return Known::Other;
    }
    match Name::read(name) {
        Some(name) => member(&name),
        None => Known::Unreadable,
    }
}

/// A call of the function of this name, in words: `call of a non-const member of std::basic_ostream, which writes it`.
/// `writes`: the call writes the object.
pub fn describe(name: &str, writes: bool) -> String {
    let does = if writes { "writes" } else { "reads" };
    if let Some(rest) = name.strip_prefix("_ZSt") {
        let function = match free_name(rest) {
            Some("ls") => "operator<<",
            Some("rs") => "operator>>",
            other => other.unwrap_or_default(),
        };
        let object = match FREE.contains(&free_name(rest).unwrap_or_default()) {
            true => "its stream",
            false => "nodes of a tree",
        };
        return format!("call of std::{function}, which {does} {object}");
    }
    let class = class_of(name);
    let kind = if is_const(name) {
        "a const"
    } else {
        "a non-const"
    };
    match class {
        Some(class) => format!("call of {kind} member of {class}, which {does} it"),
        None => format!("call of a virtual member of C++'s library, which {does} its object"),
    }
}

/// The class, in std, of the member of this name; `None` if the function is no such member.
pub fn class_of(name: &str) -> Option<String> {
    let name = Name::read(name)?;
    let scope: Vec<&str> = name
        .scope
        .iter()
        .copied()
        .filter(|part| !INLINE.contains(part))
        .collect();
    (!class(&name).is_empty()).then(|| scope.join("::"))
}

/// Namespaces whose names need not be said.
const INLINE: &[&str] = &["__cxx11", "_V2", "__cxx1998", "__norm"];

/// Whether a member is const.
pub fn is_const(name: &str) -> bool {
    name.starts_with("_ZNK")
}

/// The identifier of a function right in std.
fn free_name(rest: &str) -> Option<&str> {
    match name::identifier(rest) {
        Some((identifier, _)) => Some(identifier),
        None => rest.get(..2),
    }
}

fn free(rest: &str) -> Known {
    let effect = match free_name(rest) {
        Some("_Rb_tree_insert_and_rebalance") => Effect::TreeInsert,
        Some("_Rb_tree_rebalance_for_erase") => Effect::TreeErase,
        Some("_Rb_tree_increment" | "_Rb_tree_decrement") => Effect::TreeStep,
        Some(name) if FREE.contains(&name) => Effect::StreamWrites,
        _ => return Known::Other,
    };
    Known::Call(Call::of(effect))
}

/// The class, without namespaces.
fn class<'a>(name: &Name<'a>) -> Vec<&'a str> {
    let classes = name.scope.iter().skip(1);
    classes
        .copied()
        .filter(|part| !NAMESPACES.contains(part))
        .collect()
}

fn member(name: &Name) -> Known {
    let class = class(name);
    let Some(&first) = class.first() else {
        return Known::Exempt("it is no member of a class");
    };
    if name.member.starts_with("_S_") || STATIC.contains(&(first, name.member)) {
        return Known::Exempt("it is static");
    }
    if first == "_List_node_base" {
        return Known::Call(Call::of(match name.member {
            "_M_hook" | "hook" => Effect::ListHook,
            "_M_unhook" | "unhook" => Effect::ListUnhook,
            _ => Effect::ListLinks,
        }));
    }
    let whole = class.join("::");
    let exempt = EXEMPT
        .iter()
        .find(|(class, _)| *class == first || *class == whole);
    if let Some((_, why)) = exempt {
        return Known::Exempt(why);
    }
    let is_read = name.is_const || ACCESSORS.contains(&name.member);
    let is_stream = class.len() == 1 && STREAMS.contains(&first);
    let is_state = class.len() == 1 && ["basic_ios", "ios_base"].contains(&first);
    let effect = match is_read {
        _ if is_stream && name.is_life => Effect::StreamLife,
        true if is_stream => Effect::StreamReads,
        false if is_stream => Effect::StreamWrites,
        true if is_state => Effect::StateReads,
        false if is_state => Effect::StateWrites,
        true => Effect::Reads,
        false => Effect::Writes,
    };
    let is_string = class.len() == 1 && first == "basic_string";
    let second = match name.params {
        _ if is_stream || is_state => Second::Nothing,
        Params::ConstReference => Second::Reads,
        Params::RightReference => Second::Writes,
        Params::Reference if name.member == "swap" => Second::Writes,
        _ => Second::Nothing,
    };
    let bytes_max = match is_string && is_read {
        true => STRING_HEAD,
        false => OBJECT_MAX,
    };
    let is_polymorphic = class.iter().any(|part| POLYMORPHIC.contains(part));
    let skips_table = is_polymorphic && !name.is_life;
    Known::Call(Call {
        effect,
        second,
        bytes_max,
        skips_table,
    })
}

#[cfg(test)]
mod tests;
