//! `dpor-cc`: what is added to a call of clang, as a pure function of the arguments.
//!
//! The idea is to add little and to leave the user's arguments where they are:
//!
//! ```text
//! clang  [-fpass-plugin=… -isystem … -idirafter … -g1 -D__DPOR__=1] [-ldpor_rt]  USER'S ARGUMENTS  [-L … -rpath … -z now]
//!         always when there is an input                 only when clang will link          likewise
//! ```
//!
//! - What stands in front can be overridden: a later `-g0` or `-ggdb` wins over our `-g1`.
//! - The runtime is the first library, so that its `pthread_create` and `malloc` come before those
//!   of every other library in the search order of the dynamic linker.
//! - A `<pthread.h>` of ours stands before the system's ([`dpor_abi::initializer`]), but not where the
//!   user says which system that is: there it may have none, and programs may ask for that.
//! - Each addition stands between `--start-no-unused-arguments` and `--end-no-unused-arguments`:
//!   configuration scripts run with `-Werror`, and their warnings must stay theirs alone.
//!
//! - With `-fopenmp` the OpenMP runtime of this installation is what clang's own `-lomp` finds, and its `omp.h` is the
//!   first: unless an OpenMP library is named.
//! - With link-time optimization the linker instruments (see the pass): `--load-pass-plugin` for lld, and
//!   lld whatever linker would be taken otherwise, as no other one loads the pass.
//!
//! For this we must know whether there is an input at all (`clang -v` alone must not link the
//! runtime) and whether clang links; that is the whole of the argument parser ([`request`]).

pub mod linked;
pub mod request;
pub mod vouch;

use self::request::{understand, Request};
use crate::flags::is_level;
use crate::words;
use dpor_abi::access_list::LEVEL;
use dpor_abi::foreign::ALL_KNOWN;
use std::path::{Path, PathBuf};

/// Files of this installation and the clang that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The compiler.
    pub clang: PathBuf,
    /// The major version of the LLVM that the clang is of.
    pub llvm: u32,
    /// `libdpor.so` for that clang.
    pub pass: PathBuf,
    /// Folder of `libdpor_rt.so`.
    pub lib: PathBuf,
    /// Folder of `dpor.h`, and of `dpor/pthread.h`.
    pub include: PathBuf,
}

/// What stands before and after the user's arguments in the call of clang.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    /// Arguments between the program name and the user's arguments.
    pub before: Vec<String>,
    /// Arguments behind the user's.
    pub after: Vec<String>,
    /// `-v` was given: the pass tells its counts.
    pub verbose: bool,
    /// `NDEBUG` is defined: the pass cannot see it.
    pub without_assertions: bool,
    /// Clang will call lld, because we say so.
    pub needs_lld: bool,
    /// The linker runs, be it for an object: what it links that is not instrumented is to be told.
    pub links: bool,
}

