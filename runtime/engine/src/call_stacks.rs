//! The calls on the stack of what a finding may be made of: kept while one schedule is repeated for a report.
//!
//! The pass says at which place of the source an access or a call stands, and into which functions it was inlined; who
//! called these is on the stack. Where the option `stacks` is on, each site that a hook or an interposed function
//! passes on is replaced by a copy that has the calls with it:
//!
//! ```text
//!   hook(site) ── here ──► Stacked { copy of the site's record │ calls }    the same one for the same site and calls
//!                            └ its address is the SiteId that the search and the race detector keep
//! ```
//!
//! So whoever keeps a site keeps its calls. The site of a plain access, which is no step of the trace, also has the number
//! of steps before it ([`at_this_moment`]), and that of an atomic operation its memory order ([`with_order`]). Without the option, which is so in every search, it costs a look at one
//! word. A copy is another site than its original: a schedule may then differ where sites are compared, which the
//! repetition notices as it notices any difference.

use crate::between::Shared;
use crate::blocks::CellHasher;
use crate::knowledge::findings::Map;
use crate::world::world;
use crate::{code_places, loaded, memory_image, own_image, process};
use core::hash::{BuildHasherDefault, Hash, Hasher};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use dpor_abi::options::Plain;
use dpor_abi::{order, return_site, site_flag, CallSite, Site};
use dpor_machine::call_frames::Object;
use dpor_machine::state::{Kept, PerStep};
use dpor_machine::unwind::{Registers, Unwinder};
use dpor_machine::walks::Walks;
use dpor_model::{SiteId, ThreadId};
use dpor_report::{image, MemoryOrder};
use std::collections::HashMap;

/// The most calls that are kept (chosen: what is further out is of no interest to a reader).
const CALLS_MAX: usize = 48;

/// What is known of one use of a site besides the calls.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Use {
    /// Number of steps of the trace before it.
    step: Option<u64>,
    /// The memory order as LLVM numbers it ([`dpor_abi::order`]); 0 if it has none.
    order: u32,
}

/// A site with the calls that led there. Never freed.
#[repr(C)]
struct Stacked {
    /// A copy of the site's record; of a [`Site`] that is no [`CallSite`], the callee is null.
    record: CallSite,
    calls: &'static [u64],
    used: Use,
}

/// A site and the calls that led there, without the number of steps.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Way {
    site: u64,
    /// The address of the list.
    calls: usize,
    order: u32,
}

impl Hash for Way {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let calls = (self.calls as u64).rotate_left(23);
        state.write_u64(self.site ^ calls ^ u64::from(self.order) << 56);
    }
}

/// The [`Stacked`]s of a [`Way`], by their addresses.
#[derive(Default)]
struct Uses {
    /// That of no moment; 0 if there is none.
    plain: u64,
    /// Those at a moment, by the number of steps.
    moments: Vec<(u64, u64)>,
}

/// What has been read and kept so far.
#[derive(Default)]
struct Memory {
    unwinder: Unwinder,
    walks: Walks<&'static [u64]>,
    /// Each list of calls once.
    lists: Map<&'static [u64], ()>,
    known: HashMap<Way, Uses, BuildHasherDefault<CellHasher>>,
    /// Room for [`Stacked`]s, none of which moves.
    room: Vec<Stacked>,
}

static MEMORY: Kept<Shared<Memory>> = Kept::new(Shared::nothing());
/// Calls are kept.
static IS_ON: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));
/// Number of steps that the trace has so far, while calls are kept.
static STEPS: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));
/// A stack is being walked: a signal that interrupts it does not walk another.
static IS_BUSY: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// Keeps calls from now on; at the root.
pub fn begin() {
    prepare();
    IS_ON.store(true, Ordering::Relaxed);
}

/// Looks up what is needed to walk stacks; at the root, or when the engine runs.
pub fn prepare() {
    let mut memory = Memory::default();
    for object in loaded::objects() {
        let headers = loaded::headers_of(&object);
        // SAFETY: the linker mapped the object whole. Should the program unload it, no function of it is on a stack,
        // so that nobody asks for it.
        let frames = unsafe { Object::of_headers(object.base as usize, headers) };
        frames
            .into_iter()
            .for_each(|frames| memory.unwinder.add(frames));
    }
    MEMORY.install(Box::new(memory));
    memory_image::begin();
}

/// The site, with the calls on the running fiber's stack where these are kept.
#[inline(always)]
pub fn here(site: SiteId) -> SiteId {
    match are_kept() {
        false => site,
        true => with_calls(site, Use::default()),
    }
}

/// The site of an access that is no step of the trace and happens now, with the calls and the number of steps before it
/// where these are kept.
#[inline(always)]
pub fn at_this_moment(site: SiteId) -> SiteId {
    match are_kept() {
        false => site,
        true => with_moment(site),
    }
}

