//! Estimates of the number of executions that a search will have run when it ends.
//!
//! A search goes from left to right, so that of each node of the path the children to the left are finished and
//! those to the right are planned, as far as it knows yet. From the leaf up, each node's executions are those of
//! its finished children, of the child on the path (which was estimated one step before), and of the planned
//! ones:
//!
//! ```text
//!    finished      path    planned
//!   ●──●──●──●──────●────────○──○      a planned child has as many executions as its left neighbour, times
//!   40    52       ≈60      ≈72 ≈86    the ratio of such neighbours where they are finished: Σ ≈ 310
//! ```
//!
//! The ratio is that of children at the same place among their siblings, at the same depth and the next ones
//! below: siblings further right have fewer executions where more sleeps, and more where less is left
//! to the threads that went first.
//!
//! The child on the path was estimated from what is planned below it, which says little while it has hardly begun: then
//! its left neighbour counts more, with the same ratio.
//!
//! Children that are inserted later are not counted, so that the sum ([`known`]) is too low for long. How many events
//! above all branches may still get one says how much it may still grow: `unbranched`, `band`.
//!
//! **Source**: Knuth, Estimating the efficiency of backtrack programs (1975); Kilby, Slaney, Thiébaux, Walsh,
//! Estimating search tree size (AAAI 2006), whose recursive estimate this is, with
//!
//! **Deviations**
//! 1. Siblings are not taken to be alike; the ratio of neighbours is learnt.
//! 2. The child on the path is a mean of two estimates.
//! 3. The tree grows while it is searched: the bounds come from where it may still branch.

mod band;
mod levels;
mod unbranched;

use crate::trace::Trace;
pub(crate) use levels::Levels;
use levels::{Sums, PLACES};

/// The estimated number of executions that a search will have run when it ends, however they end: those that are blocked
/// are in it, as they are in [`Counters::executions`](crate::Counters::executions).
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Estimate {
    /// Expected total number of executions, those that were run included.
    pub executions: f64,
    /// Lower bound of the total, which holds with probability [`Estimate::CONFIDENCE`] together with `high`.
    pub low: f64,
    /// Upper bound of the total.
    pub high: f64,
}

impl core::ops::Add for Estimate {
    type Output = Estimate;

