//! Local variables of a function on a stack, and where each is at that moment.
//!
//! **Source**: DWARF 5, sections 2.6 (locations), 3.3 (functions, and what was inlined), 3.5 (blocks).
//!
//! **Deviations**
//! 1. A variable of which parts are in several places is left out, and so is one in a register that a call does not
//!    preserve.

use super::debug_info::{declared, DebugInfo, Die, Offset, Reader, Unit};
use dpor_report::image::Registers;
use dpor_report::library;
use gimli::{AttributeValue as Value, EvaluationResult as Needs, Expression, Location, X86_64};

/// A local variable or a parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; `this` for the object of a method.
    pub name: String,
    /// Index of its unit.
    pub unit: usize,
    /// Its type.
    pub type_offset: Offset,
    /// Where it is.
    pub held: Held,
    /// Path of the file with the declaration; empty if unknown.
    pub file: String,
    /// Line of the declaration; 0 if unknown.
    pub line: u32,
    /// The variable is a library's, or `this` in one of a library's functions.
    pub is_library: bool,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// In memory, at an address.
    At(u64),
    /// In a register: the value.
    Value(u64),
}

/// A function on a stack.
pub struct Function<'a> {
    /// What its registers hold.
    pub registers: &'a Registers,
    /// The difference between addresses in memory and in the file.
    pub base: u64,
    /// Reads a word of memory.
    pub read: &'a dyn Fn(u64) -> Option<u64>,
}

impl DebugInfo {
    /// The variables that are visible where the function stands, those of inner blocks first.
    pub fn locals(&self, function: &Function<'_>) -> Vec<Local> {
        let at = function.registers.instruction.wrapping_sub(function.base);
        let Some((unit, offset)) = self.function_at(at) else {
            return Vec::new();
        };
        let Some(dwarf) = self.dwarf() else {
            return Vec::new();
        };
        let mut scope = Scope {
            dwarf,
            unit: &self.units()[unit],
            number: unit,
            function,
            at,
            frame_base: None,
            found: Vec::new(),
        };
        let _ = scope.visit_function(offset);
        scope.found.reverse();
        scope.found
    }
}

struct Scope<'a> {
    dwarf: &'a gimli::Dwarf<Reader>,
    unit: &'a Unit,
    number: usize,
    function: &'a Function<'a>,
    /// The instruction, as the file has it.
    at: u64,
    frame_base: Option<u64>,
    /// Outer ones first.
    found: Vec<Local>,
}

