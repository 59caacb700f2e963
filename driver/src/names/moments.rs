//! Ways through memory at the moments when an execution first used an object: names of rows whose object is gone at the end.

use super::paths::{Files, Paths};
use dpor_report::image::Moment;
use std::cell::OnceCell;

/// The moments of an execution.
#[derive(Default)]
pub struct Moments<'n>(Vec<AtFirstUse<'n>>);

/// An object, and memory when it was first used.
pub struct AtFirstUse<'n> {
    /// At the end of the execution the object is gone.
    pub is_over: bool,
    moment: &'n Moment,
    files: &'n Files,
    paths: OnceCell<Paths<'n>>,
}

impl<'n> Moments<'n> {
    /// These moments, in the order of their steps; what is in their images is looked at when it is asked for.
    pub fn new(files: &'n Files, moments: &'n [Moment]) -> Moments<'n> {
        let all = moments.iter().map(|moment| AtFirstUse {
            is_over: moment.is_over,
            moment,
            files,
            paths: OnceCell::new(),
        });
        Moments(all.collect())
    }

    /// The first use of the object that the step with this index uses at an address.
    pub fn of(&self, address: u64, step: u64) -> Option<&AtFirstUse<'n>> {
        let is_it =
            |used: &&AtFirstUse<'n>| used.moment.address == address && used.moment.step <= step;
        self.0.iter().rev().find(is_it)
    }
}

impl<'n> AtFirstUse<'n> {
    /// The ways through memory at that moment.
    pub fn paths(&self) -> &Paths<'n> {
        self.paths
            .get_or_init(|| Paths::new(self.files, &self.moment.image))
    }
}
