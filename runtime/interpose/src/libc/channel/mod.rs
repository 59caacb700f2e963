//! Channels: pipes, socket pairs and event counters, kept here instead of in the kernel.
//!
//! A channel has two *ends*; a descriptor names one of them. What is written at one end is read at
//! the other; a pipe carries data one way only, an event counter has one end that does both.
//!
//! ```text
//!   pipe:        end 1 ──► end 0          socket pair:  end 0 ◄──► end 1          counter: end 0 ⟲
//! ```
//!
//! Every use is an event on the channel ([`wait`]) that blocks until the channel is ready for it: the
//! search knows four levels ([`Channel::levels`]), and the rest is here, in the rolled-back world.
//!
//! | part | what |
//! |---|---|
//! | [`table`] | the channels in the world |
//! | [`level`] | how ready a channel is |
//! | [`waiting`], [`mod@change`] | waiting for a channel, and telling those that wait |
//! | [`mod@ring`] | the bytes between writing and reading |
//! | [`transfer`] | reading and writing |
//! | [`open`] | how channels come and go |
//! | [`ready`] | `poll` and `select` |
//! | [`epoll`] | `epoll` |
//! | [`creation`] | `pipe`, `socketpair`, `eventfd` |
//! | [`signals`] | `signalfd` |
//! | [`call`] | which system call is which of these |
//! | [`words`] | channels in reports |
//! | [`at_root`] | channels that the kernel has when exploration begins |
//!
//! *Waiting for several channels.* A thread that finds none of them ready leaves its bit in
//! [`Channel::pollers`] of each, in the event with which it looked at that channel, and then waits on a
//! channel of its own, its *bell*. Whoever makes a channel more ready takes the bits and rings, in an
//! event after its own for each; the thread then looks again. As in the kernel, looking at several
//! channels is no atomic operation. A bell that rings for a thread that gave up waiting costs it one
//! more look, once.
//!
//! *Numbers.* Which channel a descriptor gets follows from the events on the table of descriptors
//! alone: entries of the table are counted there ([`Channel::entries`]), and the channel is free when
//! the last is gone.
//!
//! Source: POSIX.1-2017 `pipe`, `read`, `write`, `socketpair`; pipe(7), unix(7), eventfd(2).

pub mod at_root;
pub mod call;
mod change;
mod creation;
pub mod epoll;
mod level;
pub mod open;
pub mod ready;
mod ring;
pub mod signals;
mod table;
pub mod transfer;
mod waiting;
mod words;

use crate::engine::{self, object};
pub use change::{change, Change};
use dpor_explorer::program::Operation;
pub use level::{thresholds, to_read, to_write, ATOMIC, NEVER};
use level::{COUNT_MAX, GONE, LEVEL_MAX};
use table::{add_poller, channels, ring, take_pollers};
pub use table::{channel, held, Channel, Kind, State, CHANNELS};
pub use waiting::{
    is_used_by_others, levels_of, standing, wait, wait_for_bell, wait_for_bell_in, wait_within,
    would_hang, Terms, Waited, LOCKS,
};
pub use words::{describe_wait, name};

/// Publishes the running thread's clock for those that read what it wrote to the channel.
fn release(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.release(thread, object::channel(number).0);
    }
}

/// Orders the running thread after those that wrote what it reads from the channel.
fn acquire(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.acquire(thread, object::channel(number).0);
    }
}

/// Returns whether a blocked thread waits for what another has closed. No fiber runs.
pub fn is_closed(operation: &Operation) -> bool {
    let number = operation.object.0 as u32 as usize;
    number < CHANNELS && channel(number).kind == Kind::Free
}

/// Returns the channel of a timer.
pub fn of_timer(number: usize) -> Option<usize> {
    let is_its =
        |channel: &Channel| channel.kind != Kind::Free && usize::from(channel.timer) == number;
    channels().look(|all| all.channels.iter().position(is_its))
}

/// Lets the timer of a channel expire, in the step of an event on the channel.
pub fn expire(number: usize) {
    release(number);
    let ((), change) = change(number, || {
        held(number).change(|channel| {
            channel.count += 1;
            channel.activity[0][0] += 1;
        });
    });
    change.tell();
}
