//! Files whose content the kernel makes up when they are read: load, memory, times of the process.
//!
//! It would differ from execution to execution, so what such a file held when it was first opened is
//! copied, and every execution reads the copy. `maps` is left out: it tells what the program itself
//! mapped.

use super::native;
use dpor_machine::sys;

/// File systems of such files (`linux/magic.h`): proc, sysfs, cgroup, cgroup2.
const MADE_UP: [i64; 4] = [0x9fa0, 0x6265_6572, 0x0027_e0eb, 0x6367_7270];

/// Longer ones are no text.
const BYTES_MAX: usize = 16 << 20;

/// The kernel descriptor to read instead of an opened one, which is the same for other files.
/// `None`: its content cannot be copied.
pub fn copied(kernel: i32, path: &[u8]) -> Option<i32> {
    if !is_generated(kernel) || path.ends_with(b"/maps") {
        return Some(kernel);
    }
    let name = c"dpor".as_ptr() as usize;
    let flags = ::libc::MFD_CLOEXEC as usize;
    let copy = native(::libc::SYS_memfd_create, &[name, flags, 0, 0, 0, 0]) as i32;
    let is_whole = copy >= 0 && copy_all(kernel, copy);
    close(kernel);
    if !is_whole {
        close(copy);
        return None;
    }
    Some(copy)
}

/// Returns whether the kernel makes up what a file holds.
pub fn is_generated(kernel: i32) -> bool {
    // SAFETY: the structure is plain numbers, for which zero is a value; the kernel fills it.
    let mut system: ::libc::statfs = unsafe { core::mem::zeroed() };
    let to = &raw mut system as usize;
    native(::libc::SYS_fstatfs, &[kernel as usize, to, 0, 0, 0, 0]) == 0
        && MADE_UP.contains(&system.f_type)
}

/// Copies from the beginning to the end; false if the file cannot be read, or is too long.
fn copy_all(from: i32, to: i32) -> bool {
    let mut buffer = [0u8; 16 << 10];
    let mut total = 0;
    while total < BYTES_MAX {
        let at = buffer.as_mut_ptr() as usize;
        let n = native(
            ::libc::SYS_read,
            &[from as usize, at, buffer.len(), 0, 0, 0],
        );
        match usize::try_from(n) {
            Ok(0) => return true,
            Ok(n) => {
                sys::write_all(to, &buffer[..n]);
                total += n;
            }
            Err(_) => return false,
        }
    }
    false
}

fn close(kernel: i32) {
    if kernel >= 0 {
        native(::libc::SYS_close, &[kernel as usize, 0, 0, 0, 0, 0]);
    }
}
