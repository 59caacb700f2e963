//! What a loaded object tells the dynamic linker: names of functions, for messages, and where the
//! words are that hold addresses of other objects' functions.
//!
//! `dladdr` would take a lock, which a suspended fiber may hold.

use core::ffi::{c_char, CStr};

const DT_NULL: u64 = 0;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_PLTRELSZ: u64 = 2;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_JMPREL: u64 = 23;
/// Type of a symbol, the low four bits of `st_info`: a function.
const STT_FUNC: u8 = 2;

/// The symbols of an object: addresses, absolute.
#[derive(Clone, Copy, Default)]
pub struct Symbols {
    base: usize,
    table: usize,
    strings: usize,
}

/// Returns the symbols and the tables of relocations (address, bytes) of the object whose dynamic
/// section is at `dynamic`.
///
/// # Safety
/// ld.so loaded the object, and has made the addresses in the section absolute.
pub unsafe fn read(base: usize, dynamic: usize) -> (Symbols, Vec<(usize, usize)>) {
    let mut symbols = Symbols {
        base,
        ..Symbols::default()
    };
    let (mut all, mut of_calls) = ((0, 0), (0, 0));
    let mut entry = dynamic as *const [u64; 2];
    // SAFETY: the dynamic section is that of a loaded object, as this function's caller guarantees,
    // and ends with DT_NULL.
    unsafe {
        while (*entry)[0] != DT_NULL {
            let [tag, value] = *entry;
            let value = value as usize;
            match tag {
                DT_SYMTAB => symbols.table = value,
                DT_STRTAB => symbols.strings = value,
                DT_RELA => all.0 = value,
                DT_RELASZ => all.1 = value,
                DT_JMPREL => of_calls.0 = value,
                DT_PLTRELSZ => of_calls.1 = value,
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    let is_absolute = |table: &(usize, usize)| table.0 > base;
    let relocations = [all, of_calls].into_iter().filter(is_absolute);
    (symbols, relocations.collect())
}

impl Symbols {
    /// Symbol `k`, which is below the strings.
    fn of(&self, k: usize) -> &'static ::libc::Elf64_Sym {
        // SAFETY: in the table of a loaded object.
        unsafe { &*(self.table as *const ::libc::Elf64_Sym).add(k) }
    }

    /// Returns whether the object refers to others' symbols of such names. `None`: it does not
    /// tell.
    pub fn imports(&self, is_one: impl Fn(&[u8]) -> bool) -> Option<bool> {
        let bytes = self
            .strings
            .checked_sub(self.table)
            .filter(|_| self.table > self.base)?;
        let mut all = (0..bytes / size_of::<::libc::Elf64_Sym>()).map(|k| self.of(k));
        Some(all.any(|symbol| {
            let at = self.strings + symbol.st_name as usize;
            // SAFETY: a name in the strings of a loaded object.
            symbol.st_shndx == 0
                && is_one(unsafe { CStr::from_ptr(at as *const c_char) }.to_bytes())
        }))
    }

    /// Returns the function that an address lies in: of several names the shortest, one without
    /// underscores before it if there is such a one.
    pub fn function_at(&self, address: usize) -> Option<String> {
        // Linkers put the strings right after the symbols; where they do not, no name is found.
        let bytes = self
            .strings
            .checked_sub(self.table)
            .filter(|_| self.table > self.base)?;
        let count = bytes / size_of::<::libc::Elf64_Sym>();
        let of = |k: usize| self.of(k);
        let offset = address - self.base;
        let is_here = |symbol: &&::libc::Elf64_Sym| {
            let start = symbol.st_value as usize;
            symbol.st_info & 15 == STT_FUNC
                && symbol.st_shndx != 0
                && (start..start + (symbol.st_size as usize).max(1)).contains(&offset)
        };
        let name = |symbol: &::libc::Elf64_Sym| {
            let at = self.strings + symbol.st_name as usize;
            // SAFETY: a name in the strings of a loaded object.
            unsafe { CStr::from_ptr(at as *const c_char) }
                .to_string_lossy()
                .into_owned()
        };
        let names = (0..count).map(of).filter(is_here).map(name);
        names.min_by_key(|name| (name.starts_with('_'), name.len(), name.clone()))
    }
}
