//! The trace of a finding in rows and lanes: a lane per thread, time downwards, a box per event (`drawing.rs` draws it).
//!
//! Accesses that are no events of the trace (plain ones) have boxes of their own between those of the events; below all, if
//! it is not known when they came.

use super::calls;
use super::excerpts::Excerpts;
use super::files::Files;
use crate::report::calls::Call;
use crate::report::dot;
use crate::report::dot::order::{self, Edge, Held};
use crate::report::moments::{is_same, moments, Moment};
use crate::report::names_of_threads::name;
use crate::report::table::folded::folds;
use dpor_report::{phrases, text, Access, Finding, Place};
use maud::{html, Markup};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is drawn of a finding's trace.
pub struct Timeline {
    /// The lane of each thread, from 0, by the thread's number.
    pub(super) lanes: BTreeMap<u32, usize>,
    /// Names of the threads, lane by lane.
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) edges: Vec<Edge>,
    /// Rows of the accesses that the finding is about.
    pub(super) accesses: Vec<usize>,
    /// Rows of the loop that goes on for ever, if there is one.
    pub(super) around: Option<Range<usize>>,
    /// Places with the different lists of calls that rows have.
    stacks: Vec<Place>,
}

/// A row, with the box of one step.
pub(super) struct Row {
    pub(super) thread: u32,
    /// Name of the thread.
    pub(super) name: String,
    pub(super) what: String,
    /// The same with short names of files.
    pub(super) short: String,
    pub(super) place: Place,
    /// The place with the short name of its file.
    pub(super) short_place: String,
    /// The text of the line of the source, if it is known.
    pub(super) source: Option<String>,
    /// Number of the event, from 1; of an access that is none, 0.
    pub(super) event: usize,
    pub(super) is_marked: bool,
    /// True if another thread had the row before.
    pub(super) comes_to_run: bool,
    pub(super) held: Vec<Held>,
    /// Number of its list of calls, from 1.
    pub(super) stack: Option<usize>,
}

impl Timeline {
    /// The rows of a finding as people read it. `excerpts`: the texts of its lines. Unless all are asked for (`full`), what
    /// the library does to objects of its own has one row for each call.
    pub fn new(finding: &Finding, excerpts: &Excerpts, full: bool) -> Timeline {
        let order = order::order(&finding.trace);
        let mut moments = moments(finding);
        let folds = match full {
            true => Vec::new(),
            false => folds(finding, &moments),
        };
        let fold_of = |event: usize| folds.iter().find(|fold| fold.steps.contains(&event));
        let first_of = |event: usize| fold_of(event).map_or(event, |fold| fold.steps.start);
        moments.retain(|moment| !moment.is_step || first_of(moment.at) == moment.at);
        let numbers = finding.numbers();
        let mut rows: Vec<Row> = Vec::new();
        for moment in &moments {
            let before = rows.last().map(|row| row.thread);
            let event = numbers.get(moment.at).filter(|_| moment.is_step);
            let own = row(moment, before, &order.held, finding);
            let fold = fold_of(moment.at).filter(|_| moment.is_step);
            rows.push(Row {
                event: event.map_or(0, |number| *number as usize + 1),
                what: fold.map_or(own.what, |fold| fold.words.clone()),
                ..own
            });
        }
        let numbered = moments.iter().enumerate();
        let of_events: BTreeMap<usize, usize> = { numbered.filter(|(_, moment)| moment.is_step) }
            .map(|(row, moment)| (moment.at, row))
            .collect();
        let of_event = |event: usize| of_events.get(&first_of(event)).copied();
        let begins = finding.loop_begins.map(|first| first as usize);
        let begins = begins.and_then(of_event);
        let around = begins.map(|first| first..rows.len());
        let mut accesses = Vec::new();
        for access in &finding.accesses {
            let is_it = |moment: &Moment<'_>| moment.access.is_some_and(|it| is_same(it, access));
            let own = moments.iter().position(is_it);
            let event = || dot::event_of(access, finding).and_then(of_event);
            if let Some(row) = own.or_else(event) {
                accesses.push(row);
                continue;
            }
            accesses.push(rows.len());
            let holder = phrases::holder(access, finding, text::line);
            rows.push(Row {
                what: phrases::label(access) + &holder,
                is_marked: true,
                held: held_at(access, finding),
                ..Row::at(access.thread, &access.place)
            });
        }
        let edges = order.edges.into_iter().filter_map(|edge| {
            let (from, to) = (of_event(edge.from)?, of_event(edge.to)?);
            (from != to).then_some(Edge { from, to, ..edge })
        });
        let mut edges: Vec<Edge> = edges.collect();
        edges.dedup();
        if let (true, Some(last)) = (finding.accesses.is_empty(), rows.last_mut()) {
            last.is_marked = true;
        }
        let threads: BTreeMap<u32, usize> = rows.iter().map(|row| (row.thread, 0)).collect();
        let names = threads.keys().map(|thread| name(&finding.threads, *thread));
        let stacks = tell_more(&mut rows, finding, excerpts);
        Timeline {
            names: names.collect(),
            lanes: threads.into_keys().zip(0..).collect(),
            rows,
            edges,
            accesses,
            around,
            stacks,
        }
    }

