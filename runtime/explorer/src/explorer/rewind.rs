//! Back to the branch: to a checkpoint above it, and forward again by repeating events.

use super::{Explorer, Visit};
use crate::end::Fault;
use crate::threads::Standing;
use crate::trace::{Passive, Way};
use crate::Program;
use dpor_model::{Iteration, Next, ROOT};

/// Checkpoints taken at most on the way to a branch.
const PLACES: usize = 6;

/// How much farther above the deepest each of them lies than the one below it (chosen: five cover an
/// execution of a million events).
const SPREAD: usize = 8;

impl Explorer {
    /// Takes program and trace back to the state after `depth` events.
    pub(super) fn rewind<P: Program>(
        &mut self,
        program: &mut P,
        depth: usize,
    ) -> Result<(), Fault> {
        for left in self.visits.drain(depth.min(self.visits.len() - 1) + 1..) {
            if let Some(checkpoint) = left.checkpoint {
                program.discard(checkpoint);
            }
        }
        self.visits.resize(depth + 1, Visit::default());
        self.trace.truncate(depth);
        let saved = self.visits.iter().enumerate().rev();
        let mut saved = saved.filter_map(|(d, visit)| Some((d, visit.checkpoint?)));
        let (from, checkpoint) = saved.next().expect("the root has a checkpoint");
        program.will_repeat(depth - from);
        program.restore(checkpoint);
        self.visits[from].restored += 1;
        self.counters.checkpoints_restored += 1;
        if checkpoint == ROOT {
            self.repeat_passive(program, 0)?;
        }
        let places = self.places_of_checkpoints(from, depth, program.restore_weighs());
        for position in from..depth {
            self.repeat(program, position)?;
            if places.contains(&(position + 1)) {
                self.visits[position + 1].checkpoint = program.checkpoint();
                let taken = self.visits[position + 1].checkpoint.is_some();
                self.counters.checkpoints_taken += u64::from(taken);
                while taken && program.checkpoints_exceed() {
                    if !self.evict(program) {
                        break;
                    }
                }
            }
        }
        program.repeated(depth - from);
        self.counters.events_replayed += (depth - from) as u64;
        Ok(())
    }

    /// Gives up all checkpoints but the root's. Between executions.
    pub fn give_up_checkpoints<P: Program>(&mut self, program: &mut P) {
        while self.evict(program) {}
    }

    /// Gives up the checkpoint on the path that saves the least: the events between it and the one before,
    /// for each time it was restored, and once more. False if there is none but the root's.
    fn evict<P: Program>(&mut self, program: &mut P) -> bool {
        let (mut before, mut least) = (0, None);
        for (depth, visit) in self.visits.iter().enumerate().skip(1) {
            if visit.checkpoint.is_some() {
                let saves = (depth - before) as u64 * (u64::from(visit.restored) + 1);
                if least.is_none_or(|(least, _)| saves < least) {
                    least = Some((saves, depth));
                }
                before = depth;
            }
        }
        let Some((_, depth)) = least else {
            return false;
        };
        let evicted = self.visits[depth].checkpoint.take();
        // It has to be worth it anew.
        self.visits[depth] = Visit::default();
        program.discard(evicted.expect("found above"));
        self.counters.checkpoints_evicted += 1;
        true
    }

    /// Where to take checkpoints while the events `from..depth` are repeated: at the deepest node at which
    /// one would have saved enough events so far (who came by so often will come again), and at nodes
    /// farther and farther above it: the branches that come next lie there. `weighs`: so many events the restore was
    /// as dear as. If that alone is worth it, one is taken as high up as possible, too: whoever comes back between the
    /// two would have to restore the same again.
    fn places_of_checkpoints(&mut self, from: usize, depth: usize, weighs: u32) -> [usize; PLACES] {
        let mut places = [usize::MAX; PLACES];
        if !self.config.checkpoints {
            return places;
        }
        for (visit, repeated) in self.visits[from + 1..=depth].iter_mut().zip(1..) {
            visit.repeated = visit
                .repeated
                .saturating_add(weighs.saturating_add(repeated));
        }
        let after = self.config.checkpoint_after;
        let worth = |&d: &usize| self.visits[d].repeated >= after;
        let Some(deepest) = (from + 1..=depth).rev().find(worth) else {
            return places;
        };
        places[0] = deepest;
        let mut above = after as usize;
        for place in &mut places[1..] {
            // Not where it would save little.
            if deepest - from < 2 * above.max(1) {
                break;
            }
            *place = deepest - above;
            above = above.saturating_mul(SPREAD);
        }
        if weighs >= after {
            places[PLACES - 1] = from + 1;
        }
        places
    }

    /// Executes an event again, and the passive steps after it, and checks that they do the same.
    fn repeat<P: Program>(&self, program: &mut P, position: usize) -> Result<(), Fault> {
        let event = self.trace.event(position);
        let next = &program.step(event.thread, event.decision).next;
        self.verify(position, event.next, next)?;
        self.repeat_passive(program, position + 1)
    }

    /// Repeats the passive steps between the event before position `after` and the next.
    fn repeat_passive<P: Program>(&self, program: &mut P, after: usize) -> Result<(), Fault> {
        let steps = self.trace.passives_after(after);
        let taken = |step: &&Passive| step.way != Way::Passed;
        for step in steps.iter().filter(taken) {
            let next = &program.step(step.thread, step.way.decision()).next;
            self.verify(after.saturating_sub(1), step.next, next)?;
        }
        Ok(())
    }

    #[inline]
    fn verify(&self, event: usize, expected: Standing, got: &Next) -> Result<(), Fault> {
        let same = match (expected, got) {
            (Standing::Before(index), Next::Operation(op)) => {
                self.trace.table.get(index).operation == *op
            }
            (Standing::Finished, Next::Finished) | (Standing::Dead, Next::Dead) => true,
            // It was parked.
            (Standing::Dead, Next::Operation(op)) => op.iteration == Iteration::MayRepeat,
            (_, Next::Stopped) => return Err(Fault::Stopped),
            _ => false,
        };
        match same {
            true => Ok(()),
            false => Err(self.divergence(event, expected, got)),
        }
    }

    #[cold]
    fn divergence(&self, event: usize, expected: Standing, got: &Next) -> Fault {
        let expected = match expected {
            Standing::Before(index) => Some(Box::new(self.trace.table.get(index).operation)),
            _ => None,
        };
        let got = match got {
            Next::Operation(op) => Some(Box::new(*op)),
            _ => None,
        };
        Fault::Divergence {
            event,
            expected,
            got,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    /// The places at which checkpoints are taken on the way from event 2 to event 20, if one is worth it after 48.
    fn places(weighs: u32) -> Vec<usize> {
        let mut explorer = Explorer::new(Config {
            checkpoints: true,
            checkpoint_after: 48,
            ..Config::default()
        });
        explorer.visits.resize(21, Visit::default());
        let mut places = explorer.places_of_checkpoints(2, 20, weighs).to_vec();
        places.retain(|&place| place != usize::MAX);
        places
    }

    #[test]
    fn a_dear_restore_is_spared_at_once_and_from_as_high_up_as_possible() {
        assert_eq!(places(0), []);
        assert_eq!(places(47), [20]);
        assert_eq!(places(6144), [20, 3]);
        assert_eq!(places(u32::MAX), [20, 3]);
    }
}
