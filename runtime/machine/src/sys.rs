//! System calls made inline, in the runtime's own text.
//!
//! While the program is explored, system calls from anywhere but this library's text arrive as
//! SIGSYS (Syscall User Dispatch), so the runtime must never call libc's wrappers on a fiber.

use core::arch::asm;

/// Bytes of a page of memory, on x86-64.
pub const PAGE: usize = 4096;

/// Makes a system call with up to six arguments; returns the kernel's value (−errno on failure).
///
/// # Safety
/// What the call reads and writes of this process's memory must be valid for that, and nobody may rely on what it
/// changes.
#[inline(always)]
pub unsafe fn call6(
    number: i64,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    let result: isize;
    // SAFETY: the x86-64 Linux convention; rcx and r11 are clobbered by `syscall`.
    unsafe {
        asm!("syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// Makes a system call with three arguments; returns the kernel's value (−errno on failure).
///
/// # Safety
/// As for [`call6`]: what the call reads and writes must be valid for that, and nobody may rely on what it changes.
#[inline(always)]
pub unsafe fn call3(number: i64, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: the caller promises what `call6` asks for, and further arguments of 0 mean nothing to this call.
    unsafe { call6(number, a, b, c, 0, 0, 0) }
}

/// Writes all of `bytes` to a descriptor, as far as it takes them.
pub fn write_all(fd: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the slice is readable.
        let n = unsafe {
            call3(
                ::libc::SYS_write,
                fd as usize,
                bytes.as_ptr() as usize,
                bytes.len(),
            )
        };
        if n == -(::libc::EINTR as isize) {
            continue;
        }
        if n <= 0 {
            return;
        }
        bytes = &bytes[n as usize..];
    }
}

/// Anonymous private memory; `None` if the kernel refuses. `at` 0: anywhere.
pub fn map(at: usize, bytes: usize, flags: i32) -> Option<*mut u8> {
    let protection = (::libc::PROT_READ | ::libc::PROT_WRITE) as usize;
    let flags = (flags | ::libc::MAP_ANONYMOUS) as usize;
    // SAFETY: a new mapping; fixed ones are asked for only in ranges that are ours (MAP_FIXED_NOREPLACE).
    let address = unsafe {
        call6(
            ::libc::SYS_mmap,
            at,
            bytes,
            protection,
            flags,
            usize::MAX,
            0,
        )
    };
    (address > 0).then_some(address as *mut u8)
}

/// Changes protection; true if the kernel did.
///
/// # Safety
/// Nothing may rely on the old protection of the range.
pub unsafe fn protect(at: usize, bytes: usize, protection: i32) -> bool {
    // SAFETY: the call touches no memory itself; the caller promises that nothing relies on the old protection.
    unsafe { call3(::libc::SYS_mprotect, at, bytes, protection as usize) == 0 }
}

/// Reads a word of this process's memory; `None` if it is not mapped.
pub fn read_word(address: usize) -> Option<u64> {
    let mut word = 0u64;
    let into = libc::iovec {
        iov_base: (&raw mut word).cast(),
        iov_len: 8,
    };
    let from = libc::iovec {
        iov_base: address as *mut _,
        iov_len: 8,
    };
    // SAFETY: the kernel checks the source; the destination is ours.
    let n = unsafe {
        let me = call3(libc::SYS_getpid, 0, 0, 0) as usize;
        let (into, from) = (&raw const into as usize, &raw const from as usize);
        call6(libc::SYS_process_vm_readv, me, into, 1, from, 1, 0)
    };
    (n == 8).then_some(word)
}

/// Whether a word of four bytes, aligned, can be written: what is asked of the kernel is to write what is
/// there. The caller announces the write ([`crate::snapshot::touch`]).
pub fn is_word_writable(address: usize) -> bool {
    const NOTHING: usize = (libc::FUTEX_OP_OR as usize) << 28;
    let command = (libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the kernel checks the address; nobody waits there, as the program's threads are fibers.
    let result = unsafe { call6(libc::SYS_futex, address, command, 0, 0, address, NOTHING) };
    result >= 0
}

/// Bytes of address space that this process may have, if they are limited.
pub fn limit_of_address_space() -> Option<u64> {
    limit(libc::RLIMIT_AS)
}

/// Whether there is a limit that counts what this process maps, used or not.
pub fn is_memory_limited() -> bool {
    limit(libc::RLIMIT_AS).is_some() || limit(libc::RLIMIT_DATA).is_some()
}

/// A limit of this process's, if there is one.
fn limit(resource: u32) -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the structure is writable.
    unsafe {
        call3(
            libc::SYS_getrlimit,
            resource as usize,
            &raw mut limit as usize,
            0,
        )
    };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Ends the process at once.
pub fn exit_group(code: i32) -> ! {
    loop {
        // SAFETY: no memory is involved.
        unsafe { call3(::libc::SYS_exit_group, code as usize, 0, 0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_only_where_memory_is_mapped() {
        let start = map(0, PAGE, libc::MAP_PRIVATE).expect("a page") as usize;
        assert_eq!(read_word(start), Some(0));
        // SAFETY: the page was mapped above and nobody else knows it.
        unsafe {
            (start as *mut u64).write(7);
            assert_eq!(read_word(start), Some(7));
            call3(libc::SYS_munmap, start, PAGE, 0);
        }
        assert_eq!(read_word(start), None);
    }

    #[test]
    fn a_word_is_writable_as_the_protection_says_and_stays_as_it_was() {
        let start = map(0, PAGE, libc::MAP_PRIVATE).expect("a page") as usize;
        assert!(is_word_writable(start));
        assert_eq!(read_word(start), Some(0));
        // SAFETY: nobody else knows the page.
        assert!(unsafe { protect(start, PAGE, libc::PROT_READ) });
        assert!(!is_word_writable(start));
    }

    #[test]
    fn a_fixed_address_that_is_taken_is_refused() {
        let start = map(0, PAGE, libc::MAP_PRIVATE).expect("a page") as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED_NOREPLACE;
        assert_eq!(map(start, PAGE, flags), None);
    }
}
