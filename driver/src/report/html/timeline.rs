//! The trace of a finding: a lane per thread, time downwards, a box per event.
//!
//! ```text
//!        lane 1             lane 2
//!   |-gap-| box |-gap-||-gap-| box |-gap-|     row 0: names of the threads
//!                                              row 1: the first event …
//! ```
//!
//! Boxes are list items on a grid; arrows are drawn under them. All lengths are in units of a tenth
//! of the size of the font, so that both grow alike.
//!
//! Accesses that are no events of the trace (plain ones) have boxes of their own between those of the events; below all, if
//! it is not known when they came.

use super::excerpts::Excerpts;
use crate::report::dot;
use crate::report::dot::order::{self, Edge, Held};
use crate::report::moments::{is_same, moments, Moment};
use crate::report::names_of_threads::name;
use dpor_report::{phrases, text, Access, Finding, Place};
use maud::{html, Markup};
use std::collections::BTreeMap;
use std::ops::Range;

/// Width of a lane among one or two, among three, and among more, in tenths of the size of the font (chosen: three share
/// the half of a screen that the time line has).
const LANES: [usize; 3] = [190, 165, 150];
/// Height of the names of the threads, in tenths of the size of the font.
const HEAD: usize = 24;
/// Height of a row, in tenths of the size of the font.
const ROW: usize = 48;
/// Space between a box and the side of its lane, in tenths of the size of the font.
const GAP: usize = 20;
/// Space between a box and the next row, half of it above, in tenths of the size of the font.
const SPACE: usize = 8;

/// Height of a word at an arrow.
const WORD: usize = 9;

/// The drawing of a finding's trace, in rows and lanes.
pub struct Timeline {
    /// The lane of each thread, from 0, by the thread's number.
    lanes: BTreeMap<u32, usize>,
    /// Names of the threads, lane by lane.
    names: Vec<String>,
    rows: Vec<Row>,
    edges: Vec<Edge>,
    /// Rows of the accesses that the finding is about.
    accesses: Vec<usize>,
    /// Rows of the loop that goes on for ever, if there is one.
    around: Option<Range<usize>>,
}

/// A row, with the box of one step.
struct Row {
    thread: u32,
    what: String,
    place: Place,
    /// Number of the event, from 1; of an access that is none, 0.
    event: usize,
    is_marked: bool,
    /// True if another thread had the row before.
    comes_to_run: bool,
    held: Vec<Held>,
}

