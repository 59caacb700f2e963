//! Standard input: read from the kernel once, given to the program in every execution.

use crate::scoped_cell::ScopedCell;
use crate::world::{self, rolled_back};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::state::Kept;
use dpor_machine::sys;
use serde::{Deserialize, Serialize};

/// Position in standard input that a restore takes back, in bytes from the root.
#[repr(C)]
pub struct State {
    position: u64,
}

rolled_back!(static STATE: RolledBack<State> = world::INPUT);

/// What has been read from the kernel since the root. In the runtime's own memory, so that it
/// outlives the execution that first asked for it.
struct Buffer {
    bytes: Vec<u8>,
    ended: bool,
    /// Number of bytes that a worker wants to have been read: the kernel gives each byte once, so
    /// that only the coordinator reads.
    wanted: u64,
    /// −errno of the last attempt, which is a worker's, too; 0 if it was none.
    refused: isize,
}

static BUFFER: Kept<AtomicPtr<Buffer>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Bytes asked from the kernel at once.
const CHUNK: usize = 1 << 16;

/// Begins with nothing read. At the root.
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
    buffer().look(|buffer| buffer.wanted)
}

/// Reads until so many bytes are there, or no more come. True if any was read that was not there.
pub fn read_up_to(bytes: u64) -> bool {
    let before = known();
    while (length() as u64) < bytes && read_on() > 0 {}
    before != known()
}

/// What has been read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Known {
    bytes: u64,
    /// Whether there are no more bytes.
    ended: bool,
    /// −errno of the last attempt, 0 if it was none.
    refused: i64,
    /// CRC-32 of the bytes.
    checksum: u32,
}

/// Returns what has been read so far.
pub fn known() -> Known {
    buffer().look(|buffer| Known {
        bytes: buffer.bytes.len() as u64,
        ended: buffer.ended,
        refused: buffer.refused as i64,
        checksum: crc32fast::hash(&buffer.bytes),
    })
}

/// Reads what another process had read; whether it is that.
pub fn read_again(known: &Known) -> bool {
    read_up_to(known.bytes);
    if known.ended && length() as u64 == known.bytes {
        read_on();
    }
    buffer().look(|buffer| {
        let first = buffer.bytes.get(..known.bytes as usize);
        first.is_some_and(|first| crc32fast::hash(first) == known.checksum)
            && (!known.ended || (buffer.ended && buffer.bytes.len() as u64 == known.bytes))
    })
}

fn buffer() -> ScopedCell<Buffer> {
    // SAFETY: set at the root, before any use, and reached through this function only.
    unsafe { ScopedCell::at(BUFFER.load(Ordering::Relaxed)) }
}

/// Bytes that have been read from the kernel.
fn length() -> usize {
    buffer().look(|buffer| buffer.bytes.len())
}

/// Reads once from the kernel, after what was read before; 0 or −errno if nothing came.
fn read_on() -> isize {
    let (ended, refused) = buffer().look(|buffer| (buffer.ended, buffer.refused));
    if ended {
        return 0;
    }
    if crate::worker_process::is_worker() {
        if refused < 0 {
            return refused;
        }
        buffer().change(|buffer| buffer.wanted = buffer.bytes.len() as u64 + 1);
        crate::worker_process::learn_now();
    }
    let mut chunk = vec![0; CHUNK];
    let n = loop {
        // SAFETY: the kernel writes at most CHUNK bytes, which are there.
        let n = unsafe { sys::call3(::libc::SYS_read, 0, chunk.as_mut_ptr() as usize, CHUNK) };
        if n != -(::libc::EINTR as isize) {
            break n;
        }
    };
    buffer().change(|buffer| {
        buffer.bytes.extend(&chunk[..n.max(0) as usize]);
        buffer.ended = n == 0;
        buffer.refused = n.min(0);
    });
    n
}

/// Answers the program's `read(0, …)`, and returns its result.
///
/// # Safety
/// `to` is writable for `bytes` bytes.
pub unsafe fn read(to: usize, bytes: usize) -> isize {
    if bytes == 0 {
        return 0;
    }
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let position = unsafe { (*STATE.get()).position } as usize;
    if position >= length() {
        let n = read_on();
        if n <= 0 {
            return n;
        }
    }
    let n = buffer().look(|buffer| {
        let rest = buffer.bytes.get(position..).unwrap_or_default();
        let n = rest.len().min(bytes);
        // SAFETY: `to` is writable for `bytes` bytes, as this function's caller guarantees, and `n`
        // is not more.
        unsafe { (to as *mut u8).copy_from(rest.as_ptr(), n) };
        n
    });
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event.
    unsafe { (*STATE.get()).position += n as u64 };
    n as isize
}

/// `lseek(0, …)`, where the descriptor was at offset `root` at the root; −errno there: it cannot seek at all.
pub fn seek(root: i64, offset: i64, whence: i32) -> isize {
    if root < 0 {
        return root as isize;
    }
    if whence == ::libc::SEEK_END {
        while read_on() > 0 {}
    }
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let position = unsafe { &raw mut (*STATE.get()).position };
    let from = match whence {
        ::libc::SEEK_SET => 0,
        // SAFETY: `position` lies in the world, which is mapped; no other fiber runs since the
        // event.
        ::libc::SEEK_CUR => root + unsafe { *position } as i64,
        ::libc::SEEK_END => root + length() as i64,
        _ => return -(::libc::EINVAL as isize),
    };
    let target = from + offset;
    if target < root {
        // What was read before the root is gone.
        return -(::libc::EINVAL as isize);
    }
    // SAFETY: `position` lies in the world, which is mapped; no other fiber runs since the event.
    unsafe { *position = (target - root) as u64 };
    target as isize
}
