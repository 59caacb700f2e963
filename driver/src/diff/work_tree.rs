//! A revision of a git work tree, and the work tree as it is, each in a folder of its own.
//!
//! ```text
//!   revision  ──checkout──► folder 1   both with a repository that borrows the objects of the user's: a build may
//!   work tree ──copy──────► folder 2   ask git for a version, and nothing of the user's repository is changed
//! ```
//!
//! The copy has what git knows or would add: both folders are without what earlier builds left. `git worktree` would
//! write into the user's repository, and what it writes stays there if this command is killed.

use super::patience::Patience;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Variables that lead git to a repository, which is not that of the copies.
pub const LEADING: [&str; 13] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_SHALLOW_FILE",
    "GIT_NAMESPACE",
    "GIT_GRAFT_FILE",
];

/// The folders; they go when this value goes.
#[derive(Debug)]
pub struct Copies {
    /// The revision, and the work tree.
    pub folders: [TempDir; 2],
    /// The current folder below that of the work tree.
    pub below: PathBuf,
    /// The folder of the work tree.
    pub top: PathBuf,
}

/// Makes the copies.
///
/// # Errors
/// One sentence.
pub fn copies(revision: &str, patience: &Patience) -> Result<Copies, String> {
    let top = ask(&["rev-parse", "--show-toplevel"])
        .map_err(|why| format!("--base is for the work tree of a git repository: {why}"))?;
    let commit = |name: &str| {
        let name = format!("{name}^{{commit}}");
        ask(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ])
    };
    let base =
        commit(revision).map_err(|_| format!("--base: '{revision}' is no revision of {top}"))?;
    let head = commit("HEAD")?;
    let top = PathBuf::from(top);
    refuse_modules(&top, &base)?;
    let copies = Copies {
        folders: [folder()?, folder()?],
        below: PathBuf::from(ask(&["rev-parse", "--show-prefix"])?),
        top,
    };
    for folder in &copies.folders {
        repository(folder.path())?;
    }
    let [old, new] = copies.folders.each_ref().map(TempDir::path);
    let mut checkout = git(old);
    checkout.args(["checkout", "-q", "--detach", &base]);
    let status = patience.run(checkout.stdin(Stdio::null()));
    let status = status.map_err(cannot_start)?;
    is_wanted(patience)?;
    if !status.success() {
        return Err(format!("--base: {revision} cannot be checked out"));
    }
    told(git(new).args(["update-ref", "--no-deref", "HEAD", &head]))?;
    told(git(new).args(["read-tree", &head]))?;
    copy_tree(&copies.top, new, patience)?;
    Ok(copies)
}

fn is_wanted(patience: &Patience) -> Result<(), String> {
    match patience.is_over() {
        true => Err("interrupted while the sources were copied".to_owned()),
        false => Ok(()),
    }
}

fn folder() -> Result<TempDir, String> {
    let folder = tempfile::Builder::new().prefix("dpor-").tempdir();
    folder.map_err(|why| format!("no temporary folder: {why}"))
}

/// What lies in other repositories is not in the copies.
fn refuse_modules(top: &Path, base: &str) -> Result<(), String> {
    let here = { Command::new("git") }
        .args(["-C"])
        .arg(top)
        .args(["ls-files", "-s", "-z"])
        .output();
    let then = { Command::new("git") }
        .args(["-C"])
        .arg(top)
        .args(["ls-tree", "-r", "-z", base])
        .output();
    for listed in [here, then] {
        let listed = listed.map_err(cannot_start)?.stdout;
        for entry in listed.split(|&byte| byte == 0) {
            let mut parts = entry.splitn(2, |&byte| byte == b'\t');
            let (mode, path) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
            let path = Path::new(OsStr::from_bytes(path));
            let is_module = mode.starts_with(b"160000 ");
            let is_filled =
                || std::fs::read_dir(top.join(path)).is_ok_and(|mut all| all.next().is_some());
            if is_module && is_filled() {
                return Err(format!(
                    "--base: {} is a submodule, which is not copied: build both versions, and give \
                     them as OLD NEW",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}

/// An empty repository that has all objects of the user's.
fn repository(folder: &Path) -> Result<(), String> {
    let format = ask(&["rev-parse", "--show-object-format"])?;
    let mut init = git(folder);
    init.args(["-c", "init.defaultBranch=copy", "init", "-q", "--template="]);
    told(init.arg(format!("--object-format={format}")))?;
    let path_of = |name: &str| ask(&["rev-parse", "--path-format=absolute", "--git-path", name]);
    let own = folder.join(".git");
    let written = std::fs::create_dir_all(own.join("objects/info")).and_then(|()| {
        let objects = path_of("objects").map_err(std::io::Error::other)? + "\n";
        std::fs::write(own.join("objects/info/alternates"), objects)?;
        if ask(&["rev-parse", "--is-shallow-repository"]).as_deref() == Ok("true") {
            let shallow = path_of("shallow").map_err(std::io::Error::other)?;
            std::fs::copy(shallow, own.join("shallow"))?;
        }
        Ok(())
    });
    written.map_err(|why| format!("{}: {why}", folder.display()))
}

/// Copies what git knows of, or would add, as it is now.
fn copy_tree(top: &Path, to: &Path, patience: &Patience) -> Result<(), String> {
    let mut list = Command::new("git");
    list.arg("-C").arg(top);
    list.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let list = list.output().map_err(cannot_start)?.stdout;
    for name in list
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        is_wanted(patience)?;
        let name = Path::new(OsStr::from_bytes(name));
        copy_one(&top.join(name), &to.join(name))
            .map_err(|why| format!("{} cannot be copied: {why}", name.display()))?;
    }
    Ok(())
}

fn copy_one(from: &Path, to: &Path) -> std::io::Result<()> {
    // What was deleted is listed; what is a repository of its own is, too.
    let Ok(kind) = std::fs::symlink_metadata(from).map(|data| data.file_type()) else {
        return Ok(());
    };
    if kind.is_dir() {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match kind.is_symlink() {
        true => std::os::unix::fs::symlink(std::fs::read_link(from)?, to),
        false => std::fs::copy(from, to).map(drop),
    }
}

/// What git says of the user's repository.
fn ask(words: &[&str]) -> Result<String, String> {
    told(Command::new("git").arg("--no-optional-locks").args(words))
}

/// A git for one of the copies: with nothing that leads elsewhere, and without hooks.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    for name in LEADING {
        git.env_remove(name);
    }
    git.current_dir(folder);
    git.args([
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "advice.detachedHead=false",
    ]);
    git
}

/// What a command prints, or why it failed.
fn told(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(cannot_start)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end_matches('\n')
            .to_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

fn cannot_start(why: std::io::Error) -> String {
    format!("git cannot be started: {why}")
}
