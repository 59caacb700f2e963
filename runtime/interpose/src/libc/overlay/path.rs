//! Canonical paths: absolute, without symbolic links. The kernel tells them.

use super::PATH_MAX;
use crate::sys;

/// A canonical path.
pub struct Path {
    length: usize,
    bytes: [u8; PATH_MAX + 8],
}

impl Path {
    /// Its text.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// What the kernel has there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnDisk {
    /// Nothing, in a directory that is there.
    Nothing,
    /// Something.
    Something,
}

/// The directory that a path lies in.
pub fn parent(path: &[u8]) -> &[u8] {
    let at = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    &path[..at.max(1)]
}

/// The canonical path of `name`, seen from the kernel's descriptor `at`; or −errno. `None`: too long,
/// or a link that leads nowhere. `follow`: a link at the end is followed.
pub fn canonical(at: usize, name: &[u8], follow: bool) -> Option<Result<(Path, OnDisk), isize>> {
    let mut text = [0u8; 512];
    if name.len() >= text.len() {
        return None;
    }
    text[..name.len()].copy_from_slice(name);
    let nofollow = if follow { 0 } else { ::libc::O_NOFOLLOW };
    let found = open(at, text.as_ptr(), nofollow);
    if found >= 0 {
        return Some(Ok((of_descriptor(found)?, OnDisk::Something)));
    }
    if found != -(::libc::ENOENT as isize) {
        return Some(Err(found));
    }
    let end = name.len() - name.iter().rev().take_while(|&&byte| byte == b'/').count();
    let begin = name[..end]
        .iter()
        .rposition(|&byte| byte == b'/')
        .map_or(0, |at| at + 1);
    let last = &name[begin..end];
    if last.is_empty() || end != name.len() {
        return Some(Err(found));
    }
    if follow && open(at, text.as_ptr(), ::libc::O_NOFOLLOW) >= 0 {
        return None;
    }
    // What is before the last component, or the directory itself.
    let mut directory = [0u8; 512];
    directory[..begin].copy_from_slice(&name[..begin]);
    if begin == 0 {
        directory[0] = b'.';
    }
    let above = open(at, directory.as_ptr(), ::libc::O_DIRECTORY);
    if above < 0 {
        return Some(Err(above));
    }
    let mut path = of_descriptor(above)?;
    let slash = usize::from(path.bytes() != b"/");
    let length = path.length + slash + last.len();
    if length > PATH_MAX {
        return None;
    }
    path.bytes[path.length] = b'/';
    path.bytes[path.length + slash..length].copy_from_slice(last);
    path.length = length;
    Some(Ok((path, OnDisk::Nothing)))
}

fn open(at: usize, path: *const u8, flags: i32) -> isize {
    let flags = (::libc::O_PATH | ::libc::O_CLOEXEC | flags) as usize;
    // SAFETY: a string that ends with a NUL.
    unsafe { sys::call6(::libc::SYS_openat, at, path as usize, flags, 0, 0, 0) }
}

/// The path of a descriptor of the kernel's, which is closed.
fn of_descriptor(fd: isize) -> Option<Path> {
    let mut link = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let (mut digits, mut left) = ([0u8; 10], fd as usize);
    let mut count = 0;
    loop {
        digits[count] = b'0' + (left % 10) as u8;
        (left, count) = (left / 10, count + 1);
        if left == 0 {
            break;
        }
    }
    for (k, &digit) in digits[..count].iter().rev().enumerate() {
        link[14 + k] = digit;
    }
    let mut path = Path {
        length: 0,
        bytes: [0; PATH_MAX + 8],
    };
    let to = path.bytes.as_mut_ptr() as usize;
    // SAFETY: at most as many bytes as there are.
    let length = unsafe {
        let length = sys::call3(::libc::SYS_readlink, link.as_ptr() as usize, to, PATH_MAX);
        sys::call3(::libc::SYS_close, fd as usize, 0, 0);
        length
    };
    path.length = usize::try_from(length).ok().filter(|&n| n < PATH_MAX)?;
    Some(path)
}
