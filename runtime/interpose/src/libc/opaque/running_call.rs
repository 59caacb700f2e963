//! Which call of libc the running thread is in.
//!
//! Two things are noted on the way into libc, both as the address of the return address on the
//! stack, the *slot*: by the hook before a call that leaves the program ([`crate::engine::accesses::announced`]), and by the
//! trampoline of a function of the table after its event. A noted call is still running if the stack
//! pointer is not above its slot, the slot holds what it held, and nothing else was called since. It
//! belongs to the present step if no event came since.
//!
//! *From the program straight into libc.* The call that a hook announced counts as the program's own
//! if the instruction before its return address calls a function of libc by its name. Code that libc
//! calls back from there is part of the call, unless it makes events or calls of its own that are
//! announced.

use super::symbol::{self, Symbols};
use crate::engine;
use crate::engine::accesses::announced::HOOK;
use crate::engine::runtime::{runtime, CALL_SITE};
use crate::state::{Kept, PerStep};
use core::ffi::{c_int, c_void, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use dpor_machine::sys::PAGE;

/// A function of the table that began, and the step it began in.
struct TableCall {
    step: AtomicU64,
    index: AtomicUsize,
    slot: AtomicUsize,
    after: AtomicUsize,
}

static TABLE_CALL: PerStep<TableCall> = PerStep::new(TableCall {
    step: AtomicU64::new(0),
    index: AtomicUsize::new(0),
    slot: AtomicUsize::new(0),
    after: AtomicUsize::new(0),
});

/// Bytes of code between the hook before a call and the call: moves of arguments into registers.
const BEFORE_CALL_MAX: usize = 256;

/// Number of the running step; steps of all executions are counted.
fn present() -> u64 {
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    unsafe { (*runtime()).serial }
}

fn word(address: usize) -> usize {
    // SAFETY: callers pass addresses between the stack pointer and the end of the running stack.
    unsafe { (address as *const usize).read() }
}

/// Notes that a function of the table begins, after its event.
pub fn table_call(index: usize, slot: usize) {
    TABLE_CALL.step.store(present(), Ordering::Relaxed);
    TABLE_CALL.index.store(index, Ordering::Relaxed);
    TABLE_CALL.slot.store(slot, Ordering::Relaxed);
    TABLE_CALL.after.store(word(slot), Ordering::Relaxed);
    // Other threads may have called since this one did: from now on, a slot is a later call's.
    HOOK.slot.store(0, Ordering::Relaxed);
}

/// What [`running_table_call`] goes by, kept over the events of a system call.
pub struct Running([usize; 3]);

/// Returns the function of the table that may be running in the present step.
pub fn running() -> Option<Running> {
    let known = [&TABLE_CALL.index, &TABLE_CALL.slot, &TABLE_CALL.after];
    (is_of_this_step() != 0).then(|| Running(known.map(|word| word.load(Ordering::Relaxed))))
}

/// Returns whether a function of the table began in the present step. Apart from those who ask, in whose frames, which
/// outlive steps, no number of a step shall lie: no state would come back.
/// For the same reason it is a whole register that is returned: 1 or 0.
#[inline(never)]
fn is_of_this_step() -> usize {
    usize::from(TABLE_CALL.step.load(Ordering::Relaxed) == present())
}

/// Lets a call of a function of the table go on, in whichever step this is now.
pub fn go_on(running: Option<Running>) {
    let Some(Running([index, slot, after])) = running else {
        return;
    };
    TABLE_CALL.step.store(present(), Ordering::Relaxed);
    TABLE_CALL.index.store(index, Ordering::Relaxed);
    TABLE_CALL.slot.store(slot, Ordering::Relaxed);
    TABLE_CALL.after.store(after, Ordering::Relaxed);
    HOOK.slot.store(0, Ordering::Relaxed);
}

/// Returns the function of the table that is running, if its event began the present step.
pub fn running_table_call(stack_pointer: usize) -> Option<usize> {
    let slot = TABLE_CALL.slot.load(Ordering::Relaxed);
    let is_running = TABLE_CALL.step.load(Ordering::Relaxed) == present()
        && stack_pointer <= slot
        && word(slot) == TABLE_CALL.after.load(Ordering::Relaxed);
    // A call since, by a function that was called back, has to be over.
    let is_innermost = HOOK.slot.load(Ordering::Relaxed) < stack_pointer;
    (is_running && is_innermost).then(|| TABLE_CALL.index.load(Ordering::Relaxed))
}

/// A call from the program straight into libc.
pub struct Call {
    /// Address of the function called.
    pub function: usize,
    /// Whether all such calls can be told apart from others, and redirected.
    pub can_be_learnt: bool,
}

/// Returns the announced call that is running, if it is of a function of libc that the caller's
/// table of offsets names.
pub fn running_call(stack_pointer: usize) -> Option<Call> {
    let site = HOOK.site.get();
    let slot = HOOK.slot.load(Ordering::Relaxed);
    let hook = HOOK.after.load(Ordering::Relaxed);
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let (_, end) = unsafe { (*runtime()).live_stack_of_running(stack_pointer) };
    let low = engine::stack_of(engine::thread()).0;
    let is_on_stack = low <= stack_pointer && stack_pointer <= slot && slot < end;
    if !is_on_stack || CALL_SITE.get() != site {
        return None;
    }
    let after = word(slot);
    if !(hook + 1..=hook + BEFORE_CALL_MAX).contains(&after) {
        return None;
    }
    let (object, at) = callee_word(after)?;
    // SAFETY: a word of a loaded object.
    let function = unsafe { (at as *const usize).read_unaligned() };
    is_libc(function).then(|| Call {
        function,
        can_be_learnt: object.is_constant(at),
    })
}

/// Bytes of the runtime's own frames between a function of its that is called and this file.
const OWN_FRAMES_MAX: usize = 4096;

/// Returns the function of the runtime's that is running, if it is the announced call of a function
/// that the caller's table of offsets names.
pub fn announced_callee() -> Option<usize> {
    let here = 0u64;
    let here = (&raw const here) as usize;
    let slot = HOOK.slot.load(Ordering::Relaxed);
    let hook = HOOK.after.load(Ordering::Relaxed);
    if !(here..here + OWN_FRAMES_MAX).contains(&slot) {
        return None;
    }
    let after = word(slot);
    if !(hook + 1..=hook + BEFORE_CALL_MAX).contains(&after) {
        return None;
    }
    if objects().is_empty() {
        // Before the root, where this is asked seldom.
        at_root();
    }
    let (_, at) = callee_word(after)?;
    // SAFETY: a word of a loaded object.
    Some(unsafe { (at as *const usize).read_unaligned() })
}

/// A loaded object, as it was at the root.
#[derive(Default)]
pub struct Object {
    /// Address that addresses in the object are relative to.
    pub base: usize,
    /// First address of the object and the one behind its last.
    range: (usize, usize),
    /// First address of the object's code and the one behind its last.
    code: (usize, usize),
    /// Range that is read-only since the object was loaded (`PT_GNU_RELRO`), in whole pages.
    constant: (usize, usize),
    /// Relocations of the object: address and bytes of each table.
    pub relocations: Vec<(usize, usize)>,
    /// Whether the object is one of glibc's.
    pub is_libc: bool,
    /// Whether the object is this library.
    pub is_runtime: bool,
    /// Last part of the object's path; empty for the program.
    name: String,
    symbols: Symbols,
}

impl Object {
    /// Returns whether a word of the object may be changed for good.
    pub fn is_constant(&self, word: usize) -> bool {
        let (start, end) = self.constant;
        start <= word && word + size_of::<usize>() <= end
    }
}

static OBJECTS: Kept<AtomicPtr<Vec<Object>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Returns all objects that were loaded at the root.
pub fn objects() -> &'static [Object] {
    // SAFETY: set at the root and never changed.
    unsafe { OBJECTS.load(Ordering::Relaxed).as_ref() }.map_or(&[], Vec::as_slice)
}

