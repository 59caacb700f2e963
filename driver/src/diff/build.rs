//! Builds the two sides of a comparison: a program once for each level, or two versions of it.
//!
//! Sources are compiled into a folder of their own. With `--build` the command runs in a copy of the
//! current folder, `dpor-cc` in its search path; the level goes through the environment
//! ([`dpor_abi::access_list::LEVEL`]), so that it reaches every compiler of the build. The program tells
//! at which levels its modules were compiled: one that was lying about is not taken for another.

use super::between::Between;
use super::patience::Patience;
use super::versions::sources::{Sources, Tree};
use super::work_tree::{self, Copies};
use crate::compile::{self, Compiled};
use crate::flags::{Levelled, Subject, Target};
use crate::install::Installation;
use crate::program::{self, Program};
use crate::say;
use dpor_abi::access_list::{AccessList, LEVEL, SECTION};
use object::{Object, ObjectSection};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A program of one side; its folder goes when this value goes.
#[derive(Debug)]
pub struct Built {
    /// What the side is called: `-O2`, or the version.
    pub label: String,
    /// The program to start.
    pub program: Program,
    /// The accesses of the program that got a hook; of levels only.
    pub list: AccessList,
    /// The folder that the program runs in.
    pub folder: PathBuf,
    /// The folder that paths are told relative to.
    pub root: PathBuf,
    /// What was given: the program, or what was compiled.
    pub target: Target,
    /// The folder of the user's that `root` is a copy of, for a version in a folder that goes.
    pub home: Option<PathBuf>,
    _kept: Kept,
}

#[derive(Debug)]
enum Kept {
    Nothing,
    Compiled { _program: Compiled },
    Copy { _folder: TempDir },
}

impl Built {
    /// The path of the program or its first source, as it was given.
    pub fn name(&self) -> String {
        let path = match &self.target {
            Target::Program(path) => path,
            Target::Sources { files, .. } => &files[0],
        };
        path.display().to_string()
    }
}

/// Builds both sides; `None` if compiler or build command have said why there is none.
///
/// # Errors
/// One sentence.
pub fn build(
    installation: &Installation,
    subject: &Subject,
    patience: &Patience,
) -> Result<Option<([Built; 2], Between)>, String> {
    let here = std::env::current_dir().map_err(|why| format!("the current folder: {why}"))?;
    match subject {
        Subject::Levels(what, levels) => both_levels(installation, what, levels, &here, patience),
        Subject::SourcesOrVersions {
            files,
            cflags,
            levels,
        } => match are_versions(installation, files, cflags)? {
            None => Ok(None),
            Some(true) => versions_of_sources(installation, files, cflags, &here),
            Some(false) => {
                let (files, cflags) = (files.to_vec(), cflags.clone());
                let what = Levelled::Sources { files, cflags };
                both_levels(installation, &what, levels, &here, patience)
            }
        },
        Subject::Programs([old, new]) => {
            let old = given(installation, old, &here)?;
            let new = given(installation, new, &here)?;
            Ok(Some(versions([old, new], false, None)))
        }
        Subject::WorkTree {
            revision,
            command,
            program,
        } => {
            let program = inside(program, &here)?;
            let copies = work_tree::copies(revision, patience)?;
            built_copies(installation, copies, (revision, command, program), patience)
        }
    }
}

type Both = Option<([Built; 2], Between)>;

fn both_levels(
    installation: &Installation,
    what: &Levelled,
    levels: &[String; 2],
    here: &Path,
    patience: &Patience,
) -> Result<Both, String> {
    let Some(first) = at_level(installation, what, &levels[0], here, patience)? else {
        return Ok(None);
    };
    let second = at_level(installation, what, &levels[1], here, patience)?;
    Ok(second.map(|second| ([first, second], Between::Levels)))
}

/// Whether two sources are versions of a program: each has a main, so that they are no program together. `None` if the
/// compiler has said what is wrong.
fn are_versions(
    installation: &Installation,
    files: &[PathBuf; 2],
    cflags: &[String],
) -> Result<Option<bool>, String> {
    for file in files {
        match compile::has_main(installation, file, cflags) {
            Ok(true) => {}
            Ok(false) => return Ok(Some(false)),
            Err(compile::Failure::Said(why)) => return Err(why),
            Err(compile::Failure::Compiler) => return Ok(None),
        }
    }
    match files[0] == files[1] {
        true => Err(format!(
            "{} is given twice: give OLD and NEW",
            files[0].display()
        )),
        false => Ok(Some(true)),
    }
}

fn versions_of_sources(
    installation: &Installation,
    files: &[PathBuf; 2],
    cflags: &[String],
    here: &Path,
) -> Result<Both, String> {
    let mut both = Vec::new();
    for file in files {
        let target = Target::Sources {
            files: vec![file.clone()],
            cflags: cflags.to_vec(),
        };
        let made = match compile::compile(installation, std::slice::from_ref(file), cflags) {
            Ok(made) => made,
            Err(compile::Failure::Said(why)) => return Err(why),
            Err(compile::Failure::Compiler) => return Ok(None),
        };
        both.push(Built {
            label: file.display().to_string(),
            program: program::inspect(&made.program, &installation.lib())?,
            list: AccessList::default(),
            folder: here.to_owned(),
            root: here.to_owned(),
            target,
            home: None,
            _kept: Kept::Compiled { _program: made },
        });
    }
    let both: [Built; 2] = both
        .try_into()
        .map_err(|_| "[dpor internal bug] there are two versions".to_owned())?;
    let renamed = files.each_ref().map(PathBuf::as_path);
    Ok(Some(versions(both, true, Some(renamed))))
}

