//! What a call of the table is, as events of the running thread.
//!
//! # Descriptors
//!
//! A call on a descriptor reads its entry in the table of descriptors and uses the open file behind
//! it. An event has one object, so these can be two events:
//!
//! - Opening fills an entry: an event on the table. Closing is an event on the open file, after which
//!   the entry is useless to other threads, and then one on the table, in which it becomes free.
//! - A thread that knows an entry (filled at the root, by itself, or read before) needs an event on
//!   the open file only: whoever closed it made an event there, too. If somebody has, and whenever
//!   it does not know the entry, it reads the table first, in an event of its own.
//!
//! The calls on a channel (a pipe, say) have events on the channel instead, which the system call makes
//! ([`super::channel`]); a FILE on it is then an object of its own.
//!
//! What a thread publishes follows from what it knows ([`descriptor::known`]), never from what the
//! table happens to hold: that may be the work of events it is not ordered with.

use super::{channel, descriptor, overlay, stream_lock};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object};
use crate::pthread::happens_before;
use dpor_abi::libc_call::{Hidden, Rule, CALLS};
use dpor_model::{mutex_kind, Argument, Kind, ObjectId};

/// Publishes the event of a call of function `index` of the table and waits for its turn.
pub fn announce(index: usize, arguments: &[usize; 6]) {
    let argument = |k: u8| arguments[usize::from(k)];
    if CALLS[index].rule == Rule::Own {
        return;
    }
    if super::opaque::is_opaque(index) {
        return opaque();
    }
    match CALLS[index].rule {
        Rule::Stream(k) => stream(argument(k), true),
        Rule::StreamUnlocked(k) => stream(argument(k), false),
        Rule::Standard(fd) => stream(standard(fd), true),
        Rule::StandardUnlocked(fd) => stream(standard(fd), false),
        Rule::Descriptor(k) => of_descriptor(Kind::SharedWrite, argument(k)),
        Rule::DescriptorRead(k) => of_descriptor(Kind::SharedRead, argument(k)),
        Rule::Directory(k) => shared(
            Kind::SharedWrite,
            descriptor::object(of_directory(argument(k))),
        ),
        Rule::Close(k) => close(argument(k) as i32),
        Rule::CloseStream(k) => close_stream(argument(k)),
        Rule::CloseDirectory(k) => close(of_directory(argument(k))),
        Rule::Hidden(Hidden::Descriptors) if super::opaque::do_files_change() => opaque(),
        Rule::Hidden(Hidden::Exit) => exit_handler(),
        Rule::Hidden(number) => shared(Kind::SharedWrite, hidden(number)),
        Rule::HiddenRead(number) => shared(Kind::SharedRead, hidden(number)),
        Rule::HiddenIfNull(number, k) => {
            if argument(k) == 0 {
                shared(Kind::SharedWrite, hidden(number));
            }
        }
        Rule::ReadIfNull(number, k) if argument(k) == 0 => shared(Kind::SharedRead, hidden(number)),
        // The system call makes them.
        Rule::Opaque if is_range_lock(index, arguments) => {}
        Rule::ReadIfNull(..) | Rule::Opaque => opaque(),
        Rule::Own => {}
    }
}

/// Whether the call is `fcntl` on a lock of an open file, and says by itself of which bytes.
fn is_range_lock(index: usize, arguments: &[usize; 6]) -> bool {
    matches!(CALLS[index].name, "fcntl" | "fcntl64")
        && overlay::ranges::is_here(arguments[1])
        && overlay::ranges::is_from_start(arguments[2])
}

fn hidden(number: Hidden) -> ObjectId {
    object::hidden(number as u32)
}

/// Returns the list of exit handlers.
pub fn exit_handlers() -> ObjectId {
    hidden(Hidden::Exit)
}

/// Performs the event of registering an exit handler. What the thread did before happens before the
/// handlers run: libc's lock sees to it.
fn exit_handler() {
    if engine::thread().0 != 0 {
        learned_events::learn(EventCause::Exits);
    }
    shared(Kind::SharedWrite, exit_handlers());
    happens_before::release(exit_handlers());
}

/// Performs the event with which the handlers begin to run.
pub fn exit_begins() {
    shared(Kind::SharedWrite, exit_handlers());
}

fn shared(kind: Kind, object: ObjectId) {
    let mut operation = engine::operation(kind);
    operation.object = object;
    engine::perform(operation);
}

fn opaque() {
    engine::perform(engine::operation(Kind::Opaque));
}

/// Returns the standard FILE of a descriptor, as the program's variables have it now.
pub fn standard(fd: u8) -> usize {
    extern "C" {
        static stdin: usize;
        static stdout: usize;
        static stderr: usize;
    }
    // SAFETY: libc's variables, words that hold pointers.
    unsafe {
        match fd {
            0 => stdin,
            1 => stdout,
            _ => stderr,
        }
    }
}

