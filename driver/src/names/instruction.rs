//! From an instruction to its place in the source: for threads that ended at no hook (a crash, a
//! loop without end), where only the program counter is known, and for the calls on a stack.

use addr2line::Loader;
use dpor_report::{LoadedObject, Place};
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, HashMap};

/// Size and name by address.
type Symbols = BTreeMap<u64, (u64, String)>;

/// Finds lines and functions, reading each file once.
pub struct Lines<'a> {
    loaded: &'a [LoadedObject],
    /// Debug information by path; `None` for a file that could not be read.
    files: HashMap<&'a str, Option<Loader>>,
    /// Functions by path, of files that were asked for one without debug information.
    symbols: HashMap<&'a str, Symbols>,
}

impl<'a> Lines<'a> {
    pub fn new(loaded: &'a [LoadedObject]) -> Lines<'a> {
        Lines {
            loaded,
            files: HashMap::new(),
            symbols: HashMap::new(),
        }
    }

    /// The object that an address lies in.
    pub fn object(&self, address: u64) -> Option<&'a LoadedObject> {
        let mut objects = self.loaded.iter();
        objects.find(|object| (object.start..object.end).contains(&address))
    }

    fn file(&mut self, address: u64) -> Option<(&Loader, u64)> {
        let object = self.object(address)?;
        let read = || Loader::new(&object.path).ok();
        let file = self.files.entry(&object.path).or_insert_with(read);
        Some((file.as_ref()?, address.wrapping_sub(object.base)))
    }

    /// The place of an instruction, with the functions it was inlined into; `None` without debug
    /// information.
    pub fn place(&mut self, instruction: u64) -> Option<Place> {
        let mut places = self.functions(instruction).into_iter();
        let mut place = places.next().filter(|place| place.line != 0)?;
        place.inlined_into = places.collect();
        Some(place)
    }

    /// The functions that an instruction is in, the innermost first: several if they were inlined into each other.
    /// Without debug information it is the name of the symbol; nothing if that is unknown, too.
    pub fn functions(&mut self, instruction: u64) -> Vec<Place> {
        let Some((file, address)) = self.file(instruction) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        if let Ok(mut frames) = file.find_frames(address) {
            while let Ok(Some(frame)) = frames.next() {
                let Some(location) = frame.location else {
                    continue;
                };
                let name = |function: addr2line::FunctionName<_>| {
                    function.raw_name().ok().map(|name| name.into_owned())
                };
                places.push(Place {
                    file: location.file.unwrap_or_default().to_owned(),
                    line: location.line.unwrap_or(0),
                    column: location.column.unwrap_or(0),
                    function: frame.function.and_then(name).unwrap_or_default(),
                    ..Place::default()
                });
            }
        }
        if places.is_empty() {
            places.push(Place::default());
        }
        if let Some(outermost) = places.last_mut().filter(|place| place.function.is_empty()) {
            outermost.function = self.symbol(instruction).unwrap_or_default();
        }
        places
    }

    /// The function that the linker's table has at an address.
    fn symbol(&mut self, address: u64) -> Option<String> {
        let object = self.object(address)?;
        let read = || symbols(&object.path).unwrap_or_default();
        let symbols = self.symbols.entry(&object.path).or_insert_with(read);
        let address = address.wrapping_sub(object.base);
        let (start, (size, name)) = symbols.range(..=address).next_back()?;
        // The table may lack the function itself: then the one before it says nothing.
        (address - start < *size).then(|| name.clone())
    }
}

/// Functions of a file, by their addresses in it.
fn symbols(path: &str) -> Option<Symbols> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let all = file.symbols().chain(file.dynamic_symbols());
    let functions =
        all.filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    let named = functions.filter_map(|symbol| {
        let name = symbol.name().ok()?.to_owned();
        Some((symbol.address(), (symbol.size(), name)))
    });
    Some(named.collect())
}
