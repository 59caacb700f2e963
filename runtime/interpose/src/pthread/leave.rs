//! `pthread_exit` and cleanup handlers.
//!
//! Leaving unwinds the stack frame by frame, so that C++ destructors run. C code compiled without
//! exceptions registers its `pthread_cleanup_push` blocks with `__pthread_register_cancel` as jump
//! buffers: the unwinding stops at the frame of the innermost one and jumps into it; that block
//! runs its handler and goes on with `__pthread_unwind_next`. Handlers of `_pthread_cleanup_push`
//! (older code) are called when their frame is left.
//!
//! At the end of the stack a created thread returns to its lowest frame. Thread 0, whose lowest
//! frames are libc's, waits for all others and ends the process with code 0.
//!
//! Source: POSIX `pthread_exit`, `pthread_cleanup_push`; the structures are `pthread.h`'s.

use super::cleanup::{CleanupFrame, CleanupHandler};
use super::unwinder::{self, Context, Exception};
use super::{happens_before, key, me};
use crate::engine::accesses::uninstrumented;
use crate::world::{self, rolled_back, THREADS_MAX};
use crate::{engine, real};
use core::ffi::{c_int, c_void};
use dpor_machine::thread_limit;
use dpor_model::{Kind, ThreadId};

/// Returns whether the runtime keeps the books of cleanup handlers, rather than libc.
fn ours() -> bool {
    engine::active() || engine::before_root()
}

/// # Safety
/// Called by the expansion of `pthread_cleanup_push` only.
#[no_mangle]
pub unsafe extern "C" fn __pthread_register_cancel(frame: *mut CleanupFrame) {
    if !ours() {
        let register = real!(__pthread_register_cancel: fn(*mut CleanupFrame));
        // SAFETY: `frame` is a cleanup frame of the program's, which libc's function gets as it
        // came.
        return unsafe { register(frame) };
    }
    let me = me();
    // SAFETY: the frame is a local of the calling function, which unregisters it before it returns.
    unsafe {
        (*frame).outer = (*me).cleanup_frame;
        (*frame).handler = (*me).cleanup_handler;
        (*me).cleanup_frame = frame;
    }
}

/// # Safety
/// Called by the expansion of `pthread_cleanup_pop` only.
#[no_mangle]
pub unsafe extern "C" fn __pthread_unregister_cancel(frame: *mut CleanupFrame) {
    if !ours() {
        let unregister = real!(__pthread_unregister_cancel: fn(*mut CleanupFrame));
        // SAFETY: `frame` is a cleanup frame of the program's, which libc's function gets as it
        // came.
        return unsafe { unregister(frame) };
    }
    // SAFETY: the frame was registered by us.
    unsafe { (*me()).cleanup_frame = (*frame).outer };
}

/// Registers a cleanup frame as [`__pthread_register_cancel`] does. The cancel type is left as it
/// is: with the asynchronous one, a request is unsupported anyway.
///
/// # Safety
/// Called by the expansion of `pthread_cleanup_push_defer_np` only.
#[no_mangle]
pub unsafe extern "C" fn __pthread_register_cancel_defer(frame: *mut CleanupFrame) {
    if !ours() {
        let register = real!(__pthread_register_cancel_defer: fn(*mut CleanupFrame));
        // SAFETY: `frame` is a cleanup frame of the program's, which libc's function gets as it
        // came.
        return unsafe { register(frame) };
    }
    // SAFETY: `frame` is the program's, a local of the function that expands
    // `pthread_cleanup_push_defer_np`.
    unsafe { __pthread_register_cancel(frame) }
}

/// # Safety
/// Called by the expansion of `pthread_cleanup_pop_restore_np` only.
#[no_mangle]
pub unsafe extern "C" fn __pthread_unregister_cancel_restore(frame: *mut CleanupFrame) {
    if !ours() {
        let unregister = real!(__pthread_unregister_cancel_restore: fn(*mut CleanupFrame));
        // SAFETY: `frame` is a cleanup frame of the program's, which libc's function gets as it
        // came.
        return unsafe { unregister(frame) };
    }
    // SAFETY: `frame` is the program's, registered by [`__pthread_register_cancel_defer`].
    unsafe { __pthread_unregister_cancel(frame) }
}

