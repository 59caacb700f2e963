//! The executable: its records, what it exports and imports, and whether all of its code is in the records.

use super::graph::{Graph, Outside};
use super::names::{is_called_unseen, is_harmless, is_linked, is_operation, START_UP};
use crate::program::MODULE_INFO_BYTES;
use dpor_abi::reach::{key, Part, SECTION, VOUCHED};
use dpor_abi::MODULE_SECTION;
use object::elf::{self, FileHeader64, R_X86_64_COPY, STT_FUNC, STT_GNU_IFUNC};
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionFlags,
};
use std::collections::{HashMap, HashSet};

type File<'a> = ElfFile64<'a, Endianness>;

/// A function in the table of symbols.
struct Function {
    name: String,
    /// Address of its first byte.
    start: u64,
    /// Bytes that it takes, as far as the table says.
    bytes: u64,
}

/// A section with code.
struct Code {
    name: String,
    start: u64,
    data: Vec<u8>,
}

/// What is known of an executable.
pub struct Image {
    /// The records of its modules.
    pub parts: Vec<Part>,
    /// What the dynamic linker does with it, in short.
    pub loaded: Vec<u8>,
    functions: Vec<Function>,
    code: Vec<Code>,
    entry: u64,
    /// Names of all that it defines itself.
    defined: HashMap<u64, String>,
    /// Names that shared libraries can find in it.
    exported: HashSet<u64>,
    /// Names that it has from shared libraries, with their versions.
    imported: HashMap<u64, Vec<u8>>,
}

