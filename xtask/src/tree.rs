//! Where things are: the repository and what `build` leaves.

use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ is a folder of the repository")
}

/// Cargo's folder for everything built.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// What `build` leaves: bin/, lib/, include/. Works from there without installation.
pub fn product() -> PathBuf {
    target().join("dpor")
}

/// One of the product's commands.
pub fn tool(name: &str) -> PathBuf {
    product().join("bin").join(name)
}

/// Scratch folder of one command, made if it is not there.
///
/// # Panics
/// If the folder cannot be made: then nothing else can be written either.
pub fn scratch(name: &str) -> PathBuf {
    let folder = target().join(name);
    std::fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}
