//! What `cargo xtask package` makes, and the scripts of build servers that install and use it.
//! Needs target/dpor (`cargo xtask build`).

mod archive;
mod scripts;
mod servers;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Two threads count; with `-DFIXED` under a mutex.
const COUNTER: &str = include_str!("../../src/command/package/try_out/counter.cc");

/// A folder for one test, empty.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("packages {test}"));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a command, which must succeed.
fn works(command: &mut Command) -> Output {
    let output = command.env_remove("DPOR_OPTIONS").output();
    let output = output.unwrap_or_else(|why| panic!("{command:?}: {why}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The archive, made once for all tests.
fn archive() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| make(&folder("archive")))
}

/// Makes the archive in a folder.
fn make(folder: &Path) -> PathBuf {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.args(["package", "tar", "--no-build", "--output"]);
    works(xtask.arg(folder));
    let left: Vec<_> = std::fs::read_dir(folder).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let name = format!("dpor-{}-x86_64-linux.tar.gz", env!("CARGO_PKG_VERSION"));
    folder.join(name)
}

/// The programs of a checked-out project: one with a race, one without.
fn programs(folder: &Path) {
    std::fs::write(folder.join("counter.cc"), COUNTER).expect("a file");
}

/// Builds both, in build/.
const BUILD: &str = "mkdir -p build
$CXX -g -pthread counter.cc -o build/race_test
$CXX -g -pthread -DFIXED counter.cc -o build/fixed_test
";
