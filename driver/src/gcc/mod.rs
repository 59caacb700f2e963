//! `dpor-gcc`, `dpor-g++`, `dpor-gfortran`: what is added to a call of gcc, as a pure function of the arguments.
//!
//! ```text
//! gcc  [-B… -fsanitize=thread --param=… -f… -idirafter … -g1 -D__DPOR__=1] [-ldpor_rt]  USER'S ARGUMENTS  [-L … -rpath … -z now]
//!          always when there is an input                    only when gcc will link          likewise
//! ```
//!
//! - gcc itself inserts the calls, as for ThreadSanitizer, whose functions the runtime defines (`runtime/interpose/src/tsan`).
//! - In the folder of `-B` gcc finds an assembler, which is this command again: it puts what only the pass would know
//!   into the text that gcc wrote ([`assembly`]), and calls the assembler that there is.
//! - There is a `libtsan.so` beside it that leads to `libdpor_rt.so`.
//!
//! Code that gcc would write inline for functions of memory and strings has no calls, so the functions are called: also
//! where they are asked for as built-in ones (`runtime/abi/include/dpor/builtins.h`).

pub mod assembly;
pub mod command;

use crate::cc::request::{understand, Request};
use crate::cc::{expand, lib_options};
use crate::flags::is_level;
use dpor_abi::access_list::LEVEL;
use std::path::{Path, PathBuf};

/// The environment variable that names the compiler, and the command in the search path otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `dpor-gcc`.
    C,
    /// `dpor-g++`.
    Cxx,
    /// `dpor-gfortran`.
    Fortran,
}

impl Language {
    /// The language of a command by its name.
    pub fn of_command(name: &str) -> Option<Language> {
        Some(match name {
            "dpor-gcc" => Language::C,
            "dpor-g++" => Language::Cxx,
            "dpor-gfortran" => Language::Fortran,
            _ => return None,
        })
    }

    /// The environment variable that names the compiler.
    pub fn variable(self) -> &'static str {
        match self {
            Language::C => "DPOR_GCC",
            Language::Cxx => "DPOR_GXX",
            Language::Fortran => "DPOR_GFORTRAN",
        }
    }

    /// The compiler, as the environment or the search path has it.
    pub fn compiler(self) -> PathBuf {
        let named = std::env::var_os(self.variable()).filter(|value| !value.is_empty());
        named.map_or_else(|| self.name().into(), PathBuf::from)
    }

    fn name(self) -> &'static str {
        match self {
            Language::C => "gcc",
            Language::Cxx => "g++",
            Language::Fortran => "gfortran",
        }
    }
}

/// Files of this installation, and the gcc that is called.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The major version of gcc.
    pub version: u32,
    /// Folder of `libdpor_rt.so`.
    pub lib: PathBuf,
    /// Folder of `dpor.h`.
    pub include: PathBuf,
    /// The language of the command, which decides what options gcc takes without a warning.
    pub language: Language,
}

impl Toolchain {
    /// Folder with what gcc is to find instead of its own.
    pub fn parts(&self) -> PathBuf {
        self.lib.join("dpor/gcc")
    }
}

/// What stands before and after the user's arguments in the call of gcc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    /// Arguments between the program name and the user's arguments.
    pub before: Vec<String>,
    /// Arguments behind the user's.
    pub after: Vec<String>,
    /// `NDEBUG` is defined: the assembler cannot see it.
    pub without_assertions: bool,
    /// The linker runs: what it links that is not instrumented is to be told.
    pub links: bool,
}

/// The first gcc whose calls tell volatile accesses from others.
const DISTINGUISHES_VOLATILE: u32 = 11;

/// The oldest gcc that is taken (chosen: the oldest that a supported distribution has).
pub const OLDEST: u32 = 9;

/// Functions that gcc would write code for instead of calling them, which has no calls of ThreadSanitizer's.
const BUILT_IN: [&str; 22] = [
    "memcpy", "memmove", "memset", "mempcpy", "memcmp", "memchr", "bcopy", "bcmp", "bzero",
    "strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat", "strlen", "strnlen", "strcmp",
    "strncmp", "strchr", "strrchr", "index",
];

/// What must be added so that gcc does what the user asks and instruments.
///
/// `level` replaces the optimization level of the arguments. `read` gives the text of a response file.
///
/// # Errors
/// One sentence: what was asked for cannot be done.
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
    let expanded = expand(args, read, 0);
    let mut request = understand(&expanded);
    if !request.has_input {
        return Ok(Additions::default());
    }
    // What we do ourselves may be asked for.
    request.sanitizers.retain(|name| name != "thread");
    refuse(&request, &expanded)?;
    let mut after: Vec<String> = level.into_iter().map(str::to_owned).collect();
    if request.links {
        after.extend(lib_options(&toolchain.lib));
    }
    Ok(Additions {
        before: before(&request, toolchain),
        after,
        without_assertions: request.without_assertions,
        links: request.calls_linker(),
    })
}

fn before(request: &Request, toolchain: &Toolchain) -> Vec<String> {
    let mut added = vec![
        format!("-B{}/", toolchain.parts().display()),
        "-fsanitize=thread".to_owned(),
    ];
    if toolchain.version >= DISTINGUISHES_VOLATILE {
        added.push("--param=tsan-distinguish-volatile=1".to_owned());
    }
    // Calls are announced where they stand, and may change what calls may change, whichever function is called; below the
    // stack pointer nothing is kept; loops stay loops.
    let always = [
        "-fno-optimize-sibling-calls",
        "-fno-ipa-ra",
        "-mno-red-zone",
        "-mstringop-strategy=libcall",
        "-fno-tree-loop-distribute-patterns",
    ];
    added.extend(always.map(str::to_owned));
    if toolchain.language != Language::Fortran {
        added.extend(BUILT_IN.map(|name| format!("-fno-builtin-{name}")));
        let named = toolchain.include.join("dpor/builtins.h");
        added.extend(["-include".to_owned(), named.display().to_string()]);
    }
    added.extend([
        "-idirafter".to_owned(),
        toolchain.include.display().to_string(),
    ]);
    if request.has_source {
        added.extend(["-g1", "-D__DPOR__=1"].map(str::to_owned));
    }
    if request.links {
        added.push("-L".to_owned() + &toolchain.lib.display().to_string());
        added.extend(["-Wl,--no-as-needed", "-ldpor_rt"].map(str::to_owned));
    }
    added
}

fn refuse(request: &Request, args: &[String]) -> Result<(), String> {
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
    let has = |option: &str| args.iter().any(|argument| argument == option);
    if has("-masm=intel") {
        return Err(
            "-masm=intel: what gcc writes is read in the syntax that it writes by default; leave the option out"
                .to_owned(),
        );
    }
    if has("-static-libtsan") {
        return Err(
            "-static-libtsan: ThreadSanitizer's runtime takes the place of the checker's; leave the option out"
                .to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;
