//! Numbers, `pthread_t` and stacks of the program's threads.

use crate::learned_events::{self, EventCause};
use crate::running::own_fiber;
use crate::runtime::{runtime, Runtime, WRITTEN};
use crate::stopping::leave_step;
use crate::world::{world, THREADS_MAX};
use crate::{operation, worker_process};
use dpor_machine::fiber::borrow;
use dpor_machine::thread_limit;
use dpor_model::{Argument, Detail, Kind, Operation, ThreadId};
use std::sync::atomic::Ordering;

/// The number the running thread's next child gets: a function of its own history (which children
/// it created and joined). The thread exists once `Kind::Create` with this argument was performed;
/// its fiber then starts in [`Posix::run`](crate::given::posix_functions::Posix::run). `None`: there is no room for it
/// ([`dpor_machine::thread_limit`]).
pub fn reserve_thread() -> Option<ThreadId> {
    let rt = runtime();
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe {
        let me = (*rt).current.0 as usize;
        let fiber = own_fiber();
        if (*fiber).returned > 0 {
            let returned = &mut (*world()).returned;
            let mut all = returned.iter_mut().zip(0..);
            let found = all.find(|(owner, _)| usize::from(**owner) == me + 1);
            let (owner, number) = found.expect("[dpor internal bug] a number that came back");
            *owner = 0;
            (*fiber).returned -= 1;
            return Some(ThreadId(number));
        }
        let nth = (*fiber).children as usize;
        if nth == THREADS_MAX {
            return None;
        }
        (*fiber).children += 1;
        let rt = &mut *rt;
        if rt.number(me, nth).is_none() {
            worker_process::number(rt, me as u16, nth as u16)?;
        }
        // A search that is taken up knows the numbers of another process.
        let number = rt
            .number(me, nth)
            .filter(|&t| usize::from(t) < thread_limit::get())?;
        if usize::from(number) >= rt.areas.len() {
            more_are_wanted(rt);
            return None;
        }
        Some(ThreadId(number))
    }
}

/// The running thread begins one for which there is no real thread ([`crate::more_threads`]). Comes back if there can be no more.
fn more_are_wanted(rt: &Runtime) {
    let can_be = rt.areas.len() < thread_limit::get() && !rt.is_replay();
    if can_be && !learned_events::learn(EventCause::MoreThreads) {
        leave_step();
    }
}

/// The thread that the running thread created in its last operation, if it wrote nothing since.
pub fn created_last() -> Option<ThreadId> {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe {
        let creates = (*own_fiber()).pending == Kind::Create as u8;
        let created = (*own_fiber()).argument.as_thread();
        (creates && !WRITTEN.load(Ordering::Relaxed)).then_some(created)
    }
}

/// A join, of `target` if it is of one thread: `Kind::Join` or `Kind::JoinAll`. `looks`: at what the
/// thread returned.
pub fn join(kind: Kind, target: ThreadId, looks: bool) -> Operation {
    Operation {
        argument: Argument::thread(target),
        detail: Detail::Joining {
            wrote: WRITTEN.load(Ordering::Relaxed),
            looks,
        },
        ..operation(kind)
    }
}

/// Whether a thread has finished.
pub fn has_finished(thread: ThreadId) -> bool {
    // SAFETY: a fiber runs: the world is mapped, and only that fiber uses it while the engine waits inside a step.
    unsafe { !(*world()).engine.is_live(thread) }
}

/// Gives a joined thread's number back to the running thread, which joined it.
pub fn release_thread(thread: ThreadId) {
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe {
        (*world()).returned[usize::from(thread.0)] = (*runtime()).current.0 + 1;
        (*own_fiber()).returned += 1;
    }
}

/// The `pthread_t` of a thread.
pub fn pthread_of(thread: ThreadId) -> libc::pthread_t {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it;
    // thread pointers never change.
    unsafe { (*runtime()).thread_pointer_of(thread) as libc::pthread_t }
}

/// The thread with this `pthread_t`, if it is one of ours.
pub fn thread_of(pthread: libc::pthread_t) -> Option<ThreadId> {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &*runtime() };
    let pointer = pthread as usize;
    if pointer == rt.thread_pointer {
        return Some(ThreadId(0));
    }
    // Areas lie one after the other; the last one is the engine's.
    let nth = pointer.checked_sub(rt.areas[0].start)? / borrow::STACK_BYTES;
    let thread = ThreadId(nth as u16 + 1);
    (nth + 1 < rt.areas.len() && rt.thread_pointer_of(thread) == pointer).then_some(thread)
}

/// Stack of a thread: lowest address and bytes. Thread 0's is what is mapped of it now; nothing that is used until the root
/// is made, where nobody knows it yet.
pub fn stack_of(thread: ThreadId) -> (usize, usize) {
    let rt = runtime();
    // SAFETY: the runtime is installed. Only `stack_end` and `areas` are read, which nobody changes after the root; so
    // this may be asked while another part of the runtime is borrowed, as the race detector does.
    unsafe {
        match usize::from(thread.0).checked_sub(1) {
            None => ((*rt).stack_end.saturating_sub(8 << 20), 8 << 20),
            Some(place) => {
                let areas = &(*rt).areas;
                let area = &areas[place];
                (area.start, area.tls_low - area.start)
            }
        }
    }
}

impl Runtime {
    /// The thread whose stack or thread-local storage an address lies in, in words. The address itself says
    /// nothing: it depends on the environment the program was started with.
    pub fn owner_of(&self, address: usize) -> Option<String> {
        let stack = stack_of(ThreadId(0));
        if (stack.0..stack.0 + stack.1).contains(&address) {
            return Some("stack of thread 0".to_owned());
        }
        let mut areas = self.areas.iter().zip(1..);
        let (area, thread) = areas.find(|(area, _)| (area.start..area.end).contains(&address))?;
        let what = if address < area.tls_low {
            "stack"
        } else {
            "thread-local storage"
        };
        Some(format!("{what} of thread {thread}"))
    }
}

/// Whether a thread stands where it waits for the end of the others, with nothing left to do but to end the process.
pub fn stands_at_end(thread: ThreadId) -> bool {
    // SAFETY: the world is mapped from the root on; the thread is suspended, so that nobody writes its entry.
    let pending = unsafe { (*world()).threads[usize::from(thread.0)].fiber.pending };
    pending == Kind::JoinAll as u8 || pending == Kind::ProcessEnd as u8
}
