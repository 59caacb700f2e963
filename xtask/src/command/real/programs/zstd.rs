//! zstd, with the threads of its libzstd.

use super::super::build::System;
use super::super::program::{Edit, Made, Program, Run, Seed, Suite, Tally};
use super::LARGE;

pub const PROGRAM: Program = Program {
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
        found: "data-race",
        arguments: &["-1", "-T2", "-k", "-c", "large.txt"],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[
            &[
                "cmake",
                "-S",
                "build/cmake",
                "-B",
                "_build",
                "-DZSTD_BUILD_TESTS=ON",
                "-DZSTD_FULLBENCH_FLAGS=-i0",
                "-DZSTD_FUZZER_FLAGS=-T20s",
                "-DZSTD_ZSTREAM_FLAGS=-T20s",
            ],
            &["cmake", "--build", "_build"],
            &["ctest", "--test-dir", "_build", "-E", "playTests"],
        ],
        tally: Tally::Lines {
            passed: " Passed ",
            failed: "***Failed",
        },
        remark: "without `playTests`, which takes long; 20 s for each of its fuzzers",
    }),
};
