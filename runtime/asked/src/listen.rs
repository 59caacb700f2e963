//! The listener's thread: takes each call that waits, tells of it, and lets it go on.

use crate::notification::Notification;
use crate::paths::{self, PathArgument};
use crate::silent::{Reading, READING};
use crate::{filter, Look};
use std::ffi::OsString;
use std::fs::File;
use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Takes the listener from `socket` and serves it until no process has the filter any more, or `end` is closed.
pub fn until_over(socket: OwnedFd, end: OwnedFd, watched: &[i32], mut told: impl FnMut(Look)) {
    let Some(listener) = filter::receive(&socket) else {
        told(Look::Other("the system has no listeners".to_owned()));
        return;
    };
    drop(socket);
    let Some(mut notification) = Notification::new() else {
        told(Look::Other("the system has no listeners".to_owned()));
        return;
    };
    loop {
        let mut polled = [&listener, &end].map(|descriptor| libc::pollfd {
            fd: descriptor.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        });
        // SAFETY: two structures, which the kernel may write.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), 2, -1) };
        if ready < 0 {
            continue;
        }
        if polled[0].revents & libc::POLLIN != 0 {
            serve(&listener, &mut notification, watched, &mut told);
        } else if polled[0].revents != 0 {
            return;
        } else if polled[1].revents != 0 {
            told(Look::Other("a process that lives on".to_owned()));
            return;
        }
    }
}

/// Takes one call that waits.
fn serve(
    listener: &OwnedFd,
    notification: &mut Notification,
    watched: &[i32],
    told: &mut impl FnMut(Look),
) {
    // None: the process was killed, or its call was interrupted and will be made again.
    if let Some(call) = notification.receive(listener) {
        looks(&call, watched, told);
        notification.let_go_on(listener, call.id);
    }
}

/// Tells what a call asks for.
fn looks(call: &libc::seccomp_notif, watched: &[i32], told: &mut impl FnMut(Look)) {
    let number = libc::c_long::from(call.data.nr);
    let process = call.pid;
    let path = |argument| path(process, &call.data.args, argument);
    if call.data.arch != filter::X86_64 {
        return told(Look::Other(format!("system call {number} of 32-bit code")));
    }
    if number == libc::SYS_execve {
        let argument = PathArgument {
            folder: None,
            path: 0,
        };
        return told(match path(argument) {
            Some(path) => Look::Run(path),
            None => Look::Other("a program that is run".to_owned()),
        });
    }
    let second = call.data.args[1] as u32;
    let is_meant = |reading: &&Reading| {
        reading.call == number && (reading.only.is_empty() || reading.only.contains(&second))
    };
    if let Some(reading) = READING.iter().find(is_meant) {
        let descriptor = call.data.args[reading.descriptor] as i32;
        return told(Look::Other(format!("it reads descriptor {descriptor}")));
    }
    if matches!(number, libc::SYS_poll | libc::SYS_ppoll) {
        let polled = polled(process, call.data.args[0], call.data.args[1]);
        return match polled.is_some_and(|all| !all.iter().any(|one| watched.contains(one))) {
            true => {}
            false => told(Look::Other("it waits for a descriptor".to_owned())),
        };
    }
    if number == libc::SYS_process_vm_readv && is_of(process, call.data.args[0]) {
        return;
    }
    if is_nameless(number, &call.data.args) {
        return;
    }
    let Some(arguments) = paths::of(number) else {
        return told(Look::Other(format!("system call {number}")));
    };
    for &argument in arguments {
        told(match path(argument) {
            // Nothing but a descriptor, of which its path was told.
            Some(path) if path.as_os_str().is_empty() => continue,
            Some(path) if is_name_of_own(number, &path) => continue,
            Some(path) => Look::Path(path),
            None => Look::Other("a path that cannot be read".to_owned()),
        });
    }
}

/// The path that an argument of a process's call means, absolute; empty if it means a descriptor; `None` if it cannot
/// be known.
fn path(process: u32, arguments: &[u64; 6], argument: PathArgument) -> Option<PathBuf> {
    let address = arguments[argument.path];
    if address == 0 {
        return Some(PathBuf::new());
    }
    let path = PathBuf::from(text(process, address)?);
    if path.as_os_str().is_empty() || path.is_absolute() {
        return Some(path);
    }
    let folder = argument.folder.map(|index| arguments[index] as i32);
    let folder = match folder {
        None | Some(libc::AT_FDCWD) => format!("/proc/{process}/cwd"),
        Some(descriptor) => format!("/proc/{process}/fd/{descriptor}"),
    };
    let folder = std::fs::read_link(folder).ok()?;
    folder.is_absolute().then(|| folder.join(path))
}

/// Whether a thread is one of the process of this number.
fn is_of(thread: u32, process: u64) -> bool {
    let task = format!("/proc/{process}/task/{thread}");
    Path::new(&task).exists()
}

/// Whether a call makes a file without a name, which depends on nothing in its folder.
fn is_nameless(number: libc::c_long, arguments: &[u64; 6]) -> bool {
    let flags = match number {
        libc::SYS_open => arguments[1],
        libc::SYS_openat => arguments[2],
        _ => 0,
    };
    flags as i32 & libc::O_TMPFILE == libc::O_TMPFILE
}

/// Whether a call asks for the name of the working folder, as `getcwd` does, or of what a descriptor is of.
fn is_name_of_own(number: libc::c_long, path: &Path) -> bool {
    let is_number = |name: &Path| {
        name.to_str()
            .is_some_and(|name| name.parse::<u32>().is_ok())
    };
    let is_descriptor = path.strip_prefix("/proc/self/fd").is_ok_and(is_number);
    matches!(number, libc::SYS_readlink | libc::SYS_readlinkat)
        && (is_descriptor || path == Path::new("/proc/self/cwd"))
}

/// The descriptors in an array of `pollfd` in another process; `None` if it cannot be read.
fn polled(process: u32, address: u64, count: u64) -> Option<Vec<i32>> {
    // Nobody has more descriptors than that.
    let count = usize::try_from(count)
        .ok()
        .filter(|&count| count <= 1 << 20)?;
    let mut bytes = vec![0; count * size_of::<libc::pollfd>()];
    memory(process)?.read_exact_at(&mut bytes, address).ok()?;
    let descriptors = bytes.chunks_exact(size_of::<libc::pollfd>());
    let descriptor = |one: &[u8]| i32::from_le_bytes([one[0], one[1], one[2], one[3]]);
    Some(descriptors.map(descriptor).collect())
}

/// The memory of another process.
fn memory(process: u32) -> Option<File> {
    File::open(Path::new("/proc").join(process.to_string()).join("mem")).ok()
}

/// The NUL-terminated text at an address of another process.
fn text(process: u32, address: u64) -> Option<OsString> {
    let mut bytes = vec![0; libc::PATH_MAX as usize];
    let length = memory(process)?.read_at(&mut bytes, address).ok()?;
    let end = bytes[..length].iter().position(|&byte| byte == 0)?;
    bytes.truncate(end);
    Some(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests;
