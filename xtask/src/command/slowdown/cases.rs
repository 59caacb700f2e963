//! The runs that are measured.

/// One run, long enough that the start of a process does not count.
pub struct Case {
    /// A program of `cargo xtask real`; nothing: the pointer chase.
    pub program: Option<&'static str>,
    pub arguments: &'static [&'static str],
    /// Bytes of `slowdown.txt`, which the program reads.
    pub bytes: usize,
    pub remark: &'static str,
}

pub const CASES: [Case; 7] = [
    Case {
        program: Some("pigz"),
        arguments: &["-p", "2", "-6", "-k", "-c", "slowdown.txt"],
        bytes: 12_000_000,
        remark: "most of the time in zlib, which is not instrumented",
    },
    Case {
        program: Some("pigz"),
        arguments: &["-p", "2", "-11", "-I", "2", "-k", "-c", "slowdown.txt"],
        bytes: 2_000,
        remark: "zopfli, instrumented",
    },
    Case {
        program: Some("pbzip2"),
        arguments: &["-p2", "-1", "-b1", "-k", "-c", "slowdown.txt"],
        bytes: 8_000_000,
        remark: "most of the time in libbz2, which is not instrumented",
    },
    Case {
        program: Some("lbzip2"),
        arguments: &["-n", "2", "-1", "-k", "-c", "slowdown.txt"],
        bytes: 8_000_000,
        remark: "all of it instrumented",
    },
    Case {
        program: Some("plzip"),
        arguments: &["-1", "-n", "2", "-B", "1MiB", "-k", "-c", "slowdown.txt"],
        bytes: 8_000_000,
        remark: "most of the time in lzlib, which is not instrumented",
    },
    Case {
        program: None,
        arguments: &["100", "1024"],
        bytes: 0,
        remark: "two threads, nothing but accesses; lists and shadow memory fit into the caches of a core",
    },
    Case {
        program: None,
        arguments: &["40", "65536"],
        bytes: 0,
        remark: "the same on 1 MiB for each thread, whose shadow memory does not fit",
    },
];
