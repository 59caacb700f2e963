//! A difference between two sides: what only one has, with the schedules that show it.

use super::access::Change;
use super::between::Between;
use super::matching::are_related;
use super::schedules::{most_similar, Schedule};
use super::side::{Side, Witness};
use dpor_report::{Ending, Finding, FindingKind, Place, Severity, Step, Thread};
use serde::Serialize;
use std::collections::BTreeSet;

/// A finding or outcome that only one level has.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the published JSON")]
pub struct Difference {
    pub kind: FindingKind,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The level that has it.
    pub only_at: String,
    /// `introduced` (only the second has it) or, if only the first has it, `hidden` (by a level), `removed` (by a version).
    pub effect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Ending>,
    /// The finding of the other side that it may be, or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_be: Option<Finding>,
    /// What became of the accesses it is about.
    pub accesses: Vec<Change>,
    /// Schedules of an execution with it, and of the most similar one of the other level; in the order of the levels.
    pub schedules: [Vec<Step>; 2],
    /// The threads in them, with the functions they began with.
    pub threads: [Vec<Thread>; 2],
    /// The schedules in the words of the runtime, to run them again; empty where there is none.
    #[serde(skip)]
    pub words: [String; 2],
    /// The commands that run the schedules again, in the order of the sides; empty where there is none.
    pub replays: [String; 2],
}

/// The severity of what makes a difference.
pub const ERROR: &str = "error";

/// The effect of what only the second side has.
pub const INTRODUCED: &str = "introduced";

/// Number of outcomes of a level that are held against an execution of the other, at most (chosen: more than is read).
const ALIGNED_MAX: usize = 20;

/// The two sides, and what is known of what lies between them.
pub struct Sides<'a> {
    /// Of which the first is the older one.
    pub sides: &'a [Side; 2],
    /// What they are.
    pub between: &'a Between,
    /// What became of accesses.
    pub changes: &'a [Change],
}

impl Sides<'_> {
    /// `aligned`: with the most similar execution of the other side.
    fn difference(
        &self,
        own: usize,
        kind: FindingKind,
        schedule: Schedule<'_>,
        aligned: bool,
    ) -> Difference {
        let place = |side: usize, step: &Step| self.between.place(side, step);
        let other = match schedule.steps.is_empty() || !aligned {
            true => None,
            false => most_similar(schedule.steps, own, self.sides[1 - own].schedules(), &place),
        };
        let mut both = [Some(schedule), other];
        if own == 1 {
            both.reverse();
        }
        Difference {
            kind,
            severity: ERROR,
            only_at: self.sides[own].level.clone(),
            effect: self.between.effects()[own],
            finding: None,
            outcome: None,
            may_be: None,
            accesses: Vec::new(),
            schedules: both.map(|one| one.map_or(Vec::new(), |one| one.steps.to_vec())),
            threads: both.map(|one| one.map_or(Vec::new(), |one| one.threads.to_vec())),
            words: both.map(|one| one.map_or(String::new(), |one| one.words.to_owned())),
            replays: [String::new(), String::new()],
        }
    }

    /// A finding that only side `own` has.
    pub fn of_finding(&self, own: usize, finding: &Finding) -> Difference {
        let severity = match self.sides[own].report.severity(finding) {
            Severity::Error => ERROR,
            Severity::Warning => "warning",
        };
        let object = finding.object.as_ref().map_or("", |object| &object.name);
        let is_about = |change: &&Change| {
            change.sites().any(|site| {
                let is_at = |place: &Place| (&place.file, place.line) == (&site.file, site.line);
                let mut places = finding.accesses.iter().map(|access| &access.place);
                let at_line = site.line != 0
                    && places.any(|place| is_at(place) || is_at(&place.as_recorded()));
                at_line || !site.object.is_empty() && are_related(&site.object, object)
            })
        };
        Difference {
            severity,
            finding: Some(Finding {
                trace: Vec::new(),
                ..finding.clone()
            }),
            accesses: self.changes.iter().filter(is_about).cloned().collect(),
            ..self.difference(own, finding.kind, finding.into(), true)
        }
    }

    /// Endings that only one side has.
    pub fn outcomes(&self) -> Vec<(usize, Difference)> {
        let [Some(first), Some(second)] = [0, 1].map(|side| self.sides[side].endings.as_ref())
        else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (own, mine, others) in [(0, first, second), (1, second, first)] {
            let known: BTreeSet<&Ending> = others.iter().map(|other| &other.ending).collect();
            let is_new = |witness: &&Witness| !known.contains(&witness.ending);
            let new = mine.iter().filter(is_new).enumerate();
            all.extend(new.map(|(nth, witness)| (own, self.of_ending(own, nth, witness))));
        }
        all
    }

    /// The `nth` ending that only this side has.
    fn of_ending(&self, own: usize, nth: usize, witness: &Witness) -> Difference {
        let kind = FindingKind::OutcomeDifference;
        let aligned = nth < ALIGNED_MAX;
        let mut difference = self.difference(own, kind, witness.schedule(), aligned);
        difference.outcome = Some(witness.ending.clone());
        let concerned = { self.changes.iter() }.filter(|c| is_in(c, &difference.schedules));
        difference.accesses = concerned.cloned().collect();
        difference
    }
}

/// Whether a change is to an object, or in a function, of one of the schedules.
fn is_in(change: &Change, schedules: &[Vec<Step>; 2]) -> bool {
    let concerns = |step: &Step| {
        change.sites().any(|site| {
            let names_it = !site.object.is_empty() && are_related(&site.object, &step.object);
            names_it || (!site.function.is_empty() && site.function == step.place.function)
        })
    };
    schedules.iter().flatten().any(concerns)
}
