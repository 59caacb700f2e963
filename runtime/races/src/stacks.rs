//! Stacks: frames of functions that begin and end on them, and what threads reach in frames of others.
//!
//! A frame that ends is memory that ends: an access to it by another thread is an error, if nothing orders it
//! before, whichever of the two comes first. But functions are called all the time, and hardly ever does another
//! thread reach what they have on the stack. So the detector is told of nothing but frames that hold a granule
//! which another thread accessed at some time, in whatever execution (it *met* it). That is never taken back.
//!
//! Where a thread meets a granule for the first time, and a frame that reached as high has ended before, that end
//! is not in the shadow: the search has to begin anew, knowing the granule ([`Races::take_learnt`]). What is above
//! all frames that ever ended was in none of them, so that most programs, which share what `main` and the threads'
//! first functions have on their stacks, never do.
//!
//! ```text
//!   high ┌──────────────┐
//!        │ main         │  met without consequences
//! ended ►├──────────────┤  no frame that ended reached above this
//!        │ …            │  met for the first time: begins anew
//!        └──────────────┘
//! ```

use crate::entry::{Entry, Kind, GRANULE};
use crate::plain::Attempt;
use crate::shadow::granules;
use crate::{check, Access, Race, Races};
use dpor_model::{SiteId, ThreadId};
use std::collections::BTreeSet;

/// Bytes below the stack pointer that a function may use (System V ABI, 3.2.2).
const RED_ZONE: u64 = 128;

/// How often the part of a stack that is learnt at once doubles at most: 8 bytes become 16 KB.
const DOUBLINGS_MAX: u32 = 11;

/// Where a thread stands on its stack: its stack pointer, if it is suspended on it.
pub type Position = fn(ThreadId) -> Option<u64>;

/// A thread's stack.
#[derive(Clone, Default)]
struct Stack {
    low: u64,
    high: u64,
    /// Bounds of the granules that other threads met, or of the whole stack if every granule counts as met.
    met_low: u64,
    met_high: u64,
    /// A bit for each granule, from the high end of the stack down: another thread met it.
    met: Vec<u64>,
    /// Highest address that a frame which ended reached up to.
    ended: u64,
}

impl Stack {
    #[inline(always)]
    fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.low) < self.high - self.low
    }

    fn place(&self, address: u64) -> (usize, u64) {
        let granule = (self.high - 1) / GRANULE - address / GRANULE;
        ((granule / 64) as usize, 1 << (granule % 64))
    }

    fn is_met(&self, address: u64) -> bool {
        let (word, bit) = self.place(address);
        self.met.get(word).is_some_and(|word| word & bit != 0)
    }

    fn meet(&mut self, address: u64) {
        let (word, bit) = self.place(address);
        if word >= self.met.len() {
            self.met.resize(word + 1, 0);
        }
        self.met[word] |= bit;
        let granule = address - address % GRANULE;
        if self.met_high == 0 {
            self.met_low = granule;
        }
        self.met_low = self.met_low.min(granule);
        self.met_high = self.met_high.max(granule + GRANULE);
    }
}

/// The stacks of all threads.
#[derive(Default)]
pub(crate) struct Stacks {
    /// Stacks by thread number; those of threads that did not begin yet are empty.
    all: Vec<Stack>,
    /// The range that all stacks lie in: first byte, and number of bytes.
    span: (u64, u64),
    position: Option<Position>,
    /// True if every granule counts as met.
    all_met: bool,
    /// Parts `[from, to)` of stacks that have to count as met from the beginning of a search.
    learnt: BTreeSet<(u64, u64)>,
    is_new: bool,
    /// Number of times that something was learnt, and the search begun anew.
    rounds: u32,
}

impl Stacks {
    /// Notes that `thread` accesses `address`, and returns the owner of the stack that it is on if it lies below all
    /// frames there.
    #[inline(always)]
    pub(crate) fn meet(&mut self, thread: ThreadId, address: u64) -> Option<ThreadId> {
        if address.wrapping_sub(self.span.0) >= self.span.1 {
            return None;
        }
        self.meet_on_stack(thread, address)
    }

    /// Whether `[from, to)` meets the range that all stacks lie in.
    pub(crate) fn meets(&self, from: u64, to: u64) -> bool {
        from < self.span.0.saturating_add(self.span.1) && self.span.0 < to
    }

    /// Whether any byte of `[from, to)` is on a thread's stack.
    pub(crate) fn has(&self, from: u64, to: u64) -> bool {
        self.meets(from, to) && { self.all.iter() }.any(|stack| stack.low < to && from < stack.high)
    }

