//! From addresses of calls to the functions on a stack, and from there to the user's own place.
//!
//! ```text
//!   recorded by the pass     move.h:205 std::swap
//!   on the stack             move.h:205 std::swap │ swap.cpp:7 exchange │ swap.cpp:11 main
//!                                                   └ the first that is no library's: the place of the report
//! ```
//!
//! What the pass recorded is more exact than the line of an address, so it stands where the stack has the same
//! functions. Without calls, what was inlined into what is all there is.

use super::demangle::{demangle_bare, passes_on_to, readable_function};
use super::instruction::Lines;
use dpor_report::{library, place_in_words, Frame, Object, Place};
use std::collections::HashMap;
use std::path::Path;

/// The most steps of a trace whose calls the report has (chosen: a trace of a million is a file of 200 MB as it is).
pub const STEPS_MAX: usize = 1000;

/// Finds the functions on stacks of one process.
pub struct Stacks<'a> {
    /// Base names of the objects whose functions are the user's own, where their file is not known.
    instrumented: &'a [String],
    /// Folders with the sources of libraries.
    folders: &'a [String],
    /// Functions by addresses: an instruction may be in several, which were inlined into each other.
    known: HashMap<u64, Vec<Frame>>,
}

impl<'a> Stacks<'a> {
    pub fn new(instrumented: &'a [String], folders: &'a [String]) -> Stacks<'a> {
        Stacks {
            instrumented,
            folders,
            known: HashMap::new(),
        }
    }

    /// Completes a place: the functions on its stack, and where the user's own code is.
    pub fn complete(&mut self, place: &mut Place, lines: &mut Lines<'_>) {
        let calls = std::mem::take(&mut place.calls);
        let (mut stack, own) = self.stack(place, &calls, lines);
        let mut outer = stack.split_off(own.unwrap_or(0));
        outer.dedup_by(|outer, inner| passes_on_to(&outer.function, &inner.function));
        stack.append(&mut outer);
        let found = stack.iter().position(is_place);
        if let Some(found) = found.filter(|found| Some(*found) != own) {
            let mut frames = stack[found..].iter();
            let mut user = frames.next().expect("it was found").place();
            let mut inner = &stack[found];
            for outer in frames.take_while(|_| true) {
                if !inner.inlined {
                    break;
                }
                user.inlined_into.push(outer.place());
                inner = outer;
            }
            user.recorded = Some(Box::new(place.as_recorded()));
            *place = user;
        }
        if stack.len() > 1 {
            place.stack = stack;
        }
    }

    /// The place of the declaration or allocation of an object: where the user's own code calls for it.
    pub fn complete_object(&mut self, object: &mut Object, lines: &mut Lines<'_>) {
        let calls = std::mem::take(&mut object.calls);
        let is_library = |file: &String| library::is_library(file, self.folders);
        if !object.file.as_ref().is_some_and(is_library) {
            return;
        }
        let stack = self.of_calls(&calls, lines);
        if let Some(frame) = stack.iter().find(|frame| is_place(frame)) {
            object.file = Some(frame.file.clone());
            object.line = frame.line;
        }
    }

    /// The sentence, with the user's own places.
    pub fn in_sentence(&mut self, sentence: &str, lines: &mut Lines<'_>) -> String {
        place_in_words::replace(sentence, &mut |words, calls| {
            // The pass knows the line better.
            if !library::is_library(words, self.folders) {
                return words.to_owned();
            }
            let stack = self.of_calls(calls, lines);
            match stack.iter().find(|frame| is_place(frame)) {
                Some(Frame {
                    file,
                    line,
                    function,
                    ..
                }) => match words.contains(" in ") {
                    true => format!(
                        "{file}:{line} in {}",
                        readable_function(&demangle_bare(function))
                    ),
                    false => format!("{file}:{line}"),
                },
                None => words.to_owned(),
            }
        })
    }

    /// The functions on a stack, and which of them the place is in.
    fn stack(
        &mut self,
        place: &Place,
        calls: &[u64],
        lines: &mut Lines<'_>,
    ) -> (Vec<Frame>, Option<usize>) {
        let mut recorded = self.recorded(place);
        let stack = self.of_calls(calls, lines);
        let (Some(innermost), Some(outermost)) = (recorded.first(), recorded.last()) else {
            return (stack, None);
        };
        let is_of = |frame: &Frame, other: &Frame| frame.function == other.function;
        let inner = stack.iter().position(|frame| is_of(frame, innermost));
        let mut behind = stack[inner.unwrap_or(0)..].iter();
        let last = behind.position(|frame| is_of(frame, outermost));
        let last = last.map(|at| inner.unwrap_or(0) + at);
        // What was inlined may be known to the pass alone.
        let first = inner.or_else(|| last.map(|last| begin(&stack, last)));
        let (Some(first), Some(last)) = (first, last) else {
            // The function's frame is gone: it jumped to what it called last, or it is `main`, which has returned.
            if outermost.function != "main" {
                recorded.extend(stack);
            }
            return (recorded, Some(0));
        };
        for frame in &mut recorded {
            frame.object.clone_from(&stack[last].object);
        }
        if let Some(end) = recorded.last_mut() {
            end.inlined = stack[last].inlined;
        }
        let mut all = stack[..first].to_vec();
        all.extend(recorded);
        all.extend_from_slice(&stack[last + 1..]);
        (all, Some(first))
    }

    /// What the pass recorded, as functions on the stack.
    fn recorded(&self, place: &Place) -> Vec<Frame> {
        if place.function.is_empty() && place.line == 0 {
            return Vec::new();
        }
        let all = std::iter::once(place).chain(&place.inlined_into);
        let mut frames: Vec<Frame> = all
            .map(|place| Frame {
                file: place.file.clone(),
                line: place.line,
                column: place.column,
                function: place.function.clone(),
                object: String::new(),
                inlined: true,
                library: library::is_library(&place.file, self.folders),
            })
            .collect();
        if let Some(outermost) = frames.last_mut() {
            outermost.inlined = false;
        }
        frames
    }

    /// The functions that calls are in, up to `main`: what calls that is nobody's business.
    fn of_calls(&mut self, calls: &[u64], lines: &mut Lines<'_>) -> Vec<Frame> {
        let mut stack = Vec::new();
        for &call in calls {
            if !self.known.contains_key(&call) {
                let frames = self.read(call, lines);
                self.known.insert(call, frames);
            }
            stack.extend_from_slice(&self.known[&call]);
            if stack.last().is_some_and(|frame| frame.function == "main") {
                break;
            }
        }
        stack
    }

    fn read(&self, call: u64, lines: &mut Lines<'_>) -> Vec<Frame> {
        let object = lines.object(call).map(|object| Path::new(&object.path));
        let object = object.and_then(Path::file_name).unwrap_or_default();
        let object = object.to_string_lossy().into_owned();
        let places = lines.functions(call);
        let inlined = places.len().saturating_sub(1);
        let is_own = self.instrumented.contains(&object);
        let frame = |(number, place): (usize, Place)| Frame {
            library: match place.file.as_str() {
                "" => !is_own,
                file => library::is_library(file, self.folders),
            },
            file: place.file,
            line: place.line,
            column: place.column,
            function: place.function,
            object: object.clone(),
            inlined: number < inlined,
        };
        places.into_iter().enumerate().map(frame).collect()
    }
}

