//! Calls of functions that live in libstdc++.so, which has no hooks: what they do to the objects they are called on is an
//! access of the caller (`dpor_abi::cxx_library` has the rule).
//!
//! ```text
//!   out << 11;      calls  std::ostream::operator<<(int), of libstdc++.so
//!                     ├─ __dpor_member: a plain write of out's state
//!                     └─ __dpor_call
//! ```
//!
//! Streams have their state in a virtual base, `basic_ios`, and may be called through any of their classes. So all calls
//! access the same bytes of that base, which are also those that inline functions look at: precision, width, flags, state.
//! A stream's buffer is accessed with it, if it is of a class of the library's.
//!
//! `cin`, `cout`, `cerr`, `clog` and the wide ones may be used by several threads (\[iostream.objects.overview\]) as long
//! as they are synchronized with C's streams. Other objects of the library's own (facets, memory resources) come with it.

use super::plain::access;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::engine::{self, foreign, loaded};
use crate::process::functions::is_instrumented;
use crate::state::Kept;
use core::ffi::{c_char, c_void, CStr};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use dpor_abi::cxx_library::{self, from_word, known, Effect, Known, Second, Unpacked, VIRTUALS};
use dpor_machine::probe;
use dpor_model::SiteId;

/// The streams that are there from the start.
const STANDARD: [&CStr; 8] = [
    c"_ZSt3cin",
    c"_ZSt4cout",
    c"_ZSt4cerr",
    c"_ZSt4clog",
    c"_ZSt4wcin",
    c"_ZSt5wcout",
    c"_ZSt5wcerr",
    c"_ZSt5wclog",
];
/// Addresses of the states of these streams.
static STATES: Kept<[AtomicUsize; STANDARD.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; STANDARD.len()]);

/// Tables of virtual functions of the library's buffers: first those that are C's streams.
const BUFFERS: [&CStr; 6] = [
    c"_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE",
    c"_ZTVN9__gnu_cxx18stdio_sync_filebufIwSt11char_traitsIwEEE",
    c"_ZTVSt13basic_filebufIcSt11char_traitsIcEE",
    c"_ZTVSt13basic_filebufIwSt11char_traitsIwEE",
    c"_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE",
    c"_ZTVNSt7__cxx1115basic_stringbufIwSt11char_traitsIwESaIwEEE",
];
/// Addresses of [`BUFFERS`], the tables of virtual functions of the library's buffers.
static TABLES: Kept<[AtomicUsize; BUFFERS.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; BUFFERS.len()]);
/// Number of [`BUFFERS`], the first ones, that belong to C's streams.
const SYNCHRONIZED: usize = 2;

/// Range of the library's own variables: address of the first byte and of what follows the last
/// one.
static OWN: Kept<[AtomicUsize; 2]> = Kept::new([const { AtomicUsize::new(0) }; 2]);

// Layout of the Itanium C++ ABI, and of libstdc++'s `basic_ios`.

/// Distance from the begin of a table of virtual functions to the place that objects point to, in
/// bytes.
const TABLE_HEADER: usize = 16;
/// Distance in front of that place at which the table has the distance to the first virtual base,
/// in bytes.
const BASE_DISTANCE: usize = 24;
/// Distance from a stream's state to what `rdbuf` returns, in bytes.
const BUFFER: usize = 232;
/// Distance from a stream's state to what follows its table, and the length of that: precision,
/// width, flags, exceptions, state.
const STATE: (u64, u64) = (8, 28);
/// The distance behind a buffer's table, and bytes, of the six addresses that say where what was
/// read and is to be written begins and ends.
const AREAS: (u64, u64) = (8, 48);
/// Bytes of a node of a list (next and previous) and of a tree (colour, parent, left, right).
const LIST_NODE: u64 = 16;
const TREE_NODE: u64 = 32;
/// The colour of a tree's node is not asked for where one goes through the tree.
const TREE_LINKS: (u64, u64) = (8, 24);

fn address_of(symbol: &CStr) -> usize {
    // SAFETY: the call reads the name, which ends with a NUL, and the linker's tables.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) as usize }
}

/// Learns where the library's objects are. At the root.
pub fn at_root() {
    for (symbol, state) in STANDARD.iter().zip(STATES.iter()) {
        let stream = address_of(symbol);
        let base = if stream == 0 {
            0
        } else {
            state_of(stream).unwrap_or(0)
        };
        state.store(base, Ordering::Relaxed);
    }
    for (symbol, table) in BUFFERS.iter().zip(TABLES.iter()) {
        table.store(address_of(symbol), Ordering::Relaxed);
    }
    loaded::each(&mut |base, name, _| {
        // SAFETY: the linker's name of a loaded object.
        let name = unsafe { CStr::from_ptr(name as *const c_char) };
        if base != 0 && is_the_library(name) {
            learn_variables(base);
        }
    });
}

fn is_the_library(path: &CStr) -> bool {
    let name = path.to_bytes().rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(b"libstdc++.so"))
}