/// A program that was there before.
fn given(installation: &Installation, path: &Path, here: &Path) -> Result<Built, String> {
    Ok(Built {
        label: path.display().to_string(),
        program: program::inspect(path, &installation.lib())?,
        list: AccessList::default(),
        folder: here.to_owned(),
        root: here.to_owned(),
        target: Target::Program(path.to_owned()),
        home: None,
        _kept: Kept::Nothing,
    })
}

/// Builds both copies of a work tree.
fn built_copies(
    installation: &Installation,
    copies: Copies,
    (revision, command, program): (&str, &str, &Path),
    patience: &Patience,
) -> Result<Both, String> {
    let mut both = Vec::new();
    for (copy, label) in copies.folders.into_iter().zip([revision, "the work tree"]) {
        let root = copy.path().to_owned();
        let folder = root.join(&copies.below);
        if !folder.is_dir() {
            return Err(format!("{} is not in {label}", copies.below.display()));
        }
        if !run(
            installation,
            command,
            &folder,
            Made::Version(label),
            patience,
        )? {
            return Ok(None);
        }
        both.push(Built {
            label: label.to_owned(),
            program: program::inspect(&folder.join(program), &installation.lib())?,
            list: AccessList::default(),
            folder,
            root,
            target: Target::Program(program.to_owned()),
            home: Some(copies.top.clone()),
            _kept: Kept::Copy { _folder: copy },
        });
    }
    let both: [Built; 2] = both
        .try_into()
        .map_err(|_| "[dpor internal bug] there are two versions".to_owned())?;
    Ok(Some(versions(both, true, None)))
}

/// Two versions with their sources. `are_fresh`: those are as they were compiled.
fn versions(
    both: [Built; 2],
    are_fresh: bool,
    renamed: Option<[&Path; 2]>,
) -> ([Built; 2], Between) {
    let tree = |built: &Built| Tree::of(&built.program.path, &built.root, are_fresh);
    let sources = Sources::new([tree(&both[0]), tree(&both[1])], renamed);
    (both, Between::Versions(sources))
}

fn at_level(
    installation: &Installation,
    what: &Levelled,
    level: &str,
    here: &Path,
    patience: &Patience,
) -> Result<Option<Built>, String> {
    let (path, folder, kept) = match what {
        Levelled::Sources { files, cflags } => {
            match compile::compile_at(installation, files, cflags, Some(level)) {
                Ok(compiled) => {
                    let path = compiled.program.clone();
                    let kept = Kept::Compiled { _program: compiled };
                    (path, here.to_owned(), kept)
                }
                Err(compile::Failure::Said(why)) => return Err(why),
                Err(compile::Failure::Compiler) => return Ok(None),
            }
        }
        Levelled::Build { command, program } => {
            let program = inside(program, here)?;
            let copy = copy(here)?;
            let folder = copy.path().to_owned();
            if !run(installation, command, &folder, Made::Level(level), patience)? {
                return Ok(None);
            }
            let path = folder.join(program);
            (path, folder, Kept::Copy { _folder: copy })
        }
    };
    let program = program::inspect(&path, &installation.lib())?;
    let list = list(&path, level)?;
    let target = match what {
        Levelled::Sources { files, cflags } => Target::Sources {
            files: files.clone(),
            cflags: cflags.clone(),
        },
        Levelled::Build { program, .. } => Target::Program(program.clone()),
    };
    Ok(Some(Built {
        label: level.to_owned(),
        program,
        list,
        root: folder.clone(),
        folder,
        target,
        home: None,
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

/// What a build command makes.
#[derive(Clone, Copy)]
enum Made<'a> {
    /// The program at this level.
    Level(&'a str),
    /// This version of the program.
    Version(&'a str),
}

/// Runs the build command; whether it succeeded.
fn run(
    installation: &Installation,
    command: &str,
    folder: &Path,
    made: Made<'_>,
    patience: &Patience,
) -> Result<bool, String> {
    let bin = installation.command("");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(bin).chain(std::env::split_paths(&others));
    let folders = std::env::join_paths(folders).map_err(|why| format!("PATH: {why}"))?;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder);
    shell.env("PATH", folders).env("PWD", folder);
    let at = match made {
        Made::Level(level) => {
            shell.env(LEVEL, level);
            format!("at {level}")
        }
        Made::Version(version) => {
            for name in work_tree::LEADING.iter().chain([&LEVEL]) {
                shell.env_remove(name);
            }
            format!("in {version}")
        }
    };
    // Standard output is for the comparison, standard input for the program.
    shell.stdin(Stdio::null()).stdout(std::io::stderr());
    let status = patience.run(&mut shell);
    let status = status.map_err(|why| format!("sh cannot be started: {why}"))?;
    if patience.is_over() {
        return Err("interrupted while the program was built".to_owned());
    }
    if !status.success() {
        say::line(&format!(
            "dpor: error: {at}, `{command}` ended with {status}"
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
