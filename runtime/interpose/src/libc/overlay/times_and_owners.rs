//! Times and owners that a call gives a file: `utimensat`, `chown` and their like.
//!
//! Source: utimensat(2), chown(2). Deviation: reading, writing and renaming leave the times as they are.

use super::error;
use super::inode::{Form, Time};
use super::kernel::kernel;
use super::open::{take_over, take_over_open};
use super::path::{resolve, What};
use super::permitted::{is_permitted, permitted_on_disk};
use super::state::{held, inode};
use crate::libc::descriptor::{self, Kind};
use crate::libc::syscalls::SyscallOutcome::{self, Unsupported, Value};
use crate::libc::{opaque, time};
use ::libc::{timespec, timeval, UTIME_NOW, UTIME_OMIT};

/// The users who may make a call, besides the superuser.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Only the owner of the file may.
    Owner,
    /// The owner, and whoever may write the file.
    Writer,
}

fn user() -> u32 {
    kernel(::libc::SYS_geteuid, [0; 4]) as u32
}

/// Returns the file at a path, for a call that changes what is told about it.
pub fn at_path(
    at: usize,
    name: &[u8],
    follow: bool,
    by: By,
    what: &str,
) -> Result<usize, SyscallOutcome> {
    let place = resolve(at, name, follow)?;
    let is_own = |owner: u32| user() == 0 || user() == owner;
    match place.what {
        What::Nothing => Err(error(::libc::ENOENT)),
        What::Inode(number) if is_own(inode(number).times_and_owner.owner.0) => Ok(number),
        What::Inode(_) if by == By::Owner => Err(error(::libc::EPERM)),
        What::Inode(number) if is_permitted(number, ::libc::W_OK) => Ok(number),
        What::Inode(_) => Err(error(::libc::EACCES)),
        What::Disk(stat) if place.what.is_file() => {
            match by {
                _ if is_own(stat.st_uid) => {}
                By::Owner => return Err(error(::libc::EPERM)),
                By::Writer => permitted_on_disk(&place.path, ::libc::W_OK)?,
            }
            take_over(&place.path, &stat, false)
        }
        What::Disk(_) => Err(Unsupported(format!("{what} of what is no regular file"))),
    }
}

/// Returns the file of a descriptor, for a call that changes what is told about it. `None`: it is
/// no file of the disk or of the overlay.
pub fn at_descriptor(fd: usize, by: By) -> Option<Result<usize, SyscallOutcome>> {
    let Some(file) = descriptor::file(fd) else {
        return Some(Err(error(::libc::EBADF)));
    };
    let number = match file.kind {
        Kind::Stored => file.kernel as usize,
        // Its owner, or whoever opened it: the disk decides by that before it is taken over.
        _ if user() != 0 && descriptor::stat(file.kernel)?.st_uid != user() => {
            return Some(Err(error(::libc::EPERM)));
        }
        _ => match take_over_open(fd)? {
            Ok(number) => number,
            Err(outcome) => return Some(Err(outcome)),
        },
    };
    let owner = inode(number).times_and_owner.owner.0;
    Some(match by {
        _ if user() == 0 || user() == owner => Ok(number),
        By::Owner => Err(error(::libc::EPERM)),
        By::Writer if is_permitted(number, ::libc::W_OK) => Ok(number),
        By::Writer => Err(error(::libc::EACCES)),
    })
}

/// New times of access and modification; `None`: it stays.
#[derive(Clone, Copy)]
pub struct NewTimes {
    times: [Option<Time>; 2],
    by: By,
}

impl NewTimes {
    fn now() -> Self {
        let now = time::now(::libc::CLOCK_REALTIME);
        let now = (now.div_euclid(1_000_000_000), now.rem_euclid(1_000_000_000));
        NewTimes {
            times: [Some(now); 2],
            by: By::Writer,
        }
    }

    /// Returns the times that `utimensat` is given; null: now.
    ///
    /// # Safety
    /// `times` is null, or the program's pair.
    pub unsafe fn of_timespecs(times: *const [timespec; 2]) -> Result<Self, SyscallOutcome> {
        if times.is_null() {
            return Ok(NewTimes::now());
        }
        // SAFETY: `times` is not null here, so it is the program's pair, as this function's caller
        // guarantees.
        let given = unsafe { times.read_unaligned() };
        let is_valid =
            |time: &timespec| matches!(time.tv_nsec, UTIME_NOW | UTIME_OMIT | 0..=999_999_999);
        if !given.iter().all(is_valid) {
            return Err(error(::libc::EINVAL));
        }
        if given.iter().all(|time| time.tv_nsec == UTIME_NOW) {
            return Ok(NewTimes::now());
        }
        let new = |time: timespec| match time.tv_nsec {
            UTIME_NOW => NewTimes::now().times[0],
            UTIME_OMIT => None,
            nanoseconds => Some((time.tv_sec, nanoseconds)),
        };
        Ok(NewTimes {
            times: given.map(new),
            by: By::Owner,
        })
    }

