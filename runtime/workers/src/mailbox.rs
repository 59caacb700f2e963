//! Whole messages over the rings: what finds no room waits with its sender, who goes on working.

use crate::shared::Shared;

/// One process's end of all its rings.
pub struct Mailbox {
    shared: &'static Shared,
    me: usize,
    /// For each reader, the bytes to be written, and the number of them that were.
    outgoing: Vec<(Vec<u8>, usize)>,
    /// For each writer, the bytes of a message that is not whole yet.
    incoming: Vec<Vec<u8>>,
    /// Number of messages sent.
    pub sent: u64,
}

/// Bytes of a message's length.
const LENGTH: usize = 4;

impl Mailbox {
    /// A mailbox for process `me`, to whom nobody has written yet.
    pub fn new(shared: &'static Shared, me: usize) -> Mailbox {
        let parties = shared.workers() + 1;
        Mailbox {
            shared,
            me,
            outgoing: (0..parties).map(|_| (Vec::new(), 0)).collect(),
            incoming: vec![Vec::new(); parties],
            sent: 0,
        }
    }

    /// Puts a message on its way; [`Mailbox::flush`] sends it.
    pub fn send(&mut self, reader: usize, message: &[u8]) {
        let outgoing = &mut self.outgoing[reader].0;
        let length = u32::try_from(message.len()).expect("a message has less than 4 GB");
        outgoing.extend_from_slice(&length.to_le_bytes());
        outgoing.extend_from_slice(message);
        self.sent += 1;
    }

    /// Writes what there is room for; true if nothing is left.
    pub fn flush(&mut self) -> bool {
        let mut all = true;
        for (reader, (bytes, done)) in self.outgoing.iter_mut().enumerate() {
            if bytes.is_empty() {
                continue;
            }
            *done += self.shared.write(reader, self.me, &bytes[*done..]);
            if *done == bytes.len() {
                bytes.clear();
                *done = 0;
            } else {
                all = false;
            }
        }
        all
    }

    /// The messages that came, with who wrote them.
    pub fn receive(&mut self) -> Vec<(usize, Vec<u8>)> {
        let mut whole = Vec::new();
        let incoming = &mut self.incoming;
        self.shared.take(self.me, |writer, bytes| {
            incoming[writer].extend_from_slice(bytes);
        });
        for (writer, bytes) in incoming.iter_mut().enumerate() {
            let mut at = 0;
            while let Some((length, rest)) = bytes[at..].split_first_chunk::<LENGTH>() {
                let length = u32::from_le_bytes(*length) as usize;
                let Some(message) = rest.get(..length) else {
                    break;
                };
                whole.push((writer, message.to_vec()));
                at += LENGTH + length;
            }
            bytes.drain(..at);
        }
        whole
    }
}
