//! The drawing of a time line.
//!
//! ```text
//!        lane 1             lane 2
//!   |-gap-| box |-gap-||-gap-| box |-gap-|     names of the threads
//!                                              row 1: the first event …
//! ```
//!
//! Boxes are list items on a grid; arrows are drawn under them. Lanes share the width that there is: across, lengths are
//! hundredths of a lane, and the picture of the arrows is stretched. Downwards they are tenths of the size of the font,
//! so that rows grow with the text in them. What must not be stretched, heads of arrows and words at them, are elements.

use super::excerpts::Excerpts;
use super::timeline::{locks, Row, Timeline};
use crate::report::dot::order::Edge;
use dpor_report::text;
use maud::{html, Markup};

/// Width of a lane, in hundredths of it.
const LANE: usize = 100;
/// Space between a box and the side of its lane, in hundredths of a lane.
const GAP: usize = 10;

/// Height of the names of the threads.
const HEAD: usize = 24;
/// Height of a line of text.
const LINE: usize = 12;
/// Height of what a box has above and below its lines.
const FRAME: usize = 5;
/// Space between a box and the next row, half of it above.
const SPACE: usize = 8;
/// Height of a word at an arrow.
const WORD: usize = 9;
/// Lines that the words of a box take at most (chosen: a wait with what it waits for, and who has that).
const LINES_MAX: usize = 5;
/// Lanes from which on the text in boxes is smaller.
const NARROW: usize = 4;
/// Characters that have the width of ten times the size of the page's font, on the safe side (measured: 21.3), and where
/// the text is smaller.
const CHARACTERS: [usize; 2] = [21, 23];

/// A time line with the heights of its rows.
pub struct Drawing<'a> {
    timeline: &'a Timeline,
    /// Begins the names of the elements.
    id: &'a str,
    rows: Vec<Box>,
    /// Where the last row ends.
    foot: usize,
}

/// Where the box of a row is.
struct Box {
    top: usize,
    height: usize,
    /// Lines of its words.
    lines: usize,
    /// True if its place has two lines, as the number of the line would be cut off otherwise.
    is_place_long: bool,
}

