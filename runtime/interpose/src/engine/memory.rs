//! Errors of the heap that the race detector tells of, and those of `free`: with where the block came from.
//!
//! A use of freed memory ends nothing, as a race does not: the block keeps its contents until it is given
//! out again.

use super::findings::{access, severity, Pending};
use super::lifetimes::describe_place;
use super::runtime::{runtime, Runtime};
use super::sites::place;
use dpor_abi::options::Races as RacesOption;
use dpor_explorer::program::ThreadId;
use dpor_races::{Access, Block, Race};
use dpor_report::{FindingKind, Object};

/// Whether uses of freed memory are looked for: while the program is explored, with a race detector.
pub fn is_followed() -> bool {
    // SAFETY: not null while active; the options stay as they are.
    super::active() && unsafe { (*runtime()).options.races != RacesOption::Off }
}

/// The running thread used memory that was freed before: the earlier access is the free.
pub fn used_after_free(race: &Race, block: Option<Block>) {
    // SAFETY: a fiber runs; nobody else holds a reference (see `runtime`).
    let rt = unsafe { &mut *runtime() };
    let (freed, used) = (&race.earlier, &race.later);
    let what = match (used.atomic, used.write) {
        (true, true) => "atomic write",
        (true, false) => "atomic read",
        (false, true) => "write",
        (false, false) => "read",
    };
    let at = access(ThreadId(used.thread), what, place(used.site), 0);
    let message = match block {
        Some(block) => format!("use of a freed heap block of {} bytes", block.bytes),
        None => "use of freed memory".to_owned(),
    };
    let mut details = by("freed", freed.thread, freed.site);
    details.extend(block.into_iter().flat_map(allocated));
    let locks = |access: &Access| {
        access
            .locks
            .iter()
            .map(|l| l & 0x00ff_ffff_ffff_ffff)
            .collect()
    };
    note(
        rt,
        FindingKind::UseAfterFree,
        message,
        object(race.address, race.bytes, block),
        dpor_report::Access {
            lock_addresses: locks(used),
            ..at
        },
        details,
    );
}

fn note(
    rt: &mut Runtime,
    kind: FindingKind,
    message: String,
    object: Object,
    access: dpor_report::Access,
    details: Vec<String>,
) {
    let severity = severity(rt, kind);
    rt.findings.note(Pending {
        kind,
        severity,
        message,
        object: Some(object),
        accesses: vec![access],
        details,
        depth: rt.depth,
    });
}

/// Bytes of a block, as the object of a finding.
pub fn object(address: u64, bytes: u64, block: Option<Block>) -> Object {
    let name = |block: Block| {
        let offset = address.wrapping_sub(block.start);
        format!("heap block of {} bytes, offset {offset}", block.bytes)
    };
    Object {
        name: block.map(name).unwrap_or_default(),
        size: bytes,
        file: block
            .map(|block| place(block.site).file)
            .filter(|file| !file.is_empty()),
        line: block.map_or(0, |block| place(block.site).line),
        address,
    }
}

/// Who allocated a block, and where, if that is known.
fn allocated(block: Block) -> Vec<String> {
    match block.site {
        // From before the root.
        0 => Vec::new(),
        site => by("allocated", block.thread, site),
    }
}

/// "`what` by T1 at FILE:LINE".
fn by(what: &str, thread: u16, site: u64) -> Vec<String> {
    let what = format!("{what} by T{thread}");
    let described = describe_place(&what, site);
    match described.is_empty() {
        true => vec![what],
        false => described,
    }
}
