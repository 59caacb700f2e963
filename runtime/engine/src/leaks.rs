//! Heap blocks that nobody can reach any more when all threads have ended.
//!
//! A block is reached if a word that may be its address, or one inside, lies where the program can still look: in data
//! segments, on the stack that the process ends on, in the thread-local storage of its thread, in memory that the
//! program mapped, in blocks of before the second thread, and in blocks that are reached.
//! Words that are no addresses may look like some, so that a leak may be overlooked.
//!
//! What did not change since the root holds no address of a block that is younger: with snapshots, only the pages
//! that were written in some execution are looked at. Otherwise all memory is, unless it is too much.

use crate::findings::{access, severity};
use crate::given::system;
use crate::knowledge::findings::Pending;
use crate::memory::object;
use crate::process;
use crate::runtime::{runtime, Runtime};
use crate::sites::place;
use crate::world::{world, Thread, THREADS_MAX};
use core::mem::size_of;
use dpor_machine::snapshot::{Range, Snapshots};
use dpor_machine::sys::PAGE;
use dpor_machine::{heap, probe};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Block, Races};
use dpor_report::FindingKind;

/// More bytes than these are not looked at (chosen: some milliseconds).
const BYTES_MAX: usize = 64 << 20;

/// All threads but the running one, which ends the process, have ended.
pub fn tell_of_leaks() {
    let Some((races, thread)) = crate::races() else {
        return;
    };
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference; until
    // `tell` it is only read.
    let rt = unsafe { &*runtime() };
    let mut reach = Reach::of(races.live_blocks().collect());
    let Some(snapshots) = rt.snapshots.as_ref().filter(|_| reach.rest > 0) else {
        return;
    };
    let Some(pages) = pages(snapshots) else {
        return;
    };
    let own = own_stack(rt, thread);
    // Most is reached from the program's own variables.
    let (first, others): (Vec<usize>, Vec<usize>) =
        { pages.into_iter() }.partition(|&page| process::is_of_program(page));
    let pages = first.into_iter().chain(others);
    for page in pages.filter(|&page| may_be_looked_at(rt, &own, page)) {
        look_at_page(&mut reach, &races, page, thread);
        if reach.follow() {
            return;
        }
    }
    let stack = own.0.next_multiple_of(size_of::<u64>());
    reach.look_at(stack, own.1, |_| true);
    let mapped = system()
        .mappings()
        .into_iter()
        .flat_map(|(start, end)| (start..end).step_by(PAGE));
    for page in mapped.filter(|&page| probe::word(page).is_some()) {
        reach.look_at(page, page + PAGE, |_| true);
    }
    if !reach.follow() {
        // SAFETY: a fiber runs, and the engine, inside a step, holds no reference; `rt` is not used any more.
        tell(unsafe { &mut *runtime() }, reach);
    }
}

/// Where the running thread's stack still means something, and above it its thread-local storage unless it is thread 0.
fn own_stack(rt: &Runtime, thread: ThreadId) -> Range {
    let here = (&raw const thread) as usize;
    // SAFETY: the world is mapped from the root on, and only the running fiber uses it while the engine waits inside a
    // step.
    let main_returned = unsafe { (*world()).engine.main_returned };
    match thread {
        ThreadId::MAIN if main_returned => (rt.stack_base, rt.stack_end),
        _ => (here, rt.live_stack_of_running(here).1),
    }
}

/// The pages in which an address of a block may be; `None`: too many.
fn pages(snapshots: &Snapshots) -> Option<Vec<usize>> {
    if let Some(written) = snapshots.written_pages() {
        return Some(written.collect());
    }
    // Files hold no addresses.
    let is_other =
        |&(start, _): &Range| !heap::region::contains(start) && !system().begins_files(start);
    let others = snapshots.ranges().iter().copied().filter(is_other);
    let all: Vec<Range> = others.chain(heap::region::used()).collect();
    let bytes: usize = all.iter().map(|(start, end)| end - start).sum();
    let pages = all
        .into_iter()
        .flat_map(|(start, end)| (start..end).step_by(PAGE));
    (bytes <= BYTES_MAX).then(|| pages.collect())
}

/// False for what was memory of threads that have ended.
fn may_be_looked_at(rt: &Runtime, own: &Range, page: usize) -> bool {
    let is_own = (own.0..own.1).contains(&page);
    is_own || !{ rt.areas.iter() }.any(|area| (area.start..area.end).contains(&page))
}

