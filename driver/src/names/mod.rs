//! From addresses to names: `0x5555555580a4` becomes `accounts[3].balance`, mangled functions
//! become readable.
//!
//! The runtime reports objects by address and says where each ELF file is loaded. The file's
//! debug information has the variable, its declaration and its type ([`debug_info`]); without
//! debug information the symbol table still has a name.

pub mod debug_info;
mod demangle;
mod differing;
mod instruction;
mod moments;
mod objects;
mod paths;
mod pointers;
mod readable;
mod scopes;
mod stacks;
mod threads;
mod types;
mod values;

pub use demangle::{
    demangle, demangle_bare, demangle_place, readable_function, readable_place, readable_start,
};

use debug_info::{DebugInfo, Found};
use dpor_abi::options::Options;
use dpor_report::{Access, Finding, FindingKind, LoadedObject, Object, Place, Report};
use instruction::Lines;
use objects::Names;
use paths::Files;
use stacks::Stacks;
use std::collections::HashMap;
use std::rc::Rc;
use values::Written;

/// Fills in the names that the runtime could not know.
pub fn complete(report: &mut Report, loaded: &[LoadedObject]) {
    let mut namer = Namer::new(loaded);
    let folders = Options::parse(&report.options).map_or(Vec::new(), |options| options.library);
    let instrumented = report.scope.instrumented.clone();
    let mut places = Places {
        stacks: Stacks::new(&instrumented, &folders),
        lines: Lines::new(loaded),
    };
    let otherwise = report.otherwise.iter_mut();
    let otherwise = otherwise.filter_map(|otherwise| otherwise.reason.as_mut());
    let sentences = report.notes.iter_mut().chain(&mut report.reason);
    let sentences = sentences.chain(otherwise);
    sentences.for_each(|text| places.name_sentence_of_report(text));
    for finding in &mut report.findings {
        places.name_finding(finding);
        // It tells regions of OpenMP by the names that compilers gave them.
        threads::complete(finding, loaded, &report.scope.instrumented);
        name_finding(finding, &mut namer, &instrumented);
    }
    threads::name_alike(&mut report.alike, loaded, &report.scope.instrumented);
    let graphs = report
        .states
        .iter_mut()
        .filter_map(|states| states.graph.as_mut());
    for step in graphs.flat_map(|graph| &mut graph.operations) {
        let files = Files::new();
        let mut names = Names::new(&mut namer, &files, None);
        names.address(&mut step.object, step.address, None, None);
    }
    for states in report.states.iter_mut() {
        differing::complete(&mut states.differing, &mut namer, &instrumented);
    }
    if let (Some(reason), Some(place)) = (&mut report.reason, places.lines.place(report.stopped_at))
    {
        *reason += &format!(
            " at {}:{} in {}",
            place.file,
            place.line,
            demangle(&place.function)
        );
    }
}

/// Finds places.
struct Places<'a> {
    stacks: Stacks<'a>,
    lines: Lines<'a>,
}

impl Places<'_> {
    /// Completes the places of a finding.
    fn name_finding(&mut self, finding: &mut Finding) {
        let Places { stacks, lines } = self;
        for access in finding
            .accesses
            .iter_mut()
            .chain(freed(&mut finding.object))
        {
            if let Some(place) = lines.place(access.instruction) {
                let calls = std::mem::take(&mut access.place.calls);
                access.place = Place { calls, ..place };
            }
            stacks.complete(&mut access.place, lines);
        }
        let has_stacks = finding.trace.len() <= stacks::STEPS_MAX;
        for step in &mut finding.trace {
            stacks.complete(&mut step.place, lines);
            if !has_stacks {
                step.place.stack = Vec::new();
            }
        }
        place_the_end(finding);
        if let Some(object) = &mut finding.object {
            stacks.complete_object(object, lines);
        }
        let texts = finding.details.iter_mut().chain([&mut finding.message]);
        texts.for_each(|text| self.name_sentence(text));
    }

    fn name_sentence(&mut self, text: &mut String) {
        *text = self.stacks.in_sentence(text, &mut self.lines);
    }

    /// The same with paths below the current folder as that has them: what is not said of a finding is shown as it is.
    fn name_sentence_of_report(&mut self, text: &mut String) {
        let named = self.stacks.in_sentence(text, &mut self.lines);
        if named != *text {
            let here = std::env::current_dir().unwrap_or_default();
            *text = named.replace(&format!(" {}/", here.display()), " ");
        }
    }
}