    #[inline(never)]
    fn meet_on_stack(&mut self, thread: ThreadId, address: u64) -> Option<ThreadId> {
        let is_own = { self.all.get(thread.index()) }.is_some_and(|own| own.contains(address));
        if is_own {
            return None;
        }
        let owner = self.owner(address)?;
        let stack = &mut self.all[owner.index()];
        if !stack.is_met(address) {
            stack.meet(address);
            if address < stack.ended && !self.all_met {
                self.learn(owner, address);
            }
        }
        let position = (self.position?)(owner)?;
        (address - address % GRANULE + GRANULE <= position - RED_ZONE).then_some(owner)
    }

    fn owner(&self, address: u64) -> Option<ThreadId> {
        let found = self.all.iter().position(|stack| stack.contains(address));
        found.map(|owner| ThreadId(owner as u16))
    }

    /// Notes that the search has to begin anew knowing `address`. As each time costs a search, each time more of the
    /// neighbourhood is learnt.
    #[cold]
    fn learn(&mut self, owner: ThreadId, address: u64) {
        let bytes = GRANULE << self.rounds.min(DOUBLINGS_MAX);
        let stack = &self.all[owner.index()];
        let from = (address - address % bytes).max(stack.low);
        let to = (address - address % bytes + bytes).min(stack.high);
        self.learnt.insert((from, to));
        self.know(from, to);
        self.is_new = true;
    }

    fn know(&mut self, from: u64, to: u64) {
        if let Some(owner) = self.owner(from) {
            for (granule, _) in granules(from, to) {
                let stack = &mut self.all[owner.index()];
                if stack.contains(granule) {
                    stack.meet(granule);
                }
            }
        }
    }
}

impl Races {
    /// Sets the function that says where a suspended thread stands on its stack.
    pub fn ask_positions(&mut self, position: Position) {
        self.stacks.position = Some(position);
    }

    /// The thread's stack is `[low, high)`, now and always.
    pub fn stand_on(&mut self, thread: ThreadId, low: u64, high: u64) {
        let at = thread.index();
        if at >= self.stacks.all.len() {
            self.stacks.all.resize(at + 1, Stack::default());
        }
        if (self.stacks.all[at].low, self.stacks.all[at].high) == (low, high) {
            return;
        }
        let (met_low, met_high) = match self.stacks.all_met {
            true => (low, high),
            false => (0, 0),
        };
        self.stacks.all[at] = Stack {
            low,
            high,
            met_low,
            met_high,
            ..Stack::default()
        };
        let known = { self.stacks.all.iter() }.filter(|stack| stack.high != 0);
        let from = known.clone().map(|stack| stack.low).min().unwrap_or(0);
        let to = known.map(|stack| stack.high).max().unwrap_or(0);
        self.stacks.span = (from, to - from);
        for (from, to) in self.stacks.learnt.clone() {
            self.stacks.know(from, to);
        }
    }

    /// Makes every frame count, whatever it holds: an execution that is repeated knows all that its search knew.
    pub fn meet_everything(&mut self) {
        self.stacks.all_met = true;
    }

    /// Whether [`Races::begin_frame`] has to be told of a frame `[low, high)` of the thread.
    #[inline(always)]
    pub fn needs_begin(&self, thread: ThreadId, low: u64, high: u64) -> bool {
        { self.stacks.all.get(thread.index()) }.is_some_and(|stack| {
            low < stack.met_high && high > stack.met_low || !stack.contains(low)
        })
    }

    /// Notes that a frame `[low, high)` of the thread ends, and returns whether [`Races::end_frame`] has to be told of
    /// it.
    #[inline(always)]
    pub fn needs_end(&mut self, thread: ThreadId, low: u64, high: u64) -> bool {
        let Some(stack) = self.stacks.all.get_mut(thread.index()) else {
            return false;
        };
        if high > stack.ended && stack.contains(high - 1) {
            stack.ended = high;
        }
        low < stack.met_high && high > stack.met_low
    }

