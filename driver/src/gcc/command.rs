//! `dpor-gcc` and its like as commands, and the assembler that they have gcc call.

use super::assembly;
use super::{rewrite, Language, Toolchain, OLDEST};
use crate::cc::{self, linked};
use crate::install::Installation;
use dpor_abi::access_list::LEVEL;
use dpor_abi::NDEBUG;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Becomes gcc; returns the reason only if it cannot.
pub fn compile(args: &[OsString], language: Language, say: &dyn Fn(&str)) -> String {
    match prepare(args, language, say) {
        Ok(mut command) => {
            let why = command.exec();
            format!("{} does not run: {why}", language.compiler().display())
        }
        Err(why) => why,
    }
}

fn prepare(args: &[OsString], language: Language, say: &dyn Fn(&str)) -> Result<Command, String> {
    let readable: Vec<String> = { args.iter() }
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let installation = Installation::of_this_command()?;
    let compiler = language.compiler();
    let toolchain = Toolchain {
        version: version(&compiler, language)?,
        lib: installation.lib(),
        include: installation.include(),
        language,
    };
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let level = std::env::var(LEVEL).ok();
    let level = level.as_deref().filter(|level| !level.is_empty());
    let additions = rewrite(&readable, &toolchain, level, &read)?;
    let mut command = Command::new(&compiler);
    command.args(additions.before).args(args);
    command.args(additions.after);
    match additions.without_assertions {
        true => command.env(NDEBUG, "1"),
        false => command.env_remove(NDEBUG),
    };
    match additions.links {
        true => linked::told(command, &cc::expand(&readable, &read, 0), say),
        false => Ok(command),
    }
}

/// The major version of a gcc.
///
/// # Errors
/// One sentence: it is none, or too old.
pub fn version(compiler: &Path, language: Language) -> Result<u32, String> {
    let output = Command::new(compiler).arg("--version").output();
    let output = output.map_err(|why| {
        format!(
            "{} does not run: {why}; install gcc or set {}",
            compiler.display(),
            language.variable()
        )
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.contains("clang") {
        return Err(format!("{} is clang; call dpor-cc", compiler.display()));
    }
    // `gcc (Debian 12.2.0-14) 12.2.0`, `x86_64-linux-gnu-gcc-14 (GCC) 14.1.0 20240507`.
    let first = text.lines().next().unwrap_or_default();
    let behind = first.rsplit_once(')').map_or(first, |(_, behind)| behind);
    let number = behind.trim().split('.').next().unwrap_or_default();
    match number.parse() {
        Ok(version) if version >= OLDEST => Ok(version),
        Ok(version) => Err(format!(
            "{} is gcc {version}; take gcc {OLDEST} or a newer one",
            compiler.display()
        )),
        Err(_) => Err(format!("{} is not gcc", compiler.display())),
    }
}

/// Options of GNU as whose value is the next argument.
const SEPARATE: [&str; 5] = ["-o", "-I", "--MD", "--defsym", "--debug-prefix-map"];

/// Calls the assembler that there is, with what gcc wrote as [`assembly`] makes it. Returns its exit code.
///
/// # Errors
/// One sentence: it does not run, or the text cannot be read.
pub fn assemble(args: &[OsString]) -> Result<u8, String> {
    let mut inputs = Vec::new();
    let mut is_value = false;
    for (at, argument) in args.iter().enumerate() {
        let text = argument.to_string_lossy();
        let is_input = !is_value && (!text.starts_with('-') || text == "-");
        is_value = !is_value && SEPARATE.contains(&&*text);
        if is_input {
            inputs.push(at);
        }
    }
    let mut command = Command::new(real_assembler()?);
    let text = match inputs[..] {
        [] => Some(read_input()?),
        [one] if args[one] == "-" => Some(read_input()?),
        [one] => std::fs::read(&args[one]).ok(),
        _ => None,
    };
    let text = text.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => {
            let without_assertions = std::env::var_os(NDEBUG).is_some_and(|value| value == "1");
            assembly::rewrite(&text, without_assertions).into_bytes()
        }
        // Not what gcc writes.
        Err(other) => other.into_bytes(),
    });
    let Some(text) = text else {
        // It says itself what is wrong with its arguments.
        return Ok(code(command.args(args).status().map_err(does_not_run)?));
    };
    let others = args
        .iter()
        .enumerate()
        .filter(|(at, _)| !inputs.contains(at));
    command.args(others.map(|(_, argument)| argument)).arg("-");
    let mut child = command
        .stdin(Stdio::piped())
        .spawn()
        .map_err(does_not_run)?;
    if let Some(mut input) = child.stdin.take() {
        // It ends before it has read all if something is wrong, and says so.
        let _ = input.write_all(&text);
    }
    Ok(code(child.wait().map_err(does_not_run)?))
}

fn does_not_run(why: std::io::Error) -> String {
    format!("the assembler does not run: {why}")
}

fn code(status: std::process::ExitStatus) -> u8 {
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1)
}

fn read_input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
        .map_err(|why| format!("standard input cannot be read: {why}"))?;
    Ok(bytes)
}

/// The first `as` of the search path that is not this command.
fn real_assembler() -> Result<PathBuf, String> {
    let own = std::env::current_exe().ok();
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&folders).map(|folder| folder.join("as"));
    let is_other = |path: &PathBuf| path.is_file() && path.canonicalize().ok() != own;
    all.find(is_other)
        .ok_or("there is no assembler in PATH; install binutils".to_owned())
}