/// The event with which a thread ends the process has no site where a signal ended it: its place is the finding's.
fn place_the_end(finding: &mut Finding) {
    let Some(step) = finding.trace.last_mut() else {
        return;
    };
    let is_end = |access: &&Access| access.thread == step.thread && access.access == "end";
    let end = finding.accesses.iter().find(is_end);
    let is_unknown = step.place.file.is_empty() && step.operation == "exit";
    if let Some(end) = end.filter(|_| is_unknown) {
        step.place = Place {
            recorded: Some(Box::new(step.place.as_recorded())),
            ..end.place.clone()
        };
    }
}

fn name_finding(finding: &mut Finding, namer: &mut Namer<'_>, instrumented: &[String]) {
    let mark = finding.mark.as_mut();
    let (image, moments) = mark.map_or_else(Default::default, |mark| {
        (mark.image.take(), std::mem::take(&mut mark.moments))
    });
    let files = namer.files_of(instrumented, image.is_some());
    let mut names = Names::new(namer, &files, image.as_deref());
    names.remember(&moments);
    if let Some(object) = &mut finding.object {
        let described = names.object(object);
        // What the program printed stays as it is.
        if let Some(described) =
            described.filter(|_| finding.kind != FindingKind::OutcomeDifference)
        {
            finding.message = named_in(&finding.message, &described, &object.name);
        }
    }
    for access in finding
        .accesses
        .iter_mut()
        .chain(freed(&mut finding.object))
    {
        demangle_place(&mut access.place);
        names.address(&mut access.object, access.address, None, None);
        access.locks.resize(
            access.locks.len().max(access.lock_addresses.len()),
            String::new(),
        );
        for (name, &address) in access.locks.iter_mut().zip(&access.lock_addresses) {
            names.address(name, address, None, None);
        }
    }
    // The functions of the trace stay as the runtime wrote them: a replay compares them.
    let numbers = finding.numbers();
    for (number, step) in numbers.into_iter().zip(&mut finding.trace) {
        let at = Some(number);
        let text = names.address(&mut step.object, step.address, step.value, at);
        step.value_text = text.unwrap_or_default();
    }
    let is_ending = finding.kind == FindingKind::OutcomeDifference;
    let message = (!is_ending).then_some(&mut finding.message);
    let texts = finding.details.iter_mut().chain(message);
    for text in texts {
        for (address, name) in &names.named {
            *text = replace_address(text, *address, name);
        }
    }
}

/// The free of the object, if that is part of what is wrong.
fn freed(object: &mut Option<Object>) -> Option<&mut Access> {
    object.as_mut()?.freed.as_deref_mut()
}

/// The sentence about something that the runtime could only describe, with its name.
fn named_in(message: &str, described: &str, name: &str) -> String {
    if let Some((verb, rest)) = message.split_once(" on a heap block of ") {
        return format!("{verb} on {name}, in a heap block of {rest}");
    }
    if message.contains("heap block of ") {
        return format!("{message}: {name}");
    }
    message.replacen(
        &format!("the {described}"),
        &format!("{name}, on the {described}"),
        1,
    )
}

