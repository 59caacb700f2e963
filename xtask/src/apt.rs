//! Installs packages that are missing, where this process may.

use crate::process;
use crate::stop::{Outcome, Stop};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The way in which this process may call apt-get.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Right {
    Root,
    Sudo,
    None,
}

fn right() -> Right {
    static RIGHT: OnceLock<Right> = OnceLock::new();
    *RIGHT.get_or_init(|| {
        if process::find("apt-get").is_none() {
            Right::None
        } else if process::output_of(Command::new("id").arg("-u")).is_ok_and(|id| id == "0") {
            Right::Root
        } else if sudo_needs_no_password() {
            Right::Sudo
        } else {
            Right::None
        }
    })
}

fn sudo_needs_no_password() -> bool {
    Command::new("sudo")
        .args(["-n", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Whether this process is root, so that the machine is ours to change.
pub fn is_root() -> bool {
    right() == Right::Root
}

/// Whether [`install`] can work.
pub fn may_install() -> bool {
    right() != Right::None
}

/// Whether apt offers the package, after its lists were brought up to date if we may.
pub fn offers(package: &str) -> bool {
    refresh();
    process::output_of(Command::new("apt-cache").args(["policy", package])).is_ok_and(|policy| {
        policy
            .lines()
            .any(|line| line.trim().starts_with("Candidate:") && !line.contains("(none)"))
    })
}

/// Whether the package is installed.
pub fn has(package: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f", "${Status}", package]);
    process::output_of(&mut query).is_ok_and(|status| status == "install ok installed")
}

/// Installs packages, or says which line would.
///
/// # Errors
/// The line to run, where we may not or apt fails.
pub fn install(packages: &[&str]) -> Outcome {
    if !may_install() {
        return Err(cannot("missing packages", packages));
    }
    refresh();
    let mut command = apt_get();
    command.args(["install", "-y", "--no-install-recommends"]);
    process::run(command.args(packages))
        .map_err(|_| cannot("apt-get could not install what is missing", packages))
}

/// A stop that says why packages cannot be installed, and the line to run.
fn cannot(why: &str, packages: &[&str]) -> Stop {
    Stop::cannot(format!(
        "{why}; run this and try again:\n  {}",
        line(packages)
    ))
}

/// The one line that installs packages by hand.
pub fn line(packages: &[&str]) -> String {
    format!(
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    )
}

/// Brings apt's lists up to date, once per run: a stale list names versions that the mirror no longer has.
fn refresh() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        if may_install() {
            // A mirror that does not answer is noticed by the installation. What is retried here is
            // noise there.
            let mut update = apt_get();
            eprintln!("+ {}", process::shown(update.args(["update", "-qq"])));
            let quiet = update.stdout(Stdio::null()).stderr(Stdio::null());
            drop(quiet.status());
        }
    });
}

fn apt_get() -> Command {
    let mut command = match right() {
        Right::Sudo => {
            let mut sudo = Command::new("sudo");
            sudo.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
            sudo
        }
        Right::Root | Right::None => Command::new("apt-get"),
    };
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null());
    command
}