fn learn_variables(base: usize) {
    // SAFETY: a library that the linker mapped, from the beginning of its file on, its program headers included.
    let headers = unsafe {
        let file = &*(base as *const libc::Elf64_Ehdr);
        let first = (base + file.e_phoff as usize) as *const libc::Elf64_Phdr;
        core::slice::from_raw_parts(first, usize::from(file.e_phnum))
    };
    let is_variables =
        |h: &&libc::Elf64_Phdr| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W != 0;
    if let Some(header) = headers.iter().find(is_variables) {
        let first = base + header.p_vaddr as usize;
        OWN[0].store(first, Ordering::Relaxed);
        OWN[1].store(first + header.p_memsz as usize, Ordering::Relaxed);
    }
}

/// Returns the address of the state of a stream, if `stream` is one.
fn state_of(stream: usize) -> Option<usize> {
    let table = probe::word(stream)? as usize;
    let distance = probe::word(table.checked_sub(BASE_DISTANCE)?)?;
    (1..4096)
        .contains(&distance)
        .then(|| stream + distance as usize)
}

/// Returns whether threads may use the stream with this state at the same time.
fn is_synchronized(state: usize) -> bool {
    if !STATES
        .iter()
        .any(|one| one.load(Ordering::Relaxed) == state)
    {
        return false;
    }
    let buffer = probe::word(state + BUFFER).unwrap_or(0) as usize;
    // A buffer that the program wrote may have a lock of its own.
    has_table_of(buffer, &TABLES[..SYNCHRONIZED]) || !is_buffer_of_library(buffer)
}

/// Returns whether an object has one of these tables.
fn has_table_of(object: usize, tables: &[AtomicUsize]) -> bool {
    let table = probe::word(object);
    let is = |known: &AtomicUsize| {
        let known = known.load(Ordering::Relaxed);
        known != 0 && table == Some((known + TABLE_HEADER) as u64)
    };
    tables.iter().any(is)
}

/// Returns whether a buffer is of a class of the library's, whose code has no hooks.
fn is_buffer_of_library(buffer: usize) -> bool {
    has_table_of(buffer, &*TABLES)
        || probe::word(buffer).is_some_and(|table| is_of_library(table as usize))
}

fn is_of_library(object: usize) -> bool {
    (OWN[0].load(Ordering::Relaxed)..OWN[1].load(Ordering::Relaxed)).contains(&object)
}

/// Tells of a call of `function`, which does `what` to what the pointers lead to; 0: that is to be
/// looked up.
#[no_mangle]
pub extern "C" fn __dpor_member(
    what: u32,
    function: usize,
    first: usize,
    second: usize,
    third: usize,
    site: SiteId,
) {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::MembersFree) {
        return;
    }
    if !engine::active() {
        return;
    }
    let word = match what {
        0 => looked_up(function, first, site),
        _ if is_instrumented(function) => 0,
        word => word,
    };
    if let Some(call) = from_word(word) {
        tell(&call, [first, second, third], site);
        if call.second != Second::Nothing && second != 0 && !is_of_library(second) {
            let writes = call.second == Second::Writes;
            access(second as u64, call.second_bytes, writes, site);
        }
    }
}

/// Tells of the accesses.
fn tell(call: &Unpacked, [first, second, third]: [usize; 3], site: SiteId) {
    let effect = call.effect;
    let range = |at: usize, (from, bytes): (u64, u64), writes: bool| {
        if at != 0 {
            access(at as u64 + from, bytes, writes, site);
        }
    };
    let writes = effect.writes();
    match effect {
        Effect::StateReads | Effect::StateWrites => {
            if !is_synchronized(first) && !is_of_library(first) {
                range(first, STATE, writes);
            }
        }
        Effect::StreamReads | Effect::StreamWrites | Effect::StreamLife => {
            let state = state_of(first);
            if state.is_some_and(is_synchronized) {
                return;
            }
            // To find its state it reads its table, which a constructor writes and a destructor.
            range(first, (0, 8), effect == Effect::StreamLife);
            match state {
                Some(state) if effect != Effect::StreamLife => {
                    range(state, STATE, writes);
                    let buffer = probe::word(state + BUFFER).unwrap_or(0) as usize;
                    if is_buffer_of_library(buffer) && !is_of_library(buffer) {
                        range(buffer, AREAS, writes);
                    }
                }
                _ => {}
            }
        }
        Effect::TreeInsert => {
            for node in [first, second, third] {
                range(node, (0, TREE_NODE), true);
            }
        }
        Effect::TreeErase => {
            for node in [first, second] {
                range(node, (0, TREE_NODE), true);
            }
        }
        Effect::TreeStep => range(first, TREE_LINKS, false),
        Effect::ListHook => {
            // Between the node of its argument and the one before.
            range(first, (0, LIST_NODE), true);
            range(second, (8, 8), true);
            range(probe::word(second + 8).unwrap_or(0) as usize, (0, 8), true);
        }
        Effect::ListUnhook => {
            range(first, (0, LIST_NODE), false);
            range(probe::word(first).unwrap_or(0) as usize, (8, 8), true);
            range(probe::word(first + 8).unwrap_or(0) as usize, (0, 8), true);
        }
        Effect::ListLinks => {
            for node in [first, second, third] {
                range(node, (0, LIST_NODE), true);
            }
        }
        Effect::Reads | Effect::Writes if is_of_library(first) => {}
        Effect::Reads | Effect::Writes => {
            let (from, to) = call.bytes;
            range(first, (from, to.saturating_sub(from)), writes);
        }
    }
}

