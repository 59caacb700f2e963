//! `dpor check FILE.c…`: compiles into a folder that is removed after the check.
//!
//! Each file is compiled in the language of its name. The program is linked as C++ if one of them
//! is C++ or, for bitcode, if one of the objects needs the C++ runtime: a C program must not gain
//! libstdc++, whose data every checkpoint would copy.

use crate::flags::is_cxx;
use crate::install::Installation;
use dpor_abi::access_list::LEVEL;
use object::{Object, ObjectSymbol};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A compiled program; its folder goes when this value goes.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: PathBuf,
    _folder: TempDir,
}

/// The reason why there is no program.
#[derive(Debug)]
pub enum Failure {
    /// A reason in one sentence.
    Said(String),
    /// The compiler said it already.
    Compiler,
}

/// Compiles and links.
///
/// # Errors
/// See [`Failure`].
pub fn compile(
    installation: &Installation,
    files: &[PathBuf],
    cflags: &[String],
) -> Result<Compiled, Failure> {
    compile_at(installation, files, cflags, None)
}

/// Compiles and links as [`compile`] does; `level` replaces the optimization level of the arguments.
///
/// # Errors
/// See [`Failure`].
pub fn compile_at(
    installation: &Installation,
    files: &[PathBuf],
    cflags: &[String],
    level: Option<&str>,
) -> Result<Compiled, Failure> {
    if let Some(missing) = files.iter().find(|file| !file.exists()) {
        return Err(Failure::Said(format!(
            "no such file: {}",
            missing.display()
        )));
    }
    let folder = tempfile::Builder::new().prefix("dpor-").tempdir();
    let folder = folder.map_err(|why| Failure::Said(format!("no temporary folder: {why}")))?;
    let mut objects = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let object = folder.path().join(format!("{number}.o"));
        let mut compiler = compiler(installation, is_cxx(file), level);
        // Libraries in the flags are for the link below.
        compiler.arg("--start-no-unused-arguments").args(cflags);
        compiler.args(["--end-no-unused-arguments", "-c", "-o"]);
        run(compiler.arg(&object).arg(file))?;
        objects.push(object);
    }
    let program = folder.path().join(program_name(&files[0]));
    let is_cxx = files.iter().any(|file| is_cxx(file))
        || objects.iter().any(|object| needs_cxx_runtime(object));
    let mut linker = compiler(installation, is_cxx, level);
    linker.args(&objects).arg("-o").arg(&program);
    linker.arg("--start-no-unused-arguments").args(cflags);
    run(linker.args(["--end-no-unused-arguments", "-pthread"]))?;
    Ok(Compiled {
        program,
        _folder: folder,
    })
}

/// Whether a source, compiled as [`compile`] does, has a `main`.
///
/// # Errors
/// See [`Failure`].
pub fn has_main(
    installation: &Installation,
    file: &Path,
    cflags: &[String],
) -> Result<bool, Failure> {
    if !file.exists() {
        return Err(Failure::Said(format!("no such file: {}", file.display())));
    }
    let folder = tempfile::Builder::new().prefix("dpor-").tempdir();
    let folder = folder.map_err(|why| Failure::Said(format!("no temporary folder: {why}")))?;
    let object = folder.path().join("one.o");
    let mut compiler = compiler(installation, is_cxx(file), None);
    compiler.arg("--start-no-unused-arguments").args(cflags);
    // Warnings come when it is compiled for the program.
    compiler.args(["-w", "-fno-lto", "--end-no-unused-arguments", "-c", "-o"]);
    run(compiler.arg(&object).arg(file))?;
    let data = std::fs::read(&object).unwrap_or_default();
    let read = object::File::parse(&*data);
    let read =
        read.map_err(|why| Failure::Said(format!("{} as an object: {why}", file.display())))?;
    let is_main = read
        .symbols()
        .any(|symbol| symbol.is_definition() && symbol.name() == Ok("main"));
    Ok(is_main)
}

fn program_name(source: &Path) -> PathBuf {
    source.file_stem().unwrap_or("program".as_ref()).into()
}

fn compiler(installation: &Installation, is_cxx: bool, level: Option<&str>) -> Command {
    let name = if is_cxx { "dpor-c++" } else { "dpor-cc" };
    let mut command = Command::new(installation.command(name));
    if let Some(level) = level {
        command.env(LEVEL, level);
    }
    command
}

fn run(command: &mut Command) -> Result<(), Failure> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::Compiler),
        Err(why) => {
            let name = command.get_program().to_string_lossy();
            Err(Failure::Said(format!("{name} cannot be started: {why}")))
        }
    }
}

/// Whether the object refers to what libstdc++ defines: names of namespace std, `operator new` and
/// `delete`, the exception functions.
fn needs_cxx_runtime(object: &Path) -> bool {
    const PREFIXES: &[&str] = &[
        "_ZSt",
        "_ZNSt",
        "_ZNKSt",
        "_ZTVN10__cxxabiv",
        "_Znw",
        "_Zna",
        "_Zdl",
        "_Zda",
        "__gxx_personality",
        "__cxa_throw",
        "__cxa_guard",
        "__cxa_pure_virtual",
    ];
    let Ok(data) = std::fs::read(object) else {
        return false;
    };
    let Ok(file) = object::File::parse(&*data) else {
        return false;
    };
    let needed = file.symbols().any(|symbol| {
        let name = symbol.name().unwrap_or_default();
        symbol.is_undefined() && PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    });
    needed
}
