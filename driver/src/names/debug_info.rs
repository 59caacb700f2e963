//! Variables of one ELF file: from DWARF with types, else from the symbol table.
//!
//! **Source**: DWARF 5, sections 4.1 (variables), 5.5 and 5.7 (arrays, structures).

use super::demangle::demangle;
use super::types::{Part, Types};
use super::values::Written;
use gimli::Reader as _;
use gimli::{AttributeValue as Value, EndianRcSlice, LittleEndian};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

pub(super) type Reader = EndianRcSlice<LittleEndian>;
pub(super) type Unit = gimli::Unit<Reader>;
pub(super) type Die<'u> = gimli::DebuggingInformationEntry<'u, 'u, Reader>;
pub(super) type Offset = gimli::UnitOffset;

/// The variable at an address, or its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The name, as `accounts[3].balance`.
    pub name: String,
    /// Number of bytes; 0 if unknown.
    pub size: u64,
    /// Path of the file with the declaration; empty if unknown.
    pub file: String,
    /// Line of the declaration; 0 if unknown.
    pub line: u32,
    /// Unit and entry of its type; `None` if unknown.
    pub(super) value_type: Option<(usize, Offset)>,
}

/// A variable with static storage, or the part of one that the optimizer made a variable of its own.
struct Variable {
    /// Index in `units`.
    unit: usize,
    name: String,
    file: String,
    line: u32,
    type_offset: Option<Offset>,
    size: u64,
}

/// Functions by their first instructions, as [`DebugInfo`] has them.
type Functions = Vec<(u64, (u64, usize, Offset))>;

impl Variable {
    /// These bytes of it.
    fn part(self, types: Types<'_>, bytes: Range<u64>) -> Variable {
        let size = bytes.end - bytes.start;
        let part = |type_offset| types.part(type_offset, bytes.start, size);
        let part = self.type_offset.map_or_else(Part::default, part);
        Variable {
            name: self.name + &part.path,
            // Of several members that stayed together, only what has them all has a name.
            type_offset: part.type_offset.filter(|_| part.size == size),
            size,
            ..self
        }
    }
}

struct Symbol {
    name: String,
    size: u64,
}

/// The index of one file.
pub struct DebugInfo {
    /// `None` if there is none that can be read.
    dwarf: Option<gimli::Dwarf<Reader>>,
    units: Vec<Unit>,
    /// Variables by their addresses in the file.
    variables: BTreeMap<u64, Variable>,
    /// Symbols by their addresses in the file.
    symbols: BTreeMap<u64, Symbol>,
    /// Functions by the address of their first instruction: one past the last, the unit, the entry. One in several
    /// places is there as often.
    functions: BTreeMap<u64, (u64, usize, Offset)>,
}

/// What is said of a variable where it is declared.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) type_offset: Option<Offset>,
    /// Path of the file; empty if unknown.
    pub(super) file: String,
    /// Line; 0 if unknown.
    pub(super) line: u32,
}

impl DebugInfo {
    /// Reads the file; `None` if it is no ELF file. Damaged debug information is left out.
    pub fn read(path: &Path) -> Option<DebugInfo> {
        let data = std::fs::read(path).ok()?;
        let file = object::File::parse(&*data).ok()?;
        let mut info = DebugInfo {
            dwarf: None,
            units: Vec::new(),
            variables: BTreeMap::new(),
            symbols: symbols(&file),
            functions: BTreeMap::new(),
        };
        // Without sections that can be read, symbols are all there is.
        let _ = info.read_units(&file);
        Some(info)
    }