    /// Returns the times that `utimes` is given; null: now.
    ///
    /// # Safety
    /// `times` is null, or the program's pair.
    pub unsafe fn of_timevals(times: *const [timeval; 2]) -> Result<Self, SyscallOutcome> {
        if times.is_null() {
            return Ok(NewTimes::now());
        }
        // SAFETY: `times` is not null here, so it is the program's pair, as this function's caller
        // guarantees.
        let given = unsafe { times.read_unaligned() };
        match given
            .iter()
            .all(|time| (0..1_000_000).contains(&time.tv_usec))
        {
            true => Ok(NewTimes {
                times: given.map(|time| Some((time.tv_sec, 1_000 * time.tv_usec))),
                by: By::Owner,
            }),
            false => Err(error(::libc::EINVAL)),
        }
    }

    /// Returns the times that `utime` is given; null: now.
    ///
    /// # Safety
    /// `times` is null, or the program's pair.
    pub unsafe fn of_seconds(times: *const [i64; 2]) -> Self {
        if times.is_null() {
            return NewTimes::now();
        }
        // SAFETY: `times` is not null here, so it is the program's pair, as this function's caller
        // guarantees.
        let given = unsafe { times.read_unaligned() };
        NewTimes {
            times: given.map(|seconds| Some((seconds, 0))),
            by: By::Owner,
        }
    }

    /// Returns whether one of the times is to be changed.
    fn is_some(&self) -> bool {
        self.times.iter().any(Option::is_some)
    }

    fn give(&self, number: usize) {
        opaque::files_change();
        held(number).change(|inode| {
            for (old, new) in inode.times_and_owner.times.iter_mut().zip(self.times) {
                *old = new.unwrap_or(*old);
            }
            inode.times_and_owner.are_given.1 = true;
        });
    }
}

const TIMES: &str = "changing the times";

/// `utimensat` with a path, and `utimes`.
pub fn set_times(
    at: usize,
    name: &[u8],
    follow: bool,
    new: Result<NewTimes, SyscallOutcome>,
) -> Result<(), SyscallOutcome> {
    let new = new?;
    if new.is_some() {
        new.give(at_path(at, name, follow, new.by, TIMES)?);
    }
    Ok(())
}

/// `futimens`.
pub fn set_times_of_open(
    fd: usize,
    new: Result<NewTimes, SyscallOutcome>,
) -> Option<SyscallOutcome> {
    let new = match new {
        Ok(new) if !new.is_some() => return Some(Value(0)),
        Ok(new) => new,
        Err(outcome) => return Some(outcome),
    };
    Some(match at_descriptor(fd, new.by)? {
        Ok(number) => {
            new.give(number);
            Value(0)
        }
        Err(outcome) => outcome,
    })
}

/// `-1` as a user or group: it stays.
const SAME: u32 = u32::MAX;

const OWNER: &str = "changing the owner";

/// `fchownat`.
pub fn set_owner(
    at: usize,
    name: &[u8],
    follow: bool,
    owner: (u32, u32),
) -> Result<(), SyscallOutcome> {
    give(at_path(at, name, follow, By::Owner, OWNER)?, owner)
}

/// `fchown`.
pub fn set_owner_of_open(fd: usize, owner: (u32, u32)) -> Option<SyscallOutcome> {
    let given = at_descriptor(fd, By::Owner)?.and_then(|number| give(number, owner));
    Some(given.err().unwrap_or(Value(0)))
}

fn give(number: usize, (user_wanted, group): (u32, u32)) -> Result<(), SyscallOutcome> {
    let before = inode(number).times_and_owner.owner;
    if user() != 0 {
        let changes_user = user_wanted != SAME && user_wanted != before.0;
        if changes_user || !(group == SAME || group == before.1 || is_in_group(group)) {
            return Err(error(::libc::EPERM));
        }
    }
    opaque::files_change();
    let or = |new: u32, old: u32| if new == SAME { old } else { new };
    held(number).change(|file| {
        file.times_and_owner.owner = (or(user_wanted, before.0), or(group, before.1));
        file.times_and_owner.are_given.0 = true;
        if file.form == Form::File && (user_wanted, group) != (SAME, SAME) {
            file.mode &= !::libc::S_ISUID;
            if file.mode & ::libc::S_IXGRP != 0 {
                file.mode &= !::libc::S_ISGID;
            }
        }
    });
    Ok(())
}

fn is_in_group(group: u32) -> bool {
    // NGROUPS_MAX of Linux is larger; who is in more groups is refused those that do not fit.
    let mut groups = [0u32; 256];
    let to = groups.as_mut_ptr() as usize;
    let count = kernel(::libc::SYS_getgroups, [groups.len(), to, 0, 0]);
    let more = groups.iter().take(count.max(0) as usize);
    kernel(::libc::SYS_getegid, [0; 4]) as u32 == group || more.copied().any(|one| one == group)
}
