//! From addresses to names: `0x5555555580a4` becomes `accounts[3].balance`, mangled functions
//! become readable.
//!
//! The runtime reports objects by address and says where each ELF file is loaded. The file's
//! debug information has the variable, its declaration and its type ([`debug_info`]); without
//! debug information the symbol table still has a name.

pub mod debug_info;
mod demangle;
mod instruction;
mod stacks;
mod threads;

pub use demangle::{demangle, demangle_bare, demangle_place};

use debug_info::{DebugInfo, Found};
use dpor_abi::options::Options;
use dpor_report::{Access, Finding, FindingKind, LoadedObject, Object, Place, Report};
use instruction::Lines;
use stacks::Stacks;
use std::collections::HashMap;

/// Fills in the names that the runtime could not know.
pub fn complete(report: &mut Report, loaded: &[LoadedObject]) {
    let mut namer = Namer::new(loaded);
    let folders = Options::parse(&report.options).map_or(Vec::new(), |options| options.library);
    let instrumented = report.scope.instrumented.clone();
    let mut places = Places {
        stacks: Stacks::new(&instrumented, &folders),
        lines: Lines::new(loaded),
    };
    let sentences = report.notes.iter_mut().chain(&mut report.reason);
    sentences.for_each(|text| places.name_sentence(text));
    for finding in &mut report.findings {
        places.name_finding(finding);
        name_finding(finding, &mut namer);
        threads::complete(finding, loaded, &report.scope.instrumented);
    }
    let graphs = report
        .states
        .iter_mut()
        .filter_map(|states| states.graph.as_mut());
    for step in graphs.flat_map(|graph| &mut graph.operations) {
        name_address(&mut step.object, step.address, &mut namer, &mut Vec::new());
    }
    let states = report.states.iter_mut();
    for differing in states.flat_map(|states| &mut states.differing) {
        name_object(&mut differing.object, &mut namer, &mut Vec::new());
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

fn name_finding(finding: &mut Finding, namer: &mut Namer<'_>) {
    let mut named = Vec::new();
    if let Some(object) = &mut finding.object {
        name_object(object, namer, &mut named);
    }
    for access in finding
        .accesses
        .iter_mut()
        .chain(freed(&mut finding.object))
    {
        demangle_place(&mut access.place);
        name_address(&mut access.object, access.address, namer, &mut named);
        access.locks.resize(
            access.locks.len().max(access.lock_addresses.len()),
            String::new(),
        );
        for (name, &address) in access.locks.iter_mut().zip(&access.lock_addresses) {
            name_address(name, address, namer, &mut named);
        }
    }
    // The functions of the trace stay as the runtime wrote them: a replay compares them.
    for step in &mut finding.trace {
        name_address(&mut step.object, step.address, namer, &mut named);
    }
    // What the program printed stays as it is.
    let is_ending = finding.kind == FindingKind::OutcomeDifference;
    let message = (!is_ending).then_some(&mut finding.message);
    let texts = finding.details.iter_mut().chain(message);
    for text in texts {
        for (address, name) in &named {
            *text = replace_address(text, *address, name);
        }
    }
}

/// The free of the object, if that is part of what is wrong.
fn freed(object: &mut Option<Object>) -> Option<&mut Access> {
    object.as_mut()?.freed.as_deref_mut()
}

fn name_object(object: &mut Object, namer: &mut Namer<'_>, named: &mut Vec<(u64, String)>) {
    if !is_open(&object.name) {
        return;
    }
    let Some(found) = namer.find(object.address, object.size) else {
        if object.name.is_empty() {
            object.name = format!("{:#x}", object.address);
        }
        return;
    };
    named.push((object.address, found.name.clone()));
    object.name = found.name;
    if object.size == 0 {
        object.size = found.size;
    }
    if object.file.is_none() && !found.file.is_empty() {
        object.file = Some(found.file);
        object.line = found.line;
    }
}

fn name_address(
    name: &mut String,
    address: u64,
    namer: &mut Namer<'_>,
    named: &mut Vec<(u64, String)>,
) {
    if address == 0 || !is_open(name) {
        return;
    }
    match namer.find(address, 0) {
        Some(found) => {
            named.push((address, found.name.clone()));
            *name = found.name;
        }
        None if name.is_empty() => *name = format!("{address:#x}"),
        None => {}
    }
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
    files: HashMap<&'a str, Option<DebugInfo>>,
}

impl<'a> Namer<'a> {
    fn new(loaded: &'a [LoadedObject]) -> Namer<'a> {
        Namer {
            loaded,
            files: HashMap::new(),
        }
    }

    /// The variable at `address`, of which `size` bytes are meant (0 if unknown).
    fn find(&mut self, address: u64, size: u64) -> Option<Found> {
        let covers = |object: &&LoadedObject| (object.start..object.end).contains(&address);
        let object = self.loaded.iter().find(covers)?;
        let read = || DebugInfo::read(object.path.as_ref());
        let file = self.files.entry(&object.path).or_insert_with(read);
        file.as_ref()?.find(address.wrapping_sub(object.base), size)
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
