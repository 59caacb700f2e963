//! Names of what has no name of its own, blocks of the heap and variables on stacks: by a way that leads there from a
//! variable.
//!
//! ```text
//!   q (a variable of main's)        block of 16 bytes          block of 16 bytes
//!   ┌───────┐                       ┌───────┐                  ┌───────┐
//!   │ head ─┼──── Node* ──────────► │ next ─┼──── Node* ─────► │ value │   q.head->next->value
//!   └───────┘                       └───────┘                  └───────┘
//! ```
//!
//! Variables with static storage come first, then those of functions on stacks; a library's own
//! last; shorter ways before longer ones. What a
//! class keeps to itself is not named: `v[2]`, and not `v._M_impl._M_start[2]`.

use super::debug_info::{DebugInfo, Found, Offset};
use super::pointers::{By, Pointer};
use super::scopes::{Function, Held, Local};
use super::types::Types;
use super::values::Written;
use dpor_report::image::Image;
use dpor_report::LoadedObject;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// The most objects that are looked at (chosen: a list of so many elements is named to its end in some milliseconds).
const OBJECTS_MAX: usize = 20_000;

/// The most elements of an array on the heap whose pointers are followed (chosen).
const ELEMENTS_MAX: u64 = 256;

/// The files of a process that debug information was read from, with where they are loaded.
pub type Files = Vec<(Rc<DebugInfo>, LoadedObject)>;

/// A type of one of the files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Type {
    file: usize,
    unit: usize,
    offset: Offset,
}

/// How the name of a whole object continues with the name of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// `x` and `x.part`.
    Object,
    /// `*p` and `p->part`; of several objects one after another `p[2].part`.
    Pointer,
    /// `v[2].part`.
    Indexed,
    /// `c[…].part`.
    Inside,
    /// What a lambda expression captured: `part`.
    Closure,
}

/// Objects of one type, one after another, to which a way leads.
struct Reached {
    start: u64,
    size: u64,
    count: u64,
    of: Type,
    base: Base,
    name: String,
    /// File and line of the declaration of a variable.
    declared: Option<(String, u32)>,
    /// It is all of a block of the heap, or lies in none.
    is_whole: bool,
    /// It is a block of the heap, or a part of one.
    is_block: bool,
}

/// What was found at an address.
pub struct Named {
    /// Its name, size and declaration.
    pub found: Found,
    /// The name of the type of the objects in the block of the heap that it lies in; empty if it lies in none.
    pub block_of: String,
    /// Index of the file that has its type.
    file: usize,
}

/// The ways through the memory of one moment.
pub struct Paths<'a> {
    files: &'a Files,
    memory: BTreeMap<u64, &'a [u64]>,
    blocks: BTreeMap<u64, u64>,
    all: Vec<Reached>,
    known: HashSet<(u64, Type)>,
    pointers: HashMap<Type, Rc<Vec<Pointer>>>,
}

