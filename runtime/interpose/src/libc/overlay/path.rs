//! Canonical paths: absolute, without symbolic links, `.` and `..`.
//!
//! A path is walked one part after the other: what stands at each is told by the names of the overlay, or
//! else by the disk.

use super::inode::Form;
use super::inodes::too_many;
use super::kernel::kernel;
use super::state::{find, inode, overlay, with_names, Found, Name, PATH_MAX};
use super::{content, error};
use crate::libc::descriptor::{self, Kind};
use crate::libc::syscalls::SyscallOutcome;

/// A canonical path of the disk or the overlay.
#[derive(Clone, Copy)]
pub struct Path {
    length: usize,
    /// The text, and zeros behind it: it ends with a NUL.
    bytes: [u8; PATH_MAX + 1],
}

impl Path {
    const ROOT: Path = Path {
        length: 1,
        bytes: {
            let mut bytes = [0; PATH_MAX + 1];
            bytes[0] = b'/';
            bytes
        },
    };

    /// Makes a path of a text that is canonical; `None`: too long.
    pub fn new(text: &[u8]) -> Option<Path> {
        let mut path = Path::ROOT;
        path.bytes.get_mut(..text.len())?.copy_from_slice(text);
        path.length = text.len();
        (text.len() <= PATH_MAX).then_some(path)
    }

    /// Returns the text of the path.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the address of the text, for the kernel.
    pub fn address(&self) -> usize {
        self.bytes.as_ptr() as usize
    }

    /// Returns the path of what is in this directory by this name; `None`: too long.
    pub fn child(&self, name: &[u8]) -> Option<Path> {
        let slash = usize::from(self.length > 1);
        let mut path = *self;
        path.length += slash + name.len();
        if path.length > PATH_MAX {
            return None;
        }
        if slash == 1 {
            path.bytes[self.length] = b'/';
        }
        path.bytes[self.length + slash..path.length].copy_from_slice(name);
        Some(path)
    }

    /// Returns the path of the directory that this one lies in.
    pub fn parent(&self) -> Path {
        let length = parent(self.bytes()).len();
        let mut path = *self;
        path.bytes[length..].fill(0);
        path.length = length;
        path
    }
}

/// Returns the directory that a path lies in.
pub fn parent(path: &[u8]) -> &[u8] {
    let at = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    &path[..at.max(1)]
}

/// Returns a name without the slashes at its end, unless it is nothing else.
pub fn without_slashes(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|&byte| byte != b'/');
    &name[..end.map_or(name.len().min(1), |end| end + 1)]
}

/// The thing that stands at a path.
#[derive(Clone, Copy)]
pub enum What {
    /// Nothing stands there, in a directory that does.
    Nothing,
    /// What the disk has there.
    Disk(::libc::stat),
    /// An inode of the overlay.
    Inode(usize),
}

impl What {
    fn format(&self) -> u32 {
        match self {
            What::Nothing => 0,
            What::Disk(stat) => stat.st_mode & ::libc::S_IFMT,
            What::Inode(number) => match inode(*number).form {
                Form::File => ::libc::S_IFREG,
                Form::Directory => ::libc::S_IFDIR,
                Form::Link => ::libc::S_IFLNK,
            },
        }
    }

    /// Returns whether a directory stands there.
    pub fn is_directory(&self) -> bool {
        self.format() == ::libc::S_IFDIR
    }

    /// Returns whether a symbolic link stands there.
    pub fn is_link(&self) -> bool {
        self.format() == ::libc::S_IFLNK
    }

    /// Returns whether a regular file stands there.
    pub fn is_file(&self) -> bool {
        self.format() == ::libc::S_IFREG
    }
}

/// The place that a path leads to.
pub struct Place {
    /// Canonical path of the place.
    pub path: Path,
    /// The thing that stands at the path.
    pub what: What,
    /// The name ends with a slash, `.` or `..`: it can only be a directory.
    pub is_folder: bool,
    /// Number of dots that the last part of the name consists of: 1 or 2, or else 0.
    pub dots: u8,
}

/// Attributes of what the disk has at a path, or −errno.
pub fn on_disk(path: &Path, follow: bool) -> Result<::libc::stat, isize> {
    // SAFETY: the structure is plain numbers, for which zero is a value; the kernel fills it.
    let mut stat: ::libc::stat = unsafe { core::mem::zeroed() };
    let to = &raw mut stat as usize;
    let flags = if follow {
        0
    } else {
        ::libc::AT_SYMLINK_NOFOLLOW
    };
    let here = ::libc::AT_FDCWD as usize;
    match kernel(
        ::libc::SYS_newfstatat,
        [here, path.address(), to, flags as usize],
    ) {
        0 => Ok(stat),
        errno => Err(errno),
    }
}

