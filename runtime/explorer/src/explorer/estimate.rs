//! How long it will take.

use super::{Explorer, Phase, State};
use crate::config::Order;
use crate::estimate::{self, Estimate};
use core::iter::empty;

impl Explorer {
    /// Whether this search can be estimated at all: the optimal one, from left to right, if everything is to be
    /// explored. (Of `Dfs` the same estimate was within a factor of three in half of the cases only.)
    pub fn is_estimated(&self) -> bool {
        let is_whole = self.bound.is_none() && !self.config.is_iterative();
        match &self.state {
            State::Optimal(_) | State::Worker(_) => {
                is_whole && self.config.order == Order::Leftmost
            }
            State::Classic(_)
            | State::Dfs(_)
            | State::Icb(_)
            | State::Sample(_)
            | State::Replay => false,
        }
    }

    /// How many executions there will have been at the end; of a worker, in its part. `None`: there is too
    /// little to go by, or [`Explorer::is_estimated`] says no.
    ///
    /// *Cost*: some microseconds. To be asked between two executions.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.phase == Phase::New || !self.is_estimated() {
            return None;
        }
        match &self.state {
            State::Optimal(optimal) => {
                estimate::of(&optimal.levels, optimal.planned_beside(), empty())
            }
            State::Worker(partition) => estimate::of(
                &partition.levels,
                partition.planned_beside(),
                partition.planned_elsewhere(),
            ),
            State::Classic(_)
            | State::Dfs(_)
            | State::Icb(_)
            | State::Sample(_)
            | State::Replay => None,
        }
    }
}
