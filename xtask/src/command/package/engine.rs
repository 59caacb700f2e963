//! `cargo xtask package engine`: the image, built and run by podman, and what of it worked, in docs/packages.md.
//!
//! The base image is a system that debootstrap makes, under the name that the Containerfile gives: nothing is pulled, and
//! the engine keeps everything in a folder of its own, which is removed afterwards.

use super::artefact::{provide_tools, Artefact};
use super::{container, deb, try_out};
use crate::apt;
use crate::command::bench::today;
use crate::package::VERSION;
use crate::process;
use crate::section;
use crate::stop::{Context, Outcome, Stop};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const NEEDS: [(&str, &str); 3] = [
    ("debootstrap", "debootstrap"),
    ("podman", "podman"),
    ("runc", "runc"),
];

/// The release that stands for each base image.
const BASES: [(&str, &str); 2] = [
    ("docker.io/library/debian:12-slim", "bookworm"),
    ("docker.io/library/debian:13-slim", "trixie"),
];

/// Limits that podman sets unless it is told others, a million files and more, are refused to one that may not raise its
/// own. The number is chosen: less than systems give.
const LIMITS: [&str; 2] = ["--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"];

/// Options of `engine`.
#[derive(clap::Args, Debug)]
pub struct Engine {
    #[command(flatten)]
    artefact: Artefact,
    /// Folder for the base image's system and for the images, 2 GB
    #[arg(long, value_name = "DIR", default_value = "target/roots")]
    roots: PathBuf,
    /// The runtime of containers; crun refuses systems that have both kinds of cgroups
    #[arg(long, value_name = "NAME", default_value = "runc")]
    runtime: String,
}

impl Engine {
    /// Packages, builds the image, runs it, and writes the section of the page.
    ///
    /// # Errors
    /// If this process is not root, or a step fails.
    pub fn run(&self) -> Outcome {
        if !apt::is_root() {
            return Err(Stop::cannot("systems can be made by root only"));
        }
        provide_tools(&NEEDS)?;
        deb::provide(&self.artefact)?;
        let package = deb::make(&self.artefact)?;
        let folder = container::gather(&self.artefact.output, &package)?;
        let file = folder.join("Containerfile");
        let text = std::fs::read_to_string(&file).while_doing(file.display())?;
        let (name, suite) = base(&text)?;
        let system = try_out::system(&self.roots, suite)?;
        let podman = Podman::new(&self.roots, &self.runtime)?;
        let done = podman.steps(&system, name, &folder);
        let version = process::output_of(Command::new("podman").arg("--version"));
        podman.remove()?;
        let what = match self.artefact.no_build {
            true => "cargo xtask package engine --no-build",
            false => "cargo xtask package engine",
        };
        let how = format!("{} with {}", version?, self.runtime);
        let section = page(what, &today()?, &how, suite, &done?);
        section::write("docs/packages.md", HEADING, &section, None)
    }
}

const HEADING: &str = "## By a container engine";

/// The base image that a Containerfile names, and the release of Debian that stands for it.
fn base(containerfile: &str) -> Outcome<(&str, &'static str)> {
    let from = { containerfile.lines() }.find_map(|line| line.strip_prefix("FROM "));
    let from = from.ok_or_else(|| Stop::failed("the Containerfile has no FROM"))?;
    let known = BASES.iter().find(|(name, _)| *name == from);
    match known {
        Some((_, suite)) => Ok((from, suite)),
        None => Err(Stop::cannot(format!("no release stands for {from}"))),
    }
}

/// The engine, with a folder of its own.
struct Podman {
    store: PathBuf,
    runtime: String,
}

