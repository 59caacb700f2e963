//! What the parts of the runtime have to do when exploration begins, and when the program goes back in time.
//!
//! Most of what they know about the program lies in a room of the world, which goes back by itself. A part that does
//! more (it looks something up, takes something over from the kernel, undoes something in it) is a [`Concern`]: it
//! says what it does at each of these moments, which the engine brings about:
//!
//! ```text
//!   at_root ─► first_events ─► make_private ─► mapped_at_root ─┬─► execution_begins ─► steps ─┐
//!   (native)   (thread 0,        (the root is saved)           │                              │
//!               now a fiber)                                   └── after_restore ◄ before_restore
//! ```
//!
//! The engine knows none of the parts: the list of all of them (concerns.rs), in the one order in which they are
//! asked at every moment, is given to it at the start ([`crate::given`]).

use core::ffi::{c_char, c_int};
use dpor_model::{ObjectId, Operation, SiteId};

/// What the parts are told at the root, and what they tell.
pub struct Root {
    /// Descriptors of the runtime's own, which the program shall not see; −1: none.
    pub hidden: [i32; 2],
    /// What the clocks are to show ([`dpor_abi::options::Options::clock`]), or an empty text; then what they show.
    pub clock: String,
}

/// A part of the runtime. What it does not say, it does nothing at.
pub trait Concern {
    /// Exploration is about to begin. On thread 0, which is native still: calls into libc and the kernel are made for
    /// real, and nothing is an event.
    fn at_root(_root: &mut Root) {}

    /// Exploration has begun, on thread 0, which is a fiber now and stands before its first operation. From the first
    /// event on, what follows is repeated by every execution.
    fn first_events() {}

    /// Thread 0 stands before its first event, and the root is about to be saved: memory that the program shares with
    /// others is to become its own. `maps`: the text of `/proc/self/maps`.
    ///
    /// # Errors
    /// What of it cannot be controlled, in words for `unsupported`.
    fn make_private(_maps: &str) -> Result<bool, String> {
        Ok(false)
    }

    /// This is what is mapped at the root: the text of `/proc/self/maps`.
    fn mapped_at_root(_maps: &str) {}

    /// Appends objects that are initialized before the first event, as the operations that initialize them.
    fn initialized(_operations: &mut Vec<Operation>) {}

    /// An execution begins, or goes on in a process that was forked before other executions learned something.
    fn execution_begins() {}

    /// The program's state is about to be taken back, in whichever way. It is not, if it is at the root already.
    fn before_restore() {}

    /// The program's memory and the world were just copied back: what the kernel has beyond that is to be undone. Not
    /// in a process that was forked, whose kernel state is the checkpoint's.
    fn after_restore() {}

    /// Whether a copy of the program's memory and the world, taken now, would hold all of its state.
    fn can_checkpoint() -> bool {
        true
    }

    /// Appends what of the concern's rolled-back memory decides nothing of how the program goes on, as addresses
    /// `start..end`: a search over states does not match it. What only grows and decides something has to be kept in a
    /// form that comes back instead.
    fn unmatched(_left_out: &mut Vec<(usize, usize)>) {}

    /// This process was just forked from one that explores, and runs executions itself.
    fn after_fork() {}

    /// This process was just forked, and runs executions beside its parent, as a worker. False: they share what they
    /// must not share.
    fn to_worker() -> bool {
        true
    }

    /// The running thread took a signal that was pending: it arrives, or the thread waited for it or reads it.
    fn signal_taken(_signal: c_int) {}

    /// The running thread is about to end the process: what may still interrupt it does so now.
    fn before_end() {}

    /// What the program has written and not handed over yet is written. On the fiber that ends the process.
    fn flush() {}

    /// The process ends after its handlers ran: says which threads nobody waited for ([`crate::note_abandoned`]).
    fn note_threads_left() {}

    /// The process ends after its handlers ran, and no other thread is left: tells of objects that are left.
    fn tell_of_left() {}

    /// Writes what the concern learnt of the program, which a schedule needs, as words separated by blanks. One
    /// concern does.
    fn encode_learnt() -> String {
        String::new()
    }

    /// Takes over what [`Concern::encode_learnt`] wrote. `None`: it is no such text.
    fn decode_learnt(_text: &str) -> Option<()> {
        Some(())
    }

    /// Whether the concern learnt something in this search, which then has to begin anew. Asked once.
    fn take_learnt() -> bool {
        false
    }

    /// The name of an object of the concern's, in reports.
    fn name_object(_object: ObjectId) -> Option<String> {
        None
    }

    /// What a blocked thread waits for, in words, if its operation is on an object of the concern's. No fiber runs.
    fn describe_wait(_operation: &Operation) -> Option<&'static str> {
        None
    }

    /// What lies at an address, in words, if the concern knows.
    fn describe_place(_address: usize) -> Option<String> {
        None
    }

    /// The call that an access is part of, in words. `callee`: the function by its linker's name, null of a virtual
    /// call.
    fn describe_call(_site: SiteId, _callee: *const c_char, _writes: bool) -> Option<String> {
        None
    }

    /// The clocks show at the root what those of another process show, for which this one works.
    fn take_clocks(_told: &str) {}
}

