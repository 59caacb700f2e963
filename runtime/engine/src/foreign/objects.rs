//! Loaded objects: where their code is, and what of their memory they can write.

use core::cell::OnceCell;
use dpor_report::LoadedObject;

/// A range of addresses.
pub type Range = core::ops::Range<usize>;

/// A loaded object.
pub struct Object {
    /// File name of the object, without folders.
    pub name: String,
    /// Path of the object, as the dynamic linker has it.
    pub path: String,
    /// Number that is added to addresses in the file to get those in memory.
    pub base: usize,
    /// Ranges of the object's code.
    pub code: Vec<Range>,
    /// Ranges that can be written once the program runs.
    pub written: Vec<Range>,
    /// Ranges that the dynamic linker wrote, and nobody else can: tables of addresses among them.
    pub fixed: Vec<Range>,
    /// Range of the object's dynamic section.
    pub dynamic: Range,
    /// Ranges of the object's notes.
    pub notes: Vec<Range>,
    /// Whether the object has instrumented modules.
    pub is_instrumented: bool,
    /// The reason for which the object needs no instrumentation, by its name.
    pub why: Option<&'static str>,
    /// Answer of [`Object::has_constant_ways_to_written`], which is asked for many instructions.
    constant_ways: OnceCell<bool>,
}

impl Object {
    /// Describes a loaded object. `modules`: addresses of the records of instrumented modules.
    pub fn of(loaded: &LoadedObject, modules: &[usize]) -> Object {
        let name = loaded.path.rsplit('/').next().unwrap_or("").to_owned();
        let base = loaded.base as usize;
        let mut object = Object {
            why: dpor_abi::foreign::why_library(&name),
            name,
            path: loaded.path.clone(),
            base,
            code: Vec::new(),
            written: Vec::new(),
            fixed: Vec::new(),
            dynamic: 0..0,
            notes: Vec::new(),
            constant_ways: OnceCell::new(),
            is_instrumented: modules
                .iter()
                .any(|&module| (loaded.start..loaded.end).contains(&(module as u64))),
        };
        for header in crate::headers_of(loaded) {
            let start = base + header.p_vaddr as usize;
            let range = start..start + header.p_memsz as usize;
            match header.p_type {
                libc::PT_LOAD if header.p_flags & libc::PF_X != 0 => object.code.push(range),
                libc::PT_LOAD if header.p_flags & libc::PF_W != 0 => object.written.push(range),
                libc::PT_GNU_RELRO => object.fixed.push(range),
                libc::PT_DYNAMIC => object.dynamic = range,
                libc::PT_NOTE => object.notes.push(range),
                _ => {}
            }
        }
        for fixed in &object.fixed {
            object.written = { object.written.iter() }
                .flat_map(|range| without(range, fixed))
                .collect();
        }
        object
    }

    /// Returns whether an address is in its code.
    pub fn has_code(&self, address: usize) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }

    /// Returns whether an address is in what it can write.
    pub fn can_write(&self, address: usize) -> bool {
        self.written.iter().any(|range| range.contains(&address))
    }

    /// Returns the word at an address that the linker wrote for good.
    pub fn fixed_word(&self, address: usize) -> Option<usize> {
        let is_there = |range: &Range| range.contains(&address) && range.contains(&(address + 7));
        let is_fixed = self.fixed.iter().any(is_there);
        // SAFETY: a mapped word of a segment that stays.
        is_fixed.then(|| unsafe { core::ptr::read_unaligned(address as *const usize) })
    }

    /// Returns the table of addresses that the linker fills as functions are called first, if there is one (`<elf.h>`,
    /// `DT_PLTGOT`: three words, and one for each relocation of 24 bytes).
    pub fn filled_by_linker(&self) -> Option<Range> {
        const DT_PLTGOT: u64 = 3;
        const DT_PLTRELSZ: u64 = 2;
        let entries = self.dynamic.clone().step_by(16);
        let value = |tag: u64| {
            // SAFETY: the dynamic section is mapped as long as the object is loaded, an array of pairs of words.
            let pair = |at: usize| unsafe { core::ptr::read_unaligned(at as *const [u64; 2]) };
            let found = entries.clone().map(pair).find(|pair| pair[0] == tag);
            found.map(|pair| pair[1] as usize)
        };
        let (start, bytes) = (value(DT_PLTGOT)?, value(DT_PLTRELSZ)?);
        Some(start..start + 8 * (3 + bytes / 24))
    }

    /// Returns whether constants of it, other than those for the linker, lead to what it can write.
    pub fn has_constant_ways_to_written(&self) -> bool {
        *self
            .constant_ways
            .get_or_init(|| self.looks_for_constant_ways())
    }

    fn looks_for_constant_ways(&self) -> bool {
        let words = |range: &Range| (range.start.next_multiple_of(8)..range.end - 7).step_by(8);
        let mut all = { self.fixed.iter() }.flat_map(words);
        all.any(|at| {
            let word = self.fixed_word(at);
            !self.dynamic.contains(&at) && word.is_some_and(|word| self.can_write(word))
        })
    }
}

fn without(range: &Range, hole: &Range) -> [Range; 2] {
    let before = range.start..range.end.min(hole.start).max(range.start);
    let after = range.start.max(hole.end).min(range.end)..range.end;
    [before, after]
}