/// The site of a plain access, as [`at_this_moment`], unless plain accesses are steps (`--plain=explore`).
#[inline(always)]
pub fn of_plain_access(site: SiteId) -> SiteId {
    match are_kept() {
        false => site,
        true => of_plain_access_kept(site),
    }
}

#[cold]
#[inline(never)]
fn of_plain_access_kept(site: SiteId) -> SiteId {
    let plain = process::options().map(|options| options.plain);
    match plain {
        Some(Plain::Explore) => with_calls(site, Use::default()),
        _ => with_moment(site),
    }
}

fn with_moment(site: SiteId) -> SiteId {
    let step = STEPS.load(Ordering::Relaxed);
    let used = Use {
        step: Some(step),
        order: 0,
    };
    with_calls(site, used)
}

/// The site of an atomic operation, with the calls and its memory order where these are kept.
#[inline(always)]
pub fn with_order(site: SiteId, order: u32) -> SiteId {
    match are_kept() {
        false => site,
        true => with_calls(site, Use { step: None, order }),
    }
}

/// A step of the trace begins, or is passed.
#[inline(always)]
pub fn step_begins() {
    if are_kept() {
        STEPS.fetch_add(1, Ordering::Relaxed);
    }
}

/// The execution begins anew.
pub fn execution_begins() {
    STEPS.store(0, Ordering::Relaxed);
}

/// Number of steps that the trace has so far, while calls are kept.
pub fn steps() -> u64 {
    STEPS.load(Ordering::Relaxed)
}

/// Whether calls are kept.
#[inline(always)]
pub fn are_kept() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

#[cold]
#[inline(never)]
fn with_calls(site: SiteId, used: Use) -> SiteId {
    let known = stacked(site);
    let has_all = |known: &Stacked| used == Use::default() || known.used == used;
    if site == SiteId::UNKNOWN || known.is_some_and(has_all) {
        return site;
    }
    let calls = match known {
        Some(known) => known.calls,
        None => walk(site.0, Registers::here()),
    };
    kept_with(site, calls, used)
}

/// The site with these calls.
fn kept_with(site: SiteId, calls: &'static [u64], used: Use) -> SiteId {
    let says_nothing = calls.is_empty() && used == Use::default();
    if says_nothing || IS_BUSY.swap(true, Ordering::Relaxed) {
        return site;
    }
    // SAFETY: installed before the option counts; `IS_BUSY` keeps a second reference away.
    let memory = unsafe { &mut *MEMORY.get() };
    let way = Way {
        site: site.0,
        calls: calls.as_ptr().addr(),
        order: used.order,
    };
    let uses = memory.known.entry(way).or_default();
    let room = &mut memory.room;
    let kept = match used.step {
        None if uses.plain != 0 => uses.plain,
        None => {
            uses.plain = keep(room, site.0, calls, used);
            uses.plain
        }
        Some(step) => {
            // The last one is the one, or comes before it, unless the execution began anew.
            let at = match uses.moments.last() {
                Some(&(last, _)) if last >= step => {
                    uses.moments.partition_point(|&(known, _)| known < step)
                }
                _ => uses.moments.len(),
            };
            match uses.moments.get(at) {
                Some(&(known, kept)) if known == step => kept,
                _ => {
                    let kept = keep(room, site.0, calls, used);
                    uses.moments.insert(at, (step, kept));
                    kept
                }
            }
        }
    };
    IS_BUSY.store(false, Ordering::Relaxed);
    SiteId(kept)
}

/// The site, with the calls on the stack of the fiber that a signal interrupted with these registers, where calls are
/// kept.
pub fn of_interrupted(site: SiteId, registers: &[i64; 23]) -> SiteId {
    match are_kept() && site != SiteId::UNKNOWN && stacked(site).is_none() {
        false => site,
        true => kept_with(site, walk(site.0, all(registers)), Use::default()),
    }
}

/// The calls on the stack that these registers belong to, the runtime's own left out.
pub fn of(registers: &[i64; 23]) -> Vec<u64> {
    if !are_kept() {
        return Vec::new();
    }
    walk(0, all(registers)).to_vec()
}

fn all(registers: &[i64; 23]) -> Registers {
    let register = |number: i32| registers[number as usize] as u64;
    Registers {
        instruction: register(libc::REG_RIP),
        stack: register(libc::REG_RSP),
        kept: [
            libc::REG_RBX,
            libc::REG_RBP,
            libc::REG_R12,
            libc::REG_R13,
            libc::REG_R14,
            libc::REG_R15,
        ]
        .map(register),
    }
}

/// The calls on the stack of a thread that is suspended, also in a check that keeps none.
pub fn of_thread(thread: ThreadId) -> Vec<u64> {
    prepare();
    // SAFETY: the world is mapped from the root on, and the thread does not run.
    let pointer = unsafe { (*world()).threads[thread.index()].fiber.stack_pointer };
    let registers = Registers::of_suspended(pointer);
    registers.map_or(Vec::new(), |registers| walk(0, registers).to_vec())
}

