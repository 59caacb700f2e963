//! The steps of a long trace without a copy of each: those that differ, and in which order they come.
//!
//! ```text
//!   distinct: T1 locks m, T1 unlocks m, T2 locks m      order: 0 1 0 1 0 1 2
//! ```
//!
//! A step is some hundreds of bytes and its number four, and of a hundred thousand steps a report keeps a few hundred.

use crate::Step;
use std::borrow::Cow;

/// The steps of a trace.
#[derive(Clone, Debug)]
pub struct Outline<'a> {
    distinct: Cow<'a, [Step]>,
    order: Vec<u32>,
}

impl<'a> Outline<'a> {
    /// These steps in this order, by their indices.
    ///
    /// # Panics
    /// If an index is none of a step.
    pub fn new(distinct: Vec<Step>, order: Vec<u32>) -> Outline<'static> {
        let is_there = |&index: &u32| (index as usize) < distinct.len();
        assert!(order.iter().all(is_there), "an index of no step");
        Outline {
            distinct: Cow::Owned(distinct),
            order,
        }
    }

    /// A trace as it is.
    pub fn of(trace: &'a [Step]) -> Outline<'a> {
        Outline {
            distinct: Cow::Borrowed(trace),
            order: (0..trace.len() as u32).collect(),
        }
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The step with this number, from 0.
    ///
    /// # Panics
    /// If there is none.
    pub fn step(&self, number: usize) -> &Step {
        &self.distinct[self.order[number] as usize]
    }

    /// The last step.
    pub fn last(&self) -> Option<&Step> {
        self.order
            .last()
            .map(|&index| &self.distinct[index as usize])
    }

    /// All steps, each by itself.
    pub fn steps(&self) -> Vec<Step> {
        let steps = self.order.iter();
        steps
            .map(|&index| self.distinct[index as usize].clone())
            .collect()
    }

    /// The steps that differ.
    pub fn distinct(&self) -> &[Step] {
        &self.distinct
    }

    /// The indices of the steps among those that differ.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }
}
