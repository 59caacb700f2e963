//! Objects that are linked without instrumentation: warnings for the user, and the note that the runtime reads.
//!
//! A stale object of an earlier build, or one of another compiler, is linked like any other, and what its code
//! does is not seen. `dpor-cc` sees it here, by the section that the pass leaves in each object ([`MODULE_SECTION`]).
//! The runtime finds the names in a note ([`dpor_abi::foreign`]) and says so if threads meet there.

use super::request::SEPARATE;
use dpor_abi::foreign::{is_of_framework, why_library, NOTE_NAME, NOTE_TYPE};
use dpor_abi::MODULE_SECTION;
use object::read::archive::ArchiveFile;
use object::write::{Object as Written, StandardSegment};
use object::{
    Architecture, BinaryFormat, Endianness, File, Object, ObjectKind, ObjectSection, ObjectSymbol,
    SectionFlags, SectionKind, SymbolSection,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An object without instrumentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The object's file name: `add.o`, or `libadd.a(add.o)`.
    pub name: String,
    /// The linker's names of the functions that it defines.
    pub functions: Vec<String>,
}

/// Folders in which the linker looks behind those that it is told.
const FOLDERS: [&str; 4] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib",
];

/// The objects and archives that the arguments name, response files already replaced.
pub(super) fn inputs(args: &[String]) -> Vec<PathBuf> {
    let mut inputs = Vec::new();
    let (mut folders, mut libraries) = (Vec::new(), Vec::new());
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let mut value = |begin: &str| match word.strip_prefix(begin) {
            Some("") => words.next(),
            other => other,
        };
        if let Some(folder) = value("-L") {
            folders.push(PathBuf::from(folder));
        } else if let Some(name) = value("-l") {
            libraries.push(name);
        } else if let Some(parts) = word.strip_prefix("-Wl,") {
            inputs.extend(
                parts
                    .split(',')
                    .filter(|part| is_object(part))
                    .map(PathBuf::from),
            );
        } else if SEPARATE.contains(&word) {
            words.next();
        } else if is_object(word) {
            inputs.push(PathBuf::from(word));
        }
    }
    folders.extend(FOLDERS.map(PathBuf::from));
    inputs.extend(libraries.iter().filter_map(|name| archive(name, &folders)));
    inputs
}

fn is_object(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|e| e.to_str());
    !word.starts_with('-') && matches!(extension, Some("o" | "lo" | "obj" | "a"))
}

/// The archive that `-lNAME` is, if it is one: in each folder a shared library comes first.
fn archive(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let (shared, archive) = match name.strip_prefix(':') {
        Some(file) => (None, file.to_owned()),
        None => (Some(format!("lib{name}.so")), format!("lib{name}.a")),
    };
    for folder in folders {
        if shared
            .as_ref()
            .is_some_and(|file| folder.join(file).exists())
        {
            return None;
        }
        let path = folder.join(&archive);
        if path.exists() {
            return is_object(&archive).then_some(path);
        }
    }
    None
}

/// The linked objects that are not instrumented and not known to need no instrumentation.
pub fn find(args: &[String]) -> Vec<Foreign> {
    let mut found = Vec::new();
    for path in inputs(args) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if why_library(&name).is_some() {
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        match ArchiveFile::parse(&*bytes) {
            Ok(archive) => found.extend(members(&archive, &bytes, &name)),
            Err(_) => found.extend(foreign(&bytes, name.into_owned())),
        }
    }
    found
}

fn members(archive: &ArchiveFile, bytes: &[u8], name: &str) -> Vec<Foreign> {
    let member = |member: object::read::Result<object::read::archive::ArchiveMember>| {
        let member = member.ok()?;
        let text = String::from_utf8_lossy(member.name()).into_owned();
        foreign(member.data(bytes).ok()?, format!("{name}({text})"))
    };
    archive.members().filter_map(member).collect()
}

/// The functions of an object that has code without hooks; `None` for any other. Bitcode gets its hooks when it is
/// linked.
fn foreign(bytes: &[u8], name: String) -> Option<Foreign> {
    let file = File::parse(bytes).ok()?;
    let is_code =
        |section: &object::Section| section.kind() == SectionKind::Text && section.size() > 0;
    if file.kind() != ObjectKind::Relocatable
        || file.section_by_name(MODULE_SECTION).is_some()
        || !file.sections().any(|section| is_code(&section))
    {
        return None;
    }
    let in_code = |section: SymbolSection| match section {
        SymbolSection::Section(at) => file.section_by_index(at).is_ok_and(|s| is_code(&s)),
        _ => false,
    };
    let defined = file.symbols().filter(|symbol| in_code(symbol.section()));
    let names = defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    let functions: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    let is_framework = functions.iter().any(|name| is_of_framework(name));
    (!is_framework).then_some(Foreign { name, functions })
}

