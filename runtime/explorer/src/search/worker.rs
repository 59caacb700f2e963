//! The search of one worker of several: its part of the tree ([`crate::worker`]).

use super::steps::mispredicted;
use super::{Ended, Search};
use crate::config::{Config, Order};
use crate::enabled::{enabled_steps, first_step};
use crate::end::{Counters, Fault};
use crate::estimate::{self, Estimate};
use crate::reversals::Reversals;
use crate::trace::Trace;
use crate::tree::{NodeId, Step};
use crate::worker::Partition;
use crate::Program;
use dpor_model::ThreadId;

impl Search for Partition {
    /// Never: what a worker explores is assigned to it by messages.
    fn new(_: &mut Config) -> Option<Self> {
        None
    }

    fn advance(&mut self, trace: &Trace) -> Option<usize> {
        self.start_next(trace)
    }

    fn has_more(&self) -> bool {
        false
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        if let Some(node) = self.next_planned() {
            self.next = node;
            let step = self.step(node);
            return Ok(Some((step.thread, step.alternative)));
        }
        Ok(match self.takes_first() {
            true => first_step(trace),
            false => self.choose(enabled_steps(trace)),
        })
    }

    fn executed<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
        step: Step,
    ) -> Result<(), Fault> {
        let node = match std::mem::replace(&mut self.next, NodeId::NONE) {
            NodeId::NONE => self.add_free(step),
            planned if self.step(planned).footprint == step.footprint => planned,
            _ => return Err(mispredicted(trace)),
        };
        self.enter(node, trace);
        Ok(())
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, program: &mut P) -> bool {
        let mut reversals = std::mem::take(&mut self.reversals);
        execution.reverse(program, &mut reversals, self);
        self.reversals = reversals;
        false
    }

    #[inline]
    fn reduces(&self) -> bool {
        true
    }

    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        Some(&mut self.reversals)
    }

    fn is_led(&self, _: &Trace) -> bool {
        self.has_planned_below()
    }

    fn owes_read(&self) -> bool {
        self.owes()
    }

    fn count(&self, counters: &mut Counters) {
        counters.reversals = self.reversals.count;
        counters.nodes_max = self.nodes_max as u64;
    }

    fn is_estimated(&self) -> bool {
        self.order == Order::Leftmost
    }

    fn estimate(&self, trace: &Trace) -> Option<Estimate> {
        estimate::of(
            &self.levels,
            self.planned_beside(),
            self.planned_elsewhere(),
            trace,
            self.own_from(),
        )
    }
}
