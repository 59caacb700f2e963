//! What code without instrumentation can come to: its instructions, from the function that was entered.
//!
//! Jumps and calls are followed, into other objects, too. What is instrumented, or needs no instrumentation, is
//! left alone. Where a jump or a call goes through a register or a table, it may go anywhere in its own unit
//! (the library, or the object file): then all code of the unit counts.

use crate::foreign::objects::{Object, Range};
use core::mem::size_of;
use dpor_machine::probe;
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register,
};
use std::collections::{BTreeMap, BTreeSet};

/// Facts about the code of a unit, as far as it was followed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Facts {
    /// Whether the unit has instructions that order threads: atomic ones, fences.
    pub synchronises: bool,
    /// Whether the unit may write memory of its own or what a pointer there leads to, or use
    /// variables of the program.
    pub keeps_state: bool,
    /// Whether not all of the unit's code can be followed.
    pub is_opaque: bool,
}

impl Facts {
    /// Returns whether the unit only works on what it is given.
    pub fn are_harmless(self) -> bool {
        self == Facts::default()
    }

    /// Adds what is known of other code of the same unit.
    pub fn add(&mut self, other: Facts) {
        self.synchronises |= other.synchronises;
        self.keeps_state |= other.keeps_state;
        self.is_opaque |= other.is_opaque;
    }
}

/// A unit: a library, or an object file in an instrumented program or library, both by their positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unit {
    /// Position of the object in the list of loaded objects.
    pub object: usize,
    /// Which of the object files that were linked into it.
    pub linked: Option<usize>,
}

/// The loaded objects, as far as a [`Follower`] has to know them.
pub trait Map {
    /// Returns all loaded objects.
    fn objects(&self) -> &[Object];
    /// Returns the unit without instrumentation that an instruction belongs to. `None`: it need not
    /// be followed.
    fn unit_of(&self, address: usize) -> Option<Unit>;
    /// Returns the ranges of all code of a unit; `None` if they are not known.
    fn code_of(&self, unit: Unit) -> Option<Vec<Range>>;
    /// Code of it that does not count where all of it does.
    fn start_up(&self, unit: Unit) -> Range;
    /// Returns whether a function never returns.
    fn never_returns(&self, function: usize) -> bool;
    /// Returns whether a variable of the program may be used by anybody: a stream of libc's.
    fn is_everybodys(&self, address: usize) -> bool;
}

/// Facts about the units that can be reached from a function.
pub type Reached = BTreeMap<Unit, Facts>;

/// Follows code of functions, one after the other. All code of a unit, which counts where a jump may go anywhere, is
/// decoded once.
pub struct Follower<'a> {
    map: &'a dyn Map,
    /// By unit, what all its code leads to: the facts about the units there, and the units of which
    /// all code counts then.
    all_of: BTreeMap<Unit, (Reached, BTreeSet<Unit>)>,
}

