//! `cargo xtask package KIND`: what is given to others, each by one command, into target/packages/.
//!
//! | kind | file | |
//! |---|---|---|
//! | `deb` | `dpor_VERSION_amd64.deb` | `deb` |
//! | `tar` | `dpor-VERSION-x86_64-linux.tar.gz`, which works wherever it is unpacked | `tar` |
//! | `container` | a folder `container` with what an image is built from, and the image | `container` |
//! | `try` | installs them in fresh systems, and says how it went | `try_out` |
//! | `engine` | builds and runs the image with podman, and says how it went | `engine` |
//!
//! What is packaged is built for it, so that no path of this machine is in it (`artefact`), and the same sources
//! make the same bytes (`reproducible`).

mod artefact;
mod container;
mod deb;
mod engine;
mod reproducible;
mod tar;
mod try_out;

pub use deb::Deb;

use crate::stop::Outcome;

/// Kinds of packages.
#[derive(clap::Subcommand, Debug)]
pub enum Package {
    /// A Debian package
    Deb(Deb),
    /// An archive that works wherever it is unpacked
    Tar(tar::Tar),
    /// An image for podman or docker, from the Debian package
    Container(container::Container),
    /// Installs all of them in fresh roots of Debian 12 and 13 → docs/packages.md
    Try(try_out::Try),
    /// Builds the image with podman on a base that debootstrap makes, and runs it → docs/packages.md
    Engine(engine::Engine),
}

impl Package {
    /// Makes the package.
    ///
    /// # Errors
    /// If it does not build, or a tool is missing or fails.
    pub fn run(&self) -> Outcome {
        match self {
            Package::Deb(deb) => deb.run(),
            Package::Tar(tar) => tar.run(),
            Package::Container(container) => container.run(),
            Package::Try(trying) => trying.run(),
            Package::Engine(engine) => engine.run(),
        }
    }
}