/// The name without the version that some linkers put behind it.
fn plain(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

impl Image {
    /// Reads an executable.
    ///
    /// # Errors
    /// Half a sentence: its records are missing, or do not cover it.
    pub fn read(bytes: &[u8]) -> Result<Image, String> {
        let file = File::parse(bytes).map_err(|_| "it is no ELF file for x86-64".to_owned())?;
        let copied = copied(&file);
        let mut image = Image {
            parts: parts(&file)?,
            loaded: loaded(&file, bytes)?,
            functions: functions(&file),
            code: code(&file)?,
            entry: file.entry(),
            defined: HashMap::new(),
            exported: HashSet::new(),
            imported: imported(&file, bytes, &copied)?,
        };
        for symbol in file.symbols().filter(|symbol| !symbol.is_undefined()) {
            let name = symbol.name().map_err(|_| "its symbols are damaged")?;
            image
                .defined
                .insert(key(plain(name).as_bytes()), plain(name).to_owned());
        }
        if !image.defined.contains_key(&key(VOUCHED.as_bytes())) {
            return Err("it was not linked by dpor-cc from what it knows".to_owned());
        }
        let exports = file
            .dynamic_symbols()
            .filter(|symbol| !symbol.is_undefined());
        for name in exports.filter_map(|symbol| symbol.name().ok()) {
            if !copied.contains(name) {
                image.exported.insert(key(name.as_bytes()));
            }
        }
        Ok(image)
    }

    /// What is known of a name that no record defines.
    pub fn outside(&self, key: u64) -> Outside {
        if let Some(version) = self.imported.get(&key) {
            return Outside::Import(version.clone());
        }
        match self.defined.get(&key) {
            Some(name) if is_harmless(name) => Outside::Linked,
            Some(name) => Outside::Unknown(name.clone()),
            None if is_operation(key) => Outside::Linked,
            None => Outside::Absent,
        }
    }

    /// The keys of the names that the walk begins at: `main`, what libraries can find, and what the compiler calls.
    ///
    /// # Errors
    /// Half a sentence: something that is called is in no record.
    pub fn roots(&self, graph: &Graph) -> Result<Vec<u64>, String> {
        let main = key(b"main");
        if !graph.defines(main) {
            return Err("main is in no record".to_owned());
        }
        let mut roots = vec![main];
        for &exported in &self.exported {
            match self.defined.get(&exported) {
                _ if graph.defines(exported) => roots.push(exported),
                Some(name) if is_linked(name) => {}
                name => return Err(format!("it exports {name:?}, which is in no record")),
            }
        }
        let unseen = self
            .defined
            .iter()
            .filter(|(_, name)| is_called_unseen(name));
        roots.extend(
            unseen
                .map(|(&key, _)| key)
                .filter(|&key| graph.defines(key)),
        );
        Ok(roots)
    }

    /// What the records say was reached is in the table of symbols: it was not renamed since.
    ///
    /// # Errors
    /// Half a sentence.
    pub fn check_names(&self, reached: &HashSet<u64>) -> Result<(), String> {
        match reached.iter().all(|key| self.defined.contains_key(key)) {
            true => Ok(()),
            false => Err("what a record names is not in its table of symbols".to_owned()),
        }
    }

    /// Looks for code of which no record knows.
    ///
    /// # Errors
    /// Half a sentence: there is some.
    pub fn check_code(&self, graph: &Graph) -> Result<(), String> {
        let keys = graph.keys();
        let is_known = |function: &Function| keys.contains(&key(function.name.as_bytes()));
        let is_start_up = |function: &Function| START_UP.contains(&function.name.as_str());
        let starts =
            |function: &Function| function.start == self.entry && function.name == "_start";
        if !self.functions.iter().any(starts) {
            return Err("it does not start where C programs do".to_owned());
        }
        for code in &self.code {
            if is_of_linker(&code.name) {
                continue;
            }
            let mut end = code.start;
            let last = code.start + code.data.len() as u64;
            let here = self.functions.iter().enumerate();
            for (index, function) in here.filter(|(_, f)| (code.start..last).contains(&f.start)) {
                code.check_padding(end, function.start)?;
                // Those of the start-up files do not all say how long they are.
                let mut next = self.functions[index + 1..].iter().map(|next| next.start);
                let next = next.find(|&start| start > function.start).unwrap_or(last);
                let bytes = match function.bytes {
                    0 if is_start_up(function) => next.min(last) - function.start,
                    bytes => bytes,
                };
                if bytes > 0 && !is_known(function) && !is_start_up(function) {
                    return Err(format!("{} is code without a record", function.name));
                }
                end = end.max(function.start + bytes);
            }
            code.check_padding(end, last)?;
        }
        Ok(())
    }
}

/// Sections that the linker and the start-up files make.
fn is_of_linker(section: &str) -> bool {
    section == ".init" || section == ".fini" || section == ".plt" || section.starts_with(".plt.")
}

impl Code {
    /// What lies between functions fills the room up to where the next one may begin: bytes of which the instructions that
    /// do nothing are made, and too few to be something else.
    fn check_padding(&self, from: u64, to: u64) -> Result<(), String> {
        /// No compiler aligns functions more than that.
        const PADDING_MAX: u64 = 64;
        const NOTHING: [u8; 11] = [
            0x00, 0x0f, 0x1f, 0x2e, 0x40, 0x44, 0x66, 0x80, 0x84, 0x90, 0xcc,
        ];
        if from >= to {
            return Ok(());
        }
        let bytes = &self.data[(from - self.start) as usize..(to - self.start) as usize];
        match to - from < PADDING_MAX && bytes.iter().all(|byte| NOTHING.contains(byte)) {
            true => Ok(()),
            false => Err(format!("there is code in {} without a symbol", self.name)),
        }
    }
}

fn parts(file: &File) -> Result<Vec<Part>, String> {
    let data = |name: &str| file.section_by_name(name)?.data().ok();
    let parts = Part::all(data(SECTION).ok_or("it has no records of its code")?);
    let parts = parts.ok_or("its records are of another version, or damaged")?;
    // Modules that another compiler or an older pass made have no record.
    let modules = data(MODULE_SECTION).map_or(0, <[u8]>::len) / MODULE_INFO_BYTES;
    match parts.len() == modules {
        true => Ok(parts),
        false => Err(format!(
            "{} of its {modules} modules have records",
            parts.len()
        )),
    }
}

/// The functions in the order of their addresses.
fn functions(file: &File) -> Vec<Function> {
    let is_function = |kind: u8| matches!(kind, STT_FUNC | STT_GNU_IFUNC);
    let symbols = file.symbols().filter(|symbol| !symbol.is_undefined());
    let symbols = symbols.filter(|symbol| {
        is_function(symbol.elf_symbol().st_type()) || symbol.name() == Ok("_start")
    });
    let mut functions: Vec<Function> = symbols
        .map(|symbol| Function {
            name: plain(symbol.name().unwrap_or_default()).to_owned(),
            start: symbol.address(),
            bytes: symbol.size(),
        })
        .collect();
    functions.sort_by_key(|function| function.start);
    functions
}

fn code(file: &File) -> Result<Vec<Code>, String> {
    let is_code = |flags: SectionFlags| match flags {
        SectionFlags::Elf { sh_flags } => sh_flags & u64::from(elf::SHF_EXECINSTR) != 0,
        _ => false,
    };
    let sections = file.sections().filter(|section| is_code(section.flags()));
    let code = |section: object::read::elf::ElfSection64<'_, '_, Endianness>| {
        Ok(Code {
            name: section
                .name()
                .map_err(|_| "its sections are damaged")?
                .to_owned(),
            start: section.address(),
            data: section
                .data()
                .map_err(|_| "its sections are damaged")?
                .to_vec(),
        })
    };
    sections.map(code).collect()
}

/// Names of variables of shared libraries that the executable has the memory of.
fn copied(file: &File) -> HashSet<String> {
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let copies = relocations.filter_map(|(_, relocation)| match relocation.flags() {
        RelocationFlags::Elf {
            r_type: R_X86_64_COPY,
        } => Some(relocation.target()),
        _ => None,
    });
    let name = |target: RelocationTarget| match target {
        RelocationTarget::Symbol(index) => {
            let table = file.dynamic_symbol_table()?;
            let symbol = object::ObjectSymbolTable::symbol_by_index(&table, index).ok()?;
            symbol.name().ok().map(str::to_owned)
        }
        _ => None,
    };
    copies.filter_map(name).collect()
}

/// The names that shared libraries are to have, with their versions.
fn imported(
    file: &File,
    bytes: &[u8],
    copied: &HashSet<String>,
) -> Result<HashMap<u64, Vec<u8>>, String> {
    let damaged = |_| "its versions are damaged".to_owned();
    let endian = file.endian();
    let versions = file
        .elf_section_table()
        .versions(endian, bytes)
        .map_err(damaged)?;
    let mut imported = HashMap::new();
    for symbol in file.dynamic_symbols() {
        let name = symbol.name().unwrap_or_default();
        if !symbol.is_undefined() && !copied.contains(name) {
            continue;
        }
        let version = match &versions {
            Some(table) => table
                .version(table.version_index(endian, symbol.index()))
                .map_err(damaged)?,
            None => None,
        };
        let version = version.map_or(Vec::new(), |version| version.name().to_vec());
        imported.insert(key(name.as_bytes()), version);
    }
    Ok(imported)
}

/// What the kernel and the dynamic linker are told.
fn loaded(file: &File, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let endian = file.endian();
    let damaged = |_| "its headers are damaged".to_owned();
    let header: &FileHeader64<Endianness> = file.elf_header();
    let mut told = header.e_type(endian).to_le_bytes().to_vec();
    for segment in file.elf_program_headers() {
        if let Some(interpreter) = segment.interpreter(endian, bytes).map_err(damaged)? {
            told.extend(interpreter);
        }
        if segment.p_type(endian) == elf::PT_GNU_STACK {
            told.extend(segment.p_flags(endian).to_le_bytes());
            told.extend(segment.p_memsz(endian).to_le_bytes());
        }
    }
    let sections = file.elf_section_table();
    let Some((entries, index)) = sections.dynamic(endian, bytes).map_err(damaged)? else {
        return Err("it is no dynamic program".to_owned());
    };
    let strings = sections.strings(endian, bytes, index).map_err(damaged)?;
    for entry in entries {
        let tag = entry.tag32(endian).unwrap_or_default();
        told.extend(match tag {
            elf::DT_FLAGS | elf::DT_FLAGS_1 => entry.d_val(endian).to_le_bytes().to_vec(),
            elf::DT_SYMBOLIC | elf::DT_TEXTREL | elf::DT_BIND_NOW => Vec::new(),
            _ if entry.is_string(endian) => {
                [entry.string(endian, strings).map_err(damaged)?, &[0]].concat()
            }
            _ => continue,
        });
        told.extend(tag.to_le_bytes());
    }
    Ok(told)
}