/// # Safety
/// `handler` is writable until it is popped, and `routine` may be called with `argument`.
#[no_mangle]
pub unsafe extern "C" fn _pthread_cleanup_push(
    handler: *mut CleanupHandler,
    routine: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) {
    if !ours() {
        let push = real!(_pthread_cleanup_push:
            fn(*mut CleanupHandler, unsafe extern "C" fn(*mut c_void), *mut c_void));
        // SAFETY: the function called gets the program's handler as it came, a local of the
        // caller's frame.
        return unsafe { push(handler, routine, argument) };
    }
    let me = me();
    // SAFETY: `handler` is a local of the program's calling function, which pops it before it
    // returns; the entry is the running thread's own.
    unsafe {
        let outer = (*me).cleanup_handler;
        handler.write(CleanupHandler {
            routine: Some(routine),
            argument,
            cancel_type: 0,
            outer,
        });
        (*me).cleanup_handler = handler;
    }
}

/// `_pthread_cleanup_pop`: forgets the innermost handler, and calls it if `execute` is not 0.
///
/// # Safety
/// `handler` is the innermost one that [`_pthread_cleanup_push`] pushed on this thread.
#[no_mangle]
pub unsafe extern "C" fn _pthread_cleanup_pop(handler: *mut CleanupHandler, execute: c_int) {
    if !ours() {
        let pop = real!(_pthread_cleanup_pop: fn(*mut CleanupHandler, c_int));
        // SAFETY: the function called gets the program's handler as it came, a local of the
        // caller's frame.
        return unsafe { pop(handler, execute) };
    }
    // SAFETY: `handler` is the innermost one that [`_pthread_cleanup_push`] pushed, as this
    // function's caller guarantees, so its frame is alive.
    unsafe {
        (*me()).cleanup_handler = (*handler).outer;
        if execute != 0 {
            call(handler);
        }
    }
}

/// Pushes a handler as [`_pthread_cleanup_push`] does. The cancel type is left as it is: with the
/// asynchronous one, a request is unsupported anyway.
///
/// # Safety
/// `handler` is writable until it is popped, and `routine` may be called with `argument`.
#[no_mangle]
pub unsafe extern "C" fn _pthread_cleanup_push_defer(
    handler: *mut CleanupHandler,
    routine: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) {
    // SAFETY: the function called gets the program's handler as it came, a local of the caller's
    // frame.
    unsafe { _pthread_cleanup_push(handler, routine, argument) }
}

/// `_pthread_cleanup_pop_restore`: as [`_pthread_cleanup_pop`].
///
/// # Safety
/// `handler` is the innermost one that [`_pthread_cleanup_push_defer`] pushed on this thread.
#[no_mangle]
pub unsafe extern "C" fn _pthread_cleanup_pop_restore(
    handler: *mut CleanupHandler,
    execute: c_int,
) {
    // SAFETY: the function called gets the program's handler as it came, a local of the caller's
    // frame.
    unsafe { _pthread_cleanup_pop(handler, execute) }
}

unsafe extern "C" fn call(handler: *mut CleanupHandler) {
    // SAFETY: a handler of the list, filled in by the push.
    unsafe {
        if let Some(routine) = (*handler).routine {
            uninstrumented::call(routine as *const () as usize, &raw const handler as usize);
            routine((*handler).argument);
        }
    }
}

/// The next step of a leaving thread: it unwinds with `exception`, or, if that is null, calls
/// libc's function `native`.
#[repr(C)]
pub(super) struct Departure {
    exception: *mut Exception,
    native: *const c_void,
}

/// `pthread_exit(result)` begins.
pub(super) extern "C" fn begin_exit(result: *mut c_void) -> Departure {
    if !ours() {
        let native = real!(pthread_exit: fn(*mut c_void)) as *const c_void;
        return Departure {
            exception: core::ptr::null_mut(),
            native,
        };
    }
    if super::signal::is_in_handler() {
        engine::unsupported("pthread_exit in a signal handler");
    }
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe {
        (*me()).result = result;
        (*me()).cancel.leaving = true;
    }
    departure()
}

