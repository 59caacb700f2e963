//! The bytes that the program writes to descriptors 1 and 2 while it is explored.

use dpor_abi::options::Output as Wanted;
use dpor_report::Captured;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};

/// Captured output of the running execution and those kept.
#[derive(Default)]
pub struct Output {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Output of the executions whose output is to be shown.
    pub kept: Vec<Captured>,
    /// Digests of the outputs of whole executions. Bytes are compared, not the text of `kept`, in
    /// which all that is not UTF-8 looks alike.
    distinct: BTreeSet<[u64; 2]>,
}

/// Number of bytes that an execution had written to either descriptor.
#[derive(Clone, Copy)]
pub struct Position {
    stdout: usize,
    stderr: usize,
}

impl Output {
    /// The program wrote `bytes` to a descriptor (1 or 2).
    pub fn capture(&mut self, descriptor: i32, bytes: &[u8]) {
        match descriptor {
            2 => self.stderr.extend_from_slice(bytes),
            _ => self.stdout.extend_from_slice(bytes),
        }
    }

    /// The numbers of bytes that the running execution has written so far.
    pub fn position(&self) -> Position {
        Position {
            stdout: self.stdout.len(),
            stderr: self.stderr.len(),
        }
    }

    /// Forgets what came after.
    pub fn rewind(&mut self, to: Option<Position>) {
        self.stdout.truncate(to.map_or(0, |to| to.stdout));
        self.stderr.truncate(to.map_or(0, |to| to.stderr));
    }

    /// What the running execution wrote to descriptors 1 and 2.
    pub fn bytes(&self) -> (&[u8], &[u8]) {
        (&self.stdout, &self.stderr)
    }

    /// Counts the output of an execution that ran to its end.
    pub fn count(&mut self) {
        let digest = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            hasher.write_usize(self.stdout.len());
            hasher.write(&self.stdout);
            hasher.write(&self.stderr);
            hasher.finish()
        };
        self.distinct.insert([digest(0), digest(1)]);
    }

    /// The number of different outputs that were counted.
    pub fn distinct(&self) -> u64 {
        self.distinct.len() as u64
    }

    /// The digests, to be added to another process's.
    pub fn give(&self) -> Vec<[u64; 2]> {
        self.distinct.iter().copied().collect()
    }

    /// Adds another process's.
    pub fn take(&mut self, digests: Vec<[u64; 2]>) {
        self.distinct.extend(digests);
    }

    /// Forgets all executions.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.distinct.clear();
    }

    /// Keeps the ended execution's output if it is wanted. With `Finding`, the first execution's is
    /// kept until one with a finding replaces it.
    pub fn keep(&mut self, wanted: Wanted, execution: u64, has_finding: bool) {
        let keep = match wanted {
            Wanted::All => true,
            Wanted::None => false,
            Wanted::Finding => execution == 1 || has_finding,
        };
        if !keep {
            return;
        }
        if wanted == Wanted::Finding {
            self.kept.clear();
        }
        self.kept.push(Captured {
            execution,
            stdout: String::from_utf8_lossy(&self.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&self.stderr).into_owned(),
        });
    }
}