impl<'a> Drawing<'a> {
    /// Places all boxes. `id` begins the names of the elements.
    pub fn new(timeline: &'a Timeline, id: &'a str) -> Drawing<'a> {
        let width = lane_min(timeline.lanes.len());
        let in_ten = CHARACTERS[usize::from(timeline.lanes.len() >= NARROW)];
        let characters = (width * (LANE - 2 * GAP) / LANE - SPACE) * in_ten / 100;
        let mut foot = HEAD;
        let mut rows = Vec::with_capacity(timeline.rows.len());
        for row in &timeline.rows {
            let lines = lines(&words(row), characters).min(LINES_MAX);
            let own_locks = row.held.iter().any(|held| held.thread == row.thread);
            let (file, line, _) = parts(&row.short_place);
            let is_place_long = file.chars().count() + line.chars().count() >= characters;
            let others = 1 + usize::from(is_place_long);
            let others = others + usize::from(row.source.is_some()) + usize::from(own_locks);
            let height = (lines + others) * LINE + FRAME + SPACE;
            rows.push(Box {
                top: foot,
                height,
                lines,
                is_place_long,
            });
            foot += height;
        }
        Drawing {
            timeline,
            id,
            rows,
            foot,
        }
    }

    /// Boxes and arrows.
    pub fn markup(&self, excerpts: &Excerpts) -> Markup {
        let lanes = self.timeline.lanes.len();
        let least = lanes * lane_min(lanes);
        let width = lanes * LANE;
        let height = self.foot + self.height_of_end();
        html! {
            div.timeline role="region" aria-label="Time line" tabindex="0" {
                div.canvas.narrow[lanes >= NARROW] style=(format!("--least:{};height:{}", em(least), em(height))) {
                    svg viewBox=(format!("0 0 {width} {height}")) preserveAspectRatio="none" aria-hidden="true" {
                        (self.ground_of_loop(width))
                        (self.lines(height))
                        (self.switches())
                        (self.arrows())
                        (self.pairs())
                    }
                    div.tips aria-hidden="true" { (self.tips()) }
                    ol.events style=(format!("grid-template-columns:repeat({lanes},minmax(0,1fr))")) {
                        @for (lane, name) in self.timeline.names.iter().enumerate() {
                            li.head role="presentation" title=(name) style=(cell(lane, 0, HEAD)) { (name) }
                        }
                        @for number in 0..self.rows.len() { (self.event(number, excerpts)) }
                        (self.end_of_loop())
                    }
                }
            }
        }
    }

    fn event(&self, number: usize, excerpts: &Excerpts) -> Markup {
        let row = &self.timeline.rows[number];
        let place = &self.rows[number];
        let id = self.id;
        let own = match row.event {
            0 => format!("{id}-a{}", number + 1),
            event => format!("{id}-e{event}"),
        };
        let line = excerpts.line_id(&row.place);
        let href = format!("#{}", line.as_deref().unwrap_or(&own));
        let title = format!("{}: {}\n{}", row.name, row.what, text::place(&row.place));
        let held = row.held.iter();
        let held: Vec<String> = held
            .map(|held| format!("T{}: {}", held.thread, locks(held)))
            .collect();
        let own_locks = row.held.iter().find(|held| held.thread == row.thread);
        let (file, number_of_line, function) = parts(&row.short_place);
        let stack = row.stack.map(|stack| format!("{id}-c{stack}"));
        html! {
            li id=(own) style=(cell(self.lane(number), number + 1, place.height)) {
                a.event.marked[row.is_marked].switch[row.comes_to_run].access[row.event == 0]
                    href=(href) title=(title) data-line=[line] data-row=(number + 1) data-held=(held.join("\n")) data-stack=[stack]
                {
                    span.what style=[(place.lines > 1).then(|| format!("--lines:{}", place.lines))] {
                        @if row.event > 0 { span.ordinal { (row.event) } }
                        span.away { " T" (row.thread) " " }
                        (row.short)
                    }
                    @if let Some(source) = &row.source { span.text { (source) } }
                    span.place.long[place.is_place_long] { (file) @if place.is_place_long { wbr; } (number_of_line) (function) }
                    @if let Some(held) = own_locks { span.holds { "holds " (locks(held)) } }
                }
            }
        }
    }

    /// What is under the rows of the loop, and a line from its end back to where it begins.
    fn ground_of_loop(&self, width: usize) -> Markup {
        let Some(around) = &self.timeline.around else {
            return html! {};
        };
        let (top, end) = (self.rows[around.start].top, self.foot + LINE);
        let height = self.foot + self.height_of_end() - top;
        let outside = GAP / 4;
        let first = self.middle(around.start);
        let back = format!("M {GAP} {end} H {outside} V {first} H {GAP}");
        html! {
            rect.loop x="0" y=(top) width=(width) height=(height) {}
            path.loop d=(back) {}
        }
    }

    /// Height of the row behind a loop.
    fn height_of_end(&self) -> usize {
        match self.timeline.around {
            Some(_) => 2 * LINE + FRAME + SPACE,
            None => 0,
        }
    }

    /// Words behind the last row of the loop.
    fn end_of_loop(&self) -> Markup {
        let Some(around) = &self.timeline.around else {
            return html! {};
        };
        let first = self.timeline.rows[around.start].event;
        html! {
            li.loop style=(cell(0, self.rows.len() + 1, self.height_of_end())) {
                a.loop href=(format!("#{}-e{first}", self.id)) { "for ever ↺ " span.place { "again from " (first) } }
            }
        }
    }

    /// The lanes.
    fn lines(&self, height: usize) -> Markup {
        html! {
            @for lane in self.timeline.lanes.values() {
                path.lane d=(format!("M {} {HEAD} V {height}", lane * LANE + LANE / 2)) {}
            }
        }
    }

    /// Lines from each event to the next one, where that is another thread's.
    fn switches(&self) -> Markup {
        let switch = |number: usize| {
            let before = number.checked_sub(1)?;
            let [from, to] = [before, number].map(|row| self.lane(row) * LANE + LANE / 2);
            let y = self.rows[number].top;
            let (top, foot) = (y - SPACE, y + SPACE);
            self.timeline.rows[number]
                .comes_to_run
                .then(|| format!("M {from} {top} V {y} H {to} V {foot}"))
        };
        let paths: Vec<String> = (0..self.rows.len()).filter_map(switch).collect();
        html! { @for path in paths { path.switch d=(path) {} } }
    }

    /// The arrows, each with where it ends: those that end in one event end below one another.
    fn ends(&self) -> impl Iterator<Item = (&Edge, usize)> {
        let ends = self
            .timeline
            .edges
            .chunk_by(|edge, next| edge.to == next.to);
        let all = ends.flat_map(|edges| edges.iter().enumerate());
        all.map(|(nth, edge)| {
            let Box { top, height, .. } = self.rows[edge.to];
            let lowest = top + height - SPACE;
            (edge, (self.middle(edge.to) + WORD * nth).min(lowest))
        })
    }

    fn arrows(&self) -> Markup {
        html! {
            @for (edge, end) in self.ends() {
                @let (from, to) = (self.side(edge.from, edge.to), self.side(edge.to, edge.from));
                @let y = self.middle(edge.from);
                @let bend = from.abs_diff(to).min(3 * GAP).cast_signed() / 2;
                @let bend = if from < to { bend } else { -bend };
                @let (out, into) = (from + bend, to - bend);
                path.edge.lock[is_lock(edge)] data-from=(edge.from + 1) data-to=(edge.to + 1)
                    d=(format!("M {from} {y} C {out} {y} {into} {end} {to} {end}")) {}
            }
        }
    }

    /// Heads of arrows, with the words at them.
    fn tips(&self) -> Markup {
        let tip = |x: isize, y: usize| {
            let lanes = self.timeline.lanes.len();
            let share = x as f64 / lanes as f64;
            format!("left:{share:.3}%;top:{}", em(y))
        };
        html! {
            @for (edge, end) in self.ends() {
                @let (from, to) = (self.side(edge.from, edge.to), self.side(edge.to, edge.from));
                span.tip.lock[is_lock(edge)].back[from > to] style=(tip(to, end))
                    data-from=(edge.from + 1) data-to=(edge.to + 1) { span.why { (edge.why) } }
            }
            @if let Some(around) = &self.timeline.around {
                span.tip.loop style=(tip(GAP.cast_signed(), self.middle(around.start))) {}
            }
        }
    }

    /// Lines between the accesses that the finding is about.
    fn pairs(&self) -> Markup {
        let pair = |pair: &[usize]| {
            let (from, to) = (self.side(pair[0], pair[1]), self.side(pair[1], pair[0]));
            let [y, end] = [pair[0], pair[1]].map(|row| self.middle(row));
            format!("M {from} {y} L {to} {end}")
        };
        let pairs = self.timeline.accesses.windows(2).map(pair);
        html! { @for path in pairs { path.pair d=(path) {} } }
    }

    fn lane(&self, row: usize) -> usize {
        self.timeline.lanes[&self.timeline.rows[row].thread]
    }

    /// The side of a row's box that is turned to another one.
    fn side(&self, row: usize, other: usize) -> isize {
        let [lane, other] = [row, other].map(|row| self.lane(row));
        let x = match lane < other {
            true => (lane + 1) * LANE - GAP,
            false => lane * LANE + GAP,
        };
        x.cast_signed()
    }

    /// The height of the middle of a row's box.
    fn middle(&self, row: usize) -> usize {
        self.rows[row].top + self.rows[row].height / 2
    }
}

