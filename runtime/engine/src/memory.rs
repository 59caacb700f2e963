//! Errors of the heap that the race detector tells of, with where the block came from.
//!
//! A use of freed memory ends nothing, as a race does not: the block keeps its contents until it is given
//! out again. Nor does a read outside of a block. A write there ends the execution, before it destroys what
//! the heap keeps next to blocks.

use crate::findings::{self, access, severity};
use crate::knowledge::findings::{FatalFinding, Pending};
use crate::lifetimes::describe_place;
use crate::runtime::{runtime, Runtime};
use crate::sites::{outside_of_system, place};
use crate::{call_stacks, Detector};
use dpor_machine::state::Kept;
use dpor_model::{Kind, SiteId, ThreadId};
use dpor_races::{Access, Block, Race};
use dpor_report::{FindingKind, Object};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether uses of freed memory are looked for: while the program is explored, with a race detector.
pub fn is_followed() -> bool {
    // SAFETY: the runtime is installed while the program is explored, and the options stay as they are.
    crate::active() && unsafe { (*runtime()).options.detects() }
}

/// The running thread used memory that was freed before: the earlier access is the free.
pub fn used_after_free(race: &Race, block: Option<Block>) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let message = match block {
        Some(block) => format!("use of a freed heap block of {} bytes", block.bytes),
        None => "use of freed memory".to_owned(),
    };
    let mut details = match race.freed_before {
        true => vec![format!("freed {}", before())],
        false => by("freed", race.earlier.thread, race.earlier.site),
    };
    details.extend(block.into_iter().flat_map(allocated));
    let used = &race.later;
    note(
        rt,
        FindingKind::UseAfterFree,
        message,
        (race, used),
        block,
        details,
    );
}

/// Notes a race of which one side is the free of a block, and the other an access that nothing orders with it.
pub fn used_beside_free(race: &Race, block: Option<Block>) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let message = match block {
        Some(block) => format!(
            "use of a heap block of {} bytes, which may have been freed",
            block.bytes
        ),
        None => "use of memory that may have been freed".to_owned(),
    };
    let (free, used) = match race.frees {
        true => (&race.later, &race.earlier),
        false => (&race.earlier, &race.later),
    };
    let mut details = by("freed", free.thread, free.site);
    details.push("nothing orders the free and the use".to_owned());
    details.extend(block.into_iter().flat_map(allocated));
    note(
        rt,
        FindingKind::UseAfterFree,
        message,
        (race, used),
        block,
        details,
    );
}

/// The running thread destroyed an object of the pthread library's while another uses its memory.
pub fn destroyed_beside_use(race: &Race) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let mut details = by("destroyed", race.later.thread, race.later.site);
    details.push("nothing orders the use before it".to_owned());
    note(
        rt,
        FindingKind::DestroyedInUse,
        "use of an object that may have been destroyed".to_owned(),
        (race, &race.earlier),
        None,
        details,
    );
}

/// The running thread begins, maybe where another one was.
pub fn begin_of_stack() {
    crate::frames::begin();
    if let Some((mut races, _, (start, bytes))) = stack_of_running() {
        races.begin_stack(start, bytes);
    }
}

/// The running thread ends, and with it what lies on its stack and in its thread-local storage.
pub fn end_of_stack() {
    if let Some((mut races, thread, (start, bytes))) = stack_of_running() {
        if let Some(race) = races.end_stack(thread, start, bytes, SiteId::UNKNOWN) {
            crate::race_findings::race(race);
        }
    }
}

/// The detector, the running thread and its stack with its thread-local storage: address and bytes. `None`
/// for thread 0, and without a detector.
fn stack_of_running() -> Option<(Detector, ThreadId, (u64, u64))> {
    let (races, thread) = crate::races()?;
    let at = thread.index().checked_sub(1)?;
    // SAFETY: the runtime is installed while the program is explored, and the areas stay as they are.
    let (start, end) = unsafe {
        let areas = &(*runtime()).areas;
        let area = areas.get(at)?;
        (area.start, area.end)
    };
    Some((races, thread, (start as u64, (end - start) as u64)))
}

