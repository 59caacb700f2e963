//! A finding as people read it: paths relative to the current folder, readable function names, threads by name; on a
//! terminal, nothing in any of them that steers it.
//! The JSON keeps what the runtime wrote, which a replay compares event by event.

use crate::names::{demangle_bare, readable_place, readable_start};
use crate::report::names_of_threads;
use dpor_report::{library, visible, Access, Finding, FindingKind, Place, Step};
use std::borrow::Cow;
use std::path::Path;

/// The finding for reading in `folder`.
pub fn shown(finding: &Finding, folder: &Path) -> Finding {
    let mut finding = finding.clone();
    let prefix = prefix(folder);
    for access in accesses(&mut finding) {
        leave_system_callers(&mut access.place);
        show_place(&mut access.place, &prefix);
    }
    let steps = finding.trace.iter_mut();
    steps.for_each(|step| show_step(step, &prefix));
    for thread in &mut finding.threads {
        thread.function = readable_start(&thread.function);
    }
    if let Some(file) = finding
        .object
        .as_mut()
        .and_then(|object| object.file.as_mut())
    {
        shorten(file, &prefix);
    }
    for line in finding.details.iter_mut().chain([&mut finding.message]) {
        // Paths stand in the middle of these sentences, behind a blank.
        if prefix != "/" {
            *line = line.replace(&format!(" {prefix}"), " ");
        }
    }
    if finding.kind == FindingKind::UseAfterReturn {
        finding.message = with_readable_names(&finding.message);
    }
    name_threads(&mut finding);
    finding
}

/// The accesses, and the free of the object.
fn accesses(finding: &mut Finding) -> impl Iterator<Item = &mut Access> {
    let object = finding.object.iter_mut();
    let freed = object.filter_map(|object| object.freed.as_deref_mut());
    finding.accesses.iter_mut().chain(freed)
}

/// The step for reading in `folder`.
pub fn step(step: &Step, folder: &Path) -> Step {
    let mut step = step.clone();
    show_step(&mut step, &prefix(folder));
    step
}

fn show_step(step: &mut Step, prefix: &str) {
    leave_system_headers(&mut step.place);
    show_place(&mut step.place, prefix);
}

/// How paths of files in a folder begin.
fn prefix(folder: &Path) -> String {
    match folder.display().to_string() {
        root if root.ends_with('/') => root,
        folder => folder + "/",
    }
}

/// The sentence, with names of functions as their source has them.
fn with_readable_names(sentence: &str) -> String {
    let readable = |word: &str| match word.strip_suffix(',') {
        Some(name) => demangle_bare(name) + ",",
        None => word.to_owned(),
    };
    let words: Vec<String> = sentence.split(' ').map(readable).collect();
    words.join(" ")
}

/// The finding for a terminal in `folder`: see [`visible`]. Other formats have ways of their own to write any character.
pub fn on_terminal(finding: &Finding, folder: &Path) -> Finding {
    let mut finding = shown(finding, folder);
    make_visible(&mut finding);
    finding
}

fn make_visible(finding: &mut Finding) {
    let show = |text: &mut String| {
        if let Cow::Owned(shown) = visible::line(text) {
            *text = shown;
        }
    };
    // Sentences may have several lines.
    for text in finding.details.iter_mut().chain([&mut finding.message]) {
        if let Cow::Owned(shown) = visible::lines(text) {
            *text = shown;
        }
    }
    finding
        .threads
        .iter_mut()
        .for_each(|thread| show(&mut thread.function));
    for access in accesses(finding) {
        show(&mut access.access);
        show(&mut access.object);
        access.locks.iter_mut().for_each(show);
        show_names(&mut access.place, &show);
    }
    for step in &mut finding.trace {
        show(&mut step.operation);
        show(&mut step.object);
        show_names(&mut step.place, &show);
    }
    if let Some(object) = &mut finding.object {
        show(&mut object.name);
        object.file.iter_mut().for_each(show);
    }
}

fn show_names(place: &mut Place, show: &impl Fn(&mut String)) {
    show(&mut place.file);
    show(&mut place.function);
    for outer in &mut place.inlined_into {
        show_names(outer, show);
    }
    for frame in &mut place.stack {
        show(&mut frame.file);
        show(&mut frame.function);
    }
}

