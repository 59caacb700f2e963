//! Values as the source would write them, by their types.

use super::debug_info::{Die, Offset};
use super::types::{is_address, reference, Types};
use gimli::AttributeValue as Value;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// As the source would write it.
    Text(String),
    /// It is an address, of something of so many bytes; 0 if unknown.
    Address(u64),
}

impl Types<'_> {
    /// The value as the source would write it: `-10`, `true`, `nullptr`, `State::closing`; `None` if the type says nothing
    /// that the number does not. `bytes`: of the value.
    pub fn value(&self, type_offset: Offset, value: u64, bytes: u64) -> Option<Written> {
        let die = self.scalar(type_offset, bytes)?;
        if is_address(die.tag()) && value != 0 {
            let pointed = reference(&die).map_or(0, |pointed| self.size(pointed));
            return Some(Written::Address(pointed));
        }
        self.text(&die, value, bytes).map(Written::Text)
    }

    fn text(&self, die: &Die<'_>, value: u64, bytes: u64) -> Option<String> {
        let (shift, bits) = (64 - 8 * bytes.clamp(1, 8), 8 * bytes.clamp(1, 8));
        let signed = || (value << shift).cast_signed() >> shift;
        if is_address(die.tag()) {
            return Some(self.null().to_owned());
        }
        if die.tag() == gimli::DW_TAG_enumeration_type {
            return self.enumerator(die, value, bits);
        }
        let encoding = die.attr_value(gimli::DW_AT_encoding).ok().flatten();
        let Some(Value::Encoding(encoding)) = encoding else {
            return None;
        };
        match encoding {
            gimli::DW_ATE_boolean if value < 2 => Some((value == 1).to_string()),
            gimli::DW_ATE_signed | gimli::DW_ATE_signed_char if signed() < 0 => {
                Some(signed().to_string())
            }
            gimli::DW_ATE_float if bytes == 8 => Some(format!("{:?}", f64::from_bits(value))),
            gimli::DW_ATE_float if bytes == 4 => {
                let value = u32::try_from(value).ok()?;
                Some(format!("{:?}", f32::from_bits(value)))
            }
            _ => None,
        }
    }

    /// The type of the number that an object of so many bytes is: a class with one such member is that.
    fn scalar(&self, mut type_offset: Offset, bytes: u64) -> Option<Die<'_>> {
        for _ in 0..16 {
            let die = self.bare(type_offset)?;
            if self.size(type_offset) != bytes {
                return None;
            }
            if !matches!(
                die.tag(),
                gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type
            ) {
                return Some(die);
            }
            let members = self.members(&die);
            let mut whole = members
                .iter()
                .filter(|member| member.offset == 0 && self.size(member.type_offset) == bytes);
            type_offset = whole.next()?.type_offset;
        }
        None
    }

    fn enumerator(&self, enumeration: &Die<'_>, value: u64, bits: u64) -> Option<String> {
        let mask = u64::MAX >> (64 - bits);
        let mut found = None;
        self.children(enumeration.offset(), &mut |child| {
            let of = child.attr_value(gimli::DW_AT_const_value).ok().flatten();
            let of = of.and_then(|of| {
                of.sdata_value()
                    .map(i64::cast_unsigned)
                    .or(of.udata_value())
            });
            if of.is_some_and(|of| of & mask == value & mask) && found.is_none() {
                found = Some(self.name(child));
            }
        });
        let is_scoped = enumeration
            .attr_value(gimli::DW_AT_enum_class)
            .ok()?
            .is_some();
        match is_scoped {
            true => Some(format!("{}::{}", self.name(enumeration), found?)),
            false => found,
        }
    }

    /// How the unit's language writes an address of nothing.
    fn null(&self) -> &'static str {
        let mut entries = self.unit.entries();
        let language = match entries.next_dfs() {
            Ok(Some((_, root))) => root.attr_value(gimli::DW_AT_language).ok().flatten(),
            _ => None,
        };
        match language {
            Some(Value::Language(
                gimli::DW_LANG_C
                | gimli::DW_LANG_C89
                | gimli::DW_LANG_C99
                | gimli::DW_LANG_C11
                | gimli::DW_LANG_C17,
            )) => "NULL",
            _ => "nullptr",
        }
    }
}
