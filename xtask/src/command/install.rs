//! `cargo xtask install --prefix DIR`: bin/, lib/, include/, share/.

use super::build::Build;
use crate::process::{self, place};
use crate::stop::{Context, Outcome};
use crate::{package, tree};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `install`.
#[derive(clap::Args, Debug)]
pub struct Install {
    /// Folder that gets bin/, lib/, include/ and share/.
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    #[command(flatten)]
    build: Build,
}

impl Install {
    /// Builds and copies.
    ///
    /// # Errors
    /// If it does not build, or the folder cannot be written.
    pub fn run(&self) -> Outcome {
        self.build.run()?;
        install(&self.prefix)?;
        println!("installed in {}", self.prefix.display());
        Ok(())
    }
}

/// Copies what was built.
///
/// # Errors
/// If the folder cannot be written.
pub fn install(prefix: &Path) -> Outcome {
    copy(&tree::product(), prefix)?;
    package::describe(prefix)?;
    copy(
        &tree::root().join("packaging/vim"),
        &prefix.join("share/vim"),
    )?;
    // Manual pages and completions are of the command line that was just installed.
    let mut dpor = Command::new(prefix.join("bin/dpor"));
    process::run(dpor.arg("share").arg(prefix.join("share")))
}

/// Copies a folder: files with their permissions, links as links.
fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to).while_doing(to.display())?;
    for entry in std::fs::read_dir(from).while_doing(from.display())? {
        let entry = entry.while_doing(from.display())?;
        let name = entry.file_name();
        // What an interrupted build left; see `place`.
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let (source, copied) = (entry.path(), to.join(&name));
        let kind = entry.file_type().while_doing(source.display())?;
        if kind.is_dir() {
            copy(&source, &copied)?;
        } else if kind.is_symlink() {
            link(&source, &copied)?;
        } else {
            place(&source, &copied)?;
        }
    }
    Ok(())
}

fn link(source: &Path, copied: &Path) -> Outcome {
    let target = std::fs::read_link(source).while_doing(source.display())?;
    if copied.symlink_metadata().is_ok() {
        std::fs::remove_file(copied).while_doing(copied.display())?;
    }
    std::os::unix::fs::symlink(target, copied).while_doing(copied.display())
}
