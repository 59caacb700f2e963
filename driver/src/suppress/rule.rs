//! One suppression, and what it matches.

use super::pattern::{is, is_in, of_base_name};
use crate::names::demangle_bare;
use dpor_report::{Access, Finding, FindingKind, Frame, Place};

/// All suppressions of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    /// In the order in which they were read.
    pub rules: Vec<Rule>,
}

/// A suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As it is written, or the name of a block.
    pub text: String,
    /// Path of the file.
    pub file: String,
    /// Line in the file, 1-based.
    pub line: u32,
    /// The kinds that it is for.
    pub(super) kinds: Vec<FindingKind>,
    pub(super) what: What,
}

/// What a finding has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The pattern is in a function, file, object file or variable of some access.
    Anywhere(String),
    /// The pattern is in a function, file or object file where some access is.
    Top(String),
    /// A stack begins like this.
    Stack(Vec<Line>),
}

/// A line of a block of valgrind's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// `fun:`
    Function(String),
    /// `obj:`
    Object(String),
    /// `src:`, with the number of a line.
    Source(String, Option<u32>),
    /// `...`
    Any,
}

/// How a finding matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// By its places, as any finding does that is taken for the same.
    Places,
    /// By calls that led there, or by the object: another finding at the same places may differ in it.
    Wide,
}

impl Rule {
    /// Whether and how a finding matches.
    pub(super) fn matches(&self, finding: &Finding) -> Option<Match> {
        if !self.kinds.contains(&finding.kind) {
            return None;
        }
        let accesses = finding.accesses.iter().map(|access: &Access| &access.place);
        let last = finding.trace.last().map(|step| &step.place);
        let last = last.filter(|_| finding.accesses.is_empty());
        let places: Vec<&Place> = accesses.chain(last).collect();
        match &self.what {
            // A finding without a place has to match, too.
            What::Anywhere(pattern) | What::Top(pattern) if pattern == "*" => Some(Match::Places),
            What::Top(pattern) => places
                .iter()
                .any(|place| frames(place).first().is_some_and(|top| has(top, pattern)))
                .then_some(Match::Places),
            What::Anywhere(pattern) => anywhere(&places, pattern)
                .or_else(|| is_on(finding, pattern).then_some(Match::Wide)),
            What::Stack(lines) => places
                .iter()
                .any(|place| begins(&frames(place), lines))
                .then_some(match lines[..] {
                    [_] => Match::Places,
                    _ => Match::Wide,
                }),
        }
    }
}

fn anywhere(places: &[&Place], pattern: &str) -> Option<Match> {
    let stacks: Vec<Vec<Frame>> = places.iter().map(|place| frames(place)).collect();
    let is_top = |stack: &Vec<Frame>| stack.first().is_some_and(|top| has(top, pattern));
    if stacks.iter().any(is_top) {
        return Some(Match::Places);
    }
    let mut all = stacks.iter().flatten();
    all.any(|frame| has(frame, pattern)).then_some(Match::Wide)
}

/// The functions on the stack of a place, the innermost first, as far as they are known.
fn frames(place: &Place) -> Vec<Frame> {
    if !place.stack.is_empty() {
        return place.stack.clone();
    }
    let inner = place.recorded.as_deref();
    let inner = inner.into_iter().chain([place]);
    let all = inner.flat_map(|place| std::iter::once(place).chain(&place.inlined_into));
    let frame = |place: &Place| Frame {
        file: place.file.clone(),
        line: place.line,
        function: place.function.clone(),
        ..Frame::default()
    };
    all.map(frame).collect()
}

/// The names of a function: as the linker has it, whole, and without parameters.
fn names(frame: &Frame) -> [String; 3] {
    let name = &frame.function;
    let readable = crate::names::demangle(name);
    [name.clone(), readable, demangle_bare(name)]
}

fn has(frame: &Frame, pattern: &str) -> bool {
    names(frame)
        .iter()
        .any(|name| !name.is_empty() && is_in(pattern, name))
        || !frame.file.is_empty() && is_in(pattern, &frame.file)
        || !frame.object.is_empty() && is_in(pattern, &frame.object)
}

fn is_on(finding: &Finding, pattern: &str) -> bool {
    let object = finding.object.as_ref();
    object.is_some_and(|object| !object.name.is_empty() && is_in(pattern, &object.name))
}

/// Whether a stack begins with these lines.
fn begins(stack: &[Frame], lines: &[Line]) -> bool {
    match lines.split_first() {
        None => true,
        Some((Line::Any, rest)) => (0..=stack.len()).any(|at| begins(&stack[at..], rest)),
        Some((line, rest)) => match stack.split_first() {
            None => false,
            Some((frame, outer)) => is_line(line, frame) && begins(outer, rest),
        },
    }
}

fn is_line(line: &Line, frame: &Frame) -> bool {
    match line {
        Line::Function(pattern) => names(frame).iter().any(|name| is(pattern, name, true)),
        // Of the object only the base name is known.
        Line::Object(pattern) => is(of_base_name(pattern), &frame.object, true),
        Line::Source(pattern, line) => {
            let base = of_base_name(&frame.file);
            let is_file = is(pattern, &frame.file, true) || is(pattern, base, true);
            is_file && line.is_none_or(|line| line == frame.line)
        }
        Line::Any => true,
    }
}