impl<'a> Paths<'a> {
    /// Follows the ways from all variables.
    pub fn new(files: &'a Files, image: &'a Image) -> Paths<'a> {
        let parts = image.parts.iter();
        let mut paths = Paths {
            files,
            memory: parts
                .map(|part| (part.address, part.words.as_slice()))
                .collect(),
            blocks: image.blocks.iter().copied().collect(),
            all: Vec::new(),
            known: HashSet::new(),
            pointers: HashMap::new(),
        };
        paths.add_statics();
        paths.add_locals(image, |local| !local.is_library && local.name != "this");
        paths.add_locals(image, |local| !local.is_library && local.name == "this");
        paths.add_locals(image, |local| local.is_library);
        let mut next = 0;
        while next < paths.all.len() && paths.all.len() < OBJECTS_MAX {
            paths.follow(next);
            next += 1;
        }
        paths
    }

    /// What is at an address, of which so many bytes are meant (0 if unknown).
    pub fn find(&self, address: u64, wanted: u64) -> Option<Named> {
        let covers = |reached: &&Reached| {
            (reached.start..reached.start + reached.size * reached.count).contains(&address)
        };
        // The whole of a block says best what it is; an element of something that does not say which is the last resort.
        let rank = |reached: &&Reached| {
            let is_vague = reached.base == Base::Inside || reached.name.contains('…');
            (is_vague, !reached.is_whole)
        };
        let reached = self.all.iter().filter(covers).min_by_key(rank)?;
        let at = address - reached.start;
        let part = self
            .types(reached.of)
            .part(reached.of.offset, at % reached.size, wanted);
        let index = (reached.count > 1).then_some(at / reached.size);
        let (file, line) = reached.declared.clone().unwrap_or_default();
        let block_of = match reached.is_block {
            true => self.types(reached.of).type_name(reached.of.offset),
            false => String::new(),
        };
        Some(Named {
            found: Found {
                name: written(&reached.name, reached.base, index, &part.path),
                size: part.size,
                file,
                line,
                value_type: part.type_offset.map(|offset| (reached.of.unit, offset)),
            },
            block_of,
            file: reached.of.file,
        })
    }

    /// A value of what was found, as the source would write it; `None` if that is the number.
    pub fn value(&self, named: &Named, value: u64) -> Option<Written> {
        self.files[named.file].0.value(&named.found, value)
    }

    fn types(&self, of: Type) -> Types<'_> {
        let info = &self.files[of.file].0;
        Types {
            dwarf: info.dwarf().expect("there are types"),
            unit: &info.units()[of.unit],
        }
    }

    fn read(&self, address: u64) -> Option<u64> {
        let word = |address: u64| {
            let (start, words) = self.memory.range(..=address).next_back()?;
            words
                .get(usize::try_from((address - start) / 8).ok()?)
                .copied()
        };
        let (low, shift) = (word(address & !7)?, 8 * (address & 7));
        match shift {
            0 => Some(low),
            _ => Some(low >> shift | word((address & !7) + 8)? << (64 - shift)),
        }
    }

    fn add_statics(&mut self) {
        let files = self.files;
        for (file, (info, object)) in files.iter().enumerate() {
            for (address, name, unit, offset) in info.statics() {
                let of = Type { file, unit, offset };
                // It has a name without a way; only pointers in it are of interest.
                self.add(
                    address.wrapping_add(object.base),
                    of,
                    Base::Object,
                    name,
                    None,
                );
            }
        }
    }

    fn add_locals(&mut self, image: &Image, is_wanted: impl Fn(&Local) -> bool) {
        for registers in image
            .stacks
            .iter()
            .flat_map(|stack| stack.frames.iter().rev())
        {
            let is_in = |(_, object): &(_, LoadedObject)| {
                (object.start..object.end).contains(&registers.instruction)
            };
            let Some(file) = self.files.iter().position(is_in) else {
                continue;
            };
            let (info, object) = &self.files[file];
            let function = Function {
                registers,
                base: object.base,
                read: &|address| self.read(address),
            };
            for local in info.locals(&function) {
                if local.name.starts_with('_') || !is_wanted(&local) {
                    continue;
                }
                let of = Type {
                    file,
                    unit: local.unit,
                    offset: local.type_offset,
                };
                let declared = Some((local.file, local.line)).filter(|(file, _)| !file.is_empty());
                let base = match self.is_closure(of) {
                    true => Base::Closure,
                    false => Base::Object,
                };
                match local.held {
                    Held::At(address) => {
                        self.add(address, of, base, &local.name, declared);
                    }
                    Held::Value(value) => {
                        let pointers = self.pointers(of);
                        let pointer = pointers.iter().find(|pointer| pointer.offset == 0);
                        if let Some(pointer) = pointer {
                            self.point(&local.name, base, None, (of, pointer), value);
                        }
                    }
                }
            }
        }
    }

    fn add(
        &mut self,
        start: u64,
        of: Type,
        base: Base,
        name: &str,
        declared: Option<(String, u32)>,
    ) {
        let size = self.types(of).size(of.offset);
        let is_there = size > 0 && self.read(start & !7).is_some();
        if !is_there || !self.known.insert((start, of)) {
            return;
        }
        let block = { self.blocks.range(..=start).next_back() }
            .map(|(&from, &bytes)| (from, from + bytes))
            .filter(|&(_, end)| start < end);
        let mut count = 1;
        if let Some((_, end)) = block {
            // What is said to be larger than its block is something else.
            if start + size > end {
                return;
            }
            let is_row =
                (end - start).is_multiple_of(size) && !self.types(of).is_polymorphic(of.offset);
            let is_pointed_at = matches!(base, Base::Pointer | Base::Indexed | Base::Inside);
            if is_row && is_pointed_at {
                count = (end - start) / size;
            }
        }
        let whole = (start, start + size * count);
        self.all.push(Reached {
            start,
            size,
            count,
            of,
            base,
            name: name.to_owned(),
            declared,
            is_whole: block.is_none_or(|block| block == whole),
            is_block: block.is_some(),
        });
    }

    fn pointers(&mut self, of: Type) -> Rc<Vec<Pointer>> {
        if let Some(known) = self.pointers.get(&of) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.types(of).pointers(of.offset));
        self.pointers.insert(of, Rc::clone(&found));
        found
    }

    /// Adds what the pointers in an object point to.
    fn follow(&mut self, at: usize) {
        let Reached {
            start,
            size,
            count,
            of,
            base,
            ..
        } = self.all[at];
        let pointers = self.pointers(of);
        if pointers.is_empty() {
            return;
        }
        let name = self.all[at].name.clone();
        for index in 0..count.min(ELEMENTS_MAX) {
            for pointer in pointers.iter() {
                let Some(value) = self.read(start + index * size + pointer.offset) else {
                    continue;
                };
                let index = (count > 1).then_some(index);
                self.point(&name, base, index, (of, pointer), value);
            }
        }
    }

    /// Adds what a pointer in an object points to.
    fn point(
        &mut self,
        name: &str,
        base: Base,
        index: Option<u64>,
        (of, pointer): (Type, &Pointer),
        value: u64,
    ) {
        if value < 4096 || self.all.len() >= OBJECTS_MAX {
            return;
        }
        let target = Type {
            offset: pointer.target,
            ..of
        };
        let is_again_inside =
            base == Base::Inside && pointer.by == By::Inside && pointer.path.is_empty();
        let name = match is_again_inside {
            true => name.to_owned(),
            false => written(name, base, index, &pointer.path),
        };
        let (name, base) = match pointer.by {
            By::Arrow if self.is_closure(target) => (name, Base::Closure),
            By::Arrow => (name, Base::Pointer),
            By::Index => (name, Base::Indexed),
            By::Name if self.is_closure(target) => (name, Base::Closure),
            By::Name => (name, Base::Object),
            By::Inside => (name, Base::Inside),
        };
        self.add(value, target, base, &name, None);
    }

    fn is_closure(&self, of: Type) -> bool {
        let types = self.types(of);
        types
            .bare(of.offset)
            .is_some_and(|class| types.is_closure(&class))
    }
}

