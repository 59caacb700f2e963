//! Functions of a file, by the linker's names.

use core::mem::size_of;
use dpor_abi::foreign::ALL_KNOWN;

/// One function of a file.
pub struct Function {
    /// Address at which the function begins, in the file.
    pub start: u64,
    /// Length of the function's code, in bytes.
    pub size: u64,
    /// Name of the function, as the linker knows it.
    pub name: String,
    /// Whether several objects may define the function.
    pub is_weak: bool,
}

/// A section of a file.
#[repr(C)]
#[derive(Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    alignment: u64,
    entry_size: u64,
}

/// `<elf.h>`.
const SHT_SYMTAB: u32 = 2;
const STT_FUNC: u8 = 2;
const STB_WEAK: u8 = 2;

/// What the symbol table of a file says; nothing if it was stripped.
#[derive(Default)]
pub struct Symbols {
    /// The functions of the file, in the order of their addresses.
    pub functions: Vec<Function>,
    /// `dpor-cc` linked the file.
    pub all_known: bool,
}

/// Reads the functions in the symbol table of a file.
pub fn of(path: &str) -> Symbols {
    let file = std::fs::read(path).ok();
    file.and_then(|file| read(&file)).unwrap_or_default()
}

fn read(file: &[u8]) -> Option<Symbols> {
    let header: libc::Elf64_Ehdr = at(file, 0)?;
    let section = |index: usize| -> Option<Section> {
        at(file, header.e_shoff as usize + index * size_of::<Section>())
    };
    let sections = (0..usize::from(header.e_shnum)).map_while(section);
    let table = { sections }.find(|section| section.kind == SHT_SYMTAB)?;
    let names = section(table.link as usize)?;
    let count = table.size as usize / size_of::<libc::Elf64_Sym>();
    let mut symbols = Symbols::default();
    for k in 0..count {
        let place = table.offset as usize + k * size_of::<libc::Elf64_Sym>();
        let symbol: libc::Elf64_Sym = at(file, place)?;
        let is_function = symbol.st_info & 0xf == STT_FUNC && symbol.st_shndx != 0;
        let name = file.get(names.offset as usize + symbol.st_name as usize..)?;
        let name = name.split(|&byte| byte == 0).next()?;
        symbols.all_known |= name == ALL_KNOWN.as_bytes();
        if is_function {
            symbols.functions.push(Function {
                start: symbol.st_value,
                size: symbol.st_size,
                name: String::from_utf8_lossy(name).into_owned(),
                is_weak: symbol.st_info >> 4 == STB_WEAK,
            });
        }
    }
    { &mut symbols.functions }.sort_by_key(|function| function.start);
    Some(symbols)
}

/// Returns the value at a place of the file.
fn at<T: Copy>(file: &[u8], place: usize) -> Option<T> {
    let bytes = file.get(place..place.checked_add(size_of::<T>())?)?;
    // SAFETY: as many bytes as it has; the callers' types are numbers throughout.
    Some(unsafe { core::ptr::read_unaligned(bytes.as_ptr().cast()) })
}