impl Scope<'_> {
    fn visit_function(&mut self, offset: Offset) -> gimli::Result<()> {
        let mut tree = self.unit.entries_tree(Some(offset))?;
        let root = tree.root()?;
        if let Some(Value::Exprloc(base)) = root.entry().attr_value(gimli::DW_AT_frame_base)? {
            self.frame_base = match self.evaluate(base) {
                Some(Held::At(address) | Held::Value(address)) => Some(address),
                None => None,
            };
        }
        let file = self.file_of(root.entry())?;
        self.visit(root, &file)
    }

    /// Path of the file with the declaration of a function; empty if unknown.
    fn file_of(&self, function: &Die<'_>) -> gimli::Result<String> {
        Ok(declared(self.dwarf, self.unit, function)?.file)
    }

    /// Visits a function, or a part of one, that the file has.
    fn visit(
        &mut self,
        node: gimli::EntriesTreeNode<'_, '_, '_, Reader>,
        file: &str,
    ) -> gimli::Result<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            match child.entry().tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let found = self.variable(child.entry(), file)?;
                    self.found.extend(found);
                }
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine
                    if self.stands_in(child.entry())? =>
                {
                    let inlined = match child.entry().tag() {
                        gimli::DW_TAG_inlined_subroutine => Some(self.file_of(child.entry())?),
                        _ => None,
                    };
                    self.visit(child, inlined.as_deref().unwrap_or(file))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn stands_in(&self, block: &Die<'_>) -> gimli::Result<bool> {
        let mut ranges = self.dwarf.die_ranges(self.unit, block)?;
        while let Some(range) = ranges.next()? {
            if (range.begin..range.end).contains(&self.at) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn variable(&self, entry: &Die<'_>, file: &str) -> gimli::Result<Option<Local>> {
        let Some(held) = self.held(entry)? else {
            return Ok(None);
        };
        let declared = declared(self.dwarf, self.unit, entry)?;
        let (Some(type_offset), false) = (declared.type_offset, declared.name.is_empty()) else {
            return Ok(None);
        };
        let file = match declared.file.as_str() {
            "" => file,
            own => own,
        };
        Ok(Some(Local {
            is_library: library::is_library(file, &[]),
            name: declared.name,
            unit: self.number,
            type_offset,
            held,
            file: declared.file,
            line: declared.line,
        }))
    }

    fn held(&self, entry: &Die<'_>) -> gimli::Result<Option<Held>> {
        let expression = match entry.attr_value(gimli::DW_AT_location)? {
            Some(Value::Exprloc(expression)) => Some(expression),
            Some(list) => self.listed(list)?,
            None => None,
        };
        Ok(expression.and_then(|expression| self.evaluate(expression)))
    }

    /// The location in a list that counts here.
    fn listed(&self, list: Value<Reader>) -> gimli::Result<Option<Expression<Reader>>> {
        let Some(mut entries) = self.dwarf.attr_locations(self.unit, list)? else {
            return Ok(None);
        };
        while let Some(entry) = entries.next()? {
            if (entry.range.begin..entry.range.end).contains(&self.at) {
                return Ok(Some(entry.data));
            }
        }
        Ok(None)
    }

    /// What an expression says; `None` if it needs what is not known.
    fn evaluate(&self, expression: Expression<Reader>) -> Option<Held> {
        let mut evaluation = expression.evaluation(self.unit.encoding());
        evaluation.set_max_iterations(1000);
        let mut needs = evaluation.evaluate().ok()?;
        loop {
            needs = match needs {
                Needs::Complete => break,
                Needs::RequiresRegister { register, .. } => {
                    let value = gimli::Value::Generic(self.register(register)?);
                    evaluation.resume_with_register(value)
                }
                Needs::RequiresMemory {
                    address,
                    size,
                    space: None,
                    ..
                } => {
                    let value = part_of((self.function.read)(address)?, size);
                    evaluation.resume_with_memory(gimli::Value::Generic(value))
                }
                Needs::RequiresFrameBase => evaluation.resume_with_frame_base(self.frame_base?),
                Needs::RequiresCallFrameCfa => {
                    let frame = Some(self.function.registers.frame).filter(|&frame| frame != 0);
                    evaluation.resume_with_call_frame_cfa(frame?)
                }
                Needs::RequiresRelocatedAddress(address) => {
                    let address = address.wrapping_add(self.function.base);
                    evaluation.resume_with_relocated_address(address)
                }
                Needs::RequiresIndexedAddress { index, relocate } => {
                    let address = self.dwarf.address(self.unit, index).ok()?;
                    let base = if relocate { self.function.base } else { 0 };
                    evaluation.resume_with_indexed_address(address.wrapping_add(base))
                }
                _ => return None,
            }
            .ok()?;
        }
        let pieces = evaluation.result();
        let [piece] = &pieces[..] else { return None };
        match piece.location {
            Location::Address { address } => Some(Held::At(address)),
            Location::Register { register } => self.register(register).map(Held::Value),
            Location::Value { value } => value.to_u64(!0).ok().map(Held::Value),
            _ => None,
        }
    }

    fn register(&self, register: gimli::Register) -> Option<u64> {
        let Registers {
            stack,
            kept: [rbx, rbp, r12, r13, r14, r15],
            ..
        } = *self.function.registers;
        Some(match register {
            X86_64::RSP => stack,
            X86_64::RBX => rbx,
            X86_64::RBP => rbp,
            X86_64::R12 => r12,
            X86_64::R13 => r13,
            X86_64::R14 => r14,
            X86_64::R15 => r15,
            _ => return None,
        })
    }
}

/// The first bytes of a word.
pub fn part_of(word: u64, bytes: u8) -> u64 {
    match bytes {
        0 => 0,
        1..8 => word & ((1 << (8 * u32::from(bytes))) - 1),
        _ => word,
    }
}
