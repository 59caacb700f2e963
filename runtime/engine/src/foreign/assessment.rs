//! What the report says of code without instrumentation.

use crate::foreign::crt;
use crate::foreign::entered::Entered;
use crate::foreign::follow::{calls, used, Facts, Follower, Map, Unit};
use crate::foreign::linked_files::{linked, Linked};
use crate::foreign::objects::{Object, Range};
use crate::foreign::symbols::{self, Function};
use crate::process::{self, functions};
use crate::real;
use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_abi::foreign::is_of_framework;
use dpor_machine::state::Kept;
use dpor_model::ThreadId;
use dpor_report::text::counted;
use dpor_report::{Library, LibraryState, LoadedObject};
use std::collections::{BTreeMap, BTreeSet};

/// Assessment of the code without instrumentation that threads entered, for the report.
#[derive(Default)]
pub struct Assessment {
    /// Reasons for which nothing can be said of the program; each names a unit.
    pub reasons: Vec<String>,
    /// Notes for the user, beside the verdict.
    pub notes: Vec<String>,
    /// States of all loaded objects, and of object files that were entered, for the report.
    pub libraries: Vec<Library>,
    /// Units that some thread entered, by their names, and whether threads may wait for each other in them, as
    /// far as is known.
    pub entered: Vec<(String, bool)>,
    known: Option<Loaded>,
}

/// A file that instrumented modules are in, as far as names are concerned.
struct Names {
    functions: Vec<Function>,
    linked: Option<Vec<Linked>>,
}

struct Loaded {
    objects: Vec<Object>,
    /// Names in instrumented files, by the position of the object.
    names: BTreeMap<usize, Names>,
    /// Functions without hooks that the linker took from an object without instrumentation, and that instrumented
    /// code calls as its own: inline functions and templates of C++, which several objects define.
    replaced: BTreeSet<usize>,
}

/// Judges what was entered.
pub fn assess(entered: &[Entered], loaded: &[LoadedObject], trusted: &[String]) -> Assessment {
    let known = Loaded::of(entered, loaded);
    let mut units: BTreeMap<Unit, (BTreeSet<ThreadId>, Facts)> = BTreeMap::new();
    let mut called = BTreeSet::new();
    let mut gone: BTreeMap<&str, BTreeSet<ThreadId>> = BTreeMap::new();
    let mut follower = Follower::new(&known);
    for entry in entered {
        let object = known.objects.iter().find(|o| o.path == entry.path);
        let (Some(object), Some(offset)) = (object, entry.offset) else {
            gone.entry(&entry.path).or_default().extend(&entry.threads);
            continue;
        };
        let function = object.base + offset as usize;
        called.extend(known.unit_of(function));
        for (unit, facts) in follower.follow(function) {
            let (threads, all) = units.entry(unit).or_default();
            threads.extend(&entry.threads);
            all.add(facts);
        }
    }
    // There is no hook before such a call: who enters is not known.
    let mut by_anybody = BTreeSet::new();
    for &function in &known.replaced {
        for (unit, facts) in follower.follow(function) {
            units.entry(unit).or_default().1.add(facts);
            by_anybody.insert(unit);
        }
    }
    let mut assessment = Assessment::default();
    let mut states = BTreeMap::new();
    // What the program calls itself is told before what that leads to.
    let (first, then): (Vec<_>, Vec<_>) =
        { units.into_iter() }.partition(|u| called.contains(&u.0));
    for (unit, (threads, facts)) in first.into_iter().chain(then) {
        let name = known.name_of(unit);
        let count = threads.len() as u64;
        let state = match count {
            _ if is_trusted(&name, &known.objects[unit.object], unit, trusted) => {
                LibraryState::TrustedByOption
            }
            _ if count < 2 && !by_anybody.contains(&unit) => LibraryState::OneThread,
            _ if !facts.are_harmless() => LibraryState::Refused,
            _ => LibraryState::TrustedByInspection,
        };
        assessment.tell(&name, count, facts, state);
        states.insert(unit, (name, count, state));
    }
    for (path, _) in { gone.into_iter() }.filter(|(_, threads)| threads.len() > 1) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !trusted.iter().any(|file| matches(file, name)) {
            assessment.reasons.push(format!(
                "{name} is not built with dpor-cc and was unloaded before it was looked at"
            ));
        }
    }
    assessment.libraries = known.libraries(&states);
    assessment.known = Some(known);
    assessment
}

