//! Building a program of others by its own build system; one file per system.

mod cmake;
mod compilers;
mod configure;
mod make;
mod meson;

pub use compilers::Compilers;

use super::program::{Made, Program};
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, process, source, tree};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The build system of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    /// A Makefile alone.
    Make,
    /// A script named `configure`, made by autoreconf if the archive has none, then make.
    Configure,
    CMake {
        /// The folder of its CMakeLists.txt.
        folder: &'static str,
    },
    Meson,
    /// A library of headers alone, for which nothing is built.
    Headers,
}

/// A copy of the source, prepared.
pub struct Build<'a> {
    pub program: &'a Program,
    pub compilers: Compilers,
    /// The folder of the copy.
    pub folder: PathBuf,
    /// The version that the archive says.
    pub version: String,
}

/// The folder below the copy in which CMake and Meson build.
const BELOW: &str = "_build";

impl<'a> Build<'a> {
    /// Fetches, copies, configures and builds.
    ///
    /// # Errors
    /// If one of these fails.
    pub fn new(program: &'a Program, compilers: Compilers) -> Outcome<Build<'a>> {
        need(program.needs)?;
        let source = source::fetch(program.package)?;
        let version = source.file_name().unwrap_or_default();
        let build = Build {
            program,
            folder: { tree::scratch("real").join(compilers.name) }.join(program.name),
            compilers,
            version: version.to_string_lossy().into_owned(),
        };
        drop(std::fs::remove_dir_all(&build.folder));
        std::fs::create_dir_all(build.folder.parent().unwrap_or(&build.folder))
            .while_doing(build.folder.display())?;
        // With their dates, by which make tells what is made of what.
        process::run(Command::new("cp").arg("-a").arg(&source).arg(&build.folder))?;
        match program.system {
            System::Make | System::Headers => {}
            System::Configure => configure::prepare(&build)?,
            System::CMake { folder } => cmake::prepare(&build, folder)?,
            System::Meson => meson::prepare(&build)?,
        }
        build.make()?;
        Ok(build)
    }

    /// Builds what is not up to date.
    ///
    /// # Errors
    /// If the build fails.
    pub fn make(&self) -> Outcome {
        if self.program.system != System::Headers {
            process::run(&mut self.make_command()?)?;
        }
        match self.program.made {
            Made::Program(_) => Ok(()),
            Made::Driver { source, arguments } => self.compile(source, arguments),
        }
    }

    /// What builds the program's own files; of headers there are none.
    ///
    /// # Errors
    /// If there is no such command.
    pub fn make_command(&self) -> Outcome<Command> {
        match self.program.system {
            System::Make => make::make(self, self.program.options),
            System::Configure => make::make(self, &[]),
            System::CMake { .. } => cmake::make(self),
            System::Meson => meson::make(self),
            System::Headers => Ok(Command::new("true")),
        }
    }

    /// The program that is run.
    pub fn made(&self) -> PathBuf {
        self.folder.join(match self.program.made {
            Made::Program(path) => path,
            Made::Driver { source, .. } => stem(source),
        })
    }

    /// The driver's program, in the copy's folder.
    fn compile(&self, source: &str, arguments: &[&str]) -> Outcome {
        let is_c = source.ends_with(".c");
        let compiler = match is_c {
            true => &self.compilers.cc,
            false => &self.compilers.cxx,
        };
        let mut words = compiler.split(' ');
        let mut compile = self.command(words.next().unwrap_or_default())?;
        compile
            .args(words)
            .args(["-O2", "-g", "-w"])
            .arg(drivers().join(source));
        compile
            .args(arguments)
            .args(["-pthread", "-o", stem(source)]);
        process::run(&mut compile)
    }

    /// A command in the copy's folder that finds our compilers by their names.
    pub fn command(&self, name: &str) -> Outcome<Command> {
        let tools = tree::product().join("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path)))
            .map_err(|error| Stop::cannot(format!("PATH: {error}")))?;
        // Found by this process's own PATH otherwise.
        let ours = tree::tool(name);
        let mut command = match ours.is_file() {
            true => Command::new(ours),
            false => Command::new(name),
        };
        command.current_dir(&self.folder).env("PATH", path);
        command.env("CC", &self.compilers.cc);
        command.env("CXX", &self.compilers.cxx);
        Ok(command)
    }
}

/// Installs what is not there yet.
///
/// # Errors
/// If it cannot be installed.
pub fn need(packages: &[&str]) -> Outcome {
    let missing = packages.iter().copied().filter(|p| !apt::has(p));
    match missing.collect::<Vec<&str>>() {
        missing if missing.is_empty() => Ok(()),
        missing => apt::install(&missing),
    }
}

fn drivers() -> PathBuf {
    tree::root().join("xtask/src/command/real/drivers")
}

fn stem(source: &str) -> &str {
    Path::new(source)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or(source)
}
