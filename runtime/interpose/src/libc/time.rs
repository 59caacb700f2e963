//! Virtual time.
//!
//! A clock shows what it showed at the root, plus what the reading thread has learned and done
//! since: a microsecond for each unit of its vector clock's sum, a nanosecond for each time it looked,
//! and what it or somebody of whom it heard slept ([`dpor_races::Races::sleep`]). So a value depends on what happens before
//! the reading, and on nothing else; it grows along each thread, and from a thread to those that synchronize with it.
//!
//! Where states are remembered (`--states`) all clocks stand still at first, and sleeping takes no time
//! ([`crate::engine::by_states::clock`]).
//!
//! | file | what |
//! |---|---|
//! | [`clocks`] | the functions and system calls that show or take a time |
//! | [`mod@sleep`] | those that sleep |

mod clocks;
mod sleep;

use crate::engine;
use crate::engine::by_states::clock::{self, Looks};
use crate::engine::learned_events::{knows, note_clock_read, EventCause};
use crate::state::Kept;
use crate::world::{self, rolled_back, THREADS_MAX};
use ::libc::{clockid_t, timespec};
use core::sync::atomic::{AtomicI64, Ordering};
use dpor_machine::sys;
use dpor_model::ThreadId;

pub(crate) use clocks::system_call;
pub use sleep::{clock_nanosleep, nanosleep, sleep, sleep_in_call, usleep};

const SECOND: i64 = 1_000_000_000;
const MILLISECOND: i64 = 1_000_000;

/// Nanoseconds per unit of a vector clock's sum.
const UNIT: i64 = 1_000;

/// Nanoseconds that each thread adds to what happened before: looks and sleeps.
#[repr(C)]
pub struct State {
    own: [i64; THREADS_MAX],
}

rolled_back!(static STATE: RolledBack<State> = world::TIME);

/// Clocks whose value at the root is kept; others follow `CLOCK_MONOTONIC`.
const CLOCKS: usize = 12;

static AT_ROOT: Kept<[AtomicI64; CLOCKS]> = Kept::new([const { AtomicI64::new(0) }; CLOCKS]);

/// Sets the clocks to what `told` says ([`dpor_abi::options::Options::clock`]), or else to what the
/// kernel's show; returns what they show.
pub fn at_root(told: &str) -> String {
    let mut told = told.split('.').map(str::parse::<i64>);
    let mut shown = Vec::with_capacity(CLOCKS);
    for (id, at_root) in AT_ROOT.iter().enumerate() {
        let value = match told.next() {
            Some(Ok(value)) => value,
            _ => kernel_clock(id),
        };
        at_root.store(value, Ordering::Relaxed);
        shown.push(value.to_string());
    }
    shown.join(".")
}

/// Returns what a clock of the kernel shows, in nanoseconds; 0 if there is none of this number.
fn kernel_clock(id: usize) -> i64 {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a local, writable for the kernel.
    let result = unsafe { sys::call3(::libc::SYS_clock_gettime, id, &raw mut now as usize, 0) };
    if result == 0 {
        now.tv_sec * SECOND + now.tv_nsec
    } else {
        0
    }
}

/// Returns where the state lies, `start..end`.
pub fn room() -> (usize, usize) {
    let start = STATE.get() as usize;
    (start, start + size_of::<State>())
}

/// Returns the thread whose time is kept at an address.
pub fn has_clock_at(address: usize) -> Option<ThreadId> {
    let (start, end) = room();
    let is_here = (start..end).contains(&address);
    is_here.then(|| ThreadId(((address - start) / size_of::<i64>()) as u16))
}

fn own(thread: ThreadId) -> *mut i64 {
    // SAFETY: address arithmetic in the world; thread numbers are below THREADS_MAX.
    unsafe { &raw mut (*STATE.get()).own[usize::from(thread.0)] }
}

/// Returns what a clock shows to the running thread, which looks at it, in nanoseconds.
pub fn now(clock: clockid_t) -> i64 {
    note_clock_read();
    let known = usize::try_from(clock).ok().filter(|&id| id < CLOCKS);
    let base = AT_ROOT[known.unwrap_or(::libc::CLOCK_MONOTONIC as usize)].load(Ordering::Relaxed);
    if clock::look() == Looks::Still {
        return base;
    }
    let heard = engine::ask_races().map(|(races, me)| (races.time(me), races.slept(me)));
    let (learned, slept) = heard.unwrap_or_default();
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let own = unsafe {
        let own = own(engine::thread());
        *own = (*own).max(i64::from(slept) * MILLISECOND) + 1;
        *own
    };
    tell(own, slept);
    base + learned as i64 * UNIT + own
}

/// Tells those who synchronize with the running thread from now on how far it adds to what happened before: `own`
/// nanoseconds, of which they heard `told` milliseconds. They come a unit later anyway.
fn tell(own: i64, told: u32) {
    if own < i64::from(told) * MILLISECOND + UNIT {
        return;
    }
    if let Some((mut races, me)) = engine::races() {
        let milliseconds = own.saturating_add(MILLISECOND - 1) / MILLISECOND;
        races.sleep(me, u32::try_from(milliseconds).unwrap_or(u32::MAX));
    }
}

/// Adds to the running thread's time that it has slept.
pub fn slept(nanoseconds: i64) {
    if clock::is_still() || nanoseconds <= 0 {
        return;
    }
    advance(own_time().saturating_add(nanoseconds));
}

/// Returns what the running thread adds to what happened before, for [`advance`].
pub fn own_time() -> i64 {
    // Asked in all executions of a search, or in none: what is added to stays in memory.
    let heard = match knows(EventCause::Clocks) {
        true => engine::ask_races().map_or(0, |(races, me)| races.slept(me)),
        false => 0,
    };
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let own = unsafe { *own(engine::thread()) };
    own.max(i64::from(heard) * MILLISECOND)
}

/// Advances the running thread's time to that of a thread that it hears of, which added so much.
pub fn advance(to: i64) {
    if clock::is_still() {
        return;
    }
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let is_later = unsafe {
        let own = own(engine::thread());
        let is_later = to > *own;
        if is_later {
            *own = to;
        }
        is_later
    };
    if is_later {
        tell(to, 0);
    }
}

/// `child` starts with, or `parent` goes on with, the other's time if that is later: for create
/// (`join(parent, child)`) and join (`join(child, joiner)`).
pub fn join(from: ThreadId, into: ThreadId) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe {
        // Nothing is written where nobody asks for the time: its page need not be copied back.
        if *own(from) > *own(into) {
            *own(into) = *own(from);
        }
    }
}

fn as_timespec(nanoseconds: i64) -> timespec {
    timespec {
        tv_sec: nanoseconds.div_euclid(SECOND),
        tv_nsec: nanoseconds.rem_euclid(SECOND),
    }
}

/// Nanoseconds of an interval; `None` if it is not one.
pub fn of_timespec(time: &timespec) -> Option<i64> {
    let valid = time.tv_sec >= 0 && (0..SECOND).contains(&time.tv_nsec);
    valid.then(|| {
        time.tv_sec
            .saturating_mul(SECOND)
            .saturating_add(time.tv_nsec)
    })
}

/// Nanoseconds of a moment, which may lie before all others.
pub fn as_nanoseconds(time: &timespec) -> i64 {
    time.tv_sec
        .saturating_mul(SECOND)
        .saturating_add(time.tv_nsec)
}
