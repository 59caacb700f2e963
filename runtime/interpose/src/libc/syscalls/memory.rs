//! System calls that map memory.
//!
//! Private memory, anonymous or of a file for reading, is mapped where [`mapping`] says; a file that is
//! shared, where the overlay says ([`mapped`]). What was mapped before the root may be unmapped
//! ([`mapping::unmap_from_before`]). Protection of anything else is the snapshots' business, so the program
//! may not change it.

use super::{error, native, Args, SyscallOutcome};
use crate::engine;
use crate::hooks::plain;
use crate::libc::descriptor::{self, Kind};
use crate::libc::overlay::{self, content, mapped, open, window};
use crate::libc::{mapping, opaque};
use crate::state::PerStep;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::snapshot;
use dpor_machine::sys::PAGE;
use SyscallOutcome::{Unsupported, Value};

/// # Safety
/// The arguments are those of the program's call.
pub(super) unsafe fn call(number: i64, args: &mut Args) -> Option<SyscallOutcome> {
    Some(match number {
        // SAFETY: the arguments are those of the program's call, as this function's caller
        // guarantees.
        ::libc::SYS_mmap => unsafe { map(args) },
        ::libc::SYS_munmap => unmap(args),
        ::libc::SYS_mprotect if ours(args) => {
            let protection = args[2] as i32;
            mapped::protect_range(args[0], args[1], protection).unwrap_or_else(|| {
                replace(args[0], args[1]);
                Value(native(number, args))
            })
        }
        ::libc::SYS_mprotect => Unsupported("changing the protection of memory".into()),
        // SAFETY: the arguments are those of the program's call, as this function's caller
        // guarantees.
        ::libc::SYS_mremap => unsafe { remap(args) },
        // What is stored is in the file at once, and in nobody's memory else.
        ::libc::SYS_msync if !args[0].is_multiple_of(4096) => error(::libc::EINVAL),
        ::libc::SYS_msync => Value(0),
        // SAFETY: the arguments are those of the program's call, as this function's caller
        // guarantees.
        ::libc::SYS_madvise => unsafe { advise(args) },
        // The heap is not the kernel's break; whoever moves it is told that it cannot.
        ::libc::SYS_brk => Value(native(number, &[0; 6])),
        ::libc::SYS_mincore => {
            snapshot::touch(args[2], args[1].div_ceil(4096));
            Value(native(number, args))
        }
        ::libc::SYS_mlock
        | ::libc::SYS_mlock2
        | ::libc::SYS_munlock
        | ::libc::SYS_mlockall
        | ::libc::SYS_munlockall => Value(0),
        _ => return None,
    })
}

fn ours(args: &Args) -> bool {
    mapping::contains(args[0], args[1])
}

/// Whether the call that is being answered is the program's.
static IS_PROGRAMS: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// Notes who makes a call that is about to be answered. What a library maps and unmaps for itself,
/// as `dlopen` does, is ordered by locks that nobody sees; the program calls libc's functions for
/// it.
pub fn note_caller(number: i64, stack_pointer: usize) {
    let calls = [
        ::libc::SYS_munmap,
        ::libc::SYS_mprotect,
        ::libc::SYS_mremap,
        ::libc::SYS_madvise,
        ::libc::SYS_mmap,
    ];
    let is_programs = calls.contains(&number) && {
        let functions = real_calls();
        opaque::running_function(stack_pointer).is_some_and(|one| functions.contains(&one))
    };
    IS_PROGRAMS.store(is_programs, Ordering::Relaxed);
}

/// Functions of libc that make these calls for who calls them.
fn real_calls() -> [usize; 5] {
    [
        real!(munmap: fn() -> i32) as usize,
        real!(mprotect: fn() -> i32) as usize,
        real!(mremap: fn() -> i32) as usize,
        real!(madvise: fn() -> i32) as usize,
        real!(mmap: fn() -> i32) as usize,
    ]
}

/// Whole pages are taken away, replaced or protected.
fn replace(at: usize, bytes: usize) {
    if IS_PROGRAMS.load(Ordering::Relaxed) {
        plain::replace(at, bytes.next_multiple_of(PAGE), engine::site());
    }
}

/// What a mapping of a file finds.
enum Source {
    /// A file of the overlay.
    Inode(usize),
    /// A file of the disk: the kernel's descriptor.
    Disk(usize),
}

