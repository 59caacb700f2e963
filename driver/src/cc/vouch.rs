//! Whether a program is linked from nothing but what has records of its code ([`dpor_abi::reach`]), by a linker that is
//! told nothing that would make a record's names mean something else.
//!
//! Such options cannot be seen in the program afterwards (`--wrap`, `--defsym`, scripts). So only options are let pass that
//! are known to be harmless; with any other one there is no symbol [`VOUCHED`], and then the whole file counts.

use super::linked::inputs;
use super::request::SEPARATE;
use dpor_abi::foreign::why_library;
use dpor_abi::reach::{SECTION, VOUCHED};
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSection, SectionKind};
use std::path::Path;

/// Options of the compiler that say nothing to the linker, or nothing that changes what names mean.
#[rustfmt::skip] // A table: many words to a line.
const PLAIN: &[&str] = &[
    "-c", "-v", "-w", "-ansi", "-pipe", "-pthread", "-pie", "-no-pie", "-rdynamic",
];

/// First characters of more of them.
#[rustfmt::skip] // A table: many words to a line.
const PLAIN_BEGINS: &[&str] = &[
    "-I", "-D", "-U", "-O", "-W", "-f", "-m", "-g", "-M", "-L", "-l", "-std=", "-stdlib=", "-pedantic",
];

/// First characters of options that would be among those, but add code or passes, or choose a linker.
#[rustfmt::skip] // A table: many words to a line.
const NOT_PLAIN: &[&str] = &[
    "-Wa,", "-fuse-ld=", "-fpass-plugin", "-fplugin", "-fsanitize", "-fprofile", "-fcoverage", "-fxray",
    "-fembed", "-fms-", "-gcc-toolchain", "-mllvm", "-fload", "-forder-file",
];

/// Options whose value is the next word, and that are plain.
#[rustfmt::skip] // A table: many words to a line.
const PLAIN_SEPARATE: &[&str] = &[
    "-o", "-I", "-D", "-U", "-L", "-l", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-MF", "-MT",
    "-MQ", "-MJ",
];

/// Options of the linker.
#[rustfmt::skip] // A table: many words to a line.
const LINKER: &[&str] = &[
    "--as-needed", "--no-as-needed", "--gc-sections", "--no-gc-sections", "--start-group", "--end-group", "-(",
    "-)", "--whole-archive", "--no-whole-archive", "--export-dynamic", "-export-dynamic", "-E",
    "--enable-new-dtags", "--disable-new-dtags", "--no-undefined", "--fatal-warnings", "--no-fatal-warnings",
    "--eh-frame-hdr", "-Bdynamic", "--allow-shlib-undefined", "--no-allow-shlib-undefined", "--push-state",
    "--pop-state", "--demangle", "--no-demangle", "--color-diagnostics",
];

/// First characters of more of them.
#[rustfmt::skip] // A table: many words to a line.
const LINKER_BEGINS: &[&str] = &[
    "--build-id", "--hash-style=", "-rpath=", "--rpath=", "-rpath-link=", "--rpath-link=", "-Map=", "--threads",
    "-O", "--warn-", "--no-warn-", "--color-diagnostics=",
];

/// Options of the linker whose value is the next word.
const LINKER_SEPARATE: &[&str] = &["-rpath", "--rpath", "-rpath-link", "--rpath-link", "-Map"];

/// Values of `-z`.
#[rustfmt::skip] // A table: many words to a line.
const KEYWORDS: &[&str] = &[
    "now", "lazy", "relro", "norelro", "noexecstack", "defs", "origin", "separate-code", "noseparate-code",
];

/// Extensions of sources that the pass sees. Assembler text is none.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "C", "cp", "CPP", "i", "ii"];

/// The arguments for the linker that say so.
pub fn symbol() -> [String; 2] {
    ["-Xlinker".to_owned(), format!("--defsym={VOUCHED}=1")]
}

/// Whether all that is linked has records and each name means what it means in them. `args`: as the compiler gets them,
/// response files replaced.
pub fn is_known(args: &[String]) -> bool {
    std::env::var_os("CCC_OVERRIDE_OPTIONS").is_none()
        && are_plain(args)
        && !has_script(args)
        && inputs(args).iter().all(|path| has_records(path))
}

fn are_plain(args: &[String]) -> bool {
    let mut for_linker: Vec<&str> = Vec::new();
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let is_plain = match word {
            "-Xlinker" | "-z" => {
                for_linker.extend((word == "-z").then_some(word));
                for_linker.extend(words.next());
                true
            }
            "-x" => matches!(words.next(), Some("c" | "c++" | "none")),
            "-xc" | "-xc++" | "-fuse-ld=lld" | "-fuse-ld=bfd" | "-fsanitize=undefined" => true,
            _ if PLAIN_SEPARATE.contains(&word) => words
                .next()
                .is_some_and(|value| word != "-l" || is_library(value)),
            _ if SEPARATE.contains(&word) => false,
            _ => match word.strip_prefix("-Wl,") {
                Some(parts) => {
                    for_linker.extend(parts.split(','));
                    true
                }
                None if word.starts_with('-') => is_plain(word),
                None => is_input(word),
            },
        };
        if !is_plain {
            return false;
        }
    }
    are_plain_for_linker(&for_linker)
}

