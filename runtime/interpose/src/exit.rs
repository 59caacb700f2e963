//! The end of the process: main's return, `exit`, `quick_exit`.
//!
//! By default (`--main-return=exit-handlers`) exit handlers and destructors run at once, as events of the thread that
//! ends the process, while other threads run. Only the last step waits until no other thread can go on
//! ([`Kind::ProcessEnd`]): it conflicts with nothing.
//!
//! The first thread that begins to end the process does it; a second one waits until the process is gone (POSIX.1-2024,
//! `exit`). Which is the first is no event as long as there is one only, see [`EventCause::Exits`].
//!
//! Source: C11 5.1.2.2.3 and 7.22.4.4, C++20 [basic.start.main] and [support.start.term]; glibc's `exit`.

use crate::engine;
use crate::engine::exit_state::{mode, state, waits, CALL, RETURN};
use crate::engine::learned_events::{self, EventCause};
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::libc::event;
use crate::pthread::{happens_before, join, leave, live_objects, uninitialized_mutexes};
use crate::real;
use core::ffi::{c_int, c_void};
use core::ptr;
use dpor_abi::options::MainReturn;
use dpor_model::{Argument, Kind, Operation, ThreadId};

crate::hooks::clean_entry::clean_entries! {
    exit, quick_exit
}

/// Lets the running thread begin to end the process. Comes back in one thread of an execution.
fn begin() {
    let me = engine::thread().0 + 1;
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let leaver = || unsafe { (*state()).leaver };
    if leaver() == me {
        return; // A handler calls exit: libc goes on with those that are left.
    }
    if learned_events::knows(EventCause::Exits) {
        event::exit_begins();
    }
    if leaver() != 0 {
        if learned_events::learn(EventCause::Exits) {
            join::wait_for_ever(ThreadId(leaver() - 1));
        }
        engine::dead();
    }
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event.
    unsafe { (*state()).leaver = me };
    happens_before::acquire(event::exit_handlers());
}

/// Notes where main's thread returns or calls `exit`.
fn note(by_call: bool) {
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event.
    unsafe {
        let exit = state();
        (*exit).by_main = true;
        (*exit).by_call = by_call;
        (*exit).site = engine::site();
        (*exit).depth = engine::depth();
    }
}

/// Performs the event of main's end, which the trace shows.
fn pass(how: u64) {
    engine::wait_for_end(Operation {
        argument: Argument::of_program(how),
        ..engine::operation(Kind::MainReturn)
    });
}

/// Main, on thread 0, has returned.
pub fn main_returned() {
    if !engine::active() {
        return;
    }
    engine::main_returned();
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::ReturnWaits) {
        note(false);
        return leave::join_all();
    }
    match mode() {
        MainReturn::Exit => {}
        MainReturn::Run => {
            note(false);
            leave::join_all();
        }
        MainReturn::ExitHandlers => {
            note(false);
            pass(RETURN);
            begin();
        }
    }
}

/// `exit`: handlers run as events of the calling thread; the last step waits for the others.
///
/// # Safety
/// The handlers that are registered may be called.
pub unsafe extern "C" fn exit(code: c_int) -> ! {
    if engine::active() && waits() && !engine::is_inside_event() {
        if engine::thread().0 == 0 {
            note(true);
            pass(CALL);
        }
        begin();
    }
    real::exit(code)
}

/// `quick_exit`: as [`exit`], with the handlers of `at_quick_exit`.
///
/// # Safety
/// The handlers that are registered may be called.
pub unsafe extern "C" fn quick_exit(code: c_int) -> ! {
    if engine::active() && waits() && !engine::is_inside_event() {
        if engine::thread().0 == 0 {
            note(true);
            pass(CALL);
        }
        begin();
    }
    if crate::process::options().is_some() {
        // SAFETY: the world is mapped unless the runtime is off; nothing else runs.
        unsafe { (*state()).quick_code = code };
    }
    let quick = real!(quick_exit: fn(c_int) -> !);
    // SAFETY: the caller is in a call of `quick_exit`, so the handlers may run.
    unsafe { quick(code) }
}

/// Registers what runs after every other handler. First of all.
pub fn register() {
    let on_exit = real!(on_exit: fn(extern "C" fn(c_int, *mut c_void), *mut c_void) -> c_int);
    let at_quick = real!(__cxa_at_quick_exit: fn(extern "C" fn(*mut c_void), *mut c_void) -> c_int);
    // SAFETY: both functions of libc take a handler and what it is to be called with, and keep
    // them.
    unsafe {
        on_exit(after_handlers, ptr::null_mut());
        at_quick(after_quick_handlers, ptr::null_mut());
    }
}

extern "C" fn after_handlers(code: c_int, _: *mut c_void) {
    if code == 0 && has_something_to_say() {
        engine::begin();
    }
    if engine::active() {
        is_last_step();
        engine::finish_process(code, engine::Last::Handlers);
    }
}

/// Whether a program that never had a second thread left something that is to be told.
fn has_something_to_say() -> bool {
    live_objects::has_something_to_say() || uninitialized_mutexes::has_something_to_say()
}

extern "C" fn after_quick_handlers(_: *mut c_void) {
    if engine::active() {
        is_last_step();
        // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
        // switches here.
        let code = unsafe { (*state()).quick_code };
        engine::finish_process(code, engine::Last::QuickHandlers);
    }
}

fn is_last_step() {
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event.
    unsafe { (*state()).is_last_step = true };
}
