//! Names of shared objects that are no memory cells: a tag, and an address or a number.

use dpor_model::{Kind, ObjectId, NO_OBJECT};
const TAG: u32 = 56;

/// The mutex at an address.
pub fn mutex(address: usize) -> ObjectId {
    ObjectId(1 << TAG | address as u64)
}
/// The condition variable at an address.
pub fn condvar(address: usize) -> ObjectId {
    ObjectId(2 << TAG | address as u64)
}
/// A `pthread_once_t`, a `__cxa_guard` or a FILE lock: a mutex of the runtime's own at an address.
pub fn guard(address: usize) -> ObjectId {
    ObjectId(3 << TAG | address as u64)
}
/// A FILE, DIR or other libc object at an address.
pub fn stream(address: usize) -> ObjectId {
    ObjectId(4 << TAG | address as u64)
}
/// A descriptor's offset.
pub fn descriptor(number: i32) -> ObjectId {
    ObjectId(5 << TAG | u64::from(number as u32))
}
/// The futex at an address. One that only this process uses and one that others may use are two.
pub fn futex(address: usize, private: bool) -> ObjectId {
    ObjectId(FUTEX << TAG | address as u64 | u64::from(private))
}
const FUTEX: u64 = 11;

/// Address of the word of a futex; `None` for another object.
pub fn futex_word(object: ObjectId) -> Option<usize> {
    let address = object.0 & ((1 << TAG) - 1) & !3;
    (object.0 >> TAG == FUTEX).then_some(address as usize)
}
/// A hidden static of libc, by its number in the table of libc/.
pub fn hidden(number: u32) -> ObjectId {
    ObjectId(6 << TAG | u64::from(number))
}

pub use crate::thread_object::*;

/// The read-write lock at an address.
pub fn rwlock(address: usize) -> ObjectId {
    ObjectId(7 << TAG | address as u64)
}
/// The semaphore at an address.
pub fn semaphore(address: usize) -> ObjectId {
    ObjectId(8 << TAG | address as u64)
}
/// The barrier at an address.
pub fn barrier(address: usize) -> ObjectId {
    ObjectId(9 << TAG | address as u64)
}
/// The spin lock at an address: a mutex of the model.
pub fn spin(address: usize) -> ObjectId {
    ObjectId(10 << TAG | address as u64)
}

/// The object that an annotation releases to, or acquires from, at an address.
pub fn ordered(address: usize) -> ObjectId {
    ObjectId(ORDERED << TAG | address as u64)
}
const ORDERED: u64 = 12;

/// What stores to memory have in common that a group of properties reads.
pub fn property(group: usize) -> ObjectId {
    ObjectId(PROPERTY << TAG | group as u64)
}
const PROPERTY: u64 = 13;

/// Whether the object is a lock that the program takes, and not one inside libc.
pub fn is_program_lock(object: ObjectId) -> bool {
    matches!(object.0 >> TAG, 1 | 7 | 10)
}

/// Whether the object is a semaphore.
pub fn is_semaphore(object: ObjectId) -> bool {
    object.0 >> TAG == 8
}

/// Number of bytes of the program's memory that a synchronization object occupies; 0 for any other object.
pub fn bytes(object: ObjectId) -> u64 {
    let bytes = match object.0 >> TAG {
        1 => size_of::<libc::pthread_mutex_t>(),
        2 => size_of::<libc::pthread_cond_t>(),
        7 => size_of::<libc::pthread_rwlock_t>(),
        8 => size_of::<libc::sem_t>(),
        9 => size_of::<libc::pthread_barrier_t>(),
        10 => size_of::<libc::pthread_spinlock_t>(),
        _ => 0,
    };
    bytes as u64
}

/// The kinds of the operations that initialize and destroy an object of the program's.
pub fn life(object: ObjectId) -> (Kind, Kind) {
    match object.0 >> TAG {
        2 => (Kind::CondInit, Kind::CondDestroy),
        7 => (Kind::RwlockInit, Kind::RwlockDestroy),
        8 => (Kind::SemInit, Kind::SemDestroy),
        9 => (Kind::BarrierInit, Kind::BarrierDestroy),
        _ => (Kind::MutexInit, Kind::MutexDestroy),
    }
}

/// What an object is called, with its article.
pub fn noun(object: ObjectId) -> &'static str {
    match object.0 >> TAG {
        1 => "a mutex",
        2 => "a condition variable",
        3 => "a lock inside libc",
        7 => "a read-write lock",
        8 => "a semaphore",
        9 => "a barrier",
        10 => "a spin lock",
        _ => "an object",
    }
}

/// Whether an object is a channel, or a lock of a file.
pub fn is_channel(object: ObjectId) -> bool {
    object.0 >> TAG == CHANNEL
}

/// A pipe, socket pair or event counter, or the bell of a thread that waits for several.
pub fn channel(number: usize) -> ObjectId {
    ObjectId(CHANNEL << TAG | number as u64)
}
/// A file of the overlay.
pub fn inode(number: u8) -> ObjectId {
    ObjectId(INODE << TAG | u64::from(number))
}
/// Tag of files of the overlay.
pub const INODE: u64 = 0x21;
/// Tag of channels.
pub const CHANNEL: u64 = 0x20;

/// The address an object stands for; `None` for descriptors and hidden statics.
pub fn address(object: ObjectId) -> Option<u64> {
    let low = object.0 & ((1 << TAG) - 1);
    match object.0 >> TAG {
        _ if object == NO_OBJECT => None,
        0..=4 | 7..=10 | ORDERED => Some(low),
        FUTEX => Some(low & !3),
        _ => None,
    }
}
