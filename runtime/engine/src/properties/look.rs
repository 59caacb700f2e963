//! Runs the functions of properties, between two steps, and notes what they read.
//!
//! They run on a stack of their own, as no thread of the program: what they call is made for real, and is no event. A
//! function that faults, or begins what needs the search, is left for good.

use super::registry::all;
use crate::accesses::repeated;
use crate::between::Shared;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::fiber::x86_64::{self, switch, CONTROL_AT_START};
use dpor_machine::state::{Kept, PerStep};

/// Bytes of the stack (chosen: what a container's lookup and a formatted message need).
const STACK_BYTES: usize = 256 << 10;

/// True while a function of a property runs.
static ON: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

static LOOK: Kept<Shared<Look>> = Kept::new(Shared::nothing());

/// What was seen.
#[derive(Default)]
pub(super) struct Seen {
    /// Bit `p`: property `p` holds.
    pub values: u64,
    /// What was read: address and bytes, and by which property.
    pub reads: Vec<(u64, u64, usize)>,
    /// The property whose function could not be run, and what it did, in words.
    pub trouble: Option<(usize, &'static str)>,
    /// The property whose function ran last.
    pub last: usize,
}

/// The stack, and what the look that runs has seen.
struct Look {
    stack: (usize, usize),
    /// The engine's context while a function runs.
    engine: usize,
    /// Bit `p`: property `p` is asked.
    asked: u64,
    /// Instead of properties: a function that writes to a place on the stack.
    call: Option<(Write, usize)>,
    seen: Seen,
}

/// Whether a function of a property runs.
#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

fn look() -> *mut Look {
    if LOOK.get().is_null() {
        let memory = vec![0_u128; STACK_BYTES / 16].leak().as_ptr_range();
        LOOK.install(Box::new(Look {
            stack: (memory.start as usize, memory.end as usize),
            engine: 0,
            asked: 0,
            call: None,
            seen: Seen::default(),
        }));
    }
    LOOK.get()
}

/// A function of the program that writes what it says to a place that it is given.
pub type Write = unsafe extern "C" fn(*mut core::ffi::c_void);

/// Bytes that such a function may write at most: the rest of the stack is for what it calls.
pub const WRITTEN_MAX: usize = STACK_BYTES / 4;

/// Lets a function write so many bytes, [`WRITTEN_MAX`] at most, which are zeros before. On the engine's context.
///
/// # Errors
/// What the function does and must not, in words that follow its name.
pub fn call(write: Write, bytes: usize) -> Result<&'static [u8], &'static str> {
    let look = look();
    // SAFETY: the look is installed for good, and nobody else uses it meanwhile; the low part of its stack is memory that
    // lasts, and no function runs there now.
    unsafe {
        let low = (*look).stack.0;
        let bytes = bytes.min(WRITTEN_MAX);
        core::ptr::write_bytes(low as *mut u8, 0, bytes);
        (*look).call = Some((write, low));
        let seen = run(0);
        (*look).call = None;
        match seen.trouble {
            Some((_, what)) => Err(what),
            None => Ok(core::slice::from_raw_parts(low as *const u8, bytes)),
        }
    }
}

/// Asks the properties of these bits. On the engine's context.
pub(super) fn run(asked: u64) -> Seen {
    let look = look();
    repeated::forget_all();
    // SAFETY: the look is installed for good; only this function and what it calls on the other stack use it, one after
    // the other. That stack is suspended for good, or was never run.
    unsafe {
        (*look).asked = asked;
        (*look).seen = Seen::default();
        let context = x86_64::prepare((*look).stack.1, body, 0, CONTROL_AT_START);
        ON.store(true, Ordering::Relaxed);
        switch(&raw mut (*look).engine, context);
        ON.store(false, Ordering::Relaxed);
        core::mem::take(&mut (*look).seen)
    }
}

extern "C" fn body(_: usize) -> ! {
    let look = look();
    // SAFETY: this context alone uses the look now; the function is the program's, of this type, and the place is on this
    // stack, far below the function's own frames.
    unsafe {
        if let Some((write, into)) = (*look).call {
            write(into as *mut core::ffi::c_void);
            back();
        }
    }
    for (number, property) in all().iter().enumerate() {
        // SAFETY: this context alone uses the look now; `holds` is the program's function of this type.
        unsafe {
            if (*look).asked & 1 << number != 0 {
                (*look).seen.last = number;
                let holds = (property.holds)() != 0;
                (*look).seen.values |= u64::from(holds) << number;
            }
        }
    }
    back()
}

/// Back to the engine; the function that ran is left for good.
fn back() -> ! {
    let look = look();
    let mut never = 0;
    // SAFETY: the engine waits in `run`.
    unsafe { switch(&mut never, (*look).engine) };
    unreachable!("[dpor internal bug] a look went on")
}

/// The function that runs does what it must not, in words that follow its name: it is left. Also in a signal handler.
pub fn leave(what: &'static str) -> ! {
    let look = look();
    // SAFETY: this context alone uses the look now.
    unsafe { (*look).seen.trouble = Some(((*look).seen.last, what)) };
    back()
}

/// A function of a property accesses memory. It may write to its own stack.
#[cold]
pub fn note(address: u64, bytes: u64, is_write: bool) {
    let look = look();
    // SAFETY: this context alone uses the look now, and no other reference to it is alive.
    let look = unsafe { &mut *look };
    let (low, high) = (look.stack.0 as u64, look.stack.1 as u64);
    if (low..high).contains(&address) {
        return;
    }
    if is_write {
        leave("writes to memory");
    }
    if look.call.is_some() {
        return;
    }
    let read = (address, bytes, look.seen.last);
    if !look.seen.reads.contains(&read) {
        look.seen.reads.push(read);
    }
}