/// The warnings for the user, one line for each file.
pub fn warnings(found: &[Foreign]) -> Vec<String> {
    let mut files: Vec<(&str, u64)> = Vec::new();
    for foreign in found {
        let file = foreign.name.split('(').next().unwrap_or_default();
        match files.iter_mut().find(|known| known.0 == file) {
            Some(known) => known.1 += 1,
            None => files.push((file, 1)),
        }
    }
    let line = |&(file, members): &(&str, u64)| {
        let what = match members {
            1 => String::new(),
            n => format!(" ({n} members)"),
        };
        format!("{file}{what} is not built with dpor-cc: what its code does is not seen")
    };
    files.iter().map(line).collect()
}

/// The call of a compiler that links, with the list for the runtime of what is linked without instrumentation, which the
/// user is told of (`say`). If there is any, the compiler is called from here, as the list has to go when it is read, and
/// this process ends as it does. `args`: as it gets them, response files replaced.
///
/// # Errors
/// One sentence.
pub fn told(mut command: Command, args: &[String], say: &dyn Fn(&str)) -> Result<Command, String> {
    let found = find(args);
    if found.is_empty() {
        return Ok(command);
    }
    for line in warnings(&found) {
        say(&format!("warning: {line}"));
    }
    let mut list = tempfile::Builder::new()
        .prefix("dpor-")
        .suffix(".o")
        .tempfile()
        .map_err(|why| format!("no temporary file: {why}"))?;
    list.write_all(&note(&found)?)
        .map_err(|why| format!("{}: {why}", list.path().display()))?;
    command.arg(list.path());
    let ended = command.status();
    drop(list);
    match ended {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(why) => {
            let compiler = command.get_program().display();
            Err(format!("{compiler} does not run: {why}"))
        }
    }
}

/// An object file with the note for the runtime.
///
/// # Errors
/// One sentence.
pub fn note(found: &[Foreign]) -> Result<Vec<u8>, String> {
    let mut text = String::new();
    for foreign in found {
        text += &foreign.name;
        for function in &foreign.functions {
            text.push('\t');
            text += function;
        }
        text.push('\n');
    }
    let name = [NOTE_NAME.as_bytes(), &[0]].concat();
    let mut bytes = Vec::new();
    for word in [name.len() as u32, text.len() as u32, NOTE_TYPE] {
        bytes.extend(word.to_le_bytes());
    }
    for part in [&name[..], text.as_bytes()] {
        bytes.extend(part);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let mut object = Written::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let segment = object.segment_name(StandardSegment::Data).to_vec();
    let section = object.add_section(segment.clone(), b".note.dpor".to_vec(), SectionKind::Note);
    object.section_mut(section).flags = SectionFlags::Elf {
        sh_flags: u64::from(object::elf::SHF_ALLOC),
    };
    object.append_section_data(section, &bytes, 4);
    // Without it the linker takes the program's stack for executable.
    object.add_section(segment, b".note.GNU-stack".to_vec(), SectionKind::Other);
    object
        .write()
        .map_err(|why| format!("the list of objects cannot be written: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_archives_are_inputs() {
        let words =
            "a.o -o b.o -Ilib c.c -Wl,--whole-archive,libd.a,-z,now -L /nowhere -lnone e.lo";
        let args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let expect = ["a.o", "libd.a", "e.lo"].map(PathBuf::from);
        assert_eq!(inputs(&args), expect);
    }

    #[test]
    fn a_file_is_named_once() {
        let foreign = |name: &str| Foreign {
            name: name.to_owned(),
            functions: Vec::new(),
        };
        let found = ["add.o", "libx.a(b.o)", "libx.a(c.o)"].map(foreign);
        let expect = [
            "add.o is not built with dpor-cc: what its code does is not seen",
            "libx.a (2 members) is not built with dpor-cc: what its code does is not seen",
        ];
        assert_eq!(warnings(&found), expect);
    }

    #[test]
    fn the_note_is_an_object_of_the_kind_that_is_linked() {
        let foreign = Foreign {
            name: "add.o".to_owned(),
            functions: vec!["add".to_owned(), "get".to_owned()],
        };
        let bytes = note(&[foreign]).expect("it can be made");
        let file = File::parse(&*bytes).expect("it can be read");
        let section = file.section_by_name(".note.dpor").expect("it is there");
        let data = section.data().expect("it has bytes");
        assert!(data.ends_with(b"add.o\tadd\tget\n\0\0"));
        assert_eq!(data.len() % 4, 0);
    }
}