impl Timeline {
    /// The drawing of a finding as people read it.
    pub fn new(finding: &Finding) -> Timeline {
        let order = order::order(&finding.trace);
        let moments = moments(finding);
        let mut rows: Vec<Row> = Vec::new();
        for moment in &moments {
            let before = rows.last().map(|row| row.thread);
            rows.push(row(moment, before, &order.held, finding));
        }
        let numbered = moments.iter().enumerate();
        let of_events: Vec<usize> = { numbered.filter(|(_, moment)| moment.is_step) }
            .map(|(row, _)| row)
            .collect();
        let of_event = |event: usize| of_events.get(event).copied();
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
            rows.push(Row {
                thread: access.thread,
                what: phrases::label(access),
                place: access.place.clone(),
                event: 0,
                is_marked: true,
                comes_to_run: false,
                held: held_at(access, finding),
            });
        }
        let edges = order.edges.into_iter().filter_map(|edge| {
            let (from, to) = (of_event(edge.from)?, of_event(edge.to)?);
            Some(Edge { from, to, ..edge })
        });
        let edges = edges.collect();
        if let (true, Some(last)) = (finding.accesses.is_empty(), rows.last_mut()) {
            last.is_marked = true;
        }
        let threads: BTreeMap<u32, usize> = rows.iter().map(|row| (row.thread, 0)).collect();
        let names = threads.keys().map(|thread| name(&finding.threads, *thread));
        Timeline {
            names: names.collect(),
            lanes: threads.into_keys().zip(0..).collect(),
            rows,
            edges,
            accesses,
            around,
        }
    }

    /// Width of a lane.
    fn lane(&self) -> usize {
        LANES[self.lanes.len().clamp(2, 4) - 2]
    }

    /// Boxes and arrows. `id` begins the names of the elements.
    pub fn markup(&self, id: &str, excerpts: &Excerpts) -> Markup {
        let width = self.lanes.len() * self.lane();
        let height = HEAD + (self.rows.len() + usize::from(self.around.is_some())) * ROW;
        let grid = format!(
            "width:{};height:{};grid-template:{} / repeat({},{});grid-auto-rows:{}",
            rem(width),
            rem(height),
            rem(HEAD),
            self.lanes.len(),
            rem(self.lane()),
            rem(ROW)
        );
        html! {
            div.timeline role="region" aria-label="Trace" tabindex="0" {
                div.canvas style=(format!("width:{};height:{}", rem(width), rem(height))) {
                    svg viewBox=(format!("0 0 {width} {height}")) aria-hidden="true" {
                        (markers(id))
                        (self.ground_of_loop(width, id))
                        (self.lines(height))
                        (self.switches())
                        (self.arrows(id))
                        (self.pairs())
                    }
                    ol.events style=(grid) {
                        @for (lane, name) in self.names.iter().enumerate() {
                            li.head role="presentation" title=(name) style=(cell(lane, 0)) { (name) }
                        }
                        @for number in 0..self.rows.len() { (self.event(number, id, excerpts)) }
                        (self.end_of_loop(id))
                    }
                }
            }
        }
    }

    fn event(&self, number: usize, id: &str, excerpts: &Excerpts) -> Markup {
        let row = &self.rows[number];
        let own = match row.event {
            0 => format!("{id}-a{}", number + 1),
            event => format!("{id}-e{event}"),
        };
        let line = excerpts.line_id(&row.place);
        let href = format!("#{}", line.as_deref().unwrap_or(&own));
        let place = text::place(&row.place);
        let title = format!("T{}: {}\n{place}", row.thread, row.what);
        let held = row.held.iter();
        let held: Vec<String> = held
            .map(|held| format!("T{}: {}", held.thread, locks(held)))
            .collect();
        let own_locks = row.held.iter().find(|held| held.thread == row.thread);
        html! {
            li id=(own) style=(cell(self.lanes[&row.thread], number + 1)) {
                a.event.marked[row.is_marked].switch[row.comes_to_run].access[row.event == 0]
                    href=(href) title=(title) data-line=[line] data-row=(number + 1) data-held=(held.join("\n"))
                {
                    span.what {
                        @if row.event > 0 { span.ordinal { (row.event) } }
                        span.away { " T" (row.thread) " " }
                        (row.what)
                    }
                    span.place { (place) }
                    @if let Some(held) = own_locks { span.holds { "holds " (locks(held)) } }
                }
            }
        }
    }

    /// What is under the rows of the loop, and an arrow from its end back to where it begins.
    fn ground_of_loop(&self, width: usize, id: &str) -> Markup {
        let Some(around) = &self.around else {
            return html! {};
        };
        let (top, height) = (HEAD + around.start * ROW, around.len() * ROW);
        let (first, end) = (middle(around.start), top + height + ROW / 2);
        let [inside, outside] = [GAP - 3, GAP / 4];
        let back = format!("M {GAP} {end} H {outside} V {first} H {inside}");
        html! {
            rect.loop x="1" y=(top) width=(width - 2) height=(height + ROW) rx="6" {}
            path.loop d=(back) marker-end=(format!("url(#{id}-loop)")) {}
        }
    }

    /// Words behind the last row of the loop.
    fn end_of_loop(&self, id: &str) -> Markup {
        let Some(around) = &self.around else {
            return html! {};
        };
        let first = self.rows[around.start].event;
        let place = format!("grid-column:1;grid-row:{}", self.rows.len() + 2);
        html! {
            li.loop style=(place) {
                a.loop href=(format!("#{id}-e{first}")) { "for ever ↺ " span.place { "again from " (first) } }
            }
        }
    }

    /// The lanes.
    fn lines(&self, height: usize) -> Markup {
        html! {
            @for lane in self.lanes.values() {
                @let x = lane * self.lane() + self.lane() / 2;
                path.lane d=(format!("M {x} {HEAD} V {height}")) {}
            }
        }
    }

    /// Lines from each event to the next one, where that is another thread's.
    fn switches(&self) -> Markup {
        let switch = |(number, row): (usize, &Row)| {
            let before = number.checked_sub(1).map(|before| &self.rows[before])?;
            let [from, to] =
                [before, row].map(|row| self.lanes[&row.thread] * self.lane() + self.lane() / 2);
            let y = HEAD + number * ROW;
            let (top, foot) = (y - SPACE, y + SPACE);
            row.comes_to_run
                .then(|| format!("M {from} {top} V {y} H {to} V {foot}"))
        };
        let paths: Vec<String> = self.rows.iter().enumerate().filter_map(switch).collect();
        html! { @for path in paths { path.switch d=(path) {} } }
    }

    /// Arrows that end in one event end below one another, each with its word.
    fn arrows(&self, id: &str) -> Markup {
        let ends = self.edges.chunk_by(|edge, next| edge.to == next.to);
        let all = ends.flat_map(|edges| edges.iter().enumerate());
        html! { @for (nth, edge) in all { (self.arrow(edge, nth, id)) } }
    }

    fn arrow(&self, edge: &Edge, nth: usize, id: &str) -> Markup {
        let (from, to) = (self.side(edge.from, edge.to), self.side(edge.to, edge.from));
        let (y, end) = (middle(edge.from), middle(edge.to) + WORD * nth);
        let bend = from.abs_diff(to).min(3 * GAP).cast_signed() / 2;
        let (out, into) = match from < to {
            true => (from + bend, to - bend),
            false => (from - bend, to + bend),
        };
        let (anchor, x) = match from < to {
            true => ("end", to - 7),
            false => ("start", to + 7),
        };
        let is_lock = matches!(edge.why, "unlock" | "wait");
        let marker = format!("url(#{id}-{})", if is_lock { "lock" } else { "order" });
        html! {
            g.edge.lock[is_lock] data-from=(edge.from + 1) data-to=(edge.to + 1) {
                path d=(format!("M {from} {y} C {out} {y} {into} {end} {to} {end}")) marker-end=(marker) {}
                text x=(x) y=(end + WORD - 1) text-anchor=(anchor) { (edge.why) }
            }
        }
    }

    /// The side of an event's box that is turned to another event.
    fn side(&self, event: usize, other: usize) -> isize {
        let [lane, other] = [event, other].map(|event| self.lanes[&self.rows[event].thread]);
        let x = match lane < other {
            true => (lane + 1) * self.lane() - GAP,
            false => lane * self.lane() + GAP,
        };
        x.cast_signed()
    }

    /// Lines between the accesses that the finding is about.
    fn pairs(&self) -> Markup {
        let pair = |pair: &[usize]| {
            let (from, to) = (self.side(pair[0], pair[1]), self.side(pair[1], pair[0]));
            format!("M {from} {} L {to} {}", middle(pair[0]), middle(pair[1]))
        };
        html! { @for pair in self.accesses.windows(2).map(pair) { path.pair d=(pair) {} } }
    }
}

