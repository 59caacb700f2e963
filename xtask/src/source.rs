//! Debian source packages, without touching the system's apt.
//!
//! A configuration of our own names deb-src lines, and folders for lists and archives, all under
//! target/peers. The system's sources usually have no deb-src lines.

use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Suites of Debian's that packages may come from; the first that has a package counts.
const SUITES: [&str; 3] = ["bookworm", "trixie", "sid"];
const MIRROR: &str = "http://deb.debian.org/debian";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The unpacked, pristine source of a package, fetched if it is not there yet.
///
/// # Errors
/// If no suite has it, or it cannot be unpacked.
pub fn fetch(package: &str) -> Outcome<PathBuf> {
    fetch_parts(package, package, &[])
}

/// The unpacked source of a package, in a folder of this name, with only the paths that match; no patterns: all.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_parts(name: &str, package: &str, parts: &[&str]) -> Outcome<PathBuf> {
    let folder = tree::scratch("peers").join(name);
    if let Some(source) = unpacked(&folder) {
        return Ok(source);
    }
    if !Path::new(KEYS).is_file() {
        return Err(Stop::cannot(format!(
            "{KEYS} is missing; run: sudo apt-get install -y debian-archive-keyring"
        )));
    }
    for suite in SUITES {
        // Half of a package from another suite must not be mixed in.
        drop(std::fs::remove_dir_all(&folder));
        match fetch_from(suite, package, parts, &folder) {
            Ok(()) => break,
            Err(stop) => eprintln!("xtask: {suite}: {stop}"),
        }
    }
    unpacked(&folder)
        .ok_or_else(|| Stop::cannot(format!("no source of {package} in {}", SUITES.join(", "))))
}

fn fetch_from(suite: &str, package: &str, parts: &[&str], folder: &Path) -> Outcome {
    let apt = folder.join("apt");
    for made in ["lists/partial", "cache/archives/partial", "parts"] {
        let made = apt.join(made);
        std::fs::create_dir_all(&made).while_doing(made.display())?;
    }
    let line = format!("deb-src [signed-by={KEYS}] {MIRROR} {suite} main\n");
    let list = apt.join("parts/debian.list");
    std::fs::write(&list, line).while_doing(list.display())?;
    let at = apt.display();
    let text = format!(
        "Dir::Etc::sourcelist \"/dev/null\";\nDir::Etc::sourceparts \"{at}/parts\";\n\
         Dir::State::lists \"{at}/lists\";\nDir::Cache \"{at}/cache\";\n\
         APT::Sandbox::User \"\";\n"
    );
    let configuration = apt.join("apt.conf");
    std::fs::write(&configuration, text).while_doing(configuration.display())?;
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .current_dir(folder)
            .env("APT_CONFIG", &configuration);
        process::run(command.args(arguments))
    };
    apt_get(&["update", "-q"])?;
    // A mirror may have thrown Debian's part of an old revision away.
    apt_get(&["source", "--download-only", "--tar-only", "-q", package])?;
    unpack(folder, parts)
}

/// The upstream archive alone: Debian's patches are not part of the program.
fn unpack(folder: &Path, parts: &[&str]) -> Outcome {
    for entry in std::fs::read_dir(folder).while_doing(folder.display())? {
        let path = entry.while_doing(folder.display())?.path();
        let name = path.to_string_lossy();
        if name.contains(".orig.tar") && !name.ends_with(".asc") {
            let mut tar = Command::new("tar");
            tar.arg("-C").arg(folder).arg("-xf").arg(&path);
            if !parts.is_empty() {
                tar.args(["--wildcards", "--no-wildcards-match-slash"]);
            }
            tar.args(parts);
            return process::run(&mut tar);
        }
    }
    Err(Stop::cannot("the package has no upstream archive"))
}

fn unpacked(folder: &Path) -> Option<PathBuf> {
    std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.is_dir() && !path.ends_with("apt"))
}
