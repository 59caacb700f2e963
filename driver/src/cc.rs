//! `dpor-cc`: what is added to a call of clang, as a pure function of the arguments.
//!
//! The idea is to add little and to leave the user's arguments where they are:
//!
//! ```text
//! clang  [-fpass-plugin=… -isystem … -idirafter … -g1] [-ldpor_rt]  USER'S ARGUMENTS  [-L … -rpath … -z now]
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
//! For this we must know whether there is an input at all (`clang -v` alone must not link the
//! runtime) and whether clang links; that is the whole of the argument parser below.
//!
//! **Source**: clang's driver, `Options.td` (which options take a separate value) and
//! `Driver::getFinalPhase` (which options stop before linking).

use crate::flags::is_level;
use crate::words;
use dpor_abi::access_list::LEVEL;
use std::path::{Path, PathBuf};

/// Files of this installation and the clang that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The compiler.
    pub clang: PathBuf,
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
    /// Between the program name and the user's arguments.
    pub before: Vec<String>,
    /// At the end.
    pub after: Vec<String>,
    /// `-v` was given: the pass tells its counts.
    pub verbose: bool,
}

/// What the arguments ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Request {
    /// Something that is compiled, assembled or linked.
    has_input: bool,
    /// Something other than assembler text and objects.
    has_source: bool,
    /// Clang runs the linker.
    links: bool,
    /// An input that is a header; one that is not.
    has_header: bool,
    has_other: bool,
    /// `-v`.
    verbose: bool,
    /// Last of `-flto`, `-flto=…`, `-fno-lto`.
    lto: bool,
    /// The user says where the system's headers are, or that there are none.
    other_system: bool,
    /// A completely static program.
    is_static: bool,
    /// Code for another kind of processor than x86-64.
    foreign: bool,
    /// `-cc1`: not a driver call.
    is_frontend: bool,
}

