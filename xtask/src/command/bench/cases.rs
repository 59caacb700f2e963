//! The programs that are measured, their numbers of executions, and what they are held against.
//!
//! Each is in `testsuite/programs/`, where its header says why it has so many executions.
//! The peers' times are of GenMC 0.11 (`--sc`, with its race detection) and Nidhugg
//! (`-sc -optimal`), whichever is faster: CPU seconds of the whole command on two cores, one
//! worker, compiling included (about 0.03 s and 0.09 s). Their ticket lock
//! spins; ours hands a mutex on, so that row has no peer.

/// A program and what it has to reach.
pub struct Case {
    /// The program's name in tables.
    pub name: &'static str,
    /// Path of the source below `testsuite/programs/`.
    pub source: &'static str,
    /// The program's size, as an option of the compiler.
    pub define: &'static str,
    /// Number of all executions.
    pub executions: u64,
    /// Number of executions that are run unless all are asked for.
    pub limit: Option<u64>,
    /// The goal for our time.
    pub goal: Goal,
    /// CPU seconds of the better peer, if one can do it.
    pub peer: Option<f64>,
}

/// The goal that a program's time is held against.
#[derive(Clone, Copy)]
pub enum Goal {
    /// CPU seconds of the whole command, at most.
    Seconds(f64),
    /// How many times faster than the better peer we are, at least.
    Times(f64),
    /// CPU seconds for every million executions.
    SecondsPerMillion(f64),
    /// CPU time as a multiple of the uninstrumented program's, per execution, at most.
    OfNative(f64),
}

const fn case(
    name: &'static str,
    source: &'static str,
    define: &'static str,
    executions: u64,
    goal: Goal,
    peer: Option<f64>,
) -> Case {
    Case {
        name,
        source,
        define,
        executions,
        limit: None,
        goal,
        peer,
    }
}

/// A program's size when it is compared with its uninstrumented self: long enough that starting
/// either of them does not count.
pub const NATIVE_DEFINE: &str = "-DN=20000000";

/// All programs of the table.
pub const CASES: [Case; 14] = [
    case(
        "3 threads x 3",
        "atomics/load_store.c",
        "-DR=3",
        1_824_912,
        Goal::Seconds(5.0),
        Some(26.0),
    ),
    case(
        "lock 4x3",
        "pthread/lock.c",
        "-DT=4",
        369_600,
        Goal::Seconds(1.2),
        Some(38.0),
    ),
    case(
        "indexer 16",
        "atomics/indexer.c",
        "-DN=16",
        32_768,
        Goal::Seconds(0.5),
        Some(98.6),
    ),
    case(
        "fsbench 26",
        "pthread/fsbench.c",
        "-DN=26",
        8_192,
        Goal::Seconds(0.2),
        Some(19.1),
    ),
    case(
        "lastzero 15",
        "atomics/lastzero.c",
        "-DN=15",
        147_456,
        Goal::Seconds(0.8),
        Some(7.4),
    ),
    case(
        "fib_bench 5",
        "atomics/fib_bench.c",
        "-DN=5",
        218_243,
        Goal::Seconds(0.7),
        Some(4.2),
    ),
    case(
        "8 writers, 1 reader",
        "atomics/writers.c",
        "-DN=8",
        362_880,
        Goal::Seconds(1.0),
        Some(1.6),
    ),
    case(
        "readers 13",
        "atomics/readers.c",
        "-DN=13",
        8_192,
        Goal::Times(5.0),
        Some(0.30),
    ),
    case(
        "ticket lock 7",
        "await/locks.c",
        "-DTICKET=7",
        5_040,
        Goal::Times(5.0),
        Some(0.67),
    ),
    case(
        "lock handed on 7",
        "pthread/ticket_lock_handoff.c",
        "-DN=7",
        5_040,
        // A fifth of what the better peer takes for a ticket lock that spins, which is another program.
        Goal::Seconds(0.134),
        None,
    ),
    case(
        "bounded stack 6",
        "pthread/bounded_stack.c",
        "-DN=6",
        924,
        Goal::Times(5.0),
        Some(0.24),
    ),
    case(
        "circular buffer 7",
        "pthread/circular_buffer.c",
        "-DN=7",
        3_432,
        Goal::Times(5.0),
        Some(0.86),
    ),
    Case {
        limit: Some(1_000_000),
        ..case(
            "bounded buffer 4+4",
            "pthread/producers_consumers.c",
            "-DN=4",
            5_001_984,
            Goal::SecondsPerMillion(10.0),
            None,
        )
    },
    case(
        "long work",
        "atomics/long_work.c",
        "-DN=200000",
        2,
        Goal::OfNative(1.1),
        None,
    ),
];