    /// A variable of the thread's comes to life at `[low, high)`: what was there before is over. An access by another
    /// thread that is not ordered behind is one to what was there. Answered is one that was made already, if what it
    /// accessed did not end by itself: then its function was left by an exception or a jump.
    pub fn begin_frame(&mut self, thread: ThreadId, low: u64, high: u64) -> Option<Race> {
        let owner = self.stacks.owner(low)?;
        self.disturbed.add(low, high);
        let attempt = Attempt {
            thread,
            kind: Kind::WRITE,
            site: SiteId::UNKNOWN,
        };
        let mut race = None;
        let mut is_any = false;
        for (granule, mask) in self.met_granules(owner, low, high) {
            is_any = true;
            let Some(cell) = self.shadow.existing(granule) else {
                continue;
            };
            let place = cell.place();
            let now = self.entry(attempt, mask);
            let end = check::frame_end(&self.shadow, place, mask);
            if end.is_none() && owner == thread && race.is_none() {
                let clock = self.clocks.entries(self.threads.now(thread));
                let races = check::conflicts(&self.shadow, place, now, clock);
                race = (!races.is_empty()).then(|| self.report(attempt, granule, &races));
            }
            check::forget(&mut self.shadow, place, mask);
            self.messages.forget(&mut self.clocks, cell, mask);
            self.ahead.forget(granule, mask);
            if let Some(end) = end.filter(|_| owner == thread) {
                // In the words of what ended here.
                let entry = Entry::new(now.epoch(), Kind::ATOMIC_WRITE, end.context(), mask);
                self.shadow.add(place, entry.made_frame_end());
            }
        }
        if is_any {
            for row in self.objects.within(low, high) {
                self.clocks.clear(row);
            }
        }
        race.map(|race| Race {
            returns: true,
            ..race
        })
    }

    /// The function ends, or the life of the variable: as [`Races::free`], until something begins there. It says
    /// nothing of what the thread itself does there later, where functions without hooks may have their frames.
    pub fn end_frame(
        &mut self,
        thread: ThreadId,
        low: u64,
        high: u64,
        site: SiteId,
    ) -> Option<Race> {
        let stack = self.stacks.all.get(thread.index())?;
        if !stack.contains(low) || high > stack.high {
            return None;
        }
        self.disturbed.add(low, high);
        let attempt = Attempt {
            thread,
            kind: Kind::WRITE,
            site,
        };
        let mut race = None;
        for (granule, mask) in self.met_granules(thread, low, high) {
            let now = self.entry(attempt, mask).made_frame_end();
            let cell = self.shadow.cell(granule, &self.blocks);
            let place = cell.place();
            let clock = self.clocks.entries(self.threads.now(thread));
            let mut races = check::conflicts(&self.shadow, place, now, clock);
            if self.ahead.may_have(granule) {
                races.append(&mut self.meet_ahead(attempt, granule, now));
            }
            if race.is_none() && !races.is_empty() {
                race = Some(self.report(attempt, granule, &races));
            }
            // What was told of now is not to be told of again by what comes to lie there.
            check::forget(&mut self.shadow, place, mask);
            self.messages.forget(&mut self.clocks, cell, mask);
            self.ahead.forget(granule, mask);
            self.shadow.add(place, now);
        }
        race.map(|race| Race {
            returns: true,
            ..race
        })
    }

    fn met_granules(&self, owner: ThreadId, low: u64, high: u64) -> Vec<(u64, u8)> {
        let stack = &self.stacks.all[owner.index()];
        let all = granules(low, high.min(stack.high));
        let is_met = |&(granule, _): &(u64, u8)| self.stacks.all_met || stack.is_met(granule);
        all.filter(is_met).collect()
    }

    /// The parts `[from, to)` of stacks that have to count as met from the beginning of a search.
    pub fn reached(&self) -> Vec<(u64, u64)> {
        self.stacks.learnt.iter().copied().collect()
    }

    /// Adds parts of stacks that another process learnt ([`Races::reached`]), and returns whether one of them is new.
    pub fn add_reached(&mut self, learnt: &[(u64, u64)]) -> bool {
        let mut is_new = false;
        for &(from, to) in learnt {
            is_new |= self.stacks.learnt.insert((from, to));
            self.stacks.know(from, to);
        }
        self.stacks.rounds += u32::from(is_new);
        is_new
    }

    /// Whether something was learnt since this was asked last: the search has to begin anew.
    pub fn take_learnt(&mut self) -> bool {
        let is_new = std::mem::take(&mut self.stacks.is_new) | self.plain.take_new();
        self.stacks.rounds += u32::from(is_new);
        self.take_torn() | is_new
    }

    /// The thread accessed what lies below all frames of `owner`.
    #[cold]
    pub(crate) fn below_frames(
        &self,
        attempt: Attempt,
        now: Entry,
        granule: u64,
        owner: ThreadId,
    ) -> Race {
        let race = self.race(attempt, granule, now);
        Race {
            earlier: Access {
                thread: owner,
                write: true,
                atomic: false,
                site: SiteId::UNKNOWN,
                locks: Vec::new(),
            },
            after_free: true,
            freed: true,
            returned: true,
            doubtful: false,
            ..race
        }
    }
}
