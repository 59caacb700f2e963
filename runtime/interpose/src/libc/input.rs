//! Standard input: read from the kernel once, given to the program in every execution.

use super::state;
use crate::engine;
use crate::sys;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicPtr, Ordering};
use serde::{Deserialize, Serialize};

/// How far the program has read.
#[repr(C)]
pub struct State {
    position: u64,
}

/// What has been read from the kernel since the root. In the runtime's own memory, so that it
/// outlives the execution that first asked for it.
struct Buffer {
    bytes: Vec<u8>,
    ended: bool,
    /// How much a worker wants to have been read: the kernel gives each byte once, so that only the
    /// coordinator reads.
    wanted: u64,
    /// −errno of the last attempt, which is a worker's, too; 0 if it was none.
    refused: isize,
}

static BUFFER: AtomicPtr<Buffer> = AtomicPtr::new(ptr::null_mut());

/// Bytes asked from the kernel at once.
const CHUNK: usize = 1 << 16;

/// Nothing has been read.
pub fn at_root() {
    let buffer = Box::new(Buffer {
        bytes: Vec::new(),
        ended: false,
        wanted: 0,
        refused: 0,
    });
    BUFFER.store(Box::into_raw(buffer), Ordering::Relaxed);
}

/// Bytes that this process, a worker, needs to have been read.
pub fn wanted() -> u64 {
    buffer().wanted
}

/// Reads until so many bytes are there, or no more come. True if any was read that was not there.
pub fn read_up_to(bytes: u64) -> bool {
    let before = known();
    while (buffer().bytes.len() as u64) < bytes && read_on(buffer()) > 0 {}
    before != known()
}

/// What has been read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Known {
    bytes: u64,
    /// There are no more.
    ended: bool,
    /// −errno of the last attempt, 0 if it was none.
    refused: i64,
    /// CRC-32 of the bytes.
    checksum: u32,
}

/// What has been read so far.
pub fn known() -> Known {
    let buffer = buffer();
    Known {
        bytes: buffer.bytes.len() as u64,
        ended: buffer.ended,
        refused: buffer.refused as i64,
        checksum: crc32fast::hash(&buffer.bytes),
    }
}

/// Reads what another process had read; whether it is that.
pub fn read_again(known: &Known) -> bool {
    read_up_to(known.bytes);
    let buffer = buffer();
    if known.ended && buffer.bytes.len() as u64 == known.bytes {
        read_on(buffer);
    }
    let first = buffer.bytes.get(..known.bytes as usize);
    first.is_some_and(|first| crc32fast::hash(first) == known.checksum)
        && (!known.ended || (buffer.ended && buffer.bytes.len() as u64 == known.bytes))
}

fn buffer() -> &'static mut Buffer {
    // SAFETY: set at the root, before any use; one OS thread runs, and no reference outlives a call.
    unsafe { &mut *BUFFER.load(Ordering::Relaxed) }
}

/// Reads once from the kernel, after what was read before; 0 or −errno if nothing came.
fn read_on(buffer: &mut Buffer) -> isize {
    if buffer.ended {
        return 0;
    }
    if engine::workers::is_worker() {
        if buffer.refused < 0 {
            return buffer.refused;
        }
        buffer.wanted = buffer.bytes.len() as u64 + 1;
        engine::workers::learn_now();
    }
    let old = buffer.bytes.len();
    buffer.bytes.resize(old + CHUNK, 0);
    let to = buffer.bytes[old..].as_mut_ptr() as usize;
    let n = loop {
        // SAFETY: the kernel writes at most CHUNK bytes, which are there.
        let n = unsafe { sys::call3(::libc::SYS_read, 0, to, CHUNK) };
        if n != -(::libc::EINTR as isize) {
            break n;
        }
    };
    buffer.bytes.truncate(old + n.max(0) as usize);
    buffer.ended = n == 0;
    buffer.refused = n.min(0);
    n
}

/// What `read(0, …)` returns to the program.
///
/// # Safety
/// `to` is writable for `bytes` bytes.
pub unsafe fn read(to: usize, bytes: usize) -> isize {
    if bytes == 0 {
        return 0;
    }
    // SAFETY: our state; nothing else runs.
    let position = unsafe { (*state()).input.position } as usize;
    let buffer = buffer();
    if position >= buffer.bytes.len() {
        let n = read_on(buffer);
        if n <= 0 {
            return n;
        }
    }
    let Some(rest) = buffer.bytes.get(position..) else {
        return 0;
    };
    let n = rest.len().min(bytes);
    // SAFETY: the caller's.
    unsafe {
        slice::from_raw_parts_mut(to as *mut u8, n).copy_from_slice(&rest[..n]);
        (*state()).input.position += n as u64;
    }
    n as isize
}

/// `lseek(0, …)`: relative to where the descriptor was at the root, if it can seek at all.
pub fn seek(offset: i64, whence: i32) -> isize {
    let root = super::descriptor::input_offset();
    if root < 0 {
        return root as isize;
    }
    if whence == ::libc::SEEK_END {
        while read_on(buffer()) > 0 {}
    }
    // SAFETY: our state; nothing else runs.
    let position = unsafe { &raw mut (*state()).input.position };
    let from = match whence {
        ::libc::SEEK_SET => 0,
        // SAFETY: as above.
        ::libc::SEEK_CUR => root + unsafe { *position } as i64,
        ::libc::SEEK_END => root + buffer().bytes.len() as i64,
        _ => return -(::libc::EINVAL as isize),
    };
    let target = from + offset;
    if target < root {
        // What was read before the root is gone.
        return -(::libc::EINVAL as isize);
    }
    // SAFETY: as above.
    unsafe { *position = (target - root) as u64 };
    target as isize
}
