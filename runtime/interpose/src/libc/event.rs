//! What a call of the table is, as an event of the running thread.

use super::{descriptor, stream_lock};
use crate::engine::{self, object};
use dpor_abi::libc_call::{Call, Hidden, Rule};
use dpor_explorer::program::{mutex_kind, Kind, ObjectId};

/// Publishes the event of a call and waits for its turn.
pub fn announce(call: &Call, arguments: &[usize; 6]) {
    let argument = |k: u8| arguments[usize::from(k)];
    match call.rule {
        Rule::Stream(k) => stream(argument(k), true),
        Rule::StreamUnlocked(k) => stream(argument(k), false),
        Rule::Standard(fd) => stream(standard(fd), true),
        Rule::StandardUnlocked(fd) => stream(standard(fd), false),
        Rule::Descriptor(k) => of_descriptor(Kind::SharedWrite, argument(k)),
        Rule::DescriptorRead(k) => of_descriptor(Kind::SharedRead, argument(k)),
        Rule::Object(k) => shared(Kind::SharedWrite, object::stream(argument(k))),
        Rule::Hidden(number) => shared(Kind::SharedWrite, hidden(number)),
        Rule::HiddenRead(number) => shared(Kind::SharedRead, hidden(number)),
        Rule::HiddenIfNull(number, k) => {
            if argument(k) == 0 {
                shared(Kind::SharedWrite, hidden(number));
            }
        }
        Rule::ReadIfNull(number, k) if argument(k) == 0 => shared(Kind::SharedRead, hidden(number)),
        Rule::ReadIfNull(..) | Rule::Opaque => opaque(),
    }
}

fn hidden(number: Hidden) -> ObjectId {
    object::hidden(number as u32)
}

fn shared(kind: Kind, object: ObjectId) {
    let mut operation = engine::operation(kind);
    operation.object = object;
    engine::perform(operation);
}

fn opaque() {
    engine::perform(engine::operation(Kind::Opaque));
}

/// The standard FILE of a descriptor, as the program's variables have it now.
fn standard(fd: u8) -> usize {
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

/// A call on a FILE.
///
/// POSIX lets it hold the FILE's lock, so it synchronizes with the calls on this FILE before it.
fn stream(file: usize, locks: bool) {
    if file == 0 {
        return opaque();
    }
    let object = if stream_lock::modelled() {
        if !locks {
            // Outside flockfile it may run inside another thread's locked section.
            return opaque();
        }
        under_lock(file)
    } else {
        let object = object_of_stream(file);
        shared(Kind::SharedWrite, object);
        object
    };
    if locks {
        if let Some((races, thread)) = engine::races() {
            races.acquire(thread, object.0);
            races.release(thread, object.0);
        }
    }
}

/// The call waits for whoever has the FILE (`flockfile`). Lock and unlock both come before it; as
/// nothing runs between the unlock and the call, that is as good as around it.
fn under_lock(file: usize) -> ObjectId {
    let object = object::guard(file);
    for kind in [Kind::MutexLock, Kind::MutexUnlock] {
        let mut operation = engine::operation(kind);
        operation.object = object;
        operation.argument = mutex_kind::RECURSIVE;
        engine::perform(operation);
    }
    object
}

/// Offset of `_fileno` in glibc's `struct _IO_FILE` on x86-64, part of its ABI (inlined `getc`
/// relies on the fields before it).
const FILENO_OFFSET: usize = 112;

/// The object of a FILE: that of the open file it writes to.
pub fn object_of_stream(file: usize) -> ObjectId {
    // SAFETY: the program handed this pointer to libc as a FILE.
    let fd = unsafe { *((file + FILENO_OFFSET) as *const i32) };
    if fd < 0 {
        return object::stream(file);
    }
    descriptor::object(fd)
}

fn of_descriptor(kind: Kind, fd: usize) {
    if stream_lock::modelled() {
        // A FILE is then known by its lock, and which descriptor it shares is not part of that name.
        return opaque();
    }
    shared(kind, descriptor::object(fd as i32));
}
