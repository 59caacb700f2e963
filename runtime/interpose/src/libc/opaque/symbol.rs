//! Names of functions, for messages.
//!
//! From the symbols of a loaded object for the dynamic linker. `dladdr` would take a lock, which a
//! suspended fiber may hold.

use core::ffi::{c_char, CStr};

const DT_NULL: u64 = 0;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
/// Type of a symbol, the low four bits of `st_info`: a function.
const STT_FUNC: u8 = 2;

/// The symbols of an object: addresses, absolute.
#[derive(Clone, Copy, Default)]
pub struct Symbols {
    base: usize,
    table: usize,
    strings: usize,
}

impl Symbols {
    /// Those of the object whose dynamic section is at `dynamic`.
    ///
    /// # Safety
    /// ld.so loaded the object, and has made the addresses in the section absolute.
    pub unsafe fn new(base: usize, dynamic: usize) -> Symbols {
        let mut symbols = Symbols {
            base,
            ..Symbols::default()
        };
        let mut entry = dynamic as *const [u64; 2];
        // SAFETY: the caller's; the section ends with DT_NULL.
        unsafe {
            while (*entry)[0] != DT_NULL {
                match *entry {
                    [DT_SYMTAB, at] => symbols.table = at as usize,
                    [DT_STRTAB, at] => symbols.strings = at as usize,
                    _ => {}
                }
                entry = entry.add(1);
            }
        }
        symbols
    }

    /// The function that an address lies in: of several names the shortest, one without underscores
    /// before it if there is such a one.
    pub fn function_at(&self, address: usize) -> Option<String> {
        // Linkers put the strings right after the symbols; where they do not, no name is found.
        let bytes = self
            .strings
            .checked_sub(self.table)
            .filter(|_| self.table > self.base)?;
        let count = bytes / size_of::<::libc::Elf64_Sym>();
        let of = |k: usize| {
            // SAFETY: below the strings, in the table of a loaded object.
            unsafe { &*(self.table as *const ::libc::Elf64_Sym).add(k) }
        };
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
