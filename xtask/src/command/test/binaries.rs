//! Test binaries: built by cargo, which says where they are; run by us, several at a time.

use crate::process;
use crate::stop::{Context, Outcome, Stop};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A finished test binary.
#[derive(Debug, PartialEq)]
pub struct Binary {
    /// `explorer`; of a crate's own tests, `dpor_explorer (unit)`.
    pub name: String,
    /// The binary.
    pub file: PathBuf,
    /// The crate's folder, in which cargo runs its tests.
    pub folder: PathBuf,
}

impl Binary {
    /// The command that runs it, with what cargo tells of the crate.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command.current_dir(&self.folder);
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        // That of the cargo that runs us leads to the libraries of the build.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }
}

/// Lets cargo build, and lists the tests that came out.
///
/// # Errors
/// If it does not build.
pub fn build(cargo: &mut Command) -> Outcome<Vec<Binary>> {
    cargo.arg("--message-format=json-render-diagnostics");
    let shown = process::shown(cargo);
    eprintln!("+ {shown}");
    let mut child = cargo.stdout(Stdio::piped()).spawn().while_doing(&shown)?;
    let mut found = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            found.extend(binary(&line.while_doing(&shown)?));
        }
    }
    let status = child.wait().while_doing(&shown)?;
    match status.success() {
        true => Ok(found),
        false => Err(Stop::failed(format!("{shown}: {status}"))),
    }
}

/// The test that one of cargo's messages is about.
fn binary(message: &str) -> Option<Binary> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let target = &message["target"];
    let kind = target["kind"][0].as_str()?;
    // Examples and benchmarks are built, but nothing in them is a test.
    if kind == "example" || kind == "bench" {
        return None;
    }
    let name = target["name"].as_str()?;
    Some(Binary {
        name: match kind {
            "test" => name.to_owned(),
            _ => format!("{name} (unit)"),
        },
        file: message["executable"].as_str()?.into(),
        folder: Path::new(message["manifest_path"].as_str()?)
            .parent()?
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: &str, test: bool) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"/d/driver/Cargo.toml","target":{{"kind":["{kind}"],"name":"cli"}},"profile":{{"test":{test}}},"executable":"/d/target/debug/deps/cli-1"}}"#
        )
    }

    #[test]
    fn only_tests_are_listed() {
        let name = |kind, test| binary(&message(kind, test)).map(|binary| binary.name);
        assert_eq!(name("test", true).as_deref(), Some("cli"));
        assert_eq!(name("lib", true).as_deref(), Some("cli (unit)"));
        assert_eq!(name("bin", false), None);
        assert_eq!(name("example", true), None);
        assert_eq!(binary("not JSON"), None);
    }

    #[test]
    fn a_test_runs_in_the_folder_of_its_crate() {
        let binary = binary(&message("test", true)).expect("a test");
        let command = binary.command();
        assert_eq!(command.get_current_dir(), Some(Path::new("/d/driver")));
    }
}
