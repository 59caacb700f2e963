//! What all packages have in common: an installation without debug information, and without paths of this machine.
//!
//! Panics say in which source file they were, and the compiler writes its path as it was called. What is packaged
//! is built in a target folder of its own with those paths replaced, and afterwards looked through for them.

use crate::apt;
use crate::command::build::Build;
use crate::command::install;
use crate::llvm;
use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of each kind of package.
#[derive(clap::Args, Debug)]
pub struct Artefact {
    /// Folder that gets the package
    #[arg(long, value_name = "DIR", default_value = "target/packages")]
    pub output: PathBuf,
    /// Package what target/dpor has, with paths of this machine in it
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided", "mpi"])]
    pub no_build: bool,
    #[command(flatten)]
    build: Build,
}

/// The target folder of what is packaged, in that of everything else.
const TARGET: &str = "packaged";

/// Places on this machine that a compiler may have been told of, and what stands for them. Of several that a path
/// begins with, the last counts.
fn replaced() -> Vec<(PathBuf, &'static str)> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let of = |variable: &str, folder: &str| {
        let given = std::env::var_os(variable).map(PathBuf::from);
        given.or_else(|| Some(home.as_ref()?.join(folder)))
    };
    let cargo = of("CARGO_HOME", ".cargo").map(|path| (path, "/build/cargo"));
    let rustup = of("RUSTUP_HOME", ".rustup").map(|path| (path, "/build/rustup"));
    let root = Some((tree::root().to_owned(), "/build/dpor"));
    [cargo, rustup, root].into_iter().flatten().collect()
}

impl Artefact {
    /// Builds, unless what there is was asked for; afterwards `tree::product()` is what is to be packaged.
    ///
    /// # Errors
    /// If it does not build, or there is nothing.
    pub fn provide(&self) -> Outcome {
        if !self.no_build {
            build_without_paths(&self.build)?;
        }
        if !tree::tool("dpor").is_file() {
            return Err(Stop::cannot(
                "nothing in target/dpor; run `cargo xtask build`",
            ));
        }
        std::fs::create_dir_all(&self.output).while_doing(self.output.display())
    }

    /// Puts what is packaged at a place, without debug information.
    ///
    /// # Errors
    /// If a file cannot be written, or there is a path of this machine in one that was built without.
    pub fn install(&self, prefix: &Path) -> Outcome {
        install::install(prefix)?;
        // Policy 10.1 of Debian asks for that, too. Symbols stay.
        let mut strip = Command::new("strip");
        process::run(strip.arg("--strip-debug").args(binaries(prefix)?))?;
        let paths: Vec<PathBuf> = replaced().into_iter().map(|(path, _)| path).collect();
        match (leak(prefix, &paths)?, self.no_build) {
            (None, _) => Ok(()),
            (Some(_), true) => {
                eprintln!("note: paths of this machine are in the package; without --no-build they are not");
                Ok(())
            }
            (Some((file, path)), false) => {
                let (file, path) = (file.display(), path.display());
                Err(Stop::failed(format!("{path} is in {file}")))
            }
        }
    }

    /// Makes a file in the folder of packages: in a folder beside it first, so that no half of one is ever at its place.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make(&self, name: &str, make: impl FnOnce(&Path, &Path) -> Outcome) -> Outcome<PathBuf> {
        let staged = self.output.join(format!(".dpor.{}", std::process::id()));
        let staged = std::path::absolute(&staged).while_doing(staged.display())?;
        let package = self.output.join(name);
        let made = make(&staged, &staged.join(name));
        let moved = made.and_then(|()| {
            std::fs::rename(staged.join(name), &package).while_doing(package.display())
        });
        drop(std::fs::remove_dir_all(&staged));
        moved?;
        println!("packaged {}", package.display());
        Ok(package)
    }
}

/// Builds in a folder of its own, which is the target folder from then on.
fn build_without_paths(build: &Build) -> Outcome {
    let replaced = replaced();
    if let Some((path, _)) = replaced.iter().find(|(path, _)| has_space(path)) {
        let path = path.display();
        return Err(Stop::cannot(format!(
            "there is a space in {path}, which cannot be replaced in what is built; move the repository, or package with --no-build"
        )));
    }
    let both = |(from, to): &(PathBuf, &str)| format!("{}={to}", from.display());
    let flag = |name: &str| {
        let flags = replaced.iter().map(|one| format!("{name}={}", both(one)));
        flags.collect::<Vec<_>>().join(" ")
    };
    let target = tree::target().join(TARGET);
    for (variable, value) in [
        ("RUSTFLAGS", flag("--remap-path-prefix")),
        ("CXXFLAGS", flag("-ffile-prefix-map")),
    ] {
        let before = std::env::var(variable).unwrap_or_default();
        std::env::set_var(variable, format!("{before} {value}").trim());
    }
    std::env::set_var("CARGO_TARGET_DIR", target);
    build.run()
}

