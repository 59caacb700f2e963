//! `futex(2)`: waits and wake-ups of threads, as the program makes them.
//!
//! A wait is two events: comparing the word and joining the queue, which the kernel does in one
//! step; and going on once woken. Which waiters a wake-up takes is the explorer's choice. The call
//! orders nothing in the sense of C11; the kernel's read of the word is atomic, and counts as a relaxed
//! load.
//!
//! Calls come from libc's `syscall`, by way of the [`super::trampoline`], and from instructions outside libc (by
//! way of the SIGSYS handler). What libc does about locks of its own does not come here: nobody may
//! have to wait for those.
//!
//! `FUTEX_WAKE_OP` is one event: the change of its word, and both wake-ups.
//!
//! Not modelled: inheritance of priorities, `futex_waitv`, spurious wake-ups, and one
//! word at two addresses (a page mapped twice). Time-outs are as everywhere ([`Deadline`]); one that may
//! come at any moment comes right after the comparison, without joining the queue.
//!
//! Source: futex(2); `kernel/futex/syscalls.c` and `waitwake.c` of Linux 6.1 for what is refused.

use crate::engine::{self, early, object};
use crate::hooks::futex_word;
use crate::pthread::signal::deliver;
use crate::pthread::timed::{Deadline, Patience};
use ::libc::timespec;
use core::ffi::{c_int, c_long};
use dpor_machine::probe;
use dpor_machine::{snapshot, sys};
use dpor_model::{Argument, Detail, Kind, ObjectId, Operation, TIMEOUT};

/// Arguments of the call: address, command, value, time-out or second count, second address, third
/// value.
pub type Args = [usize; 6];

/// A wait or wake-up that takes any waiter.
const MATCH_ANY: u32 = u32::MAX;

const fn error(errno: c_int) -> isize {
    -(errno as isize)
}

fn command(args: &Args) -> c_int {
    args[1] as c_int & !(::libc::FUTEX_PRIVATE_FLAG | ::libc::FUTEX_CLOCK_REALTIME)
}

fn waits(args: &Args) -> bool {
    matches!(
        command(args),
        ::libc::FUTEX_WAIT | ::libc::FUTEX_WAIT_BITSET
    )
}

/// Returns whether [`call`] knows what this call does.
pub fn is_modelled(args: &Args) -> bool {
    matches!(
        command(args),
        ::libc::FUTEX_WAIT
            | ::libc::FUTEX_WAIT_BITSET
            | ::libc::FUTEX_WAKE
            | ::libc::FUTEX_WAKE_BITSET
            | ::libc::FUTEX_REQUEUE
            | ::libc::FUTEX_CMP_REQUEUE
            | ::libc::FUTEX_WAKE_OP
    )
}

/// Bytes of libc's `syscall`, up to the instruction after the call. (It moves seven registers.)
const SYSCALL_BYTES: usize = 48;

/// Returns whether a call made before `instruction` is the program's, rather than for a lock of
/// libc's own.
pub fn is_programs(args: &Args, instruction: usize) -> bool {
    let libc = real!(syscall: fn(c_long) -> c_long) as usize;
    let direct = (libc..libc + SYSCALL_BYTES).contains(&instruction);
    is_modelled(args) && !engine::is_ending() && (direct || !super::opaque::is_libc(instruction))
}

/// Publishes what the call does and returns what the kernel would.
///
/// # Safety
/// On the running thread's own stack; the arguments are the program's.
pub unsafe fn call(args: &Args) -> isize {
    let [address, flags, value, fourth, second, third] = *args;
    let private = flags as c_int & ::libc::FUTEX_PRIVATE_FLAG != 0;
    let realtime = flags as c_int & ::libc::FUTEX_CLOCK_REALTIME != 0;
    let command = command(args);
    if realtime && !waits(args) {
        return error(::libc::ENOSYS);
    }
    if address & 3 != 0 {
        return error(::libc::EINVAL);
    }
    let bits = match command {
        ::libc::FUTEX_WAIT_BITSET | ::libc::FUTEX_WAKE_BITSET => third as u32,
        _ => MATCH_ANY,
    };
    if bits == 0 {
        return error(::libc::EINVAL);
    }
    // What is compared, and how many wait, tells of other threads, and orders nothing.
    engine::tells_without_order();
    let queue = object::futex(address, private);
    match command {
        _ if waits(args) => {
            let deadline = match deadline(command, realtime, fourth) {
                Ok(deadline) => deadline,
                Err(errno) => return error(errno),
            };
            let argument = Argument::waiting(bits, deadline.is_some());
            // SAFETY: `address` is readable for a word, which was looked at above; the program's
            // call is under way.
            unsafe { wait(address, queue, value as u32, argument, deadline) }
        }
        ::libc::FUTEX_REQUEUE | ::libc::FUTEX_CMP_REQUEUE => {
            let (wake, moved) = (value as c_int, fourth as c_int);
            if second & 3 != 0 || wake < 0 || moved < 0 {
                return error(::libc::EINVAL);
            }
            let expected = match command {
                ::libc::FUTEX_CMP_REQUEUE if !is_readable(address) => {
                    return error(::libc::EFAULT);
                }
                ::libc::FUTEX_CMP_REQUEUE => Some(third as u32),
                _ => None,
            };
            let mut operation = engine::operation(Kind::FutexRequeue);
            operation.object = queue;
            operation.other = object::futex(second, private);
            operation.argument = Argument::requeueing(wake as u32, moved as u32);
            // SAFETY: the word at `address` is the program's, as this function's caller guarantees,
            // and was found to be readable if it is to be compared.
            unsafe { requeue(address, operation, expected) }
        }
        // SAFETY: the arguments are the program's, as this function's caller guarantees.
        ::libc::FUTEX_WAKE_OP => unsafe { wake_op(args, queue, private) },
        _ => {
            let count = at_least_one(value);
            let mut operation = engine::operation(Kind::FutexWake);
            operation.object = queue;
            operation.argument = Argument::waking(count, bits);
            engine::perform(operation).result as isize
        }
    }
}

