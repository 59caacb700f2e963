//! Findings that the race detector tells of: data races, and those that it hands on to [`memory`].

use crate::findings::severity;
use crate::given::concerns;
use crate::knowledge::findings::Pending;
use crate::runtime::{runtime, Runtime};
use crate::sites::{called, outside_of_system, place};
use crate::told_races::ToldRace;
use crate::{call_stacks, deaths, frames, in_library, memory};
use dpor_abi::options::Races as RacesOption;
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Block, Race};
use dpor_report::{Access, FindingKind, Object};

/// The live heap block that an address lies in, if the race detector does not know it: allocated
/// before the root, nobody knows where.
fn block_of_before(address: u64) -> Option<Block> {
    let (start, bytes) = dpor_machine::heap::block_at(address as usize)?;
    Some(Block {
        start: start as u64,
        bytes: bytes as u64,
        site: SiteId::UNKNOWN,
        thread: ThreadId::MAIN,
    })
}

fn is_of_heap(address: u64) -> bool {
    dpor_machine::heap::regions().any(|(start, end)| (start..end).contains(&(address as usize)))
}

/// What a side of a race is, if it is a call of a function without hooks of C++'s library.
fn of_call(access: &dpor_races::Access) -> Option<String> {
    let callee = called(access.site)?;
    let call = (concerns().describe_call)(access.site, callee, access.write)?;
    Some(format!("thread {}: {call}", access.thread.0))
}

/// A side of a race.
fn side(access: &dpor_races::Access) -> Access {
    Access {
        thread: u32::from(access.thread.0),
        access: match (access.atomic, access.write) {
            (true, true) => "atomic write",
            (true, false) => "atomic read",
            (false, true) => "write",
            (false, false) => "read",
        }
        .to_owned(),
        // What an inline function of the library's calls the library for is the user's call.
        place: match called(access.site) {
            Some(_) => outside_of_system(access.site),
            None => place(access.site),
        },
        locks: Vec::new(),
        instruction: 0,
        lock_addresses: access
            .locks
            .iter()
            .map(|lock| lock & 0x00ff_ffff_ffff_ffff)
            .collect(),
        step: call_stacks::step(access.site),
        ..Access::default()
    }
}

/// The execution ends: tells of races of loads whose values nobody used.
pub fn tell_of_unused_loads() {
    let Some((races, _)) = crate::races() else {
        return;
    };
    let races: Vec<Race> = races.unused_ahead().cloned().collect();
    for race in races {
        speculated_load(&race);
    }
}

/// A race of a load whose value nobody used.
fn speculated_load(race: &Race) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    rt.judging.ask();
    if race.doubtful {
        rt.doubtful = true;
        return;
    }
    let kind = FindingKind::SpeculatedLoad;
    let sides = [(&race.earlier, race.outside), (&race.later, race.ends)];
    let sides = sides.into_iter().filter(|(_, is_none)| !is_none);
    rt.findings.note(Pending {
        kind,
        severity: severity(rt, kind),
        message: format!(
            "the load of {:#x}, which the optimizer makes unconditional, races; its value is not used",
            race.address
        ),
        object: Some(object(rt, race, block(rt, race))),
        accesses: sides.map(|(access, _)| side(access)).collect(),
        details: Vec::new(),
        depth: rt.depth,
    });
}

/// The heap block that a race is on.
fn block(rt: &Runtime, race: &Race) -> Option<Block> {
    rt.races
        .block_of(race.address)
        // What a system call replaced is known like a freed block.
        .filter(|block| is_of_heap(block.start))
        .or_else(|| block_of_before(race.address))
}

/// The object that a race is on.
fn object(rt: &Runtime, race: &Race, block: Option<Block>) -> Object {
    let mut object = memory::object(race.address, race.bytes, block);
    if block.is_none() {
        object.name = rt
            .owner_of(race.address as usize)
            .or_else(|| (concerns().describe_place)(race.address as usize))
            .unwrap_or_default();
    }
    object.freed = memory::freed(race);
    object
}

/// The running thread raced by destroying an object: an error whatever `--races` says.
pub fn destroyed(found: Race) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let is_lenient = matches!(rt.options.races, RacesOption::Warn | RacesOption::Off);
    if !is_lenient || found.outside || found.after_free || found.freed {
        return race(found);
    }
    if is_wanted(rt, &found) {
        memory::destroyed_beside_use(&found);
    }
}

/// Whether a race is to be told of. What another order of commuting updates would say is asked of the search.
fn is_wanted(rt: &mut Runtime, race: &Race) -> bool {
    if deaths::is_repeating(rt) {
        return false;
    }
    rt.judging.ask();
    rt.doubtful |= race.doubtful;
    !race.doubtful
}

/// The running thread raced.
pub fn race(race: Race) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    // A free counts as an access of memory that ends, and so does a second one.
    let is_free = race.freed != race.frees;
    let is_memory = race.outside || race.after_free || race.ends || race.returns || is_free;
    if rt.options.races == RacesOption::Off && !is_memory || !is_wanted(rt, &race) {
        return;
    }
    if race.returned || race.returns {
        return frames::used_after_return(rt, &race);
    }
    let block = block(rt, &race);
    let Some(told) = ToldRace::of(&race, block.is_some()) else {
        return note(rt, &race, block, is_free);
    };
    if rt.told_races.has(&told) {
        return;
    }
    let known = rt.findings.running.len();
    note(rt, &race, block, is_free);
    if rt.findings.running.len() > known {
        rt.told_races.add(told);
    }
}

/// Notes what a race is found to be. `is_free`: a use of memory raced with its end, or both sides are ends.
fn note(rt: &mut Runtime, race: &Race, block: Option<Block>, is_free: bool) {
    if race.outside {
        return memory::out_of_bounds(race, block);
    }
    if block.is_none() && memory::used_after_end(rt, race).is_some() {
        return;
    }
    if race.after_free {
        return memory::used_after_free(race, block);
    }
    if is_free && matches!(rt.options.races, RacesOption::Warn | RacesOption::Off) {
        return memory::used_beside_free(race, block);
    }
    data_race(rt, race, block);
}

/// A look of a waiting thread would have raced, had the thread come to its wait a little earlier.
pub fn race_of_look(rt: &mut Runtime, race: &Race) {
    if rt.options.races == RacesOption::Off || !is_wanted(rt, race) {
        return;
    }
    let block = block(rt, race);
    data_race(rt, race, block);
}

fn data_race(rt: &mut Runtime, race: &Race, block: Option<Block>) {
    let mut pending = Pending {
        kind: FindingKind::DataRace,
        severity: severity(rt, FindingKind::DataRace),
        message: match block {
            Some(block) => format!("data race on a heap block of {} bytes", block.bytes),
            None => match rt.owner_of(race.address as usize) {
                Some(owner) => format!("data race on the {owner}"),
                None => format!("data race on {:#x}", race.address),
            },
        },
        object: Some(object(rt, race, block)),
        accesses: vec![side(&race.earlier), side(&race.later)],
        details: [&race.earlier, &race.later]
            .into_iter()
            .filter_map(of_call)
            .collect(),
        depth: rt.depth,
    };
    in_library::mark_race(rt, &mut pending, [race.earlier.site, race.later.site]);
    rt.findings.note(pending);
}
