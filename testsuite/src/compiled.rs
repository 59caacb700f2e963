//! Binaries that were compiled before, by all that decides what they are.
//!
//! Several tests check the same program compiled the same way, and compiling is a third of their time. What
//! decides is the command and where it runs (debug information says so), the folder of the source (a program may
//! include its neighbour), the compiler, and all that `cargo xtask build` left; of files their size and when they were written. What another build's
//! tools compiled is removed.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Where the binary of a command is kept. `source` is the program, `compiler` the clang that compiles it, and
/// `product` the tool's folder; the command does not say yet where the binary goes.
///
/// # Errors
/// Something of it is missing.
pub fn place(
    kept: &Path,
    command: &Command,
    source: &Path,
    compiler: &Path,
    product: &Path,
) -> io::Result<PathBuf> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let mut hasher = DefaultHasher::new();
    std::env::current_dir()?.hash(&mut hasher);
    command.get_program().hash(&mut hasher);
    command.get_args().for_each(|arg| arg.hash(&mut hasher));
    for (name, value) in command.get_envs() {
        (name, value).hash(&mut hasher);
    }
    let folder = source.parent().unwrap_or(source);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == source.extension() {
            stamp(&path)?.hash(&mut hasher);
        }
    }
    stamp(compiler)?.hash(&mut hasher);
    let folder = FOLDER.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        stamp_all(product, &mut hasher);
        let folder = kept.join(format!("{:016x}", hasher.finish()));
        remove_others(kept, &folder);
        folder
    });
    Ok(folder.join(format!("{:016x}", hasher.finish())))
}

/// Keeps a binary at its [`place`].
///
/// # Errors
/// It cannot be written.
pub fn keep(binary: &Path, place: &Path) -> io::Result<()> {
    std::fs::create_dir_all(place.parent().unwrap_or(place))?;
    // Tests that compile the same run side by side, and processes of tests.
    let unique = format!("{}-{:?}", std::process::id(), std::thread::current().id());
    let part = place.with_extension(unique);
    std::fs::copy(binary, &part)?;
    std::fs::rename(&part, place)
}

fn remove_others(kept: &Path, folder: &Path) {
    for entry in std::fs::read_dir(kept).into_iter().flatten().flatten() {
        if entry.path() != folder {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// A file's name, size and the time of its last change, and those of what it leads to.
fn stamp(path: &Path) -> io::Result<(PathBuf, u64, SystemTime)> {
    let known = std::fs::metadata(path)?;
    Ok((path.to_owned(), known.len(), known.modified()?))
}

fn stamp_all(folder: &Path, hasher: &mut impl Hasher) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => stamp_all(&path, hasher),
            false => stamp(&path).ok().hash(hasher),
        }
    }
}
