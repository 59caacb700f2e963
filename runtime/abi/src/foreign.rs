//! Code without instrumentation that needs none, by name, and how `dpor-cc` tells the runtime of the rest.
//!
//! What is in these tables says nothing when two threads enter it. Everything else is looked at by the
//! runtime: does it synchronise by itself, has it a state of its own?

/// Why a library needs no instrumentation, and the libraries of that kind: their file names up to `.so` or
/// `.a`, without a version.
pub const LIBRARIES: &[(&str, &[&str])] = &[
    (
        "what its functions read, write and order is in the checker's tables",
        &[
            "ld-linux-x86-64",
            "linux-vdso",
            "libc",
            "libm",
            "libmvec",
            "libpthread",
            "librt",
            "libdl",
            "libresolv",
            "libutil",
            "libanl",
            "libcrypt",
            "libc_nonshared",
            "libdpor_rt",
        ],
    ),
    (
        "it belongs to the compiler, and is modelled where it orders threads",
        &[
            "libgcc_s",
            "libgcc",
            "libgcc_eh",
            "libstdc++",
            "libsupc++",
            "libstdc++fs",
            "libc++",
            "libc++abi",
            "libunwind",
            "libatomic",
            "libclang_rt.builtins-x86_64",
            "libquadmath",
            "libgfortran",
        ],
    ),
    (
        "it is a test framework, which the code under test does not share data through",
        &[
            "libgtest",
            "libgtest_main",
            "libgmock",
            "libgmock_main",
            "libCatch2",
            "libCatch2Main",
            "libboost_unit_test_framework",
            "libboost_prg_exec_monitor",
            "libcheck",
            "libcmocka",
        ],
    ),
    (
        "it works on what it is given, and its documentation says that threads may call it",
        &[
            "libz",
            "libbz2",
            "liblzma",
            "libzstd",
            "liblz4",
            "libbrotlicommon",
            "libbrotlidec",
            "libbrotlienc",
            "libdeflate",
            "libsnappy",
            "libxxhash",
            "libgmp",
            "libmpfr",
            "libmpc",
        ],
    ),
];

/// First characters of the linker's names of functions of test frameworks, which programs are often linked
/// with statically.
pub const SYMBOLS: &[&str] = &[
    "_ZN7testing",
    "_ZNK7testing",
    "_ZN5Catch",
    "_ZNK5Catch",
    "_ZN5boost9unit_test",
    "_ZNK5boost9unit_test",
];

/// Why the library of this file name needs no instrumentation, if that is known.
pub fn why_library(file: &str) -> Option<&'static str> {
    let whole = file.split(".so").next().unwrap_or(file);
    let whole = whole.strip_suffix(".a").unwrap_or(whole);
    // `libc-2.31.so` of older versions of glibc; the name of the dynamic linker has dashes of its own.
    let is_version = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let stem = match whole.rsplit_once('-') {
        Some((name, version)) if is_version(version) => name,
        _ => whole,
    };
    let is_known = |names: &[&str]| names.contains(&whole) || names.contains(&stem);
    let known = LIBRARIES.iter().find(|(_, names)| is_known(names));
    known.map(|(why, _)| *why)
}

/// Whether the linker's name is of a function of a test framework.
pub fn is_of_framework(symbol: &str) -> bool {
    SYMBOLS.iter().any(|prefix| symbol.starts_with(prefix))
}

/// A symbol that `dpor-cc` has the linker define: what has it was linked by `dpor-cc`, which listed all that is not
/// instrumented ([`NOTE_NAME`]).
pub const ALL_KNOWN: &str = "__dpor_all_known";

/// Name and type of the ELF note in which `dpor-cc` lists what it linked that is not instrumented.
///
/// Its text has a line for each object: the object's name, and the functions that it defines, separated by
/// tabs. There is none if all objects are instrumented.
pub const NOTE_NAME: &str = "dpor";
/// The type of the ELF note named [`NOTE_NAME`].
pub const NOTE_TYPE: u32 = 0x6470_6f72;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_names() {
        for name in [
            "libc.so.6",
            "libstdc++.so.6",
            "libstdc++.so.6.0.30",
            "ld-linux-x86-64.so.2",
            "linux-vdso.so.1",
            "libc-2.31.so",
            "libgtest.a",
            "libz.so.1.2.13",
        ] {
            assert!(why_library(name).is_some(), "{name}");
        }
        for name in ["libapp.so", "libcc.so", "libomp.so.5", "prog", "libzoo.a"] {
            assert_eq!(why_library(name), None, "{name}");
        }
    }

    #[test]
    fn frameworks_are_known_by_their_functions() {
        assert!(is_of_framework("_ZN7testing8internal12AssertHelperC1Ev"));
        assert!(!is_of_framework("_ZN7testimony3runEv"));
    }
}
