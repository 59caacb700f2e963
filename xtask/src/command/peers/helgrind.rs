//! valgrind's helgrind/tests.

use super::suite::common::{ASSEMBLY, EXIT, LARGE, NOTHING, ONE_THREAD, SPIN};
use super::suite::{note, with, Expect, Note, Suite};
use super::{valgrind, Part};
use crate::source;
use crate::stop::Outcome;
use dpor_report::FindingKind as Kind;
use Expect::{Findings, Limit};

/// helgrind's words for our kinds. The most special first.
const MARKS: [(&str, &str); 19] = [
    ("Possible data race", "data-race"),
    ("lock order \"", "lock-order-inversion"),
    ("unlocked a not-locked lock", "unlock-not-owner"),
    ("currently held by thread", "unlock-not-owner"),
    ("unlocked an invalid lock", "uninitialized-object"),
    ("re-lock a non-recursive lock", "self-deadlock"),
    ("called with un-held mutex", "condvar-mutex-mismatch"),
    ("held by a different thread", "condvar-mutex-mismatch"),
    (
        "associated with a different mutex",
        "condvar-mutex-mismatch",
    ),
    ("associated lock is not held", "signal without the lock"),
    ("destroy of a locked mutex", "destroyed-in-use"),
    ("condition variable being waited upon", "destroyed-in-use"),
    (
        "pthread_barrier_destroy: threads are waiting",
        "destroyed-in-use",
    ),
    (
        "pthread_barrier_init: threads are waiting",
        "initialized-twice",
    ),
    ("barrier is already initialised", "initialized-twice"),
    ("never initialised", "uninitialized-object"),
    ("barrier is uninitialised", "uninitialized-object"),
    (
        "Exiting thread still holds",
        "lock held at the end of a thread",
    ),
    (" failed", "a call that fails"),
];

const FAILS: &str = "a call that fails is no finding: the program is told";

const NOTES: &[Note] = &[
    note("annotate_hbefore", ASSEMBLY, "a compare-exchange of seven instructions, its memory only in the clobber"),
    note("annotate_rwlock", Limit, SPIN),
    note("annotate_smart_pointer", Limit, LARGE),
    note("tc08_hbl2", Limit, LARGE),
    note("bar_bad", Findings(&[Kind::DataRace, Kind::DestroyedInUse, Kind::InitializedTwice, Kind::UninitializedObject]), FAILS),
    note("cond_timedwait_invalid", NOTHING, FAILS),
    note("hg02_deadlock", Findings(&[Kind::Deadlock]), "the lock order does deadlock"),
    with("hg03_inherit", Findings(&[Kind::DataRace, Kind::NonzeroExit]), &["--volatile=plain"], "its race is on a volatile; returns a sum"),
    note("pth_destroy_cond", NOTHING, "POSIX: it may be destroyed once no thread is blocked on it, and the signal came before"),
    note("pth_mempcpy_false_races", Limit, "the orders of 1,110 lines of output are too many; helgrind accuses it"),
    note("pth_spinlock", Limit, LARGE),
    note("rwlock_test", Limit, LARGE),
    note("tc04_free_lock", Findings(&[Kind::DestroyedInUse]), "a lock that is freed while it is locked, a warning; then one abandoned on a stack, for which the next at its address is taken"),
    note("tc11_XCHG", EXIT, "no race: assembly with memory operands; returns 0 or 12,345 by the order"),
    note("tc13_laog1", NOTHING, ONE_THREAD),
    note("tc14_laog_dinphils", Limit, "5 philosophers of 1,000 rounds: the search goes through the orders of the last rounds first"),
    note("tc15_laog_lockdel", NOTHING, ONE_THREAD),
    note("tc22_exit_w_lock", Findings(&[Kind::Abort]), "ends by kill(SIGABRT)"),
    note("tc10_rec_lock", NOTHING, "a recursive mutex answers EPERM, as POSIX has it"),
    note("tc17_sembar", Limit, LARGE),
    note("tc18_semabuse", NOTHING, "writing over a semaphore is not looked for; sem_init fails as it should"),
    note("tc20_verifywrap", Findings(&[Kind::DataRace, Kind::DestroyedInUse, Kind::ThreadMisuse]), "the first misuse of a mutex ends the execution"),
    note("tc23_bogus_condwait", Findings(&[Kind::UnlockNotOwner]), "the first wait without the mutex ends the execution"),
    note("pth_cond_destroy_busy", Findings(&[Kind::DestroyedInUse]), "the destroy ends the execution"),
    note("tc09_bad_unlock", Findings(&[Kind::UnlockNotOwner]), "the first misuse of a mutex ends the execution"),
];

/// Builds and checks each program.
///
/// # Errors
/// If the sources cannot be fetched.
pub fn run(only: &[String]) -> Outcome<Part> {
    let source = source::fetch("valgrind")?;
    let suite = Suite {
        title: "valgrind/helgrind/tests",
        text: "A lock order is a warning here, an error if it deadlocks.".to_owned(),
        tests: valgrind::tests(&source.join("helgrind/tests"), None, &MARKS)?,
        levels: &valgrind::LEVELS,
        flags: valgrind::flags(&source)?,
        options: &[],
        notes: NOTES,
    };
    suite.run(only)
}
