//! The files of this installation, and the clang that goes with it.
//!
//! ```text
//! PREFIX/bin/{dpor,dpor-cc,dpor-c++,dpor-gcc,…}   PREFIX/lib/libdpor_rt.so   PREFIX/lib/dpor/llvm-N/libdpor.so
//! PREFIX/lib/dpor/gcc/{as,libtsan.so}
//! PREFIX/include/dpor.h   PREFIX/include/dpor/pthread.h
//! ```
//!
//! PREFIX is found from the path of the running command, so a build folder and an installation
//! work alike and can be moved.

use crate::cc::Toolchain;
use dpor_abi::llvm;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runtime's file name, as linked.
pub const RUNTIME: &str = "libdpor_rt.so";

/// Language of a compiler command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `dpor-cc`, clang.
    C,
    /// `dpor-c++`, clang++.
    Cxx,
}

/// The folder that holds bin, lib and include.
#[derive(Clone, Debug)]
pub struct Installation {
    prefix: PathBuf,
}

impl Installation {
    /// The one that the running command belongs to.
    ///
    /// # Errors
    /// One sentence, if the system does not tell the command's path.
    pub fn of_this_command() -> Result<Installation, String> {
        let command = std::env::current_exe()
            .map_err(|why| format!("the path of this command is unknown: {why}"))?;
        let bin = command.parent().unwrap_or(Path::new("/"));
        let prefix = bin.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Installation { prefix })
    }

    /// Folder of the libraries.
    pub fn lib(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    /// Folder of the headers.
    pub fn include(&self) -> PathBuf {
        self.prefix.join("include")
    }

    /// A command of this installation.
    pub fn command(&self, name: &str) -> PathBuf {
        self.prefix.join("bin").join(name)
    }

    /// Where the pass for a version of LLVM is, or would be.
    pub fn pass(&self, llvm_version: u32) -> PathBuf {
        let folder = self.lib().join("dpor").join(format!("llvm-{llvm_version}"));
        folder.join("libdpor.so")
    }

    /// Versions of LLVM this installation has a pass for.
    pub fn passes(&self) -> Vec<u32> {
        let has_pass = |version: &u32| self.pass(*version).is_file();
        llvm::VERSIONS.into_iter().filter(has_pass).collect()
    }

    /// The clang to call and the files that go with it: the one in the environment (DPOR_CLANG,
    /// DPOR_CLANGXX), or the first of [`llvm::VERSIONS`] for which there are a clang and a pass.
    ///
    /// # Errors
    /// One sentence: what is missing and what to do.
    pub fn toolchain(&self, language: Language) -> Result<Toolchain, String> {
        let passes = self.passes();
        if passes.is_empty() {
            let folder = self.lib().join("dpor");
            return Err(format!(
                "no pass in {}/llvm-*/libdpor.so; build with `cargo xtask build`",
                folder.display()
            ));
        }
        let (clang, version) = match asked_for(language) {
            Some(clang) => {
                let version = major_version(&clang)?;
                if !passes.contains(&version) {
                    return Err(format!(
                        "{} is clang {version}, but this dpor has passes for {} only",
                        clang.display(),
                        list(&passes)
                    ));
                }
                (clang, version)
            }
            None => installed(language, &passes)?,
        };
        Ok(Toolchain {
            clang,
            llvm: version,
            pass: self.pass(version),
            lib: self.lib(),
            include: self.include(),
        })
    }
}

fn list(versions: &[u32]) -> String {
    let names: Vec<String> = versions.iter().map(|v| format!("clang {v}")).collect();
    names.join(", ")
}

/// The clang that the environment names.
pub fn asked_for(language: Language) -> Option<PathBuf> {
    let variable = match language {
        Language::C => "DPOR_CLANG",
        Language::Cxx => "DPOR_CLANGXX",
    };
    let value = std::env::var_os(variable)?;
    (!value.is_empty()).then(|| PathBuf::from(value))
}

/// The clang of a version, where Debian's packages put it.
pub fn clang(language: Language, version: u32) -> Option<PathBuf> {
    let name = match language {
        Language::C => "clang",
        Language::Cxx => "clang++",
    };
    let candidates = [
        format!("/usr/bin/{name}-{version}"),
        format!("/usr/lib/llvm-{version}/bin/{name}"),
    ];
    candidates
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.is_file())
}

/// The lld that a clang calls for `-fuse-ld=lld`.
///
/// # Errors
/// One sentence: what to install.
pub fn lld_of(clang: &Path) -> Result<PathBuf, String> {
    let output = Command::new(clang)
        .arg("-print-prog-name=ld.lld")
        .output()
        .map_err(|why| format!("{} does not run: {why}", clang.display()))?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    // Clang repeats the name of what it does not find.
    match path.is_file() {
        true => Ok(path),
        false => Err(format!(
            "-flto: the linker instruments, and only lld can: `apt install lld-{}`",
            major_version(clang)?
        )),
    }
}

fn installed(language: Language, passes: &[u32]) -> Result<(PathBuf, u32), String> {
    for &version in passes {
        if let Some(clang) = clang(language, version) {
            return Ok((clang, version));
        }
    }
    Err(format!(
        "found none of {}; install one (`apt install clang-{}`) or set {}",
        list(passes),
        passes[0],
        if language == Language::C {
            "DPOR_CLANG"
        } else {
            "DPOR_CLANGXX"
        }
    ))
}

/// N of `clang version N.…`, the first line of `clang --version`.
fn major_version(clang: &Path) -> Result<u32, String> {
    let output = Command::new(clang)
        .arg("--version")
        .output()
        .map_err(|why| format!("{} does not run: {why}", clang.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split("clang version ").nth(1).unwrap_or_default();
    let major = version.split('.').next().unwrap_or_default();
    major
        .parse()
        .map_err(|_| format!("{} is not clang", clang.display()))
}