/// Goes on leaving when the cleanup block of a frame has run: the begin of
/// `__pthread_unwind_next(frame)`.
///
/// # Safety
/// The frame is the innermost registered one.
pub(super) unsafe extern "C" fn continue_exit(frame: *mut CleanupFrame) -> Departure {
    if !ours() {
        let native = real!(__pthread_unwind_next: fn(*mut CleanupFrame)) as *const c_void;
        return Departure {
            exception: core::ptr::null_mut(),
            native,
        };
    }
    // SAFETY: `frame` is a registered frame of the running thread's, as this function's caller
    // guarantees; the entry in the world is the thread's own.
    unsafe { (*me()).cleanup_frame = (*frame).outer };
    departure()
}

rolled_back! {
    /// By thread: the exception to leave with. The frames it starts in go away while it is in use.
    static EXCEPTIONS: RolledBack<[Exception; THREADS_MAX]> = world::EXCEPTIONS
}

fn departure() -> Departure {
    let thread = engine::thread().0 as usize;
    // SAFETY: the world is mapped; each thread has its own exception.
    let exception = unsafe { &raw mut (*EXCEPTIONS.get())[thread] };
    // SAFETY: the exception lies in the world, one for each thread, and the running thread is about
    // to unwind with it for the first time.
    unsafe { exception.write(Exception::leaving()) };
    Departure {
        exception,
        native: core::ptr::null(),
    }
}

/// Called by the unwinder before it leaves a frame.
pub(super) extern "C" fn stop(
    _: c_int,
    actions: c_int,
    _: u64,
    _: *mut Exception,
    context: *mut Context,
    _: *mut c_void,
) -> c_int {
    // SAFETY: `context` is the one that the unwinder passes to its stop function, valid during the
    // call.
    let here = unsafe { unwinder::stack_pointer(context) };
    let ended = actions & unwinder::END_OF_STACK != 0;
    let me = me();
    // SAFETY: the entry in the world and the lists are the running thread's own; frames further up
    // the stack are intact.
    unsafe {
        let frame = (*me).cleanup_frame;
        let reached = ended || (!frame.is_null() && here >= (*frame).stack_pointer());
        let limit = if frame.is_null() {
            core::ptr::null_mut()
        } else {
            (*frame).handler
        };
        loop {
            let handler = (*me).cleanup_handler;
            if handler == limit || !(reached || here >= handler as usize) {
                break;
            }
            (*me).cleanup_handler = (*handler).outer;
            call(handler);
        }
        if reached && !frame.is_null() {
            siglongjmp(frame, 1);
        }
        if ended {
            end_of_stack();
        }
    }
    unwinder::GO_ON
}

extern "C" {
    fn siglongjmp(frame: *mut CleanupFrame, value: c_int) -> !;
}

/// Ends the running thread, which has left all its frames: it returns to its lowest one; thread 0
/// waits for the others.
///
/// # Safety
/// The running thread leaves, and no frame above its lowest one is needed any more.
pub(super) unsafe extern "C" fn end_of_stack() -> ! {
    let me = me();
    // SAFETY: the entry in the world is the running thread's own; `bottom` is that of its lowest
    // frame, which is alive.
    unsafe {
        if (*me).bottom != 0 {
            unwinder::return_to((*me).bottom, (*me).result);
        }
        key::run_destructors();
    }
    join_all();
    real::exit(0)
}

/// Lets thread 0 wait until all other threads have ended (it called `pthread_exit` or the system
/// call `exit`, or returned from main while `main-return` is `run`). What they did happens before
/// what follows.
pub fn join_all() {
    if !engine::active() {
        return;
    }
    engine::wait_for_end(engine::join(Kind::JoinAll, ThreadId(0), false));
    for thread in (1..thread_limit::get() as u16).map(ThreadId) {
        // SAFETY: the entry lies in the world, which is mapped; all other threads have ended.
        if unsafe { (*super::entry(thread)).exists } {
            happens_before::join(thread);
        }
    }
}
