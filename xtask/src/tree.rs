//! Folders of the repository, and of what `build` leaves.

use crate::stop::{Context, Outcome};
use std::path::{Path, PathBuf};

/// The folder of the repository.
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

/// The folder of what `build` leaves, with bin/, lib/, include/. It works from there without installation.
pub fn product() -> PathBuf {
    target().join("dpor")
}

/// The names of the C programs in a folder of the repository, without `.c`, in order.
pub fn programs_in(folder: &str) -> Outcome<Vec<String>> {
    let folder = root().join(folder);
    let entries = std::fs::read_dir(&folder).while_doing(folder.display())?;
    let name = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_suffix(".c")?.to_owned())
    };
    let mut names: Vec<String> = entries.flatten().filter_map(name).collect();
    names.sort_unstable();
    Ok(names)
}

/// The path of one of the product's commands.
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