/// The row of a moment. `before`: the thread of the row before; `held`: the locks held behind each event.
fn row(moment: &Moment<'_>, before: Option<u32>, held: &[Vec<Held>], finding: &Finding) -> Row {
    let thread = moment.step.thread;
    let held = match moment.access {
        Some(access) if !moment.is_step => held_at(access, finding),
        _ => held.get(moment.at).cloned().unwrap_or_default(),
    };
    Row {
        thread,
        what: match moment.note.as_str() {
            "" => moment.text(),
            note => format!("{}; {note}", moment.text()),
        },
        place: moment.step.place.clone(),
        event: if moment.is_step { moment.at + 1 } else { 0 },
        is_marked: moment.is_marked,
        comes_to_run: !moment.waits && before.is_some_and(|before| before != thread),
        held,
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
fn locks(held: &Held) -> String {
    let locks = held.locks.join(", ");
    match held.gives_one_up {
        true => format!("all but one of {locks}"),
        false => locks,
    }
}

/// The height of the middle of an event's box.
fn middle(event: usize) -> usize {
    HEAD + event * ROW + ROW / 2
}

/// Where an item is on the grid.
fn cell(lane: usize, row: usize) -> String {
    format!("grid-column:{};grid-row:{}", lane + 1, row + 1)
}

/// Units as CSS has them.
fn rem(units: usize) -> String {
    format!("{}.{}rem", units / 10, units % 10)
}

/// Heads of arrows.
fn markers(id: &str) -> Markup {
    html! {
        defs {
            @for kind in ["order", "lock", "loop"] {
                marker id=(format!("{id}-{kind}")) class=(kind) viewBox="0 0 8 8" refX="7" refY="4"
                    markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse" orient="auto" { path d="M 0 0 L 8 4 L 0 8 z" {} }
            }
        }
    }
}