/// What was done, and its seconds.
type Step = (&'static str, f64);

impl Podman {
    fn new(roots: &Path, runtime: &str) -> Outcome<Podman> {
        let store = roots.join("podman");
        std::fs::create_dir_all(&store).while_doing(store.display())?;
        let store = std::path::absolute(&store).while_doing(store.display())?;
        let runtime = runtime.to_owned();
        Ok(Podman { store, runtime })
    }

    /// A command, on files as they are: file systems in layers are not to be had everywhere.
    fn command(&self) -> Command {
        let mut podman = Command::new("podman");
        podman.arg("--root").arg(self.store.join("images"));
        podman.arg("--runroot").arg(self.store.join("run"));
        podman.args(["--storage-driver=vfs", "--runtime", &self.runtime]);
        podman
    }

    fn steps(&self, system: &Path, base: &str, folder: &Path) -> Outcome<Vec<Step>> {
        let image = format!("dpor:{VERSION}");
        // Of an interrupted one.
        drop(process::run(
            self.command().args(["rmi", "--force", &image]),
        ));
        let archive = self.store.join("base.tar");
        let mut tar = Command::new("tar");
        process::run(tar.arg("-cf").arg(&archive).arg("-C").arg(system).arg("."))?;
        process::run(self.command().arg("import").arg(&archive).arg(base))?;
        std::fs::remove_file(&archive).while_doing(archive.display())?;

        let source = self.store.join("source");
        std::fs::create_dir_all(&source).while_doing(source.display())?;
        let program = source.join("counter.cc");
        std::fs::write(&program, try_out::COUNTER).while_doing(program.display())?;

        let mut build = self.command();
        build.args(["build", "--pull=never", "--network=host"]);
        build.args(LIMITS).args(["--tag", &image, "--file"]);
        build.arg(folder.join("Containerfile")).arg(folder);
        let in_image = |words: &[&str]| {
            let mut run = self.command();
            run.args(["run", "--rm", "--network=host"]).args(LIMITS);
            run.arg("--volume")
                .arg(format!("{}:/src", source.display()));
            run.arg(&image).args(words);
            run
        };
        let fixed = "dpor-c++ -g -pthread -DFIXED counter.cc -o counter && dpor check ./counter";
        let steps = [
            ("`podman build` of the Containerfile", build, 0),
            ("`podman run` without a command: `dpor doctor`", in_image(&[]), 0),
            (
                "`podman run --rm -v \"$PWD:/src\" … dpor check counter.cc`: a race is found, exit code 42",
                in_image(&["dpor", "check", "counter.cc"]),
                42,
            ),
            (
                "the same program without the race, built by `dpor-c++` in the image, is verified",
                in_image(&["sh", "-c", fixed]),
                0,
            ),
        ];
        steps
            .into_iter()
            .map(|(words, mut command, code)| {
                let begun = Instant::now();
                let found = process::exit_code(&mut command)?;
                match found == code {
                    true => Ok((words, begun.elapsed().as_secs_f64())),
                    false => Err(Stop::failed(format!("{words}: exit code {found}"))),
                }
            })
            .collect()
    }

    /// Images and containers are removed.
    fn remove(self) -> Outcome {
        let images = process::run(self.command().args(["rmi", "--all", "--force"]));
        std::fs::remove_dir_all(&self.store).while_doing(self.store.display())?;
        images
    }
}

fn page(command: &str, today: &str, how: &str, suite: &str, steps: &[Step]) -> String {
    let mut text = format!(
        "{HEADING}\n\n\
         Written by `{command}` on {today}: {how}, the host's network, images as plain folders (`vfs`); a system that debootstrap made of {suite}, imported under the name in the Containerfile, stands for the base image. Seconds by the clock of a busy machine.\n\n\
         | step | |\n|---|--:|\n"
    );
    for (words, seconds) in steps {
        text += &format!("| {words} | {seconds:.0} s |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_release_stands_for_the_base_of_the_containerfile() {
        let file = tree::root().join("packaging/container/Containerfile");
        let text = std::fs::read_to_string(file).expect("the Containerfile");
        let (name, suite) = base(&text).expect("a base that is known");
        assert_eq!((name, suite), BASES[1]);
        assert!(base("FROM docker.io/library/alpine:3\n").is_err());
    }
}
