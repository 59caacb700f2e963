//! The compilers that a program is built with.

use crate::llvm;
use crate::stop::{Outcome, Stop};
use std::path::PathBuf;

/// A pair of compilers.
#[derive(Clone, Debug)]
pub struct Compilers {
    /// Name of the folder, below target/real, of what they build.
    pub name: &'static str,
    /// `CC`: a command with its options.
    pub cc: String,
    /// `CXX`: a command with its options.
    pub cxx: String,
}

impl Compilers {
    /// Our compilers, found by their names.
    pub fn ours() -> Compilers {
        Compilers {
            name: "",
            cc: "dpor-cc".to_owned(),
            cxx: "dpor-c++".to_owned(),
        }
    }

    /// The clang behind ours.
    ///
    /// # Errors
    /// If there is none.
    pub fn plain() -> Outcome<Compilers> {
        Compilers::clang("plain", "")
    }

    /// The clang behind ours, with ThreadSanitizer.
    ///
    /// # Errors
    /// If there is no clang.
    pub fn thread_sanitizer() -> Outcome<Compilers> {
        Compilers::clang("tsan", " -fsanitize=thread")
    }

    fn clang(name: &'static str, options: &str) -> Outcome<Compilers> {
        let first = |variable: &str, tool: &str| {
            let named = std::env::var_os(variable).map(PathBuf::from);
            named.or_else(|| Some(llvm::installed().first()?.tool(tool)))
        };
        let (cc, cxx) = first("DPOR_CLANG", "clang")
            .zip(first("DPOR_CLANGXX", "clang++"))
            .ok_or_else(|| Stop::cannot("no clang"))?;
        Ok(Compilers {
            name,
            cc: format!("{}{options}", cc.display()),
            cxx: format!("{}{options}", cxx.display()),
        })
    }
}
