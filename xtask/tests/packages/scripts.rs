//! The two scripts of packaging/ci, by themselves.

use crate::{archive, folder, programs, text, works, BUILD};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A script of packaging/ci.
fn script(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.with_file_name("packaging").join("ci").join(name)
}

/// A shell whose PATH begins with the commands that were built.
fn shell(folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    let bin = Path::new(env!("CARGO_BIN_EXE_xtask"))
        .parent()
        .expect("a folder");
    let bin = bin.with_file_name("dpor").join("bin");
    let path = std::env::var("PATH").expect("PATH");
    shell.env("PATH", format!("{}:{path}", bin.display()));
    shell.env("HOME", folder.join("home")).current_dir(folder);
    for name in [
        "DPOR_OPTIONS",
        "GITHUB_PATH",
        "GITHUB_OUTPUT",
        "GITHUB_STEP_SUMMARY",
    ] {
        shell.env_remove(name);
    }
    shell
}

fn ran(command: &mut Command) -> (i32, Output) {
    let output = command.output().expect("sh runs");
    (output.status.code().expect("a code"), output)
}

#[test]
fn the_installation_refuses_what_is_not_what_was_asked_for() {
    let folder = folder("install");
    std::fs::write(folder.join("dpor.zip"), "no package").expect("a file");
    for (package, sum, why) in [
        ("", "", "names no package"),
        ("none.deb", "", "No such file"),
        ("dpor.zip", "", "neither a .deb nor a .tar.gz"),
        ("dpor.zip", "00", "another checksum"),
    ] {
        let mut install = shell(&folder);
        install.arg(script("install.sh"));
        install.env("DPOR_PACKAGE", package).env("DPOR_SHA256", sum);
        let (code, output) = ran(&mut install);
        assert_eq!(code, 2, "{package}: {output:?}");
        assert!(text(&output.stderr).contains(why), "{package}: {output:?}");
    }
}

#[test]
fn an_archive_is_in_the_path_of_what_follows() {
    let folder = folder("install archive");
    let sum = text(&works(Command::new("sha256sum").arg(archive())).stdout);
    let sum = sum.split(' ').next().expect("a sum");
    let mut install = shell(&folder);
    install.args(["-ec", ". \"$1\"; command -v dpor-cc", "sh"]);
    install.arg(script("install.sh"));
    install
        .env("DPOR_PACKAGE", archive())
        .env("DPOR_SHA256", sum);
    install.env("GITHUB_PATH", folder.join("path"));
    let (code, output) = ran(&mut install);
    assert_eq!(code, 0, "{output:?}");
    let bin = folder.join("home/dpor/bin");
    let last = format!("{}/dpor-cc\n", bin.display());
    assert!(text(&output.stdout).ends_with(&last), "{output:?}");
    let path = std::fs::read_to_string(folder.join("path")).expect("the file");
    assert_eq!(path, format!("{}\n", bin.display()));
}

#[test]
fn the_worst_exit_code_is_the_checks() {
    let folder = folder("check");
    programs(&folder);
    works(shell(&folder).env("CXX", "dpor-c++").args(["-ec", BUILD]));
    works(shell(&folder).args([
        "-ec",
        "cd build; mkdir 'a b'; cp fixed_test 'a b/x[1]_test'; cp fixed_test a_b_x_1__test; mkdir y_test; touch z_test",
    ]));
    let check = |programs: &str, flags: Option<&str>| {
        let mut check = shell(&folder);
        check.arg(script("check.sh")).env("DPOR_PROGRAMS", programs);
        for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            drop(std::fs::remove_file(folder.join(name)));
            check.env(name, folder.join(name));
        }
        if let Some(flags) = flags {
            check.env("DPOR_FLAGS", flags);
        }
        let (code, output) = ran(&mut check);
        let said = std::fs::read_to_string(folder.join("GITHUB_OUTPUT")).expect("the file");
        assert_eq!(said, format!("code={code}\n"), "{output:?}");
        let table = std::fs::read_to_string(folder.join("GITHUB_STEP_SUMMARY"));
        (code, table.expect("the file"), text(&output.stderr))
    };

    let (code, table, _) = check("build/*_test\nbuild/*/*_test\n", None);
    assert_eq!(code, 42, "{table}");
    for row in [
        "| `build/race_test` | bug found: ",
        "| `build/fixed_test` | verified: all 2 executions |\n",
        "| `build/a b/x[1]_test` | verified: all 2 executions |\n",
    ] {
        assert!(table.contains(row), "{row}: {table}");
    }
    // Neither a folder nor a file that cannot be run; and each has reports of its own.
    assert_eq!(table.lines().count(), 2 + 4, "{table}");
    for name in [
        "race_test",
        "fixed_test",
        "a_b_x_1__test",
        "a_b_x_1__test-again",
    ] {
        for extension in ["sarif", "xml"] {
            let file = folder.join(format!("dpor-reports/{name}.{extension}"));
            assert!(file.is_file(), "{}", file.display());
        }
    }

    for (programs, flags, code, why) in [
        ("build/fixed_test", None, 0, ""),
        ("build/fixed_test", Some("--max-executions=1"), 3, ""),
        (
            "build/fixed_test",
            Some("--no-such-option"),
            2,
            "no-such-option",
        ),
        (
            "build/fixed_test\nbuild/none_*",
            None,
            2,
            "no program is build/none_*",
        ),
        (
            "build/none\nbuild/race_test",
            None,
            42,
            "no program is build/none",
        ),
        ("\n", None, 2, "names no program"),
    ] {
        let (found, table, said) = check(programs, flags);
        assert_eq!(found, code, "{programs} {flags:?}: {table} {said}");
        assert!(said.contains(why), "{programs}: {said}");
    }
}
