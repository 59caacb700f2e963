//! System calls that map memory.
//!
//! Private memory, anonymous or of a file for reading, is mapped where [`mapping`] says. Protection
//! of anything else is the snapshots' business, so the program may not change it.

use super::{error, files, native, Args, SyscallOutcome};
use crate::libc::{mapping, opaque};
use crate::snapshot;
use SyscallOutcome::{Unsupported, Value};

/// # Safety
/// The arguments are the program's.
pub(super) unsafe fn call(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    Some(match number {
        // SAFETY: the caller's.
        ::libc::SYS_mmap => unsafe { map(args) },
        ::libc::SYS_munmap if ours(args) => {
            // The addresses stay reserved: nothing of this execution is mapped there again.
            let none = ::libc::PROT_NONE as usize;
            Value(native(
                ::libc::SYS_mprotect,
                &[args[0], args[1], none, 0, 0, 0],
            ))
        }
        ::libc::SYS_munmap => {
            Unsupported("unmapping memory mapped before the second thread".into())
        }
        ::libc::SYS_mprotect if ours(args) => Value(native(number, args)),
        ::libc::SYS_mprotect => Unsupported("changing the protection of memory".into()),
        // SAFETY: the caller's.
        ::libc::SYS_madvise => unsafe { advise(args) },
        // The heap is not the kernel's break; whoever moves it is told that it cannot.
        ::libc::SYS_brk => Value(native(number, &[0; 6])),
        ::libc::SYS_mincore => {
            snapshot::touch(args[2], args[1].div_ceil(4096));
            Value(native(number, args))
        }
        ::libc::SYS_mlock | ::libc::SYS_munlock => Value(0),
        _ => return None,
    })
}

fn ours(args: &Args) -> bool {
    mapping::contains(args[0], args[1])
}

/// # Safety
/// The arguments are the program's.
unsafe fn map(args: &Args) -> SyscallOutcome {
    let &[at, length, protection, flags, fd, offset] = args;
    let bits = flags as i32;
    let anonymous = bits & ::libc::MAP_ANONYMOUS != 0;
    let shared = bits & ::libc::MAP_TYPE != ::libc::MAP_PRIVATE;
    if !anonymous && shared && protection as i32 & ::libc::PROT_WRITE != 0 {
        return Unsupported("a writable shared mapping of a file".into());
    }
    if protection as i32 & ::libc::PROT_EXEC != 0 {
        crate::fini::code_was_mapped();
    }
    let mut kernel = usize::MAX;
    if !anonymous {
        if shared && opaque::do_files_change() {
            return Unsupported(
                "a shared mapping of a file in a program that changes files".into(),
            );
        }
        match files::mappable(fd) {
            Some(file) => kernel = file,
            None if files::is_stored(fd) => {
                return Unsupported("a mapping of a file that was changed".into());
            }
            None => return error(::libc::ENODEV),
        }
    }
    // Without other processes, shared memory is private memory.
    let kept =
        ::libc::MAP_ANONYMOUS | ::libc::MAP_NORESERVE | ::libc::MAP_STACK | ::libc::MAP_POPULATE;
    let flags = ((bits & kept) | ::libc::MAP_PRIVATE) as usize;
    if bits & (::libc::MAP_FIXED | ::libc::MAP_FIXED_NOREPLACE) != 0 {
        if bits & ::libc::MAP_FIXED == 0 || !mapping::contains(at, length) {
            return Unsupported("mapping memory at a fixed address".into());
        }
        // Within a mapping of this execution, which goes away as a whole.
        let fixed = flags | ::libc::MAP_FIXED as usize;
        return Value(native(
            ::libc::SYS_mmap,
            &[at, length, protection, fixed, kernel, offset],
        ));
    }
    // SAFETY: no fixed address.
    Value(unsafe { mapping::map(length, protection, flags, kernel, offset) })
}

/// # Safety
/// The arguments are the program's.
unsafe fn advise(args: &Args) -> SyscallOutcome {
    if args[2] as i32 != ::libc::MADV_DONTNEED {
        // Advice that leaves the contents alone (or may) is not needed.
        return Value(0);
    }
    if !args[0].is_multiple_of(4096) {
        return error(::libc::EINVAL);
    }
    if ours(args) {
        return Value(native(::libc::SYS_madvise, args));
    }
    let heap = crate::heap::regions().any(|(start, end)| {
        args[0] >= start && args[0].checked_add(args[1]).is_some_and(|last| last <= end)
    });
    if !heap {
        return Unsupported("system call madvise (MADV_DONTNEED)".into());
    }
    // Pages of the heap are saved and restored, so they are cleared rather than given back.
    snapshot::touch(args[0], args[1]);
    // SAFETY: mapped, and the program wants it zero.
    unsafe { core::ptr::write_bytes(args[0] as *mut u8, 0, args[1]) };
    Value(0)
}
