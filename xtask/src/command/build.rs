//! `cargo xtask build`: everything, into target/dpor/.
//!
//! ```text
//! bin/dpor  bin/dpor-cc  bin/dpor-c++ …        the commands
//! lib/dpor/gcc                                 what gcc finds instead of its own, for bin/dpor-gcc …
//! lib/libdpor_rt.so                            what instrumented programs link with
//! lib/dpor/llvm-N/libdpor.so                   the pass, once per installed LLVM
//! lib/dpor/openmp/libomp.a                     the OpenMP runtime, for -fopenmp
//! include/dpor/openmp/omp.h                    its header
//! include/dpor.h
//! include/dpor/pthread.h                       before the system's, see dpor_abi::initializer
//! include/dpor/builtins.h                      what dpor-gcc includes first
//! include/dpor/scenario*                       tests of data structures
//! lib/cmake/dpor  lib/pkgconfig                for other build systems, see `package`
//! ```

use super::{cluster, profile};
use crate::llvm::{self, Llvm, Major};
use crate::process::{self, place};
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, openmp, package, tree};
use std::path::{Path, PathBuf};

/// How the product is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The profile that is installed.
    Release,
    /// The profile that is tested: optimized in the same way, but linked in a fraction of the time.
    Ci,
}

impl Profile {
    /// The profile's name for cargo, and that of the folder below target/.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Ci => "ci",
        }
    }
}

/// Options of `build`.
#[derive(clap::Args, Debug, Default)]
pub struct Build {
    /// Build the pass for this LLVM only (may be repeated).
    #[arg(long = "llvm", value_name = "MAJOR")]
    llvms: Vec<Major>,
    /// Compile the runtime twice, the second time for how it is used: checks take a tenth less time
    #[arg(long)]
    pub profile_guided: bool,
    /// A dpor that can be one of several MPI ranks (dpor check --mpi): needs an MPI and libclang
    #[arg(long)]
    pub mpi: bool,
}

impl Build {
    /// A build of everything, with a dpor that speaks MPI.
    pub fn with_mpi() -> Build {
        Build {
            mpi: true,
            ..Build::default()
        }
    }

    /// Builds everything.
    ///
    /// # Errors
    /// What is missing, or what does not compile.
    pub fn run(&self) -> Outcome {
        let llvms = self.selected(prepare()?)?;
        build_workspace(Profile::Release)?;
        if self.mpi {
            build_with_mpi()?;
        }
        for llvm in &llvms {
            build_pass(llvm)?;
        }
        openmp::build()?;
        if self.profile_guided {
            profile::build()?;
        }
        println!(
            "built target/dpor for LLVM {}",
            llvms
                .iter()
                .map(|llvm| llvm.major.to_string())
                .collect::<Vec<_>>()
                .join(", ")
        );
        Ok(())
    }

    fn selected(&self, mut installed: Vec<Llvm>) -> Outcome<Vec<Llvm>> {
        if self.llvms.is_empty() {
            return Ok(installed);
        }
        for wanted in &self.llvms {
            if !installed.iter().any(|llvm| llvm.major == *wanted) {
                return Err(Stop::cannot(format!(
                    "LLVM {wanted} is not installed or not supported; clang-{wanted} and llvm-{wanted}-dev are needed"
                )));
            }
        }
        installed.retain(|llvm| self.llvms.contains(&llvm.major));
        Ok(installed)
    }
}

/// The installed LLVMs; installs one if there is none.
///
/// # Errors
/// The line to run, where we may not install.
pub fn ensure_llvm() -> Outcome<Vec<Llvm>> {
    let installed = llvm::installed();
    if !installed.is_empty() {
        return Ok(installed);
    }
    let names = packages(llvm::DEFAULT);
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    // clang brings libstdc++'s headers, but not always those of the gcc that links for us.
    if process::find("c++").is_none() {
        names.push("g++");
    }
    apt::install(&names)?;
    match llvm::installed() {
        none if none.is_empty() => Err(Stop::cannot(
            "clang was installed, but /usr/lib/llvm-*/bin/llvm-config is not there",
        )),
        found => Ok(found),
    }
}

/// Packages that serve one LLVM.
pub fn packages(major: Major) -> Vec<String> {
    vec![
        format!("clang-{major}"),
        format!("llvm-{major}-dev"),
        format!("lld-{major}"),
    ]
}

/// Makes sure that everything is there before it is compiled: an LLVM, and the crates.
///
/// # Errors
/// What is missing, and the line to run.
pub fn prepare() -> Outcome<Vec<Llvm>> {
    let llvms = ensure_llvm()?;
    for manifest in ["Cargo.toml", "pass/Cargo.toml"] {
        let mut cargo = process::cargo();
        cargo.current_dir(tree::root()).args(["fetch", "--quiet"]);
        cargo.args(["--locked", "--target", "x86_64-unknown-linux-gnu"]);
        cargo.args(["--manifest-path", manifest]);
        if process::run(&mut cargo).is_err() {
            let line = process::shown(&cargo);
            return Err(Stop::cannot(format!(
                "the crates of {manifest} are not here and could not be fetched; where there is a network, run this and try again:\n  {line}"
            )));
        }
    }
    Ok(llvms)
}

