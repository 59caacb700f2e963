//! What `dpor-cc` linked into an object of the dynamic linker's that is not instrumented.

use crate::foreign::objects::Object;
use dpor_abi::foreign::{NOTE_NAME, NOTE_TYPE};

/// A file that was linked in without instrumentation.
pub struct Linked {
    /// Name of the file: an object file, or an archive and its member.
    pub name: String,
    /// The linker's names of the functions that it defines.
    pub functions: Vec<String>,
}

/// Returns all files that the object's note names; `None` if there is no such note.
pub fn linked(object: &Object) -> Option<Vec<Linked>> {
    let mut found = None;
    for range in &object.notes {
        // SAFETY: a mapped segment that nobody writes.
        let bytes = unsafe { core::slice::from_raw_parts(range.start as *const u8, range.len()) };
        for text in notes(bytes) {
            let lines = text.lines().filter(|line| !line.is_empty()).map(line);
            found.get_or_insert_with(Vec::new).extend(lines);
        }
    }
    found
}

fn line(line: &str) -> Linked {
    let mut words = line.split('\t').map(str::to_owned);
    Linked {
        name: words.next().unwrap_or_default(),
        functions: words.collect(),
    }
}

/// Returns the texts of our notes in a segment.
fn notes(mut bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some((header, rest)) = bytes.split_first_chunk::<12>() {
        let word = |k: usize| {
            let word = [header[k], header[k + 1], header[k + 2], header[k + 3]];
            u32::from_le_bytes(word)
        };
        let (name, text, kind) = (word(0) as usize, word(4) as usize, word(8));
        let begins = name.next_multiple_of(4);
        let Some(content) = rest.get(begins..begins + text) else {
            break;
        };
        if kind == NOTE_TYPE && rest[..name].strip_suffix(&[0]) == Some(NOTE_NAME.as_bytes()) {
            texts.push(String::from_utf8_lossy(content).into_owned());
        }
        bytes = rest
            .get(begins + text.next_multiple_of(4)..)
            .unwrap_or_default();
    }
    texts
}
