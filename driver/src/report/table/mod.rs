//! The trace of a finding as a table: a row per step, a column per thread, the place at the end.
//!
//! A row has text in one column only, which may go on below the heads to its right. So a column needs room
//! for its head, and the last one for its steps ([`layout`]). Where that is too wide, or where two objects
//! would look alike after their names were shortened, the steps are a list.

mod fit;
pub(super) mod folded;
mod layout;
mod list;
pub(super) mod place;
mod row;
mod styled;

use super::moments;
use super::names_of_threads::name;
use dpor_report::{minimal, text, Finding};
use fit::wrapped;
use layout::Layout;
use row::Row;
use styled::{in_style, Styles};

/// The trace in lines of at most `most` columns, the steps that matter or all; empty if there is none.
pub fn trace(finding: &Finding, full: bool, most: usize, styled: bool) -> String {
    if finding.trace.is_empty() {
        return String::new();
    }
    let mut shown = moments::shown(finding, full);
    let rows = row::rows(finding, &mut shown, full);
    let styles = Styles::new(styled);
    let mut all = text::heading(finding, &shown);
    // The critical switch has a sign in its row.
    if let Some(fewest) = minimal::preemptions(finding) {
        all += &(fewest + "\n");
    }
    match Layout::new(finding, &rows, most) {
        Some(layout) => {
            if !layout.has_all_names() {
                all += &names(finding, layout.threads(), most);
            }
            all += &layout.heads(styles);
            all += &with_gaps(finding, &rows, styles, |row| layout.line(row, styles));
        }
        None => {
            let mut threads: Vec<u32> = rows.iter().map(|row| row.step().thread).collect();
            threads.sort_unstable();
            threads.dedup();
            all += &names(finding, &threads, most);
            let list = list::List::new(&rows, most);
            all += &with_gaps(finding, &rows, styles, |row| list.line(row, styles));
        }
    }
    all + &legend(&rows, styles)
}

/// The names of threads, where the steps have their numbers.
fn names(finding: &Finding, threads: &[u32], most: usize) -> String {
    let names: Vec<String> = { threads.iter() }
        .map(|thread| name(&finding.threads, *thread))
        .collect();
    wrapped(&format!("  threads: {}", names.join(", ")), most, "    ")
}

/// The lines of the rows, one where steps are left out, and two around a loop that goes on for ever.
fn with_gaps(
    finding: &Finding,
    rows: &[Row<'_>],
    styles: Styles,
    line: impl Fn(&Row<'_>) -> String,
) -> String {
    let faint = |text: &str| in_style(styles.faint, text) + "\n";
    let gap = |left_out: u64| match text::gap(left_out).trim_end() {
        "" => String::new(),
        gap => faint(gap),
    };
    let numbers = finding.numbers();
    let begins = finding.loop_begins.map(|first| first as usize);
    let begins = begins.and_then(|first| numbers.get(first).copied());
    let mut to_come = begins;
    let mut next = 0;
    let mut lines = String::new();
    // Up to the step of this number, which is not among them.
    let mut up_to = |number: u64, lines: &mut String, next: u64| match to_come {
        Some(begins) if begins <= number => {
            to_come = None;
            *lines += &gap(begins - next);
            *lines += &faint("  the loop begins here:");
            *lines += &gap(number - begins);
        }
        _ => *lines += &gap(number - next),
    };
    for row in rows {
        up_to(row.number, &mut lines, next);
        lines += &line(row);
        next = row.number + row.steps;
    }
    up_to(finding.steps(), &mut lines, next);
    if let Some(begins) = begins {
        lines += &faint(&format!("  and again from step {}, for ever", begins + 1));
    }
    lines
}

/// What the signs that were used mean.
fn legend(rows: &[Row<'_>], styles: Styles) -> String {
    let mut legend = String::new();
    if rows.iter().any(|row| row.mark == row::Mark::Preempts) {
        legend += "  ! preemption: the thread before could have gone on\n";
    }
    if rows.iter().any(|row| row.moment.is_marked) {
        legend += "  => what the finding is about\n";
    }
    for row in rows.iter().filter(|row| !row.moment.note.is_empty()) {
        legend += &format!("  step {} {}\n", row.label(), row.moment.note);
    }
    if rows.iter().any(|row| row.is_critical) {
        legend += "  * critical switch: the last without which no continuation fails\n";
    }
    match legend.trim_end() {
        "" => legend,
        text => in_style(styles.faint, text) + "\n",
    }
}

#[cfg(test)]
mod tests;