fn has_space(path: &Path) -> bool {
    path.to_string_lossy().contains(char::is_whitespace)
}

/// The packages of tools that are missing are installed, or named.
///
/// # Errors
/// The line to run, where we may not.
pub fn provide_tools(needs: &[(&str, &str)]) -> Outcome {
    let is_missing = |(tool, _): &&(&str, &str)| process::find(tool).is_none();
    let missing: Vec<&str> = needs.iter().filter(is_missing).map(|(_, p)| *p).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => apt::install(&missing),
    }
}

/// Programs and libraries of an installation.
///
/// # Errors
/// If there is no pass in it.
pub fn binaries(prefix: &Path) -> Outcome<Vec<PathBuf>> {
    let own = ["bin/dpor", "bin/dpor-cc", "lib/libdpor_rt.so"];
    let mut files: Vec<PathBuf> = own.map(|file| prefix.join(file)).into();
    files.extend(passes(prefix)?.into_iter().map(|(_, file)| file));
    Ok(files)
}

/// Versions of LLVM there is a pass for, and the pass: the version first that most systems have.
///
/// # Errors
/// If there is none.
pub fn passes(prefix: &Path) -> Outcome<Vec<(llvm::Major, PathBuf)>> {
    let pass = |llvm: llvm::Major| prefix.join(format!("lib/dpor/llvm-{llvm}/libdpor.so"));
    let others = dpor_abi::llvm::VERSIONS
        .into_iter()
        .filter(|llvm| *llvm != llvm::DEFAULT);
    let all = std::iter::once(llvm::DEFAULT).chain(others);
    let all = all.map(|llvm| (llvm, pass(llvm)));
    match all.filter(|(_, file)| file.is_file()).collect::<Vec<_>>() {
        none if none.is_empty() => Err(Stop::cannot(
            "no pass in target/dpor; run `cargo xtask build`",
        )),
        found => Ok(found),
    }
}

/// A file below a folder, and one of these paths that it has in it.
fn leak(folder: &Path, paths: &[PathBuf]) -> Outcome<Option<(PathBuf, PathBuf)>> {
    let mut paths_in_files = files(folder)?.into_iter().filter_map(|file| {
        let bytes = match std::fs::read(&file).while_doing(file.display()) {
            Ok(bytes) => bytes,
            Err(why) => return Some(Err(why)),
        };
        let found = paths.iter().find(|path| contains(&bytes, path));
        found.map(|path| Ok((file, path.clone())))
    });
    paths_in_files.next().transpose()
}

fn contains(bytes: &[u8], path: &Path) -> bool {
    let needle = OsString::from(path).into_encoded_bytes();
    let Some(first) = needle.first() else {
        return false;
    };
    let starts = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    let mut rests = starts.map(|(at, _)| &bytes[at..]);
    rests.any(|rest| rest.starts_with(&needle))
}

/// All files below a folder, links left out, in order.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).while_doing(folder.display())? {
        let entry = entry.while_doing(folder.display())?;
        let kind = entry.file_type().while_doing(folder.display())?;
        if kind.is_dir() {
            found.extend(files(&entry.path())?);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_wherever_it_is() {
        let check = |text: &[u8], expect| {
            assert_eq!(contains(text, Path::new("/home/x")), expect, "{text:?}");
        };
        check(b"/home/x", true);
        check(b"\0\xff//home/x/y.rs\0", true);
        check(b"/home/\0x", false);
        check(b"/home/", false);
        check(b"", false);
    }

    #[test]
    fn the_file_with_a_path_is_named() {
        let folder = tree::scratch("xtask-leak");
        std::fs::create_dir_all(folder.join("a/b")).expect("a folder");
        std::fs::write(folder.join("a/b/c"), "in /home/x/y").expect("a file");
        std::fs::write(folder.join("a/d"), "in /home/z").expect("a file");
        let paths = [PathBuf::from("/none"), PathBuf::from("/home/x")];
        let found = leak(&folder, &paths).expect("readable");
        assert_eq!(found, Some((folder.join("a/b/c"), paths[1].clone())));
        assert_eq!(leak(&folder, &paths[..1]).expect("readable"), None);
    }
}
