//! The oracle's barriers: who arrived in which generation, by name.
//!
//! A generation is an epoch (it changes with every initialization) and a number in it. Where more
//! threads use a barrier than complete a generation, the number comes from the order of arrivals;
//! otherwise it is how often the thread arrived before.

use super::Touch;
use crate::interpreter::{tells_serial, Op, Threads};
use std::collections::{HashMap, HashSet};

const SERIAL: i32 = -1;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barrier {
    width: u64,
    destroyed: bool,
    epoch: usize,
    /// Epoch, number, thread; sorted.
    arrivals: Vec<(usize, usize, usize)>,
    /// Epoch, number, thread; of the generations whose serial thread is known.
    serial: Vec<(usize, usize, usize)>,
    /// The width in each epoch.
    widths: Vec<u64>,
}

/// Barrier, epoch's width: threads.
pub type Users = HashMap<(usize, u64), HashSet<usize>>;

/// True if a program uses barriers.
pub fn any(threads: &Threads) -> bool {
    let mut ops = threads.iter().flatten();
    ops.any(|op| matches!(op, Op::Barrier(..) | Op::StayBarrier(..)))
}

/// The barriers that more threads use than complete a generation, each with its width.
pub fn crowded(users: &Users) -> Vec<(usize, u64)> {
    let crowded = users
        .iter()
        .filter(|((_, width), who)| who.len() as u64 > *width);
    crowded.map(|(barrier, _)| *barrier).collect()
}

impl Barrier {
    pub fn new(width: u64) -> Self {
        Barrier {
            width,
            destroyed: false,
            epoch: 0,
            arrivals: Vec::new(),
            serial: Vec::new(),
            widths: vec![width],
        }
    }

    pub fn note_users(&self, b: usize, users: &mut Users) {
        for &(epoch, _, t) in &self.arrivals {
            users.entry((b, self.widths[epoch])).or_default().insert(t);
        }
    }

    /// The generation in which `t` arrived last.
    fn own(&self, t: usize) -> (usize, usize) {
        let own = self.arrivals.iter().filter(|a| a.2 == t);
        let last = own.map(|a| (a.0, a.1)).max();
        last.expect("only who arrived asks")
    }

    /// The threads of a generation, in the order of their arrivals.
    fn members(&self, generation: (usize, usize)) -> Vec<usize> {
        let members = self.arrivals.iter();
        let members = members.filter(|a| (a.0, a.1) == generation);
        members.map(|a| a.2).collect()
    }

    fn serial(&self, generation: (usize, usize)) -> Option<usize> {
        let known = self.serial.iter().find(|s| (s.0, s.1) == generation);
        known.map(|s| s.2)
    }

    fn is_complete(&self, generation: (usize, usize)) -> bool {
        self.members(generation).len() as u64 == self.widths[generation.0]
    }

    pub fn may_leave(&self, b: usize, t: usize) -> bool {
        let own = self.own(t);
        let decided = !tells_serial(b) || self.members(own)[0] == t || self.serial(own).is_some();
        self.is_complete(own) && decided
    }

    pub fn serial_choices(&self, b: usize, t: usize) -> Vec<u32> {
        let members = self.members(self.own(t));
        match tells_serial(b) && members[0] == t {
            true => members.into_iter().map(|m| m as u32).collect(),
            false => vec![0],
        }
    }

    /// True if some thread waits for others to arrive.
    fn is_waited_at(&self) -> bool {
        let generations: HashSet<_> = self.arrivals.iter().map(|a| (a.0, a.1)).collect();
        generations.into_iter().any(|g| !self.is_complete(g))
    }

    /// How it touches the barrier, if at all, and the result; `None`: a misuse.
    pub fn apply(
        &mut self,
        op: Op,
        t: usize,
        waiting: bool,
        crowded: impl Fn(u64) -> bool,
        alternative: u32,
    ) -> Option<(Option<Touch>, i32)> {
        match op {
            Op::Barrier(b, _) if waiting => Some((None, self.leave(b, t, alternative))),
            Op::BarrierInit(..) | Op::BarrierDestroy(_) if self.is_waited_at() => None,
            Op::BarrierInit(_, width) => {
                self.destroyed = false;
                self.epoch += 1;
                self.width = width;
                self.widths.push(width);
                Some((Some(Touch::Write), 0))
            }
            _ if self.destroyed || self.width == 0 => None,
            Op::BarrierDestroy(_) => {
                self.destroyed = true;
                Some((Some(Touch::Write), 0))
            }
            _ => {
                let here = self.arrivals.iter().filter(|a| a.0 == self.epoch);
                let crowded = crowded(self.width);
                let number = match crowded {
                    true => here.count() / self.width as usize,
                    false => here.filter(|a| a.2 == t).count(),
                };
                self.arrivals.push((self.epoch, number, t));
                self.arrivals.sort_unstable();
                let touch = if crowded { Touch::Write } else { Touch::Arrive };
                Some((Some(touch), 0))
            }
        }
    }

    fn leave(&mut self, b: usize, t: usize, alternative: u32) -> i32 {
        let own = self.own(t);
        let lowest = self.members(own)[0];
        let serial = match tells_serial(b) {
            false => return 0,
            true if lowest == t => {
                self.serial.push((own.0, own.1, alternative as usize));
                self.serial.sort_unstable();
                alternative as usize
            }
            true => self.serial(own).expect("the lowest left first"),
        };
        if serial == t {
            SERIAL
        } else {
            0
        }
    }
}