impl Loaded {
    /// Reads the loaded objects, and the names of those that were entered or hold linked code without hooks.
    fn of(entered: &[Entered], loaded: &[LoadedObject]) -> Loaded {
        let modules = process::modules();
        let objects: Vec<Object> = { loaded.iter() }
            .map(|object| Object::of(object, &modules))
            .collect();
        let mut known = Loaded {
            names: BTreeMap::new(),
            replaced: BTreeSet::new(),
            objects,
        };
        for (at, object) in known.objects.iter().enumerate() {
            let linked = match object.is_instrumented {
                true => linked(object),
                false => continue,
            };
            if linked.is_some() || entered.iter().any(|e| e.path == object.path) {
                let read = symbols::of(&object.path);
                let names = Names {
                    functions: read.functions,
                    linked: linked.or(read.all_known.then(Vec::new)),
                };
                known.names.insert(at, names);
            }
        }
        known.replaced = known.without_hooks();
        known
    }
}

impl Assessment {
    fn tell(&mut self, name: &str, threads: u64, facts: Facts, state: LibraryState) {
        match state {
            LibraryState::Refused if facts.synchronises => self.reasons.push(format!(
                "{name} synchronises by itself and is not built with dpor-cc"
            )),
            LibraryState::Refused if facts.keeps_state => self.reasons.push(format!(
                "{name} is not built with dpor-cc and keeps state of its own"
            )),
            LibraryState::Refused => self.reasons.push(format!(
                "{name} is not built with dpor-cc, and what it does cannot be followed"
            )),
            LibraryState::TrustedByInspection if threads > 1 => self.notes.push(format!(
                "{name} is not instrumented and was entered by {}",
                counted(threads, "thread")
            )),
            LibraryState::TrustedByInspection => self.notes.push(format!(
                "{name} is not instrumented, and instrumented code calls functions of it as its own"
            )),
            LibraryState::TrustedByOption => self.notes.push(format!(
                "{name} is trusted (--trust): what its code reads, writes and orders was not seen, and no other order was tried because of it"
            )),
            _ => {}
        }
        let may_wait = state != LibraryState::TrustedByInspection;
        self.entered.push((name.to_owned(), may_wait));
    }

    /// Returns the reasons as one sentence: libraries bring others with them.
    pub fn reason(&self) -> String {
        const TOLD: usize = 3;
        let told = self
            .reasons
            .iter()
            .take(TOLD)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ");
        match self.reasons.len() {
            0..=TOLD => told,
            all => format!("{told}; and so on, {} in all", counted(all as u64, "file")),
        }
    }

    /// Returns the unit without instrumentation that an instruction is in, if threads entered it.
    pub fn entered_at(&self, instruction: u64) -> Option<String> {
        let known = self.known.as_ref()?;
        let name = known.name_of(known.unit_of(instruction as usize)?);
        let mut entered = self.entered.iter();
        entered.any(|known| known.0 == name).then_some(name)
    }
}

/// Returns whether the user accepts a unit: its name, or the file that it is.
fn is_trusted(name: &str, object: &Object, unit: Unit, trusted: &[String]) -> bool {
    let canonical = |path: &str| std::fs::canonicalize(path).ok();
    trusted.iter().any(|file| {
        let is_file = || {
            let path = canonical(file);
            let is_same = path.is_some() && path == canonical(&object.path);
            unit.linked.is_none() && (is_same || matches(file, &object.name))
        };
        // A member of an archive, or all of it.
        let archive = name.split('(').next().unwrap_or(name);
        matches(file, name) || matches(file, archive) || is_file()
    })
}

