//! The request in the arguments of a call of clang: whether there is an input, whether clang links.
//!
//! **Source**: clang's driver, `Options.td` (which options take a separate value) and
//! `Driver::getFinalPhase` (which options stop before linking).

use std::path::Path;

/// What the arguments ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// True if something is compiled, assembled or linked.
    pub has_input: bool,
    /// True if something other than assembler text and objects is.
    pub has_source: bool,
    /// Clang runs the linker.
    pub links: bool,
    /// True if an input is a header.
    pub has_header: bool,
    /// True if an input is no header.
    pub has_other: bool,
    /// True if the arguments have `-v`.
    pub verbose: bool,
    /// Last of `-flto`, `-flto=…`, `-fno-lto`.
    pub lto: bool,
    /// True if the last level is `-O0`.
    pub unoptimized: bool,
    /// Last of `-ffat-lto-objects`, `-fno-fat-lto-objects`.
    pub fat: bool,
    /// True if the linker makes one object of many (`-r`).
    pub relocatable: bool,
    /// The linker that the arguments name; none for clang's choice.
    pub linker: Option<String>,
    /// True if `--ld-path=` names a linker.
    pub has_linker_path: bool,
    /// The user says where the system's headers are, or that there are none.
    pub other_system: bool,
    /// A completely static program.
    pub is_static: bool,
    /// Code for another kind of processor than x86-64.
    pub foreign: bool,
    /// True if this is a call of the compiler proper (`-cc1`), not of the driver.
    pub is_frontend: bool,
    /// Last of `-DNDEBUG`, `-UNDEBUG`.
    pub without_assertions: bool,
    /// Sanitizers that are on and cannot be beside the checker.
    pub sanitizers: Vec<String>,
    /// Last of `-fopenmp`, `-fopenmp=libomp`, `-fno-openmp`: the library is the one of LLVM's interface.
    pub openmp: bool,
    /// An OpenMP library that the arguments name.
    pub has_openmp_library: bool,
}

impl Request {
    fn only_headers(&self) -> bool {
        self.has_header && !self.has_other
    }

    /// `-D` and `-U`, with what follows them.
    fn define(&mut self, is_defined: bool, macro_: &str) {
        if macro_.split(['=', '(']).next() == Some("NDEBUG") {
            self.without_assertions = is_defined;
        }
    }

    /// The last word on each sanitizer counts.
    fn sanitize(&mut self, is_on: bool, names: &str) {
        for name in names.split(',') {
            let is_it = |one: &String| name == "all" || one == name;
            self.sanitizers.retain(|one| !is_it(one));
            if is_on && SANITIZERS.contains(&name) {
                self.sanitizers.push(name.to_owned());
            }
        }
    }

    /// The linker runs, be it for an object.
    pub fn calls_linker(&self) -> bool {
        self.links || (self.relocatable && self.has_input)
    }

    /// The linker that is named is lld.
    pub fn names_lld(&self) -> bool {
        let name = |linker: &str| Path::new(linker).file_name().map(|n| n.to_owned());
        let linker = self.linker.as_deref().and_then(name);
        linker.is_some_and(|name| name.to_string_lossy().contains("lld"))
    }

    /// `--ld-path=` counts, whatever `-fuse-ld=` says.
    fn name_linker(&mut self, argument: &str) {
        if let Some(path) = argument.strip_prefix("--ld-path=") {
            self.linker = Some(path.to_owned());
            self.has_linker_path = true;
        } else if let Some(name) = argument.strip_prefix("-fuse-ld=") {
            if !self.has_linker_path {
                self.linker = Some(name.to_owned());
            }
        }
    }
}

/// Sanitizers with a runtime that takes the place of ours: its own memory layout, heap and thread functions.
const SANITIZERS: [&str; 4] = ["thread", "address", "memory", "leak"];

/// Options whose value is the next argument.
pub(super) const SEPARATE: &[&str] = &[
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

/// Reads the arguments, response files already replaced by their content.
pub fn understand(args: &[String]) -> Request {
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
                let value = args.next();
                request.has_openmp_library |= argument == "-l" && value.is_some_and(is_openmp);
                request.has_input = true;
            }
            "--" => {
                for input in args.by_ref() {
                    add_input(&mut request, input, language.as_deref());
                }
            }
            "-D" | "-U" => {
                if let Some(name) = args.next() {
                    request.define(argument == "-D", name);
                }
            }
            "-target" | "--target" => request.foreign |= args.next().is_some_and(is_foreign),
            _ if SEPARATE.contains(&argument) => {
                request.other_system |= is_other_system(argument);
                args.next();
            }
            _ if STOP_EARLY.contains(&argument) => {
                stops = true;
                request.relocatable |= argument == "-r";
            }
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
        _ if argument.starts_with("-O") => request.unoptimized = argument == "-O0",
        "-flto" => request.lto = true,
        "-fno-lto" => request.lto = false,
        "-ffat-lto-objects" => request.fat = true,
        "-fno-fat-lto-objects" => request.fat = false,
        "-static" | "--static" | "-static-pie" => request.is_static = true,
        "-m32" | "-m16" | "-mx32" => request.foreign = true,
        "-m64" => request.foreign = false,
        "-fopenmp" | "-fopenmp=libomp" => request.openmp = true,
        "-fno-openmp" => request.openmp = false,
        _ if argument.starts_with("-fopenmp=") => request.openmp = false,
        _ if argument.starts_with("-flto=") => request.lto = true,
        _ if argument.starts_with("-Wl,") => request.has_input = true,
        _ => {
            request.name_linker(argument);
            if let Some(target) = argument.strip_prefix("--target=") {
                request.foreign = is_foreign(target);
            } else if let Some(name) = argument.strip_prefix("--language=") {
                *language = Some(name.to_owned());
            } else if let Some(name) = argument.strip_prefix("-D") {
                request.define(true, name);
            } else if let Some(name) = argument.strip_prefix("-U") {
                request.define(false, name);
            } else if let Some(names) = argument.strip_prefix("-fsanitize=") {
                request.sanitize(true, names);
            } else if let Some(names) = argument.strip_prefix("-fno-sanitize=") {
                request.sanitize(false, names);
            } else if let Some(words) = argument.strip_prefix("-Wp,") {
                let words: Vec<String> = words.split(',').map(str::to_owned).collect();
                let said = understand(&words);
                request.without_assertions |= said.without_assertions;
            } else if let Some(name) = argument.strip_prefix("-x") {
                *language = Some(name.to_owned());
            } else if let Some(name) = argument.strip_prefix("-l") {
                request.has_openmp_library |= is_openmp(name);
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

/// Whether `-l` names an OpenMP library.
fn is_openmp(name: &str) -> bool {
    let name = name.strip_prefix(":lib").unwrap_or(name);
    let name = name.split('.').next().unwrap_or_default();
    matches!(name, "omp" | "iomp5" | "gomp")
}

/// Whether a file is an OpenMP library.
fn is_openmp_file(input: &str) -> bool {
    let file = input.rsplit('/').next().unwrap_or_default();
    let is_library = file.contains(".so") || file.ends_with(".a");
    is_library && file.strip_prefix("lib").is_some_and(is_openmp)
}

fn add_input(request: &mut Request, input: &str, language: Option<&str>) {
    request.has_input = true;
    request.has_openmp_library |= is_openmp_file(input);
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
