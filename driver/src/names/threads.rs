//! The functions that threads began with.
//!
//! The runtime says the address a thread began at; the symbol table of its file has the name. Where that file
//! is none of the program's own (`std::thread` begins in libstdc++), or the function a library's (the runtime of OpenMP
//! is linked to the program), or nothing is known, it is the first function of the program's own that the thread's
//! events lie in.

use addr2line::Loader;
use dpor_report::{library, Alike, Finding, LoadedObject, Place, Thread};
use std::path::Path;

/// Names the threads of a finding; adds those that the runtime did not list.
pub fn complete(finding: &mut Finding, loaded: &[LoadedObject], instrumented: &[String]) {
    let in_trace = finding.trace.iter().map(|step| step.thread);
    let in_accesses = finding.accesses.iter().map(|access| access.thread);
    let mut numbers: Vec<u32> = in_trace.chain(in_accesses).collect();
    numbers.sort_unstable();
    numbers.dedup();
    for thread in numbers {
        if finding.threads.iter().all(|known| known.thread != thread) {
            finding.threads.push(Thread {
                thread,
                ..Thread::default()
            });
        }
    }
    let mut threads = std::mem::take(&mut finding.threads);
    for thread in threads.iter_mut().filter(|one| one.function.is_empty()) {
        // It is another one in the next run, and has served its purpose.
        let start = std::mem::take(&mut thread.start);
        let found = symbol(start, loaded, instrumented);
        let found = found.or_else(|| first_function(finding, thread.thread));
        thread.function = found.unwrap_or_default();
    }
    finding.threads = threads;
}

/// Names start functions; leaves out those that are none of the program's own.
pub fn name_alike(all: &mut Vec<Alike>, loaded: &[LoadedObject], instrumented: &[String]) {
    for one in all.iter_mut() {
        one.function = symbol(one.start, loaded, instrumented).unwrap_or_default();
    }
    all.retain(|one| !one.function.is_empty());
}

/// The function at an address of the program's own.
fn symbol(address: u64, loaded: &[LoadedObject], instrumented: &[String]) -> Option<String> {
    let mut objects = loaded.iter();
    let object = objects.find(|object| (object.start..object.end).contains(&address))?;
    let file = Path::new(&object.path).file_name()?.to_string_lossy();
    if !instrumented.iter().any(|name| *name == file) {
        return None;
    }
    let loader = Loader::new(&object.path).ok()?;
    let address = address.wrapping_sub(object.base);
    let location = loader.find_location(address).ok().flatten();
    let file = location.and_then(|location| location.file);
    if file.is_some_and(|file| library::is_library(file, &[])) {
        return None;
    }
    loader.find_symbol(address).map(str::to_owned)
}

/// The outermost function of the program's own around the thread's first event, or else its access.
fn first_function(finding: &Finding, thread: u32) -> Option<String> {
    let steps = finding.trace.iter();
    // It begins where it is created, which is another thread's function.
    let own = steps.filter(|step| step.thread == thread && step.operation != "thread-start");
    let accesses = finding.accesses.iter();
    let accesses = accesses.filter(|access| access.thread == thread);
    let places = own.map(|step| &step.place);
    let mut places = places.chain(accesses.map(|access| &access.place));
    places.find_map(|place| outermost(place).map(str::to_owned))
}

fn outermost(place: &Place) -> Option<&str> {
    let on_stack = place.stack.iter().rev();
    let on_stack = on_stack.map(|frame| (frame.library, frame.function.as_str()));
    let is_library = |place: &Place| library::is_library(&place.file, &[]);
    let inlined = place.inlined_into.iter().rev().chain([place]);
    let inlined = inlined.map(|place| (is_library(place), place.function.as_str()));
    let mut functions = on_stack.chain(inlined);
    let own = functions.find(|(is_library, function)| !is_library && !function.is_empty());
    own.map(|(_, function)| function)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, function: &str) -> Place {
        Place {
            file: file.to_owned(),
            line: 1,
            function: function.to_owned(),
            ..Place::default()
        }
    }

    #[test]
    fn the_program_s_function_inside_the_library_s() {
        let mut inner = place("/usr/include/c++/12/bits/std_mutex.h", "lock");
        assert_eq!(outermost(&inner), None);
        inner.inlined_into = vec![
            place("x.cc", "helper"),
            place("x.cc", "add"),
            place("/usr/include/c++/12/bits/std_thread.h", "_M_run"),
        ];
        assert_eq!(outermost(&inner), Some("add"));
        assert_eq!(outermost(&place("x.c", "f")), Some("f"));
    }

    #[test]
    fn threads_that_the_runtime_did_not_list_are_added() {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        let mut finding = crate::report::plain::finding(status).expect("a finding");
        let step = |thread: u32, operation: &str, function: &str| dpor_report::Step {
            thread,
            operation: operation.to_owned(),
            object: String::new(),
            value: None,
            value_text: String::new(),
            place: place("x.c", function),
            ..dpor_report::Step::default()
        };
        finding.trace = vec![
            step(2, "thread-start", "main"),
            step(2, "lock", "add"),
            step(1, "thread-start", "main"),
        ];
        complete(&mut finding, &[], &[]);
        let names = finding.threads.iter();
        let names: Vec<_> = names.map(|t| (t.thread, t.function.as_str())).collect();
        assert_eq!(names, [(1, ""), (2, "add")]);
    }
}
