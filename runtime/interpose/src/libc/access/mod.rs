//! What functions of libc read and write of the program's memory: plain accesses of the caller.
//!
//! [`dpor_abi::libc_access`] lists the functions and what each accesses. Those that are events already
//! come from [`super::trampoline`], after their event; for the others this file exports a symbol of the
//! same name. A call is judged, then libc's function runs: nothing comes between. Where only the result
//! tells what was written (`fgets`), or the values (`sscanf`), the call is made here, and judged then.
//!
//! Only calls that instrumented code makes count ([`is_by_program`]): libraries without instrumentation
//! have a synchronization of their own, which nobody sees. libc's calls among its own functions do not
//! come here at all.
//!
//! *With `--plain=explore`* a call conflicts with everything. Which bytes it accesses may depend on what
//! other threads write, and what a thread publishes may not; besides, an event has one object. That a
//! call accesses anything at all is a matter of its arguments. What it stores while it waits has no event.

mod format;
mod newer_glibc;
mod shape;
mod strings;
mod text;
mod time;
pub mod token;
mod touch;
mod values;
mod vector;

use super::arguments::{with_saved_registers, Arguments};
use super::event::{descriptor_of_stream, standard};
use super::{addresses, descriptor, opaque};
use crate::engine::accesses::announced::HOOK;
use crate::engine::runtime::ACTIVE;
use crate::hooks::{self, plain};
use crate::malloc::alone;
use crate::state::{Kept, PerStep};
use crate::thread_mask::ThreadMask;
use crate::world::{self, rolled_back, THREADS_MAX};
use crate::{annotations, engine, real};
use core::arch::naked_asm;
use core::ffi::CStr;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use dpor_abi::for_each_libc_access;
use dpor_abi::libc_access::{split_prefix, Destination, Shape, ACCESSES, OF_CALLS, WIDE};
use dpor_abi::libc_call::{Rule, CALLS};
use dpor_machine::heap::usable::{self, MAP as WATCHED};
use dpor_model::Kind;
use shape::Call;
use values::{List, Saved};

/// State of these functions that a restore takes back.
#[repr(C)]
pub struct State {
    /// By thread: address at which the last `read` or `recv` stores what it receives; of `readv`,
    /// the vector; of `recvmsg`, the message.
    receives_at: [usize; THREADS_MAX],
    /// Threads that are in the system call for a vector or a message of the program's own.
    receives_parts: ThreadMask,
}

rolled_back!(static STATE: RolledBack<State> = world::ACCESS);

/// Addresses of libc's functions, once known.
static ADDRESSES: Kept<[AtomicUsize; ACCESSES.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; ACCESSES.len()]);

/// By function of the other table: 1 + its position in [`OF_CALLS`], or 0.
static IN_CALLS: Kept<[AtomicU8; CALLS.len()]> =
    Kept::new([const { AtomicU8::new(0) }; CALLS.len()]);

/// Looks all functions up, so that none is looked up while the program is explored.
pub fn resolve_all() {
    for index in 0..ACCESSES.len() {
        look_up(index);
    }
    for (at, (name, _)) in OF_CALLS.iter().enumerate() {
        if let Some(index) = CALLS.iter().position(|call| call.name == *name) {
            IN_CALLS[index].store(at as u8 + 1, Ordering::Relaxed);
        }
    }
}

fn look_up(index: usize) -> usize {
    let mut name = [0u8; 64];
    let text = ACCESSES[index].0.as_bytes();
    name[..text.len()].copy_from_slice(text);
    let Ok(name) = CStr::from_bytes_until_nul(&name) else {
        return 0;
    };
    let address = match real::next(name) as usize {
        0 => newer_glibc::instead_of(ACCESSES[index].0),
        known => known,
    };
    ADDRESSES[index].store(address, Ordering::Relaxed);
    address
}