/// Notes the loaded objects.
pub fn at_root() {
    let mut all: Vec<Object> = Vec::new();
    // SAFETY: the callback gets the pointer while `all` lives.
    unsafe { ::libc::dl_iterate_phdr(Some(visit), (&raw mut all).cast()) };
    OBJECTS.store(Box::into_raw(Box::new(all)), Ordering::Relaxed);
}

unsafe extern "C" fn visit(info: *mut ::libc::dl_phdr_info, _: usize, all: *mut c_void) -> c_int {
    // SAFETY: ld.so's description of a loaded object, with a name, and the pointer given above.
    let (info, name, all) = unsafe {
        let path = CStr::from_ptr((*info).dlpi_name).to_bytes();
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        (&*info, name, &mut *all.cast::<Vec<Object>>())
    };
    let base = info.dlpi_addr as usize;
    let mut object = Object {
        base,
        range: (usize::MAX, 0),
        code: (usize::MAX, 0),
        is_libc: is_of_libc(name),
        name: String::from_utf8_lossy(name).into_owned(),
        ..Object::default()
    };
    let widen = |range: &mut (usize, usize), start: usize, bytes: usize| {
        *range = (range.0.min(start), range.1.max(start + bytes));
    };
    for k in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: the linker's table has `dlpi_phnum` entries, and `k` is below that.
        let header = unsafe { &*info.dlpi_phdr.add(k) };
        if header.p_type == ::libc::PT_DYNAMIC {
            let dynamic = base + header.p_vaddr as usize;
            // SAFETY: of a loaded object. (The vDSO's addresses are relative: nothing is found.)
            (object.symbols, object.relocations) = unsafe { symbol::read(base, dynamic) };
        }
        if header.p_type == ::libc::PT_GNU_RELRO {
            let start = base + header.p_vaddr as usize;
            let end = start + header.p_memsz as usize;
            object.constant = (start & !(PAGE - 1), end & !(PAGE - 1));
        }
        if header.p_type != ::libc::PT_LOAD {
            continue;
        }
        let (start, bytes) = (base + header.p_vaddr as usize, header.p_memsz as usize);
        widen(&mut object.range, start, bytes);
        if header.p_flags & ::libc::PF_X != 0 {
            widen(&mut object.code, start, bytes);
        }
    }
    object.is_runtime = contains(object.range, visit as *const () as usize);
    all.push(object);
    0
}

