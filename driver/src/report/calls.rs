//! The calls that led to a place, for reading: the user's own functions, and how many of libraries are between them.
//!
//! ```text
//!   … 1 frame of libstdc++
//!   swap.cpp:7 in exchange(Item&, Item&)
//!   swap.cpp:10 in main
//! ```

use super::names_of_threads::name;
use dpor_report::{phrases, text, Access, Finding, Frame, Place};

/// The most functions of the user's own that are listed from either end (chosen: recursion is recognised by then).
const FRAMES_MAX: usize = 8;

/// A line of a list of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call<'a> {
    /// A function of the user's own, or of code whose sources nobody knows.
    Own(&'a Frame),
    /// What is left out: in words, and the functions.
    Folded {
        /// `… 4 frames of libstdc++`.
        words: String,
        /// The functions, the innermost first.
        frames: Vec<&'a Frame>,
    },
}

/// The calls of a place; empty if there is none but the place itself.
pub fn calls(place: &Place) -> Vec<Call<'_>> {
    // What called the user's first function is the same for all threads.
    let is_own = |frame: &Frame| !frame.library;
    let end = place.stack.iter().rposition(is_own).map_or(0, |at| at + 1);
    let stack = &place.stack[..end];
    if stack.len() <= 1 {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for run in stack.chunk_by(|a, b| a.library && b.library) {
        match run {
            [own] if !own.library => calls.push(Call::Own(own)),
            run => calls.push(Call::Folded {
                words: folded(run),
                frames: run.iter().collect(),
            }),
        }
    }
    if calls.len() > 2 * FRAMES_MAX {
        let left_out = calls.len() - 2 * FRAMES_MAX;
        let within = FRAMES_MAX..FRAMES_MAX + left_out;
        let frames = calls[within.clone()].iter().flat_map(Call::frames);
        let between = Call::Folded {
            words: format!("… {left_out} more"),
            frames: frames.collect(),
        };
        calls.splice(within, [between]);
    }
    calls
}

/// `… 4 frames of libstdc++ and libc`.
fn folded(run: &[Frame]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for frame in run {
        let name = library(frame);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    let frames = text::counted(run.len() as u64, "frame");
    match names.is_empty() {
        true => format!("… {frames} of a library"),
        false => format!("… {frames} of {}", names.join(" and ")),
    }
}

/// The name of the library that a function is of: as its headers or its file have it.
fn library(frame: &Frame) -> &str {
    match of_library(&frame.file) {
        "" => frame.object.split(".so").next().unwrap_or_default(),
        name => name,
    }
}

/// The name of the library that a file of sources is of; empty if it has no folder.
pub fn of_library(file: &str) -> &str {
    if file.contains("/c++/v1/") {
        return "libc++";
    }
    if file.contains("/c++/") {
        return "libstdc++";
    }
    if file.starts_with("/rustc/") || file.contains("/rustlib/") {
        return "Rust's library";
    }
    if let Some((_, below)) = file.rsplit_once("/include/") {
        return below.split(['/', '.']).next().unwrap_or(below);
    }
    file.rsplit('/').nth(1).unwrap_or_default()
}

impl<'a> Call<'a> {
    /// The line.
    pub fn line(&self) -> String {
        match self {
            Call::Folded { words, .. } => words.clone(),
            Call::Own(frame) => line(frame),
        }
    }

    /// The number of functions that it stands for.
    pub fn count(&self) -> usize {
        match self {
            Call::Folded { frames, .. } => frames.len(),
            Call::Own(_) => 1,
        }
    }

    /// The functions that it stands for.
    fn frames(&self) -> Vec<&'a Frame> {
        match self {
            Call::Folded { frames, .. } => frames.clone(),
            Call::Own(frame) => vec![frame],
        }
    }
}

/// A function and its place, as far as known.
pub fn line(frame: &Frame) -> String {
    match frame.line == 0 && frame.file.is_empty() {
        true => format!("{} in {}", frame.object, frame.function),
        false => text::place(&frame.place()),
    }
}

/// The calls of an access as a note: `T1: write`, and a line for each. Without calls: into what it was inlined.
pub fn note(finding: &Finding, access: &Access) -> Option<String> {
    let calls = calls(&access.place);
    if !calls.is_empty() {
        let lines: Vec<String> = calls
            .iter()
            .map(|call| format!("\n    {}", call.line()))
            .collect();
        let thread = name(&finding.threads, access.thread);
        return Some(format!(
            "{thread}: {}{}",
            phrases::label(access),
            lines.concat()
        ));
    }
    let chain: Vec<String> = access.place.inlined_into.iter().map(text::place).collect();
    let into = chain.join(", into ");
    let thread = access.thread;
    (!chain.is_empty() && access.place.stack.is_empty())
        .then(|| format!("T{thread}: inlined into {into}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u32, function: &str, library: bool) -> Frame {
        Frame {
            file: file.to_owned(),
            line,
            function: function.to_owned(),
            object: "libc.so.6".to_owned(),
            library,
            ..Frame::default()
        }
    }

    fn lines(stack: Vec<Frame>) -> Vec<String> {
        let place = Place {
            stack,
            ..Place::default()
        };
        calls(&place).iter().map(Call::line).collect()
    }

    #[test]
    fn libraries_are_folded() {
        let std = "/usr/include/c++/12/bits/move.h";
        let own = || frame("x.cc", 7, "f", false);
        let stack = vec![
            frame(std, 205, "swap", true),
            own(),
            frame(std, 1, "a", true),
            frame("", 0, "b", true),
            frame("/usr/include/gtest/gtest.h", 2, "c", true),
            frame("", 0, "main", false),
            frame("", 0, "_start", true),
        ];
        let expect = [
            "… 1 frame of libstdc++",
            "x.cc:7 in f",
            "… 3 frames of libstdc++ and libc and gtest",
            "libc.so.6 in main",
        ];
        assert_eq!(lines(stack), expect);
        assert_eq!(lines(vec![own(), frame(std, 1, "a", true)]), [""; 0]);
        assert_eq!(lines(vec![]), [""; 0]);
    }

    #[test]
    fn deep_recursion_keeps_both_ends() {
        let deep = (1..=30)
            .map(|line| frame("x.cc", line, "f", false))
            .collect();
        let lines = lines(deep);
        assert_eq!(lines.len(), 17);
        assert_eq!(lines[7..10], ["x.cc:8 in f", "… 14 more", "x.cc:23 in f"]);
    }

    #[test]
    fn what_is_folded_is_not_lost() {
        let stack = (1..=30)
            .map(|line| frame("x.cc", line, "f", line % 2 == 0))
            .collect();
        let place = Place {
            stack,
            ..Place::default()
        };
        let all = calls(&place);
        let lines: Vec<u32> = { all.iter().flat_map(Call::frames) }
            .map(|frame| frame.line)
            .collect();
        // The last frame is a library's, and called the user's first.
        assert_eq!(lines, (1..=29).collect::<Vec<_>>());
    }
}
