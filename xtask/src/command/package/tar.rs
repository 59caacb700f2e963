//! `cargo xtask package tar`: an archive that works wherever it is unpacked.
//!
//! ```text
//! dpor-VERSION-x86_64-linux/{bin,lib,include,share}     an installation
//! dpor-VERSION-x86_64-linux/{README.md,CHANGELOG.md,LICENSE-…}
//! ```
//!
//! Commands find the rest by their own path, CMake's and pkg-config's files by theirs.

use super::artefact::{provide_tools, Artefact};
use super::reproducible;
use crate::package::VERSION;
use crate::process;
use crate::stop::Outcome;
use crate::tree;
use std::path::{Path, PathBuf};
use std::process::Command;

const NEEDS: [(&str, &str); 3] = [("tar", "tar"), ("gzip", "gzip"), ("strip", "binutils")];

const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Options of `tar`.
#[derive(clap::Args, Debug)]
pub struct Tar {
    #[command(flatten)]
    artefact: Artefact,
}

impl Tar {
    /// Builds and packages; prints where the archive is.
    ///
    /// # Errors
    /// If it does not build, or a tool is missing or fails.
    pub fn run(&self) -> Outcome {
        provide_tools(&NEEDS)?;
        self.artefact.provide()?;
        make(&self.artefact).map(drop)
    }
}

/// Packages what was built; the archive's path.
///
/// # Errors
/// If a file cannot be read or written.
pub fn make(artefact: &Artefact) -> Outcome<PathBuf> {
    let folder = format!("dpor-{VERSION}-{}-linux", std::env::consts::ARCH);
    artefact.make(&format!("{folder}.tar.gz"), |staged, archive| {
        let prefix = staged.join(&folder);
        artefact.install(&prefix)?;
        for name in BESIDE {
            process::place(&tree::root().join(name), &prefix.join(name))?;
        }
        reproducible::set_modes(&prefix)?;
        pack(staged, &folder, archive)
    })
}

fn pack(staged: &Path, folder: &str, archive: &Path) -> Outcome {
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(staged);
    tar.args(["--sort=name", "--format=gnu", "--numeric-owner"]);
    tar.args(["--owner=0", "--group=0"]);
    tar.arg(format!("--mtime=@{}", reproducible::epoch()?));
    // Every system has gzip; the name and the date of what it packs are left out.
    tar.arg("--use-compress-program=gzip -9n");
    process::run(tar.arg("-cf").arg(archive).arg(folder))
}
