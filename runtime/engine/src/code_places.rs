//! Places of instructions, from the debug information of the files that they are in.
//!
//! Code that another compiler instrumented has no records of places ([`dpor_abi::return_site`]). A record is made when the
//! first who reads it asks, and kept: then a place is as good as one that the pass wrote.
//!
//! It may be asked for on a fiber as well as by the engine, so files are read with system calls of the runtime's own.
//!
//! **Source**: DWARF 5, as `addr2line` reads it; ELF's section headers.

mod elf_file;

use crate::between::Shared;
use crate::loaded;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian};
use addr2line::Context;
use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_abi::{return_site, Site};
use dpor_machine::state::{Kept, PerStep};
use dpor_model::SiteId;
use elf_file::ElfFile;
use std::collections::BTreeMap;
use std::ffi::CString;

type Bytes = EndianSlice<'static, LittleEndian>;

/// A file that code was loaded from.
struct File {
    elf: ElfFile,
    /// `None`: without debug information that can be read.
    lines: Option<Context<Bytes>>,
}

/// All that was looked up so far. It lies in the arena, and nothing of it is freed.
#[derive(Default)]
struct Memory {
    /// By the number that is added to addresses in the file; `None`: it cannot be read.
    files: BTreeMap<u64, Option<File>>,
    /// Addresses of records, by instruction.
    records: BTreeMap<u64, u64>,
}

static MEMORY: Kept<Shared<Memory>> = Kept::new(Shared::nothing());
/// Something is being looked up: a signal that interrupts it does not look up another.
static IS_BUSY: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// The record of a site: the pass's, or one that is made of debug information.
pub fn record_of(site: SiteId) -> Option<&'static Site> {
    match return_site::address(site.0) {
        Some(address) => made(address),
        // SAFETY: sites come from hooks only, which pass records that the pass emitted as constants; others are kept for
        // good.
        None => unsafe { record(site.0 as *const Site) },
    }
}

/// The record at an address, null for none: of the pass, or kept here.
///
/// # Safety
/// The record is one that a hook passed, a constant of the pass's, or was kept for good.
pub unsafe fn record(site: *const Site) -> Option<&'static Site> {
    // SAFETY: by the caller's promise the record is there for good.
    unsafe { site.as_ref() }
}

/// The record of the place whose code the return address is behind. `None` where nothing is known, not even a function.
fn made(return_address: u64) -> Option<&'static Site> {
    if IS_BUSY.swap(true, Ordering::Relaxed) {
        return None;
    }
    if MEMORY.get().is_null() {
        MEMORY.install(Box::default());
    }
    // SAFETY: installed above and never freed; `IS_BUSY` keeps a second reference away.
    let memory = unsafe { &mut *MEMORY.get() };
    let instruction = return_address - 1;
    let record = match memory.records.get(&instruction) {
        Some(&known) => known,
        None => {
            let made = memory.look_up(instruction);
            memory.records.insert(instruction, made);
            made
        }
    };
    IS_BUSY.store(false, Ordering::Relaxed);
    // SAFETY: it was made here and is kept for good, or is null.
    unsafe { self::record(record as *const Site) }
}

impl Memory {
    /// Makes the records of an instruction; returns the address of the innermost one, 0 if nothing is known.
    fn look_up(&mut self, instruction: u64) -> u64 {
        let Some((base, name)) = object_of(instruction) else {
            return 0;
        };
        let file = { self.files.entry(base) }.or_insert_with(|| File::read(name));
        let Some(file) = file else {
            return 0;
        };
        let address = instruction - base;
        let mut inner_first = file.functions(address);
        if inner_first.is_empty() {
            inner_first.push(Function::default());
        }
        if let Some(outermost) = inner_first.last_mut().filter(|f| f.name.is_empty()) {
            outermost.name = file.elf.function(address).unwrap_or_default();
        }
        let outer_first = inner_first.into_iter().rev();
        outer_first.fold(0, |outer, function| keep(function, outer))
    }
}

/// A function that an instruction is in: itself, or one that it was inlined into.
#[derive(Default)]
struct Function {
    name: String,
    file: String,
    line: u32,
    column: u32,
}

impl File {
    fn read(name: &CStr) -> Option<File> {
        let path = match name.is_empty() {
            true => c"/proc/self/exe",
            false => name,
        };
        let elf = ElfFile::map(path)?;
        let section = |id: addr2line::gimli::SectionId| {
            let bytes = elf.section(id.name()).unwrap_or_default();
            Ok::<Bytes, addr2line::gimli::Error>(EndianSlice::new(bytes, LittleEndian))
        };
        let lines = { Dwarf::load(section).ok() }.and_then(|dwarf| Context::from_dwarf(dwarf).ok());
        Some(File { elf, lines })
    }

    /// The functions that an address is in, the innermost first, as far as debug information tells.
    fn functions(&self, address: u64) -> Vec<Function> {
        let mut functions = Vec::new();
        let Some(lines) = &self.lines else {
            return functions;
        };
        let Ok(mut frames) = lines.find_frames(address).skip_all_loads() else {
            return functions;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = { frame.function }.and_then(|name| Some(name.raw_name().ok()?.into_owned()));
            let location = frame.location;
            functions.push(Function {
                name: name.unwrap_or_default(),
                file: { location.as_ref().and_then(|at| at.file) }
                    .unwrap_or_default()
                    .to_owned(),
                line: { location.as_ref().and_then(|at| at.line) }.unwrap_or(0),
                column: { location.as_ref().and_then(|at| at.column) }.unwrap_or(0),
            });
        }
        functions
    }
}

/// Leaks a record; returns its address.
fn keep(function: Function, inlined_at: u64) -> u64 {
    let text = |text: String| -> *const c_char {
        CString::new(text).map_or(c"".as_ptr(), |text| text.into_raw().cast_const())
    };
    let file = match function.file.is_empty() {
        true => core::ptr::null(),
        false => text(function.file),
    };
    Box::into_raw(Box::new(Site {
        file,
        function: text(function.name),
        inlined_at: inlined_at as *const Site,
        line: function.line,
        column: function.column,
        flags: 0,
        reserved: 0,
    })) as u64
}

/// The number that is added to addresses in the file that an instruction was loaded from, and the file's name as the
/// dynamic linker has it.
fn object_of(instruction: u64) -> Option<(u64, &'static CStr)> {
    let (mut found, mut is_program) = (None, true);
    loaded::each(&mut |base, name, _| {
        if found.is_none() && loaded::contains(base, is_program, instruction as usize) {
            // SAFETY: the linker keeps a NUL-terminated name for as long as the object is loaded.
            let name = unsafe { CStr::from_ptr(name as *const c_char) };
            found = Some((base as u64, name));
        }
        is_program = false;
    });
    found
}
