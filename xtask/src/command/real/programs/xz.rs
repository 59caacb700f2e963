//! xz, with the threads of its liblzma.

use super::super::build::System;
use super::super::program::{Edit, Input, Made, Program, Run, Seed, Suite, AUTOMAKE};
use super::SHORT;

pub const PROGRAM: Program = Program {
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
        found: "data-race",
        arguments: &["-0", "-T2", "--block-size=10000", "-k", "-c", "short.txt"],
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[
            &["make", "check"],
        ],
        tally: AUTOMAKE,
        remark: "",
    }),
};
