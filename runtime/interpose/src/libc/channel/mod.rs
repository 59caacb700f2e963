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
//! | [`event`], [`order`] | the event of a use, and what happens before what by it |
//! | [`mod@change`], [`waiting`] | telling those that wait for a channel, and waiting for it |
//! | [`mod@ring`] | the bytes between writing and reading |
//! | [`transfer`] | reading and writing |
//! | [`enter`] | which end a descriptor is, after its event |
//! | [`life`], [`open`] | how channels come and go, and the calls that make them do so |
//! | [`ready`] | `poll` and `select` |
//! | [`activity`] | when an end became ready, for `epoll` |
//! | [`epoll_sets`], [`epoll`] | `epoll` |
//! | [`creation`] | `pipe`, `socketpair`, `eventfd` |
//! | [`readers`], [`signals`] | `signalfd` |
//! | [`call`] | which system call is which of these |
//! | [`words`] | channels in reports |
//! | [`kernel`], [`at_root`] | channels that the kernel has when exploration begins |
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

mod activity;
pub mod at_root;
pub mod call;
mod change;
mod creation;
pub mod enter;
pub mod epoll;
pub mod epoll_sets;
mod event;
mod kernel;
mod level;
pub mod life;
pub mod open;
mod order;
pub mod readers;
pub mod ready;
mod ring;
pub mod signals;
mod table;
pub mod transfer;
mod waiting;
mod words;

pub use change::{change, expire, Change};
pub use event::{levels_of, standing, wait, LOCKS};
pub use level::{thresholds, to_read, to_write, ATOMIC, NEVER};
pub use table::{channel, held, is_closed, of_timer, Channel, Kind, State, CHANNELS};
pub use waiting::{
    is_used_by_others, wait_for_bell, wait_for_bell_in, wait_within, would_hang, Terms, Waited,
};
pub use words::{describe_place, describe_wait, name};