/// Performs the event of a call on a FILE.
///
/// POSIX lets it hold the FILE's lock, so it synchronizes with the calls on this FILE before it.
fn stream(file: usize, locks: bool) {
    if file == 0 {
        return opaque();
    }
    let object = if stream_lock::modelled() {
        under_lock(file, locks)
    } else {
        of_open_file(file)
    };
    if locks {
        if let Some((mut races, thread)) = engine::races() {
            races.acquire(thread, object.0);
            races.release(thread, object.0);
        }
    }
}

/// Lets the call wait for whoever has the FILE (`flockfile`). Lock and unlock both come before it;
/// as nothing runs between the unlock and the call, that is as good as around it.
///
/// A call without the lock, in the midst of another thread's section, conflicts with everything.
fn under_lock(file: usize, locks: bool) -> ObjectId {
    let object = object::guard(file);
    let on_lock = |kind| {
        let mut operation = engine::operation(kind);
        operation.object = object;
        operation.argument = Argument::mutex(mutex_kind::RECURSIVE);
        engine::perform(operation).result
    };
    let first = if locks {
        Kind::MutexLock
    } else {
        Kind::MutexTrylock
    };
    if on_lock(first) == 0 {
        on_lock(Kind::MutexUnlock);
    } else {
        opaque();
    }
    object
}

/// Offset of `_fileno` in glibc's `struct _IO_FILE` on x86-64, part of its ABI (inlined `getc`
/// relies on the fields before it).
const FILENO_OFFSET: usize = 112;

/// Returns the descriptor of a FILE; negative if it has none.
pub fn descriptor_of_stream(file: usize) -> i32 {
    // SAFETY: the program handed this pointer to libc as a FILE.
    unsafe { *((file + FILENO_OFFSET) as *const i32) }
}

/// Returns the descriptor of a directory stream: the first field of glibc's `struct __dirstream`.
fn of_directory(directory: usize) -> i32 {
    if directory == 0 {
        return -1;
    }
    // SAFETY: the program handed this pointer to libc as a directory stream.
    unsafe { *(directory as *const i32) }
}

/// Returns the object of a FILE: that of the open file it writes to.
fn object_of_stream(file: usize) -> ObjectId {
    let fd = descriptor_of_stream(file);
    if fd < 0 || descriptor::is_channel(fd) {
        return object::stream(file);
    }
    descriptor::object(fd)
}

/// Performs an event on the open file of a FILE. Another thread may have changed the file of the
/// disk meanwhile: then it is another object, and there is an event on that, too.
fn of_open_file(file: usize) -> ObjectId {
    loop {
        let object = object_of_stream(file);
        shared(Kind::SharedWrite, object);
        if object_of_stream(file) == object {
            return object;
        }
    }
}

fn of_descriptor(kind: Kind, fd: usize) {
    if stream_lock::modelled() {
        // A FILE is then known by its lock, and which descriptor it shares is not part of that name.
        return opaque();
    }
    use_descriptor(kind, fd as i32);
}

/// Performs an event on the open file of a descriptor; false if the descriptor is not open. See the
/// module's documentation. Every turn but the first is for another opening of the descriptor.
fn use_descriptor(kind: Kind, fd: i32) -> bool {
    loop {
        if descriptor::known(fd).is_none() {
            shared(Kind::SharedRead, hidden(Hidden::Descriptors));
            if !descriptor::learn(fd) {
                return false;
            }
        }
        let Some(known) = descriptor::known(fd) else {
            return false;
        };
        if known.channel_end().is_some() || known.is_epoll() {
            return false;
        }
        shared(kind, descriptor::object_of(known));
        if descriptor::is_still(fd, known) {
            return true;
        }
        descriptor::forget(fd, known);
    }
}

fn close(fd: i32) {
    if stream_lock::modelled() {
        return opaque();
    }
    let is_open = match use_descriptor(Kind::SharedWrite, fd) {
        true => {
            descriptor::begin_close(fd);
            overlay::locks::before_close(fd);
            true
        }
        false => match descriptor::known(fd) {
            Some(known) if known.is_epoll() => return opaque(),
            Some(known) if known.channel_end().is_some() => channel::open::begin_close(fd),
            _ => false,
        },
    };
    if is_open {
        shared(Kind::SharedWrite, hidden(Hidden::Descriptors));
    }
}

fn close_stream(file: usize) {
    if file == 0 {
        return opaque();
    }
    let fd = descriptor_of_stream(file);
    // The data that the FILE holds come first: a channel is closed by the system call.
    if fd < 0 || descriptor::is_channel(fd) {
        return shared(Kind::SharedWrite, object::stream(file));
    }
    close(fd);
}