/// # Safety
/// The arguments are those of the program's call.
unsafe fn map(args: &Args) -> SyscallOutcome {
    let &[at, length, protection, flags, fd, offset] = args;
    let bits = flags as i32;
    let anonymous = bits & ::libc::MAP_ANONYMOUS != 0;
    let shared = bits & ::libc::MAP_TYPE != ::libc::MAP_PRIVATE;
    let is_fixed = bits & (::libc::MAP_FIXED | ::libc::MAP_FIXED_NOREPLACE) != 0;
    if protection as i32 & ::libc::PROT_EXEC != 0 {
        mapping::code_is_mapped();
    }
    let mut kernel = usize::MAX;
    if !anonymous {
        match source(fd, protection as i32, shared) {
            Ok(Source::Disk(file)) => kernel = file,
            Ok(Source::Inode(_)) if is_fixed && !at.is_multiple_of(PAGE) => {
                return error(::libc::EINVAL);
            }
            Ok(Source::Inode(number)) if shared => {
                if is_fixed {
                    if let Some(outcome) = make_room(number, args) {
                        return outcome;
                    }
                }
                let allowed = descriptor::file(fd)
                    .is_some_and(|file| file.flags as i32 & ::libc::O_ACCMODE != ::libc::O_RDONLY);
                return mapped::map(number, offset, length, protection as i32, allowed);
            }
            Ok(Source::Inode(_)) if is_fixed && !is_replaceable(args) => {
                return Unsupported("mapping memory at a fixed address".into());
            }
            Ok(Source::Inode(number)) => return map_copy(number, args, is_fixed),
            Err(outcome) => return outcome,
        }
    }
    // Without other processes, shared memory is private memory.
    let kept =
        ::libc::MAP_ANONYMOUS | ::libc::MAP_NORESERVE | ::libc::MAP_STACK | ::libc::MAP_POPULATE;
    let flags = ((bits & kept) | ::libc::MAP_PRIVATE) as usize;
    if is_fixed {
        if !is_replaceable(args) {
            return Unsupported("mapping memory at a fixed address".into());
        }
        replace(at, length);
        // Within a mapping of this execution, which goes away as a whole.
        let fixed = flags | ::libc::MAP_FIXED as usize;
        return Value(native(
            ::libc::SYS_mmap,
            &[at, length, protection, fixed, kernel, offset],
        ));
    }
    // SAFETY: no fixed address is asked for, so nothing of the program's is replaced.
    Value(unsafe { mapping::map(length, protection, flags, kernel, offset) })
}

/// Returns whether what a mapping at a fixed address replaces is memory of this execution, and no
/// file that is shared.
fn is_replaceable(args: &Args) -> bool {
    let &[at, length, _, flags, ..] = args;
    let is_ours = mapping::contains(at, length) && !mapped::is_here(at, length);
    flags as i32 & ::libc::MAP_FIXED != 0 && is_ours
}

/// Makes room for a file that is shared and is about to be mapped at a fixed address, which can
/// only be where it is: what was mapped there goes. Otherwise what is to be said instead.
fn make_room(number: usize, args: &Args) -> Option<SyscallOutcome> {
    let &[at, length, _, flags, _, offset] = args;
    let home = overlay::inode(number).home;
    let is_there = home != 0 && home.checked_add(offset) == Some(at);
    if flags as i32 & ::libc::MAP_FIXED == 0 || !is_there {
        let what = "a shared mapping of a file at a fixed address, where it is not mapped yet";
        return Some(Unsupported(what.into()));
    }
    if !offset.is_multiple_of(PAGE) || length == 0 {
        return Some(error(::libc::EINVAL));
    }
    mapped::unmap(at, length).filter(|outcome| !matches!(outcome, Value(0)))
}

/// Returns the file that is to be mapped. In a program that changes files, one that is shared is
/// the overlay's: it may be changed later.
fn source(fd: usize, protection: i32, shared: bool) -> Result<Source, SyscallOutcome> {
    let Some(file) = descriptor::file(fd) else {
        return Err(error(::libc::EBADF));
    };
    let number = file.kernel as usize;
    let writes = shared && protection & ::libc::PROT_WRITE != 0;
    match file.kind {
        // Opened for writing it would be a file of the overlay's.
        Kind::Regular | Kind::Directory if writes => Err(error(::libc::EACCES)),
        Kind::Stored if overlay::inode(number).form != overlay::Form::File => {
            Err(error(if writes {
                ::libc::EACCES
            } else {
                ::libc::ENODEV
            }))
        }
        Kind::Stored => match file.flags as i32 & ::libc::O_ACCMODE {
            ::libc::O_WRONLY => Err(error(::libc::EACCES)),
            ::libc::O_RDONLY if writes => Err(error(::libc::EACCES)),
            access => {
                let changes = shared && access == ::libc::O_RDWR;
                if changes && overlay::inode(number).is_mapped_privately {
                    let what = "a shared mapping of a file that is mapped with MAP_PRIVATE";
                    return Err(Unsupported(what.into()));
                }
                if changes {
                    opaque::files_change();
                }
                Ok(Source::Inode(number))
            }
        },
        Kind::Regular => {
            if shared && opaque::do_files_change() {
                match open::take_over_open(fd) {
                    Some(Ok(number)) => return Ok(Source::Inode(number)),
                    Some(Err(outcome)) => return Err(outcome),
                    None => {}
                }
            }
            open::note_disk_map(number);
            Ok(Source::Disk(number))
        }
        _ => Err(error(::libc::ENODEV)),
    }
}

