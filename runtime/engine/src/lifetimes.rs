//! Findings on the lives of synchronization objects, beside the misuses that end an execution.

use crate::findings::{access, severity};
use crate::given::system;
use crate::knowledge::findings::Pending;
use crate::runtime::runtime;
use crate::sites::{in_words, place};
use crate::world::world;
use crate::{active, process};
use dpor_machine::heap;
use dpor_model::{ObjectId, SiteId, ThreadId};
use dpor_report::{FindingKind, Object, Severity};

/// Bytes of thread 0's stack, as most systems limit it, and of what is taken for a stack of the program's.
const STACK_BYTES: usize = 8 << 20;

/// A thread, what it did, and the site at which it did.
pub type At<'a> = (ThreadId, &'a str, SiteId);

/// The running thread found something that ends nothing. `as_severity`: whatever its kind.
pub fn tell(
    kind: FindingKind,
    as_severity: Option<Severity>,
    message: &str,
    object: Option<ObjectId>,
    at: At<'_>,
    details: Vec<String>,
) {
    let (thread, what, site) = at;
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let by_kind = severity(rt, kind);
    let is_lowered = !rt.options.warnings_as_errors;
    rt.findings.note(Pending {
        kind,
        severity: as_severity.filter(|_| is_lowered).unwrap_or(by_kind),
        message: message.to_owned(),
        object: object.and_then(crate::object::address).map(of_address),
        accesses: vec![access(thread, what, place(site), 0)],
        details,
        depth: rt.depth,
    });
}

/// The object at an address, for the driver to name.
fn of_address(address: u64) -> Object {
    Object {
        address,
        ..Object::default()
    }
}

/// An object is left when all threads have ended. Its message is made where it is needed: an execution
/// that leaves what others left is only counted.
pub fn tell_left(message: &dyn Fn() -> String, object: ObjectId, at: At<'_>) {
    let address = crate::object::address(object).unwrap_or(0);
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it; this
    // one ends before the call below.
    let is_known =
        unsafe { &mut *runtime() }
            .findings
            .left_again(FindingKind::NotDestroyed, address, at.2);
    if !is_known {
        tell(
            FindingKind::NotDestroyed,
            None,
            &message(),
            Some(object),
            at,
            Vec::new(),
        );
    }
}

/// A mutex of zeros is used: a warning. Executions in which another use comes first tell of the same.
pub fn tell_uninitialized_mutex(message: &str, object: ObjectId, thread: ThreadId, site: SiteId) {
    let address = crate::object::address(object).unwrap_or(0);
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it; this
    // one ends before the call below.
    let (thread, site) = unsafe { &mut *runtime() }
        .findings
        .first_use(address, (thread, site));
    tell(
        FindingKind::UninitializedObject,
        Some(Severity::Warning),
        message,
        Some(object),
        (thread, "use", site),
        Vec::new(),
    );
}

/// "`what` at FILE:LINE", if the place is known.
pub fn describe_place(what: &str, site: SiteId) -> Vec<String> {
    match place(site).line {
        0 => Vec::new(),
        _ => vec![format!("{what} at {}", in_words(site))],
    }
}

/// A lock of the program's that is one of these, and a thread that holds it. `None` also without a race
/// detector, which keeps count.
pub fn find_held(which: impl Fn(ObjectId) -> bool) -> Option<(ObjectId, ThreadId)> {
    let (races, _) = crate::races()?;
    // SAFETY: a fiber runs: the world is mapped, and only that fiber uses it while the engine waits inside a step.
    let live = unsafe { (*world()).engine.live };
    live.iter()
        .filter(|&t| races.lockset(t) != 0)
        .flat_map(|t| {
            let locks = races.locks_of(races.lockset(t)).iter();
            locks.map(move |&lock| (ObjectId(lock), t))
        })
        .find(|&(lock, _)| crate::object::is_program_lock(lock) && which(lock))
        .inspect(|_| _ = crate::ask_races())
}

/// Whether memory is another's only after the runtime has seen that it ended: the program's own, a block of
/// the heap, what was mapped after the root. Libraries may be unloaded, and mappings end.
pub fn is_followed(address: usize) -> bool {
    let is_mapped = || active() && system().is_mapped(address);
    heap::block_at(address).is_some() || process::is_of_program(address) || is_mapped()
}

/// Whether an address is on the stack of one of the program's threads.
pub fn is_on_stack(address: usize) -> bool {
    let top = process::arguments();
    let rt = runtime();
    // SAFETY: the runtime is installed once exploration began; a fiber runs or nothing else does, and areas and stacks
    // stay as they are after the root.
    let is_on_others = || unsafe {
        let areas = &(*rt).areas;
        let mut areas = areas.iter();
        areas.any(|area| (area.start..area.tls_low).contains(&address))
    };
    (top - STACK_BYTES..top).contains(&address) || !rt.is_null() && is_on_others()
}

/// Whether an object lies where objects come and go unseen: on a stack, or in the thread-local storage of
/// a thread that ends.
pub fn is_short_lived(address: usize) -> bool {
    let here = (&raw const address) as usize;
    let top = process::arguments();
    let on_first = |at: usize| (top - STACK_BYTES..top).contains(&at);
    let rt = runtime();
    // SAFETY: before the root only thread 0 runs; after it a fiber does, and areas and stacks stay as they are.
    let on_others = |at: usize| unsafe {
        let areas = if rt.is_null() {
            &[]
        } else {
            &(&(*rt).areas)[..]
        };
        let ends = areas.first().zip(areas.last());
        ends.is_some_and(|(first, last)| (first.start..last.end).contains(&at))
    };
    // A stack that the program made: where it ends is not known.
    let on_own = !on_first(here) && !on_others(here);
    let is_near = on_own && (here..here + STACK_BYTES).contains(&address);
    on_first(address) || on_others(address) || is_near
}
