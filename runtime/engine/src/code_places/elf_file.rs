//! An ELF file, as far as debug information and names of functions are concerned.

use core::ffi::CStr;
use core::mem::size_of;
use dpor_machine::sys;
use libc::{Elf64_Ehdr, Elf64_Shdr, Elf64_Sym};

/// A file, mapped for good.
pub struct ElfFile {
    bytes: &'static [u8],
    sections: Vec<Elf64_Shdr>,
}

/// Bit of a section's flags: its content is compressed (ELF's SHF_COMPRESSED).
const COMPRESSED: u64 = 1 << 11;
/// Type of a symbol that is a function (ELF's STT_FUNC).
const FUNCTION: u8 = 2;

impl ElfFile {
    /// Maps a file; `None`: it cannot be read, or is none of this kind.
    pub fn map(path: &CStr) -> Option<ElfFile> {
        let bytes = map(path)?;
        let header: Elf64_Ehdr = read(bytes, 0)?;
        if header.e_ident[..4] != *b"\x7fELF" {
            return None;
        }
        let at = |number: usize| header.e_shoff as usize + number * size_of::<Elf64_Shdr>();
        let sections = (0..usize::from(header.e_shnum)).map(|number| read(bytes, at(number)));
        let mut sections: Vec<Elf64_Shdr> = sections.collect::<Option<_>>()?;
        // The names come first, so that nobody has to know where they are.
        let names = usize::from(header.e_shstrndx);
        sections.get(names)?;
        sections.swap(0, names);
        Some(ElfFile { bytes, sections })
    }

    /// The content of a section; `None`: there is none of that name, or it is compressed.
    pub fn section(&self, name: &str) -> Option<&'static [u8]> {
        let names = self.content(&self.sections[0])?;
        let is_it = |section: &&Elf64_Shdr| {
            string(names, section.sh_name as usize) == Some(name.as_bytes())
        };
        self.content(self.sections.iter().find(is_it)?)
    }

    fn content(&self, section: &Elf64_Shdr) -> Option<&'static [u8]> {
        if section.sh_flags & COMPRESSED != 0 {
            return None;
        }
        let start = section.sh_offset as usize;
        self.bytes
            .get(start..start.checked_add(section.sh_size as usize)?)
    }

    /// The linker's name of the function that an address of the file is in.
    pub fn function(&self, address: u64) -> Option<String> {
        let tables = [(".symtab", ".strtab"), (".dynsym", ".dynstr")];
        tables.into_iter().find_map(|(symbols, strings)| {
            let (symbols, strings) = (self.section(symbols)?, self.section(strings)?);
            let count = symbols.len() / size_of::<Elf64_Sym>();
            let mut all = (0..count).filter_map(|k| read(symbols, k * size_of::<Elf64_Sym>()));
            let found = all.find(|symbol: &Elf64_Sym| {
                symbol.st_info & 0xf == FUNCTION
                    && (symbol.st_value..symbol.st_value + symbol.st_size).contains(&address)
            })?;
            let name = string(strings, found.st_name as usize)?;
            Some(String::from_utf8_lossy(name).into_owned())
        })
    }
}

/// The string that begins at a place.
fn string(strings: &'static [u8], at: usize) -> Option<&'static [u8]> {
    let rest = strings.get(at..)?;
    Some(&rest[..rest.iter().position(|&byte| byte == 0)?])
}

/// A record of the file's at a place. `T` is one of ELF's structures, which are numbers only.
fn read<T: Copy>(bytes: &[u8], at: usize) -> Option<T> {
    let place = bytes.get(at..at.checked_add(size_of::<T>())?)?;
    // SAFETY: the slice has as many bytes as the structure, any of which are valid numbers.
    Some(unsafe { place.as_ptr().cast::<T>().read_unaligned() })
}

fn map(path: &CStr) -> Option<&'static [u8]> {
    // SAFETY: the name ends with a NUL; the record is ours; a new private mapping is in nobody's way, and stays.
    unsafe {
        let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
        let file = sys::call3(libc::SYS_open, path.as_ptr() as usize, flags, 0);
        if file < 0 {
            return None;
        }
        let mut found: libc::stat = core::mem::zeroed();
        let told = sys::call3(libc::SYS_fstat, file as usize, (&raw mut found) as usize, 0);
        let bytes = found.st_size as usize;
        let start = match told {
            0 => sys::call6(
                libc::SYS_mmap,
                0,
                bytes,
                libc::PROT_READ as usize,
                libc::MAP_PRIVATE as usize,
                file as usize,
                0,
            ),
            _ => -1,
        };
        sys::call3(libc::SYS_close, file as usize, 0, 0);
        (start > 0).then(|| core::slice::from_raw_parts(start as *const u8, bytes))
    }
}