/// The name of a part of an object.
fn written(name: &str, base: Base, index: Option<u64>, part: &str) -> String {
    // An operator in front of the name binds less than what comes behind.
    let grouped = match name.starts_with('*') {
        true => format!("({name})"),
        false => name.to_owned(),
    };
    match (base, index) {
        (Base::Object, _) if part.is_empty() => name.to_owned(),
        (Base::Object, _) => grouped + part,
        (Base::Closure, _) if part.is_empty() => name.to_owned(),
        (Base::Closure, _) => part.trim_start_matches('.').to_owned(),
        (Base::Inside, _) => format!("{grouped}[…]{part}"),
        (Base::Indexed, index) | (Base::Pointer, index @ Some(_)) => {
            format!("{grouped}[{}]{part}", index.unwrap_or(0))
        }
        (Base::Pointer, None) => match part.strip_prefix('.') {
            Some(member) => format!("{grouped}->{member}"),
            None if part.is_empty() => format!("*{name}"),
            None => format!("(*{name}){part}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        let check = |base, index, part, expect: &str| {
            assert_eq!(written("p", base, index, part), expect);
        };
        check(Base::Object, None, "", "p");
        check(Base::Object, None, ".x[2]", "p.x[2]");
        check(Base::Pointer, None, "", "*p");
        check(Base::Pointer, None, ".x", "p->x");
        check(Base::Pointer, None, "[3]", "(*p)[3]");
        check(Base::Pointer, Some(0), ".x", "p[0].x");
        check(Base::Indexed, None, ".x", "p[0].x");
        check(Base::Indexed, Some(2), "", "p[2]");
        check(Base::Inside, Some(2), ".x", "p[…].x");
        check(Base::Closure, None, ".x", "x");
        assert_eq!(written("*p", Base::Pointer, None, ".x"), "(*p)->x");
        assert_eq!(written("*p", Base::Object, None, ""), "*p");
    }
}