/// `thread 1 waits` becomes `T1 (add) waits`, in sentences that are all the checker's.
fn name_threads(finding: &mut Finding) {
    use FindingKind::{
        Abort, Assertion, Crash, Invariant, NonzeroExit, NotLinearizable, OutcomeDifference,
    };
    if let Assertion | Abort | Crash | NonzeroExit | Invariant | NotLinearizable
    | OutcomeDifference = finding.kind
    {
        return;
    }
    let mut texts = std::mem::take(&mut finding.details);
    texts.push(std::mem::take(&mut finding.message));
    for text in &mut texts {
        *text = names_of_threads::in_sentence(&finding.threads, text);
    }
    finding.message = texts.pop().expect("the message");
    finding.details = texts;
}

fn is_of_system(place: &Place) -> bool {
    library::is_library(&place.file, &[])
}

/// Leaves out callers in the system's headers: that a lambda is called by five functions of `std::thread` says nothing.
fn leave_system_callers(place: &mut Place) {
    place.inlined_into.retain(|outer| !is_of_system(outer));
}

/// Replaces a place in the system's headers by that of its caller: where a `std::lock_guard` stands says more in a
/// trace than the line of the library that locks.
fn leave_system_headers(place: &mut Place) {
    leave_system_callers(place);
    if is_of_system(place) && !place.inlined_into.is_empty() {
        let own = place.inlined_into.remove(0);
        let rest = std::mem::take(&mut place.inlined_into);
        *place = Place {
            inlined_into: rest,
            ..own
        };
    }
}

fn show_place(place: &mut Place, prefix: &str) {
    readable_place(place);
    shorten_place(place, prefix);
}

fn shorten_place(place: &mut Place, prefix: &str) {
    shorten(&mut place.file, prefix);
    for outer in &mut place.inlined_into {
        shorten_place(outer, prefix);
    }
    for frame in &mut place.stack {
        shorten(&mut frame.file, prefix);
    }
}

fn shorten(file: &mut String, prefix: &str) {
    // `./x.cpp` includes `theirs/a.h`.
    if file.contains("/./") {
        *file = file.replace("/./", "/");
    }
    // `/` as the current folder would make absolute paths look relative.
    if let Some(rest) = file.strip_prefix(prefix).filter(|_| prefix != "/") {
        *file = rest.to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let check = |file: &str, folder: &str, expect: &str| {
            let mut finding = crate::report::plain::finding(status()).unwrap();
            finding.details = vec![format!("locked at {file}:3")];
            finding.object = Some(dpor_report::Object {
                file: Some(file.to_owned()),
                ..dpor_report::Object::default()
            });
            let shown = shown(&finding, Path::new(folder));
            assert_eq!(shown.object.unwrap().file.unwrap(), expect);
            assert_eq!(shown.details, [format!("locked at {expect}:3")]);
        };
        check("/home/me/x.c", "/home/me", "x.c");
        check("/home/me/src/x.c", "/home/me", "src/x.c");
        check("/home/meta/x.c", "/home/me", "/home/meta/x.c");
        check("x.c", "/home/me", "x.c");
        check("/usr/x.c", "/", "/usr/x.c");
    }

    #[test]
    fn a_lock_guard_is_shown_where_it_stands() {
        let at = |file: &str, line: u32| Place {
            file: file.to_owned(),
            line,
            ..Place::default()
        };
        let mut place = at("/usr/include/c++/12/bits/std_mutex.h", 100);
        place.inlined_into = vec![
            at("/usr/include/c++/12/mutex", 5),
            at("x.cc", 7),
            at("y.cc", 9),
        ];
        leave_system_headers(&mut place);
        let expect = Place {
            inlined_into: vec![at("y.cc", 9)],
            ..at("x.cc", 7)
        };
        assert_eq!(place, expect);
        // One's own place stays, and so do one's own callers, around those of the library.
        let mut place = at("x.cc", 8);
        let invoke = at("/usr/include/c++/12/bits/invoke.h", 61);
        place.inlined_into = vec![invoke.clone(), at("y.cc", 9), invoke];
        leave_system_callers(&mut place);
        let own = Place {
            inlined_into: vec![at("y.cc", 9)],
            ..at("x.cc", 8)
        };
        assert_eq!(place, own);
        // Without a place of one's own it stays.
        let mut place = at("/usr/include/pthread.h", 1);
        leave_system_headers(&mut place);
        assert_eq!(place, at("/usr/include/pthread.h", 1));
    }

    fn status() -> std::process::ExitStatus {
        std::os::unix::process::ExitStatusExt::from_raw(6)
    }
}
