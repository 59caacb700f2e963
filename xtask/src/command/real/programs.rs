//! The programs, in the order of the page.

use super::build::System;
use super::program::{Edit, Input, Made, Program, Run, Seed};

/// Several blocks of 100,000 bytes, the least that bzip2 knows.
const BLOCKS: Input = Input::Text {
    name: "blocks.txt",
    bytes: 400_000,
};
/// More than the 512 KiB below which zstd compresses in one thread.
const LARGE: Input = Input::Text {
    name: "large.txt",
    bytes: 1_200_000,
};
/// Several blocks of a few thousand.
const SHORT: Input = Input::Text {
    name: "short.txt",
    bytes: 30_000,
};

/// For what lies deep: the exhaustive search begins with what comes last in an execution.
const DRAWN: &[&str] = &["--search=surw", "--samples=20000"];

pub const ALL: [Program; 9] = [
    PBZIP2,
    PIXZ,
    XZ,
    ZSTD,
    GLIB,
    LIBURCU,
    CK,
    READERWRITERQUEUE,
    SQLITE,
];

const PBZIP2: Program = Program {
    name: "pbzip2",
    package: "pbzip2",
    needs: &["libbz2-dev"],
    system: System::Make,
    // As C++11, clang takes the formats that it puts together for literals of the user's.
    options: &["CXX=dpor-c++ -std=gnu++98"],
    targets: &["pbzip2"],
    made: Made::Program("pbzip2"),
    inputs: &[
        BLOCKS,
        Input::Output {
            name: "blocks.bz2",
            arguments: &["-p2", "-1", "-b1", "-k", "-c", "blocks.txt"],
        },
    ],
    runs: &[
        Run {
            arguments: &["-p3", "-1", "-b1", "-k", "-c", "blocks.txt"],
            found: "",
            remark: "`-std=gnu++98`: clang refuses its literals as C++11",
        },
        Run {
            arguments: &["-p2", "-d", "-k", "-c", "blocks.bz2"],
            found: "",
            remark: "",
        },
    ],
    seed: Seed {
        what: "the flag that says that all was read is set without its lock",
        edits: &[
            Edit {
                file: "pbzip2.cpp",
                after: "inline void syncSetProducerDone(int newValue)\n{",
                find: "safe_mutex_lock(ProducerDoneMutex);",
                replace: "",
            },
            Edit {
                file: "pbzip2.cpp",
                after: "producerDone = newValue;",
                find: "safe_mutex_unlock(ProducerDoneMutex);",
                replace: "",
            },
        ],
        options: &[],
        arguments: &["-p3", "-1", "-b1", "-k", "-c", "blocks.txt"],
    },
};

const PIXZ: Program = Program {
    name: "pixz",
    package: "pixz",
    needs: &["autoconf", "automake", "libarchive-dev", "liblzma-dev"],
    system: System::Configure,
    options: &["--without-manpage"],
    targets: &[],
    made: Made::Program("src/pixz"),
    inputs: &[BLOCKS],
    runs: &[Run {
        arguments: &["-0", "-p", "2", "-t", "-i", "blocks.txt", "-o", "/dev/null"],
        found: "",
        remark: "liblzma is the system's, not instrumented",
    }],
    seed: Seed {
        what: "who waits for a queue does not look again: `if` for `while`",
        edits: &[Edit {
            file: "src/common.c",
            after: "int queue_pop(",
            find: "while (!q->first)",
            replace: "if (!q->first)",
        }],
        options: &[],
        arguments: &["-0", "-p", "2", "-t", "-i", "blocks.txt", "-o", "/dev/null"],
    },
};

const XZ: Program = Program {
    name: "xz",
    package: "xz-utils",
    needs: &[],
    system: System::Configure,
    options: &["--disable-shared", "--disable-nls", "--disable-doc"],
    targets: &[],
    made: Made::Program("src/xz/xz"),
    inputs: &[
        SHORT,
        Input::Output {
            name: "short.xz",
            arguments: &["-0", "-T2", "--block-size=10000", "-k", "-c", "short.txt"],
        },
    ],
    runs: &[
        Run {
            arguments: &["-0", "-T2", "--block-size=10000", "-k", "-c", "short.txt"],
            found: "",
            remark: "with its liblzma",
        },
        Run {
            arguments: &["-d", "-T2", "-k", "-c", "short.xz"],
            found: "data-race",
            remark: "theirs: `stream_decode_mt` reads `thr->in_size` without a lock, after the last of the input was handed over; `worker_stop` sets it to 0 under the coder's. Undefined by C11 5.1.2.4, where the block was decoded without an error, 0 and the size lead the same way",
        },
    ],
    seed: Seed {
        what: "a thread that has encoded its block says so without the coder's lock",
        edits: &[Edit {
            file: "src/liblzma/common/stream_encoder_mt.c",
            after: "thr->state = THR_IDLE;",
            find: "mythread_sync(thr->coder->mutex) {",
            replace: "{",
        }],
        options: &[],
        arguments: &["-0", "-T2", "--block-size=10000", "-k", "-c", "short.txt"],
    },
};

const ZSTD: Program = Program {
    name: "zstd",
    package: "libzstd",
    needs: &["cmake"],
    system: System::CMake {
        folder: "build/cmake",
    },
    options: &["-DZSTD_BUILD_SHARED=OFF"],
    targets: &["zstd"],
    made: Made::Program("_build/programs/zstd"),
    inputs: &[LARGE],
    runs: &[Run {
        arguments: &["-1", "-T2", "-k", "-c", "large.txt"],
        found: "",
        remark: "with its libzstd",
    }],
    seed: Seed {
        what: "a job is reported done without its lock",
        edits: &[
            Edit {
                file: "lib/compress/zstdmt_compress.c",
                after: "_endJob:",
                find: "ZSTD_PTHREAD_MUTEX_LOCK(&job->job_mutex);",
                replace: "",
            },
            Edit {
                file: "lib/compress/zstdmt_compress.c",
                after: "_endJob:",
                find: "ZSTD_pthread_mutex_unlock(&job->job_mutex);",
                replace: "",
            },
        ],
        options: &[],
        arguments: &["-1", "-T2", "-k", "-c", "large.txt"],
    },
};

