//! The bytes between writing and reading: a ring buffer, in which messages have their length before
//! them.
//!
//! Where states are remembered nothing of a ring may tell of what went through it: the first byte stays where it is.

use crate::hooks::options::is_by_states;
use crate::libc::syscalls::{touch, Piece};

/// Bytes of a ring: what a pipe holds (pipe(7)).
pub const BYTES: usize = 1 << 16;

/// Bytes of a message's length.
const LENGTH: usize = 4;

/// Bytes on their way in one direction of a channel.
#[repr(C)]
pub struct Ring {
    is_used: bool,
    is_messages: bool,
    /// Index of the first byte in `bytes`.
    head: u32,
    used: u32,
    /// Number of messages stored, if the channel keeps messages apart.
    count: u32,
    bytes: [u8; BYTES],
}

/// Bytes of all pieces.
pub fn total(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.1).sum()
}

impl Ring {
    /// Returns whether a channel has this ring.
    pub fn is_used(&self) -> bool {
        self.is_used
    }

    /// Given to a channel, empty.
    pub fn begin(&mut self, is_messages: bool) {
        self.is_used = true;
        self.is_messages = is_messages;
        (self.head, self.used, self.count) = (0, 0, 0);
    }

    /// Gives the ring back, which nobody uses any more.
    pub fn end(&mut self) {
        self.is_used = false;
        if is_by_states() {
            self.drop_first(self.used as usize);
        }
    }

    /// Takes the first bytes out such that what is left is stored as if they had never been there: at the front, with
    /// zeros behind it.
    fn drop_first(&mut self, gone: usize) {
        let used = self.used as usize;
        self.bytes.copy_within(gone..used, 0);
        self.bytes[used - gone..used].fill(0);
        self.used -= gone as u32;
    }

    /// Returns the number of bytes or messages that are there to read.
    pub fn stored(&self) -> u64 {
        u64::from(if self.is_messages {
            self.count
        } else {
            self.used
        })
    }

    /// Returns the number of messages stored.
    pub fn messages(&self) -> u32 {
        self.count
    }

    /// Bytes that the next read can get.
    pub fn next_bytes(&self) -> usize {
        match self.is_messages {
            false => self.used as usize,
            true if self.count == 0 => 0,
            true => self.length_at(0),
        }
    }

    /// Bytes that can still be written.
    pub fn room(&self) -> usize {
        let taken = self.used as usize + if self.is_messages { LENGTH } else { 0 };
        BYTES.saturating_sub(taken)
    }

    fn place(&self, offset: usize) -> usize {
        (self.head as usize + offset) % BYTES
    }

    fn length_at(&self, offset: usize) -> usize {
        let byte = |k: usize| self.bytes[self.place(offset + k)];
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]) as usize
    }

    /// Appends `bytes` bytes of the pieces, from byte `skip` of them on; there is room.
    ///
    /// # Safety
    /// The pieces are the program's, and readable.
    pub unsafe fn append(&mut self, pieces: &[Piece], skip: usize, bytes: usize) {
        let mut at = self.used as usize;
        if self.is_messages {
            for byte in (bytes as u32).to_le_bytes() {
                let place = self.place(at);
                self.bytes[place] = byte;
                at += 1;
            }
            self.count += 1;
        }
        let (mut skip, mut left) = (skip, bytes);
        for &(from, length) in pieces {
            let begin = skip.min(length);
            skip -= begin;
            let n = (length - begin).min(left);
            for k in 0..n {
                let place = self.place(at + k);
                // SAFETY: `from` to `from + length` is memory that the program may read, as this
                // function's caller guarantees.
                self.bytes[place] = unsafe { *((from + begin + k) as *const u8) };
            }
            at += n;
            left -= n;
        }
        self.used = at as u32;
    }

    /// Copies the next bytes, or what fits of the next message, and takes them out unless `peek`.
    /// Returns how many were copied.
    ///
    /// # Safety
    /// The pieces are the program's, and writable.
    pub unsafe fn take(&mut self, pieces: &[Piece], peek: bool) -> usize {
        let there = self.next_bytes();
        let first = if self.is_messages { LENGTH } else { 0 };
        let mut copied = 0;
        for &(to, length) in pieces {
            let n = length.min(there - copied);
            touch(to, n);
            for k in 0..n {
                let byte = self.bytes[self.place(first + copied + k)];
                // SAFETY: `to` to `to + length` is memory that the program may write, as this
                // function's caller guarantees.
                unsafe { *((to + k) as *mut u8) = byte };
            }
            copied += n;
        }
        if !peek {
            let gone = match self.is_messages {
                false => copied,
                true if self.count == 0 => 0,
                true => LENGTH + there,
            };
            if is_by_states() {
                self.drop_first(gone);
            } else {
                self.head = self.place(gone) as u32;
                self.used -= gone as u32;
            }
            self.count = self.count.saturating_sub(u32::from(self.is_messages));
        }
        copied
    }
}
