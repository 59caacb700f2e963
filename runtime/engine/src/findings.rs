//! Findings: what is wrong with the program is noted while an execution runs, and reported when it has ended.
//!
//! Two findings are the same if they have the same kind and the same places (and, for races, the
//! same directions); the first execution that shows one is its witness.

use crate::knowledge::findings::{FatalFinding, Findings, Pending};
use crate::runtime::{runtime, Runtime, CALL_SITE};
use crate::sites::place;
use crate::world::world;
use crate::{call_stacks, debugger, first_uses, memory_image};
use dpor_abi::options::Races as RacesOption;
use dpor_model::{SiteId, ThreadId};
use dpor_report::{Access, FindingKind, Place, Severity};

/// Whether a kind of finding is an error or a warning under the options.
pub fn severity(rt: &Runtime, kind: FindingKind) -> Severity {
    match kind {
        _ if rt.options.warnings_as_errors => Severity::Error,
        FindingKind::DataRace if rt.options.races == RacesOption::Warn => Severity::Warning,
        _ => kind.severity(),
    }
}

/// One access of a finding that is a single place.
pub fn access(thread: ThreadId, what: &str, place: Place, instruction: u64) -> Access {
    Access {
        thread: u32::from(thread.0),
        access: what.to_owned(),
        place,
        locks: Vec::new(),
        instruction,
        ..Access::default()
    }
}

/// The severity of a finding that is a warning whatever its kind.
pub fn warning_severity(rt: &Runtime) -> Severity {
    match rt.options.warnings_as_errors {
        true => Severity::Error,
        false => Severity::Warning,
    }
}

/// The running thread found something that ends nothing.
pub fn warn(kind: FindingKind, message: &str) {
    warn_of(kind, message, Vec::new());
}

/// Notes a finding of the running thread that ends nothing, as [`warn`] does, with further lines.
pub fn warn_of(kind: FindingKind, message: &str, details: Vec<String>) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &*runtime() };
    let (thread, severity) = (rt.current, severity(rt, kind));
    let site = call_stacks::here(CALL_SITE.get());
    note_at(kind, severity, message, (thread, "call", site), details);
}

/// `at`: a thread, what it does, and where.
fn note_at(
    kind: FindingKind,
    severity: Severity,
    message: &str,
    at: (ThreadId, &str, SiteId),
    details: Vec<String>,
) {
    let (thread, what, site) = at;
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    rt.findings.note(Pending {
        kind,
        severity,
        message: message.to_owned(),
        object: None,
        accesses: vec![access(thread, what, place(site), 0)],
        details,
        depth: rt.depth,
    });
}

/// Notes how the running thread will end the process; it must next stand before `Kind::Exit`.
/// Safe in a signal handler: allocates in the arena only.
///
/// `instruction`: where the thread was, if `site` does not tell; otherwise 0.
pub fn sentence(
    kind: FindingKind,
    message: String,
    site: SiteId,
    instruction: u64,
    details: Vec<String>,
) {
    sentence_of(FatalFinding {
        kind,
        message,
        site,
        instruction,
        object: None,
        details,
        calls: Vec::new(),
    });
}

/// Notes how the running thread will end the process, as [`sentence`] does.
pub fn sentence_of(doom: FatalFinding) {
    if doom.kind == FindingKind::Crash {
        // SAFETY: a fiber runs or was interrupted, so the runtime is installed, and the engine, inside a step, holds no
        // reference to it.
        debugger::crashes(unsafe { (*runtime()).current });
    }
    // SAFETY: a fiber runs or was interrupted, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    unsafe {
        let rt = &mut *runtime();
        rt.findings.dooms.push(doom);
        let index = rt.findings.dooms.len() - 1;
        let t = rt.current.0 as usize;
        (*world()).threads[t].fiber.doom = index as u32;
        (*world()).engine.doomed.insert(rt.current);
    }
}

/// The explorer let a doomed thread end the process.
pub fn doom(rt: &mut Runtime, thread: ThreadId) {
    // SAFETY: the world is mapped from the root on; the thread has been suspended, so that nobody writes its entry.
    let index = unsafe { (*world()).threads[thread.0 as usize].fiber.doom };
    let doom = rt.findings.dooms[index as usize].clone();
    let mut at = place(doom.site);
    if !doom.calls.is_empty() {
        at.calls = doom.calls;
    }
    let pending = Pending {
        kind: doom.kind,
        severity: severity(rt, doom.kind),
        message: doom.message,
        object: doom.object,
        accesses: vec![access(thread, "end", at, doom.instruction)],
        details: doom.details,
        depth: rt.depth,
    };
    rt.findings.note(pending);
    rt.failed = true;
}

impl Findings {
    /// Adds one to the running execution.
    pub fn note(&mut self, pending: Pending) {
        debugger::noted(&pending);
        // An image is some megabytes at most, and an execution may have hundreds of findings.
        if debugger::may_be_expected(&pending) {
            let image = memory_image::here().map(Box::new);
            let images = image.map(|image| (image, first_uses::so_far()));
            self.images
                .extend(images.map(|images| (self.running.len(), images)));
        }
        self.running.push(pending);
    }
}