const CACHED: usize = 256;
/// Functions of virtual calls, each where its address says, and what they do.
static FUNCTIONS: Kept<[AtomicUsize; CACHED]> = Kept::new([const { AtomicUsize::new(0) }; CACHED]);
static WORDS: Kept<[AtomicU32; CACHED]> = Kept::new([const { AtomicU32::new(0) }; CACHED]);
/// Sites of virtual calls, and what was called there last that is the library's.
static SITES: Kept<[AtomicUsize; CACHED]> = Kept::new([const { AtomicUsize::new(0) }; CACHED]);
static CALLED: Kept<[AtomicUsize; CACHED]> = Kept::new([const { AtomicUsize::new(0) }; CACHED]);

/// Returns what the function of a virtual call does.
#[inline]
fn looked_up(function: usize, object: usize, site: SiteId) -> u32 {
    let slot = function >> 4 & (CACHED - 1);
    if FUNCTIONS[slot].load(Ordering::Relaxed) != function {
        WORDS[slot].store(look_up(function, object), Ordering::Relaxed);
        FUNCTIONS[slot].store(function, Ordering::Relaxed);
    }
    let word = WORDS[slot].load(Ordering::Relaxed);
    if word != 0 {
        let slot = site_slot(site);
        SITES[slot].store(site.0 as usize, Ordering::Relaxed);
        CALLED[slot].store(function, Ordering::Relaxed);
    }
    word
}

fn site_slot(site: SiteId) -> usize {
    site.0 as usize >> 4 & (CACHED - 1)
}

/// A symbol: where it is, its name, and the file it is in.
struct Symbol {
    address: usize,
    name: &'static CStr,
    file: &'static CStr,
}

/// Returns the last symbol that is not behind an address.
fn symbol_at(address: usize) -> Option<Symbol> {
    // SAFETY: all zero is a valid value.
    let mut found: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: the call only reads the linker's tables, and fills the local result.
    let is_known = unsafe { libc::dladdr(address as *const c_void, &mut found) } != 0;
    if !is_known || found.dli_fname.is_null() {
        return None;
    }
    let text = |text: *const c_char| match text.is_null() {
        true => c"",
        // SAFETY: the linker's own string, of an object that is loaded.
        false => unsafe { CStr::from_ptr(text) },
    };
    Some(Symbol {
        address: found.dli_saddr as usize,
        name: text(found.dli_sname),
        file: text(found.dli_fname),
    })
}

#[cold]
fn look_up(function: usize, object: usize) -> u32 {
    let does = |known: Known| match known {
        Known::Call(call) => call.to_word(0, 0),
        _ => 0,
    };
    let Some(code) = foreign::code_of(function) else {
        return 0;
    };
    match symbol_at(code) {
        Some(found) if !is_the_library(found.file) => 0,
        Some(found) if found.address == code => does(known(found.name.to_str().unwrap_or(""))),
        Some(_) => virtual_of(code, object).map_or(0, does),
        None => 0,
    }
}

/// Returns what a function without a symbol does, by its place in the table that the object has.
fn virtual_of(code: usize, object: usize) -> Option<Known> {
    let table = probe::word(object)? as usize;
    let class = symbol_at(table)?.name.to_str().ok()?;
    let is = |&&(name, place, _): &&(&str, usize, Known)| {
        name == class && probe::word(table + 8 * place) == Some(code as u64)
    };
    VIRTUALS.iter().find(is).map(|(_, _, known)| *known)
}

/// Returns what a call was of, for a report; `callee`: the function by its linker's name, null of a
/// virtual call.
pub fn describe(site: SiteId, callee: *const c_char, writes: bool) -> String {
    let name = match callee.is_null() {
        // SAFETY: the pass emits `callee` as a constant that ends with a NUL.
        false => unsafe { CStr::from_ptr(callee) },
        true => called_at(site).unwrap_or(c""),
    };
    cxx_library::describe(name.to_str().unwrap_or(""), writes)
}

/// Returns the function that a virtual call was of, if it has a symbol.
fn called_at(site: SiteId) -> Option<&'static CStr> {
    let slot = site_slot(site);
    let function = CALLED[slot].load(Ordering::Relaxed);
    let is_known = SITES[slot].load(Ordering::Relaxed) == site.0 as usize;
    let code = is_known.then(|| foreign::code_of(function)).flatten()?;
    symbol_at(code)
        .filter(|found| found.address == code)
        .map(|found| found.name)
}
