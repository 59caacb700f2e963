//! The suites of valgrind: what is built, with which arguments, and what valgrind's own tool says.

use super::suite::{files, marked, Test};
use crate::stop::{Context, Outcome};
use crate::tree;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The levels at which each is built. -O0 is valgrind's own: at others some races may vanish.
pub const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// One `.vgtest` is one test: a program and its arguments. Left out are those that only print the
/// same as XML, and those of `elsewhere`, the programs of another folder.
///
/// # Errors
/// If a test names a program that is not there.
pub fn tests(folder: &Path, elsewhere: Option<&str>, marks: &[(&str, &str)]) -> Outcome<Vec<Test>> {
    let mut tests = Vec::new();
    for file in files(folder, &["vgtest"]) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&file).while_doing(file.display())?;
        let field = |field: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(field));
            line.unwrap_or_default().split_whitespace()
        };
        let mut words = field("prog:").chain(field("args:")).map(str::to_owned);
        let program = words.next().unwrap_or_default();
        let is_elsewhere = elsewhere.is_some_and(|folder| program.contains(folder));
        if name.ends_with("_xml") || is_elsewhere {
            continue;
        }
        tests.push(Test {
            name: name.to_string(),
            source: source(&folder.join(program)),
            arguments: words.collect(),
            flags: Vec::new(),
            theirs: theirs(folder, &name, marks),
            not_run: None,
        });
    }
    Ok(tests)
}

/// The C or else the C++ source of a program.
fn source(program: &Path) -> PathBuf {
    let c = program.with_extension("c");
    match c.is_file() {
        true => c,
        false => program.with_extension("cpp"),
    }
}

/// Some tests have one output per system: the plain one, or the first that is of ours.
fn theirs(folder: &Path, name: &str, marks: &[(&str, &str)]) -> BTreeSet<String> {
    const OTHERS: [&str; 8] = [
        "freebsd", "darwin", "solaris", "mips", "ppc", "s390", "powerpc", "32bit",
    ];
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut outputs: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            file.starts_with(&format!("{name}.stderr.exp"))
                && !OTHERS.iter().any(|other| file.contains(other))
        })
        .collect();
    outputs.sort();
    let text = outputs
        .first()
        .and_then(|path| std::fs::read_to_string(path).ok());
    marked(&text.unwrap_or_default(), marks)
}

/// valgrind's configure makes a config.h; what its programs ask there about pthreads is true here.
///
/// # Errors
/// If the empty config.h cannot be written.
pub fn flags(source: &Path) -> Outcome<Vec<String>> {
    let folder = tree::scratch("peers/include");
    let file = folder.join("config.h");
    std::fs::write(&file, "").while_doing(file.display())?;
    let mut flags: Vec<String> = [
        "HAVE_TLS",
        "HAVE_PTHREAD_BARRIER",
        "HAVE_PTHREAD_SPIN_LOCK",
        "HAVE_PTHREAD_MUTEX_TIMEDLOCK",
        "HAVE_PTHREAD_RWLOCK_T",
        "HAVE_PTHREAD_RWLOCK_TIMEDRDLOCK",
        "HAVE_PTHREAD_RWLOCK_TIMEDWRLOCK",
        "HAVE_PTHREAD_SETNAME_NP",
        "HAVE_BUILTIN_ATOMIC",
        "VGO_linux",
        "VGA_amd64",
        "VGP_amd64_linux",
    ]
    .iter()
    .map(|name| format!("-D{name}=1"))
    .collect();
    let folders = [
        folder,
        source.to_owned(),
        source.join("include"),
        source.join("coregrind"),
    ];
    flags.extend(
        folders
            .iter()
            .map(|folder| format!("-I{}", folder.display())),
    );
    // Libraries may follow anywhere: they are shared ones.
    flags.push("-Wl,--no-as-needed".to_owned());
    flags.push("-lm".to_owned());
    Ok(flags)
}
