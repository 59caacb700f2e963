//! Tells the runtime's code from the program's, instruction by instruction, for the few steps about
//! which it matters (deaths.rs).
//!
//! A fiber that goes on is in the runtime first: it performs the operation that was chosen. With the
//! trap flag it is followed instruction by instruction until it has left the runtime: it returned, or
//! it came to instrumented code. Then the [`Goal`] is reached: the thread ends there, or the
//! runtime's memory becomes read-only while it goes on without traps.
//!
//! ```text
//!            left the runtime: read-only, no traps
//!   inside ───────────────────────────────────────► outside ── writes there ──► it is the program's: caught
//!     ▲                                                │
//!     └──── the runtime's code writes there: ──────────┘
//!           writable again, traps
//! ```
//!
//! Handlers make it writable while they run. Nothing here depends on what is guarded but reads.

use super::runtime::{runtime, CALL_SITE};
use super::{deaths, findings, journal, root, signals};
use crate::snapshot::{Range, PAGE};
use crate::{arena, start, sys, world};
use core::arch::asm;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use dpor_report::FindingKind;

/// What is to be done when the fiber has left the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// It ends the process.
    End,
    /// The runtime's memory is guarded.
    Guard,
}

/// How much longer than usual a step may take (an instruction that traps takes about a microsecond).
pub const FACTOR: f64 = 100.0;

/// The trap flag.
const TRAP: i64 = 0x100;
/// Of a page fault's error code: the access was a write (Intel SDM, volume 3, 4.7).
const WRITE: i64 = 2;
/// A return, plain and with a number of bytes.
const RETURNS: [u8; 2] = [0xc3, 0xc2];

/// Instructions are followed.
static FOLLOWS: AtomicBool = AtomicBool::new(false);
/// The goal is [`Goal::End`].
static ENDS: AtomicBool = AtomicBool::new(false);
/// Memory is read-only.
static GUARDED: AtomicBool = AtomicBool::new(false);
/// The last instruction followed.
static LAST: AtomicUsize = AtomicUsize::new(0);

/// The fiber that is about to run is followed.
pub fn begin(goal: Goal) {
    ENDS.store(goal == Goal::End, Ordering::Relaxed);
    LAST.store(0, Ordering::Relaxed);
    FOLLOWS.store(true, Ordering::Relaxed);
    // SAFETY: sets the trap flag; `finish` or a handler clears it.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
}

/// The fiber is suspended.
pub fn finish() {
    // SAFETY: clears the trap flag.
    unsafe { asm!("pushfq", "and qword ptr [rsp], -257", "popfq") };
    pause();
    FOLLOWS.store(false, Ordering::Relaxed);
}

/// An instruction was executed. False: the trap is not ours.
pub fn stepped(context: *mut c_void) -> bool {
    let registers = signals::registers(context);
    if !FOLLOWS.load(Ordering::Relaxed) {
        return false;
    }
    let instruction = registers[libc::REG_RIP as usize] as usize;
    let last = LAST.swap(instruction, Ordering::Relaxed);
    if !has_left(last, instruction) {
        return true;
    }
    FOLLOWS.store(false, Ordering::Relaxed);
    if ENDS.load(Ordering::Relaxed) {
        // SAFETY: a fiber runs, the engine waits.
        deaths::end_at(
            unsafe { &mut *runtime() },
            CALL_SITE.load(Ordering::Relaxed),
        );
        signals::leave_before_exit(context);
    } else {
        protect(libc::PROT_READ);
    }
    registers[libc::REG_EFL as usize] &= !TRAP;
    true
}

/// Whether going from one instruction to the next left the runtime for the program.
fn has_left(last: usize, next: usize) -> bool {
    if root::is_own(next) {
        return false;
    }
    // SAFETY: it was executed, so it can be read.
    let returned = root::is_own(last) && RETURNS.contains(unsafe { &*(last as *const u8) });
    returned || layout().is_some_and(|layout| is_in(&layout.instrumented, next))
}

fn is_in(ranges: &[Range], address: usize) -> bool {
    ranges
        .iter()
        .any(|&(start, end)| (start..end).contains(&address))
}

/// What lies where; asked once, since the dynamic linker takes a lock to say it.
pub struct Layout {
    /// Loaded objects with instrumented modules: code that the runtime's own calls do not lead to.
    instrumented: Vec<Range>,
    /// The runtime's variables.
    variables: Vec<Range>,
}

fn layout() -> Option<&'static Layout> {
    // SAFETY: read only; it is never changed while a fiber runs.
    unsafe { (*runtime()).deaths.as_ref().map(|deaths| &deaths.layout) }
}

