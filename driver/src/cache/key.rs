//! What of a check is known before it begins, as one number.

use super::{code, state};
use crate::flags::{Check, Target};
use crate::input::Input;
use crate::launch::Stdout;
use crate::program::Program;
use dpor_abi::options::Options;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3Default;

/// A digest of parts, each with its length, so that two lists of parts with the same bytes differ.
struct Parts(Xxh3Default);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }
}

/// What is known of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The number, in hexadecimal digits.
    pub digits: String,
    /// Descriptors that the program inherits, and of which nobody knows what it would read.
    pub watched: Vec<i32>,
}

/// The key of a check whose program's standard output goes to `stdout`.
///
/// # Errors
/// Why the verdict of such a check is not kept, in words.
pub fn of(check: &Check, program: &Program, stdout: Stdout<'_>) -> Result<Key, String> {
    let options = &check.options;
    if !options.save.is_empty() || !options.resume.is_empty() {
        return Err("it is a part of a search".to_owned());
    }
    if options.commit_files || options.graph {
        return Err("it writes more than reports".to_owned());
    }
    if check.mpi || !program.runner.is_empty() {
        return Err("another program starts this one".to_owned());
    }
    let mut parts = Parts(Xxh3Default::new());
    parts.add(dpor_abi::version().as_bytes());
    parts.add(&code::digest(&program.path)?.digest);
    if let Target::Program(path) = &check.target {
        // What was compiled for this check lies elsewhere each time.
        let path = std::path::absolute(path);
        let path = path.map_err(|why| format!("{}: {why}", program.path.display()))?;
        parts.add(path.as_os_str().as_bytes());
    }
    // What only decides how fast a search is, and when it is given up.
    let options = Options {
        time_limit_seconds: 0.0,
        progress: false,
        ..options.clone()
    };
    parts.add(options.to_string().as_bytes());
    parts.add(format!("{:?}", check.suppressions).as_bytes());
    for argument in &check.args {
        parts.add(argument.as_bytes());
    }
    parts.add(b"environment");
    for (name, value) in environment() {
        parts.add(name.as_bytes());
        parts.add(value.as_bytes());
    }
    parts.add(&process()?);
    let input = input()?;
    let watched = inherited(input.is_none())?;
    parts.add(&input.unwrap_or_default());
    let (output, errors) = (kind_of(&std::io::stdout())?, kind_of(&std::io::stderr())?);
    let (output, errors) = match stdout {
        Stdout::Inherit => (output, errors),
        Stdout::ToStderr => (errors, errors),
        Stdout::Nowhere => ("null", "null"),
        Stdout::To(_) => ("file", "file"),
    };
    parts.add(output.as_bytes());
    parts.add(errors.as_bytes());
    Ok(Key {
        digits: format!("{:032x}", parts.0.digest128()),
        watched,
    })
}

/// The contents of a small file.
fn contents(path: impl AsRef<Path>) -> Result<Vec<u8>, String> {
    let path = path.as_ref();
    std::fs::read(path).map_err(|why| format!("{}: {why}", path.display()))
}

/// A digest of a file's contents.
fn digest_of(path: &Path) -> Result<[u8; 16], String> {
    let digest = state::contents(path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(digest.0.to_le_bytes())
}

/// The variables, in the order of their names, without the one that shells set to the command that they call.
fn environment() -> Vec<(OsString, OsString)> {
    let mut variables: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| name != "_")
        .collect();
    variables.sort();
    variables
}

/// What the system tells every process of this one's user and folder: identity, limits, processors, kernel.
fn process() -> Result<Vec<u8>, String> {
    const KEPT: [&str; 9] = [
        "Umask:",
        "Uid:",
        "Gid:",
        "Groups:",
        "CapPrm:",
        "CapEff:",
        "SigBlk:",
        "SigIgn:",
        "Cpus_allowed:",
    ];
    let status = String::from_utf8_lossy(&contents("/proc/self/status")?).into_owned();
    let mut all = Vec::new();
    for line in status.lines() {
        if KEPT.iter().any(|name| line.starts_with(name)) {
            all.extend([line.as_bytes(), b"\n"].concat());
        }
    }
    for file in ["self/limits", "sys/kernel/osrelease"] {
        all.extend(contents(Path::new("/proc").join(file))?);
    }
    // What the processor can do: libraries choose their functions by it.
    let processors = String::from_utf8_lossy(&contents("/proc/cpuinfo")?).into_owned();
    let first = processors.lines().take_while(|line| !line.is_empty());
    let told = first.filter(|line| {
        ["flags", "model name"]
            .iter()
            .any(|name| line.starts_with(name))
    });
    all.extend(told.flat_map(str::bytes));
    let folder = std::env::current_dir().map_err(|why| format!("the working folder: {why}"))?;
    all.extend(folder.as_os_str().as_bytes());
    Ok(all)
}

/// What is on standard input, if that can be read again: all of a file, and where it stands.
fn input() -> Result<Option<Vec<u8>>, String> {
    let input = std::io::stdin();
    let kind = kind_of(&input)?;
    Ok(match Input::now() {
        _ if kind == "null" => Some(b"null".to_vec()),
        Input::At(place) if kind == "file" => {
            let digest = digest_of(Path::new("/proc/self/fd/0"))?;
            Some(format!("{place} {digest:x?}").into_bytes())
        }
        _ => None,
    })
}

/// The descriptors that a program inherits besides standard output and errors, and standard input if `is_input`.
fn inherited(is_input: bool) -> Result<Vec<i32>, String> {
    let folder = "/proc/self/fd";
    let cannot = |why: std::io::Error| format!("{folder}: {why}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        let number: i32 = name.to_string_lossy().parse().unwrap_or(i32::MAX);
        // The folder that was being read is closed.
        let Ok(flags) = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")) else {
            continue;
        };
        let is_known = matches!(number, 1 | 2) || (number == 0 && !is_input);
        if !is_known && !is_closed_on_execution(&flags) {
            found.push(number);
        }
    }
    Ok(found)
}

/// Whether the text of `fdinfo` has O_CLOEXEC among its flags, which are octal.
fn is_closed_on_execution(text: &str) -> bool {
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & rustix::fs::OFlags::CLOEXEC.bits() != 0)
}

/// The kind of file that a descriptor is of, as programs ask for it.
fn kind_of(descriptor: &impl AsFd) -> Result<&'static str, String> {
    let stat = rustix::fs::fstat(descriptor).map_err(|why| format!("a stream: {why}"))?;
    let is_null = stat.st_rdev == rustix::fs::makedev(1, 3);
    Ok(match rustix::fs::FileType::from_raw_mode(stat.st_mode) {
        rustix::fs::FileType::RegularFile => "file",
        rustix::fs::FileType::CharacterDevice if is_null => "null",
        rustix::fs::FileType::CharacterDevice => "terminal",
        rustix::fs::FileType::Fifo => "pipe",
        rustix::fs::FileType::Socket => "socket",
        _ => "other",
    })
}