/// Returns whether a file that the user names is the one of this name.
fn matches(file: &str, name: &str) -> bool {
    let file = file.rsplit('/').next().unwrap_or(file);
    match file.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => file == name,
    }
}

/// Functions of libraries after which no code comes.
const NEVER_RETURN: [&CStr; 14] = [
    c"abort",
    c"exit",
    c"_exit",
    c"__stack_chk_fail",
    c"__assert_fail",
    c"__chk_fail",
    c"__fortify_fail",
    c"longjmp",
    c"siglongjmp",
    c"__cxa_throw",
    c"__cxa_rethrow",
    c"_Unwind_Resume",
    c"_ZSt9terminatev",
    c"pthread_exit",
];

/// Variables of libc's that hold streams, which are in its tables.
const STREAMS: [&CStr; 3] = [c"stdin", c"stdout", c"stderr"];

/// Addresses of [`NEVER_RETURN`], as the program sees them.
static ENDS: Kept<[AtomicUsize; NEVER_RETURN.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; 14]);
/// Addresses of [`STREAMS`], as the program sees them.
static STREAM_VARIABLES: Kept<[AtomicUsize; STREAMS.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; 3]);

/// Looks up the addresses of [`NEVER_RETURN`] and [`STREAMS`], while nobody holds the dynamic
/// linker's lock. At the root.
pub fn at_root() {
    let ends = ENDS.iter().zip(NEVER_RETURN);
    for (place, name) in ends.chain(STREAM_VARIABLES.iter().zip(STREAMS)) {
        place.store(real::visible(name), Ordering::Relaxed);
    }
}

fn is_among(places: &[AtomicUsize], address: usize) -> bool {
    let mut all = places.iter().map(|place| place.load(Ordering::Relaxed));
    address != 0 && all.any(|place| place == address)
}

impl Loaded {
    /// Returns the function of an instrumented file that an address is in.
    fn function(&self, object: usize, address: usize) -> Option<&Function> {
        let place = (address - self.objects[object].base) as u64;
        let functions = &self.names.get(&object)?.functions;
        let after = functions.partition_point(|function| function.start <= place);
        let found = functions[..after].last()?;
        let is_inside = place == found.start || place < found.start + found.size;
        is_inside.then_some(found)
    }

    fn is_instrumented(&self, function: usize) -> bool {
        functions::is_instrumented(function) && !self.replaced.contains(&function)
    }

    /// Returns the object file that a function was linked from, of those that are listed. One
    /// function may have several names.
    fn linked_from(&self, object: usize, function: &Function) -> Option<usize> {
        let names = &self.names[&object];
        let same = names.functions.iter().filter(|f| f.start == function.start);
        let all: Vec<&String> = same.map(|function| &function.name).collect();
        let has = |linked: &Linked| linked.functions.iter().any(|name| all.contains(&name));
        names.linked.as_ref()?.iter().position(has)
    }

