//! Programs that can be checked. Whether a file is one is asked before it is started, so that a wrong file gets one
//! clear sentence instead of a strange exploration.

use crate::cache::record::Record;
use dpor_abi::{module_flag, ABI_VERSION, MODULE_MAGIC, MODULE_SECTION};
use object::elf::{
    FileHeader64, DT_NEEDED, DT_RPATH, DT_RUNPATH, EM_X86_64, ET_DYN, ET_EXEC, PT_INTERP,
};
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Size of one `dpor_abi::ModuleInfo` in the file.
pub const MODULE_INFO_BYTES: usize = 56;

/// A program that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Path of the program as the user gave it, with a folder (`./x` for `x`): no search through PATH.
    pub path: PathBuf,
    /// The command that starts it, with its arguments; empty: it is started itself.
    pub runner: Vec<String>,
    /// Folder to add to `LD_LIBRARY_PATH`, if the program would not find the runtime by itself.
    pub library_path: Option<PathBuf>,
    /// Names of the libraries that the program needs, the runtime left out.
    pub libraries: Vec<String>,
    /// Assertions are compiled out of a part of it.
    pub without_assertions: bool,
    /// What hears of all that its processes ask the system for.
    pub record: Option<Record>,
}

impl Program {
    /// A command that starts the program as it is.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        self.name_libraries(&mut command);
        command
    }

    /// Says where the runtime is, if the program would not find it.
    pub fn name_libraries(&self, command: &mut Command) {
        let Some(folder) = &self.library_path else {
            return;
        };
        let mut folders = folder.clone().into_os_string();
        if let Some(others) = std::env::var_os("LD_LIBRARY_PATH") {
            folders.push(":");
            folders.push(others);
        }
        command.env("LD_LIBRARY_PATH", folders);
    }
}

/// Looks at the file.
///
/// `lib` is the folder of this installation's runtime.
///
/// # Errors
/// One sentence: why it cannot be checked, and what to do.
pub fn inspect(path: &Path, lib: &Path) -> Result<Program, String> {
    let shown = path.display();
    let data = read(path)?;
    if data.starts_with(b"#!") {
        return Err(match is_libtool_wrapper(&data) {
            true => format!(
                "{shown} is libtool's wrapper script; check the program in its folder .libs, \
                 or run `libtool --mode=execute dpor check {shown}`"
            ),
            false => format!("{shown} is a script; give the program that it runs"),
        });
    }
    match object::FileKind::parse(&*data) {
        Ok(object::FileKind::Elf64) => {}
        Ok(object::FileKind::Elf32) => {
            return Err(format!(
                "{shown} is a 32-bit program; compile it for x86-64"
            ))
        }
        _ => return Err(format!("{shown} is not a program (no ELF file)")),
    }
    let file = ElfFile64::<Endianness>::parse(&*data)
        .map_err(|why| format!("{shown} is damaged: {why}"))?;
    check_kind(&file, path)?;
    refuse_sanitizers(&file, path)?;
    let without_assertions = check_modules(&file, path)?;
    if !is_executable(path) {
        return Err(format!("{shown} is not executable; `chmod +x` it"));
    }
    let dynamic = Dynamic::read(&file);
    let library_path = find_runtime(&dynamic, path, lib)?;
    let path = match path.components().count() {
        1 => Path::new(".").join(path),
        _ => path.to_owned(),
    };
    let is_runtime = |name: &String| name == crate::install::RUNTIME;
    let libraries = dynamic.needed.into_iter().filter(|name| !is_runtime(name));
    Ok(Program {
        path,
        runner: Vec::new(),
        library_path,
        libraries: libraries.collect(),
        without_assertions,
        record: None,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(format!("{shown} is a folder")),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("no such file: {shown}"))
        }
        _ => {}
    }
    std::fs::read(path).map_err(|why| format!("{shown} cannot be read: {why}"))
}

fn is_libtool_wrapper(data: &[u8]) -> bool {
    let head = &data[..data.len().min(1000)];
    String::from_utf8_lossy(head).contains("libtool")
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn check_kind(file: &ElfFile64<'_, Endianness>, path: &Path) -> Result<(), String> {
    let (header, endian) = (file.elf_header(), file.endian());
    let shown = path.display();
    if header.e_machine(endian) != EM_X86_64 {
        return Err(format!(
            "{shown} is for another processor; compile it for x86-64"
        ));
    }
    let kind = header.e_type(endian);
    if kind != ET_DYN && kind != ET_EXEC {
        return Err(format!("{shown} is not linked; link it with dpor-cc"));
    }
    let has_interpreter = file
        .elf_program_headers()
        .iter()
        .any(|segment| segment.p_type(endian) == PT_INTERP);
    let is_dynamic = !Dynamic::read(file).needed.is_empty();
    match (has_interpreter, is_dynamic) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("{shown} is a shared library, not a program")),
        (false, false) => Err(format!(
            "{shown} is static; the runtime is a shared library, so link it dynamically"
        )),
    }
}

