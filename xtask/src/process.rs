//! Starting other programs: shown as they are run, their failure an error.

use crate::stop::{Context, Outcome, Stop};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command line for messages, quoted only where a reader needs it.
pub fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(quoted)
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains([' ', '"', '\'', '$', '*']) {
        format!("'{word}'")
    } else {
        word.into_owned()
    }
}

/// Runs a command to its end, with our standard streams.
///
/// # Errors
/// If it cannot be started or fails.
pub fn run(command: &mut Command) -> Outcome {
    eprintln!("+ {}", shown(command));
    let status = command.status().while_doing(shown(command))?;
    if status.success() {
        Ok(())
    } else {
        Err(Stop::failed(format!("{}: {status}", shown(command))))
    }
}

/// Runs a command to its end, with our standard streams, and returns its exit code; 128 + N after signal N, as shells
/// have it.
///
/// # Errors
/// If it cannot be started.
pub fn exit_code(command: &mut Command) -> Outcome<i32> {
    use std::os::unix::process::ExitStatusExt;
    eprintln!("+ {}", shown(command));
    let status = command.status().while_doing(shown(command))?;
    Ok(status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// Runs a command to its end, and returns what it wrote to standard error, which is shown too.
///
/// # Errors
/// If it cannot be started or fails.
pub fn messages_of(command: &mut Command) -> Outcome<String> {
    eprintln!("+ {}", shown(command));
    let run = command.stderr(Stdio::piped()).spawn();
    let output = run.and_then(|child| child.wait_with_output());
    let output = output.while_doing(shown(command))?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    eprint!("{messages}");
    if output.status.success() {
        Ok(messages)
    } else {
        Err(Stop::failed(format!(
            "{}: {}",
            shown(command),
            output.status
        )))
    }
}

/// Runs a command to its end, and returns what it wrote to standard output, trimmed.
///
/// # Errors
/// If it cannot be started or fails.
pub fn output_of(command: &mut Command) -> Outcome<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .while_doing(shown(command))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        let why = String::from_utf8_lossy(&output.stderr);
        Err(Stop::cannot(format!(
            "{}: {}: {}",
            shown(command),
            output.status,
            why.trim()
        )))
    }
}

/// The first file of that name in `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The cargo that runs us, or the one in `PATH`.
pub fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Variables of the package that is running would leak into build scripts of others.
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST") {
            command.env_remove(&name);
        }
    }
    command
}

/// Puts a finished copy of `from` at `to` in one step, so that no reader sees half a file.
/// An identical file is left alone, so that dates stay and `make` has nothing to do.
///
/// # Errors
/// If a file cannot be read or written.
pub fn place(from: &Path, to: &Path) -> Outcome {
    let folder = to.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).while_doing(folder.display())?;
    let bytes = std::fs::read(from).while_doing(from.display())?;
    if std::fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let next = folder.join(format!(".{name}.{}", std::process::id()));
    std::fs::copy(from, &next).while_doing(next.display())?;
    std::fs::rename(&next, to).while_doing(to.display())
}
