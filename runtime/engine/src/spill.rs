//! Keeps on disk the plans that do not fit into memory: [`dpor_explorer::Spill`] in a file without
//! a name, which is gone when the process ends.
//!
//! The descriptor is opened before the root, as high as the limit allows, and hidden from the
//! program. All calls are made directly: the engine may stand on a fiber's thread-local storage.

use dpor_explorer::{Spill, SpillId};
use dpor_machine::sys;

/// Where such a file may lie: on disk rather than in memory.
const FOLDERS: [&core::ffi::CStr; 2] = [c"/var/tmp", c"/tmp"];

/// Descriptors between ours and the limit.
const BELOW_LIMIT: u64 = 16;

/// Opens the file; `None` if the system does not allow it.
pub fn open() -> Option<i32> {
    let flags = (libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC) as usize;
    let opened = FOLDERS.iter().find_map(|folder| {
        let name = folder.as_ptr() as usize;
        // SAFETY: the name is a NUL-terminated constant.
        let fd = unsafe { sys::call6(libc::SYS_openat, usize::MAX, name, flags, 0o600, 0, 0) };
        (fd >= 0).then_some(fd as usize)
    })?;
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a local variable that the kernel writes; the descriptors are ours.
    unsafe {
        let into = &raw mut limit as usize;
        sys::call3(libc::SYS_getrlimit, libc::RLIMIT_NOFILE as usize, into, 0);
        let lowest = limit.rlim_cur.saturating_sub(BELOW_LIMIT) as usize;
        let high = sys::call3(
            libc::SYS_fcntl,
            opened,
            libc::F_DUPFD_CLOEXEC as usize,
            lowest,
        );
        sys::call3(libc::SYS_close, opened, 0, 0);
        (high >= 0).then_some(high as i32)
    }
}

/// Records of one search.
pub struct File {
    fd: i32,
    /// Where the next record goes.
    end: usize,
    /// Place and length of each record.
    records: Vec<(usize, usize)>,
    /// Numbers of records that were taken.
    unused: Vec<u32>,
}

impl File {
    /// An empty store in a file; what was in it is of no more use.
    pub fn new(fd: i32) -> File {
        File {
            fd,
            end: 0,
            records: Vec::new(),
            unused: Vec::new(),
        }
    }

    /// Reads or writes all of `bytes` bytes at `memory`; false if the system does not.
    fn transfer(&self, call: i64, memory: usize, bytes: usize, place: usize) -> bool {
        let mut done = 0;
        while done < bytes {
            let (fd, memory, place) = (self.fd as usize, memory + done, place + done);
            // SAFETY: `memory` is from a slice of the caller's that has so many bytes, and lives during the call.
            let n = unsafe { sys::call6(call, fd, memory, bytes - done, place, 0, 0) };
            match n {
                1.. => done += n as usize,
                n if n == -(libc::EINTR as isize) => {}
                _ => return false,
            }
        }
        true
    }
}

impl Spill for File {
    fn write(&mut self, record: &[u8]) -> Option<SpillId> {
        let place = (self.end, record.len());
        let memory = record.as_ptr() as usize;
        if !self.transfer(libc::SYS_pwrite64, memory, record.len(), self.end) {
            return None;
        }
        self.end += record.len();
        let number = match self.unused.pop() {
            Some(number) => {
                self.records[number as usize] = place;
                number
            }
            None => {
                self.records.push(place);
                u32::try_from(self.records.len() - 1).ok()?
            }
        };
        Some(SpillId(number))
    }

    fn take(&mut self, id: SpillId, into: &mut Vec<u8>) -> bool {
        let (place, bytes) = self.records[id.0 as usize];
        let before = into.len();
        into.resize(before + bytes, 0);
        let memory = into[before..].as_mut_ptr() as usize;
        if !self.transfer(libc::SYS_pread64, memory, bytes, place) {
            into.truncate(before);
            return false;
        }
        self.unused.push(id.0);
        if self.unused.len() == self.records.len() {
            self.records.clear();
            self.unused.clear();
            self.end = 0;
        }
        true
    }
}
