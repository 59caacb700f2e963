//! Counts that a search from left to right keeps of its tree: for each node of the path with more than one child,
//! how many children are finished and how many executions those took.
//!
//! ```text
//!   depth 3   ●─┬─ finished, 40 executions ┐
//!               ├─ finished, 52            ├ finished: 2, branched − begun = 92, last = 52
//!               └─ on the path ─ … ─ depth 9 ●─┬─ …
//! ```

/// A node of the path that the search has come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Number of events before the node.
    pub depth: u32,
    /// Number of finished children, at least 1.
    pub finished: u32,
    /// Number of executions of the search before the first one below the node.
    pub begun: u64,
    /// Number of executions of the search before the first one in the child that the path goes through.
    pub branched: u64,
    /// Number of executions in the child that was finished last.
    pub last: u64,
}

/// Number of places among siblings that are told apart, the second child's being the first; children further right
/// count as the last place.
pub(crate) const PLACES: usize = 8;

/// Sums over nodes: the executions in the children at one place (`this`), and in their left neighbours (`before`).
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Pair {
    pub this: u64,
    pub before: u64,
}

/// Number of executions below a node from which on it counts in [`Sums`]: below most nodes there are two or three,
/// which say nothing about others (chosen).
const WORTH: u64 = 32;

/// Number of executions after which it is looked for the first time how deep branches are noted, and again whenever
/// executions have doubled (chosen: before, the tree is hardly begun).
const FIRST: u64 = 256;

/// Number of depths below the deepest node in [`Sums`] at which branches are still noted: most branches of a search
/// lie deeper and need no bookkeeping.
const MARGIN: usize = 2;

/// Sums over the nodes of one depth with at least [`WORTH`] executions.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Sums {
    /// Number of finished nodes with more than one child.
    pub nodes: u64,
    /// By the place of a child among its siblings: the second child has index 0.
    pub pairs: [Pair; PLACES],
}

/// The nodes of the path with several children, and the sums over finished nodes of each depth.
pub(crate) struct Levels {
    /// By rising depth.
    path: Vec<Level>,
    /// `sums[depth]`.
    sums: Vec<Sums>,
    /// Number of executions that ended.
    executions: u64,
    /// Number of executions before the first one of the present path.
    begun: u64,
    /// Branches deeper than this are not noted: few executions are below them. `usize::MAX` until it is known.
    deepest: usize,
    /// Number of executions at which it is looked anew how deep branches are noted.
    next: u64,
}

impl Default for Levels {
    fn default() -> Self {
        Levels {
            path: Vec::new(),
            sums: Vec::new(),
            executions: 0,
            begun: 0,
            deepest: usize::MAX,
            next: FIRST,
        }
    }
}

impl Levels {
    /// Counts an execution that ended.
    #[inline]
    pub fn ended(&mut self) {
        self.executions += 1;
        if self.executions >= self.next {
            self.look_how_deep();
        }
    }

    #[cold]
    fn look_how_deep(&mut self) {
        self.next = self.executions * 2;
        let deepest = self.sums.iter().rposition(|sums| sums.nodes > 0);
        self.deepest = deepest.map_or(usize::MAX, |depth| depth + MARGIN);
    }

    /// Forgets the path, because the search goes on in a part of the tree of which nothing is known.
    pub fn leave(&mut self) {
        self.path.clear();
        self.begun = self.executions;
    }

    /// Notes that the search goes back to the node at `depth` and on to its next child.
    ///
    /// *Cost*: constant on average; each node is pushed and popped once.
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

    /// Adds the child that the path goes through, which is finished and not the first, to the sums of its depth, and
    /// the node itself if that child `is_last`.
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

    /// The nodes of the path that the search came back to, by rising depth.
    pub fn path(&self) -> &[Level] {
        &self.path
    }

    /// The sums over the finished nodes at `depth`; zeros where there are none.
    pub fn sums(&self, depth: usize) -> Sums {
        self.sums.get(depth).copied().unwrap_or_default()
    }

    /// Number of depths for which there are sums.
    pub fn depths(&self) -> usize {
        self.sums.len()
    }

    /// Number of executions of the search that ended.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Number of executions before the first one of the present path.
    pub fn begun(&self) -> u64 {
        self.begun
    }
}
