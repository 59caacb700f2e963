//! `cargo xtask package try`: the packages in fresh systems, and what of it worked, in docs/packages.md.
//!
//! debootstrap makes each system once; each try is a copy of it, which is removed afterwards. A step runs in namespaces
//! of its own, so that no mount and no process is left of it.

use super::artefact::{provide_tools, Artefact};
use super::{container, deb, tar};
use crate::command::bench::today;
use crate::process;
use crate::section;
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, tree};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const NEEDS: [(&str, &str); 2] = [("debootstrap", "debootstrap"), ("unshare", "util-linux")];

/// A program of two threads: with a race, and with a mutex.
pub const COUNTER: &str = include_str!("counter.cc");

const MIRROR: &str = "http://deb.debian.org/debian";

/// What is done in one system, in this order: the name in `steps.sh`, and what it is.
const STEPS: [(&str, &str); 9] = [
    ("package", "`apt install ./dpor.deb`, without what it recommends"),
    ("doctor", "`dpor doctor`"),
    ("example", "a C++ program with a race is found and without it is verified, by a user who is not root"),
    ("share", "manual page, completion, copyright"),
    ("cmake", "`examples/account` with CMake's toolchain file and `ctest`"),
    ("frameworks", "`--test-filter '*'` on programs of GoogleTest, Catch2, doctest and Boost.Test"),
    ("purge", "`apt purge dpor`: no file of it is left"),
    ("archive", "the archive in a folder with a space, through a link, and moved; nothing is left once it is removed"),
    ("ci", "the scripts of the GitHub action and the GitLab component, with the package"),
];

/// What is done in another system, which nothing was done to before.
const IN_CONTAINER: (&str, &str) = (
    "container",
    "what the Containerfile runs, in a system of its own",
);

/// Options of `try`.
#[derive(clap::Args, Debug)]
pub struct Try {
    #[command(flatten)]
    artefact: Artefact,
    /// A release of Debian (may be repeated)
    #[arg(long = "suite", value_name = "NAME", default_values = ["bookworm", "trixie"])]
    suites: Vec<String>,
    /// Folder for the systems, 2 GB
    #[arg(long, value_name = "DIR", default_value = "target/roots")]
    roots: PathBuf,
}

/// How a step went: its seconds, if it was done.
struct Done {
    words: &'static str,
    seconds: Option<f64>,
}

/// What was tried in a release.
struct Tried {
    /// The system, its libc, and its compiler.
    facts: String,
    /// The frameworks' packages.
    versions: String,
    steps: Vec<Done>,
}

impl Try {
    /// Packages, installs, and writes the section of the page.
    ///
    /// # Errors
    /// If this process is not root, or a step fails.
    pub fn run(&self) -> Outcome {
        if !apt::is_root() {
            return Err(Stop::cannot("systems can be made by root only"));
        }
        provide_tools(&NEEDS)?;
        deb::provide(&self.artefact)?;
        let (package, archive) = (deb::make(&self.artefact)?, tar::make(&self.artefact)?);
        let image = container::gather(&self.artefact.output, &package)?;
        std::fs::create_dir_all(&self.roots).while_doing(self.roots.display())?;
        let roots = std::path::absolute(&self.roots).while_doing(self.roots.display())?;
        let mut all = Vec::new();
        for suite in &self.suites {
            all.push(tried(&roots, suite, &package, &archive, &image)?);
        }
        let section = page(&today()?, &[&package, &archive], &all)?;
        section::write("docs/packages.md", HEADING, &section, None)?;
        let mut failed = all.iter().flat_map(|tried| {
            let failed = tried.steps.iter().filter(|step| step.seconds.is_none());
            failed.map(|step| format!("{}: {}", tried.facts, step.words))
        });
        failed.next().map_or(Ok(()), |what| Err(Stop::failed(what)))
    }
}

const HEADING: &str = "## Tried";

/// A system of a release, made once.
///
/// # Errors
/// If debootstrap fails.
pub fn system(roots: &Path, suite: &str) -> Outcome<PathBuf> {
    let base = roots.join(suite);
    if !base.join("try").is_dir() {
        // What an interrupted one left.
        drop(std::fs::remove_dir_all(&base));
        std::fs::create_dir_all(roots).while_doing(roots.display())?;
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.args(["--variant=minbase", suite]);
        process::run(debootstrap.arg(&base).arg(MIRROR))?;
        std::fs::create_dir(base.join("try")).while_doing(base.display())?;
    }
    Ok(base)
}

