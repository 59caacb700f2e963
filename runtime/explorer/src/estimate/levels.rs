//! What a search that goes from left to right notes of its tree: of each node of the path with more than one
//! child, how many of them are finished and how many executions those took.
//!
//! ```text
//!   depth 3   ●─┬─ finished, 40 executions ┐
//!               ├─ finished, 52            ├ finished: 2, branched − begun = 92, last = 52
//!               └─ on the path ─ … ─ depth 9 ●─┬─ …
//! ```

use super::history::History;

/// A node of the path that the search has come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Events before it.
    pub depth: u32,
    /// Children that are finished, at least 1.
    pub finished: u32,
    /// Executions before its first.
    pub begun: u64,
    /// Executions before the first in the child that the path goes through.
    pub branched: u64,
    /// Executions in the child that was finished last.
    pub last: u64,
}

/// Children that are told apart by their place among their siblings; those further right count as the last.
pub(crate) const PLACES: usize = 8;

/// Executions in second (third, …) children, and in those before them, of the same nodes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Pair {
    pub this: u64,
    pub before: u64,
}

/// Executions from which on a node says something about others: below most nodes there are two or three (chosen).
const WORTH: u64 = 32;

/// Depths below the deepest such node that are looked at: below that, most branches of a search are not.
const MARGIN: usize = 2;

/// What is known of the nodes of a depth that are [`WORTH`] it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Sums {
    /// Finished nodes with more than one child.
    pub nodes: u64,
    /// By the place of a child: that of the second is 0.
    pub pairs: [Pair; PLACES],
}

/// The levels of the path, by rising depth, and what was learnt at each depth.
pub(crate) struct Levels {
    path: Vec<Level>,
    sums: Vec<Sums>,
    executions: u64,
    /// Executions before the first of the path.
    begun: u64,
    history: History,
    /// Branches below this depth are left out, once it is known: what is below them is little.
    deepest: usize,
}

impl Default for Levels {
    fn default() -> Self {
        Levels {
            path: Vec::new(),
            sums: Vec::new(),
            executions: 0,
            begun: 0,
            history: History::default(),
            deepest: usize::MAX,
        }
    }
}

impl Levels {
    /// An execution has ended. True if it is time to [`Levels::note`].
    #[inline]
    #[must_use]
    pub fn ended(&mut self) -> bool {
        self.executions += 1;
        self.executions >= self.history.next()
    }

    /// How many executions there seem to be at present.
    #[cold]
    pub fn note(&mut self, all: f64) {
        self.history.note(self.executions, all);
        let deepest = self.sums.iter().rposition(|sums| sums.nodes > 0);
        self.deepest = deepest.map_or(usize::MAX, |depth| depth + MARGIN);
    }

    /// What was noted.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The path goes elsewhere: nothing is known of where it comes to.
    pub fn leave(&mut self) {
        self.path.clear();
        self.begun = self.executions;
    }

    /// The path goes back to `depth` and on to the next child there.
    ///
    /// *Cost*: constant on average; a node is put there and taken away once.
    #[inline]
    pub fn branch(&mut self, depth: usize) {
        if depth <= self.deepest {
            self.go_back(depth as u32);
        }
    }

    #[inline(never)]
    fn go_back(&mut self, depth: u32) {
        let executions = self.executions;
        let mut begun = self.begun;
        while let Some(level) = self.path.last_mut() {
            if level.depth < depth {
                begun = level.branched;
                break;
            }
            if executions - level.begun >= WORTH {
                let level = *level;
                self.learn(&level, level.depth > depth);
            }
            let end = self.path.len() - 1;
            let level = &mut self.path[end];
            if level.depth == depth {
                level.finished += 1;
                level.last = executions - level.branched;
                level.branched = executions;
                return;
            }
            self.path.truncate(end);
        }
        self.path.push(Level {
            depth,
            finished: 1,
            begun,
            branched: executions,
            last: executions - begun,
        });
    }

    /// The child that the path goes through is finished, and is not the first; with it the node, if it `is_last`.
    #[inline(never)]
    fn learn(&mut self, level: &Level, is_last: bool) {
        let depth = level.depth as usize;
        if depth >= self.sums.len() {
            self.sums.resize(depth + 1, Sums::default());
        }
        let sums = &mut self.sums[depth];
        let pair = &mut sums.pairs[(level.finished as usize - 1).min(PLACES - 1)];
        pair.this += self.executions - level.branched;
        pair.before += level.last;
        sums.nodes += u64::from(is_last);
    }

    /// By rising depth.
    pub fn path(&self) -> &[Level] {
        &self.path
    }

    /// Of the nodes at this depth.
    pub fn sums(&self, depth: usize) -> Sums {
        self.sums.get(depth).copied().unwrap_or_default()
    }

    /// Depths of which anything is known.
    pub fn depths(&self) -> usize {
        self.sums.len()
    }

    /// Executions that ended, in all.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Those before the path's first.
    pub fn begun(&self) -> u64 {
        self.begun
    }
}
