//! `sem_open`, `sem_close`, `sem_unlink`: semaphores with names.
//!
//! Names are known in this process alone, from its start to its end: there is no other process to share
//! them with, and nothing is left on the disk. A name that the program did not create does not exist.
//! The semaphores themselves lie in the world, so they go back in time with it.
//!
//! Source: POSIX.1-2017, `sem_open`, `sem_close`, `sem_unlink`.

use super::live_objects;
use super::semaphore::{answer, sem_destroy, sem_init};
use super::semaphore_names::{names, NAMES_MAX, NAME_BYTES};
use crate::engine::{self, object};
use ::libc::{
    c_char, mode_t, sem_t, EEXIST, EINVAL, EMFILE, ENAMETOOLONG, ENOENT, O_CREAT, O_EXCL,
};
use core::ffi::{c_int, c_uint, CStr};
use dpor_model::Kind;

crate::hooks::clean_entry::clean_entries! {
    sem_open, sem_close, sem_unlink
}

/// Performs an event on the table of names, which is an object.
fn use_table() {
    if engine::active() {
        let mut operation = engine::operation(Kind::SharedWrite);
        operation.object = object::guard(names() as usize);
        engine::perform(operation);
    }
}

/// Returns a name as it is kept; `Err`: `EINVAL` or `ENAMETOOLONG`.
///
/// # Safety
/// `name` points to a NUL-terminated string.
unsafe fn read_name(name: *const c_char) -> Result<[u8; NAME_BYTES], c_int> {
    // SAFETY: `name` points to a NUL-terminated string, as this function's caller guarantees.
    let text = unsafe { CStr::from_ptr(name) }.to_bytes();
    let text = text.strip_prefix(b"/").unwrap_or(text);
    if text.is_empty() || text.contains(&b'/') {
        return Err(EINVAL);
    }
    if text.len() >= NAME_BYTES {
        return Err(ENAMETOOLONG);
    }
    let mut kept = [0; NAME_BYTES];
    kept[..text.len()].copy_from_slice(text);
    Ok(kept)
}

/// Returns the index of the semaphore of this name.
fn find(name: &[u8; NAME_BYTES]) -> Option<usize> {
    // SAFETY: nothing switches while the borrow lives.
    let all = unsafe { &(*names()).all };
    all.iter()
        .position(|named| named.exists && named.name == *name)
}

/// Returns the index of the semaphore at this address.
fn position(semaphore: *mut sem_t) -> Option<usize> {
    (0..NAMES_MAX).find(|&at| address(at) == semaphore)
}

/// Opens `name`, or creates it with `value`. The table is looked at, and changed, right after an event
/// on it; a semaphore is made before it gets its name, and somebody else may be faster.
fn open(name: [u8; NAME_BYTES], flags: c_int, value: c_uint) -> Result<*mut sem_t, c_int> {
    use_table();
    let mut made = None;
    if find(&name).is_none() {
        if flags & O_CREAT == 0 {
            return Err(ENOENT);
        }
        made = Some(make(value)?);
        use_table();
    }
    let at = match (find(&name), made) {
        (Some(_), _) if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL => {
            made.inspect(|&made| free_if_unused(made));
            return Err(EEXIST);
        }
        (Some(at), made) => {
            count_open(at);
            made.inspect(|&made| free_if_unused(made));
            return Ok(address(at));
        }
        (None, Some(made)) => {
            // SAFETY: the table lies in the world, which is mapped, and the index is one of it; no
            // other fiber runs since the event on the table.
            unsafe { (*names()).all[made].name = name };
            made
        }
        (None, None) => return Err(ENOENT),
    };
    count_open(at);
    Ok(address(at))
}

fn count_open(at: usize) {
    // SAFETY: the table lies in the world, which is mapped, and the index is one of it; no other
    // fiber runs since the event on the table.
    unsafe { (*names()).all[at].open += 1 };
}

fn address(at: usize) -> *mut sem_t {
    // SAFETY: the table lies in the world, which is mapped, and `at` is an index of it; only a
    // pointer is made.
    unsafe { &raw mut (*names()).all[at].semaphore }
}