/// What sanitizers define where they are linked in, and how their shared libraries' names begin.
const SANITIZERS: [(&str, &str, &str); 5] = [
    ("thread", "__tsan_init", "libtsan."),
    ("address", "__asan_init", "libasan."),
    ("memory", "__msan_init", "libmsan."),
    ("leak", "__lsan_init", "liblsan."),
    ("hwaddress", "__hwasan_init", "libhwasan."),
];

/// A sanitizer's runtime would take the place of ours, or end the process before it begins.
fn refuse_sanitizers(file: &ElfFile64<'_, Endianness>, path: &Path) -> Result<(), String> {
    let needed = Dynamic::read(file).needed;
    let symbols = || file.symbols().chain(file.dynamic_symbols());
    let defined: Vec<&str> = symbols()
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| name.ends_with("san_init"))
        .collect();
    for (name, begins, library) in SANITIZERS {
        let clangs = format!("libclang_rt.{}", &begins[2..begins.len() - "_init".len()]);
        let is_library = |one: &String| one.starts_with(library) || one.starts_with(&clangs);
        if defined.contains(&begins) || needed.iter().any(is_library) {
            return Err(format!(
                "{} is linked with a sanitizer (-fsanitize={name}), whose runtime takes the place of the \
                 checker's; build it without",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Whether assertions are compiled out of one of them.
fn check_modules(file: &ElfFile64<'_, Endianness>, path: &Path) -> Result<bool, String> {
    let shown = path.display();
    let section = file.section_by_name(MODULE_SECTION);
    let data = section
        .and_then(|section| section.data().ok())
        .unwrap_or(&[]);
    if data.len() < MODULE_INFO_BYTES {
        return Err(format!(
            "{shown} is not instrumented; compile and link it with dpor-cc"
        ));
    }
    let mut without_assertions = false;
    for module in data.chunks_exact(MODULE_INFO_BYTES) {
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| module[at + k]));
        let (magic, version) = (word(0), word(4));
        if magic != MODULE_MAGIC || version != ABI_VERSION {
            return Err(format!(
                "{shown} was instrumented for another version of dpor (interface {version}, this \
                 one has {ABI_VERSION}); compile it again"
            ));
        }
        without_assertions |= word(MODULE_INFO_BYTES - 4) & module_flag::NDEBUG != 0;
    }
    Ok(without_assertions)
}

/// What the dynamic linker will look at.
#[derive(Debug, Default)]
struct Dynamic {
    needed: Vec<String>,
    /// Folders of DT_RUNPATH or DT_RPATH.
    run_path: Vec<String>,
}

impl Dynamic {
    fn read(file: &ElfFile64<'_, Endianness>) -> Dynamic {
        Dynamic::try_read(file).unwrap_or_default()
    }

    fn try_read(file: &ElfFile64<'_, Endianness>) -> Option<Dynamic> {
        let (endian, data) = (file.endian(), file.data());
        let header: &FileHeader64<Endianness> = file.elf_header();
        let sections = header.sections(endian, data).ok()?;
        let (entries, strings) = sections.dynamic(endian, data).ok()??;
        let strings = sections.strings(endian, data, strings).ok()?;
        let mut dynamic = Dynamic::default();
        for entry in entries {
            let text = || Some(String::from_utf8_lossy(entry.string(endian, strings).ok()?).into());
            match u32::try_from(entry.d_tag(endian)) {
                Ok(DT_NEEDED) => dynamic.needed.extend(text()),
                Ok(DT_RPATH | DT_RUNPATH) => {
                    let paths: String = text().unwrap_or_default();
                    dynamic.run_path.extend(paths.split(':').map(str::to_owned));
                }
                _ => {}
            }
        }
        Some(dynamic)
    }
}

/// The folder to add to the search path, `None` if the program finds the runtime itself.
fn find_runtime(dynamic: &Dynamic, path: &Path, lib: &Path) -> Result<Option<PathBuf>, String> {
    let name = crate::install::RUNTIME;
    if !dynamic.needed.iter().any(|library| library == name) {
        return Err(format!(
            "{} is instrumented but not linked with the runtime; link it with dpor-cc \
             (or -ldpor_rt)",
            path.display()
        ));
    }
    let origin = path.parent().unwrap_or(Path::new("")).to_string_lossy();
    let origin = if origin.is_empty() { "." } else { &origin };
    let finds = |folder: &String| {
        let folder = folder
            .replace("$ORIGIN", origin)
            .replace("${ORIGIN}", origin);
        Path::new(&folder).join(name).is_file()
    };
    if dynamic.run_path.iter().any(finds) {
        return Ok(None);
    }
    if lib.join(name).is_file() {
        return Ok(Some(lib.to_owned()));
    }
    Err(format!(
        "the runtime {name} is neither where {} looks for it nor in {}; build it with \
         `cargo xtask build`",
        path.display(),
        lib.display()
    ))
}