    fn read_units(&mut self, file: &object::File<'_>) -> gimli::Result<()> {
        let load = |id: gimli::SectionId| -> gimli::Result<Reader> {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|section| section.uncompressed_data().ok());
            Ok(EndianRcSlice::new(
                Rc::from(&*data.unwrap_or_default()),
                LittleEndian,
            ))
        };
        let dwarf = gimli::Dwarf::load(load)?;
        // A unit that cannot be read ends the index; what was found so far is still right.
        let _ = self.index(&dwarf);
        self.dwarf = Some(dwarf);
        Ok(())
    }

    fn index(&mut self, dwarf: &gimli::Dwarf<Reader>) -> gimli::Result<()> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            let (variables, functions) = self.unit_entries(dwarf, &unit)?;
            self.units.push(unit);
            self.variables.extend(variables);
            self.functions.extend(functions);
        }
        Ok(())
    }

    fn unit_entries(
        &self,
        dwarf: &gimli::Dwarf<Reader>,
        unit: &Unit,
    ) -> gimli::Result<(Vec<(u64, Variable)>, Functions)> {
        let (mut variables, mut functions) = (Vec::new(), Vec::new());
        let mut entries = unit.entries();
        while let Some((_, entry)) = entries.next_dfs()? {
            match entry.tag() {
                gimli::DW_TAG_variable => {
                    for place in static_places(dwarf, unit, entry)? {
                        let variable = self.variable(dwarf, unit, entry, place.address)?;
                        let there = match place.part {
                            None => variable,
                            Some(bytes) => variable.part(Types { dwarf, unit }, bytes),
                        };
                        variables.push((place.address, there));
                    }
                }
                gimli::DW_TAG_subprogram => {
                    let mut ranges = dwarf.die_ranges(unit, entry)?;
                    while let Some(range) = ranges.next()? {
                        let function = (range.end, self.units.len(), entry.offset());
                        functions.push((range.begin, function));
                    }
                }
                _ => {}
            }
        }
        Ok((variables, functions))
    }

    fn variable(
        &self,
        dwarf: &gimli::Dwarf<Reader>,
        unit: &Unit,
        entry: &Die<'_>,
        address: u64,
    ) -> gimli::Result<Variable> {
        let declared = declared(dwarf, unit, entry)?;
        let symbol = self.symbols.get(&address);
        let is_mangled = |symbol: &&Symbol| symbol.name.starts_with("_Z");
        let name = match (symbol.filter(is_mangled), declared.name.is_empty()) {
            (Some(symbol), _) => demangle(&symbol.name),
            (None, false) => declared.name,
            (None, true) => symbol.map_or(String::new(), |symbol| symbol.name.clone()),
        };
        let size = declared
            .type_offset
            .map_or(0, |offset| Types { dwarf, unit }.size(offset));
        Ok(Variable {
            unit: self.units.len(),
            name,
            file: declared.file,
            line: declared.line,
            type_offset: declared.type_offset,
            size: size.max(symbol.map_or(1, |symbol| symbol.size)),
        })
    }

    pub(super) fn dwarf(&self) -> Option<&gimli::Dwarf<Reader>> {
        self.dwarf.as_ref()
    }

    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Unit and entry of the function that has an instruction, which is given as the file has it.
    pub(super) fn function_at(&self, instruction: u64) -> Option<(usize, Offset)> {
        let (_, &(end, unit, offset)) = self.functions.range(..=instruction).next_back()?;
        (instruction < end).then_some((unit, offset))
    }

    /// The variables with static storage: address in the file, name, unit and type.
    pub(super) fn statics(&self) -> impl Iterator<Item = (u64, &str, usize, Offset)> {
        self.variables.iter().filter_map(|(&address, variable)| {
            let named = Some(variable.name.as_str()).filter(|name| !name.is_empty())?;
            Some((address, named, variable.unit, variable.type_offset?))
        })
    }

    /// The variable or the part of it at `address` in the file, of which `wanted` bytes are meant
    /// (0 if unknown).
    pub fn find(&self, address: u64, wanted: u64) -> Option<Found> {
        if let Some((&start, variable)) = self.variables.range(..=address).next_back() {
            if address - start < variable.size && !variable.name.is_empty() {
                return Some(self.part(variable, address - start, wanted));
            }
        }
        let (&start, symbol) = self.symbols.range(..=address).next_back()?;
        let offset = address - start;
        if offset >= symbol.size.max(1) {
            return None;
        }
        let name = demangle(&symbol.name);
        Some(Found {
            name: if offset == 0 {
                name
            } else {
                format!("{name}+{offset}")
            },
            size: if offset == 0 { symbol.size } else { 0 },
            file: String::new(),
            line: 0,
            value_type: None,
        })
    }

    fn part(&self, variable: &Variable, offset: u64, wanted: u64) -> Found {
        let unit = &self.units[variable.unit];
        let part = match (variable.type_offset, &self.dwarf) {
            (Some(type_offset), Some(dwarf)) => {
                Types { dwarf, unit }.part(type_offset, offset, wanted)
            }
            _ => Part::default(),
        };
        Found {
            name: format!("{}{}", variable.name, part.path),
            size: part.size,
            file: variable.file.clone(),
            line: variable.line,
            value_type: part.type_offset.map(|offset| (variable.unit, offset)),
        }
    }

    /// A value of what was found, as the source would write it; `None` if that is the number.
    pub(super) fn value(&self, found: &Found, value: u64) -> Option<Written> {
        let (unit, type_offset) = found.value_type?;
        let types = Types {
            dwarf: self.dwarf.as_ref()?,
            unit: &self.units[unit],
        };
        types.value(type_offset, value, found.size)
    }
}