/// Notes a race of which one side is the end of a thread, and the other a use of its stack or its thread-local storage.
/// `None` if the race is no such one.
pub fn used_after_end(rt: &mut Runtime, race: &Race) -> Option<()> {
    let owner = rt.owner_of(race.address as usize)?;
    let (ended, used) = match () {
        _ if race.ends => (race.later.thread, &race.earlier),
        _ if race.freed => (race.earlier.thread, &race.later),
        _ => return None,
    };
    let (message, details) = match race.after_free {
        true => (format!("use of the {owner}, which has ended"), Vec::new()),
        false => (
            format!("use of the {owner}, which may have ended"),
            vec![format!("nothing orders it before the end of T{}", ended.0)],
        ),
    };
    note(
        rt,
        FindingKind::UseAfterFree,
        message,
        (race, used),
        None,
        details,
    );
    Some(())
}

/// The running thread used bytes next to a block. Ends the process if it writes.
pub fn out_of_bounds(race: &Race, block: Option<Block>) {
    let kind = FindingKind::OutOfBounds;
    let what = verb(&race.later);
    let message = match block {
        Some(block) => format!("{what} of {}", distance(race.address, race.bytes, block)),
        None => format!("{what} next to a heap block"),
    };
    let details: Vec<String> = block.into_iter().flat_map(allocated).collect();
    if !race.later.write {
        // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
        let rt = unsafe { &mut *runtime() };
        return note(rt, kind, message, (race, &race.later), block, details);
    }
    findings::sentence_of(FatalFinding {
        kind,
        message,
        site: race.later.site,
        instruction: 0,
        object: Some(object(race.address, race.bytes, block)),
        details,
        calls: Vec::new(),
    });
    crate::perform(crate::operation(Kind::Exit));
    unreachable!("[dpor internal bug] a doomed thread went on");
}

/// The running thread gives back what is none of the heap's live blocks: ends the process.
///
/// Unless it was freed and nothing orders that free before this one: which of the two comes second is not a matter
/// of the execution's class, so this one is left out, and both threads go on.
pub fn freed_wrongly(kind: FindingKind, message: &str, address: usize) {
    let (address, mut details) = (address as u64, Vec::new());
    let mut is_ordered = true;
    if let Some((races, me)) = crate::ask_races() {
        let free = races.free_of(address);
        is_ordered = races.is_free_ordered(me, address);
        details.extend(
            free.iter()
                .flat_map(|&(thread, site)| by("freed", thread, site)),
        );
        details.extend(races.block_of(address).into_iter().flat_map(allocated));
    }
    let is_freed = kind == FindingKind::DoubleFree;
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    // Without a detector nobody knows.
    if !is_freed || is_ordered && rt.options.detects() {
        findings::sentence(kind, message.to_owned(), crate::site(), 0, details);
        crate::perform(crate::operation(Kind::Exit));
        unreachable!("[dpor internal bug] a doomed thread went on");
    }
    if !is_ordered {
        details.push("nothing orders the two".to_owned());
    }
    findings::warn_of(kind, message, details);
}

/// "4 bytes, 8 bytes behind a heap block of 16 bytes".
fn distance(address: u64, bytes: u64, block: Block) -> String {
    let of = format!("a heap block of {} bytes", block.bytes);
    match address.checked_sub(block.start + block.bytes) {
        Some(0) => format!("{bytes} bytes right behind {of}"),
        Some(more) => format!("{bytes} bytes, {more} bytes behind {of}"),
        None => format!("{bytes} bytes, {} bytes before {of}", block.start - address),
    }
}

fn verb(access: &Access) -> &'static str {
    match (access.atomic, access.write) {
        (true, true) => "atomic write",
        (true, false) => "atomic read",
        (false, true) => "write",
        (false, false) => "read",
    }
}