fn is_plain(word: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|begin| word.starts_with(begin));
    let library = word.strip_prefix("-l");
    PLAIN.contains(&word)
        || (begins(PLAIN_BEGINS) && !begins(NOT_PLAIN) && library.is_none_or(is_library))
}

fn are_plain_for_linker(words: &[&str]) -> bool {
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let begins = |begin: &&str| word.starts_with(*begin);
        let is_plain = match word {
            "-z" => words.next().is_some_and(|value| KEYWORDS.contains(&value)),
            _ if LINKER_SEPARATE.contains(&word) => words.next().is_some(),
            _ if word.starts_with('-') => {
                LINKER.contains(&word) || LINKER_BEGINS.iter().any(begins)
            }
            _ => is_input(word),
        };
        if !is_plain {
            return false;
        }
    }
    true
}

/// Whether `-l` names a library by its name. The linker would look for a file that is named whole as it stands.
fn is_library(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(':')
}

/// A source, an object, or a library. What else the linker is given it takes for a script.
fn is_input(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let extension = Path::new(name).extension().and_then(|e| e.to_str());
    match extension {
        Some("o" | "lo" | "obj" | "a") => true,
        Some(extension) if SOURCES.contains(&extension) => true,
        _ if name.contains(".so") => is_elf(Path::new(word)),
        _ => false,
    }
}

/// A shared library may be a script, which then says what to link.
fn is_elf(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF"))
}

/// Whether a folder that the linker looks in first has a script in place of a library.
fn has_script(args: &[String]) -> bool {
    let values = |option: &str| {
        let next = args.iter().skip(1).map(String::as_str);
        let pairs = args.iter().zip(next.chain([""]));
        let value = |(word, next): (&String, &str)| match word.strip_prefix(option)? {
            "" => Some(next.to_owned()),
            value => Some(value.to_owned()),
        };
        pairs.filter_map(value).collect::<Vec<String>>()
    };
    let (folders, names) = (values("-L"), values("-l"));
    folders.iter().any(|folder| {
        let libraries = names
            .iter()
            .map(|name| Path::new(folder).join(format!("lib{name}.so")));
        libraries
            .into_iter()
            .any(|path| path.exists() && !is_elf(&path))
    })
}

/// Whether an object, or each member of an archive, has records. Of a library that is known, code that is linked is found
/// afterwards.
fn has_records(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Ok(bytes) = std::fs::read(path) else {
        return false;
    };
    match ArchiveFile::parse(&*bytes) {
        Ok(archive) => {
            archive.members().all(|member| {
                let data = member.and_then(|member| member.data(&*bytes));
                data.is_ok_and(is_recorded)
            }) || why_library(&name).is_some()
        }
        Err(_) => is_recorded(&bytes),
    }
}

/// Bitcode gets its records when it is linked.
fn is_recorded(object: &[u8]) -> bool {
    if object.starts_with(b"BC\xc0\xde") {
        return true;
    }
    let Ok(file) = File::parse(object) else {
        return false;
    };
    let is_something = |section: object::Section| {
        section.size() > 0
            && !matches!(
                section.kind(),
                SectionKind::Note
                    | SectionKind::Metadata
                    | SectionKind::OtherString
                    | SectionKind::Other
            )
    };
    file.section_by_name(SECTION).is_some() || !file.sections().any(is_something)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str) -> bool {
        let args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        are_plain(&args)
    }

    #[test]
    fn what_builds_commonly_say_is_harmless() {
        for words in [
            "-O2 -g a.c -o prog",
            "-std=c++20 a.cc b.o lib/libx.a -Llib -lx -lpthread -pthread -o prog",
            "a.o -Wl,-rpath,/opt/lib -Wl,--as-needed -Wl,-z,now -rdynamic",
            "-Xlinker -rpath -Xlinker /opt a.o -z relro",
            "-flto -fuse-ld=lld a.o",
            "-x c a.c -x none b.c",
        ] {
            assert!(check(words), "{words}");
        }
    }

    #[test]
    fn what_changes_names_is_not() {
        for words in [
            "a.o -Wl,--wrap=malloc",
            "a.o -Wl,--wrap,malloc",
            "a.o -Xlinker --defsym=f=g",
            "a.o -Wl,-z,now,--defsym,f=g",
            "a.o -T script.ld",
            "a.o -Wl,-Tscript.ld",
            "a.o script.ld",
            "a.o script",
            "a.o -Wl,script",
            "a.o -Wl,--version-script=x",
            "a.o -Wl,--just-symbols=x",
            "a.o -Wl,--icf=all",
            "a.o -Wl,-e,begin",
            "a.o -e begin",
            "a.o -u f",
            "a.o b.s",
            "a.o b.S",
            "-x assembler a.c",
            "a.o -nostdlib",
            "a.o -shared",
            "a.o -r",
            "a.o -static",
            "a.o -Wl,-Bstatic -lx",
            "a.o -l:libx.a",
            "a.o -fuse-ld=gold",
            "a.o --ld-path=/bin/ld",
            "a.o --config=x.cfg",
            "a.o -fpass-plugin=x.so",
            "-- a.o",
        ] {
            assert!(!check(words), "{words}");
        }
    }
}
