//! Marks, and going back to them.

use crate::blocks::BlocksPoint;
use crate::shadow::ShadowPoint;
use crate::Races;

/// A moment that the state can go back to, until an older one is gone back to or it is released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    depth: usize,
    serial: u64,
}

/// What a mark stands for.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    /// Serial number of the mark, from 1; 0: the mark was given up.
    serial: u64,
    clocks: usize,
    shadow: ShadowPoint,
    blocks: BlocksPoint,
    ahead: usize,
}

impl Races {
    /// Marks this moment. Marks form a stack; with none, changes are not logged.
    pub fn mark(&mut self) -> Mark {
        self.marks_made += 1;
        let point = Point {
            serial: self.marks_made,
            clocks: self.clocks.mark(),
            shadow: self.shadow.mark(),
            blocks: self.blocks.mark(),
            ahead: self.ahead.mark(),
        };
        self.marks.push(point);
        Mark {
            depth: self.marks.len() - 1,
            serial: point.serial,
        }
    }

    /// Goes back to `mark`, which stays valid; younger marks are gone.
    ///
    /// *Cost:* what changed since the mark.
    ///
    /// # Panics
    /// If the mark is gone.
    pub fn rollback(&mut self, mark: Mark) {
        let point = self.point(mark);
        self.marks.truncate(mark.depth + 1);
        self.clocks.rollback(point.clocks);
        self.shadow.rollback(point.shadow);
        self.blocks.rollback(point.blocks);
        self.ahead.rollback(point.ahead);
        self.threads.refresh(&self.clocks);
        if self.forgetful {
            self.shadow.forget_everything();
        }
    }

    /// Gives up `mark` and younger ones without going back. What changed since stays undoable by older
    /// marks.
    ///
    /// # Panics
    /// If the mark is gone.
    pub fn release_mark(&mut self, mark: Mark) {
        self.point(mark);
        self.marks.truncate(mark.depth);
        if self.marks.is_empty() {
            self.clocks.stop();
            self.shadow.stop();
            self.blocks.stop();
        }
    }

    /// Gives up those of the marks that are not `kept`, wherever they stand; the log of changes becomes
    /// shorter by what only they needed.
    ///
    /// *Cost:* the length of the log.
    pub fn keep_marks(&mut self, mut kept: impl FnMut(Mark) -> bool) {
        for (depth, point) in self.marks.iter_mut().enumerate() {
            let serial = point.serial;
            if serial != 0 && !kept(Mark { depth, serial }) {
                point.serial = 0;
            }
        }
        let points = self.marks.iter_mut().filter(|point| point.serial != 0);
        self.shadow
            .keep_marks(points.map(|point| &mut point.shadow));
    }

    /// The number of changes of shadow memory that are remembered for the marks.
    #[inline]
    pub fn logged(&self) -> usize {
        self.shadow.logged()
    }

    /// Breaks rollback on purpose: from now on it clears the shadow. Only for the test that shows that
    /// the tests of rollback would notice.
    #[doc(hidden)]
    pub fn forget_shadow_on_rollback(&mut self) {
        self.forgetful = true;
    }

    fn point(&self, mark: Mark) -> Point {
        let point = self
            .marks
            .get(mark.depth)
            .filter(|point| point.serial == mark.serial);
        *point.expect("[dpor internal bug] rollback to a mark that is gone")
    }
}