/// All steps in a release.
fn tried(
    roots: &Path,
    suite: &str,
    package: &Path,
    archive: &Path,
    image: &Path,
) -> Outcome<Tried> {
    let base = system(roots, suite)?;
    let fresh = |name: &str| {
        let root = roots.join(format!("{suite}-{name}"));
        drop(std::fs::remove_dir_all(&root));
        copy(&base, &root)?;
        fill(&root.join("try"), package, archive, image)?;
        Ok(root)
    };
    let root = fresh("try")?;
    let mut steps: Vec<Done> = STEPS.iter().map(|step| done(&root, step)).collect();
    let facts = process::output_of(&mut step(&root, "facts"))?;
    let versions = process::output_of(&mut step(&root, "versions")).unwrap_or_default();
    std::fs::remove_dir_all(&root).while_doing(root.display())?;
    let root = fresh("image")?;
    steps.push(done(&root, &IN_CONTAINER));
    std::fs::remove_dir_all(&root).while_doing(root.display())?;
    Ok(Tried {
        facts,
        versions: versions.trim_end_matches([',', ' ']).to_owned(),
        steps,
    })
}

/// A command that does a step in a system, with /proc and /dev, in namespaces of its own.
fn step(root: &Path, name: &str) -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-ec"]);
    unshare.arg(
        "mount -t proc proc \"$0/proc\"; mount --rbind /dev \"$0/dev\"; exec chroot \"$0\" sh /try/steps.sh \"$1\"",
    );
    unshare.arg(root).arg(name);
    unshare.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    for name in ["DPOR_CLANG", "DPOR_CLANGXX", "DPOR_OPTIONS"] {
        unshare.env_remove(name);
    }
    unshare
}

fn done(root: &Path, (name, words): &(&str, &'static str)) -> Done {
    let begun = Instant::now();
    let went = process::run(&mut step(root, name));
    if let Err(why) = &went {
        eprintln!("xtask: {why}");
    }
    let seconds = went.is_ok().then(|| begun.elapsed().as_secs_f64());
    Done { words, seconds }
}

/// What `steps.sh` finds in /try.
fn fill(folder: &Path, package: &Path, archive: &Path, image: &Path) -> Outcome {
    process::place(package, &folder.join("dpor.deb"))?;
    process::place(archive, &folder.join("dpor.tar.gz"))?;
    copy(image, &folder.join("container"))?;
    let root = tree::root();
    copy(&root.join("packaging/ci"), &folder.join("ci"))?;
    copy(&root.join("examples"), &folder.join("examples"))?;
    for (name, text) in [
        ("steps.sh", include_str!("steps.sh")),
        ("counter.cc", COUNTER),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, text).while_doing(file.display())?;
    }
    Ok(())
}

/// A copy with owners, modes, dates and device files.
fn copy(from: &Path, to: &Path) -> Outcome {
    process::run(Command::new("cp").arg("-a").arg(from).arg(to))
}

fn page(today: &str, packages: &[&Path], all: &[Tried]) -> Outcome<String> {
    let mut text = format!(
        "{HEADING}\n\n\
         Written by `cargo xtask package try` on {today}: in systems that debootstrap had just made, `chroot`, seconds by the clock of a busy machine.\n\n"
    );
    for package in packages {
        let bytes = std::fs::metadata(package)
            .while_doing(package.display())?
            .len();
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("- `{name}`: {:.1} MB\n", bytes as f64 / 1e6);
    }
    for (at, tried) in all.iter().enumerate() {
        let facts: Vec<&str> = tried.facts.split('|').collect();
        text += &format!(
            "- system {}: {}; {}\n",
            at + 1,
            facts.join(", "),
            tried.versions
        );
    }
    text += "\n| step |";
    text.extend((1..=all.len()).map(|at| format!(" system {at} |")));
    text += "\n|---|";
    text.extend(all.iter().map(|_| "--:|"));
    text += "\n";
    for at in 0..all.first().map_or(0, |tried| tried.steps.len()) {
        text += &format!("| {} |", all[0].steps[at].words);
        text.extend(all.iter().map(|tried| match tried.steps[at].seconds {
            Some(seconds) => format!(" {seconds:.0} s |"),
            None => " **failed** |".to_owned(),
        }));
        text += "\n";
    }
    Ok(text)
}
