//! All loaded ELF objects, for the report.
//!
//! Asked at the end of a check, when a thread of the program may stand inside the dynamic linker and
//! hold its lock: `dl_iterate_phdr` would wait for it for ever. So the list that the linker keeps for
//! debuggers is read (`<link.h>`, `_r_debug`), which takes no lock; no thread runs, and none is ever
//! suspended while the list changes.

use core::ffi::{c_char, CStr};
use dpor_report::LoadedObject;
use std::os::unix::fs::FileExt as _;

/// `struct link_map`, as far as it is public.
#[repr(C)]
struct LinkMap {
    base: u64,
    name: *const c_char,
    dynamic: u64,
    next: *const LinkMap,
    previous: *const LinkMap,
}

/// `struct r_debug`.
#[repr(C)]
struct Debug {
    version: i32,
    first: *const LinkMap,
}

extern "C" {
    static _r_debug: Debug;
}

/// A line of /proc/self/maps.
struct Mapping<'a> {
    start: u64,
    end: u64,
    offset: u64,
    path: &'a str,
}

fn mapping(line: &str) -> Option<Mapping<'_>> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let offset = fields.nth(1)?;
    let hexadecimal = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        start: hexadecimal(start)?,
        end: hexadecimal(end)?,
        offset: hexadecimal(offset)?,
        path: fields.nth(2)?.trim_start(),
    })
}

/// Calls `with` each one's base, name and dynamic section, the program first.
pub fn each(with: &mut dyn FnMut(usize, usize, usize)) {
    // SAFETY: the linker's list is there since the program was started, and no thread loads or unloads an object
    // meanwhile.
    let mut map = unsafe { _r_debug.first };
    while !map.is_null() {
        // SAFETY: `map` is an element of the linker's list, not null, and no thread loads or unloads an object
        // meanwhile.
        let (object, next) = unsafe { (&*map, (*map).next) };
        with(
            object.base as usize,
            object.name as usize,
            object.dynamic as usize,
        );
        map = next;
    }
}

/// Whether an address lies in the program itself, which is never unloaded.
pub fn is_of_program(address: usize) -> bool {
    // SAFETY: asks only; the kernel says where the program headers are, and how many.
    let headers = unsafe {
        let first = libc::getauxval(libc::AT_PHDR) as *const libc::Elf64_Phdr;
        if first.is_null() {
            return false;
        }
        core::slice::from_raw_parts(first, libc::getauxval(libc::AT_PHNUM) as usize)
    };
    let own = headers.iter().find(|h| h.p_type == libc::PT_PHDR);
    let base = own.map_or(0, |own| {
        (headers.as_ptr() as usize).wrapping_sub(own.p_vaddr as usize)
    });
    headers.iter().any(|header| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz as usize
    })
}

/// Whether an address lies in an object that [`each`] named, by its base: the program itself (`is_program`), or another.
pub fn contains(base: usize, is_program: bool, address: usize) -> bool {
    if is_program {
        return is_of_program(address);
    }
    // SAFETY: the linker mapped the object with its ELF header first, the program headers included.
    let headers = unsafe {
        let file = &*(base as *const libc::Elf64_Ehdr);
        if file.e_ident[..4] != *b"\x7fELF" {
            return false;
        }
        let headers = base + file.e_phoff as usize;
        core::slice::from_raw_parts(headers as *const libc::Elf64_Phdr, file.e_phnum.into())
    };
    headers.iter().any(|header| {
        let start = base + header.p_vaddr as usize;
        header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz as usize
    })
}

/// All bytes of a file whose length is not known before. With room at once: the kernel writes the text of `/proc/self/maps`
/// anew for each read that is too short for it.
fn whole(file: &std::fs::File) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 1 << 14];
    let mut length = 0;
    loop {
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
        match file.read_at(&mut bytes[length..], length as u64) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(why) if why.raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => return None,
        }
    }
    bytes.truncate(length);
    Some(bytes)
}

/// The text of `/proc/self/maps`: paths in it are bytes, shown as well as they can be.
pub fn maps() -> String {
    let read = std::fs::File::open("/proc/self/maps");
    let bytes = read.ok().and_then(|file| whole(&file)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The loaded objects in the order in which they were loaded, the program first.
pub fn objects() -> Vec<LoadedObject> {
    let maps = maps();
    let maps: Vec<Mapping> = maps.lines().filter_map(mapping).collect();
    let mut objects = Vec::new();
    // SAFETY: the linker's list, which nobody changes now.
    let mut map = unsafe { _r_debug.first };
    while !map.is_null() {
        // SAFETY: `map` is an element of the linker's list, not null, and no thread loads or unloads an object
        // meanwhile.
        let (object, next) = unsafe { (&*map, (*map).next) };
        objects.extend(loaded(object, &maps));
        map = next;
    }
    objects
}

/// The program headers of a loaded object.
pub fn headers_of(object: &LoadedObject) -> &'static [libc::Elf64_Phdr] {
    let first = object.start as *const libc::Elf64_Ehdr;
    // SAFETY: the beginning of an ELF file that the linker mapped, its program headers included; it stays.
    unsafe {
        let file = &*first;
        if file.e_ident[..4] != *b"\x7fELF" {
            return &[];
        }
        let headers = object.start + file.e_phoff;
        core::slice::from_raw_parts(headers as *const _, usize::from(file.e_phnum))
    }
}

fn loaded(map: &LinkMap, maps: &[Mapping]) -> Option<LoadedObject> {
    let here = maps
        .iter()
        .find(|m| (m.start..m.end).contains(&map.dynamic))?;
    let first = maps.iter().find(|m| m.path == here.path && m.offset == 0)?;
    // SAFETY: the linker keeps a NUL-terminated name in each element for as long as the object is loaded, and nothing
    // unloads it meanwhile.
    let name = unsafe { CStr::from_ptr(map.name) }.to_string_lossy();
    let mut object = LoadedObject {
        path: match name.is_empty() {
            true => here.path.to_owned(),
            false => name.into_owned(),
        },
        base: map.base,
        start: u64::MAX,
        end: 0,
    };
    // SAFETY: the beginning of an ELF file that the linker mapped, its program headers included.
    let headers = unsafe {
        let file = &*(first.start as *const libc::Elf64_Ehdr);
        let headers = (first.start + file.e_phoff) as *const libc::Elf64_Phdr;
        core::slice::from_raw_parts(headers, usize::from(file.e_phnum))
    };
    for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD) {
        let start = map.base + header.p_vaddr;
        object.start = object.start.min(start);
        object.end = object.end.max(start + header.p_memsz);
    }
    Some(object)
}
