//! `cargo xtask package container`: what an image with dpor is built from, and the image where podman or docker runs.

use super::artefact::Artefact;
use super::deb;
use crate::package::VERSION;
use crate::process;
use crate::stop::{Context, Outcome};
use crate::tree;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of the image besides the package.
const FILES: [&str; 2] = ["Containerfile", "setup.sh"];

/// Options of `container`.
#[derive(clap::Args, Debug)]
pub struct Container {
    #[command(flatten)]
    artefact: Artefact,
}

impl Container {
    /// Builds, packages, and puts the folder together; then the image, or the line that builds it.
    ///
    /// # Errors
    /// If it does not build, or a tool fails.
    pub fn run(&self) -> Outcome {
        deb::provide(&self.artefact)?;
        let package = deb::make(&self.artefact)?;
        let folder = gather(&self.artefact.output, &package)?;
        let engine = ["podman", "docker"].into_iter().find(|name| runs(name));
        let mut build = Command::new(engine.unwrap_or("podman"));
        build.args(["build", "--tag", &format!("dpor:{VERSION}"), "--file"]);
        build.arg(folder.join("Containerfile")).arg(&folder);
        match engine {
            Some(_) => process::run(&mut build),
            None => {
                let line = process::shown(&build);
                println!("neither podman nor docker runs here; where one does:\n  {line}");
                Ok(())
            }
        }
    }
}

/// Whether there is a container engine of that name that answers.
fn runs(name: &str) -> bool {
    let mut info = Command::new(name);
    let quiet = info.arg("info").stdin(Stdio::null()).stdout(Stdio::null());
    quiet
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The folder that is sent to the engine.
///
/// # Errors
/// If a file cannot be read or written.
pub fn gather(output: &Path, package: &Path) -> Outcome<PathBuf> {
    let folder = output.join("container");
    // Of other versions.
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).while_doing(folder.display())?;
    for name in FILES {
        let from = tree::root().join("packaging/container").join(name);
        process::place(&from, &folder.join(name))?;
    }
    process::place(package, &folder.join("dpor.deb"))?;
    println!("packaged {}", folder.display());
    Ok(folder)
}
