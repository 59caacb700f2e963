//! Types of one unit of debug information: their sizes, and the names of their parts.
//!
//! **Source**: DWARF 5, sections 5.5 and 5.7 (arrays, structures).

use super::debug_info::{Die, Offset, Reader, Unit};
use gimli::AttributeValue as Value;
use gimli::Reader as _;

/// A part of a variable.
#[derive(Debug, Default)]
pub struct Part {
    /// The path of the part in the variable, as `[3].balance`.
    pub path: String,
    /// Number of bytes; 0 if unknown.
    pub size: u64,
    /// Its type; `None` if unknown.
    pub(super) type_offset: Option<Offset>,
}

/// The types of one unit.
pub struct Types<'u> {
    pub(super) dwarf: &'u gimli::Dwarf<Reader>,
    pub(super) unit: &'u Unit,
}

/// A member of a structure.
pub(super) struct Member {
    /// Empty for a base class or an anonymous structure.
    pub(super) name: String,
    pub(super) offset: u64,
    pub(super) type_offset: Offset,
}

impl<'u> Types<'u> {
    /// Names the part at `offset` by its members and indices, down to the smallest one that has
    /// `wanted` bytes. What a library keeps to itself (names with an underscore in front) is not
    /// shown: a mutex is `m`, not `m.__data.__lock`.
    pub fn part(&self, type_offset: Offset, mut offset: u64, wanted: u64) -> Part {
        let mut part = Part::default();
        let mut type_offset = type_offset;
        // Types nest finitely; the bound keeps damaged debug information from looping.
        for _ in 0..64 {
            let Some(die) = self.bare(type_offset) else {
                break;
            };
            part.size = self.size(type_offset);
            part.type_offset = Some(type_offset);
            let next = match die.tag() {
                gimli::DW_TAG_array_type => self.element(&die, &mut offset, wanted),
                gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type
                | gimli::DW_TAG_union_type => self.member(&die, &mut offset),
                _ => {
                    if offset > 0 {
                        part.path += &format!("+{offset}");
                    }
                    break;
                }
            };
            let Some((step, inner)) = next else {
                break;
            };
            // More than this member is meant.
            if self.size(inner) < wanted {
                break;
            }
            part.path += &step;
            type_offset = inner;
        }
        part
    }

    /// `[i][j]` and the type of the element.
    pub(super) fn element(
        &self,
        array: &Die<'_>,
        offset: &mut u64,
        wanted: u64,
    ) -> Option<(String, Offset)> {
        let inner = reference(array)?;
        let size = self.size(inner);
        if size == 0 || wanted > size {
            return None;
        }
        let mut index = *offset / size;
        *offset %= size;
        let mut step = String::new();
        // The last dimension varies fastest.
        let counts = self.counts(array);
        for (dimension, &count) in counts.iter().enumerate().rev() {
            let position = match dimension {
                0 => index,
                _ => index % count.max(1),
            };
            index /= count.max(1);
            step = format!("[{position}]{step}");
        }
        Some((step, inner))
    }

    fn member(&self, structure: &Die<'_>, offset: &mut u64) -> Option<(String, Offset)> {
        let members = self.members(structure);
        let whole = self.size(structure.offset());
        // A class whose constructor is elsewhere may be declared only, without its size: clang describes it there.
        let end_of = |member: &Member| match self.size(member.type_offset) {
            0 if !member.name.is_empty() => { members.iter() }
                .map(|next| next.offset)
                .filter(|&next| next > member.offset)
                .min()
                .unwrap_or(whole),
            size => member.offset + size,
        };
        let covers = |member: &&Member| (member.offset..end_of(member)).contains(offset);
        let member = members.iter().find(covers)?;
        if member.name.starts_with('_') {
            return None;
        }
        *offset -= member.offset;
        let step = match member.name.as_str() {
            "" => String::new(),
            name => format!(".{name}"),
        };
        Some((step, member.type_offset))
    }

    pub(super) fn members(&self, structure: &Die<'_>) -> Vec<Member> {
        let mut members = Vec::new();
        self.children(structure.offset(), &mut |child| {
            if !matches!(
                child.tag(),
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance
            ) {
                return;
            }
            let at = child.attr_value(gimli::DW_AT_data_member_location);
            let at = at.ok().flatten().and_then(|value| value.udata_value());
            // A static member has no place; the members of a union need none.
            let is_union = structure.tag() == gimli::DW_TAG_union_type;
            let (Some(offset), Some(type_offset)) =
                (at.or(is_union.then_some(0)), reference(child))
            else {
                return;
            };
            members.push(Member {
                name: self.name(child),
                offset,
                type_offset,
            });
        });
        members
    }

    /// Elements in each dimension.
    fn counts(&self, array: &Die<'_>) -> Vec<u64> {
        let mut counts = Vec::new();
        self.children(array.offset(), &mut |child| {
            if child.tag() != gimli::DW_TAG_subrange_type {
                return;
            }
            let number = |name| {
                let value: Option<Value<Reader>> = child.attr_value(name).ok().flatten();
                value.and_then(|value| value.udata_value())
            };
            let last = number(gimli::DW_AT_upper_bound).map(|last| last + 1);
            counts.push(number(gimli::DW_AT_count).or(last).unwrap_or(0));
        });
        counts
    }

    /// Bytes of a type; 0 if unknown.
    pub fn size(&self, type_offset: Offset) -> u64 {
        let Some(die) = self.bare(type_offset) else {
            return 0;
        };
        let size = die.attr_value(gimli::DW_AT_byte_size).ok().flatten();
        match size.and_then(|value| value.udata_value()) {
            Some(size) => size,
            None if die.tag() == gimli::DW_TAG_array_type => {
                let element = reference(&die).map_or(0, |inner| self.size(inner));
                self.counts(&die).iter().product::<u64>() * element
            }
            None if is_address(die.tag()) => 8,
            None => 0,
        }
    }

    /// The type behind typedefs and qualifiers.
    pub(super) fn bare(&self, mut type_offset: Offset) -> Option<Die<'u>> {
        for _ in 0..64 {
            let die = self.unit.entry(type_offset).ok()?;
            match die.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => type_offset = reference(&die)?,
                _ => return Some(die),
            }
        }
        None
    }

    pub(super) fn children(&self, parent: Offset, each: &mut dyn FnMut(&Die<'_>)) {
        let Ok(mut tree) = self.unit.entries_tree(Some(parent)) else {
            return;
        };
        let Ok(root) = tree.root() else { return };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            each(child.entry());
        }
    }

    /// Empty if it has none.
    pub(super) fn name(&self, die: &Die<'_>) -> String {
        let name = die.attr_value(gimli::DW_AT_name).ok().flatten();
        let text = name.and_then(|name| self.dwarf.attr_string(self.unit, name).ok());
        match text.as_ref().map(|text| text.to_string_lossy()) {
            Some(Ok(text)) => text.into_owned(),
            _ => String::new(),
        }
    }
}

pub(super) fn is_address(tag: gimli::DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
    )
}

/// The type an entry refers to.
pub(super) fn reference(die: &Die<'_>) -> Option<Offset> {
    match die.attr_value(gimli::DW_AT_type).ok()?? {
        Value::UnitRef(offset) => Some(offset),
        _ => None,
    }
}
