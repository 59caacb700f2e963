//! Names of shared objects that belong to threads, and words for them. See [`crate::object`].

use crate::given::concerns;
use dpor_model::{ObjectId, ThreadId, NO_OBJECT};

const TAG: u32 = 56;

/// The end of a thread.
pub fn end(thread: ThreadId) -> ObjectId {
    ObjectId(16 << TAG | u64::from(thread.0))
}
/// Whether a thread was asked to end.
pub fn cancellation(thread: ThreadId) -> ObjectId {
    ObjectId(17 << TAG | u64::from(thread.0))
}
/// Name and scheduling attributes of a thread.
pub fn attributes(thread: ThreadId) -> ObjectId {
    ObjectId(18 << TAG | u64::from(thread.0))
}
/// Signals that are pending for a thread.
pub fn signals(thread: ThreadId) -> ObjectId {
    ObjectId(20 << TAG | u64::from(thread.0))
}
/// What a thread that waits for a signal waits for.
pub fn signal_wait(thread: ThreadId) -> ObjectId {
    ObjectId(21 << TAG | u64::from(thread.0))
}
/// What the thread that waits for a timer waits for: nothing ever posts it.
pub fn timer(number: usize) -> ObjectId {
    ObjectId(23 << TAG | number as u64)
}
/// What a thread waits for that waits for posts of a semaphore and for a request to end.
pub fn request(thread: ThreadId) -> ObjectId {
    ObjectId(24 << TAG | u64::from(thread.0))
}
/// The object of the number of calls with a time limit that gave up early in this execution.
pub const EARLY: ObjectId = ObjectId(25 << TAG);
/// Signals that are pending for the process.
pub const PROCESS_SIGNALS: ObjectId = ObjectId(22 << TAG);

/// Whether an object is one of these three.
pub fn is_signal(object: ObjectId) -> bool {
    (20..=22).contains(&(object.0 >> TAG))
}

/// Attributes that the whole process has.
pub const PROCESS: ObjectId = ObjectId(19 << TAG);

/// Whether an object is a mutex of the program's.
pub fn is_mutex(object: ObjectId) -> bool {
    object.0 >> TAG == 1
}

/// The thread whose end an object stands for.
pub fn thread_of_end(object: ObjectId) -> Option<u64> {
    (object.0 >> TAG == 16).then_some(object.0 & 0xffff)
}

/// Words for an object that has no address.
pub fn words(object: ObjectId) -> String {
    let low = object.0 as u32;
    match object.0 >> TAG {
        5 => format!("descriptor {low}"),
        16..=18 | 20 | 21 | 24 => format!("T{low}"),
        19 | 22 => "process".to_owned(),
        // The event says it.
        25 => String::new(),
        23 => format!("timer {low}"),
        crate::object::INODE => format!("file {}", object.0 as u8),
        _ => (concerns().name_object)(object).unwrap_or_else(|| "libc".to_owned()),
    }
}

/// The word for an event on such an object, if it has one of its own. `writes`: it is a write.
pub fn event(object: ObjectId, writes: bool) -> Option<&'static str> {
    Some(match (object.0 >> TAG, writes) {
        _ if object == NO_OBJECT => return None,
        (12, true) => "release",
        (12, false) => "acquire",
        (16, true) => "thread-end",
        (16, false) => "thread-poll",
        (17, true) => "thread-cancel",
        (17, false) => "cancellation-point",
        (20 | 22, true) => "signal-write",
        (20 | 22, false) => "signal-look",
        (21, true) => "signal-wake",
        (21, false) => "signal-wait",
        (23, _) => "timer-expires",
        (24, true) => "waiter-wake",
        (24, false) => "sem-wait",
        (18 | 19, true) => "attribute-write",
        (18 | 19, false) => "attribute-read",
        _ => return None,
    })
}