/// Returns the address of libc's function; 0: libc has none of that name.
fn address_of(index: usize) -> usize {
    match ADDRESSES[index].load(Ordering::Relaxed) {
        0 => look_up(index),
        known => known,
    }
}

/// Bytes of code between the hook before a call and the return address: moves of arguments, the call.
const CODE_MAX: usize = 512;
/// Bytes of arguments that a call pushes.
const PUSHED_MAX: usize = 512;

/// Returns whether the call whose return address is at `slot` is the one that instrumented code
/// announced last.
pub fn is_by_program(slot: usize) -> bool {
    let hook = HOOK.after.load(Ordering::Relaxed);
    let announced = HOOK.slot.load(Ordering::Relaxed);
    let is_here = announced.wrapping_sub(slot) <= PUSHED_MAX;
    // SAFETY: the return address of the function that this runs for.
    is_here && unsafe { (slot as *const usize).read() }.wrapping_sub(hook + 1) < CODE_MAX
}

/// Judges a call of function `index` and says where it goes on.
extern "C" fn enter(index: u32, arguments: &Arguments) -> usize {
    let index = index as usize;
    let slot = arguments.slot();
    let address = address_of(index);
    if address == 0 {
        addresses::missing(ACCESSES[index].0);
    }
    let (name, shape) = ACCESSES[index];
    let is_alone = !engine::active();
    if !is_by_program(slot) || is_alone && !begins(shape, arguments, slot, address) {
        return address;
    }
    let address = match shape {
        shape if is_called_with_list(shape) => with_list(name).unwrap_or(address),
        _ => address,
    };
    judge(shape, arguments, slot, address, None)
}

/// Returns, before the root, whether exploration begins with this call, as the heap forbids what it
/// accesses. What it stores that only its result tells is not seen.
#[cold]
fn begins(shape: Shape, arguments: &Arguments, slot: usize, address: usize) -> bool {
    if !usable::is_watched() {
        return false;
    }
    let saved = Saved::new(arguments.integer, arguments.vector);
    let call = call_of(shape, arguments, &saved, slot, address);
    let mut is_forbidden = false;
    // SAFETY: the arguments are the program's, which it must be able to pass to libc's function;
    // that is called next.
    unsafe {
        call.before(&mut |address, bytes, _| {
            is_forbidden |= usable::forbids(address as u64, bytes)
        });
    }
    is_forbidden && alone::begin(engine::site())
}

/// Returns whether the call is made here, by the function that takes a `va_list`.
fn is_called_with_list(shape: Shape) -> bool {
    match shape {
        Shape::Scan { list, .. } => !list,
        Shape::Print {
            list, to, width, ..
        } => !list && (to == Destination::Block || to == Destination::MemoryOf && width == WIDE),
        _ => false,
    }
}

/// Returns the function that does the same as this one with a `va_list`.
fn with_list(name: &str) -> Option<usize> {
    let (prefix, rest) = split_prefix(name);
    let is_it = |other: &str| {
        let rest_of_it = other.strip_prefix(prefix).and_then(|r| r.strip_prefix('v'));
        rest_of_it == Some(rest)
    };
    if let Some(index) = ACCESSES.iter().position(|entry| is_it(entry.0)) {
        return Some(address_of(index));
    }
    let index = CALLS.iter().position(|call| is_it(call.name))?;
    Some(addresses::address_of(index)).filter(|&address| address != 0)
}

/// Judges a call of function `index` of the table of events, after its event. `address`: libc's
/// function. Returns where it goes on.
pub fn of_event(index: usize, arguments: &Arguments, slot: usize, address: usize) -> usize {
    match IN_CALLS[index].load(Ordering::Relaxed) {
        0 => address,
        known => {
            let shape = OF_CALLS[usize::from(known) - 1].1;
            judge(shape, arguments, slot, address, Some(index))
        }
    }
}

