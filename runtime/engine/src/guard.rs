//! Tells the runtime's code from the program's, for the few steps about which it matters (deaths.rs).
//!
//! A fiber that goes on is inside the runtime first: it performs the operation that was chosen. Meanwhile
//! the program's code must not be executed, so that coming back to it faults. Then the [`Goal`] is
//! reached: the thread ends there, or the program goes on and must not write the runtime's memory.
//!
//! ```text
//!   inside:  program's code not executable   ── executes it ──►  outside: runtime's memory read-only
//!            runtime's memory writable       ◄── runtime writes ──        program's code executable
//!                                                                      │
//!                                                                      └─ program writes: caught
//! ```
//!
//! Handlers make the memory writable while they run. What the kernel writes on the program's behalf is
//! written by a handler: such a write is not caught.

use crate::knowledge::findings::FatalFinding;
use crate::knowledge::layout::Layout;
use crate::runtime::{runtime, CALL_SITE};
use crate::{call_stacks, deaths, findings, journal, own_image, process, signals, world};
use core::ffi::{c_void, CStr};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use dpor_machine::snapshot::Range;
use dpor_machine::state::PerStep;
use dpor_machine::sys::{self, PAGE};
use dpor_machine::{arena, probe};
use dpor_report::FindingKind;

/// The action that follows when the fiber has left the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The process ends.
    End,
    /// The runtime's memory is guarded.
    Guard,
}

/// Factor by which a step may take longer than usual: each way into the runtime and out of it is two faults and some
/// twenty system calls.
pub const FACTOR: f64 = 100.0;

/// Bit of a page fault's error code: the access was a write (Intel SDM, volume 3, 4.7).
const WRITE: i64 = 2;

/// Objects whose code the runtime itself calls.
const CALLED: [&str; 4] = [
    "libc.so.6",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "linux-vdso.so.1",
];

const IDLE: u8 = 0;
const INSIDE: u8 = 1;
const OUTSIDE: u8 = 2;
/// Whether the fiber that is followed is inside the runtime or outside.
static STATE: PerStep<AtomicU8> = PerStep::new(AtomicU8::new(IDLE));
/// True if the goal is [`Goal::End`].
static ENDS: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

fn state() -> u8 {
    STATE.load(Ordering::Relaxed)
}

/// The fiber that is about to run is followed.
pub fn begin(goal: Goal) {
    ENDS.store(goal == Goal::End, Ordering::Relaxed);
    enter();
}

/// The fiber is suspended.
pub fn finish() {
    pause();
    allow_code(true);
    STATE.store(IDLE, Ordering::Relaxed);
}

/// The memory is writable; the fiber is inside.
fn enter() {
    STATE.store(INSIDE, Ordering::Relaxed);
    allow_code(false);
}

/// The fiber goes on in the program.
fn leave() {
    allow_code(true);
    STATE.store(OUTSIDE, Ordering::Relaxed);
    allow_writing(false);
}

fn allow_code(allow: bool) {
    let execute = if allow { libc::PROT_EXEC } else { 0 };
    for &(start, end) in layout().iter().flat_map(|layout| &layout.code) {
        // SAFETY: the range is code of the program's, which can be read as before; executing it is noticed.
        unsafe { sys::protect(start, end - start, libc::PROT_READ | execute) };
    }
}

fn allow_writing(allow: bool) {
    let write = if allow { libc::PROT_WRITE } else { 0 };
    for (start, end) in layout().iter().flat_map(|layout| layout.guarded()) {
        // SAFETY: the range is the runtime's own memory; whoever writes it while it is read-only is caught.
        unsafe { sys::protect(start, end - start, libc::PROT_READ | write) };
    }
}

/// A handler begins: it may write. True: the memory was guarded.
pub fn pause() -> bool {
    let was = state() == OUTSIDE;
    if was {
        allow_writing(true);
        STATE.store(IDLE, Ordering::Relaxed);
    }
    was
}

/// A handler ends in which [`pause`] said `was`.
pub fn go_on(was: bool, context: *mut c_void) {
    let next = signals::registers(context)[libc::REG_RIP as usize] as usize;
    // The engine, if the handler ended the fiber.
    if was && !own_image::is_own(next) {
        leave();
    }
}

/// A fault that [`enter`] or [`leave`] makes; `was` guarded, as [`pause`] said. False: it is another.
pub fn fault(was: bool, address: usize, context: *mut c_void) -> bool {
    let registers = signals::registers(context);
    let instruction = registers[libc::REG_RIP as usize] as usize;
    let Some(layout) = layout() else { return false };
    if state() == INSIDE && address == instruction && is_in(&layout.code, instruction) {
        left(context);
        return true;
    }
    let is_write = registers[libc::REG_ERR as usize] & WRITE != 0;
    let mut guarded = layout.guarded();
    if !was || !is_write || !guarded.any(|range| is_in(&[range], address)) {
        return false;
    }
    // A copying function of libc, without a frame of its own.
    let caller = match is_in(&layout.code, instruction) {
        true => None,
        false => probe::word(registers[libc::REG_RSP as usize] as usize),
    };
    if own_image::is_own(instruction)
        || caller.is_some_and(|caller| own_image::is_own(caller as usize))
    {
        enter();
        return true;
    }
    let place = match caller {
        // The call of such a function by the program.
        Some(caller) if is_in(&layout.code, caller as usize) => caller - 1,
        _ => instruction as u64,
    };
    caught(address, place, context);
    true
}

