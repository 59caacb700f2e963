//! What is at a path, in a few words that are equal if a program finds the same there.

use serde::{Deserialize, Serialize};
use std::fs::{File, FileType, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::{xxh3_128, Xxh3Default};

/// The state of a path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// Of a file: its contents, mode and owner, and when it was written, which a program may ask for; of a library or another
    /// ELF file not when, since a build that changes nothing writes it anew. Of a folder: the names in it, in the order in
    /// which a program gets them. Of a link: both ends. Where nothing is: whether it could be made there.
    is: String,
    /// By what the system tells that nobody wrote there since, so that it need not be read again; `None` if it was written
    /// just before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unwritten: Option<String>,
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.is == other.is
    }
}

impl Eq for State {}

impl State {
    /// The state of a path as it is now.
    ///
    /// # Errors
    /// What is there may differ another time; says what it is.
    pub fn of(path: &Path) -> Result<State, String> {
        // Before it is read: who writes meanwhile is noticed later.
        let unwritten = unwritten(path, SystemTime::now());
        let is = read(path)?;
        Ok(State { is, unwritten })
    }

    /// Whether it is the state of the path now.
    pub fn holds(&self, path: &Path) -> bool {
        let now = self.unwritten.as_ref().and_then(|_| stamp(path));
        let is_unwritten = now.is_some() && self.unwritten == now;
        is_unwritten || read(path).is_ok_and(|is| is == self.is)
    }
}

/// Longest time between two writes that a file system may date alike (chosen: FAT has two seconds).
const TICK: Duration = Duration::from_secs(3);

/// The path's stamp, if it is older than any write that may come.
fn unwritten(path: &Path, now: SystemTime) -> Option<String> {
    let is_old = |metadata: &Metadata| {
        let changed = u64::try_from(metadata.ctime()).ok()?;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(changed);
        let since = now.duration_since(changed).ok()?;
        let written = now.duration_since(metadata.modified().ok()?).ok()?;
        (since.min(written) > TICK).then_some(())
    };
    is_old(&path.symlink_metadata().ok()?)?;
    is_old(&path.metadata().ok()?)?;
    stamp(path)
}

/// What changes when somebody writes to a path, or to what it leads to: devices, numbers and times of change, which nobody
/// sets but the system. `None` for what the system makes up, wherever a link or `..` leads to it.
fn stamp(path: &Path) -> Option<String> {
    if !is_dated(path) {
        return None;
    }
    let of = |metadata: Metadata| {
        let (seconds, nanoseconds) = (metadata.ctime(), metadata.ctime_nsec());
        let file = format!("{:x}:{:x}", metadata.dev(), metadata.ino());
        format!("{file} {} {seconds}.{nanoseconds:09}", metadata.size())
    };
    let (itself, there) = (path.symlink_metadata().ok()?, path.metadata().ok()?);
    Some(format!("{} {}", of(itself), of(there)))
}

/// Whether a path leads to a file system that dates each change of a file: not to one that makes up contents when they are
/// read (proc, sysfs, …), and to none whose server does as it likes.
fn is_dated(path: &Path) -> bool {
    /// Of statfs(2): ext2 to ext4, XFS, Btrfs, F2FS, overlayfs, SquashFS, EROFS, ISO 9660, ZFS, bcachefs. Not tmpfs: what is
    /// written through mapped memory it does not date.
    const DATED: [i64; 10] = [
        0xef53,
        0x5846_5342,
        0x9123_683e,
        0xf2f5_2010,
        0x794c_7630,
        0x7371_7368,
        0xe0f5_e1e2,
        0x9660,
        0x2fc1_2fc1,
        0xca45_1a4e,
    ];
    let is_known =
        |path: &Path| rustix::fs::statfs(path).is_ok_and(|it| DATED.contains(&it.f_type));
    // Of a link also where it lies.
    !path.starts_with("/dev") && is_known(path) && path.parent().is_none_or(is_known)
}

