//! The pointers in an object of a type, and how a programmer writes what each points to.

use super::debug_info::{Die, Offset};
use super::types::{is_address, reference, Types};

/// Types nest finitely; the bound keeps damaged debug information from looping.
const NESTED_MAX: u32 = 32;
/// The most elements of an array that are looked at, and the most pointers in one type (chosen).
const ELEMENTS_MAX: u64 = 64;
const POINTERS_MAX: usize = 256;

/// A pointer in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Bytes from the beginning of the object.
    pub offset: u64,
    /// The visible part of the object that it is in, as `.head`; empty for the object itself.
    pub path: String,
    /// The type of what it points to.
    pub target: Offset,
    /// How that is written.
    pub by: By,
}

/// How what a pointer points to is written, after the name of the part of an object that has the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// `p->x`, `*p`: a pointer, or a class with such an operator.
    Arrow,
    /// `v[i].x`: a class with such an operator.
    Index,
    /// `r.x`: a reference.
    Name,
    /// `c[…].x`: a class does not say.
    Inside,
}

/// Where a part of an object is, while its type is looked through.
#[derive(Clone)]
struct At {
    offset: u64,
    path: String,
    /// The type of the visible part.
    class: Offset,
    /// Members are the class's own business.
    is_inside: bool,
    depth: u32,
}