    /// The lists of calls that rows have, for the script to show. `id` begins the names of the elements.
    pub fn stacks(&self, id: &str) -> Markup {
        html! {
            @for (number, place) in (1..).zip(&self.stacks) {
                div id=(format!("{id}-c{number}")) { (calls::list(place)) }
            }
        }
    }
}

impl Row {
    /// A row of which nothing more is known.
    fn at(thread: u32, place: &Place) -> Row {
        Row {
            thread,
            name: String::new(),
            what: String::new(),
            short: String::new(),
            place: place.clone(),
            short_place: String::new(),
            source: None,
            event: 0,
            is_marked: false,
            comes_to_run: false,
            held: Vec::new(),
            stack: None,
        }
    }
}

/// Gives the rows their names, short forms, sources and lists of calls. Returns places with these lists.
fn tell_more(rows: &mut [Row], finding: &Finding, excerpts: &Excerpts) -> Vec<Place> {
    let files = Files::new(finding);
    let mut stacks = Vec::new();
    let mut numbers: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for row in rows {
        row.name = name(&finding.threads, row.thread);
        row.short = files.in_words(&row.what);
        row.short_place = files.place(&row.place);
        row.source = excerpts.text_of(&row.place).map(str::to_owned);
        let calls = crate::report::calls::calls(&row.place);
        if !calls.is_empty() {
            let lines = calls.iter().map(Call::line).collect();
            let number = numbers.entry(lines).or_insert_with(|| {
                stacks.push(row.place.clone());
                stacks.len()
            });
            row.stack = Some(*number);
        }
    }
    stacks
}

/// The row of a moment. `before`: the thread of the row before; `held`: the locks held behind each event.
fn row(moment: &Moment<'_>, before: Option<u32>, held: &[Vec<Held>], finding: &Finding) -> Row {
    let thread = moment.step.thread;
    let held = match moment.access {
        Some(access) if !moment.is_step => held_at(access, finding),
        _ => held.get(moment.at).cloned().unwrap_or_default(),
    };
    Row {
        what: match moment.note.as_str() {
            "" => moment.text(),
            note => format!("{}; {note}", moment.text()),
        },
        is_marked: moment.is_marked,
        comes_to_run: !moment.waits && before.is_some_and(|before| before != thread),
        held,
        ..Row::at(thread, &moment.step.place)
    }
}

/// The locks held at an access that is no event, as far as the finding tells for it and for the accesses of other
/// threads.
fn held_at(access: &Access, finding: &Finding) -> Vec<Held> {
    let others = finding.accesses.iter();
    let others = others.filter(|other| other.thread != access.thread);
    let mut held: Vec<Held> = Vec::new();
    for access in [access].into_iter().chain(others) {
        let is_known = held.iter().any(|held| held.thread == access.thread);
        if !is_known && !access.locks.is_empty() {
            held.push(Held {
                thread: access.thread,
                locks: access.locks.clone(),
                gives_one_up: false,
            });
        }
    }
    held.sort_by_key(|held| held.thread);
    held
}

/// `a, b`; `all but one of a, b` while a wait has given up one of them.
pub(super) fn locks(held: &Held) -> String {
    let locks = held.locks.join(", ");
    match held.gives_one_up {
        true => format!("all but one of {locks}"),
        false => locks,
    }
}
