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
    /// Of a file: its contents, its mode, and when it was written, which a program may ask for; of a library or another ELF
    /// file not when, since a build that changes nothing writes it anew. Of a folder: the names in it. Of a link: both ends.
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
/// sets but the system. `None` for what the system makes up.
fn stamp(path: &Path) -> Option<String> {
    if path.starts_with("/proc") || path.starts_with("/sys") || path.starts_with("/dev") {
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
        Err(why) => return Ok(absent(&why)),
    };
    if !metadata.is_symlink() {
        return of_file(path, &metadata);
    }
    let target = std::fs::read_link(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let there = match path.metadata() {
        Ok(metadata) => of_file(path, &metadata)?,
        Err(why) => absent(&why),
    };
    let target = xxh3_128(target.as_os_str().as_bytes());
    Ok(format!("link {target:032x} {there}"))
}

fn absent(why: &std::io::Error) -> String {
    match why.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "absent".to_owned(),
        kind => format!("{kind}"),
    }
}

/// Whether the system makes up the contents when they are read: what changes without anybody writing it.
fn is_of_system(path: &Path) -> bool {
    let is_steady = path.starts_with("/proc/self") || path.starts_with("/proc/sys");
    path.starts_with("/proc") && !is_steady
}

fn of_file(path: &Path, metadata: &Metadata) -> Result<String, String> {
    let cannot = |why: std::io::Error| format!("{}: {why}", path.display());
    let mode = metadata.mode();
    if metadata.is_dir() {
        let names = std::fs::read_dir(path);
        let Ok(names) = names else {
            return Ok(format!("closed folder {mode:o}"));
        };
        let names = names.map(|entry| entry.map(|entry| entry.file_name()));
        let mut names = names.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
        names.sort();
        let mut digest = Xxh3Default::new();
        for name in names {
            digest.update(name.as_bytes());
            digest.update(b"/");
        }
        return Ok(format!("folder {mode:o} {:032x}", digest.digest128()));
    }
    if !metadata.is_file() {
        return of_device(path, metadata.file_type(), metadata);
    }
    let (digest, is_elf) = match contents(path) {
        Ok(contents) => contents,
        Err(why) => return Ok(format!("file {mode:o} {}", why.kind())),
    };
    let is_made_up = path.starts_with("/proc") || path.starts_with("/sys");
    let written = match is_elf || is_made_up {
        true => String::new(),
        false => format!(" {}.{:09}", metadata.mtime(), metadata.mtime_nsec()),
    };
    Ok(format!("file {mode:o} {digest:032x}{written}"))
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
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn written_at(path: &Path, seconds: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = std::fs::File::options().append(true).open(path);
        file.and_then(|file| file.set_modified(time)).expect("set");
    }

    #[test]
    fn states_differ_where_a_program_finds_something_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let state = |name: &str| State::of(&path(name)).expect("known");
        let write = |name: &str, text: &[u8]| std::fs::write(path(name), text).expect("written");
        let mut seen = vec![state("a"), State::of(folder.path()).expect("known")];
        write("a", b"one");
        written_at(&path("a"), 100);
        seen.extend([state("a"), State::of(folder.path()).expect("known")]);
        write("a", b"two");
        written_at(&path("a"), 100);
        seen.push(state("a"));
        written_at(&path("a"), 101);
        seen.push(state("a"));
        std::os::unix::fs::symlink("a", path("b")).expect("linked");
        seen.push(state("b"));
        write("c", b"two");
        written_at(&path("c"), 101);
        assert_eq!(state("c"), state("a"));
        std::fs::remove_file(path("b")).expect("removed");
        std::os::unix::fs::symlink("c", path("b")).expect("linked");
        seen.push(state("b"));
        std::fs::remove_file(path("c")).expect("removed");
        seen.push(state("b"));
        for (k, one) in seen.iter().enumerate() {
            assert!(!seen[..k].contains(one), "{k}: {seen:?}");
        }
    }

    #[test]
    fn of_an_elf_file_its_contents_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lib.so");
        std::fs::write(&path, b"\x7fELF 1").expect("written");
        written_at(&path, 100);
        let first = State::of(&path);
        written_at(&path, 200);
        assert_eq!(State::of(&path), first);
        std::fs::write(&path, b"\x7fELF 2").expect("written");
        assert_ne!(State::of(&path), first);
    }

    #[test]
    fn devices_have_no_state_but_those_that_never_change() {
        let null = State::of(Path::new("/dev/null")).expect("known");
        assert_eq!((&*null.is, null.unwritten), ("device", None));
        assert!(State::of(Path::new("/dev/random")).is_err());
        assert!(State::of(Path::new("/proc/loadavg")).is_err());
    }

    #[test]
    fn what_nobody_wrote_is_not_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "one").expect("written");
        let now = SystemTime::now();
        // It was written just now, and may be written again without another time.
        assert_eq!(unwritten(&path, now), None);
        let later = now + 2 * TICK;
        let old = unwritten(&path, later);
        assert_eq!(old, stamp(&path));
        let state = State {
            is: "whatever".to_owned(),
            unwritten: old.clone(),
        };
        assert!(old.is_some() && state.holds(&path));
        // Whoever sets the time of writing back has changed it all the same.
        let written = path.metadata().and_then(|it| it.modified()).expect("known");
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, "two").expect("written");
        let file = File::options().append(true).open(&path);
        file.and_then(|file| file.set_modified(written))
            .expect("set");
        assert!(!state.holds(&path));
        assert_ne!(stamp(&path), old);
        // A link that leads elsewhere.
        std::os::unix::fs::symlink("a", folder.path().join("b")).expect("linked");
        let link = folder.path().join("b");
        let before = unwritten(&link, later);
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, "two").expect("written");
        assert!(before.is_some() && stamp(&link) != before);
    }
}
