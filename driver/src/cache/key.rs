//! What of a check is known before it begins, as one number.

use super::{code, state};
use crate::flags::{Check, Target};
use crate::input::Input;
use crate::launch::Stdout;
use crate::program::Program;
use dpor_abi::options::Options;
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3Default;

/// A digest of parts, each with its length, so that two lists of parts with the same bytes differ.
struct Parts(Xxh3Default);

impl Parts {
    fn new() -> Parts {
        Parts(Xxh3Default::new())
    }

    /// Adds a list, with its length: what follows is no part of it.
    fn add_all<'a>(&mut self, parts: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.0.update(&(parts.len() as u64).to_le_bytes());
        parts.for_each(|part| self.add(part));
    }

    fn digits(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }

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
    let mut parts = Parts::new();
    parts.add(dpor_abi::version().as_bytes());
    parts.add(&code::digest(&program.path)?.digest);
    if let Target::Program(path) = &check.target {
        // What was compiled for this check lies elsewhere each time.
        let path = std::path::absolute(path);
        let path = path.map_err(|why| format!("{}: {why}", program.path.display()))?;
        parts.add(path.as_os_str().as_bytes());
        // It is told its name as it was given.
        parts.add(program.path.as_os_str().as_bytes());
    }
    // What only decides how fast a search is, and when it is given up.
    let options = Options {
        time_limit_seconds: 0.0,
        progress: false,
        ..options.clone()
    };
    parts.add(options.to_string().as_bytes());
    parts.add(format!("{:?}", check.suppressions).as_bytes());
    parts.add_all(check.args.iter().map(String::as_bytes));
    let (names, values): (Vec<_>, Vec<_>) = environment().into_iter().unzip();
    parts.add_all(names.iter().map(|name| name.as_bytes()));
    parts.add_all(values.iter().map(|value| value.as_bytes()));
    parts.add_all(process(Path::new("/proc"))?.iter().map(String::as_bytes));
    let folder = std::env::current_dir().map_err(|why| format!("the working folder: {why}"))?;
    parts.add(folder.as_os_str().as_bytes());
    let input = input()?;
    // Input that cannot be read again is among them, and so its kind is.
    let inherited = inherited(input.is_none())?;
    parts.add(&input.unwrap_or_default());
    let (watched, kinds): (Vec<i32>, Vec<String>) = inherited.into_iter().unzip();
    parts.add_all(kinds.iter().map(String::as_bytes));
    let (output, errors) = (kind_of(&std::io::stdout())?, kind_of(&std::io::stderr())?);
    parts.add_all(
        streams(stdout, output, errors)
            .iter()
            .map(|kind| kind.as_bytes()),
    );
    Ok(Key {
        digits: parts.digits(),
        watched,
    })
}

/// Kinds of the program's standard output and errors; ours are `output` and `errors`.
fn streams(stdout: Stdout<'_>, output: &'static str, errors: &'static str) -> [&'static str; 2] {
    match stdout {
        Stdout::Inherit => [output, errors],
        Stdout::ToStderr => [errors, errors],
        Stdout::Nowhere => ["null", "null"],
        Stdout::To(_) => ["file", "file"],
    }
}

/// The contents of a small file, as text.
fn text(path: &Path) -> Result<String, String> {
    let contents = std::fs::read(path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(String::from_utf8_lossy(&contents).into_owned())
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

/// What the system (`proc`, where its files are) tells every process that this one starts: identity, limits, processors,
/// kernel, how it is scheduled.
fn process(proc: &Path) -> Result<Vec<String>, String> {
    const KEPT: [&str; 13] = [
        "Umask:",
        "Uid:",
        "Gid:",
        "Groups:",
        "CapInh:",
        "CapPrm:",
        "CapEff:",
        "CapBnd:",
        "CapAmb:",
        "SigBlk:",
        "SigIgn:",
        "Cpus_allowed:",
        "Mems_allowed:",
    ];
    let status = text(&proc.join("self/status"))?;
    let kept = |line: &&str| KEPT.iter().any(|name| line.starts_with(name));
    let mut all: Vec<String> = status.lines().filter(kept).map(str::to_owned).collect();
    for file in ["self/limits", "self/personality", "sys/kernel/osrelease"] {
        all.push(text(&proc.join(file))?);
    }
    // Behind the name, from the third field on (proc(5)): nice, rt_priority, policy.
    let stat = text(&proc.join("self/stat"))?;
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let fields: Vec<&str> = fields.split(' ').collect();
    let scheduling = [19, 40, 41].map(|number| fields.get(number - 3).copied());
    all.extend(scheduling.map(|field| field.unwrap_or_default().to_owned()));
    // What the processor can do: libraries choose their functions by it.
    let processors = text(&proc.join("cpuinfo"))?;
    let first = processors.lines().take_while(|line| !line.is_empty());
    let told = first.filter(|line| line.starts_with("flags") || line.starts_with("model name"));
    all.extend(told.map(str::to_owned));
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

/// The descriptors that a program inherits besides standard output and errors, and standard input if `is_input`; with what
/// it can learn of each without reading: its number and kind, of a file also length, times and place.
fn inherited(is_input: bool) -> Result<Vec<(i32, String)>, String> {
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
            let Ok(stat) = std::fs::metadata(format!("{folder}/{number}")) else {
                continue;
            };
            found.push((number, inherited_words(number, &stat, &flags)));
        }
    }
    found.sort();
    Ok(found)
}

/// What a program learns of a descriptor without reading; `information`: the text of its `fdinfo`.
fn inherited_words(number: i32, stat: &Metadata, information: &str) -> String {
    let mut words = format!("{number} {:o} {:x}", stat.mode(), stat.rdev());
    if stat.is_file() || stat.is_dir() {
        let (seconds, nanoseconds) = (stat.mtime(), stat.mtime_nsec());
        let file = format!("{:x}:{:x}", stat.dev(), stat.ino());
        words += &format!(" {file} {} {seconds}.{nanoseconds:09}", stat.size());
        words += information;
    }
    words
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

#[cfg(test)]
mod tests;
