//! The memory in which the runtime leaves word of how far it is ([`dpor_abi::journal`]), at the driver's end.

use super::Left;
use dpor_abi::journal::{self, Journal};
use rustix::fs::MemfdFlags;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Memory that a process we start inherits.
pub(super) fn make() -> std::io::Result<File> {
    let memory = rustix::fs::memfd_create("dpor-journal", MemfdFlags::empty())?;
    let memory = File::from(memory);
    memory.set_len(journal::BYTES as u64)?;
    Ok(memory)
}

/// The bytes of a journal, as far as they were written; empty if they cannot be read.
pub(super) fn bytes_of(memory: &File) -> Vec<u8> {
    let mut bytes = vec![0; (journal::EVENTS + 1) * 8];
    if memory.read_exact_at(&mut bytes, 0).is_err() {
        return Vec::new();
    }
    let events = journal::position(word_of(&bytes, journal::POSITION)).events;
    let whole = (journal::EVENTS + 1 + events.min(journal::EVENTS_MAX)) * 8;
    bytes.resize(whole, 0);
    match memory.read_exact_at(&mut bytes, 0) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

fn word_of(bytes: &[u8], at: usize) -> u64 {
    let word = bytes[at * 8..at * 8 + 8].iter().rev();
    word.fold(0u64, |word, &byte| word << 8 | u64::from(byte))
}

pub(super) fn read(bytes: &[u8]) -> Left {
    if bytes.len() < 8 {
        return Left::Overwritten;
    }
    if word_of(bytes, 0) == 0 {
        return Left::Nothing;
    }
    Journal::read(bytes).map_or(Left::Overwritten, |j| Left::Journal(Box::new(j)))
}