fn at(path: &Path) -> Result<What, SyscallOutcome> {
    const ENOENT: isize = -(::libc::ENOENT as isize);
    const ENOTDIR: isize = -(::libc::ENOTDIR as isize);
    match find(path.bytes()) {
        Found::Inode(number) => Ok(What::Inode(number)),
        Found::Removed => Ok(What::Nothing),
        Found::Disk => match on_disk(path, false) {
            Ok(stat) => Ok(What::Disk(stat)),
            Err(ENOENT | ENOTDIR) => Ok(What::Nothing),
            Err(errno) => Err(SyscallOutcome::Value(errno)),
        },
    }
}

/// Bytes of a path with the targets of its links in place of them, at most.
const TEXT_MAX: usize = 1024;
/// Links followed for one path, as in Linux (`MAXSYMLINKS`).
const LINKS_MAX: usize = 40;

/// A path that is being walked.
struct Walk {
    /// The part that was walked, canonical.
    path: Path,
    what: What,
    /// The rest of the path, at `from..end`.
    text: [u8; TEXT_MAX],
    from: usize,
    end: usize,
    links: usize,
    is_folder: bool,
    dots: u8,
}

/// Walks a path, seen from the program's descriptor `directory` (or `AT_FDCWD`). `follow`: a link at the
/// end is followed.
pub fn resolve(directory: usize, name: &[u8], follow: bool) -> Result<Place, SyscallOutcome> {
    if name.is_empty() {
        return Err(error(::libc::ENOENT));
    }
    let path = match name[0] {
        b'/' => Path::ROOT,
        _ => base(directory)?,
    };
    let mut walk = Walk {
        what: at(&path)?,
        path,
        text: [0; TEXT_MAX],
        from: 0,
        end: 0,
        links: 0,
        is_folder: false,
        dots: 0,
    };
    if !walk.what.is_directory() {
        return Err(error(::libc::ENOENT));
    }
    walk.put_before(name)?;
    while walk.step(follow)? {}
    let exists = !matches!(walk.what, What::Nothing);
    if walk.is_folder && exists && !walk.what.is_directory() {
        return Err(error(::libc::ENOTDIR));
    }
    Ok(Place {
        path: walk.path,
        what: walk.what,
        is_folder: walk.is_folder,
        dots: walk.dots,
    })
}

impl Walk {
    /// Puts a text and a slash before what is left to walk.
    fn put_before(&mut self, text: &[u8]) -> Result<(), SyscallOutcome> {
        let left = self.end - self.from;
        let slash = usize::from(left > 0);
        let length = text.len() + slash + left;
        if length > TEXT_MAX {
            return Err(error(::libc::ENAMETOOLONG));
        }
        self.text
            .copy_within(self.from..self.end, text.len() + slash);
        self.text[..text.len()].copy_from_slice(text);
        if slash == 1 {
            self.text[text.len()] = b'/';
        }
        (self.from, self.end) = (0, length);
        Ok(())
    }

    /// Walks one part; returns false at the end.
    fn step(&mut self, follow: bool) -> Result<bool, SyscallOutcome> {
        let skip = |text: &[u8]| text.iter().take_while(|&&byte| byte == b'/').count();
        let slashes = skip(&self.text[self.from..self.end]);
        self.from += slashes;
        let part = &self.text[self.from..self.end];
        let length = part.iter().position(|&b| b == b'/').unwrap_or(part.len());
        if length == 0 {
            self.is_folder |= slashes > 0;
            return Ok(false);
        }
        let mut name = [0; 256];
        if length > 255 {
            return Err(error(::libc::ENAMETOOLONG));
        }
        name[..length].copy_from_slice(&part[..length]);
        let name = &name[..length];
        self.from += length;
        let is_last = self.from + skip(&self.text[self.from..self.end]) == self.end;
        if !self.what.is_directory() {
            return Err(error(match self.what {
                What::Nothing => ::libc::ENOENT,
                _ => ::libc::ENOTDIR,
            }));
        }
        self.dots = match name {
            b"." => 1,
            b".." => 2,
            _ => 0,
        };
        self.is_folder = self.dots > 0;
        let path = match name {
            b"." => return Ok(true),
            b".." => self.path.parent(),
            _ => self.path.child(name).ok_or_else(too_many)?,
        };
        let what = at(&path)?;
        let ends_so = is_last && self.from == self.end;
        if what.is_link() && (follow || !ends_so) {
            return self.follow(&path, what, is_last);
        }
        (self.path, self.what) = (path, what);
        Ok(true)
    }

