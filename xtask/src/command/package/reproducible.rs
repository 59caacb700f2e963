//! The same sources make the same bytes: dates, modes and sizes do not depend on the day and the machine.
//!
//! Source: reproducible-builds.org, "SOURCE_DATE_EPOCH" and "Archive metadata".

use crate::process;
use crate::stop::{Context, Outcome};
use crate::tree;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Seconds since 1970 of everything that is packaged: `SOURCE_DATE_EPOCH`, or the last commit's, or, where there is
/// no git, the change of CHANGELOG.md.
///
/// # Errors
/// If nothing says it.
pub fn epoch() -> Outcome<String> {
    if let Some(given) = std::env::var("SOURCE_DATE_EPOCH")
        .ok()
        .filter(|it| !it.is_empty())
    {
        return Ok(given);
    }
    let mut git = Command::new("git");
    git.arg("-C").arg(tree::root());
    match process::output_of(git.args(["log", "-1", "--format=%ct"])) {
        Ok(seconds) if !seconds.is_empty() => Ok(seconds),
        _ => {
            let changes = tree::root().join("CHANGELOG.md");
            process::output_of(Command::new("stat").args(["--format=%Y"]).arg(changes))
        }
    }
}

/// Gives all files the modes that a package has, whatever the umask was: those that can be run 755, others 644.
///
/// # Errors
/// If one cannot be changed.
pub fn set_modes(folder: &Path) -> Outcome {
    let set = |path: &Path, mode| {
        let changed = std::fs::set_permissions(path, Permissions::from_mode(mode));
        changed.while_doing(path.display())
    };
    set(folder, 0o755)?;
    for entry in std::fs::read_dir(folder).while_doing(folder.display())? {
        let entry = entry.while_doing(folder.display())?;
        // Not through links.
        let metadata = entry.metadata().while_doing(folder.display())?;
        match metadata.permissions().mode() {
            _ if metadata.is_symlink() => {}
            _ if metadata.is_dir() => set_modes(&entry.path())?,
            mode if mode & 0o100 != 0 => set(&entry.path(), 0o755)?,
            _ => set(&entry.path(), 0o644)?,
        }
    }
    Ok(())
}

/// KiB that a folder takes, as dpkg-gencontrol counts them: each file rounded up, and one for anything else.
///
/// # Errors
/// If a folder cannot be read.
pub fn kilobytes(folder: &Path) -> Outcome<u64> {
    let mut sum = 1;
    for entry in std::fs::read_dir(folder).while_doing(folder.display())? {
        let entry = entry.while_doing(folder.display())?;
        let metadata = entry.metadata().while_doing(folder.display())?;
        sum += match metadata.is_dir() {
            true => kilobytes(&entry.path())?,
            false if metadata.is_file() => metadata.len().div_ceil(1024),
            false => 1,
        };
    }
    Ok(sum)
}