/// What must be added so that clang does what the user asks and instruments.
///
/// `args` are only looked at (an argument that is not UTF-8 may be given lossily).
/// `level` replaces the optimization level of the arguments: behind them, as the last one counts.
/// `read` gives the text of a response file (`@file`), `None` if it cannot be read (then clang
/// takes the argument literally, and so do we).
///
/// # Errors
/// One sentence: what was asked for cannot be done yet.
pub fn rewrite(
    args: &[String],
    toolchain: &Toolchain,
    level: Option<&str>,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Result<Additions, String> {
    if let Some(odd) = level.filter(|level| !is_level(level)) {
        return Err(format!(
            "{LEVEL}: '{odd}' is no optimization level, as in -O2"
        ));
    }
    let mut request = understand(&expand(args, read, 0));
    request.unoptimized = level.map_or(request.unoptimized, |level| level == "-O0");
    let mut additions = Additions {
        verbose: request.verbose,
        without_assertions: request.without_assertions,
        ..Additions::default()
    };
    if request.is_frontend || !request.has_input {
        return Ok(additions);
    }
    refuse(&request, toolchain)?;
    additions.before = unused_allowed(before(&request, toolchain));
    let mut last: Vec<String> = level.into_iter().map(str::to_owned).collect();
    last.extend(for_link_time(&request, toolchain));
    additions.links = request.calls_linker();
    additions.needs_lld = request.lto && request.calls_linker() && !request.names_lld();
    if request.links {
        last.extend(lib_options(&toolchain.lib));
    }
    if !last.is_empty() {
        additions.after = unused_allowed(last);
    }
    Ok(additions)
}

/// Where what is added behind the arguments goes: before a `--`, behind which all are inputs.
pub fn options_end<T: AsRef<std::ffi::OsStr>>(args: &[T]) -> usize {
    let end = args.iter().position(|argument| argument.as_ref() == "--");
    end.unwrap_or(args.len())
}

/// The first LLVM whose modules say that they will be optimized again when they are linked.
const LTO_LLVM: u32 = 16;

fn refuse(request: &Request, toolchain: &Toolchain) -> Result<(), String> {
    if request.lto && toolchain.llvm < LTO_LLVM {
        return Err(format!(
            "-flto: clang {} does not tell the pass of it; take clang {LTO_LLVM} or a newer one",
            toolchain.llvm
        ));
    }
    if request.lto && request.has_linker_path && !request.names_lld() {
        return Err(
            "--ld-path: with -flto the linker instruments, and only lld can; leave the option out"
                .to_owned(),
        );
    }
    if request.foreign {
        return Err("only 64-bit x86 programs can be checked; compile for x86-64".to_owned());
    }
    if let Some(name) = request.sanitizers.first() {
        return Err(format!(
            "-fsanitize={name}: its runtime takes the place of the checker's, which finds data races and memory \
             errors by itself; leave the option out"
        ));
    }
    if request.is_static && request.links {
        return Err(
            "-static: the runtime is a shared library, so a static program cannot be checked; \
             link dynamically"
                .to_owned(),
        );
    }
    Ok(())
}

/// Where the OpenMP runtime is, below the folder of libraries, and its header, below that of headers.
const OPENMP: &str = "dpor/openmp";

fn before(request: &Request, toolchain: &Toolchain) -> Vec<String> {
    let mut added = vec![format!("-fpass-plugin={}", toolchain.pass.display())];
    let mut look_in = |option: &str, folder: &Path| {
        added.extend([option.to_owned(), folder.display().to_string()]);
    };
    if !request.other_system {
        look_in("-isystem", &toolchain.include.join("dpor"));
    }
    if request.openmp && !request.has_openmp_library {
        look_in("-isystem", &toolchain.include.join(OPENMP));
    }
    look_in("-idirafter", &toolchain.include);
    if request.openmp {
        // Threads last as long as a region: thread-local storage would not last from one to the next.
        added.push("-fnoopenmp-use-tls".to_owned());
    }
    if request.has_source {
        // `-U` of the user's stands behind it.
        added.extend(["-g1", "-D__DPOR__=1"].map(str::to_owned));
    }
    if request.links {
        added.extend(["-Wl,--no-as-needed", "-ldpor_rt"].map(str::to_owned));
    }
    if request.links && request.openmp && !request.has_openmp_library {
        // Before the user's: clang's `-lomp` finds ours.
        added.push(format!("-L{}", toolchain.lib.join(OPENMP).display()));
    }
    added
}

/// What link-time optimization needs when it is asked for, and what the linker needs that optimizes
/// bitcode without being asked.
fn for_link_time(request: &Request, toolchain: &Toolchain) -> Vec<String> {
    let mut added = Vec::new();
    // The code beside the bitcode of a fat object would have no hooks.
    if request.lto && request.fat {
        added.push("-fno-fat-lto-objects".to_owned());
    }
    if request.calls_linker() && (request.lto || request.names_lld()) {
        if !request.names_lld() {
            added.push("-fuse-ld=lld".to_owned());
        }
        let pass = format!("--load-pass-plugin={}", toolchain.pass.display());
        added.extend(["-Xlinker".to_owned(), pass]);
        // At level 0 lld has no place for a pass in thin modules. Level 1 does next to nothing to
        // functions that clang compiled at level 0: they have `optnone`.
        if request.unoptimized {
            added.extend(["-Xlinker", "--lto-O1"].map(str::to_owned));
        }
    }
    added
}

/// What has the linker find the runtime in its folder, and the program find it there.
pub fn lib_options(lib: &Path) -> Vec<String> {
    let lib = lib.display().to_string();
    let mut added = vec![format!("-L{lib}")];
    let known = format!("--defsym={ALL_KNOWN}=1");
    // One argument each: a comma in the path would split `-Wl,`.
    for argument in ["-rpath", &lib, "-z", "now", &known] {
        added.extend(["-Xlinker".to_owned(), argument.to_owned()]);
    }
    added
}

fn unused_allowed(mut added: Vec<String>) -> Vec<String> {
    added.insert(0, "--start-no-unused-arguments".to_owned());
    added.push("--end-no-unused-arguments".to_owned());
    added
}

/// The arguments with response files replaced by their content.
pub fn expand(args: &[String], read: &dyn Fn(&Path) -> Option<String>, depth: u32) -> Vec<String> {
    // Clang refuses files that include themselves; the depth only keeps us from looping first.
    const DEPTH_MAX: u32 = 16;
    let mut expanded = Vec::new();
    for argument in args {
        let file = argument.strip_prefix('@').filter(|_| depth < DEPTH_MAX);
        match file.and_then(|file| read(Path::new(file))) {
            Some(text) => expanded.extend(expand(&words::split(&text), read, depth + 1)),
            None => expanded.push(argument.clone()),
        }
    }
    expanded
}

#[cfg(test)]
mod tests;
