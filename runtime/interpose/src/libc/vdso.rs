//! The functions that the kernel maps into the process (vDSO) answer without a system call: real
//! time, the processor, random bytes. While the program is explored each becomes the system call it
//! stands for, which is seen.
//!
//! Their code is overwritten at the root, in this process's private copy of the image: `mov eax,
//! NUMBER; syscall; ret`. The arguments are where the kernel expects them. That the time stamp counter
//! is virtual does not suffice: what is added to it comes from a page that the kernel keeps up to
//! date.
//!
//! *Source* of the layout: `elf(5)`, `vdso(7)`.

use core::ffi::CStr;
use core::mem::offset_of;
use core::ptr;
use dpor_machine::sys::{self, PAGE};

/// Each function with its system call. Under other names (`clock_gettime`) they have the same code.
const FUNCTIONS: [(&CStr, i64); 6] = [
    (c"__vdso_clock_gettime", libc::SYS_clock_gettime),
    (c"__vdso_clock_getres", libc::SYS_clock_getres),
    (c"__vdso_gettimeofday", libc::SYS_gettimeofday),
    (c"__vdso_time", libc::SYS_time),
    (c"__vdso_getcpu", libc::SYS_getcpu),
    (c"__vdso_getrandom", libc::SYS_getrandom),
];

/// `elf.h`.
const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;

/// An entry of the dynamic section.
#[repr(C)]
#[derive(Clone, Copy)]
struct Dynamic {
    tag: i64,
    value: usize,
}

/// The image: where it is, and where its addresses count from.
struct Image {
    start: usize,
    bytes: usize,
    dynamic: usize,
    bias: usize,
}

/// Makes all of them system calls. At the root.
pub fn at_root() {
    // SAFETY: `getauxval` takes a number and reads what the kernel left at the start of the
    // process.
    let start = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) } as usize;
    if start == 0 {
        return;
    }
    let image = Image::at(start);
    let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: nobody runs this code now: one OS thread runs, and it is here.
    if !unsafe { sys::protect(start, image.bytes, all) } {
        crate::process::refuse(
            "the system does not let the checker stand in for the vDSO's clocks",
        );
    }
    for (name, number) in FUNCTIONS {
        if let Some(address) = image.find(name) {
            overwrite(address, number);
        }
    }
    // SAFETY: the range is that of the image, which becomes readable and executable again, as it
    // was before.
    unsafe { sys::protect(start, image.bytes, libc::PROT_READ | libc::PROT_EXEC) };
}

/// Writes `mov eax, number; syscall; ret`.
fn overwrite(address: usize, number: i64) {
    let number = (number as u32).to_le_bytes();
    let [a, b, c, d] = number;
    let code = [0xb8, a, b, c, d, 0x0f, 0x05, 0xc3];
    // SAFETY: a function of the image, which is writable now; each is longer than this, as it does
    // more than a system call.
    unsafe { ptr::copy_nonoverlapping(code.as_ptr(), address as *mut u8, code.len()) };
}

impl Image {
    fn at(start: usize) -> Image {
        let mut image = Image {
            start,
            bytes: PAGE,
            dynamic: 0,
            bias: start,
        };
        // SAFETY: the kernel maps a whole ELF image there.
        unsafe {
            let header = &*(start as *const libc::Elf64_Ehdr);
            let segments = (start + header.e_phoff as usize) as *const libc::Elf64_Phdr;
            for k in 0..usize::from(header.e_phnum) {
                let segment = &*segments.add(k);
                match segment.p_type {
                    libc::PT_LOAD => {
                        image.bias = start + segment.p_offset as usize - segment.p_vaddr as usize;
                        let end = (segment.p_offset + segment.p_memsz) as usize;
                        image.bytes = image.bytes.max(end.next_multiple_of(PAGE));
                    }
                    libc::PT_DYNAMIC => image.dynamic = start + segment.p_offset as usize,
                    _ => {}
                }
            }
        }
        image
    }

    /// Returns the value of an entry of the dynamic section, as an address.
    fn entry(&self, tag: i64) -> Option<usize> {
        let mut at = self.dynamic as *const Dynamic;
        if at.is_null() {
            return None;
        }
        loop {
            // SAFETY: `at` is an entry of the image's dynamic section, which ends with DT_NULL.
            let entry = unsafe { *at };
            if entry.tag == DT_NULL {
                return None;
            }
            if entry.tag == tag {
                return Some(self.bias + entry.value);
            }
            // SAFETY: the entry was not the last one, so another follows it in the image's table.
            at = unsafe { at.add(1) };
        }
    }

    /// Returns the address of a function.
    fn find(&self, name: &CStr) -> Option<usize> {
        let symbols = self.entry(DT_SYMTAB)?;
        let names = self.entry(DT_STRTAB)?;
        let count = match self.entry(DT_HASH) {
            // SAFETY: the second word of the table is the number of symbols.
            Some(table) => unsafe { *((table + 4) as *const u32) as usize },
            // Not told; the names follow the symbols.
            None => names.checked_sub(symbols)? / size_of::<libc::Elf64_Sym>(),
        };
        (0..count).find_map(|k| {
            let symbol = (symbols + k * size_of::<libc::Elf64_Sym>()) as *const libc::Elf64_Sym;
            // SAFETY: one of `count` symbols; its name is NUL-terminated.
            let (symbol, known) = unsafe {
                let symbol = &*symbol;
                (
                    symbol,
                    CStr::from_ptr((names + symbol.st_name as usize) as *const _),
                )
            };
            let address = self.bias + symbol.st_value as usize;
            let inside = (self.start..self.start + self.bytes).contains(&address);
            (known == name && symbol.st_value != 0 && inside).then_some(address)
        })
    }
}

const _: () = assert!(offset_of!(Dynamic, value) == 8);