impl<'a> Follower<'a> {
    /// Makes a follower of code in the objects of `map`.
    pub fn new(map: &'a dyn Map) -> Follower<'a> {
        Follower {
            map,
            all_of: BTreeMap::new(),
        }
    }

    /// Follows the code of a function.
    pub fn follow(&mut self, function: usize) -> Reached {
        let map = self.map;
        let (mut reached, mut open) = Walk::new(map).begin_at(function);
        let mut done = BTreeSet::new();
        while let Some(unit) = open.pop_first() {
            if !done.insert(unit) {
                continue;
            }
            let all = self.all_of.entry(unit);
            let (known, leads) = all.or_insert_with(|| Walk::new(map).begin_with_all_of(unit));
            for (&unit, &facts) in known.iter() {
                reached.entry(unit).or_default().add(facts);
            }
            open.extend(leads.iter());
        }
        reached
    }
}

/// Returns where an entry of a table of jumps leads (`jmp [rip + …]`); `None` if the address is of
/// no such entry.
pub fn jump_of_table(address: usize) -> Option<usize> {
    let bytes = [probe::word(address)?, probe::word(address + 8)?];
    let bytes: Vec<u8> = bytes.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut decoder = Decoder::with_ip(64, &bytes, address as u64, DecoderOptions::NONE);
    let mut jump = decoder.decode();
    if jump.mnemonic() == Mnemonic::Endbr64 {
        jump = decoder.decode();
    }
    let is_jump = jump.flow_control() == FlowControl::IndirectBranch;
    let slot = is_jump && jump.op0_kind() == OpKind::Memory && jump.is_ip_rel_memory_operand();
    let slot = slot.then(|| jump.ip_rel_memory_address() as usize)?;
    probe::word(slot).map(|target| target as usize)
}

/// Returns whether code of an object calls another object, or reads where something of it is.
pub fn calls(object: &Object, code: Range, other: &Object) -> bool {
    let mut all = instructions(object, code);
    all.any(|instruction| leads(object, &instruction).any(|target| other.has_code(target)))
}

/// Which of the functions are called from code of their object, or their address taken there.
pub fn used(
    object: &Object,
    code: impl Iterator<Item = Range>,
    functions: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let all = code.flat_map(|code| instructions(object, code));
    let leads = all.flat_map(|instruction| leads(object, &instruction));
    leads.filter(|target| functions.contains(target)).collect()
}

/// Returns the instructions of a function.
fn instructions(object: &Object, code: Range) -> impl Iterator<Item = Instruction> {
    let is_there = object.has_code(code.start) && object.has_code(code.end.saturating_sub(1));
    let length = if is_there { code.len() } else { 0 };
    // SAFETY: code that is mapped as long as the object is loaded, and that nobody writes.
    let bytes = unsafe { core::slice::from_raw_parts(code.start as *const u8, length) };
    let mut decoder = Decoder::with_ip(64, bytes, code.start as u64, DecoderOptions::NONE);
    core::iter::from_fn(move || decoder.can_decode().then(|| decoder.decode()))
}

/// Returns the addresses to which an instruction jumps or calls, or at which it points, through a
/// table or not.
fn leads(object: &Object, instruction: &Instruction) -> impl Iterator<Item = usize> {
    let is_direct = instruction.is_call_near() || instruction.is_jmp_short_or_near();
    let target = is_direct.then(|| instruction.near_branch_target() as usize);
    let through = target.and_then(jump_of_table);
    let is_relative = instruction.is_ip_rel_memory_operand();
    let place = is_relative.then(|| instruction.ip_rel_memory_address() as usize);
    let word = place.and_then(|place| object.fixed_word(place));
    [target, through, place, word].into_iter().flatten()
}

struct Walk<'a> {
    map: &'a dyn Map,
    factory: InstructionInfoFactory,
    /// Instructions at which to go on.
    open: Vec<usize>,
    /// Instructions that were looked at.
    seen: BTreeSet<usize>,
    /// Units all code of which counts.
    whole: BTreeSet<Unit>,
    reached: Reached,
}