const GLIB: Program = Program {
    name: "glib",
    package: "glib2.0",
    needs: &["meson", "libffi-dev", "libpcre2-dev", "zlib1g-dev"],
    system: System::Meson,
    options: &[
        "--default-library=static",
        "-Dtests=false",
        "-Dnls=disabled",
        "-Dlibmount=disabled",
        "-Dselinux=disabled",
    ],
    targets: &["glib/libglib-2.0.a"],
    made: Made::Driver {
        source: "glib_pool.c",
        arguments: &[
            "-I.",
            "-Iglib",
            "-I_build",
            "-I_build/glib",
            "_build/glib/libglib-2.0.a",
            "-lpcre2-8",
            "-lm",
        ],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &[],
        found: "(main-exits-early)",
        remark: "GThreadPool, GAsyncQueue, GMutex and GCond on futexes; idle threads of the pool live on when main returns",
    }],
    seed: Seed {
        what: "who waits for a GAsyncQueue does not look again: `if` for `while`",
        edits: &[Edit {
            file: "glib/gasyncqueue.c",
            after: "queue->waiting_threads++;",
            find: "while (!g_queue_peek_tail_link (&queue->queue))",
            replace: "if (!g_queue_peek_tail_link (&queue->queue)) do",
        }, Edit {
            file: "glib/gasyncqueue.c",
            after: "queue->waiting_threads++;",
            find: "queue->waiting_threads--;",
            replace: "while (0); queue->waiting_threads--;",
        }],
        options: DRAWN,
        arguments: &[],
    },
};

const LIBURCU: Program = Program {
    name: "liburcu",
    package: "liburcu",
    needs: &[],
    system: System::Configure,
    options: &["--disable-shared"],
    targets: &["SUBDIRS=include src"],
    made: Made::Driver {
        source: "urcu_queue.c",
        arguments: &[
            "-Iinclude",
            "src/.libs/liburcu-cds.a",
            "src/.libs/liburcu.a",
            "src/.libs/liburcu-common.a",
        ],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &["8"],
        found: "",
        remark: "wfcqueue; its atomic operations are inline assembly",
    }],
    seed: Seed {
        what: "the tail is exchanged by a load and a store",
        edits: &[Edit {
            file: "include/urcu/static/wfcqueue.h",
            after: "",
            find: "old_tail = uatomic_xchg(&tail->p, new_tail);",
            replace: "old_tail = CMM_LOAD_SHARED(tail->p); CMM_STORE_SHARED(tail->p, new_tail);",
        }],
        options: &[],
        arguments: &["2"],
    },
};

const CK: Program = Program {
    name: "ck",
    package: "ck",
    needs: &[],
    system: System::Configure,
    options: &[],
    targets: &[],
    made: Made::Driver {
        source: "ck_ring.c",
        arguments: &["-Iinclude", "src/libck.a"],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &["6"],
        found: "",
        remark:
            "ck_ring, several producers and consumers; its atomic operations are inline assembly",
    }],
    seed: Seed {
        what: "a producer does not wait for those before it: `if` for `while`",
        edits: &[Edit {
            file: "include/ck_ring.h",
            after: "_ck_ring_enqueue_mp(struct ck_ring *ring,",
            find: "while (ck_pr_load_uint(&ring->p_tail) != producer)",
            replace: "if (ck_pr_load_uint(&ring->p_tail) != producer)",
        }],
        options: &[],
        arguments: &["3"],
    },
};

const READERWRITERQUEUE: Program = Program {
    name: "readerwriterqueue",
    package: "readerwriterqueue",
    needs: &[],
    system: System::Headers,
    options: &[],
    targets: &[],
    made: Made::Driver {
        source: "spsc.cc",
        arguments: &["-I."],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &[],
        found: "",
        remark: "header only, C++11",
    }],
    seed: Seed {
        what: "no release fence between an element and the tail behind it",
        edits: &[Edit {
            file: "readerwriterqueue.h",
            after: "new (location) T(std::forward<U>(element));\n#endif",
            find: "fence(memory_order_release);",
            replace: "",
        }],
        options: &[],
        arguments: &[],
    },
};

const SQLITE: Program = Program {
    name: "sqlite",
    package: "sqlite3",
    needs: &["tcl"],
    system: System::Configure,
    options: &[
        "--disable-tcl",
        "--disable-readline",
        "--disable-shared",
        "--disable-load-extension",
    ],
    targets: &["libsqlite3.la"],
    made: Made::Driver {
        source: "sqlite_rows.c",
        arguments: &["-I.", ".libs/libsqlite3.a", "-lm"],
    },
    inputs: &[],
    runs: &[Run {
        arguments: &[],
        found: "",
        remark: "a database in memory with a shared cache; a thread-safe build, as it comes",
    }],
    seed: Seed {
        what: "freed memory is taken off the statistics without their lock",
        edits: &[
            Edit {
                file: "src/malloc.c",
                after: "void sqlite3_free(void *p){",
                find: "sqlite3_mutex_enter(mem0.mutex);",
                replace: "",
            },
            Edit {
                file: "src/malloc.c",
                after: "void sqlite3_free(void *p){",
                find: "sqlite3_mutex_leave(mem0.mutex);",
                replace: "",
            },
        ],
        options: &[],
        arguments: &[],
    },
};
