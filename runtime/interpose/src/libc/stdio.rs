//! What stdio holds at the end of the process, written out if there is something.
//!
//! `fflush(NULL)` takes locks in pages of libc's and of the thread's, which would have to be copied back for
//! every execution: more than all that a small program changes itself. So it is called only if a stream
//! of libc's list holds something.
//!
//! Source: `struct _IO_FILE` of glibc's `<bits/types/struct_FILE.h>`, which is part of its binary interface,
//! and the condition in its `_IO_flush_all`.

use crate::hooks::options::is_by_states;
use crate::real;
use crate::state::Kept;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// glibc's `_IO_list_all`, a variable; null if there is none.
static LIST: Kept<AtomicPtr<*const Stream>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// glibc's flag of a stream that writes each line (`_IO_LINE_BUF`).
const LINES: c_int = 0x200;
/// glibc's flag of a stream without a buffer (`_IO_UNBUFFERED`).
const UNBUFFERED: c_int = 2;

/// A FILE, as far as it matters here.
#[repr(C)]
struct Stream {
    flags: c_int,
    read: [*const u8; 3],
    write_base: *const u8,
    write_ptr: *const u8,
    write_end: *const u8,
    buffers: [*const u8; 5],
    markers: *const c_void,
    chain: *const Stream,
    others: [u8; 80],
    /// Above 0: it is wide, and what it holds is told elsewhere.
    mode: c_int,
}

const _: () = assert!(core::mem::offset_of!(Stream, write_ptr) == 40);
const _: () = assert!(core::mem::offset_of!(Stream, chain) == 104);
const _: () = assert!(core::mem::offset_of!(Stream, mode) == 192);

/// Looks up what is needed, at the root: that writes to pages of the dynamic linker's.
pub fn at_root() {
    let list = real::first(c"_IO_list_all");
    LIST.store(list.cast(), Ordering::Relaxed);
    if is_by_states() {
        write_lines();
    }
}

/// Lets what is written to the standard output leave its buffer at each line, unless it is not kept there for longer
/// anyway: a buffer that fills makes the same states of a program differ, until it is full.
fn write_lines() {
    let stream: *mut Stream = real::first(c"_IO_2_1_stdout_").cast();
    if stream.is_null() {
        return;
    }
    // SAFETY: libc's own stream, which lies in its memory; there is one thread, which is native and uses no stream now.
    // A stream that writes lines has no room that its users may fill on their own, so that libc sees each line's end
    // (`_IO_new_file_overflow`).
    unsafe {
        if (*stream).flags & (LINES | UNBUFFERED) == 0 {
            (*stream).flags |= LINES;
            (*stream).write_end = (*stream).write_base;
        }
    }
}

/// Writes out what all streams hold, as `fflush(NULL)` does.
pub fn flush() {
    if may_hold_something() {
        let fflush = real!(fflush: fn(*mut ::libc::FILE) -> i32);
        // SAFETY: null flushes all streams. A stream that another fiber holds locked would wait on a
        // futex, which is reported.
        unsafe { fflush(ptr::null_mut()) };
    }
}

/// False only if no stream holds anything that is not written out.
fn may_hold_something() -> bool {
    let list = LIST.load(Ordering::Relaxed);
    if list.is_null() {
        return true;
    }
    // SAFETY: libc's list of its streams, which lie in its or the program's memory; nothing else runs.
    unsafe {
        let mut stream = *list;
        while !stream.is_null() {
            if (*stream).mode > 0 || (*stream).write_ptr > (*stream).write_base {
                return true;
            }
            stream = (*stream).chain;
        }
    }
    false
}
