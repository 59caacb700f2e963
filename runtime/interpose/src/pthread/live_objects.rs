//! Objects that a call initialized and that no call has destroyed yet.
//!
//! POSIX leaves a second initialization undefined, and an object whose memory goes away first was not
//! destroyed. Whoever initializes by assignment (`PTHREAD_MUTEX_INITIALIZER`, the constructors of
//! libstdc++) makes no call, and is not judged here.
//!
//! Objects on stacks and in thread-local storage are left out: when their memory ends is not seen, and the
//! next object at the same address is another one. Memory of libraries and mappings may end unseen, too: what
//! is initialized there again is taken for another object.
//!
//! Source: POSIX.1-2017, `pthread_mutex_init`, `pthread_mutex_destroy`, and their likes.

use super::{locks_at_root, objects_at_root, uninitialized_mutexes};
use crate::engine::{self, object};
use crate::libc::before_root;
use crate::world::{self, rolled_back};
use dpor_model::{ObjectId, SiteId, ThreadId};
use dpor_report::{FindingKind, Severity};

/// Number of objects that are remembered, at most; others are not judged.
const OBJECTS_MAX: usize = 512;
/// Number of objects whose memory went away before the root that are told of, at most.
const GONE_MAX: usize = 64;

/// Life of one object: a call initialized it, and none has destroyed it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Life {
    object: ObjectId,
    /// Site of the call that initialized the object.
    site: SiteId,
    /// The thread that initialized the object.
    thread: ThreadId,
}

/// Objects that live, and those that went before the root. All zero at first.
#[repr(C)]
pub(crate) struct LiveObjects {
    lives: [Life; OBJECTS_MAX],
    count: usize,
    /// Objects whose memory was freed before the root, with the site at which it was.
    gone: [(Life, SiteId); GONE_MAX],
    gone_count: usize,
}

rolled_back!(static ALL: RolledBack<LiveObjects> = world::LIVE_OBJECTS);

fn all() -> *mut LiveObjects {
    ALL.get()
}

/// Notes that a call initialized the object, which was not destroyed since the last one if it is
/// known.
pub fn began(object: ObjectId) {
    let Some(address) = object::address(object) else {
        return;
    };
    if engine::is_short_lived(address as usize) {
        return;
    }
    // SAFETY: nothing switches while the borrow lives; it ends here.
    let all = unsafe { &mut *all() };
    let life = Life {
        object,
        site: engine::site(),
        thread: engine::thread(),
    };
    let count = all.count;
    let known = all.lives[..count].iter().position(|l| l.object == object);
    match known {
        Some(at) => {
            let first = core::mem::replace(&mut all.lives[at], life);
            if engine::is_followed(address as usize) {
                twice(object, first);
            }
        }
        None if count == OBJECTS_MAX => {}
        None => {
            all.lives[count] = life;
            all.count += 1;
        }
    }
}

fn twice(object: ObjectId, first: Life) {
    if engine::before_root() {
        if !before_root::is_checked() {
            return;
        }
        // So that there is somebody to tell.
        engine::begin();
    }
    engine::tell(
        FindingKind::InitializedTwice,
        None,
        &format!(
            "{} is initialized again without being destroyed",
            object::noun(object)
        ),
        Some(object),
        (engine::thread(), "init", engine::site()),
        engine::describe_place("it was initialized", first.site),
    );
}

/// Notes that a call destroyed the object.
pub fn ended(object: ObjectId) {
    // SAFETY: the table lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    let all = unsafe { &mut *all() };
    if let Some(at) = all.lives[..all.count]
        .iter()
        .position(|life| life.object == object)
    {
        all.count -= 1;
        all.lives[at] = all.lives[all.count];
    }
}

/// Notes that a heap block is freed: its objects are no more.
pub fn freed(start: usize, bytes: usize) {
    let before = engine::before_root();
    if !before && !engine::active() {
        return;
    }
    let inside = |object: ObjectId| {
        object::address(object)
            .is_some_and(|at| (start as u64..start as u64 + bytes as u64).contains(&at))
    };
    if before {
        objects_at_root::forget(inside);
    }
    freed_locked(inside);
    uninitialized_mutexes::freed(inside);
    let mut at = 0;
    // SAFETY: the table lies in the world, which is mapped; one entry is read at a time, as telling
    // of it needs no borrow of them.
    while at < unsafe { (*all()).count } {
        // SAFETY: the table lies in the world, `at` is below its count, and the copy borrows
        // nothing.
        let life = unsafe { (*all()).lives[at] };
        if !inside(life.object) {
            at += 1;
            continue;
        }
        ended(life.object);
        if !before {
            tell_of_gone(life, engine::site());
            continue;
        }
        // SAFETY: the table lies in the world, which is mapped; no event is made while it is
        // borrowed, so no other fiber runs.
        let all = unsafe { &mut *all() };
        if all.gone_count < GONE_MAX {
            all.gone[all.gone_count] = (life, SiteId(engine::site().0));
            all.gone_count += 1;
        }
    }
}

fn tell_of_gone(life: Life, site: SiteId) {
    engine::tell(
        FindingKind::NotDestroyed,
        None,
        &format!(
            "the memory of {} that was not destroyed is freed",
            object::noun(life.object)
        ),
        Some(life.object),
        (engine::thread(), "free", site),
        engine::describe_place("it was initialized", life.site),
    );
}

/// Locks in a freed block that some thread holds: its unlock will be a use of freed memory. Whatever is at
/// the address later is another object, so that the running thread's own are given up.
fn freed_locked(inside: impl Fn(ObjectId) -> bool) {
    if engine::before_root() {
        if locks_at_root::find(&inside).is_none() || !before_root::is_checked() {
            return;
        }
        engine::begin();
    }
    while let Some((lock, holder)) = engine::find_held(&inside) {
        engine::tell(
            FindingKind::DestroyedInUse,
            Some(Severity::Warning),
            &format!(
                "the memory of {} that is locked is freed",
                object::noun(lock)
            ),
            Some(lock),
            (engine::thread(), "free", engine::site()),
            Vec::new(),
        );
        if holder != engine::thread() {
            return;
        }
        locks_at_root::give_up(lock);
    }
}

/// Returns whether something is to be said at the end of a process that had one thread only.
pub fn has_something_to_say() -> bool {
    // SAFETY: the table lies in the world, which is mapped; these are plain reads at the end of the
    // process.
    let (count, gone) = unsafe { ((*all()).count, (*all()).gone_count) };
    count + gone > 0 && before_root::is_checked()
}

/// Tells, on thread 0, of what happened before the root, once there is somebody to tell.
pub(crate) fn at_root() {
    // SAFETY: plain reads; the root is made once.
    let count = unsafe { (*all()).gone_count };
    for at in 0..count {
        // SAFETY: the table lies in the world, which is mapped, and `at` is below its count.
        let (life, site) = unsafe { (*all()).gone[at] };
        tell_of_gone(life, site);
    }
}

/// Tells of the objects that are left when all threads have ended.
pub fn tell_of_left() {
    // SAFETY: the table lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let count = unsafe { (*all()).count };
    for at in 0..count {
        // SAFETY: the table lies in the world, which is mapped, and `at` is below its count.
        let life = unsafe { (*all()).lives[at] };
        // Code without instrumentation made it before any other ran.
        if life.site == SiteId::UNKNOWN {
            continue;
        }
        engine::tell_left(
            &|| format!("{} is never destroyed", object::noun(life.object)),
            life.object,
            (life.thread, "init", life.site),
        );
    }
}
