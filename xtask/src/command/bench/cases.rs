//! The programs that are measured, their numbers of executions, and what they are held against.
//!
//! Each is in `testsuite/programs/`, where its header says why it has so many executions.

/// A program and what it has to reach.
pub struct Case {
    /// The program's name in tables.
    pub name: &'static str,
    /// Path of the source below `testsuite/programs/`.
    pub source: &'static str,
    /// The program's size, as options of the compiler.
    pub define: &'static str,
    /// Number of all complete executions.
    pub executions: u64,
    /// Number of executions that are run unless all are asked for.
    pub limit: Option<u64>,
    /// Number of blocked executions besides.
    pub blocked: u64,
    /// Number of all executions if turns in vain are not left out (docs/decisions/0094), if that is another one. Peers
    /// leave such turns out, too.
    pub every_turn: Option<u64>,
    /// The goal for our time.
    pub goal: Goal,
}

/// The goal that a program's time is held against.
#[derive(Clone, Copy)]
pub enum Goal {
    /// CPU seconds of the whole command, at most.
    Seconds(f64),
    /// How many times faster than the better peer of the same run we are, at least.
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
) -> Case {
    Case {
        name,
        source,
        define,
        executions,
        limit: None,
        blocked: 0,
        every_turn: None,
        goal,
    }
}

/// A program's size when it is compared with its uninstrumented self: long enough that starting
/// either of them does not count.
pub const NATIVE_DEFINE: &str = "-DN=20000000";

/// All programs of the table.
pub const CASES: [Case; 20] = [
    case(
        "3 threads x 3",
        "atomics/load_store.c",
        "-DR=3",
        1_824_912,
        Goal::Seconds(5.0),
    ),
    case(
        "lock 4x3",
        "pthread/lock.c",
        "-DT=4",
        369_600,
        Goal::Seconds(1.2),
    ),
    case(
        "indexer 16",
        "atomics/indexer.c",
        "-DN=16",
        32_768,
        Goal::Seconds(0.5),
    ),
    case(
        "fsbench 26",
        "pthread/fsbench.c",
        "-DN=26",
        8_192,
        Goal::Seconds(0.2),
    ),
    case(
        "lastzero 15",
        "atomics/lastzero.c",
        "-DN=15",
        147_456,
        Goal::Seconds(0.8),
    ),
    case(
        "fib_bench 5",
        "atomics/fib_bench.c",
        "-DN=5",
        218_243,
        Goal::Seconds(0.7),
    ),
    case(
        "8 writers, 1 reader",
        "atomics/writers.c",
        "-DN=8",
        362_880,
        Goal::Seconds(1.0),
    ),
    case(
        "readers 13",
        "atomics/readers.c",
        "-DN=13",
        8_192,
        Goal::Times(5.0),
    ),
    case(
        "ticket lock 7",
        "await/locks.c",
        "-DTICKET=7",
        5_040,
        Goal::Times(5.0),
    ),
    case(
        "lock handed on 7",
        "pthread/ticket_lock_handoff.c",
        "-DN=7",
        5_040,
        // A fifth of what the better peer once took for a ticket lock that spins, which is another program.
        Goal::Seconds(0.134),
    ),
    case(
        "bounded stack 6",
        "pthread/bounded_stack.c",
        "-DN=6",
        924,
        Goal::Times(5.0),
    ),
    case(
        "circular buffer 7",
        "pthread/circular_buffer.c",
        "-DN=7",
        3_432,
        Goal::Times(5.0),
    ),
    Case {
        limit: Some(1_000_000),
        ..case(
            "bounded buffer 4+4",
            "pthread/producers_consumers.c",
            "-DN=4",
            5_001_984,
            Goal::SecondsPerMillion(10.0),
        )
    },
    Case {
        blocked: 42,
        every_turn: Some(162),
        ..case(
            "test and set 3",
            "turns/test_and_set.c",
            "-DN=3",
            36,
            Goal::Times(1.0),
        )
    },
    Case {
        blocked: 2_064,
        every_turn: Some(122_676),
        ..case(
            "Michael-Scott 3+1",
            "turns/queue.c",
            "-DPUT=3",
            666,
            Goal::Times(1.0),
        )
    },
    Case {
        blocked: 645,
        every_turn: Some(12_960),
        ..case(
            "Treiber 3+2",
            "turns/stack.c",
            "-DPUSH=3 -DPOP=2",
            282,
            Goal::Times(1.0),
        )
    },
    case(
        "shared_ptr 3",
        "reductions/shared_ptr_copies.cc",
        "-DN=3",
        2_108,
        Goal::Times(1.0),
    ),
    case(
        "striped map 4, disjoint",
        "pthread/striped_map.c",
        "-DT=4",
        576,
        Goal::Times(1.0),
    ),
    case(
        "striped map 4, shared",
        "pthread/striped_map.c",
        "-DT=4 -DSHARED",
        576,
        Goal::Times(1.0),
    ),
    case(
        "long work",
        "atomics/long_work.c",
        "-DN=200000",
        2,
        Goal::OfNative(1.1),
    ),
];