/// Makes a semaphore without a name.
fn make(value: c_uint) -> Result<usize, c_int> {
    // SAFETY: the table lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    let all = unsafe { &(*names()).all };
    let at = all.iter().position(|named| !named.exists).ok_or(EMFILE)?;
    // SAFETY: in the world; the place is taken before anybody else can look for one.
    unsafe {
        let named = &raw mut (*names()).all[at];
        (*named).exists = true;
        (*named).name = [0; NAME_BYTES];
        (*named).open = 0;
        let semaphore = &raw mut (*named).semaphore;
        if sem_init(semaphore, 1, value) == 0 {
            // It lasts as long as the system, unless the program wants it otherwise.
            live_objects::ended(object::semaphore(semaphore as usize));
            return Ok(at);
        }
    }
    use_table();
    // SAFETY: the table lies in the world and `at` is an index of it; no other fiber runs since the
    // event.
    unsafe { (*names()).all[at].exists = false };
    Err(EINVAL)
}

/// # Safety
/// `name` points to a NUL-terminated string. The mode and the value are there if the flags have
/// `O_CREAT`.
pub unsafe extern "C" fn sem_open(
    name: *const c_char,
    flags: c_int,
    mode: mode_t,
    value: c_uint,
) -> *mut sem_t {
    if !engine::active() && !engine::before_root() {
        let native = real!(sem_open: fn(*const c_char, c_int, mode_t, c_uint) -> *mut sem_t);
        // SAFETY: libc's function gets the program's arguments as they came; two more than it reads
        // are harmless.
        return unsafe { native(name, flags, mode, value) };
    }
    // SAFETY: `name` points to the program's NUL-terminated string, as POSIX asks of its caller.
    match unsafe { read_name(name) }.and_then(|name| open(name, flags, value)) {
        Ok(semaphore) => semaphore,
        Err(error) => {
            answer(error);
            core::ptr::null_mut()
        }
    }
}

/// `sem_close`: an event on the table of names.
///
/// # Safety
/// `semaphore` came from [`sem_open`].
pub unsafe extern "C" fn sem_close(semaphore: *mut sem_t) -> c_int {
    if !engine::active() && !engine::before_root() {
        let native = real!(sem_close: fn(*mut sem_t) -> c_int);
        // SAFETY: libc's function gets the program's argument as it came, and asks no more of it
        // than this one.
        return unsafe { native(semaphore) };
    }
    use_table();
    let Some(at) = position(semaphore) else {
        return answer(EINVAL);
    };
    // SAFETY: the table lies in the world and `at` is an index of it; no other fiber runs since the
    // event on the table.
    unsafe {
        let named = &raw mut (*names()).all[at];
        if (*named).open == 0 {
            return answer(EINVAL);
        }
        (*named).open -= 1;
    }
    free_if_unused(at);
    0
}

/// `sem_unlink`: an event on the table of names.
///
/// # Safety
/// `name` points to a NUL-terminated string.
pub unsafe extern "C" fn sem_unlink(name: *const c_char) -> c_int {
    if !engine::active() && !engine::before_root() {
        let native = real!(sem_unlink: fn(*const c_char) -> c_int);
        // SAFETY: libc's function gets the program's argument as it came, and asks no more of it
        // than this one.
        return unsafe { native(name) };
    }
    // SAFETY: `name` points to the program's NUL-terminated string, as POSIX asks of its caller.
    let name = match unsafe { read_name(name) } {
        Ok(name) => name,
        Err(error) => return answer(error),
    };
    use_table();
    let Some(at) = find(&name) else {
        return answer(ENOENT);
    };
    // SAFETY: the table lies in the world and `at` is an index of it; no other fiber runs since the
    // event on the table.
    unsafe { (*names()).all[at].name = [0; NAME_BYTES] };
    free_if_unused(at);
    0
}

/// Frees a semaphore without a name that nobody has open: its place is free for others once it is
/// destroyed.
fn free_if_unused(at: usize) {
    // SAFETY: in the world; nobody uses the semaphore any more.
    unsafe {
        let named = &raw mut (*names()).all[at];
        if (*named).open == 0 && (*named).name[0] == 0 {
            sem_destroy(&raw mut (*named).semaphore);
            use_table();
            (*named).exists = false;
        }
    }
}