/// Blocks of the heap are left out: who finds them looks into them. So is what the runtime knows of threads that have
/// ended.
fn look_at_page(reach: &mut Reach, races: &Races, page: usize, thread: ThreadId) {
    // SAFETY: the world is mapped from the root on; only the address is taken.
    let threads = unsafe { (&raw const (*world()).threads) as usize };
    let record = |thread: usize| threads + thread * size_of::<Thread>();
    let all = record(0)..record(THREADS_MAX);
    let own = record(thread.index())..record(thread.index() + 1);
    if probe::word(page).is_none() {
        return;
    }
    reach.look_at(page, page + PAGE, |address| {
        let is_theirs = all.contains(&address) && !own.contains(&address);
        !is_theirs && races.judged_block_of(address as u64).is_none()
    });
}

/// The blocks that live, and which of them are reached.
struct Reach {
    /// The blocks by address.
    blocks: Vec<Block>,
    reached: Vec<bool>,
    /// Number of further blocks, which are not kept.
    rest: usize,
    /// Reached, and not yet looked into.
    open: Vec<usize>,
}

/// Words that are looked at together.
const RUN: usize = 8;

impl Reach {
    fn of(blocks: Vec<Block>) -> Reach {
        Reach {
            reached: vec![false; blocks.len()],
            rest: blocks.len(),
            open: Vec::new(),
            blocks,
        }
    }

    /// The block that a word may point into.
    fn find(&self, word: u64) -> Option<usize> {
        let behind = self.blocks.partition_point(|block| block.start <= word);
        let at = behind.checked_sub(1)?;
        let block = &self.blocks[at];
        (word < block.start + block.bytes).then_some(at)
    }

    /// Looks at the words of memory that can be read, which begins with one; those that `counts` says of by their
    /// addresses are a way to a block.
    fn look_at(&mut self, start: usize, end: usize, counts: impl Fn(usize) -> bool) {
        let words = end.saturating_sub(start) / size_of::<u64>();
        // SAFETY: the caller gives memory that is mapped and readable, and nobody writes it during this call, as no
        // fiber runs on.
        let words = unsafe { core::slice::from_raw_parts(start as *const u64, words) };
        for (run, words) in words.chunks(RUN).enumerate() {
            if !{ words.iter() }.fold(false, |any, &word| any | heap::region::may_contain(word)) {
                continue;
            }
            for (nth, &word) in words.iter().enumerate() {
                let address = start + (run * RUN + nth) * size_of::<u64>();
                if let Some(block) = self.find(word).filter(|_| counts(address)) {
                    self.add(block);
                }
            }
        }
    }

    fn add(&mut self, at: usize) {
        if !core::mem::replace(&mut self.reached[at], true) {
            self.rest -= 1;
            self.open.push(at);
        }
    }

    /// Looks into what was reached; true if that is all there is.
    fn follow(&mut self) -> bool {
        while let Some(at) = self.open.pop() {
            let block = self.blocks[at];
            let start = (block.start as usize).next_multiple_of(size_of::<u64>());
            self.look_at(start, (block.start + block.bytes) as usize, |_| true);
        }
        self.rest == 0
    }
}

/// One finding for each place of allocation.
fn tell(rt: &mut Runtime, reach: Reach) {
    let all = reach.blocks.iter().zip(&reach.reached);
    let left: Vec<Block> =
        { all.filter(|(block, reached)| !**reached && block.site != SiteId::UNKNOWN) }
            .map(|(block, _)| *block)
            .collect();
    let mut sites: Vec<SiteId> = left.iter().map(|block| block.site).collect();
    sites.sort_unstable();
    sites.dedup();
    for site in sites {
        let here: Vec<&Block> = left.iter().filter(|block| block.site == site).collect();
        let first = *here[0];
        if rt.findings.left_again(FindingKind::Leak, first.start, site) {
            continue;
        }
        let bytes: u64 = here.iter().map(|block| block.bytes).sum();
        let message = match here.len() {
            1 => format!("a heap block of {bytes} bytes is never freed, and nobody can reach it any more"),
            n => format!("{n} heap blocks of {bytes} bytes in all are never freed, and nobody can reach them any more"),
        };
        let kind = FindingKind::Leak;
        rt.findings.note(Pending {
            kind,
            severity: severity(rt, kind),
            message,
            object: Some(object(first.start, first.bytes, Some(first))),
            accesses: vec![access(first.thread, "allocation", place(site), 0)],
            details: Vec::new(),
            depth: rt.depth,
        });
    }
}
