//! Where the program did what cannot be controlled: the place in the sentence of the verdict `unsupported`.
//!
//! The site may be a library's, such as the runtime of OpenMP, which says what it does not have; the user's own line
//! is then further out on the stack of the thread. That is read when the thread has left its step for good, on the
//! engine's stack, where files may be read; the driver makes places of it, as of the places in other sentences.

use crate::runtime::Runtime;
use crate::stop::Stop;
use crate::{call_stacks, sites};
use core::mem::replace;
use dpor_model::SiteId;
use dpor_report::place_in_words;

/// Adds the place, if the step was stopped for such a thing.
pub fn add_place(rt: &mut Runtime) {
    let site = replace(&mut rt.refused_at, SiteId::UNKNOWN);
    let place = sites::place(site);
    if place.line == 0 {
        return;
    }
    // Without the driver nobody makes places of addresses.
    let has_driver = rt.options.channel >= 0;
    let calls = match has_driver && sites::is_of_library(&place.file) {
        true => call_stacks::of_thread(rt.current),
        false => Vec::new(),
    };
    let words = format!("{}:{} in {}", place.file, place.line, place.function);
    if let Some(Stop::Unsupported(what)) = &mut rt.stop {
        *what += &format!(" at {}", place_in_words::mark(&words, &calls));
    }
}
