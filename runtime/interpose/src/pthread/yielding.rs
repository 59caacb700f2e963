//! Hints to the system's scheduler. None of them makes an interleaving impossible.

use crate::engine;
use core::ffi::c_int;
use dpor_model::Kind;

crate::hooks::clean_entry::clean_entries! {
    sched_yield, __sched_yield, pthread_yield, thrd_yield
}

/// Lets the running thread give way.
pub fn pause() {
    engine::perform(engine::operation(Kind::Pause));
}

macro_rules! yields {
    ($($name:ident)*) => {$(
        /// Gives way: the default order of exploration then prefers other threads.
        pub extern "C" fn $name() -> c_int {
            if engine::active() {
                pause();
                return 0;
            }
            let native = real!($name: fn() -> c_int);
            // SAFETY: libc's function takes no arguments and touches no memory of ours.
            unsafe { native() }
        }
    )*};
}

yields! { sched_yield __sched_yield pthread_yield }

/// Gives way as [`sched_yield`] does, without a result, as C11 has it.
pub extern "C" fn thrd_yield() {
    if engine::active() {
        return pause();
    }
    let native = real!(thrd_yield: fn());
    // SAFETY: libc's function takes no arguments and touches no memory of ours.
    unsafe { native() }
}