/// Returns whether an object of this name is one of glibc's.
fn is_of_libc(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 10] = [
        b"libc.so.",
        b"ld-linux-x86-64.so.",
        b"libpthread.so.",
        b"libm.so.",
        b"librt.so.",
        b"libdl.so.",
        b"libresolv.so.",
        b"libnss_",
        b"libanl.so.",
        b"libutil.so.",
    ];
    NAMES.iter().any(|known| name.starts_with(known))
}

fn contains(range: (usize, usize), address: usize) -> bool {
    (range.0..range.1).contains(&address)
}

/// Returns whether an instruction is libc's.
pub fn is_libc(instruction: usize) -> bool {
    let mut all = objects().iter();
    all.any(|object| object.is_libc && contains(object.code, instruction))
}

/// Returns the word that holds the address of the function which the call before `after` calls, and
/// its object, if the instruction names it (Intel SDM volume 2, CALL and JMP): a word of the table
/// of offsets, directly or by way of a stub.
fn callee_word(after: usize) -> Option<(&'static Object, usize)> {
    let mut all = objects().iter();
    let object = all.find(|object| contains(object.code, after - 6))?;
    let byte = |address: usize| {
        // SAFETY: callers pass addresses in this object's code.
        unsafe { (address as *const u8).read() }
    };
    let relative = |next: usize| {
        // SAFETY: four bytes of an instruction of this object's code.
        let distance = unsafe { ((next - 4) as *const i32).read_unaligned() };
        next.wrapping_add_signed(distance as isize)
    };
    let word = |at: usize| contains(object.range, at).then_some((object, at));
    if (byte(after - 6), byte(after - 5)) == (0xff, 0x15) {
        return word(relative(after));
    }
    if byte(after - 5) != 0xe8 {
        return None;
    }
    let target = relative(after);
    // lld puts the stubs last, so that one may end where the code ends.
    if !contains(object.code, target) || !contains(object.code, target + STUB_BYTES - 1) {
        return None;
    }
    // `endbr64` and a prefix may come before `jmp [rip + distance]`.
    let jump = (0..8).find(|&k| (byte(target + k), byte(target + k + 1)) == (0xff, 0x25));
    jump.and_then(|k| word(relative(target + k + 6)))
}

/// Bytes of a stub of the procedure linkage table.
const STUB_BYTES: usize = 16;

/// Returns the function an address lies in, and the name of its object; empty where unknown.
pub fn name(address: usize) -> (String, String) {
    let mut all = objects().iter();
    all.find(|object| contains(object.range, address))
        .map_or_else(Default::default, |object| {
            let function = object.symbols.function_at(address);
            (function.unwrap_or_default(), object.name.clone())
        })
}

/// Returns an address as the number of its object and an offset.
pub fn encode(address: usize) -> Option<String> {
    let mut all = objects().iter().enumerate();
    let (k, object) = all.find(|(_, object)| contains(object.range, address))?;
    Some(format!("{k}:{:x}", address - object.base))
}

/// Returns the address that [`encode`] wrote as `object` and `offset`.
pub fn decode((object, offset): (&str, &str)) -> Option<usize> {
    let object = objects().get(object.parse::<usize>().ok()?)?;
    let address = object.base + usize::from_str_radix(offset, 16).ok()?;
    contains(object.range, address).then_some(address)
}
