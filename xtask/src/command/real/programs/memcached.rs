//! memcached's items, hash table and slabs, under a driver.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};

pub const PROGRAM: Program = Program {
    name: "memcached",
    package: "memcached",
    needs: &["libevent-dev"],
    system: System::Configure,
    options: &[],
    targets: &["memcached"],
    made: Made::Driver {
        source: "memcached_items.c",
        // memcached.c is part of the driver.
        arguments: &[
            "-DHAVE_CONFIG_H",
            "-I.",
            "memcached-assoc.o",
            "memcached-authfile.o",
            "memcached-base64.o",
            "memcached-bipbuffer.o",
            "memcached-cache.o",
            "memcached-crawler.o",
            "memcached-crc32c.o",
            "memcached-daemon.o",
            "memcached-extstore.o",
            "memcached-hash.o",
            "memcached-items.o",
            "memcached-itoa_ljust.o",
            "memcached-jenkins_hash.o",
            "memcached-logger.o",
            "memcached-murmur3_hash.o",
            "memcached-proto_bin.o",
            "memcached-proto_text.o",
            "memcached-restart.o",
            "memcached-slab_automove.o",
            "memcached-slab_automove_extstore.o",
            "memcached-slabs.o",
            "memcached-stats_prefix.o",
            "memcached-storage.o",
            "memcached-thread.o",
            "memcached-util.o",
            "-levent",
        ],
    },
    inputs: &[],
    runs: &[
        Run {
            arguments: &["3"],
            found: "(not-destroyed)",
            remark: "two clients store, count up and delete items",
        },
        Run {
            arguments: &["2", "share"],
            found: "(not-destroyed) data-race",
            remark: "theirs: `item_remove` and `item_unlink` read `it_flags` to find the key, of which the lock follows, while others change them with that lock. Undefined by C11 5.1.2.4; the flag that moves the key never changes",
        },
    ],
    seed: Seed {
        what: "a chunk goes back to its slab class without the lock",
        edits: &[
            Edit {
                file: "slabs.c",
                after: "void slabs_free(",
                find: "pthread_mutex_lock(&slabs_lock);",
                replace: "",
            },
            Edit {
                file: "slabs.c",
                after: "do_slabs_free(ptr, size, id);",
                find: "pthread_mutex_unlock(&slabs_lock);",
                replace: "",
            },
        ],
        options: &[],
        arguments: &["3"],
        found: "data-race",
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[
            &["make", "memcached-debug", "sizes", "testapp", "timedrun"],
            &["./testapp"],
            &["prove", "-j", "4", "t"],
        ],
        // Of files.
        tally: Tally::Lines {
            passed: ". ok",
            failed: " subtests",
        },
        remark: "`testapp` before; files that need TLS, a proxy or a git tree skip themselves",
    }),
};