/// A digest of a file's contents, and whether it is an ELF file.
///
/// # Errors
/// It cannot be read.
pub fn contents(path: &Path) -> std::io::Result<(u128, bool)> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; 1 << 16];
    let mut digest = Xxh3Default::new();
    let mut begin = Vec::new();
    loop {
        let length = match file.read(&mut piece) {
            Ok(0) => return Ok((digest.digest128(), begin.starts_with(b"\x7fELF"))),
            Ok(length) => length,
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Err(why) => return Err(why),
        };
        digest.update(&piece[..length]);
        if begin.len() < 4 {
            begin.extend(&piece[..length.min(4)]);
        }
    }
}

/// The words of a [`State`].
fn read(path: &Path) -> Result<String, String> {
    if is_of_system(path) {
        return Err(format!("it reads {}", path.display()));
    }
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(why) => return Ok(absent(path, &why)),
    };
    if !metadata.is_symlink() {
        return of_file(path, &metadata);
    }
    let target = std::fs::read_link(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let there = match path.metadata() {
        Ok(metadata) => of_file(path, &metadata)?,
        Err(why) => absent(path, &why),
    };
    let target = xxh3_128(target.as_os_str().as_bytes());
    Ok(format!("link {target:032x} {there}"))
}

/// Why there is nothing, and what a program finds that makes something there: how much of the path is missing, and what is
/// at the rest.
fn absent(path: &Path, why: &std::io::Error) -> String {
    let above = path.ancestors().enumerate().skip(1);
    let mut above = above.filter_map(|(missing, path)| Some((missing, path.metadata().ok()?)));
    let above = above.next().map_or(String::new(), |(missing, folder)| {
        format!(" {missing} {}", permissions(&folder))
    });
    format!("{}{above}", why.kind())
}

/// Mode and owners, by which the system decides who may do what.
fn permissions(metadata: &Metadata) -> String {
    let (mode, user, group) = (metadata.mode(), metadata.uid(), metadata.gid());
    format!("{mode:o} {user} {group}")
}

/// Whether the system makes up the contents when they are read: what changes without anybody writing it.
fn is_of_system(path: &Path) -> bool {
    let is_steady = path.starts_with("/proc/self") || path.starts_with("/proc/sys");
    path.starts_with("/proc") && !is_steady
}

fn of_file(path: &Path, metadata: &Metadata) -> Result<String, String> {
    let cannot = |why: std::io::Error| format!("{}: {why}", path.display());
    let mode = permissions(metadata);
    if metadata.is_dir() {
        let Ok(names) = std::fs::read_dir(path) else {
            return Ok(format!("closed folder {mode}"));
        };
        let mut digest = Xxh3Default::new();
        for entry in names {
            let entry = entry.map_err(cannot)?;
            let kind = entry.file_type().map_err(cannot)?;
            digest.update(entry.file_name().as_bytes());
            digest.update(format!("/{kind:?}/").as_bytes());
        }
        return Ok(format!("folder {mode} {:032x}", digest.digest128()));
    }
    if !metadata.is_file() {
        return of_device(path, metadata.file_type(), metadata);
    }
    let (digest, is_elf) = match contents(path) {
        Ok(contents) => contents,
        Err(why) => return Ok(format!("file {mode} {}", why.kind())),
    };
    let is_made_up = path.starts_with("/proc") || path.starts_with("/sys");
    let written = match is_elf || is_made_up {
        true => String::new(),
        false => format!(" {}.{:09}", metadata.mtime(), metadata.mtime_nsec()),
    };
    Ok(format!("file {mode} {digest:032x}{written}"))
}

/// Devices without contents of their own.
fn of_device(path: &Path, kind: FileType, metadata: &Metadata) -> Result<String, String> {
    // null, zero and full (Linux, devices.txt).
    let steady = [3, 5, 7].map(|minor| rustix::fs::makedev(1, minor));
    match kind.is_char_device() && steady.contains(&metadata.rdev()) {
        true => Ok("device".to_owned()),
        false => Err(format!("it reads {}", path.display())),
    }
}

#[cfg(test)]
mod tests;