impl<'a> Walk<'a> {
    fn new(map: &'a dyn Map) -> Walk<'a> {
        Walk {
            map,
            factory: InstructionInfoFactory::new(),
            open: Vec::new(),
            seen: BTreeSet::new(),
            whole: BTreeSet::new(),
            reached: Reached::new(),
        }
    }

    fn begin_at(mut self, function: usize) -> (Reached, BTreeSet<Unit>) {
        self.open.push(function);
        self.go_on()
    }

    fn begin_with_all_of(mut self, unit: Unit) -> (Reached, BTreeSet<Unit>) {
        self.all_of(unit);
        self.go_on()
    }

    fn go_on(mut self) -> (Reached, BTreeSet<Unit>) {
        while let Some(at) = self.open.pop() {
            self.run(at);
        }
        (self.reached, self.whole)
    }

    /// Goes on at an instruction until the code ends there.
    fn run(&mut self, mut at: usize) {
        while let Some(unit) = self.map.unit_of(at) {
            self.reached.entry(unit).or_default();
            if !self.seen.insert(at) {
                return;
            }
            let Some(instruction) = self.decode(unit, at) else {
                self.note(unit, |facts| facts.is_opaque = true);
                return;
            };
            self.look(unit, &instruction);
            let next = instruction.next_ip() as usize;
            match instruction.flow_control() {
                FlowControl::Next | FlowControl::XbeginXabortXend => at = next,
                FlowControl::ConditionalBranch => {
                    self.open.push(instruction.near_branch_target() as usize);
                    at = next;
                }
                FlowControl::UnconditionalBranch => {
                    let target = instruction.near_branch_target() as usize;
                    at = jump_of_table(target).unwrap_or(target);
                }
                FlowControl::Call => {
                    let target = instruction.near_branch_target() as usize;
                    let target = jump_of_table(target).unwrap_or(target);
                    self.open.push(target);
                    if self.map.never_returns(target) {
                        return;
                    }
                    at = next;
                }
                FlowControl::IndirectBranch => {
                    match self.constant_target(unit, &instruction) {
                        Some(target) => self.open.push(target),
                        None => drop(self.whole.insert(unit)),
                    }
                    return;
                }
                FlowControl::IndirectCall => {
                    match self.constant_target(unit, &instruction) {
                        Some(target) if self.map.never_returns(target) => return,
                        Some(target) => self.open.push(target),
                        None => drop(self.whole.insert(unit)),
                    }
                    at = next;
                }
                FlowControl::Return | FlowControl::Interrupt | FlowControl::Exception => return,
            }
        }
    }

    fn decode(&self, unit: Unit, at: usize) -> Option<Instruction> {
        let code = &self.map.objects()[unit.object].code;
        let range = code.iter().find(|range| range.contains(&at))?;
        // SAFETY: code that is mapped as long as the object is loaded, and that nobody writes.
        let bytes = unsafe { core::slice::from_raw_parts(at as *const u8, range.end - at) };
        let instruction = Decoder::with_ip(64, bytes, at as u64, DecoderOptions::NONE).decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    /// Adds what all code of a unit leads to: a jump may go anywhere in it.
    fn all_of(&mut self, unit: Unit) {
        let Some(ranges) = self.map.code_of(unit) else {
            self.note(unit, |facts| facts.is_opaque = true);
            return;
        };
        let left_out = self.map.start_up(unit);
        for range in ranges {
            let mut at = range.start;
            while at < range.end {
                if left_out.contains(&at) {
                    at = left_out.end;
                    continue;
                }
                // Tables between functions are no code: behind the byte it may begin again.
                let Some(instruction) = self.decode(unit, at) else {
                    at += 1;
                    continue;
                };
                self.look(unit, &instruction);
                match instruction.flow_control() {
                    FlowControl::Call | FlowControl::UnconditionalBranch => {
                        let target = instruction.near_branch_target() as usize;
                        self.open.push(jump_of_table(target).unwrap_or(target));
                    }
                    FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                        let target = self.constant_target(unit, &instruction);
                        self.open.extend(target);
                    }
                    _ => {}
                }
                at = instruction.next_ip() as usize;
            }
        }
    }

    /// Returns where a jump or call through memory goes, if the linker wrote that for good.
    fn constant_target(&self, unit: Unit, instruction: &Instruction) -> Option<usize> {
        let through = instruction.op0_kind() == OpKind::Memory;
        let slot = (through && instruction.is_ip_rel_memory_operand())
            .then(|| instruction.ip_rel_memory_address() as usize)?;
        self.map.objects()[unit.object].fixed_word(slot)
    }

    fn note(&mut self, unit: Unit, change: impl FnOnce(&mut Facts)) {
        change(self.reached.entry(unit).or_default());
    }

    /// Notes what an instruction says of its unit.
    fn look(&mut self, unit: Unit, instruction: &Instruction) {
        let mut facts = Facts {
            synchronises: orders_threads(instruction),
            ..Facts::default()
        };
        let objects = self.map.objects();
        let own = &objects[unit.object];
        // A library's memory is its own. In an instrumented program others use it, too.
        let is_shared = own.is_instrumented;
        for address in constants(instruction, own.base == 0) {
            let is_used = self.is_written(instruction) || may_load_pointer(instruction);
            let mine = own.can_write(address) && !self.map.is_everybodys(address);
            facts.keeps_state |= mine && (is_shared || is_used);
            // What a constant leads to may be written, and what is one step further.
            let Some(word) = own.fixed_word(address) else {
                continue;
            };
            let takes_address = instruction.mnemonic() == Mnemonic::Lea;
            facts.keeps_state |= takes_address && own.has_constant_ways_to_written();
            let others = { objects.iter() }.filter(|object| object.why.is_none());
            let leads = others.filter(|object| object.can_write(word));
            facts.keeps_state |= leads.count() > 0 && !self.map.is_everybodys(word);
        }
        self.note(unit, |known| known.add(facts));
    }

    /// Returns whether an instruction writes the memory it names, or takes its address.
    fn is_written(&mut self, instruction: &Instruction) -> bool {
        if !(0..instruction.op_count()).any(|k| instruction.op_kind(k) == OpKind::Memory) {
            // An immediate that is an address.
            return true;
        }
        let info = self.factory.info(instruction);
        let reads_only = |access| matches!(access, OpAccess::Read | OpAccess::CondRead);
        let memory = info.used_memory();
        memory.is_empty() || !memory.iter().all(|used| reads_only(used.access()))
    }
}

/// Returns whether an instruction is atomic or a fence. System calls are seen wherever they come
/// from.
fn orders_threads(instruction: &Instruction) -> bool {
    let memory = || (0..instruction.op_count()).any(|k| instruction.op_kind(k) == OpKind::Memory);
    match instruction.mnemonic() {
        Mnemonic::Xchg => memory(),
        Mnemonic::Mfence | Mnemonic::Xbegin | Mnemonic::Monitor => true,
        _ => instruction.has_lock_prefix(),
    }
}

/// Returns whether an instruction that reads memory may take a pointer from there: what that leads
/// to may be written, and is no memory of the caller's. Jumps and calls are followed instead.
fn may_load_pointer(instruction: &Instruction) -> bool {
    let only_compares = matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
    let is_next = instruction.flow_control() == FlowControl::Next;
    is_next && !only_compares && instruction.memory_size().size() >= size_of::<usize>()
}

/// Addresses that an instruction has in it. `low`: its object lies where it was linked for, so that numbers may
/// be addresses.
fn constants(instruction: &Instruction, low: bool) -> impl Iterator<Item = usize> {
    let is_memory = (0..instruction.op_count()).any(|k| instruction.op_kind(k) == OpKind::Memory);
    let own_segment = !matches!(instruction.segment_prefix(), Register::FS | Register::GS);
    let relative = (is_memory && instruction.is_ip_rel_memory_operand())
        .then(|| instruction.ip_rel_memory_address());
    let absolute = (is_memory && low && own_segment && !instruction.is_ip_rel_memory_operand())
        .then(|| instruction.memory_displacement64());
    let is_number = |k: u32| {
        matches!(
            instruction.op_kind(k),
            OpKind::Immediate32 | OpKind::Immediate64 | OpKind::Immediate32to64
        )
    };
    let number = (0..instruction.op_count())
        .find(|&k| low && is_number(k))
        .map(|k| instruction.immediate(k));
    [relative, absolute, number]
        .into_iter()
        .flatten()
        .map(|address| address as usize)
}