    /// Finds [`Loaded::replaced`]: functions without hooks that instrumented code calls as its own.
    fn without_hooks(&self) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let here = symbols::of as *const () as usize;
        let runtime = self.objects.iter().find(|object| object.has_code(here));
        for (&at, names) in &self.names {
            let object = &self.objects[at];
            let listed: BTreeSet<&String> = { names.linked.iter().flatten() }
                .flat_map(|linked| &linked.functions)
                .collect();
            let range = |function: &Function| {
                let start = object.base + function.start as usize;
                start..start + function.size as usize
            };
            let has_hooks = |code| runtime.is_some_and(|runtime| calls(object, code, runtime));
            let (foreign, own): (Vec<_>, Vec<_>) =
                { names.functions.iter() }.partition(|function| listed.contains(&function.name));
            let shared = foreign.into_iter().filter(|function| function.is_weak);
            let shared = shared.map(range).filter(|code| !has_hooks(code.clone()));
            let shared: BTreeSet<usize> = shared.map(|code| code.start).collect();
            if !shared.is_empty() {
                found.extend(used(object, own.into_iter().map(range), &shared));
            }
        }
        found
    }

    /// Returns what a unit is called.
    fn name_of(&self, unit: Unit) -> String {
        let object = &self.objects[unit.object];
        match unit.linked {
            Some(at) => self.names[&unit.object]
                .linked
                .as_ref()
                .map_or_else(|| object.name.clone(), |linked| linked[at].name.clone()),
            // Assembly outside of functions, or what something else than dpor-cc linked.
            None if object.is_instrumented => format!("code in {}", object.name),
            None => object.name.clone(),
        }
    }

    /// Returns the states of all loaded objects, and of object files that were entered.
    fn libraries(&self, states: &BTreeMap<Unit, (String, u64, LibraryState)>) -> Vec<Library> {
        let mut libraries = Vec::new();
        for (at, object) in self.objects.iter().enumerate() {
            if object.name.is_empty() || object.name.starts_with("libdpor_rt") {
                continue;
            }
            let entered = states.iter().filter(|(unit, _)| unit.object == at);
            let (whole, files): (Vec<_>, Vec<_>) =
                entered.partition(|(unit, _)| unit.linked.is_none() && !object.is_instrumented);
            let (threads, state) = match whole.first() {
                Some((_, (_, threads, state))) => (*threads, *state),
                None if object.is_instrumented => (0, LibraryState::Instrumented),
                None if object.why.is_some() => (0, LibraryState::TrustedByTable),
                None => (0, LibraryState::NotEntered),
            };
            libraries.push(Library {
                name: object.name.clone(),
                state,
                threads,
                why: object.why.unwrap_or_default().to_owned(),
            });
            libraries.extend(files.iter().map(|(_, (name, threads, state))| Library {
                name: name.clone(),
                state: *state,
                threads: *threads,
                why: String::new(),
            }));
        }
        libraries
    }
}

impl Map for Loaded {
    fn objects(&self) -> &[Object] {
        &self.objects
    }

    fn unit_of(&self, address: usize) -> Option<Unit> {
        let at = { self.objects.iter() }.position(|object| object.has_code(address))?;
        let object = &self.objects[at];
        if object.why.is_some() || self.is_instrumented(address) {
            return None;
        }
        let mut unit = Unit {
            object: at,
            linked: None,
        };
        if !object.is_instrumented {
            return Some(unit);
        }
        let names = self.names.get(&at)?;
        let function = self.function(at, address);
        if function.is_some_and(|function| is_of_framework(&function.name)) {
            return None;
        }
        if let (Some(_), Some(function)) = (&names.linked, function) {
            // Functions that are not listed are of instrumented modules, which leave out what the
            // program says they should.
            unit.linked = Some(self.linked_from(at, function)?);
        }
        Some(unit)
    }

    fn code_of(&self, unit: Unit) -> Option<Vec<Range>> {
        let object = &self.objects[unit.object];
        if !object.is_instrumented {
            return Some(object.code.clone());
        }
        let names = self.names.get(&unit.object)?;
        let linked = &names.linked.as_ref()?[unit.linked?];
        let own = { names.functions.iter() }.filter(|f| linked.functions.contains(&f.name));
        let range = |function: &Function| {
            let start = object.base + function.start as usize;
            start..start + function.size as usize
        };
        Some(own.map(range).collect())
    }

    fn start_up(&self, unit: Unit) -> Range {
        let object = &self.objects[unit.object];
        match object.is_instrumented {
            true => 0..0,
            false => crt::range(object),
        }
    }

    fn never_returns(&self, function: usize) -> bool {
        is_among(&*ENDS, function)
    }

    fn is_everybodys(&self, address: usize) -> bool {
        is_among(&*STREAM_VARIABLES, address)
    }
}
