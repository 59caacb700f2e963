//! What the kernel tells of descriptors that it has when exploration begins.

use ::libc::c_int;
use dpor_machine::sys;

/// Returns what a descriptor of the kernel's is, in its words.
pub(super) fn link(fd: c_int) -> String {
    let link = std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap_or_default();
    link.to_string_lossy().into_owned()
}

/// Returns the status flags (`O_NONBLOCK` and so on) of a descriptor.
pub(super) fn status(fd: c_int) -> u32 {
    fcntl(fd, ::libc::F_GETFL) as u32
}

/// Lets the kernel answer a command that takes no pointer.
pub(super) fn fcntl(fd: c_int, command: c_int) -> isize {
    // SAFETY: the commands given here take no pointer: the kernel only reads its own table.
    unsafe { sys::call3(::libc::SYS_fcntl, fd as usize, command as usize, 0) }
}
