//! Ending a check before all is explored: the time limit, and a stop in the middle of a step.

use crate::clock::monotonic_ns;
use crate::running::own_fiber;
use crate::runtime::{runtime, Runtime, ACTIVE};
use crate::stop::Stop;
use crate::{process, scoped_cell};
use dpor_abi::options::Options;
use dpor_machine::fiber::x86_64;
use dpor_model::Next;
use std::sync::atomic::Ordering;

/// A signal asked to stop.
pub fn interrupted() -> Stop {
    Stop::Incomplete("interrupted".to_owned())
}

/// Whether the time limit is over.
pub fn is_out_of_time(rt: &Runtime) -> bool {
    is_over(&rt.options)
}

/// The reason to stop when the time limit is over.
pub fn time_is_up(rt: &Runtime) -> Stop {
    over(&rt.options)
}

/// Whether the time limit of these options is over, in seconds since the process began.
pub fn is_over(options: &Options) -> bool {
    let limit = options.time_limit_seconds;
    limit > 0.0 && (monotonic_ns() - process::began_ns()) as f64 / 1e9 >= limit
}

/// The reason to stop when the time limit of these options is over.
pub fn over(options: &Options) -> Stop {
    Stop::Incomplete(format!("time-limit: {} s", options.time_limit_seconds))
}

/// Whether an execution is reported, whose files may be wanted.
pub fn is_reported(rt: &Runtime) -> bool {
    !matches!(rt.stop, Some(Stop::Unsupported(_) | Stop::Failure(_)))
}

/// Ends the check in the middle of a step, on a fiber or in a signal handler that interrupted one: the search
/// hears of it from the step ([`Next::Stopped`]), and the engine from the search ([`Fault::Stopped`](dpor_explorer::Fault::Stopped)). The
/// fiber never goes on.
pub fn stop_now(stop: Stop) -> ! {
    assert!(
        ACTIVE.load(Ordering::Relaxed),
        "[dpor internal bug] the engine stops itself by a value: {stop:?}"
    );
    // SAFETY: a fiber runs, and holds the only references; it is left for good. The engine waits in `resume`.
    unsafe { (*runtime()).stop = Some(stop) };
    leave_step()
}

/// Ends the step, and with it the execution, in its middle; on a fiber. The search has learnt something and begins anew, or
/// there is a reason to stop.
pub fn leave_step() -> ! {
    // A handler may have interrupted one.
    scoped_cell::all_are_over();
    let rt = runtime();
    // SAFETY: a fiber runs, and holds the only references; it is left for good. The engine waits in `resume`.
    unsafe {
        (*rt).executed.next = Next::Stopped;
        // From there its calls can be told.
        x86_64::switch(
            &raw mut (*own_fiber()).stack_pointer,
            (*rt).engine_stack_pointer,
        );
    }
    unreachable!("[dpor internal bug] a stopped fiber went on");
}