/// Headers: of programs, and what the compilers' commands include.
const HEADERS: [&str; 12] = [
    "dpor.h",
    "dpor/pthread.h",
    "dpor/builtins.h",
    "dpor/scenario.h",
    "dpor/scenario.hpp",
    "dpor/scenario_core.h",
    "dpor/scenario_emit.h",
    "dpor/scenario_fixed.h",
    "dpor/scenario_judge.h",
    "dpor/scenario_told.h",
    "dpor/scenario_search.h",
    "dpor/scenario_suite.hpp",
];

/// Commands, runtime and headers, into target/dpor.
///
/// # Errors
/// What does not compile.
pub fn build_workspace(profile: Profile) -> Outcome {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args(["build", "--profile", profile.name()]);
    cargo.args(["-p", "dpor", "-p", "dpor-runtime"]);
    process::run(&mut cargo)?;
    let built = tree::target().join(profile.name());
    let product = tree::product();
    place(&built.join("dpor"), &product.join("bin/dpor"))?;
    place(&built.join("dpor-cc"), &product.join("bin/dpor-cc"))?;
    for name in ["dpor-c++", "dpor-gcc", "dpor-g++", "dpor-gfortran"] {
        link(&product.join("bin"), name, "dpor-cc")?;
    }
    for_gcc(&product.join("lib/dpor/gcc"))?;
    place(
        &built.join("libdpor_rt.so"),
        &product.join("lib/libdpor_rt.so"),
    )?;
    for header in HEADERS {
        place(
            &tree::root().join("runtime/abi/include").join(header),
            &product.join("include").join(header),
        )?;
    }
    package::describe(&product)
}

/// Another dpor in the place of the one there is, from a target folder of its own: a crate with other
/// features would be built anew each time.
fn build_with_mpi() -> Outcome {
    let libclang = cluster::provide()?;
    let target = tree::target().join("mpi");
    let mut cargo = process::cargo();
    cargo
        .current_dir(tree::root())
        .env("LIBCLANG_PATH", libclang);
    cargo.args(["build", "--release", "-p", "dpor", "--bin", "dpor"]);
    cargo
        .args(["--features", "mpi", "--target-dir"])
        .arg(&target);
    process::run(&mut cargo)?;
    place(
        &target.join("release/dpor"),
        &tree::product().join("bin/dpor"),
    )
}

/// The other commands are `dpor-cc` by other names, as `clang++` is `clang`.
fn link(folder: &Path, name: &str, to: &str) -> Outcome {
    let link = folder.join(name);
    if std::fs::read_link(&link).is_ok_and(|known| known == Path::new(to)) {
        return Ok(());
    }
    let next = folder.join(format!(".{name}.{}", std::process::id()));
    std::os::unix::fs::symlink(to, &next).while_doing(next.display())?;
    std::fs::rename(&next, &link).while_doing(link.display())
}

/// What gcc finds instead of its own: the assembler, which is `dpor-cc` by that name, and ThreadSanitizer's library, which
/// is our runtime.
fn for_gcc(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder).while_doing(folder.display())?;
    link(folder, "as", "../../../bin/dpor-cc")?;
    let library = folder.join("libtsan.so");
    let next = folder.join(format!(".libtsan.so.{}", std::process::id()));
    let text = "/* GNU ld script: what gcc asks for as ThreadSanitizer's library. */\nINPUT ( -ldpor_rt )\n";
    std::fs::write(&next, text).while_doing(next.display())?;
    std::fs::rename(&next, &library).while_doing(library.display())
}

fn build_pass(llvm: &Llvm) -> Outcome {
    let mut cargo = pass_cargo(llvm, "build");
    cargo.arg("--release");
    process::run(&mut cargo)?;
    place_pass(llvm, Profile::Release)
}

/// Puts a pass that was built into target/dpor.
///
/// # Errors
/// If it cannot be read or written.
pub fn place_pass(llvm: &Llvm, profile: Profile) -> Outcome {
    let to = format!("lib/dpor/llvm-{}/libdpor.so", llvm.major);
    // In deps: `cargo test` does not copy it from there.
    let built = pass_target(llvm)
        .join(profile.name())
        .join("deps/libdpor.so");
    place(&built, &tree::product().join(to))
}

/// A cargo command on the pass for one LLVM, in a target folder of its own.
pub fn pass_cargo(llvm: &Llvm, verb: &str) -> std::process::Command {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo
        .args([verb, "--manifest-path", "pass/Cargo.toml"])
        .args(["--no-default-features", "--features", &llvm.feature()])
        .arg("--target-dir")
        .arg(pass_target(llvm))
        .envs(llvm.environment());
    cargo
}

fn pass_target(llvm: &Llvm) -> PathBuf {
    tree::target().join(format!("pass-{}", llvm.major))
}
