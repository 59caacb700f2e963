//! The one list of what has to be done when exploration begins and when the program goes back in time, in its order.
//!
//! [`Concern`] says what the moments are. To add a concern: a structure without fields, what it does at which moment,
//! and its place in [`ALL`]; a comment there says of two neighbours why they come in this order, if that matters.

use crate::engine::concern::{in_order, Concern, Root};
use crate::engine::{self, foreign, input, object};
use crate::libc::overlay::{commit, mapped, open, window};
use crate::libc::{
    access, addresses, channel, descriptor, mapping, opaque, signals, stdio, stream_lock, syscalls,
    time, timers, vdso,
};
use crate::pthread::{
    self, attributes, first_locks, live_objects, objects_at_root, signal, uninitialized_mutexes,
    unwinder_locks,
};
use crate::{fini, hooks, real};
use core::ffi::{c_char, c_int};
use dpor_model::{Kind, ObjectId, Operation, SiteId};

in_order! {
    /// All concerns of the runtime.
    pub static ALL:
    // Before all others, which may call functions of libc. Afterwards nobody asks the dynamic linker for one, which
    // would write to pages of the program's.
    RealFunctions,
    ProcessNumbers,
    StandIns,
    Clocks,

    // The threads of the program. Until a lock is taken nothing is an event: what thread 0 did before the root
    // becomes part of the root's state, and what the model does not know ends the check.
    FirstThread,
    PendingSignals,
    UnwinderLocks,
    // Before `Channels`, in which order the search is told of what is initialized.
    ObjectsAtRoot,
    // Findings on what happened before the root. Before `LocksAtRoot`, for every execution would tell them anew.
    LiveObjects,
    UninitializedMutexes,
    // Its events are the program's first ones: with the first of them the root is there.
    LocksAtRoot,

    StandardInput,
    // Before `Channels` and `OpenFiles`, which look in the table for the descriptors of theirs.
    Descriptors,
    Channels,
    // Before `Timers`: whether a timer is a watchdog is told by the action of its signal.
    SignalActions,
    // Behind `LocksAtRoot`, between whose events a timer could expire if it was armed before.
    Timers,
    Streams,
    StreamLocks,
    Cells,
    OpaqueCalls,
    ForeignCode,
    LibraryObjects,
    CommittedFiles,
    // Their windows are mapped before `OpenFiles` fills them.
    FileContents,
    OpenFiles,
    Vdso,
    Destructors,
    Mappings,
    Blocks,
    Signals,
}

/// Functions of libc's that the runtime stands in for.
struct RealFunctions;

impl Concern for RealFunctions {
    fn at_root(_: &mut Root) {
        real::resolve_all();
    }
}

/// The numbers of the process and its parent, which all processes that run executions show.
struct ProcessNumbers;

impl Concern for ProcessNumbers {
    fn at_root(_: &mut Root) {
        syscalls::at_root();
    }
}

/// Functions of libc's that are events, or whose accesses are told.
struct StandIns;

impl Concern for StandIns {
    fn at_root(_: &mut Root) {
        addresses::resolve_all();
        access::resolve_all();
    }
}

/// Clocks.
struct Clocks;

impl Concern for Clocks {
    fn at_root(root: &mut Root) {
        root.clock = time::at_root(&root.clock);
    }

    fn unmatched(left_out: &mut Vec<(usize, usize)>) {
        if engine::by_states::clock::is_still() {
            left_out.push(time::room());
        }
    }

    fn take_clocks(told: &str) {
        time::at_root(told);
    }
}

/// Thread 0: that it exists, and its name.
struct FirstThread;

impl Concern for FirstThread {
    fn unmatched(left_out: &mut Vec<(usize, usize)>) {
        pthread::unmatched(left_out);
    }

    fn note_threads_left() {
        pthread::thread::note_abandoned();
    }

    fn first_events() {
        pthread::at_root();
        attributes::at_root();
    }
}

/// Signals that were sent and not handled yet.
struct PendingSignals;

impl Concern for PendingSignals {
    fn before_end() {
        signal::deliver::look_last();
    }

    fn first_events() {
        signal::at_root();
    }
}

/// Locks of the library that unwinds stacks.
struct UnwinderLocks;

impl Concern for UnwinderLocks {
    fn first_events() {
        unwinder_locks::at_root();
    }
}

/// Semaphores and barriers that were initialized before the root.
struct ObjectsAtRoot;

impl Concern for ObjectsAtRoot {
    fn first_events() {
        objects_at_root::at_root();
    }

    fn initialized(operations: &mut Vec<Operation>) {
        operations.extend(objects_at_root::all());
    }
}

/// Objects that were overwritten or left before the root.
struct LiveObjects;

impl Concern for LiveObjects {
    fn tell_of_left() {
        live_objects::tell_of_left();
    }

    fn first_events() {
        live_objects::at_root();
    }
}

/// Mutexes that were used before the root without being initialized.
struct UninitializedMutexes;

impl Concern for UninitializedMutexes {
    fn first_events() {
        uninitialized_mutexes::at_root();
    }
}

/// Locks that thread 0 holds.
struct LocksAtRoot;

impl Concern for LocksAtRoot {
    fn first_events() {
        first_locks::at_root();
    }
}

/// What is read from descriptor 0.
struct StandardInput;