    /// Walks on with the target of a link.
    fn follow(&mut self, link: &Path, what: What, is_last: bool) -> Result<bool, SyscallOutcome> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(error(::libc::ELOOP));
        }
        let mut target = [0; TEXT_MAX];
        let length = read_link(link, what, &mut target);
        let Ok(length) = usize::try_from(length) else {
            return Err(SyscallOutcome::Value(length));
        };
        let target = &target[..length];
        if link.bytes().starts_with(b"/proc/") && is_last && !target.starts_with(b"/") {
            // One of the kernel's that names what has no path.
            let stat = on_disk(link, true).map_err(SyscallOutcome::Value)?;
            (self.path, self.what) = (*link, What::Disk(stat));
            return Ok(true);
        }
        if target.is_empty() {
            return Err(error(::libc::ENOENT));
        }
        if target[0] == b'/' {
            self.path = Path::ROOT;
            self.what = at(&Path::ROOT)?;
        }
        self.put_before(target)?;
        Ok(true)
    }
}

/// Copies the target of a link. Returns its bytes, as far as there is room, or −errno.
pub fn read_link(link: &Path, what: What, to: &mut [u8]) -> isize {
    let (at, room) = (to.as_mut_ptr() as usize, to.len());
    match what {
        // SAFETY: the address and the room are those of the slice `to`.
        What::Inode(number) => unsafe { content::read(number, 0, at, room) as isize },
        _ => kernel(::libc::SYS_readlink, [link.address(), at, room, 0]),
    }
}

/// Returns the canonical path of a directory by the program's descriptor, or of the working
/// directory.
pub fn base(directory: usize) -> Result<Path, SyscallOutcome> {
    if directory as i32 == ::libc::AT_FDCWD {
        let (here, length) = overlay().look(|all| (all.here, usize::from(all.here_length)));
        return match length {
            0 => of_kernel(c"/proc/self/cwd".as_ptr() as usize),
            _ => Path::new(&here[..length]).ok_or_else(too_many),
        };
    }
    let Some(file) = descriptor::file(directory) else {
        return Err(error(::libc::EBADF));
    };
    let number = file.kernel as usize;
    match file.kind {
        Kind::Directory => of_descriptor(file.kernel),
        Kind::Stored if inode(number).form == Form::Directory => {
            path_of(number).ok_or_else(|| error(::libc::ENOENT))
        }
        _ => Err(error(::libc::ENOTDIR)),
    }
}

/// Returns a path of an inode.
pub(super) fn path_of(number: usize) -> Option<Path> {
    let is_its = |name: &&Name| name.number() == Some(number);
    with_names(|all| Path::new(all.iter().find(is_its)?.path()))
}

/// Returns the path of the kernel's link to what a descriptor of its own is.
pub fn link_of(fd: i32) -> Path {
    let (mut digits, mut left) = ([0u8; 10], fd as u32);
    let mut from = digits.len();
    loop {
        from -= 1;
        digits[from] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    let folder = Path::new(b"/proc/self/fd");
    folder
        .and_then(|folder| folder.child(&digits[from..]))
        .unwrap_or(Path::ROOT)
}

/// Returns the path of a descriptor of the kernel's.
pub fn of_descriptor(fd: i32) -> Result<Path, SyscallOutcome> {
    of_kernel(link_of(fd).address())
}

/// Returns the target of one of the kernel's links.
fn of_kernel(link: usize) -> Result<Path, SyscallOutcome> {
    let mut path = Path::ROOT;
    let to = path.bytes.as_mut_ptr() as usize;
    let length = kernel(::libc::SYS_readlink, [link, to, PATH_MAX + 1, 0]);
    match usize::try_from(length) {
        Err(_) => Err(SyscallOutcome::Value(length)),
        Ok(length) if length > PATH_MAX => Err(too_many()),
        Ok(length) => {
            path.length = length;
            Ok(path)
        }
    }
}
