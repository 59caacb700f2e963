//! What an installation has besides commands and libraries: for CMake and pkg-config.
//!
//! ```text
//! lib/cmake/dpor/         find_package(dpor), toolchain file
//! lib/pkgconfig/dpor.pc
//! ```

use crate::process::place;
use crate::stop::{Context, Outcome};
use crate::tree;
use std::path::Path;

/// This version of dpor.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Files for CMake, below lib/cmake/dpor.
const CMAKE: [&str; 4] = [
    "dpor-config.cmake",
    "dpor-add-executable.cmake",
    "dpor-run-test.cmake",
    "dpor-toolchain.cmake",
];

/// Puts the files in the installation at `prefix`, which can be moved afterwards.
///
/// # Errors
/// If a file cannot be read or written.
pub fn describe(prefix: &Path) -> Outcome {
    let (from, to) = (tree::root().join("cmake"), prefix.join("lib/cmake/dpor"));
    for name in CMAKE {
        place(&from.join(name), &to.join(name))?;
    }
    // Of an earlier version.
    for old in ["DporConfig.cmake", "DporRunTest.cmake"] {
        drop(std::fs::remove_file(to.join(old)));
    }
    let version = from.join("dpor-config-version.cmake.in");
    fill(&version, &to.join("dpor-config-version.cmake"), "")?;
    pkg_config("${pcfiledir}/../..", &prefix.join("lib/pkgconfig/dpor.pc"))
}

/// Writes the file for pkg-config, of an installation at `prefix`.
///
/// # Errors
/// If a file cannot be read or written.
pub fn pkg_config(prefix: &str, to: &Path) -> Outcome {
    fill(&tree::root().join("packaging/dpor.pc.in"), to, prefix)
}

/// Copies a text with its variables replaced.
fn fill(template: &Path, to: &Path, prefix: &str) -> Outcome {
    let text = std::fs::read_to_string(template).while_doing(template.display())?;
    let text = text
        .replace("@VERSION@", VERSION)
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@PREFIX@", prefix);
    let folder = to.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).while_doing(folder.display())?;
    let next = folder.join(format!(".{}", std::process::id()));
    std::fs::write(&next, text).while_doing(next.display())?;
    std::fs::rename(&next, to).while_doing(to.display())
}