    /// The estimate of a search from those of two disjoint parts of it. The bounds are added as if both parts were at
    /// their worst.
    fn add(self, other: Estimate) -> Estimate {
        Estimate {
            executions: self.executions + other.executions,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

/// Estimates the executions of a search, or of a worker's part of one. `planned`: for each node of the path with
/// planned children, by rising depth, its depth and the number of those children; `elsewhere`: the depths of planned
/// nodes whose parent is not on the path; `trace`: the last execution, which may get branches from event `from` on.
/// `None` as long as too few executions were run.
#[cold]
pub(crate) fn of(
    levels: &Levels,
    planned: impl Iterator<Item = (usize, u64)>,
    elsewhere: impl Iterator<Item = usize>,
    trace: &Trace,
    from: usize,
) -> Option<Estimate> {
    let rungs = rungs(levels, planned);
    let unbranched = rungs
        .first()
        .map_or(0, |rung| unbranched::count(trace, from, rung.depth));
    let all = known(levels, &rungs, elsewhere);
    band::around(all, levels.executions(), unbranched)
}

/// A node of the path with finished or planned children, with the numbers that the estimate needs of it.
struct Rung {
    /// Number of events before the node.
    depth: usize,
    /// Number of finished children.
    finished: u64,
    /// Number of executions in the finished children.
    executions: u64,
    /// Number of executions in the child that was finished last.
    last: u64,
    /// Number of executions so far in the child on the path.
    run: u64,
    /// Number of planned children.
    planned: u64,
    /// Sums over the finished nodes at the same depth.
    sums: Sums,
}

/// Number of executions that were run plus those expected in what is planned at present.
fn known(levels: &Levels, rungs: &[Rung], elsewhere: impl Iterator<Item = usize>) -> f64 {
    let mut all = 1.0;
    for (k, rung) in rungs.iter().enumerate().rev() {
        let near = &rungs[k..(k + NEAR).min(rungs.len())];
        all = on_path(all, rung, near);
        let mut child = all;
        all += rung.executions as f64;
        let mut step = 1.0;
        for place in (rung.finished as usize..).take(rung.planned as usize) {
            // Of the places further right nothing else is known; a choice may have thousands.
            if place <= PLACES || place == rung.finished as usize {
                step = ratio(near, place);
            }
            child *= step;
            all += child;
        }
    }
    let path = f64::max(all, (levels.executions() - levels.begun()) as f64);
    let elsewhere: f64 = elsewhere.map(|depth| mean(levels, depth)).sum();
    levels.begun() as f64 + path + elsewhere
}

/// Expected executions of the child of a node that the path goes through; `below`: what its own children let expect.
///
/// That is a product over many nodes of which little is known, and off by much while few of the executions are run. So its
/// weight is the square root of their share (chosen); the rest has the left neighbour, which is finished.
fn on_path(below: f64, rung: &Rung, near: &[Rung]) -> f64 {
    // What the path runs through was run.
    let run = rung.run as f64;
    let below = f64::max(below, run);
    let Some(place) = rung.finished.checked_sub(1) else {
        return below;
    };
    let beside = f64::max(rung.last as f64 * ratio(near, place as usize), run);
    let weight = (run / below).sqrt();
    weight * below + (1.0 - weight) * beside
}

/// The nodes of the path with finished or planned children, by rising depth; `planned` as for [`of`].
fn rungs(levels: &Levels, planned: impl Iterator<Item = (usize, u64)>) -> Vec<Rung> {
    let mut all = Vec::new();
    let mut noted = levels.path().iter().peekable();
    // Executions before the child on the path of the rung above.
    let mut begun = levels.begun();
    let executions = levels.executions();
    let rung = |level: &levels::Level, planned| Rung {
        depth: level.depth as usize,
        finished: level.finished.into(),
        executions: level.branched - level.begun,
        last: level.last,
        run: executions - level.branched,
        planned,
        sums: levels.sums(level.depth as usize),
    };
    for (depth, planned) in planned {
        while let Some(level) = noted.next_if(|level| (level.depth as usize) < depth) {
            all.push(rung(level, 0));
            begun = level.branched;
        }
        all.push(match noted.next_if(|level| level.depth as usize == depth) {
            Some(level) => {
                begun = level.branched;
                rung(level, planned)
            }
            None => Rung {
                depth,
                finished: 0,
                executions: 0,
                last: 0,
                run: executions - begun,
                planned,
                sums: levels.sums(depth),
            },
        });
    }
    all.extend(noted.map(|level| rung(level, 0)));
    all
}

/// Number of nodes of the path, from a depth downwards, whose sums determine the ratio (chosen).
const NEAR: usize = 4;
/// Least number of executions from which a ratio is taken (chosen).
const BASED_ON: u64 = 4;
/// Largest weight of a depth, in finished nodes: deep nodes are many, and say no more about the others.
const NODES: u64 = 8;

/// Expected executions of the child at `place` per execution of its left neighbour, from the sums of `near`, nodes at
/// this depth and the next ones below; `place` 0 is the second child.
///
/// The ratio is the geometric mean of the ratios of the depths, each weighed by its number of nodes and half as much as
/// the depth above, together with a ratio of 1 with the weight of one node.
fn ratio(near: &[Rung], place: usize) -> f64 {
    let (mut sum, mut weights, mut nearness) = (0.0, 0.0, 1.0);
    for rung in near {
        let pair = rung.sums.pairs[place.min(PLACES - 1)];
        if pair.before >= BASED_ON {
            let weight = rung.sums.nodes.min(NODES) as f64 * nearness;
            sum += weight * (pair.this as f64 / pair.before as f64).ln();
            weights += weight;
        }
        nearness /= 2.0;
    }
    match place {
        _ if weights == 0.0 && place == 0 => 1.0,
        // Rising for ever would be no estimate.
        _ if weights == 0.0 => ratio(near, place.min(PLACES) - 1).min(1.0),
        0..PLACES => (sum / (weights + 1.0)).exp(),
        _ => (sum / (weights + 1.0)).exp().min(1.0),
    }
}

/// Mean number of executions below a finished node at `depth`, or at the next depth below with a finished node.
fn mean(levels: &Levels, depth: usize) -> f64 {
    let below = (depth..levels.depths()).map(|depth| levels.sums(depth));
    let known = below.into_iter().find(|sums| sums.nodes > 0);
    known.map_or(1.0, |sums| {
        let later: u64 = sums.pairs.iter().map(|pair| pair.this).sum();
        (sums.pairs[0].before + later) as f64 / sums.nodes as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(finished: u64, run: u64) -> Rung {
        Rung {
            depth: 3,
            finished,
            executions: 100 * finished,
            last: 100,
            run,
            planned: 0,
            sums: Sums::default(),
        }
    }

    #[test]
    fn a_child_that_has_hardly_begun_is_like_its_neighbour() {
        let on_path = |below: f64, finished: u64, run: u64| {
            let rung = rung(finished, run);
            on_path(below, &rung, core::slice::from_ref(&rung))
        };
        // A hundredth is run: 0.1 · 10,000 + 0.9 · 100.
        assert!((on_path(10_000.0, 1, 100) - 1_090.0).abs() < 1e-9);
        // All but what is planned.
        assert!((on_path(120.0, 1, 120) - 120.0).abs() < 1e-9);
        // More than the neighbour has: what was run is no less.
        assert!(on_path(1_000.0, 1, 500) > 500.0);
        // No neighbour.
        assert_eq!(on_path(10_000.0, 0, 100), 10_000.0);
    }
}
