//! Builds a program once for each level.
//!
//! Sources are compiled into a folder of their own. With `--build` the command runs in a copy of the
//! current folder, `dpor-cc` in its search path; the level goes through the environment
//! ([`dpor_abi::access_list::LEVEL`]), so that it reaches every compiler of the build. The program tells
//! at which levels its modules were compiled: one that was lying about is not taken for another.

use crate::compile::{self, Compiled};
use crate::flags::Levelled;
use crate::install::Installation;
use crate::program::{self, Program};
use crate::say;
use dpor_abi::access_list::{AccessList, LEVEL, SECTION};
use object::{Object, ObjectSection};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A program of one level; its folder goes when this value goes.
#[derive(Debug)]
pub struct Built {
    /// The program to start.
    pub program: Program,
    /// The accesses of the program that got a hook.
    pub list: AccessList,
    /// The folder that the program was built in, and runs in.
    pub folder: PathBuf,
    _kept: Kept,
}

#[derive(Debug)]
enum Kept {
    Compiled { _program: Compiled },
    Copy { _folder: TempDir },
}

/// Builds the program at one level; `None` if compiler or build command have said why there is none.
///
/// # Errors
/// One sentence.
pub fn build(
    installation: &Installation,
    what: &Levelled,
    level: &str,
) -> Result<Option<Built>, String> {
    let here = std::env::current_dir().map_err(|why| format!("the current folder: {why}"))?;
    let (path, folder, kept) = match what {
        Levelled::Sources { files, cflags } => {
            match compile::compile_at(installation, files, cflags, Some(level)) {
                Ok(compiled) => {
                    let path = compiled.program.clone();
                    (path, here, Kept::Compiled { _program: compiled })
                }
                Err(compile::Failure::Said(why)) => return Err(why),
                Err(compile::Failure::Compiler) => return Ok(None),
            }
        }
        Levelled::Build { command, program } => {
            let program = inside(program, &here)?;
            let copy = copy(&here)?;
            if !run(installation, command, copy.path(), level)? {
                return Ok(None);
            }
            let folder = copy.path().to_owned();
            let path = folder.join(program);
            (path, folder, Kept::Copy { _folder: copy })
        }
    };
    let program = program::inspect(&path, &installation.lib())?;
    let list = list(&path, level)?;
    Ok(Some(Built {
        program,
        list,
        folder,
        _kept: kept,
    }))
}

/// The program's path below the folder that is copied.
fn inside<'a>(program: &'a Path, here: &Path) -> Result<&'a Path, String> {
    let shown = program.display();
    let outside = || format!("{shown} does not lie in the current folder, which is what is built");
    let below = match program.is_absolute() {
        true => program.strip_prefix(here).map_err(|_| outside())?,
        false => program,
    };
    let leaves = |part: std::path::Component<'_>| part == std::path::Component::ParentDir;
    match below.components().any(leaves) {
        true => Err(outside()),
        false => Ok(below),
    }
}

/// A copy of a folder, with the times of its files: what is up to date stays so.
fn copy(folder: &Path) -> Result<TempDir, String> {
    let copy = tempfile::Builder::new().prefix("dpor-").tempdir();
    let copy = copy.map_err(|why| format!("no temporary folder: {why}"))?;
    let mut command = Command::new("cp");
    command
        .arg("-a")
        .arg("--")
        .arg(folder.join("."))
        .arg(copy.path());
    match command.status() {
        Ok(status) if status.success() => Ok(copy),
        Ok(_) => Err(format!("{} cannot be copied", folder.display())),
        Err(why) => Err(format!("cp cannot be started: {why}")),
    }
}

/// Runs the build command; whether it succeeded.
fn run(
    installation: &Installation,
    command: &str,
    folder: &Path,
    level: &str,
) -> Result<bool, String> {
    let bin = installation.command("");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(bin).chain(std::env::split_paths(&others));
    let folders = std::env::join_paths(folders).map_err(|why| format!("PATH: {why}"))?;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder);
    shell
        .env("PATH", folders)
        .env(LEVEL, level)
        .env("PWD", folder);
    // Standard output is for the comparison.
    let status = shell.stdout(std::io::stderr()).status();
    let status = status.map_err(|why| format!("sh cannot be started: {why}"))?;
    if !status.success() {
        say::line(&format!(
            "dpor: error: at {level}, `{command}` ended with {status}"
        ));
    }
    Ok(status.success())
}

/// The accesses of a program.
fn list(path: &Path, level: &str) -> Result<AccessList, String> {
    let shown = path.display();
    let data = std::fs::read(path).map_err(|why| format!("{shown} cannot be read: {why}"))?;
    let file = object::File::parse(&*data).map_err(|why| format!("{shown}: {why}"))?;
    let section = |name: &str| {
        let section = file.section_by_name(name);
        section
            .and_then(|section| section.data().ok())
            .unwrap_or_default()
    };
    let list = AccessList::parse(section(SECTION))
        .ok_or_else(|| format!("{shown} is damaged: section {SECTION} is no list of accesses"))?;
    let modules = section(dpor_abi::MODULE_SECTION).len() / program::MODULE_INFO_BYTES;
    match list.levels.len() == modules && list.levels.iter().all(|known| known == level) {
        true => Ok(list),
        false => Err(format!(
            "{} was not compiled at {level} as a whole: begin the build with a clean folder \
             (`make clean; make …`)",
            path.file_name().unwrap_or_default().display()
        )),
    }
}