impl Concern for StandardInput {
    fn at_root(_: &mut Root) {
        input::at_root();
    }
}

/// The table of descriptors.
struct Descriptors;

impl Concern for Descriptors {
    fn at_root(root: &mut Root) {
        descriptor::at_root(&root.hidden);
    }

    fn to_worker() -> bool {
        descriptor::reopen_directories()
    }
}

/// Pipes, socket pairs and event counters.
struct Channels;

impl Concern for Channels {
    fn name_object(object: ObjectId) -> Option<String> {
        object::is_channel(object).then(|| channel::name(object.0 as u32 as usize))
    }

    fn describe_wait(operation: &Operation) -> Option<&'static str> {
        (operation.kind == Kind::Channel).then(|| channel::describe_wait(operation))
    }

    fn describe_place(address: usize) -> Option<String> {
        channel::describe_place(address)
    }

    fn at_root(_: &mut Root) {
        channel::at_root::take_over();
    }

    fn initialized(operations: &mut Vec<Operation>) {
        operations.extend(channel::at_root::initialized());
    }
}

/// Actions and masks of signals.
struct SignalActions;

impl Concern for SignalActions {
    fn at_root(_: &mut Root) {
        signals::at_root();
    }
}

/// Timers that send signals: they are switched off, and armed as timers of the model.
struct Timers;

impl Concern for Timers {
    fn at_root(_: &mut Root) {
        timers::at_root::at_root();
    }

    fn first_events() {
        timers::at_root::begin();
    }

    fn signal_taken(signal: c_int) {
        timers::signal_taken(signal);
    }
}

/// The list of streams, of which those that hold something are written out in the end.
struct Streams;

impl Concern for Streams {
    fn flush() {
        stdio::flush();
    }

    fn at_root(_: &mut Root) {
        stdio::at_root();
    }
}

/// Whether calls on a stream take its lock.
struct StreamLocks;

impl Concern for StreamLocks {
    fn at_root(_: &mut Root) {
        stream_lock::decide();
    }
}

/// System calls that are events.
struct OpaqueCalls;

impl Concern for OpaqueCalls {
    fn encode_learnt() -> String {
        opaque::encode()
    }

    fn decode_learnt(text: &str) -> Option<()> {
        opaque::decode(text)
    }

    fn take_learnt() -> bool {
        opaque::take_changed()
    }

    fn at_root(_: &mut Root) {
        opaque::at_root();
    }

    fn execution_begins() {
        opaque::redirect_learnt();
        opaque::execution_begins();
    }
}

/// Cells that accesses touch.
struct Cells;

impl Concern for Cells {
    fn execution_begins() {
        engine::accesses::cells::execution_begins();
    }
}

/// Code without instrumentation.
struct ForeignCode;

impl Concern for ForeignCode {
    fn at_root(_: &mut Root) {
        foreign::at_root(crate::engine::accesses::uninstrumented::called_alone());
        foreign::assessment::at_root();
    }
}

/// Objects and variables of C++'s library.
struct LibraryObjects;

impl Concern for LibraryObjects {
    fn describe_call(site: SiteId, callee: *const c_char, writes: bool) -> Option<String> {
        Some(hooks::library_calls::describe(site, callee, writes))
    }

    fn at_root(_: &mut Root) {
        hooks::library_calls::at_root();
        let is_by_states = hooks::options::is_by_states();
        if is_by_states {
            engine::by_states::dead_registers::at_root();
        }
        hooks::clean_entry::at_root(is_by_states);
    }
}

/// Files that are written to the disk in the end.
struct CommittedFiles;

impl Concern for CommittedFiles {
    fn at_root(_: &mut Root) {
        commit::at_root();
    }
}

/// Memory for the bytes of files.
struct FileContents;

impl Concern for FileContents {
    fn at_root(_: &mut Root) {
        window::at_root();
    }
}

/// Files that are open for writing.
struct OpenFiles;

impl Concern for OpenFiles {
    fn describe_place(address: usize) -> Option<String> {
        mapped::describe(address)
    }

    fn at_root(_: &mut Root) {
        open::at_root();
    }
}

/// Clocks that the kernel answers without a system call.
struct Vdso;

impl Concern for Vdso {
    fn at_root(_: &mut Root) {
        vdso::at_root();
    }
}

/// Destructors that the dynamic linker calls.
struct Destructors;

impl Concern for Destructors {
    fn at_root(_: &mut Root) {
        fini::at_root();
    }
}

/// Memory that the program maps and unmaps.
struct Mappings;

impl Concern for Mappings {
    fn make_private(maps: &str) -> Result<bool, String> {
        mapping::make_private(maps)
    }

    fn mapped_at_root(maps: &str) {
        mapping::at_root(maps);
    }

    fn before_restore() {
        mapping::before_restore();
    }

    fn after_restore() {
        mapping::restore();
    }

    fn can_checkpoint() -> bool {
        mapping::none_since_root()
    }
}

/// Blocks of the heap.
struct Blocks;

impl Concern for Blocks {}

/// The engine's timer and its dispatch of system calls, neither of which a forked process has.
struct Signals;

impl Concern for Signals {
    fn execution_begins() {
        engine::signals::execution_begins();
    }

    fn after_fork() {
        engine::signals::rearm_after_fork();
    }
}
