//! Sentences about the run as a whole, for the report.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::state::Kept;

static NOTES: Kept<AtomicPtr<Vec<String>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// A sentence about the run as a whole.
pub fn note(text: &str) {
    let mut notes = notes();
    notes.push(text.to_owned());
    NOTES.store(Box::into_raw(Box::new(notes)), Ordering::Relaxed);
}

/// Sentences about the run as a whole.
pub fn notes() -> Vec<String> {
    // SAFETY: null, or a list that a note put there, which is never freed and only grows by being replaced.
    unsafe { NOTES.load(Ordering::Relaxed).as_ref() }
        .cloned()
        .unwrap_or_default()
}
