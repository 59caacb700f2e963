//! valgrind's drd/tests, but for those that run a program of helgrind/tests.

use super::suite::common::{EXIT, FORK, LARGE, MANY, NOTHING, RACE, SPIN};
use super::suite::{note, Expect, Note, Suite};
use super::{valgrind, Part};
use crate::source;
use crate::stop::Outcome;
use dpor_report::FindingKind as Kind;
use Expect::{Findings, Levels, Limit, NotRun, Same};

/// drd's words for our kinds. The most special first.
const MARKS: [(&str, &str); 24] = [
    ("Conflicting wait call", "condvar-mutex-mismatch"),
    ("Conflicting load", "data-race"),
    ("Conflicting store", "data-race"),
    ("not locked by calling thread", "unlock-not-owner"),
    ("Mutex not locked:", "unlock-not-owner"),
    ("Probably a race condition", "signal without the lock"),
    ("is not a mutex", "uninitialized-object"),
    ("Not a barrier", "uninitialized-object"),
    ("has not been initialized", "uninitialized-object"),
    ("Invalid semaphore", "uninitialized-object"),
    ("reinitialization", "initialized-twice"),
    ("Destroying locked mutex", "destroyed-in-use"),
    ("that is being waited upon", "destroyed-in-use"),
    ("barrier with active waiters", "destroyed-in-use"),
    ("condition variable being waited upon", "destroyed-in-use"),
    (
        "not synchronized with barrier wait",
        "barrier destroyed after its wait",
    ),
    (
        "still locked at thread exit",
        "lock held at the end of a thread",
    ),
    ("Recursive writer locking", "self-deadlock"),
    ("was held during", "lock held for long"),
    ("invalid thread ID", "thread-misuse"),
    ("Attempt to use a", "wrong use of an annotation"),
    ("The annotation macro", "wrong use of an annotation"),
    (
        "wrong type of synchronization object",
        "wrong use of an annotation",
    ),
    (
        "incompatible with custom memory allocator",
        "wrong use of an annotation",
    ),
];

const IGNORED: &str = "annotations for drd do nothing here";
const TSAN: &str = "needs the header of an old ThreadSanitizer";
const OPENMP: &str = "OpenMP";
const ON_STACK: &str = "the object lies on a stack, and the end of its life is not seen";
const INSIDE: &str = "tests a part of drd itself";

const NOTES: &[Note] = &[
    note("annotate_barrier", RACE, IGNORED),
    note("annotate_rwlock", Limit, SPIN),
    note("annotate_sem", Limit, LARGE),
    note("annotate_smart_pointer", Limit, LARGE),
    note(
        "annotate_static",
        RACE,
        "the race is there, an annotation says that it is meant",
    ),
    note(
        "swapcontext",
        EXIT,
        "the handler of the signal that it sends itself calls _exit(1)",
    ),
    note(
        "thread_name",
        Findings(&[Kind::UninitializedObject, Kind::UnlockNotOwner]),
        "one call: what it unlocks is no mutex, and nobody holds it",
    ),
    note("annotate_hb_err", NOTHING, IGNORED),
    note("annotate_ignore_read", NotRun, TSAN),
    note("annotate_order_1", NotRun, TSAN),
    note("annotate_order_2", NotRun, TSAN),
    note("annotate_order_3", NotRun, TSAN),
    note("annotate_publish_hg", NOTHING, IGNORED),
    note(
        "annotate_smart_pointer2",
        NOTHING,
        "its counts are protected: drd accuses it where the annotations are off",
    ),
    note("annotate_spinlock", NotRun, TSAN),
    note(
        "atomic_var",
        NOTHING,
        "the atomic addition that is waited for orders the accesses",
    ),
    note("boost_thread", NotRun, "Boost"),
    note("circular_buffer", Limit, LARGE),
    note("concurrent_close", MANY, ""),
    note("condvar", Limit, LARGE),
    note("custom_alloc_fiw", NOTHING, IGNORED),
    note("fork-parallel", FORK, ""),
    note("fork-serial", FORK, ""),
    note("free_is_write", Limit, LARGE),
    note("free_is_write2", Limit, LARGE),
    note(
        "hold_lock_1",
        NOTHING,
        "how long a lock is held is no error",
    ),
    note(
        "hold_lock_2",
        NOTHING,
        "how long a lock is held is no error",
    ),
    note(
        "memory_allocation",
        Levels(&[Same, Findings(&[Kind::Abort])]),
        "at -O2 its assertion fails natively as well",
    ),
    note("omp_matinv", NotRun, OPENMP),
    note("omp_matinv_racy", NotRun, OPENMP),
    note("omp_prime_racy", NotRun, OPENMP),
    note("omp_printf", NotRun, OPENMP),
    note(
        "pth_barrier_race",
        NOTHING,
        "POSIX: a barrier may be destroyed once no thread is blocked on it",
    ),
    note("pth_barrier_thr_cr", MANY, ""),
    note("pth_broadcast", Limit, LARGE),
    note(
        "pth_cancel_locked",
        Findings(&[Kind::ThreadMisuse]),
        "a lock that a thread holds at its end is no error by itself",
    ),
    note(
        "pth_cond_race",
        NOTHING,
        "POSIX allows signalling without the lock; nothing is lost",
    ),
    note("pth_create_chain", MANY, ""),
    note(
        "pth_create_glibc_2_0",
        NotRun,
        "32 bits: the first version of pthread_create",
    ),
    note("pth_detached2", Limit, LARGE),
    note("pth_detached_sem", Limit, LARGE),
    note("pth_mutex_reinit", NOTHING, ON_STACK),
    note("pth_once", NotRun, TSAN),
    note("pth_spinlock", Limit, LARGE),
    note("rwlock_test", Limit, LARGE),
    note("rwlock_type_checking", NOTHING, IGNORED),
    note("std_list", Limit, LARGE),
    note("std_mutex", Limit, LARGE),
    note(
        "std_thread2",
        Levels(&[Same, NOTHING]),
        "at -O2 clang removes the racing writes: nobody reads them",
    ),
    note("thread_name_freebsd", NotRun, "FreeBSD"),
    note("threaded-fork", FORK, ""),
    note("threaded-fork-vcs", FORK, ""),
    note("trylock", NOTHING, "a try that fails with EBUSY is right"),
    note("unit_bitmap", NotRun, INSIDE),
    note("unit_vc", NotRun, INSIDE),
    note(
        "dlopen",
        NotRun,
        "loads a library that valgrind's Makefile builds",
    ),
    note("matinv", Limit, LARGE),
    note(
        "pth_barrier",
        RACE,
        "is expected, too: one error, which its output does not name",
    ),
    note("pth_barrier2", RACE, "the same"),
    note("pth_barrier3", RACE, "the same"),
    note("pth_barrier_reinit", NOTHING, ON_STACK),
    note(
        "pth_inconsistent_cond_wait",
        Findings(&[Kind::CondvarMutexMismatch]),
        "its waits are with two mutexes; POSIX allows signalling without the lock",
    ),
];

/// Builds and checks each program.
///
/// # Errors
/// If the sources cannot be fetched.
pub fn run(only: &[String]) -> Outcome<Part> {
    let source = source::fetch("valgrind")?;
    let suite = Suite {
        title: "valgrind/drd/tests",
        text: "Without those that run a program of helgrind/tests.".to_owned(),
        tests: valgrind::tests(&source.join("drd/tests"), Some("helgrind/tests"), &MARKS)?,
        levels: &valgrind::LEVELS,
        flags: valgrind::flags(&source)?,
        options: &[],
        notes: NOTES,
    };
    suite.run(only)
}