impl Layout {
    /// On the engine's context.
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
            instrumented: Vec::new(),
            variables: Vec::new(),
        };
        // SAFETY: the callback gets the pointer while `layout` lives.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut layout).cast()) };
        layout
    }

    fn add(&mut self, info: &libc::dl_phdr_info) {
        // SAFETY: program headers of a loaded object.
        let headers =
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let range = |header: &libc::Elf64_Phdr| {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            (start, start + header.p_memsz as usize)
        };
        let of_type = |kind| headers.iter().filter(move |header| header.p_type == kind);
        let all = of_type(libc::PT_LOAD).map(range);
        let all = all.fold((usize::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let is_instrumented = start::modules().iter().any(|&m| all.0 <= m && m < all.1);
        if is_instrumented {
            self.instrumented.push(all);
        }
        if all.0 <= root::own_text().0 && root::own_text().0 < all.1 {
            let fixed = of_type(libc::PT_GNU_RELRO).map(range).next();
            let writable = of_type(libc::PT_LOAD).filter(|h| h.p_flags & libc::PF_W != 0);
            for (start, end) in writable.map(range) {
                // What the dynamic linker made read-only stays so.
                let start = fixed.map_or(start, |fixed| start.max(fixed.1));
                let range = (start.next_multiple_of(PAGE), end.next_multiple_of(PAGE));
                if range.0 < range.1 {
                    self.variables.push(range);
                }
            }
        }
    }

    /// What the program must not write: ours, and what a rollback takes back of ours.
    fn guarded(&self) -> impl Iterator<Item = Range> + '_ {
        let known = size_of::<world::World>().next_multiple_of(PAGE);
        let engine = super::runtime::engine_stack();
        let fixed = [
            arena::used(),
            (world::ADDRESS, world::ADDRESS + known),
            engine,
            journal::range(),
        ];
        self.variables.iter().copied().chain(fixed)
    }
}

fn protect(protection: i32) {
    let Some(layout) = layout() else { return };
    // Before the first and after the last change of protection it is writable.
    if protection & libc::PROT_WRITE == 0 {
        GUARDED.store(true, Ordering::Relaxed);
    }
    for (start, end) in layout.guarded() {
        // SAFETY: our own memory; nobody writes it while it is read-only but to be caught.
        unsafe { sys::protect(start, end - start, protection) };
    }
    if protection & libc::PROT_WRITE != 0 {
        GUARDED.store(false, Ordering::Relaxed);
    }
}

/// A handler begins: it may write. True: the memory was guarded.
pub fn pause() -> bool {
    let was = GUARDED.load(Ordering::Relaxed);
    if was {
        protect(libc::PROT_READ | libc::PROT_WRITE);
    }
    was
}

/// A handler ends in which [`pause`] said `was`.
pub fn go_on(was: bool, context: *mut c_void) {
    let next = signals::registers(context)[libc::REG_RIP as usize] as usize;
    // The engine, if the handler ended the fiber.
    if was && !root::is_own(next) {
        protect(libc::PROT_READ);
    }
}

/// A fault of guarded memory, which [`pause`] has made writable: lets the runtime's own code go on,
/// followed; ends a thread whose own code it is. False: it is another fault.
pub fn caught(address: usize, context: *mut c_void) -> bool {
    let registers = signals::registers(context);
    let is_write = registers[libc::REG_ERR as usize] & WRITE != 0;
    let Some(layout) = layout() else { return false };
    let is_guarded = layout
        .guarded()
        .any(|(start, end)| (start..end).contains(&address));
    if !is_guarded || !is_write {
        return false;
    }
    let instruction = registers[libc::REG_RIP as usize] as usize;
    // A copying function of libc that the runtime called, without a frame of its own.
    let caller = match is_in(&layout.instrumented, instruction) {
        true => None,
        false => sys::read_word(registers[libc::REG_RSP as usize] as usize),
    };
    if root::is_own(instruction) || caller.is_some_and(|caller| root::is_own(caller as usize)) {
        LAST.store(instruction, Ordering::Relaxed);
        FOLLOWS.store(true, Ordering::Relaxed);
        registers[libc::REG_EFL as usize] |= TRAP;
        return true;
    }
    let what = match address {
        _ if is_in(&[arena::used()], address) => "its heap",
        _ if is_in(&layout.variables, address) => "its variables",
        _ => "its stack or its records",
    };
    // SAFETY: a fiber runs, the engine waits.
    deaths::caught(unsafe { &mut *runtime() });
    let place = match caller {
        // The call of such a function by the program.
        Some(caller) if is_in(&layout.instrumented, caller as usize) => caller - 1,
        _ => instruction as u64,
    };
    findings::sentence(
        FindingKind::ProcessDeath,
        "the program overwrites memory of the checker".to_owned(),
        CALL_SITE.load(Ordering::Relaxed),
        place,
        vec![format!("address {address:#x}: {what}")],
    );
    signals::leave_before_exit(context);
    registers[libc::REG_EFL as usize] &= !TRAP;
    true
}