impl Request {
    fn only_headers(&self) -> bool {
        self.has_header && !self.has_other
    }
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
    let request = understand(&expand(args, read, 0));
    let mut additions = Additions {
        verbose: request.verbose,
        ..Additions::default()
    };
    if request.is_frontend || !request.has_input {
        return Ok(additions);
    }
    refuse(request)?;
    additions.before = unused_allowed(before(request, toolchain));
    let mut last: Vec<String> = level.into_iter().map(str::to_owned).collect();
    if request.links {
        last.extend(after(toolchain));
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

fn refuse(request: Request) -> Result<(), String> {
    if request.lto {
        return Err("-flto is not supported yet; compile without it".to_owned());
    }
    if request.foreign {
        return Err("only 64-bit x86 programs can be checked; compile for x86-64".to_owned());
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

fn before(request: Request, toolchain: &Toolchain) -> Vec<String> {
    let mut added = vec![format!("-fpass-plugin={}", toolchain.pass.display())];
    let mut look_in = |option: &str, folder: &Path| {
        added.extend([option.to_owned(), folder.display().to_string()]);
    };
    if !request.other_system {
        look_in("-isystem", &toolchain.include.join("dpor"));
    }
    look_in("-idirafter", &toolchain.include);
    if request.has_source {
        added.push("-g1".to_owned());
    }
    if request.links {
        added.extend(["-Wl,--no-as-needed", "-ldpor_rt"].map(str::to_owned));
    }
    added
}

fn after(toolchain: &Toolchain) -> Vec<String> {
    let lib = toolchain.lib.display().to_string();
    let mut added = vec![format!("-L{lib}")];
    // One argument each: a comma in the path would split `-Wl,`.
    for argument in ["-rpath", &lib, "-z", "now"] {
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
fn expand(args: &[String], read: &dyn Fn(&Path) -> Option<String>, depth: u32) -> Vec<String> {
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

/// Options whose value is the next argument.
const SEPARATE: &[&str] = &[
    "--param",
    "--serialize-diagnostics",
    "--sysroot",
    "--target",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-meabi",
    "-mllvm",
    "-o",
    "-resource-dir",
    "-rpath",
    "-target",
    "-u",
    "-working-directory",
    "-z",
];

/// Extensions of headers.
const HEADERS: &[&str] = &["h", "H", "hh", "hp", "hpp", "hxx", "h++"];

/// Options after which clang does not link.
const STOP_EARLY: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--precompile",
    "--analyze",
    "-emit-ast",
    "-module-file-info",
    "-verify-pch",
    "-extract-api",
    "--compile",
    "--assemble",
    "--preprocess",
    "--migrate",
    "-rewrite-objc",
    "-rewrite-legacy-objc",
    "-r",
    "--dependencies",
    "--user-dependencies",
    "-fdriver-only",
    "-print-supported-cpus",
];

/// Options after which clang prints something and does nothing else.
const PRINT_ONLY: &[&str] = &[
    "--version",
    "--help",
    "-help",
    "--help-hidden",
    "-dumpversion",
    "-dumpmachine",
];

fn understand(args: &[String]) -> Request {
    let mut request = Request::default();
    if args.first().is_some_and(|first| first.starts_with("-cc1")) {
        request.is_frontend = true;
        return request;
    }
    let mut stops = false;
    let mut language: Option<String> = None;
    let mut args = args.iter().map(String::as_str);
    while let Some(argument) = args.next() {
        match argument {
            "-x" => language = args.next().map(str::to_owned),
            "-l" | "-Xlinker" => {
                args.next();
                request.has_input = true;
            }
            "--" => {
                for input in args.by_ref() {
                    add_input(&mut request, input, language.as_deref());
                }
            }
            "-target" | "--target" => request.foreign |= args.next().is_some_and(is_foreign),
            _ if SEPARATE.contains(&argument) => {
                request.other_system |= is_other_system(argument);
                args.next();
            }
            _ if STOP_EARLY.contains(&argument) => stops = true,
            _ if PRINT_ONLY.contains(&argument) || argument.starts_with("-print-") => {
                return Request::default();
            }
            _ if argument.starts_with("--print-") || argument.starts_with("--autocomplete=") => {
                return Request::default();
            }
            "-" => add_input(&mut request, argument, language.as_deref()),
            _ if argument.starts_with('-') => flag(&mut request, &mut language, argument),
            _ => add_input(&mut request, argument, language.as_deref()),
        }
    }
    // A header by itself becomes a precompiled header.
    request.links = request.has_input && !stops && !request.only_headers();
    request
}

fn flag(request: &mut Request, language: &mut Option<String>, argument: &str) {
    match argument {
        "-v" | "--verbose" => request.verbose = true,
        _ if is_other_system(argument) => request.other_system = true,
        "-flto" => request.lto = true,
        "-fno-lto" => request.lto = false,
        "-static" | "--static" | "-static-pie" => request.is_static = true,
        "-m32" | "-m16" | "-mx32" => request.foreign = true,
        "-m64" => request.foreign = false,
        _ if argument.starts_with("-flto=") => request.lto = true,
        _ if argument.starts_with("-Wl,") => request.has_input = true,
        _ => {
            if let Some(target) = argument.strip_prefix("--target=") {
                request.foreign = is_foreign(target);
            } else if let Some(name) = argument.strip_prefix("--language=") {
                *language = Some(name.to_owned());
            } else if let Some(name) = argument.strip_prefix("-x") {
                *language = Some(name.to_owned());
            } else if argument.starts_with("-l") {
                request.has_input = true;
            }
        }
    }
}

/// Whether an option says where the system's headers are.
fn is_other_system(argument: &str) -> bool {
    const EXACT: [&str; 3] = ["-nostdinc", "-nostdlibinc", "--no-standard-includes"];
    const PREFIXES: [&str; 2] = ["--sysroot", "-isysroot"];
    EXACT.contains(&argument) || PREFIXES.iter().any(|prefix| argument.starts_with(prefix))
}

fn add_input(request: &mut Request, input: &str, language: Option<&str>) {
    request.has_input = true;
    let extension = Path::new(input).extension().and_then(|e| e.to_str());
    let is_header = match (language, extension) {
        (Some("none") | None, Some(extension)) => HEADERS.contains(&extension),
        (language, _) => language.is_some_and(|language| language.ends_with("-header")),
    };
    match is_header {
        true => request.has_header = true,
        false => request.has_other = true,
    }
    request.has_source |= match (language, extension) {
        (Some("assembler" | "assembler-with-cpp"), _) => false,
        (Some("none") | None, Some("s" | "S" | "o" | "a" | "so" | "lo" | "obj")) => false,
        // libfoo.so.1
        (Some("none") | None, _) => !input.contains(".so."),
        _ => true,
    };
}

fn is_foreign(triple: &str) -> bool {
    !(triple.starts_with("x86_64") || triple.starts_with("amd64")) || triple.ends_with("x32")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain() -> Toolchain {
        Toolchain {
            clang: "/c/clang".into(),
            pass: "/d/lib/dpor/llvm-19/libdpor.so".into(),
            lib: "/d/lib".into(),
            include: "/d/include".into(),
        }
    }

    const PASS: &str =
        "--start-no-unused-arguments -fpass-plugin=/d/lib/dpor/llvm-19/libdpor.so -isystem /d/include/dpor -idirafter /d/include";
    const END: &str = "--end-no-unused-arguments";
    const RUNTIME: &str = "-Wl,--no-as-needed -ldpor_rt";
    const LINK: &str = "--start-no-unused-arguments -L/d/lib -Xlinker -rpath -Xlinker /d/lib \
         -Xlinker -z -Xlinker now --end-no-unused-arguments";

    fn add(args: &str) -> Result<Additions, String> {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        rewrite(&args, &toolchain(), None, &|path| match path.to_str()? {
            "objects.rsp" => Some("a.o 'b c.o'\n-flto".to_owned()),
            "compile.rsp" => Some("-c x.c".to_owned()),
            "again.rsp" => Some("@again.rsp".to_owned()),
            _ => None,
        })
    }

    /// The whole call.
    fn call(args: &str) -> String {
        let additions = add(args).unwrap();
        let args: Vec<&str> = args.split_whitespace().collect();
        let (options, inputs) = args.split_at(options_end(&args));
        let parts = [
            additions.before.join(" "),
            options.join(" "),
            additions.after.join(" "),
            inputs.join(" "),
        ];
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn behind_two_dashes_are_inputs_only() {
        let expect = format!("{PASS} -g1 {RUNTIME} {END} -o x {LINK} -- x.c");
        assert_eq!(call("-o x -- x.c"), expect);
    }

    #[test]
    fn the_level_of_the_environment_is_the_last() {
        let rewrite = |args: &str, level: &str| {
            let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
            rewrite(&args, &toolchain(), Some(level), &|_| None)
        };
        let after = |args: &str| rewrite(args, "-O0").unwrap().after.join(" ");
        assert_eq!(
            after("-O3 -c x.c"),
            format!("--start-no-unused-arguments -O0 {END}")
        );
        let linked = after("-O3 x.c");
        assert!(
            linked.starts_with("--start-no-unused-arguments -O0 -L/d/lib"),
            "{linked}"
        );
        assert_eq!(after("-v"), "");
        for odd in ["O2", "-g", "-O9", "-O2 -g"] {
            assert!(rewrite("x.c", odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn compiling_adds_the_pass() {
        let check = |args: &str| {
            let expect = format!("{PASS} -g1 {END} {args}");
            assert_eq!(call(args), expect, "{args}");
        };
        check("-c x.c");
        check("-c x.c -o x.o -MD -MF x.d -MT x.o");
        check("-S -O2 x.c");
        check("-E -");
        check("-E -dM -x c /dev/null");
        check("-M x.c");
        check("-fsyntax-only x.cc");
        check("-x c-header x.h -c");
        check("-x c++-header x.h -o x.pch");
        check("x.hpp -o x.pch");
        check("-c x.ll");
        check("-c -x c x.s");
        check("-c -o -lx x.c");
        check("-c a.c b.c c.c");
        check("@compile.rsp");
        check("-r a.c");
        check("-c -fsanitize=thread x.c");
        check("-c -flto -fno-lto x.c");
        check("-c -static x.c");
        check("-c -- -odd.c");
        check("-c --target=x86_64-pc-linux-gnu x.c");
    }

    #[test]
    fn another_system_has_its_own_headers() {
        let pass = PASS.replace("-isystem /d/include/dpor ", "");
        for args in [
            "-c -nostdinc x.c",
            "-c -nostdlibinc x.c",
            "-c --sysroot=/s x.c",
            "-c --sysroot /s x.c",
            "-c -isysroot /s x.c",
            "-c -isysroot/s x.c",
        ] {
            assert_eq!(call(args), format!("{pass} -g1 {END} {args}"), "{args}");
        }
        assert!(call("-c -nostdinc++ x.cc").contains("-isystem"));
        assert!(call("-c -o -nostdinc x.c").contains("-isystem"));
    }

    #[test]
    fn linking_adds_the_runtime_first_and_its_folder_last() {
        let check = |args: &str| {
            let expect = format!("{PASS} -g1 {RUNTIME} {END} {args} {LINK}");
            assert_eq!(call(args), expect, "{args}");
        };
        check("x.c");
        check("x.c -o x -lpthread");
        check("-shared -fPIC x.c -o libx.so");
        check("-g0 x.c");
        check("-");
        check("-x c - -o x");
        check("-### x.c");
        check("a.o x.c");
        check("-m32 -m64 x.c");
        check("-MD x.c");
    }

    #[test]
    fn objects_and_assembler_get_no_debug_option() {
        let link = |args: &str| {
            let expect = format!("{PASS} {RUNTIME} {END} {args} {LINK}");
            assert_eq!(call(args), expect, "{args}");
        };
        link("a.o b.o -o x");
        link("-o x -lfoo");
        link("-Wl,--version");
        link("-Xlinker --version");
        link("a.o libfoo.so.1 libbar.a");
        let assemble = |args: &str| {
            let expect = format!("{PASS} {END} {args}");
            assert_eq!(call(args), expect, "{args}");
        };
        assemble("-c x.s");
        assemble("-c x.S");
        assemble("-c -x assembler -");
        assemble("-c -xassembler-with-cpp x.c");
    }

    #[test]
    fn without_an_input_nothing_is_added() {
        for args in [
            "",
            "-v",
            "--version",
            "-dumpmachine",
            "-print-search-dirs",
            "--print-file-name=libc.so",
            "--version x.c",
            "-print-prog-name=ld x.c",
            "-cc1 -emit-obj x.c",
            "-cc1as x.s",
            "-c",
            "-o x",
            "-x c",
            "-I x.c",
            "@again.rsp -v -dumpversion",
        ] {
            assert_eq!(call(args), args);
        }
    }

    #[test]
    fn verbose_is_passed_on_and_noticed() {
        assert!(add("-v -c x.c").unwrap().verbose);
        assert!(!add("-c -o -v x.c").unwrap().verbose);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let check = |args: &str, expect: &str| {
            let message = add(args).unwrap_err();
            assert!(message.contains(expect), "{args}: {message}");
        };
        check("-flto x.c", "-flto is not supported yet");
        check("-flto=thin -c x.c", "-flto is not supported yet");
        check("@objects.rsp -o x", "-flto is not supported yet");
        check("-static x.c", "-static");
        check("-static-pie x.o", "-static");
        check("-m32 -c x.c", "64-bit x86");
        check("-target aarch64-linux-gnu -c x.c", "64-bit x86");
        check("--target=i686-linux-gnu x.c", "64-bit x86");
    }
}
