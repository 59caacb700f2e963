//! The calls on a stack, by the call frame information (`.eh_frame`) that every loaded object brings.
//!
//! Written for reports: it takes no lock, calls no function of the program's or of libc, and reads memory that may
//! not be there by [`probe`]. What it does not understand ends the walk; so a stack may be cut short, never wrong.
//!
use crate::call_frames::{Object, Rule, KEPT_COUNT};
use crate::probe;
use crate::walks::{Looked, Walks};
use core::arch::asm;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// The most calls that are followed (chosen: recursion deeper than that says nothing new).
const CALLS_MAX: usize = 64;

/// What is needed of a processor's registers to walk a stack.
///
/// *Layout*: C, since assembly writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    /// The instruction pointer.
    pub instruction: u64,
    /// The stack pointer.
    pub stack: u64,
    /// Rbx, rbp, r12, r13, r14 and r15.
    pub kept: [u64; KEPT_COUNT],
}

impl Registers {
    /// The registers of the caller, here.
    #[inline(always)]
    pub fn here() -> Registers {
        let mut registers = Registers::default();
        // SAFETY: reads registers only, and writes them to a variable.
        unsafe {
            asm!(
                "lea {scratch}, [rip]",
                "mov [{to}], {scratch}",
                "mov [{to} + 8], rsp",
                "mov [{to} + 16], rbx",
                "mov [{to} + 24], rbp",
                "mov [{to} + 32], r12",
                "mov [{to} + 40], r13",
                "mov [{to} + 48], r14",
                "mov [{to} + 56], r15",
                to = in(reg) &raw mut registers,
                scratch = out(reg) _,
                options(nostack, preserves_flags)
            );
        }
        registers
    }

    /// The registers of a suspended context ([`crate::fiber::x86_64`]), by its stack pointer.
    pub fn of_suspended(pointer: usize) -> Option<Registers> {
        let word = |offset: usize| probe::word(pointer + offset);
        let [r15, r14, r13, r12, rbx, rbp] = [8, 16, 24, 32, 40, 48].map(word);
        Some(Registers {
            instruction: word(56)?,
            stack: pointer as u64 + 64,
            kept: [rbx?, rbp?, r12?, r13?, r14?, r15?],
        })
    }
}

/// A function on a stack.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// What the registers hold in it, where it was interrupted or calls the one before; the instruction is as
    /// [`Unwinder::walk`] has it.
    pub registers: Registers,
    /// What the stack pointer was before the function was called; `None`: not known, and its caller is not either.
    pub frame: Option<u64>,
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// Walks stacks of the process it is in.
#[derive(Default)]
pub struct Unwinder {
    objects: Vec<Object>,
    /// Rules by instructions, each read once; `None`: the walk ends there.
    rules: Map<u64, Option<Rule>>,
}

impl Unwinder {
    /// Adds a loaded object.
    pub fn add(&mut self, object: Object) {
        self.objects.push(object);
    }

    /// Whether an address lies in an object that was added.
    pub fn knows(&self, address: u64) -> bool {
        self.objects.iter().any(|object| object.contains(address))
    }

    /// An instruction in each function on the stack, the innermost first: where it was interrupted, or its call of the
    /// one before. They are given to `calls`, which says whether to go on.
    pub fn walk(&mut self, registers: Registers, calls: &mut dyn FnMut(u64) -> bool) {
        self.walk_frames(registers, &mut |frame| calls(frame.registers.instruction));
    }

    /// The same, with what is known of the registers in each function.
    pub fn walk_frames(&mut self, registers: Registers, frames: &mut dyn FnMut(&Frame) -> bool) {
        self.walk_noting(registers, frames, &mut Looked::nothing());
    }

    /// What a [walk](Unwinder::walk) finds, with what `found` makes of the calls that `is_wanted` holds of, at most
    /// `most`: from memory, if one that finds the same is remembered among `walks` (by this `hint`).
    pub fn recall<T: Copy>(
        &mut self,
        (walks, hint): (&mut Walks<T>, u64),
        registers: Registers,
        (is_wanted, most): (&dyn Fn(u64) -> bool, usize),
        found: &mut dyn FnMut(Vec<u64>) -> T,
    ) -> T {
        if let Some(found) = walks.again(hint, &registers) {
            return found;
        }
        let (mut calls, mut looked) = (Vec::new(), Looked::nothing());
        let mut note = |frame: &Frame| {
            let call = frame.registers.instruction;
            if is_wanted(call) {
                calls.push(call);
            }
            calls.len() < most
        };
        self.walk_noting(registers, &mut note, &mut looked);
        let found = found(calls);
        walks.remember(hint, &registers, looked, found);
        found
    }

    /// The same as [`Unwinder::walk_frames`], with what it looked at.
    fn walk_noting(
        &mut self,
        mut registers: Registers,
        frames: &mut dyn FnMut(&Frame) -> bool,
        looked: &mut Looked,
    ) {
        // The first is an instruction that comes next; those behind are return addresses.
        for _ in 0..CALLS_MAX {
            let rule = self.rule(registers.instruction);
            let caller = rule.and_then(|rule| step(&registers, &rule, looked));
            let frame = caller.map(|caller| caller.stack);
            if !frames(&Frame { registers, frame }) {
                return;
            }
            let Some(caller) = caller else {
                return;
            };
            registers = Registers {
                instruction: caller.instruction.wrapping_sub(1),
                ..caller
            };
        }
    }

    /// The first instruction of the function that an instruction is in.
    pub fn function(&self, instruction: u64) -> Option<u64> {
        let mut objects = self.objects.iter();
        let object = objects.find(|object| object.contains(instruction))?;
        Some(object.function(instruction)?.start)
    }