/// Least width of one of so many lanes, in tenths of the size of the font (chosen: up to four share the part of a window of
/// 1280 pixels that the time line has; more are scrolled, and need not be as narrow).
fn lane_min(lanes: usize) -> usize {
    match lanes {
        0..=2 => 170,
        3 => 150,
        4 => 115,
        _ => 130,
    }
}

fn is_lock(edge: &Edge) -> bool {
    matches!(edge.why, "unlock" | "wait")
}

/// `FILE`, `:LINE` and ` in FUNCTION` of a place, as far as it has them.
fn parts(place: &str) -> (&str, &str, &str) {
    let function = place.find(" in ").unwrap_or(place.len());
    let (at, function) = place.split_at(function);
    let (file, line) = at.split_at(at.rfind(':').unwrap_or(at.len()));
    (file, line, function)
}

/// The words of a row with its number before them.
fn words(row: &Row) -> String {
    match row.event {
        0 => row.short.clone(),
        event => format!("{event} {}", row.short),
    }
}

/// Lines that a text takes where each has so many characters: words that fit into a line are not broken.
fn lines(text: &str, characters: usize) -> usize {
    let mut lines = 1;
    let mut used = 0;
    for word in text.split(' ').map(|word| word.chars().count()) {
        let blank = usize::from(used > 0);
        if used + blank + word <= characters {
            used += blank + word;
            continue;
        }
        lines += usize::from(used > 0) + word.saturating_sub(1) / characters;
        used = word - word.saturating_sub(1) / characters * characters;
    }
    lines
}

/// Where an item is on the grid, and its height.
fn cell(lane: usize, row: usize, height: usize) -> String {
    format!("grid-area:{}/{};height:{}", row + 1, lane + 1, em(height))
}

/// Tenths of the size of the font as CSS has them.
fn em(tenths: usize) -> String {
    format!("{}.{}em", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{lines, parts};

    #[test]
    fn places_have_parts() {
        let check = |place: &str, expect: (&str, &str, &str)| assert_eq!(parts(place), expect);
        check("x.c:3 in f", ("x.c", ":3", " in f"));
        check("x.c:3", ("x.c", ":3", ""));
        check(" in ns::f", ("", "", " in ns::f"));
        check("x.c", ("x.c", "", ""));
        check("", ("", "", ""));
    }

    #[test]
    fn words_are_broken_where_they_do_not_fit() {
        let check = |text: &str, expect: usize| assert_eq!(lines(text, 10), expect, "{text}");
        check("", 1);
        check("locks m", 1);
        check("1234567890", 1);
        check("12345 7890", 1);
        check("12345 78901", 2);
        check("12345678901", 2);
        check("12345678901 3456789", 2);
        check("12345678901 345678901", 3);
        check("a 12345678901 b", 3);
        check("waits for m, held by T1", 3);
    }
}