/// Returns the call, of the function at `address`, whose return address is at `slot`.
fn call_of<'a>(
    shape: Shape,
    arguments: &'a Arguments,
    saved: &Saved,
    slot: usize,
    address: usize,
) -> Call<'a> {
    let list_at = |format: u8, list: bool| match list {
        // SAFETY: the argument is the program's `va_list`, which its call hands to libc's function.
        true => unsafe { (arguments.integer[usize::from(format) + 1] as *const List).read() },
        false => saved.list(usize::from(format) + 1, slot + 8),
    };
    let values = match shape {
        Shape::Print { format, list, .. } => Some(list_at(format, list)),
        Shape::Scan { format, list, .. } => Some(list_at(format, list)),
        _ => None,
    };
    Call {
        shape,
        arguments: &arguments.integer,
        values,
        function: address,
    }
}

/// `event`: position in the table of events, if it is in that.
fn judge(
    shape: Shape,
    arguments: &Arguments,
    slot: usize,
    address: usize,
    event: Option<usize>,
) -> usize {
    let saved = Saved::new(arguments.integer, arguments.vector);
    let call = call_of(shape, arguments, &saved, slot, address);
    let site = engine::site();
    match (annotations::ignoring(), event) {
        (true, _) => {}
        (false, _) if hooks::plain_is_explored() => {
            explore(&call);
            if let Some(index) = event {
                opaque::table_call(index, slot);
            }
        }
        // An event has been made.
        (false, Some(_)) => {}
        (false, None) => engine::long_step::count_plain_access(site),
    }
    let mut tell = |address: usize, bytes: u64, is_write: bool| {
        plain::judge(address as u64, bytes, is_write, site);
    };
    // SAFETY: the arguments are the program's, which it must be able to pass to libc's function;
    // that is called next.
    unsafe { call.before(&mut tell) };
    if !call.has_after() {
        return address;
    }
    let mut function = address;
    if let Some(index) = event {
        if waits(index, shape, &arguments.integer) {
            return address;
        }
        if is_called_with_list(shape) {
            match with_list(CALLS[index].name) {
                Some(list) => function = list,
                None => return address,
            }
        }
    }
    let call = Call { function, ..call };
    // SAFETY: the arguments are the program's, and the function is libc's; those that may wait are
    // left to the program's frame.
    let result = unsafe { call.call(&mut tell) };
    RESULT.store(result, Ordering::Relaxed);
    give_back as *const () as usize
}

/// Whether a call that receives something may wait, so that what it stores is told when it has come.
fn waits(index: usize, shape: Shape, arguments: &[usize; 6]) -> bool {
    let fd = match CALLS[index].rule {
        Rule::Stream(k) | Rule::StreamUnlocked(k) => {
            descriptor_of_stream(arguments[usize::from(k)])
        }
        Rule::Standard(fd) | Rule::StandardUnlocked(fd) => descriptor_of_stream(standard(fd)),
        Rule::Descriptor(k) | Rule::DescriptorRead(k) => arguments[usize::from(k)] as i32,
        _ => return false,
    };
    let waits = fd < 0 || descriptor::is_channel(fd);
    let at = match shape {
        Shape::Received { at } => at,
        Shape::ReceivedVector | Shape::ReceivedMessage => 1,
        _ => return waits,
    };
    if waits {
        // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the
        // event.
        unsafe {
            let place = &raw mut (*STATE.get()).receives_at[engine::thread().0 as usize];
            *place = arguments[usize::from(at)];
        }
    }
    waits
}

/// Notes that the running thread is in the system call that receives a vector, or a message, at
/// this address. Returns whether the program's own code made the call.
pub fn receives_parts(vector: usize) -> bool {
    let me = engine::thread().0;
    // SAFETY: the state lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    let access = unsafe { &mut *STATE.get() };
    let is_own = access.receives_at[usize::from(me)] == vector;
    access.receives_parts.put(engine::thread(), is_own);
    is_own
}