/// The innermost of the functions that were inlined into one on the stack.
fn begin(stack: &[Frame], outermost: usize) -> usize {
    let inlined = stack[..outermost].iter().rev();
    outermost - inlined.take_while(|frame| frame.inlined).count()
}

/// Whether a function on the stack is at a place of the user's own.
fn is_place(frame: &Frame) -> bool {
    !frame.library && frame.line != 0 && !frame.file.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32, function: &str) -> Place {
        Place {
            file: file.to_owned(),
            line,
            function: function.to_owned(),
            ..Place::default()
        }
    }

    fn frame(file: &str, line: u32, function: &str, inlined: bool) -> Frame {
        Frame {
            file: file.to_owned(),
            line,
            column: 0,
            function: function.to_owned(),
            object: "x".to_owned(),
            inlined,
            library: library::is_library(file, &[]),
        }
    }

    const MOVE: &str = "/usr/include/c++/12/bits/move.h";

    /// The place after it was completed, with these functions at the addresses 1, 2, …
    fn completed(mut place: Place, calls: Vec<Vec<Frame>>) -> Place {
        let mut stacks = Stacks::new(&[], &[]);
        place.calls = (1..).take(calls.len()).collect();
        stacks.known = (1..).zip(calls).collect();
        stacks.complete(&mut place, &mut Lines::new(&[]));
        assert!(place.calls.is_empty());
        place
    }

    #[test]
    fn the_place_is_the_first_function_of_the_user_s_own() {
        let recorded = place(MOVE, 205, "swap");
        let stack = vec![
            vec![frame(MOVE, 204, "swap", false)],
            vec![frame("x.cc", 7, "f", true), frame("x.cc", 9, "g", false)],
            vec![frame("x.cc", 12, "main", false)],
            vec![frame("", 0, "_start", false)],
        ];
        let expect = Place {
            inlined_into: vec![place("x.cc", 9, "g")],
            recorded: Some(Box::new(recorded.clone())),
            stack: vec![
                // The pass knows the line better.
                frame(MOVE, 205, "swap", false),
                frame("x.cc", 7, "f", true),
                frame("x.cc", 9, "g", false),
                frame("x.cc", 12, "main", false),
            ],
            ..place("x.cc", 7, "f")
        };
        let completed = completed(recorded.clone(), stack);
        assert_eq!(completed, expect);
        assert_eq!(completed.as_recorded(), recorded);
    }

    #[test]
    fn what_only_the_pass_knows_to_be_inlined_is_there_once() {
        let recorded = Place {
            inlined_into: vec![place("x.cc", 9, "main")],
            ..place("x.cc", 3, "f")
        };
        let called = vec![vec![
            frame("x.cc", 2, "g", true),
            frame("x.cc", 9, "main", false),
        ]];
        let completed = completed(recorded, called);
        let functions: Vec<_> = { completed.stack.iter() }
            .map(|frame| (frame.function.as_str(), frame.line))
            .collect();
        assert_eq!(functions, [("f", 3), ("main", 9)]);
    }

    #[test]
    fn without_calls_what_was_inlined_says_it() {
        let recorded = Place {
            inlined_into: vec![place("x.cc", 7, "f"), place("x.cc", 9, "g")],
            ..place(MOVE, 205, "swap")
        };
        let completed = completed(recorded.clone(), Vec::new());
        assert_eq!((completed.line, completed.inlined_into.len()), (7, 1));
        assert_eq!(completed.stack.len(), 3);
        assert_eq!(completed.as_recorded(), recorded);
    }

    #[test]
    fn an_own_place_stays() {
        let own = place("x.cc", 3, "f");
        assert_eq!(completed(own.clone(), Vec::new()), own);
        let called = vec![
            vec![frame("x.cc", 3, "f", false)],
            vec![frame("x.cc", 9, "main", false)],
        ];
        let completed = completed(own.clone(), called);
        assert_eq!((completed.line, completed.stack.len()), (3, 2));
        assert_eq!(completed.as_recorded(), own);
    }

    #[test]
    fn a_function_that_jumped_to_what_it_calls_is_in_front_of_the_stack() {
        let called = || vec![vec![frame("x.cc", 30, "h", false)]];
        let of_library = completed(place(MOVE, 3, "f"), called());
        assert_eq!((of_library.line, of_library.stack.len()), (30, 2));
        let own = completed(place("x.cc", 3, "f"), called());
        assert_eq!((own.line, own.stack.len()), (3, 2));
    }
}
