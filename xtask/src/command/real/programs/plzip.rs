//! plzip, a parallel lzip in C++.

use super::super::build::System;
use super::super::program::{Edit, Input, Made, Program, Run, Seed, Suite, Tally};

/// Members of 10,000 bytes.
const COMPRESS: &[&str] = &["-0", "-n", "2", "-B", "10000", "-k", "-c", "members.txt"];
const DECOMPRESS: &[&str] = &["-d", "-n", "2", "-k", "-c", "members.lz"];

pub const PROGRAM: Program = Program {
    name: "plzip",
    package: "plzip",
    needs: &["liblz-dev"],
    system: System::Configure,
    options: &[],
    targets: &[],
    made: Made::Program("plzip"),
    inputs: &[
        Input::Text {
            name: "members.txt",
            bytes: 160_000,
        },
        Input::Output {
            name: "members.lz",
            arguments: COMPRESS,
        },
    ],
    runs: &[
        Run {
            arguments: COMPRESS,
            found: "data-race",
            remark: "theirs: `show_progress` is set up by the first thread after the others were created, which read its variable `enabled`. Undefined by C11 5.1.2.4; a progress that is not shown has no other effect",
        },
        Run {
            arguments: DECOMPRESS,
            found: "",
            remark: "lzlib is the system's, not instrumented",
        },
    ],
    seed: Seed {
        what: "a worker that ends says so without the lock",
        edits: &[
            Edit {
                file: "dec_stdout.cc",
                after: "notify muxer when last worker exits",
                find: "xlock( &omutex );",
                replace: "",
            },
            Edit {
                file: "dec_stdout.cc",
                after: "if( --num_working == 0 ) xsignal( &oav_or_exit );",
                find: "xunlock( &omutex );",
                replace: "",
            },
        ],
        options: &[],
        arguments: DECOMPRESS,
        found: "data-race",
    },
    suite: Some(Suite {
        needs: &[],
        commands: &[
            &["make", "clean"],
            &["make", "-e", "CXXFLAGS=-Wall -W -O2 -fconstexpr-steps=2000000"],
            &["make", "check"],
        ],
        tally: Tally::Exit,
        remark: "with `-fconstexpr-steps=2000000`; without it `Not enough memory` on decompression from a pipe, with plain clang 19 and 22 as well. Clang's: it takes `uint8_t * const p = new( std::nothrow ) uint8_t[N]` for null where N is a constant larger than that option says, 1048576; plzip's buffer in `dsplitter` has 1048606",
    }),
};