/// The calls that led to a site, by the registers there.
fn walk(site: u64, registers: Registers) -> &'static [u64] {
    if IS_BUSY.swap(true, Ordering::Relaxed) {
        return &[];
    }
    // SAFETY: as in `with_calls`.
    let memory = unsafe { &mut *MEMORY.get() };
    let is_programs = |call: u64| !own_image::is_own(call as usize);
    let lists = &mut memory.lists;
    let calls = memory.unwinder.recall(
        (&mut memory.walks, site),
        registers,
        (&is_programs, CALLS_MAX),
        &mut |calls| once(lists, calls),
    );
    IS_BUSY.store(false, Ordering::Relaxed);
    calls
}

/// The list, the same one for the same calls.
fn once(lists: &mut Map<&'static [u64], ()>, calls: Vec<u64>) -> &'static [u64] {
    if let Some((known, ())) = lists.get_key_value(&calls[..]) {
        return known;
    }
    let list: &'static [u64] = calls.leak();
    lists.insert(list, ());
    list
}

/// What is known of the registers in each function on a stack, the innermost first; the runtime's own are left out.
/// Behind [`prepare`].
pub fn frames(registers: Registers) -> Vec<image::Registers> {
    let mut frames = Vec::new();
    if IS_BUSY.swap(true, Ordering::Relaxed) {
        return frames;
    }
    // SAFETY: as in `with_calls`.
    let memory = unsafe { &mut *MEMORY.get() };
    memory.unwinder.walk_frames(registers, &mut |frame| {
        let registers = frame.registers;
        if !own_image::is_own(registers.instruction as usize) {
            frames.push(image::Registers {
                instruction: registers.instruction,
                stack: registers.stack,
                frame: frame.frame.unwrap_or(0),
                kept: registers.kept,
            });
        }
        frames.len() < CALLS_MAX
    });
    IS_BUSY.store(false, Ordering::Relaxed);
    frames
}

/// The first instruction of the function that an instruction is in. Behind [`prepare`].
pub fn function(instruction: u64) -> Option<u64> {
    // SAFETY: installed at the root; nobody writes it but the functions above, none of which calls this one.
    let memory = unsafe { &*MEMORY.get() };
    memory.unwinder.function(instruction)
}

/// Copies per block of memory (chosen: a page).
const ROOM: usize = 4096 / size_of::<Stacked>();

fn keep(room: &mut Vec<Stacked>, site: u64, calls: &'static [u64], used: Use) -> u64 {
    let nowhere = Site {
        file: core::ptr::null(),
        function: c"".as_ptr(),
        inlined_at: core::ptr::null(),
        line: 0,
        column: 0,
        flags: 0,
        reserved: 0,
    };
    let original: *const Site = code_places::record_of(SiteId(site)).unwrap_or(&nowhere);
    // SAFETY: sites come from hooks only, which pass records that the pass emitted as constants; one with the flag is
    // the beginning of a `CallSite`.
    let record = unsafe {
        match (*original).flags & site_flag::CALL {
            0 => CallSite {
                site: original.read(),
                callee: core::ptr::null(),
            },
            _ => original.cast::<CallSite>().read(),
        }
    };
    if room.len() == room.capacity() {
        core::mem::forget(core::mem::replace(room, Vec::with_capacity(ROOM)));
    }
    room.push(Stacked {
        record,
        calls,
        used,
    });
    let stacked = room.last_mut().expect("one was just put there");
    stacked.record.site.flags |= site_flag::STACKED;
    core::ptr::from_mut(stacked).expose_provenance() as u64
}

fn stacked(site: SiteId) -> Option<&'static Stacked> {
    if return_site::address(site.0).is_some() {
        return None;
    }
    let record = site.0 as *const Site;
    // SAFETY: null, or a record as in `keep`, or the beginning of what `keep` made, which is never freed.
    unsafe {
        let is = record.as_ref()?.flags & site_flag::STACKED != 0;
        is.then(|| &*record.cast::<Stacked>())
    }
}

/// The calls that are kept with a site.
pub fn calls(site: SiteId) -> &'static [u64] {
    stacked(site).map_or(&[], |stacked| stacked.calls)
}

/// The number of steps of the trace before an access that is none, where it is kept with its site.
pub fn step(site: SiteId) -> Option<u64> {
    stacked(site)?.used.step
}

/// The memory order of an operation, where it is kept with its site.
pub fn memory_order(site: SiteId) -> Option<MemoryOrder> {
    Some(match stacked(site)?.used.order {
        order::UNORDERED | order::RELAXED => MemoryOrder::Relaxed,
        order::ACQUIRE => MemoryOrder::Acquire,
        order::RELEASE => MemoryOrder::Release,
        order::ACQ_REL => MemoryOrder::AcqRel,
        order::SEQ_CST => MemoryOrder::SeqCst,
        _ => return None,
    })
}