/// What is said of a variable at its entry, or where that says it was declared: a static member, a variable of a namespace,
/// one of a function that was inlined.
pub(super) fn declared(
    dwarf: &gimli::Dwarf<Reader>,
    unit: &Unit,
    entry: &Die<'_>,
) -> gimli::Result<Declared> {
    let elsewhere = match entry.attr_value(gimli::DW_AT_specification)? {
        None => entry.attr_value(gimli::DW_AT_abstract_origin)?,
        specification => specification,
    };
    let elsewhere = match elsewhere {
        Some(Value::UnitRef(offset)) => Some(unit.entry(offset)?),
        _ => None,
    };
    let attribute = |name| -> gimli::Result<Option<Value<Reader>>> {
        match (entry.attr_value(name)?, &elsewhere) {
            (None, Some(declared)) => declared.attr_value(name),
            (value, _) => Ok(value),
        }
    };
    let name = match attribute(gimli::DW_AT_name)? {
        Some(name) => dwarf
            .attr_string(unit, name)?
            .to_string_lossy()?
            .into_owned(),
        None => String::new(),
    };
    let file = match attribute(gimli::DW_AT_decl_file)? {
        Some(Value::FileIndex(index)) => file_name(dwarf, unit, index)?,
        _ => String::new(),
    };
    let line = attribute(gimli::DW_AT_decl_line)?.and_then(|value| value.udata_value());
    Ok(Declared {
        name,
        type_offset: match attribute(gimli::DW_AT_type)? {
            Some(Value::UnitRef(offset)) => Some(offset),
            _ => None,
        },
        file,
        line: line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
    })
}

/// Data symbols by address. Of several at one address the shortest name wins: aliases such as
/// `__environ` are the less readable ones.
fn symbols(file: &object::File<'_>) -> BTreeMap<u64, Symbol> {
    let mut symbols: BTreeMap<u64, Symbol> = BTreeMap::new();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let is_data = symbol.kind() == SymbolKind::Data && symbol.is_definition();
        let Some(name) = symbol
            .name()
            .ok()
            .filter(|name| is_data && !name.is_empty())
        else {
            continue;
        };
        // Copies of versioned symbols read `stdout@@GLIBC_2.2.5`.
        let name = name.split('@').next().unwrap_or(name);
        let known = symbols.get(&symbol.address());
        if known.is_none_or(|known| name.len() < known.name.len()) {
            let (name, size) = (name.to_owned(), symbol.size());
            symbols.insert(symbol.address(), Symbol { name, size });
        }
    }
    symbols
}

/// Where a variable with static storage is.
struct StaticPlace {
    address: u64,
    /// The bytes of it that are there; `None` for all.
    part: Option<Range<u64>>,
}

/// The places of a variable whose location is a constant address, or several: the optimizer makes a variable of each
/// member of a structure whose address nobody takes.
fn static_places(
    dwarf: &gimli::Dwarf<Reader>,
    unit: &Unit,
    entry: &Die<'_>,
) -> gimli::Result<Vec<StaticPlace>> {
    let Some(Value::Exprloc(expression)) = entry.attr_value(gimli::DW_AT_location)? else {
        return Ok(Vec::new());
    };
    let (mut places, mut address, mut offset) = (Vec::new(), None, 0);
    let mut operations = expression.operations(unit.encoding());
    while let Ok(Some(operation)) = operations.next() {
        address = match operation {
            gimli::Operation::Address { address } => Some(address),
            gimli::Operation::AddressIndex { index } => Some(dwarf.address(unit, index)?),
            gimli::Operation::Piece { size_in_bits, .. } => {
                let part = offset..offset + size_in_bits / 8;
                offset = part.end;
                places.extend(address.map(|address| StaticPlace {
                    address,
                    part: Some(part),
                }));
                None
            }
            // Thread-local variables have no one address, and constants none.
            _ => None,
        };
    }
    if offset == 0 {
        places.extend(address.map(|address| StaticPlace {
            address,
            part: None,
        }));
    }
    // Address 0 belongs to what the linker threw away.
    places.retain(|place| place.address != 0);
    Ok(places)
}

/// Relative to the folder of compilation where the compiler was given such a path.
fn file_name(dwarf: &gimli::Dwarf<Reader>, unit: &Unit, index: u64) -> gimli::Result<String> {
    let Some(program) = &unit.line_program else {
        return Ok(String::new());
    };
    let header = program.header();
    let Some(file) = header.file(index) else {
        return Ok(String::new());
    };
    let name = dwarf
        .attr_string(unit, file.path_name())?
        .to_string_lossy()?
        .into_owned();
    let folder = match (file.directory_index(), file.directory(header)) {
        (0, _) | (_, None) => return Ok(name),
        (_, Some(folder)) => dwarf
            .attr_string(unit, folder)?
            .to_string_lossy()?
            .into_owned(),
    };
    Ok(Path::new(&folder).join(name).display().to_string())
}