/// Notes that the system call which receives a vector or message is over. `message`: address of the
/// message that the program's own code received.
pub fn received_parts(message: Option<usize>) {
    // SAFETY: the state lies in the world, which is mapped; nothing else borrows it, as no other
    // fiber runs.
    unsafe { (*STATE.get()).receives_parts.remove(engine::thread()) };
    if let Some(message) = message {
        let site = engine::site();
        vector::received_header(message, &mut |at, bytes, is_write| {
            plain::judge(at as u64, bytes, is_write, site);
        });
    }
}

/// Notes that the running thread's system call is over: what it receives next has another place.
pub fn forget_place() {
    // SAFETY: the state lies in the world, which is mapped; nothing else borrows it, as no other
    // fiber runs.
    unsafe { (*STATE.get()).receives_at[engine::thread().index()] = 0 };
}

/// Tells of the bytes that the running thread received from a channel, if it asked for them itself:
/// the buffer of a `FILE` is libc's.
pub fn received(address: usize, bytes: usize) {
    let me = engine::thread().0;
    // SAFETY: the state lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    let access = unsafe { &*STATE.get() };
    let is_own = address == access.receives_at[usize::from(me)]
        || access.receives_parts.contains(engine::thread());
    if is_own && bytes > 0 {
        plain::judge(address as u64, bytes as u64, true, engine::site());
    }
}

/// Makes an event of a call's accesses, if it has any but its format.
fn explore(call: &Call<'_>) {
    let format = match call.shape {
        Shape::Print { format, .. } => call.arguments[usize::from(format)],
        _ => 0,
    };
    let mut accesses = false;
    // SAFETY: the arguments are the program's, which it must be able to pass to libc's function;
    // that is called next.
    unsafe {
        call.before(&mut |address, bytes, is_write| {
            // A format is a constant, but for programs that nobody writes.
            accesses |= bytes > 0 && (address != format || is_write);
        });
    }
    if accesses || call.has_after() {
        engine::perform(engine::operation(Kind::Opaque));
    }
}

/// Result of a call that was made here.
static RESULT: PerStep<AtomicUsize> = PerStep::new(AtomicUsize::new(0));

/// Returns it to the program.
///
/// # Safety
/// Only jumped to, in place of libc's function.
#[unsafe(naked)]
unsafe extern "C" fn give_back() {
    naked_asm!("mov rax, [rip + {result}]", "ret", result = sym RESULT)
}

/// Number of the function in r11; everything else as at the call.
///
/// # Safety
/// Only jumped to, from a stub that was called as the function.
#[unsafe(naked)]
unsafe extern "C" fn common() {
    with_saved_registers!(enter)
}

macro_rules! functions {
    ($([$shape:expr] $($name:ident)*;)*) => {
        /// The number of each function: its position in the table.
        #[allow(non_camel_case_types, reason = "the names of C functions")]
        #[repr(u32)]
        enum Index {
            $($($name,)*)*
        }

        // C symbols are a namespace of their own: in Rust these names would hide others.
        mod exported {
            use super::{common, naked_asm, Index, ACTIVE, ADDRESSES, WATCHED};
            $($(
                /// libc's function of this name; under exploration its accesses are judged first.
                ///
                /// # Safety
                /// The arguments are what libc's function of this name asks for.
                #[unsafe(naked)]
                #[no_mangle]
                pub unsafe extern "C" fn $name() {
                    naked_asm!(
                        "cmp byte ptr [rip + {active}], 0",
                        "jne 2f",
                        "cmp qword ptr [rip + {watched}], 0",
                        "jne 2f",
                        "mov r11, [rip + {addresses} + {offset}]",
                        "test r11, r11",
                        "je 2f",
                        "jmp r11",
                        "2:",
                        "mov r11d, {index}",
                        "jmp {common}",
                        active = sym ACTIVE,
                        watched = sym WATCHED,
                        addresses = sym ADDRESSES,
                        offset = const 8 * Index::$name as u32,
                        index = const Index::$name as u32,
                        common = sym common,
                    )
                }
            )*)*
        }
    };
}

for_each_libc_access!(functions);
