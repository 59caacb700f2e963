//! Which files are the user's own, and which a library's.
//!
//! A library's are the headers of the system and of the compiler, Rust's own sources, and what is in a folder that
//! `--library` names. A finding in one of these is shown where the user's own code calls the library.

use std::borrow::Cow;

/// Beginnings of the paths of what is installed.
pub const INSTALLED: [&str; 5] = [
    "/usr/include/",
    "/usr/lib",
    "/usr/local/include/",
    "/usr/local/lib",
    "/rustc/",
];

/// Parts of the paths of what compilers bring, wherever they are installed: clang's own headers, those of libstdc++
/// and libc++, Rust's sources, and the headers of `dpor-cc`.
pub const OF_COMPILERS: [&str; 4] = [
    "/lib/clang/",
    "/include/c++/",
    "/lib/rustlib/src/rust/",
    OWN_HEADERS,
];

/// A part of the paths of the headers of `dpor-cc`, whose code asks for nothing that the program asks for.
pub const OWN_HEADERS: &str = "/include/dpor/";

/// Whether a file is a library's. `folders` are those that `--library` names, absolute; a file without a name is
/// nobody's.
pub fn is_library(file: &str, folders: &[String]) -> bool {
    let file = &*plain(file);
    let is_in = |folder: &String| {
        let rest = file.strip_prefix(folder.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    INSTALLED.iter().any(|begin| file.starts_with(begin))
        || OF_COMPILERS.iter().any(|part| file.contains(part))
        || folders.iter().any(is_in)
}

/// The path without `.` and `..`, which compilers leave in it: `./x.cpp` includes `./theirs/a.h`.
fn plain(file: &str) -> Cow<'_, str> {
    if !["/./", "/../"].iter().any(|step| file.contains(step)) {
        return Cow::Borrowed(file);
    }
    let mut steps: Vec<&str> = Vec::new();
    for step in file.split('/') {
        match step {
            "." => {}
            ".." if steps.len() > 1 => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    Cow::Owned(steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_libraries() {
        let folders = ["/home/me/third_party/".to_owned(), "/opt/x".to_owned()];
        let check = |file: &str, expect: bool| assert_eq!(is_library(file, &folders), expect);
        check("/usr/include/c++/12/bits/move.h", true);
        check(
            "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/mutex",
            true,
        );
        check("/rustc/0123/library/std/src/sync/mutex.rs", true);
        check("/opt/llvm/lib/clang/22/include/stdatomic.h", true);
        check("/home/me/third_party/a.h", true);
        check("/opt/x/a.h", true);
        check("/opt/xy/a.h", false);
        check("/home/me/x.cpp", false);
        check("/home/me/./third_party/a.h", true);
        check("/home/me/src/../third_party/a.h", true);
        check("/home/me/third_party/../a.h", false);
        check("/usr/src/x/x.c", false);
        check("x.c", false);
        check("", false);
    }
}
