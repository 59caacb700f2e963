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
//! So whoever keeps a site keeps its calls. Without the option, which is so in every search, it costs a look at one
//! word. A copy is another site than its original: a schedule may then differ where sites are compared, which the
//! repetition notices as it notices any difference.

use crate::between::Shared;
use crate::knowledge::findings::Map;
use crate::{loaded, memory_image, own_image};
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_abi::{site_flag, CallSite, Site};
use dpor_machine::call_frames::Object;
use dpor_machine::state::{Kept, PerStep};
use dpor_machine::unwind::{Registers, Unwinder};
use dpor_model::SiteId;
use dpor_report::image;

/// The most calls that are kept (chosen: what is further out is of no interest to a reader).
const CALLS_MAX: usize = 48;

/// A site with the calls that led there. Never freed.
#[repr(C)]
struct Stacked {
    /// A copy of the site's record; of a [`Site`] that is no [`CallSite`], the callee is null.
    record: CallSite,
    calls: Vec<u64>,
}

/// What has been read and kept so far.
#[derive(Default)]
struct Memory {
    unwinder: Unwinder,
    /// Addresses of [`Stacked`] by the site and the calls.
    known: Map<(u64, Vec<u64>), u64>,
}

static MEMORY: Kept<Shared<Memory>> = Kept::new(Shared::nothing());
/// Calls are kept.
static IS_ON: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));
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
        true => with_calls(site),
    }
}

/// Whether calls are kept.
#[inline(always)]
pub fn are_kept() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

#[cold]
#[inline(never)]
fn with_calls(site: SiteId) -> SiteId {
    if site == SiteId::UNKNOWN || stacked(site).is_some() {
        return site;
    }
    let calls = walk(Registers::here());
    if calls.is_empty() || IS_BUSY.swap(true, Ordering::Relaxed) {
        return site;
    }
    // SAFETY: installed before the option counts; `IS_BUSY` keeps a second reference away.
    let memory = unsafe { &mut *MEMORY.get() };
    let kept = memory.known.entry((site.0, calls));
    let kept = kept.or_insert_with_key(|(site, calls)| keep(*site, calls));
    let kept = SiteId(*kept);
    IS_BUSY.store(false, Ordering::Relaxed);
    kept
}

/// The calls on the stack that these registers belong to, the runtime's own left out.
pub fn of(registers: &[i64; 23]) -> Vec<u64> {
    if !are_kept() {
        return Vec::new();
    }
    let register = |number: i32| registers[number as usize] as u64;
    walk(Registers {
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
    })
}

fn walk(registers: Registers) -> Vec<u64> {
    let mut calls = Vec::new();
    if IS_BUSY.swap(true, Ordering::Relaxed) {
        return calls;
    }
    // SAFETY: as in `with_calls`.
    let memory = unsafe { &mut *MEMORY.get() };
    memory.unwinder.walk(registers, &mut |call| {
        if !own_image::is_own(call as usize) {
            calls.push(call);
        }
        calls.len() < CALLS_MAX
    });
    IS_BUSY.store(false, Ordering::Relaxed);
    calls
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

fn keep(site: u64, calls: &[u64]) -> u64 {
    let original = site as *const Site;
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
    let mut stacked = Box::new(Stacked {
        record,
        calls: calls.to_vec(),
    });
    stacked.record.site.flags |= site_flag::STACKED;
    Box::into_raw(stacked) as u64
}

fn stacked(site: SiteId) -> Option<&'static Stacked> {
    let record = site.0 as *const Site;
    // SAFETY: null, or a record as in `keep`, or the beginning of what `keep` made, which is never freed.
    unsafe {
        let is = record.as_ref()?.flags & site_flag::STACKED != 0;
        is.then(|| &*record.cast::<Stacked>())
    }
}

/// The calls that are kept with a site.
pub fn calls(site: SiteId) -> &'static [u64] {
    stacked(site).map_or(&[], |stacked| &stacked.calls)
}