/// Notes what one of the two accesses did.
fn note(
    rt: &mut Runtime,
    kind: FindingKind,
    message: String,
    (race, used): (&Race, &Access),
    block: Option<Block>,
    details: Vec<String>,
) {
    note_all(
        rt,
        kind,
        message,
        (race, used),
        (block, Vec::new()),
        details,
    );
}

/// Notes what one of the two accesses did, with what others did; the finding is not on a block.
pub(crate) fn note_with(
    rt: &mut Runtime,
    kind: FindingKind,
    message: String,
    (race, used): (&Race, &Access),
    others: Vec<dpor_report::Access>,
    details: Vec<String>,
) {
    note_all(rt, kind, message, (race, used), (None, others), details);
}

fn note_all(
    rt: &mut Runtime,
    kind: FindingKind,
    message: String,
    (race, used): (&Race, &Access),
    (block, others): (Option<Block>, Vec<dpor_report::Access>),
    details: Vec<String>,
) {
    let mut at = access(used.thread, verb(used), place(used.site), 0);
    let locks = used.locks.iter().map(|lock| lock & 0x00ff_ffff_ffff_ffff);
    at.lock_addresses = locks.collect();
    at.step = call_stacks::step(used.site);
    let severity = severity(rt, kind);
    let object = Object {
        freed: freed(race),
        ..object(race.address, race.bytes, block)
    };
    rt.findings.note(Pending {
        kind,
        severity,
        message,
        object: Some(object),
        accesses: core::iter::once(at).chain(others).collect(),
        details,
        depth: rt.depth,
    });
}

/// The free that one side of a race is, where the program made it while it was explored.
pub(crate) fn freed(race: &Race) -> Option<Box<dpor_report::Access>> {
    let free = match () {
        _ if race.freed_before || race.outside || race.returned || race.returns || race.ends => {
            None
        }
        _ if race.frees => Some(&race.later),
        _ if race.freed || race.after_free => Some(&race.earlier),
        _ => None,
    };
    let free = free.filter(|free| free.site != SiteId::UNKNOWN)?;
    let mut freed = access(free.thread, "free", place(free.site), 0);
    freed.step = call_stacks::step(free.site);
    Some(Box::new(freed))
}

/// Bytes of a block, as the object of a finding.
pub fn object(address: u64, bytes: u64, block: Option<Block>) -> Object {
    let name = |block: Block| {
        let offset = address.wrapping_sub(block.start) as i64;
        format!("heap block of {} bytes, offset {offset}", block.bytes)
    };
    let at = block.map(|block| outside_of_system(block.site));
    let at = at.unwrap_or_default();
    Object {
        name: block.map(name).unwrap_or_default(),
        size: bytes,
        file: Some(at.file).filter(|file| !file.is_empty()),
        line: at.line,
        address,
        block_of: String::new(),
        calls: at.calls,
        freed: None,
    }
}

/// Exploration began with an access to memory that may not be used, while the program had one thread.
static BEGAN_WITH_ACCESS: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Exploration is about to begin with an access to memory that may not be used, while the program has one thread.
pub fn exploration_begins_with_access() {
    BEGAN_WITH_ACCESS.store(true, Ordering::Relaxed);
}

/// Words for the time of what was not judged.
fn before() -> &'static str {
    match BEGAN_WITH_ACCESS.load(Ordering::Relaxed) {
        true => "while the program had one thread",
        false => "before the second thread was created",
    }
}

/// Who allocated a block, and where, if that is known.
fn allocated(block: Block) -> Vec<String> {
    match block.site {
        SiteId::UNKNOWN => vec![format!("allocated {}", before())],
        site => by("allocated", block.thread, site),
    }
}

/// "`what` by T1 at FILE:LINE".
fn by(what: &str, thread: ThreadId, site: SiteId) -> Vec<String> {
    let what = format!("{what} by T{}", thread.0);
    let described = describe_place(&what, site);
    match described.is_empty() {
        true => vec![what],
        false => described,
    }
}
