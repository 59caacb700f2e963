//! Where `dpor` is to find something else than ThreadSanitizer, and why.

use super::super::suite::common::{EXIT, FORK, LARGE, MANY, NOTHING, ONE_THREAD, RACE, SPIN};
use super::super::suite::{note, with, Expect, Note};
use dpor_report::FindingKind as Kind;
use Expect::{Either, Findings, Limit, NotRun, Same, Unsupported};

const PIPE: Expect = Unsupported("a pipe, socket or device");

const SLEEP: &str = "relies on a sleep, which orders nothing";
const CRASH: Expect = Findings(&[Kind::Crash]);
const SIGPIPE: &str =
    "where the other thread closes first, the program ends by SIGPIPE; calls on a descriptor are atomic";
const DESCRIPTORS: &str =
    "calls on a descriptor are atomic and tried in every order: EBADF is the program's to handle";

pub const NOTES: &[Note] = &[
    note(
        "Linux/check_memcpy.c",
        NotRun,
        "looks at ThreadSanitizer's own code",
    ),
    note("Linux/clone_deadlock.cpp", Unsupported("clone"), ""),
    note("Linux/fork_multithreaded4.cpp", FORK, ""),
    note("Linux/mutex_robust.cpp", EXIT, SLEEP),
    note(
        "Linux/mutex_robust2.cpp",
        EXIT,
        "relies on a sleep; \"a false positive\", says the program of the race that is expected",
    ),
    note("Linux/sethostent.cpp", Unsupported("socket"), ""),
    note(
        "Linux/thread_timedjoin.c",
        EXIT,
        "the thread may end before the first join; the barrier would forbid that",
    ),
    note(
        "Linux/thread_tryjoin.c",
        Limit,
        "polls for the end of a thread: no last try",
    ),
    note(
        "Linux/user_fopen.cpp",
        NotRun,
        "replaces functions below libc for ThreadSanitizer's own start",
    ),
    note(
        "Linux/user_malloc.cpp",
        NotRun,
        "replaces functions below libc for ThreadSanitizer's own start",
    ),
    note(
        "atomic_free2.cpp",
        RACE,
        "the same, seen as a race with the free",
    ),
    note(
        "deadlock_detector_stress_test.cpp",
        Limit,
        "an execution of more than a million events; its lock orders are found",
    ),
    note(
        "fd_close_norace3.cpp",
        Limit,
        "an execution of more than a million events",
    ),
    note("fd_close_race.cpp", NOTHING, DESCRIPTORS),
    note("fd_dup_race.cpp", NOTHING, DESCRIPTORS),
    note("fd_location.cpp", CRASH, SIGPIPE),
    note("fd_location_closed.cpp", NOTHING, DESCRIPTORS),
    note("fd_pipe_race.cpp", CRASH, SIGPIPE),
    note("fd_socket_connect_norace.cpp", Unsupported("accept"), ""),
    note("fd_socket_norace.cpp", Unsupported("accept"), ""),
    note("fd_tid_recycled.cpp", CRASH, SIGPIPE),
    note(
        "force_background_thread.cpp",
        EXIT,
        "returns 1, in one thread",
    ),
    note("fork_atexit.cpp", FORK, ""),
    note("fork_deadlock.cpp", FORK, ""),
    note("fork_multithreaded.cpp", FORK, ""),
    note(
        "free_race2.c",
        NOTHING,
        "a use after free in a program with one thread, which is not explored",
    ),
    with(
        "getline_nohang.cpp",
        Same,
        &["--main-return=exit"],
        "its thread reads for ever, and has the stream's lock when all are flushed",
    ),
    note("lots_of_threads.c", MANY, ""),
    note(
        "malloc_stack.cpp",
        Findings(&[Kind::Crash]),
        "the pointer may not be there yet; the barrier would forbid that",
    ),
    note("mmap_stress.cpp", MANY, ""),
    note(
        "mmap_stress2.cpp",
        Unsupported("mapping memory at a fixed address"),
        "",
    ),
    note(
        "must_deadlock.cpp",
        Findings(&[Kind::Deadlock]),
        "it is one",
    ),
    note("mutex_cycle2.c", NOTHING, ONE_THREAD),
    note("mutex_cycle_long.c", NOTHING, ONE_THREAD),
    with(
        "on_exit.cpp",
        Findings(&[Kind::DataRace, Kind::NonzeroExit]),
        &["--main-return=exit"],
        "returning from main is the race; it returns 2",
    ),
    note("pthread_atfork_deadlock2.c", FORK, ""),
    note("pthread_atfork_deadlock3.c", FORK, ""),
    note("pthread_key.cpp", Limit, LARGE),
    note(
        "race_on_barrier.c",
        Findings(&[Kind::DataRace, Kind::UninitializedObject]),
        "waiting before the other thread's init as well",
    ),
    note(
        "race_on_barrier2.c",
        NOTHING,
        "POSIX: a barrier may be destroyed once no thread is blocked on it",
    ),
    note(
        "race_on_mutex.c",
        Findings(&[Kind::DataRace, Kind::DestroyedInUse]),
        "the destroy of a locked mutex as well",
    ),
    note(
        "race_on_mutex2.c",
        Findings(&[
            Kind::DataRace,
            Kind::DestroyedInUse,
            Kind::UninitializedObject,
        ]),
        "the two orders of destroy and use as well",
    ),
    note("signal_block.cpp", Limit, LARGE),
    note(
        "signal_errno.cpp",
        Limit,
        "an endless loop waits for the signal; what a handler does to errno is not looked at",
    ),
    note("signal_in_mutex_lock.cpp", Limit, SPIN),
    note(
        "signal_malloc.cpp",
        NOTHING,
        "functions that are unsafe in handlers are not looked for",
    ),
    note("signal_recursive.cpp", Limit, LARGE),
    note("signal_reset.cpp", Limit, SPIN),
    note("signal_sync.cpp", Limit, LARGE),
    note("sunrpc.cpp", NotRun, "needs the headers of Sun RPC"),
    note("vfork.cpp", PIPE, ""),
    note(
        "vptr_harmful_race4.cpp",
        RACE,
        "the same, seen as a race with the free",
    ),
    with(
        "atexit5.cpp",
        Findings(&[Kind::Crash, Kind::DataRace]),
        &["--main-return=exit"],
        "returning from main is the race; after it the pointer is null",
    ),
    note("cond.c", Limit, "2,160 executions, without a finding"),
    note(
        "dl_iterate_phdr.cpp",
        Unsupported("a wait on a futex"),
        "the callback runs with a lock of the dynamic linker's",
    ),
    note(
        "load_shared_lib.cpp",
        RACE,
        "is expected: its CHECK lines only name the functions",
    ),
    note("restore_stack.cpp", Expect::Same, ""),
    note(
        "Linux/dlopen_static_tls.cpp",
        Findings(&[Kind::Crash, Kind::DataRace, Kind::ProcessDeath]),
        "the thread may unload the library early; the barrier would forbid that",
    ),
    note(
        "signal_thread2.cpp",
        MANY,
        "detached threads keep their numbers",
    ),
    note(
        "signal_thread_sigctx_race.cpp",
        Unsupported("a signal to another process"),
        "",
    ),
    note(
        "stack_sync_reuse.cpp",
        Either(&[RACE, EXIT]),
        "the program has a race, says its comment; ThreadSanitizer cannot see it. It exits with 1 if two frames are not at one place, by where the stack begins",
    ),
    note("static_init7.cpp", Limit, LARGE),
    note(
        "strerror_r.cpp",
        NOTHING,
        "the race is the second RUN line's",
    ),
    note(
        "tiny_race.c",
        Findings(&[Kind::DataRace, Kind::NonzeroExit]),
        "returns what it read",
    ),
    note(
        "real_deadlock_detector_stress_test.cpp",
        NotRun,
        "one execution takes about as long as the limit",
    ),
];