/// Maps a file of the overlay privately: a copy. Linux lets it see what is changed later, as long
/// as nobody stored to it, so nothing may be changed. `in_place`: at the address of the arguments,
/// where memory of this execution is.
fn map_copy(number: usize, args: &Args, in_place: bool) -> SyscallOutcome {
    let &[place, length, protection, _, _, offset] = args;
    if overlay::is_mapped_for_writing(number) {
        let what = "a MAP_PRIVATE mapping of a file that is mapped for writing, too";
        return Unsupported(what.into());
    }
    if !offset.is_multiple_of(PAGE) {
        return error(::libc::EINVAL);
    }
    let flags = (::libc::MAP_PRIVATE | ::libc::MAP_ANONYMOUS) as usize;
    let writable = (::libc::PROT_READ | ::libc::PROT_WRITE) as usize;
    let at = match in_place {
        true => {
            let fixed = flags | (::libc::MAP_FIXED | ::libc::MAP_NORESERVE) as usize;
            let args = [place, length, writable, fixed, usize::MAX, 0];
            native(::libc::SYS_mmap, &args)
        }
        // SAFETY: no fixed address is asked for, so nothing of the program's is replaced.
        false => unsafe { mapping::map(length, writable, flags, usize::MAX, 0) },
    };
    if at <= 0 {
        return Value(at);
    }
    overlay::held(number).change(|inode| inode.is_mapped_privately = true);
    let size = overlay::inode(number).size as usize;
    // SAFETY: `at` was mapped just now, writable and of `length` bytes; the program does not know
    // it yet.
    unsafe { content::read(number, offset as u64, at as usize, length) };
    let there = window::pages(size.saturating_sub(offset).min(length) as u64) * PAGE;
    let all = length.next_multiple_of(PAGE);
    let at = at as usize;
    native(::libc::SYS_mprotect, &[at, there, protection, 0, 0, 0]);
    let none = ::libc::PROT_NONE as usize;
    native(
        ::libc::SYS_mprotect,
        &[at + there, all - there, none, 0, 0, 0],
    );
    Value(at as isize)
}

fn unmap(args: &Args) -> SyscallOutcome {
    if !args[0].is_multiple_of(PAGE) || args[1] == 0 {
        return error(::libc::EINVAL);
    }
    if !ours(args) {
        replace(args[0], args[1]);
        return mapping::unmap_from_before(args[0], args[1]);
    }
    // The addresses stay reserved: nothing of this execution is mapped there again.
    let none = ::libc::PROT_NONE as usize;
    mapped::unmap(args[0], args[1]).unwrap_or_else(|| {
        replace(args[0], args[1]);
        Value(native(
            ::libc::SYS_mprotect,
            &[args[0], args[1], none, 0, 0, 0],
        ))
    })
}

/// # Safety
/// The arguments are those of the program's call.
unsafe fn remap(args: &Args) -> SyscallOutcome {
    let &[at, old, new, flags, _, _] = args;
    let may_move = flags == ::libc::MREMAP_MAYMOVE as usize;
    if !may_move && flags != 0 {
        return Unsupported(format!("system call mremap (flags {flags:#x})"));
    }
    if !mapping::contains(at, old) {
        return Unsupported("mremap of memory mapped before the second thread".into());
    }
    if let Some(outcome) = mapped::remap(at, old, new) {
        return outcome;
    }
    if !at.is_multiple_of(PAGE) || old == 0 || new == 0 {
        return error(::libc::EINVAL);
    }
    let round = |bytes: usize| bytes.next_multiple_of(PAGE);
    let (old, new) = (round(old), round(new));
    if new <= old {
        if new < old {
            return match unmap(&[at + new, old - new, 0, 0, 0, 0]) {
                Value(0) => Value(at as isize),
                other => other,
            };
        }
        return Value(at as isize);
    }
    if !may_move {
        return error(::libc::ENOMEM);
    }
    replace(at, old);
    // SAFETY: the range is a mapping of the program's in this execution, in whole pages, as was
    // checked above.
    Value(unsafe { mapping::move_to_larger(at, old, new) })
}

/// # Safety
/// The arguments are those of the program's call.
unsafe fn advise(args: &Args) -> SyscallOutcome {
    if args[2] as i32 != ::libc::MADV_DONTNEED {
        // Advice that leaves the contents alone (or may) is not needed.
        return Value(0);
    }
    if !args[0].is_multiple_of(4096) {
        return error(::libc::EINVAL);
    }
    if mapped::is_here(args[0], args[1]) {
        // The bytes are the file's, and come again.
        return Value(0);
    }
    if overlay::is_any_mapped_privately() {
        let what = "MADV_DONTNEED in a program that maps a changed file with MAP_PRIVATE";
        return Unsupported(what.into());
    }
    if ours(args) {
        replace(args[0], args[1]);
        return Value(native(::libc::SYS_madvise, args));
    }
    let heap = dpor_machine::heap::regions().any(|(start, end)| {
        args[0] >= start && args[0].checked_add(args[1]).is_some_and(|last| last <= end)
    });
    if !heap {
        return Unsupported("system call madvise (MADV_DONTNEED)".into());
    }
    replace(args[0], args[1]);
    // Pages of the heap are saved and restored, so they are cleared rather than given back.
    snapshot::touch(args[0], args[1]);
    // SAFETY: mapped, and the program wants it zero.
    unsafe { core::ptr::write_bytes(args[0] as *mut u8, 0, args[1]) };
    Value(0)
}