/// All concerns: what is to be done at each moment ([`Concern`] describes them).
pub struct Concerns {
    /// See [`Concern::at_root`].
    pub at_root: fn(&mut Root),
    /// See [`Concern::first_events`].
    pub first_events: fn(),
    /// See [`Concern::make_private`]; the first error.
    pub make_private: fn(&str) -> Result<bool, String>,
    /// See [`Concern::mapped_at_root`].
    pub mapped_at_root: fn(&str),
    /// See [`Concern::initialized`].
    pub initialized: fn(&mut Vec<Operation>),
    /// See [`Concern::execution_begins`].
    pub execution_begins: fn(),
    /// See [`Concern::before_restore`].
    pub before_restore: fn(),
    /// See [`Concern::after_restore`].
    pub after_restore: fn(),
    /// See [`Concern::can_checkpoint`]; whether all can.
    pub can_checkpoint: fn() -> bool,
    /// See [`Concern::unmatched`].
    pub unmatched: fn(&mut Vec<(usize, usize)>),
    /// See [`Concern::after_fork`].
    pub after_fork: fn(),
    /// See [`Concern::to_worker`]; whether all can.
    pub to_worker: fn() -> bool,
    /// See [`Concern::signal_taken`].
    pub signal_taken: fn(c_int),
    /// See [`Concern::before_end`].
    pub before_end: fn(),
    /// See [`Concern::flush`].
    pub flush: fn(),
    /// See [`Concern::note_threads_left`].
    pub note_threads_left: fn(),
    /// See [`Concern::tell_of_left`].
    pub tell_of_left: fn(),
    /// See [`Concern::encode_learnt`]; of the one that has words.
    pub encode_learnt: fn() -> String,
    /// See [`Concern::decode_learnt`]; of the one that wrote them.
    pub decode_learnt: fn(&str) -> Option<()>,
    /// See [`Concern::take_learnt`]; whether any did.
    pub take_learnt: fn() -> bool,
    /// See [`Concern::name_object`]; the first that has one.
    pub name_object: fn(ObjectId) -> Option<String>,
    /// See [`Concern::describe_wait`]; the first that has one.
    pub describe_wait: fn(&Operation) -> Option<&'static str>,
    /// See [`Concern::describe_place`]; the first that knows.
    pub describe_place: fn(usize) -> Option<String>,
    /// See [`Concern::describe_call`]; the first that knows.
    pub describe_call: fn(SiteId, *const c_char, bool) -> Option<String>,
    /// See [`Concern::take_clocks`].
    pub take_clocks: fn(&str),
}

/// Makes a static of this name, of type [`Concerns`]: the concerns that follow, asked in this order at every moment.
///
/// Each moment is one function, in which those that do nothing at it leave no trace.
#[macro_export]
macro_rules! in_order {
    ($(#[$doc:meta])* $visibility:vis static $name:ident: $($concern:ty),+ $(,)?) => {
        $(#[$doc])*
        $visibility static $name: $crate::concern::Concerns = $crate::concern::Concerns {
            at_root: |root| { $(<$concern>::at_root(root);)+ },
            first_events: || { $(<$concern>::first_events();)+ },
            make_private: |maps| {
                let mut has_changed = false;
                $(has_changed |= <$concern>::make_private(maps)?;)+
                Ok(has_changed)
            },
            mapped_at_root: |maps| { $(<$concern>::mapped_at_root(maps);)+ },
            initialized: |operations| { $(<$concern>::initialized(operations);)+ },
            execution_begins: || { $(<$concern>::execution_begins();)+ },
            before_restore: || { $(<$concern>::before_restore();)+ },
            after_restore: || { $(<$concern>::after_restore();)+ },
            can_checkpoint: || $(<$concern>::can_checkpoint())&&+,
            unmatched: |left_out| { $(<$concern>::unmatched(left_out);)+ },
            after_fork: || { $(<$concern>::after_fork();)+ },
            to_worker: || $(<$concern>::to_worker())&&+,
            signal_taken: |signal| { $(<$concern>::signal_taken(signal);)+ },
            before_end: || { $(<$concern>::before_end();)+ },
            flush: || { $(<$concern>::flush();)+ },
            note_threads_left: || { $(<$concern>::note_threads_left();)+ },
            tell_of_left: || { $(<$concern>::tell_of_left();)+ },
            encode_learnt: || [$(<$concern>::encode_learnt()),+].concat(),
            decode_learnt: |text| { $(<$concern>::decode_learnt(text)?;)+ Some(()) },
            take_learnt: || $(<$concern>::take_learnt())|+,
            name_object: |object| None$(.or_else(|| <$concern>::name_object(object)))+,
            describe_wait: |operation| None$(.or_else(|| <$concern>::describe_wait(operation)))+,
            describe_place: |address| None$(.or_else(|| <$concern>::describe_place(address)))+,
            describe_call: |site, callee, writes| {
                None$(.or_else(|| <$concern>::describe_call(site, callee, writes)))+
            },
            take_clocks: |told| { $(<$concern>::take_clocks(told);)+ },
        };
    };
}
pub use crate::in_order;