/// Whether the runtime described something that has no name of its own: a block of the heap, or a place on a stack.
fn is_description(name: &str) -> bool {
    ["heap block of ", "stack of thread "]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// Whether the runtime left the name to us.
fn is_open(name: &str) -> bool {
    name.is_empty() || name.starts_with("0x")
}

/// Puts `name` where `text` has the address as a whole number.
fn replace_address(text: &str, address: u64, name: &str) -> String {
    let number = format!("{address:#x}");
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&number) {
        let (before, after) = (&rest[..at], &rest[at + number.len()..]);
        let is_longer = after.starts_with(|c: char| c.is_ascii_hexdigit());
        replaced += before;
        replaced += if is_longer { &number } else { name };
        rest = after;
    }
    replaced + rest
}

/// Looks addresses up, reading each file once.
struct Namer<'a> {
    loaded: &'a [LoadedObject],
    /// Debug information by path; `None` for a file that could not be read.
    files: HashMap<&'a str, Option<Rc<DebugInfo>>>,
}

impl<'a> Namer<'a> {
    fn new(loaded: &'a [LoadedObject]) -> Namer<'a> {
        Namer {
            loaded,
            files: HashMap::new(),
        }
    }

    fn file(&mut self, object: &'a LoadedObject) -> Option<Rc<DebugInfo>> {
        let read = || DebugInfo::read(object.path.as_ref()).map(Rc::new);
        self.files.entry(&object.path).or_insert_with(read).clone()
    }

    fn file_at(&mut self, address: u64) -> Option<(Rc<DebugInfo>, u64)> {
        let covers = |object: &&LoadedObject| (object.start..object.end).contains(&address);
        let object = self.loaded.iter().find(covers)?;
        Some((self.file(object)?, address.wrapping_sub(object.base)))
    }

    /// Where an address is that has no name: `libstdc++.so.6+0x2748`.
    fn in_file(&self, address: u64) -> Option<String> {
        let covers = |object: &&LoadedObject| (object.start..object.end).contains(&address);
        let object = self.loaded.iter().find(covers)?;
        let name = object.path.rsplit('/').next()?;
        Some(format!("{name}+{:#x}", address.wrapping_sub(object.base)))
    }

    /// The variable at `address`, of which `size` bytes are meant (0 if unknown).
    fn find(&mut self, address: u64, size: u64) -> Option<Found> {
        let (file, address) = self.file_at(address)?;
        file.find(address, size)
    }

    /// A value of the variable that was found at an address.
    fn value(&mut self, address: u64, found: &Found, value: u64) -> Option<Written> {
        self.file_at(address)?.0.value(found, value)
    }

    /// The files with these base names that have debug information; none if they are not needed.
    fn files_of(&mut self, instrumented: &[String], are_needed: bool) -> Files {
        let mut files = Files::new();
        if !are_needed {
            return files;
        }
        for object in self.loaded {
            let name = object.path.rsplit('/').next().unwrap_or_default();
            if !instrumented.iter().any(|instrumented| instrumented == name) {
                continue;
            }
            let file = self.file(object).filter(|file| file.dwarf().is_some());
            files.extend(file.map(|file| (file, object.clone())));
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_text() {
        let check = |text: &str, expect: &str| {
            assert_eq!(replace_address(text, 0x40a0, "x"), expect);
        };
        check("race on 0x40a0", "race on x");
        check("0x40a0, 0x40a00 and 0x40a0", "x, 0x40a00 and x");
        check("nothing", "nothing");
    }

    #[test]
    fn mangled_names() {
        let check = |name: &str, expect: &str| assert_eq!(demangle(name), expect);
        check("main", "main");
        check("_Z3fooi", "foo(int)");
        check("_ZN4bank7depositEv", "bank::deposit()");
        check("_RNvC1a4main", "a::main");
        check("_Znot", "_Znot");
    }

    #[test]
    fn functions_without_parameters() {
        let check = |name: &str, expect: &str| assert_eq!(demangle_bare(name), expect);
        check("main", "main");
        check("_Z3fooi", "foo");
        check("_ZN4bank7depositEv", "bank::deposit");
        check("_RNvC1a4main", "a::main");
    }
}
