//! Names of what made states differ.

use super::objects::Names;
use super::Namer;
use dpor_report::Differing;

/// Places that are told of at most.
const TOLD: usize = 3;

/// Names the places; of those with one name the one that differs most often, which comes first, stays.
pub fn complete(all: &mut Vec<Differing>, namer: &mut Namer<'_>, instrumented: &[String]) {
    let has_name = |of: &Differing| !of.object.name.starts_with("0x");
    let mut told: Vec<Differing> = Vec::new();
    for mut differing in std::mem::take(all) {
        let image = differing.image.take();
        let files = namer.files_of(instrumented, image.is_some());
        let mut names = Names::new(namer, &files, image.as_deref());
        names.object(&mut differing.object);
        let is_same = |other: &Differing| {
            let is_one = other.object.name == differing.object.name;
            // Of what has no name a sentence says no more than whose stack it is on.
            let is_nothing = !has_name(other) && !has_name(&differing);
            other.stack == differing.stack && (is_one || is_nothing && differing.stack.is_some())
        };
        if !told.iter().any(is_same) {
            told.push(differing);
        }
    }
    // Nobody can do anything about what has no name, if there is something that has one.
    if told.iter().any(has_name) {
        told.retain(has_name);
    }
    told.truncate(TOLD);
    *all = told;
}
