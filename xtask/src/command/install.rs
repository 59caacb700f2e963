//! `cargo xtask install --prefix DIR`: bin/, lib/, include/, share/.

use super::build::Build;
use crate::process::{self, place};
use crate::stop::{Context, Outcome};
use crate::{package, tree};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `install`.
#[derive(clap::Args, Debug)]
pub struct Install {
    /// Folder that gets bin/, lib/, include/ and share/.
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    #[command(flatten)]
    build: Build,
}

impl Install {
    /// Builds and copies.
    ///
    /// # Errors
    /// If it does not build, or the folder cannot be written.
    pub fn run(&self) -> Outcome {
        self.build.run()?;
        install(&self.prefix)?;
        split_debug_information(&self.prefix.join("lib"), "libdpor_rt.so")?;
        println!("installed in {}", self.prefix.display());
        Ok(())
    }
}

/// Copies what was built.
///
/// # Errors
/// If the folder cannot be written.
pub fn install(prefix: &Path) -> Outcome {
    copy(&tree::product(), prefix)?;
    package::describe(prefix)?;
    copy(
        &tree::root().join("packaging/vim"),
        &prefix.join("share/vim"),
    )?;
    // Manual pages and completions are of the command line that was just installed.
    let mut dpor = Command::new(prefix.join("bin/dpor"));
    process::run(dpor.arg("share").arg(prefix.join("share")))
}

/// Puts the debug information of a library into a file of its own, `.debug/NAME.debug`, which debuggers find by a link in
/// the library: four fifths of its bytes, which no check reads. Its symbols stay. Without `objcopy` all of it stays.
fn split_debug_information(folder: &Path, name: &str) -> Outcome {
    let (library, apart) = (folder.join(name), folder.join(".debug"));
    let debug = apart.join(format!("{name}.debug"));
    let bare = apart.join(format!(".{name}"));
    std::fs::create_dir_all(&apart).while_doing(apart.display())?;
    let objcopy = |arguments: &[&OsStr]| {
        let ran = Command::new("objcopy").args(arguments).status();
        ran.is_ok_and(|status| status.success())
    };
    let mut link = OsString::from("--add-gnu-debuglink=");
    link.push(&debug);
    let (from, to) = (library.as_os_str(), bare.as_os_str());
    let is_split = objcopy(&["--only-keep-debug".as_ref(), from, debug.as_os_str()])
        && objcopy(&["--strip-debug".as_ref(), &link, from, to]);
    if !is_split {
        println!("objcopy is missing or fails: the debug information stays in {name}");
        // What was begun.
        drop(std::fs::remove_dir_all(&apart));
        return Ok(());
    }
    std::fs::rename(&bare, &library).while_doing(library.display())
}

/// Copies a folder: files with their permissions, links as links.
fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to).while_doing(to.display())?;
    for entry in std::fs::read_dir(from).while_doing(from.display())? {
        let entry = entry.while_doing(from.display())?;
        let name = entry.file_name();
        // What an interrupted build left; see `place`.
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let (source, copied) = (entry.path(), to.join(&name));
        let kind = entry.file_type().while_doing(source.display())?;
        if kind.is_dir() {
            copy(&source, &copied)?;
        } else if kind.is_symlink() {
            link(&source, &copied)?;
        } else {
            place(&source, &copied)?;
        }
    }
    Ok(())
}

fn link(source: &Path, copied: &Path) -> Outcome {
    let target = std::fs::read_link(source).while_doing(source.display())?;
    if copied.symlink_metadata().is_ok() {
        std::fs::remove_file(copied).while_doing(copied.display())?;
    }
    std::os::unix::fs::symlink(target, copied).while_doing(copied.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_information_is_apart_and_found() {
        let folder = std::env::temp_dir().join(format!("dpor-install-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let source = "int own(int x) { return x + 1; }";
        std::fs::write(folder.join("x.c"), source).expect("it can be written");
        let run = |command: &mut Command| {
            let ran = command.current_dir(&folder).output().expect("it runs");
            String::from_utf8_lossy(&ran.stdout).into_owned()
        };
        run(Command::new("cc").args(["-g", "-shared", "-fPIC", "x.c", "-o", "libx.so"]));
        let sections = |name: &str| run(Command::new("objdump").args(["-h", name]));
        assert!(sections("libx.so").contains(".debug_info"));
        split_debug_information(&folder, "libx.so").expect("it is split");
        let left = sections("libx.so");
        assert!(
            !left.contains(".debug_info") && left.contains(".gnu_debuglink"),
            "{left}"
        );
        assert!(sections(".debug/libx.so.debug").contains(".debug_info"));
        assert!(run(Command::new("nm").arg("libx.so")).contains(" T own"));
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
