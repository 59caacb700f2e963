//! The data structures, what is expected of them, and the bug that is planted.

use crate::command::real::program::Edit;

/// A data structure of a library of headers.
pub struct Case {
    /// As the table has it.
    pub name: &'static str,
    /// The binary package of Debian's that has the headers.
    pub package: &'static str,
    /// The test, in `sources/`.
    pub source: &'static str,
    /// Options of `dpor scenario` besides the sizes.
    pub options: &'static [&'static str],
    /// What is found in it as it is: a kind, or nothing; `incomplete` if the time is not enough for all sizes.
    pub found: &'static str,
    pub remark: &'static str,
    pub bug: Bug,
}

/// A bug in the headers.
pub struct Bug {
    pub what: &'static str,
    pub edits: &'static [Edit],
    /// The kind of finding that shows it.
    pub found: &'static str,
}

/// Their races are told apart from what the calls return: accesses that race are events, so that what comes of them is seen.
const WITHOUT_RACES: &[&str] = &["--races=off", "--plain=explore"];

const BOOST: &str = "libboost1.74-dev";
const CK: &str = "libck-dev";

pub const ALL: [Case; 8] = [
    Case {
        name: "boost::lockfree::stack, with races",
        package: BOOST,
        source: "boost_stack.cc",
        options: &[],
        found: "data-race",
        remark: "its list of free nodes reads a node that another thread may write; the exchange behind it fails then",
        bug: STACK_STORES,
    },
    Case {
        name: "boost::lockfree::stack",
        package: BOOST,
        source: "boost_stack.cc",
        options: WITHOUT_RACES,
        found: "",
        remark: "",
        bug: STACK_STORES,
    },
    Case {
        name: "boost::lockfree::queue, with races",
        package: BOOST,
        source: "boost_queue.cc",
        options: &[],
        found: "data-race",
        remark: "as the stack",
        bug: QUEUE_STORES,
    },
    Case {
        name: "boost::lockfree::queue",
        package: BOOST,
        source: "boost_queue.cc",
        options: WITHOUT_RACES,
        found: "incomplete",
        remark: "",
        bug: QUEUE_STORES,
    },
    Case {
        name: "boost::lockfree::spsc_queue",
        package: BOOST,
        source: "boost_spsc.cc",
        options: &[],
        found: "",
        remark: "one producer, one consumer: none of 3 × 1",
        bug: Bug {
            what: "the index is published before the value is there",
            edits: &[Edit {
                file: "boost/lockfree/spsc_queue.hpp",
                after: "bool push(T const & t, T * buffer, size_t max_size)",
                find: "new (buffer + write_index) T(t);",
                replace: "write_index_.store(next, memory_order_release); new (buffer + write_index) T(t);",
            }],
            found: "data-race",
        },
    },
    Case {
        name: "moodycamel::ReaderWriterQueue",
        package: "libreaderwriterqueue-dev",
        source: "readerwriterqueue.cc",
        options: &[],
        found: "",
        remark: "one producer, one consumer: none of 3 × 1",
        bug: Bug {
            what: "no release fence between an element and the tail behind it",
            edits: &[Edit {
                file: "readerwriterqueue/readerwriterqueue.h",
                after: "new (location) T(std::forward<U>(element));\n#endif",
                find: "fence(memory_order_release);",
                replace: "",
            }],
            found: "data-race",
        },
    },
    Case {
        name: "ck_ring (mpmc)",
        package: CK,
        source: "ck_ring.c",
        options: &[],
        found: "",
        remark: "its atomic operations are inline assembly",
        bug: Bug {
            what: "a producer does not wait for those before it: `if` for `while`",
            edits: &[Edit {
                file: "ck_ring.h",
                after: "_ck_ring_enqueue_mp(struct ck_ring *ring,",
                find: "while (ck_pr_load_uint(&ring->p_tail) != producer)",
                replace: "if (ck_pr_load_uint(&ring->p_tail) != producer)",
            }],
            found: "data-race",
        },
    },
    Case {
        name: "ck_stack (upmc)",
        package: CK,
        source: "ck_stack.c",
        options: &[],
        found: "",
        remark: "",
        bug: Bug {
            what: "a pop gives up after one failed exchange, and returns the entry that it read then",
            edits: &[Edit {
                file: "ck_stack.h",
                after: "ck_stack_pop_upmc(struct ck_stack *target)",
                find: "while (ck_pr_cas_ptr_value",
                replace: "if (ck_pr_cas_ptr_value",
            }, Edit {
                file: "ck_stack.h",
                after: "ck_stack_pop_upmc(struct ck_stack *target)",
                find: "\t\t\tbreak;",
                replace: "\t\t\treturn NULL;",
            }],
            found: "not-linearizable",
        },
    },
];

const STACK_STORES: Bug = Bug {
    what: "a push stores the new top instead of exchanging it",
    edits: &[Edit {
        file: "boost/lockfree/stack.hpp",
        after: "void link_nodes_atomic(node * new_top_node, node * end_node)",
        find: "tos.compare_exchange_weak(old_tos, new_tos)",
        replace: "(tos.store(new_tos), true)",
    }],
    found: "not-linearizable",
};

const QUEUE_STORES: Bug = Bug {
    what: "a pop stores the new head instead of exchanging it",
    edits: &[Edit {
        file: "boost/lockfree/queue.hpp",
        after: "bool pop (U & ret)",
        find: "head_.compare_exchange_weak(head, new_head)",
        replace: "(head_.store(new_head), true)",
    }],
    found: "not-linearizable",
};
