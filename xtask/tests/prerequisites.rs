//! Without a compiler, and without the network or the right to install one: the line to run, exit
//! code 2, and nothing built. `id`, `sudo`, `apt-get` and cargo are scripts in a `PATH` of their
//! own, and `DPOR_LLVM_ROOT` stands for /usr/lib.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with scripts, and with no target/dpor.
fn folder(name: &str, scripts: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in scripts {
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).expect("a script");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&file, executable).expect("executable");
    }
    folder
}

fn xtask(folder: &Path, command: &str) -> Output {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.arg(command).env("PATH", folder);
    xtask.env("CARGO", folder.join("cargo")).env_remove("CI");
    xtask.env("CARGO_TARGET_DIR", folder.join("target"));
    xtask.env("DPOR_LLVM_ROOT", folder.join("lib"));
    xtask.output().expect("xtask runs")
}

/// Exit code 2 and, at the end of standard error, these two lines; nothing was compiled.
fn check(name: &str, scripts: &[(&str, &str)], why: &str, line: &str) {
    for command in ["build", "demo", "test"] {
        let folder = folder(&format!("{name}-{command}"), scripts);
        let output = xtask(&folder, command);
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        let [.., sentence, last] = lines[..] else {
            panic!("{command}: {said}");
        };
        assert!(sentence.starts_with(&format!("xtask: {why}")), "{said}");
        assert!(last.trim().starts_with(line), "{said}");
        assert!(!folder.join("target/dpor").exists(), "{said}");
        assert!(!said.contains("cargo build"), "{said}");
    }
}

const INSTALL: &str =
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends clang-19";
const NO_CARGO: (&str, &str) = ("cargo", "exit 101");

#[test]
fn without_root_and_sudo() {
    let scripts = [
        ("id", "echo 1000"),
        ("sudo", "exit 1"),
        ("apt-get", "exit 100"),
        NO_CARGO,
    ];
    check("no-right", &scripts, "missing packages; run this", INSTALL);
}

#[test]
fn root_without_network() {
    let scripts = [
        ("id", "echo 0"),
        ("apt-get", "echo E: cannot resolve >&2; exit 100"),
        NO_CARGO,
    ];
    let why = "apt-get could not install what is missing; run this";
    check("no-network", &scripts, why, INSTALL);
}

#[test]
fn without_apt() {
    let scripts = [("id", "echo 0"), NO_CARGO];
    check("no-apt", &scripts, "missing packages; run this", INSTALL);
}

#[test]
fn crates_that_cannot_be_fetched() {
    let scripts = [
        ("id", "echo 1000"),
        ("sudo", "exit 1"),
        ("apt-get", "exit 100"),
        ("cargo", "echo error: no network >&2; exit 101"),
    ];
    let folder = folder("no-crates", &scripts);
    let (bin, include) = (
        folder.join("lib/llvm-19/bin"),
        folder.join("lib/llvm-19/include/llvm-c"),
    );
    for made in [&bin, &include] {
        std::fs::create_dir_all(made).expect("a folder");
    }
    std::fs::write(include.join("Core.h"), "").expect("a header");
    std::fs::write(bin.join("clang"), "").expect("a compiler");
    let config = bin.join("llvm-config");
    std::fs::write(&config, "#!/bin/sh\necho 19.1.7\n").expect("a script");
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let output = xtask(&folder, "build");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let end = said.lines().rev().take(2).collect::<Vec<_>>();
    assert!(end[0].contains("cargo fetch"), "{said}");
    assert!(end[1].contains("could not be fetched"), "{said}");
    assert!(!folder.join("target/dpor").exists(), "{said}");
}