/// The fiber has left the runtime.
fn left(context: *mut c_void) {
    if !ENDS.load(Ordering::Relaxed) {
        leave();
        return;
    }
    // SAFETY: the handler interrupted a fiber, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    deaths::end_at(unsafe { &mut *runtime() }, CALL_SITE.get());
    signals::leave_before_exit(context);
}

/// The program wrote what is guarded.
fn caught(address: usize, instruction: u64, context: *mut c_void) {
    let variables = layout().is_some_and(|layout| is_in(&layout.variables, address));
    let what = match address {
        _ if is_in(&[arena::used()], address) => "its heap",
        _ if variables => "its variables",
        _ => "its stack or its records",
    };
    findings::sentence_of(FatalFinding {
        kind: FindingKind::ProcessDeath,
        message: "the program overwrites memory of the checker".to_owned(),
        site: CALL_SITE.get(),
        instruction,
        object: None,
        details: vec![format!("address {address:#x}: {what}")],
        calls: call_stacks::of(signals::registers(context)),
    });
    // SAFETY: the handler interrupted a fiber, so the runtime is installed, and the engine, inside a step, holds no
    // reference to it.
    deaths::caught(unsafe { &mut *runtime() });
    signals::leave_before_exit(context);
}

fn is_in(ranges: &[Range], address: usize) -> bool {
    ranges
        .iter()
        .any(|&(start, end)| (start..end).contains(&address))
}

fn layout() -> Option<&'static Layout> {
    // SAFETY: the runtime is installed; the layout is only read, and nobody changes it while a fiber runs.
    unsafe { (*runtime()).deaths.as_ref().map(|deaths| &deaths.layout) }
}

impl Layout {
    /// Reads the layout. To be called on the engine's context.
    pub fn read() -> Layout {
        unsafe extern "C" fn visit(
            info: *mut libc::dl_phdr_info,
            _: usize,
            layout: *mut c_void,
        ) -> i32 {
            // SAFETY: dl_iterate_phdr passes a valid record and the pointer given below.
            let (info, layout) = unsafe { (&*info, &mut *layout.cast::<Layout>()) };
            layout.add(info);
            0
        }
        let mut layout = Layout {
            code: Vec::new(),
            variables: Vec::new(),
        };
        // SAFETY: the callback gets the pointer while `layout` lives.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut layout).cast()) };
        layout
    }

    fn add(&mut self, info: &libc::dl_phdr_info) {
        // SAFETY: the dynamic linker gives the program headers of a loaded object, which stay where they are while it
        // is.
        let headers =
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let range = |header: &libc::Elf64_Phdr| {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            (start, start + header.p_memsz as usize)
        };
        let of_type = |kind| headers.iter().filter(move |header| header.p_type == kind);
        // SAFETY: the dynamic linker gives a NUL-terminated name, which lives as long as the object is loaded, that is,
        // beyond this call.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let is_own = of_type(libc::PT_LOAD).map(range).any(|(start, end)| {
            let inside = process::modules as *const () as usize;
            (start..end).contains(&inside)
        });
        if !is_own
            && !CALLED
                .iter()
                .any(|called| name.ends_with(called.as_bytes()))
        {
            let code = of_type(libc::PT_LOAD).filter(|h| h.p_flags & libc::PF_X != 0);
            let pages = |(start, end): Range| (start & !(PAGE - 1), end.next_multiple_of(PAGE));
            self.code.extend(code.map(range).map(pages));
        }
        if is_own {
            let fixed = of_type(libc::PT_GNU_RELRO).map(range).next();
            let writable = of_type(libc::PT_LOAD).filter(|h| h.p_flags & libc::PF_W != 0);
            for (start, end) in writable.map(range) {
                // What the dynamic linker made read-only stays so.
                let start = fixed.map_or(start, |fixed| start.max(fixed.1));
                // The page in which that ends is still writable.
                let range = (start & !(PAGE - 1), end.next_multiple_of(PAGE));
                if range.0 < range.1 {
                    self.variables.push(range);
                }
            }
        }
    }

    /// What the program must not write: ours, and what a rollback takes back of ours.
    fn guarded(&self) -> impl Iterator<Item = Range> + '_ {
        let known = size_of::<world::World>().next_multiple_of(PAGE);
        let engine = crate::runtime::engine_stack();
        let fixed = [
            arena::used(),
            (world::ADDRESS, world::ADDRESS + known),
            engine,
            journal::range(),
        ];
        self.variables.iter().copied().chain(fixed)
    }
}