    fn rule(&mut self, instruction: u64) -> Option<Rule> {
        if let Some(known) = self.rules.get(&instruction) {
            return *known;
        }
        let mut objects = self.objects.iter();
        let object = objects.find(|object| object.contains(instruction));
        let rule = object.and_then(|object| Some(object.function(instruction)?.rule));
        self.rules.insert(instruction, rule);
        rule
    }
}

/// The caller's registers.
fn step(registers: &Registers, rule: &Rule, looked: &mut Looked) -> Option<Registers> {
    let base = match rule.base {
        None => registers.stack,
        Some(index) => {
            looked.at_register(index, registers.kept[index]);
            registers.kept[index]
        }
    };
    let frame = base.wrapping_add_signed(rule.offset);
    // Stacks grow downwards: what does not is no stack.
    if frame <= registers.stack || !frame.is_multiple_of(8) {
        return None;
    }
    let mut kept = registers.kept;
    for (index, saved) in rule.kept.into_iter().enumerate() {
        if let Some(offset) = saved {
            let address = frame.wrapping_add_signed(offset);
            let Some(value) = probe::word(address as usize) else {
                looked.cut();
                return None;
            };
            kept[index] = value;
            looked.restored(index, address);
        }
    }
    let address = frame.wrapping_add_signed(rule.return_address);
    let instruction = probe::word(address as usize);
    looked.at_word(address, instruction);
    Some(Registers {
        instruction: instruction?,
        stack: frame,
        kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ffi::c_void;

    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, all: *mut c_void) -> i32 {
        // SAFETY: the loader passes a valid record, and the pointer given below.
        let (info, unwinder) = unsafe { (&*info, &mut *all.cast::<Unwinder>()) };
        let headers =
            // SAFETY: the array has that many entries.
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        // SAFETY: nothing is unloaded in a test.
        let object = unsafe { Object::of_headers(info.dlpi_addr as usize, headers) };
        object.into_iter().for_each(|object| unwinder.add(object));
        0
    }

    #[inline(never)]
    fn inner(unwinder: &mut Unwinder) -> Vec<u64> {
        let mut all = Vec::new();
        unwinder.walk(Registers::here(), &mut |call| {
            all.push(call);
            true
        });
        all
    }

    #[inline(never)]
    fn outer(unwinder: &mut Unwinder, room: usize) -> Vec<u64> {
        // A frame of a size that is not known before, which is found by rbp or another register.
        let words = vec![1u64; room];
        let all = inner(unwinder);
        assert_eq!(words.iter().sum::<u64>(), room as u64);
        all
    }

    #[test]
    fn the_functions_on_the_stack_come_in_their_order() {
        let mut unwinder = Unwinder::default();
        // SAFETY: the callback gets the pointer while the unwinder lives.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut unwinder).cast()) };
        let all = outer(&mut unwinder, 3);
        let is_in = |call: u64, function: usize| {
            let from = function as u64;
            (from..from + 4096).contains(&call)
        };
        assert!(is_in(all[0], inner as *const () as usize), "{all:x?}");
        assert!(is_in(all[1], outer as *const () as usize), "{all:x?}");
        // The test's harness, the thread's start and what is below.
        assert!(all.len() > 5, "{all:x?}");
        assert!(all.iter().all(|&call| unwinder.knows(call)), "{all:x?}");
        assert_eq!(outer(&mut unwinder, 3)[3..], all[3..]);
    }

    /// Walks from here, behind three calls: of `left` or `right`, as the bits of `way` say. Their frames are alike, so that
    /// only return addresses tell ways apart.
    #[inline(never)]
    fn behind(calls: u32, way: u32, walk: &mut dyn FnMut(Registers)) {
        match calls {
            0 => walk(Registers::here()),
            _ if way & 1 == 0 => left(calls - 1, way >> 1, walk),
            _ => right(calls - 1, way >> 1, walk),
        }
        core::hint::black_box(calls);
    }

    #[inline(never)]
    fn left(calls: u32, way: u32, walk: &mut dyn FnMut(Registers)) {
        behind(calls, way, walk);
        core::hint::black_box(1);
    }

    #[inline(never)]
    fn right(calls: u32, way: u32, walk: &mut dyn FnMut(Registers)) {
        behind(calls, way, walk);
        core::hint::black_box(2);
    }

    #[test]
    fn what_is_remembered_is_what_a_walk_finds() {
        let mut unwinder = Unwinder::default();
        // SAFETY: the callback gets the pointer while the unwinder lives.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut unwinder).cast()) };
        let mut walks = Walks::default();
        let mut made: Vec<Vec<u64>> = Vec::new();
        let mut stacks = Vec::new();
        // Each way twice in a row, and all of them several times.
        for round in 0..64 {
            behind(3, round / 2 % 8, &mut |registers| {
                let mut all = Vec::new();
                unwinder.walk(registers, &mut |call| {
                    all.push(call);
                    all.len() < 12
                });
                let mut keep = |calls: Vec<u64>| {
                    made.push(calls);
                    made.len() - 1
                };
                let wanted: (&dyn Fn(u64) -> bool, usize) = (&|_| true, 12);
                let found = unwinder.recall((&mut walks, 7), registers, wanted, &mut keep);
                assert_eq!(made[found], all);
                stacks.push(registers.stack);
            });
        }
        assert!(made.len() <= 32, "what was found is remembered");
        stacks.dedup();
        assert_eq!(stacks.len(), 1, "the ways begin alike");
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len(), 8, "the ways differ");
    }
}