/// Returns the number of threads to wake at most: the kernel counts after it has woken, so that 0
/// wakes one.
fn at_least_one(count: usize) -> u32 {
    (count as c_int).max(1) as u32
}

/// Returns the time at which a wait gives up, if it does.
fn deadline(command: c_int, realtime: bool, pointer: usize) -> Result<Option<Deadline>, c_int> {
    if pointer == 0 {
        return Ok(None);
    }
    let word = |at: usize| probe::word(at).ok_or(::libc::EFAULT);
    let until = timespec {
        tv_sec: word(pointer)? as i64,
        tv_nsec: word(pointer + 8)? as i64,
    };
    if until.tv_sec < 0 || !(0..1_000_000_000).contains(&until.tv_nsec) {
        return Err(::libc::EINVAL);
    }
    let clock = match realtime {
        true => ::libc::CLOCK_REALTIME,
        false => ::libc::CLOCK_MONOTONIC,
    };
    if command == ::libc::FUTEX_WAIT {
        return Ok(Some(Deadline::after(clock, &until)));
    }
    // SAFETY: `until` is a local, which is read at once.
    unsafe { Deadline::new(clock, &until) }.map(Some)
}

fn is_readable(address: usize) -> bool {
    probe::word(address & !7).is_some()
}

/// Waits for a wake-up if the word at `address` holds `value`.
///
/// # Safety
/// The word at `address` is readable, and the running thread is in a call of [`call`].
unsafe fn wait(
    address: usize,
    queue: ObjectId,
    value: u32,
    argument: Argument,
    deadline: Option<Deadline>,
) -> isize {
    if !is_readable(address) {
        return error(::libc::EFAULT);
    }
    if let Some(deadline) = deadline {
        let gives_up = match deadline.patience() {
            Patience::Any => {
                let mut choice = engine::operation(Kind::Choose);
                choice.argument = Argument::choices(2);
                engine::perform(choice).alternative == 1
            }
            Patience::Long => early::happens(),
        };
        if gives_up {
            // SAFETY: the word at `address` is readable, as this function's caller guarantees.
            let found = unsafe { futex_word::compare(address, engine::operation(Kind::Load)).0 };
            return match found == value {
                true => error(deadline.reached()),
                false => error(::libc::EAGAIN),
            };
        }
    }
    if deliver::is_possible() {
        engine::unsupported("a wait on a futex by a thread that others send signals");
    }
    let mut operation = engine::operation(Kind::FutexWait);
    operation.other = queue;
    operation.argument = argument;
    operation.detail = Detail::expects(value.into());
    // SAFETY: the word at `address` is readable, as this function's caller guarantees.
    let found = unsafe { futex_word::compare(address, operation).0 };
    if found != value {
        return error(::libc::EAGAIN);
    }
    let mut woken = engine::operation(Kind::FutexWoken);
    woken.object = queue;
    woken.argument = argument;
    woken.timed = deadline.is_some();
    let decision = early::wait(woken, engine::perform, || {
        let mut retract = engine::operation(Kind::FutexRetract);
        retract.object = queue;
        engine::perform(retract).result == 0
    });
    match deadline {
        Some(deadline) if decision.alternative == TIMEOUT => error(deadline.reached()),
        _ => 0,
    }
}

/// Sleeps on a futex until somebody wakes who sleeps there, if a value of 1, 2, 4 or 8 bytes elsewhere is
/// what was expected: what `std::atomic<T>::wait` means where T is no int.
///
/// # Safety
/// On the running thread's own stack; the value is readable.
pub unsafe fn wait_for_value(queue: ObjectId, address: usize, bytes: u32, expected: u64) {
    if deliver::is_possible() {
        engine::unsupported("a wait on a futex by a thread that others send signals");
    }
    let argument = Argument::waiting(MATCH_ANY, false);
    let mut operation = engine::operation(Kind::FutexWait);
    operation.other = queue;
    operation.argument = argument;
    operation.detail = Detail::expects(expected.into());
    // SAFETY: `bytes` bytes at `address` are readable, as this function's caller guarantees.
    let (found, _) = unsafe { futex_word::compare_value(address, bytes, operation) };
    if found == expected {
        let mut woken = engine::operation(Kind::FutexWoken);
        woken.object = queue;
        woken.argument = argument;
        engine::perform(woken);
    }
}