impl Types<'_> {
    /// The pointers in an object of a type, in the order of its parts.
    pub fn pointers(&self, type_offset: Offset) -> Vec<Pointer> {
        let mut all = Vec::new();
        let at = At {
            offset: 0,
            path: String::new(),
            class: type_offset,
            is_inside: false,
            depth: 0,
        };
        self.look_for_pointers(type_offset, at, &mut all);
        self.tell_rows_apart(&mut all);
        all
    }

    /// Elements of a class that points to pointers to them are not in one row (`std::deque`): it does not say which one
    /// an address is of.
    fn tell_rows_apart(&self, all: &mut [Pointer]) {
        let pointed = |pointer: &Pointer| {
            let target = self.bare(pointer.target)?;
            let behind = is_address(target.tag()).then(|| reference(&target))??;
            Some((pointer.path.clone(), self.bare(behind)?.offset()))
        };
        let twice: Vec<_> = all.iter().filter_map(pointed).collect();
        for pointer in all.iter_mut().filter(|pointer| pointer.by == By::Index) {
            let is_it = |(path, target): &(String, Offset)| {
                *path == pointer.path && *target == pointer.target
            };
            if twice.iter().any(is_it) {
                pointer.by = By::Inside;
            }
        }
    }

    fn look_for_pointers(&self, type_offset: Offset, at: At, all: &mut Vec<Pointer>) {
        let Some(die) = self.bare(type_offset) else {
            return;
        };
        // Types nest finitely; the bound keeps damaged debug information from looping.
        if at.depth > 32 || all.len() >= POINTERS_MAX {
            return;
        }
        match die.tag() {
            tag if is_address(tag) => {
                let target = reference(&die).and_then(|target| self.bare(target));
                if let Some(target) = target.map(|target| target.offset()) {
                    let by = match at.is_inside {
                        true => self.written_by(at.class, target),
                        false if tag == gimli::DW_TAG_pointer_type => By::Arrow,
                        false => By::Name,
                    };
                    all.push(Pointer {
                        offset: at.offset,
                        path: at.path,
                        target,
                        by,
                    });
                }
            }
            gimli::DW_TAG_array_type => {
                let Some(inner) = reference(&die) else {
                    return;
                };
                let (size, whole) = (self.size(inner), self.size(type_offset));
                let count = whole.checked_div(size).unwrap_or(0).min(ELEMENTS_MAX);
                for index in 0..count {
                    let mut offset = index * size;
                    let Some((step, _)) = self.element(&die, &mut offset, 0) else {
                        return;
                    };
                    let path = match at.is_inside {
                        true => at.path.clone(),
                        false => at.path.clone() + &step,
                    };
                    let element = At {
                        offset: at.offset + index * size,
                        path,
                        class: if at.is_inside { at.class } else { inner },
                        depth: at.depth + 1,
                        ..at
                    };
                    self.look_for_pointers(inner, element, all);
                }
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                let is_closure = self.is_closure(&die);
                for member in self.members(&die) {
                    let name = match is_closure {
                        true => member.name.trim_start_matches('_'),
                        false => member.name.as_str(),
                    };
                    let is_inside = at.is_inside || name.starts_with('_');
                    let is_named = !is_inside && !name.is_empty();
                    let part = At {
                        offset: at.offset + member.offset,
                        path: match is_named {
                            true => format!("{}.{name}", at.path),
                            false => at.path.clone(),
                        },
                        class: match is_named {
                            true => member.type_offset,
                            false => at.class,
                        },
                        is_inside,
                        depth: at.depth + 1,
                    };
                    self.look_for_pointers(member.type_offset, part, all);
                }
            }
            _ => {}
        }
    }

    /// Whether a class is one that a lambda expression makes.
    pub fn is_closure(&self, class: &Die<'_>) -> bool {
        let name = self.name(class);
        name.is_empty() && class.tag() == gimli::DW_TAG_class_type || name.starts_with("<lambda")
    }

    /// How what an inner pointer of a class points to is written: by the class's operators, if it is of the type that the
    /// class is a template of.
    fn written_by(&self, class: Offset, target: Offset) -> By {
        let Some(class) = self.bare(class) else {
            return By::Inside;
        };
        let Some(argument) = self.first_argument(&class) else {
            return By::Inside;
        };
        let pointed = { is_address(argument.tag()).then(|| reference(&argument)) }
            .flatten()
            .and_then(|pointed| self.bare(pointed));
        if pointed.is_some_and(|pointed| pointed.offset() == target) {
            return By::Arrow;
        }
        match argument.offset() == target {
            true if self.has_method(&class, "operator->", 0) => By::Arrow,
            true if self.has_method(&class, "operator[]", 0) => By::Index,
            _ => By::Inside,
        }
    }

    fn first_argument(&self, class: &Die<'_>) -> Option<Die<'_>> {
        let mut first = None;
        self.children(class.offset(), &mut |child| {
            if child.tag() == gimli::DW_TAG_template_type_parameter && first.is_none() {
                first = reference(child);
            }
        });
        self.bare(first?)
    }

    /// Whether a class, or one that it is derived from, has a method of this name.
    fn has_method(&self, class: &Die<'_>, name: &str, depth: u32) -> bool {
        let (mut has, mut bases) = (false, Vec::new());
        self.children(class.offset(), &mut |child| match child.tag() {
            gimli::DW_TAG_subprogram => has |= self.name(child) == name,
            gimli::DW_TAG_inheritance => bases.extend(reference(child)),
            _ => {}
        });
        has || depth < 8 && { bases.into_iter().filter_map(|base| self.bare(base)) }
            .any(|base| self.has_method(&base, name, depth + 1))
    }

    /// Whether objects of a class know their class at run time, so that what is behind them may be more of the same object.
    pub fn is_polymorphic(&self, type_offset: Offset) -> bool {
        self.is_polymorphic_within(type_offset, NESTED_MAX)
    }

    fn is_polymorphic_within(&self, type_offset: Offset, depth: u32) -> bool {
        let Some(class) = self.bare(type_offset).filter(|_| depth > 0) else {
            return false;
        };
        let members = self.members(&class);
        let mut first = members.iter().filter(|member| member.offset == 0);
        first.any(|member| {
            member.name.starts_with("_vptr")
                || member.name.is_empty()
                    && self.is_polymorphic_within(member.type_offset, depth - 1)
        })
    }

    /// The name of a type as the source has it, without template arguments' defaults; empty if it has none.
    pub fn type_name(&self, type_offset: Offset) -> String {
        self.type_name_within(type_offset, NESTED_MAX)
    }

    fn type_name_within(&self, type_offset: Offset, depth: u32) -> String {
        let Some(die) = self.unit.entry(type_offset).ok().filter(|_| depth > 0) else {
            return String::new();
        };
        let inner = || {
            let inner = reference(&die);
            inner.map_or("void".to_owned(), |inner| {
                self.type_name_within(inner, depth - 1)
            })
        };
        match die.tag() {
            gimli::DW_TAG_pointer_type => format!("{}*", inner()),
            gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => inner(),
            _ => self.name(&die),
        }
    }
}