/// # Safety
/// The running thread is in a call of [`call`], and the word at `address` is readable if it is to
/// be compared.
unsafe fn requeue(address: usize, mut operation: Operation, expected: Option<u32>) -> isize {
    let Some(value) = expected else {
        return engine::perform(operation).result as isize;
    };
    operation.detail = Detail::Comparison {
        cell: engine::memory_object(address, 4),
        value,
    };
    // SAFETY: the word at `address` is readable, as this function's caller guarantees.
    let (_, decision) = unsafe { futex_word::compare(address, operation) };
    decision.result as isize
}

/// Returns what the kernel makes of a word; `None`: it knows no such operation. `encoded`: `val3`
/// of futex(2).
fn changed(encoded: u32, old: u32) -> Option<u32> {
    let number = (encoded << 8) as i32 >> 20;
    let operand = match (encoded >> 28) as c_int & ::libc::FUTEX_OP_OPARG_SHIFT {
        0 => number as u32,
        // Of what is no number of a bit the kernel takes the lowest five bits.
        _ => 1 << (number & 31),
    };
    match (encoded >> 28) as c_int & !::libc::FUTEX_OP_OPARG_SHIFT {
        ::libc::FUTEX_OP_SET => Some(operand),
        ::libc::FUTEX_OP_ADD => Some(old.wrapping_add(operand)),
        ::libc::FUTEX_OP_OR => Some(old | operand),
        ::libc::FUTEX_OP_ANDN => Some(old & !operand),
        ::libc::FUTEX_OP_XOR => Some(old ^ operand),
        _ => None,
    }
}

/// The last of the kernel's comparisons, `FUTEX_OP_CMP_GE`.
const COMPARISON_MAX: c_int = ::libc::FUTEX_OP_CMP_GE;

/// Changes a word and wakes at two addresses.
///
/// # Safety
/// The arguments are those of the program's call, in a call of [`call`].
unsafe fn wake_op(args: &Args, queue: ObjectId, private: bool) -> isize {
    let [address, _, first, second, word, encoded] = *args;
    let encoded = encoded as u32;
    // What others may know too has a name only where there is a page.
    if !private && !is_readable(address) {
        return error(::libc::EFAULT);
    }
    if word & 3 != 0 {
        return error(::libc::EINVAL);
    }
    snapshot::touch(word, 4);
    let is_writable = sys::is_word_writable(word);
    if !private && !is_writable {
        return error(::libc::EFAULT);
    }
    if changed(encoded, 0).is_none() {
        return error(::libc::ENOSYS);
    }
    if !is_writable {
        return error(::libc::EFAULT);
    }
    let change = |old| changed(encoded, old).unwrap_or(old);
    if (encoded >> 24) as c_int & 0xf > COMPARISON_MAX {
        // The kernel finds out when it has changed the word.
        // SAFETY: the word was found to be writable above, and no other fiber runs since.
        unsafe { futex_word::change(word, engine::operation(Kind::ReadModifyWrite), change) };
        return error(::libc::ENOSYS);
    }
    let mut operation = engine::operation(Kind::FutexWakeOp);
    operation.object = queue;
    operation.other = object::futex(word, private);
    operation.argument = Argument::requeueing(at_least_one(first), at_least_one(second));
    operation.detail = Detail::Comparison {
        cell: engine::memory_object(word, 4),
        value: encoded,
    };
    // SAFETY: the word was found to be writable above, and no other fiber runs since.
    let decision = unsafe { futex_word::change(word, operation, change) };
    decision.result as isize
}

/// Returns where a call of libc's `syscall` with these arguments goes on, if it is one that
/// [`call`] knows.
pub fn instead_of_syscall(arguments: &Args) -> Option<usize> {
    let [number, _, command, ..] = *arguments;
    let args = [0, command, 0, 0, 0, 0];
    if number != ::libc::SYS_futex as usize || !is_modelled(&args) {
        return None;
    }
    let is_explored = match engine::active() {
        true => !engine::is_ending(),
        // Nobody can wake the only thread: the model reports the deadlock.
        false => engine::before_root() && waits(&args),
    };
    is_explored.then_some(of_libc as *const () as usize)
}

/// `syscall(SYS_futex, …)`.
unsafe extern "C" fn of_libc(
    _number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    engine::begin();
    let args = [a, b, c, d, e, f];
    if !engine::active() {
        let call = real!(syscall: fn(c_long, usize, usize, usize, usize, usize, usize) -> c_long);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { call(::libc::SYS_futex, a, b, c, d, e, f) };
    }
    // SAFETY: a fiber runs on its stack; the program's arguments.
    match unsafe { call(&args) } {
        errno @ -4095..=-1 => {
            // SAFETY: libc's `errno` is a variable of the running thread's own.
            unsafe { *::libc::__errno_location() = -errno as c_int };
            -1
        }
        value => value as c_long,
    }
}
