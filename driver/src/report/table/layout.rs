//! Where the columns of a table are.
//!
//! Each thread has a column, in the order of creation. Its width is what its head and its steps need, if all
//! that fits; else the columns but the last are as wide as the same limit allows them, and their steps go on to
//! the right. Heads that do not fit are the thread's number, and the names are said above the table.

use super::fit::{padded, shortened, width};
use super::row::{Row, SIGN};
use super::styled::{cell, in_style, Styles};
use crate::report::names_of_threads::name;
use dpor_report::Finding;
use std::collections::HashMap;

/// Columns in front of a row.
const MARGIN: usize = 2;

/// Columns between two columns of the table.
const GAP: usize = 1;

/// Places may have one part of a line of so many.
const PLACE_SHARE: usize = 3;

/// A table that fits.
pub struct Layout {
    threads: Vec<u32>,
    heads: Vec<String>,
    has_all_names: bool,
    /// Width of each column, without its sign.
    widths: Vec<usize>,
    number: usize,
}

impl Layout {
    /// A layout for the rows; `None` if they do not fit into `most` columns.
    pub fn new(finding: &Finding, rows: &[Row<'_>], most: usize) -> Option<Layout> {
        let threads = threads(finding, rows);
        let number = super::row::number_width(rows);
        let places = rows.iter().map(|row| width(&row.place)).max()?;
        if places > most / PLACE_SHARE {
            return None;
        }
        let signs = threads.len() * (SIGN + GAP);
        let room = most.checked_sub(MARGIN + number + 1 + signs + places + 1)?;
        let names: Vec<String> = { threads.iter() }
            .map(|&thread| name(&finding.threads, thread))
            .collect();
        let widths = widths(&threads, &names, rows, room)?;
        let heads: Vec<String> = { threads.iter().zip(&names).zip(&widths) }
            .map(|((thread, name), width)| head(*thread, name, *width))
            .collect();
        let has_all_names = heads.iter().zip(&names).all(|(head, name)| head == name);
        let layout = Layout {
            threads,
            heads,
            has_all_names,
            widths,
            number,
        };
        layout.tells_apart(rows).then_some(layout)
    }

    /// Numbers of the threads that have columns.
    pub fn threads(&self) -> &[u32] {
        &self.threads
    }

    /// Whether no head is shortened.
    pub fn has_all_names(&self) -> bool {
        self.has_all_names
    }

    /// The line above the rows.
    pub fn heads(&self, styles: Styles) -> String {
        let mut line = " ".repeat(MARGIN + self.number);
        for (head, width) in self.heads.iter().zip(&self.widths) {
            line += &" ".repeat(GAP + SIGN);
            line += &padded(head, *width);
        }
        in_style(styles.head, line.trim_end()) + "\n"
    }

    /// A row.
    pub fn line(&self, row: &Row<'_>, styles: Styles) -> String {
        let column = self.column(row);
        let before: usize = self.widths[..column].iter().sum();
        let before = before + column * (GAP + SIGN) + GAP;
        let room = self.room(column);
        let mut line = format!("{}{:>2$}", row.margin(), row.label(), self.number);
        line += &" ".repeat(before);
        if row.place.is_empty() {
            return line + cell(row, &row.shortened(room), 0, styles).trim_end() + "\n";
        }
        line += &cell(row, &row.shortened(room), room, styles);
        line + " " + &in_style(styles.faint, &row.place) + "\n"
    }

    fn column(&self, row: &Row<'_>) -> usize {
        let mut threads = self.threads.iter();
        let column = threads.position(|thread| *thread == row.step().thread);
        column.expect("each row's thread has a column")
    }

    /// Columns from the beginning of a step to the places.
    fn room(&self, column: usize) -> usize {
        room(&self.widths, column)
    }

    /// Whether each step has its least, and objects whose names are shortened look different, also in the
    /// narrowest column of them.
    fn tells_apart(&self, rows: &[Row<'_>]) -> bool {
        let room = |row: &Row<'_>| self.room(self.column(row));
        let is_short = |row: &&Row<'_>| width(&row.text()) > room(row);
        let names = rows.iter().filter(is_short).map(|row| {
            let name = width(&row.step().object);
            (room(row) + name).saturating_sub(width(&row.text()))
        });
        let narrowest = names.min().unwrap_or(usize::MAX).max(1);
        let mut shown: HashMap<String, &str> = HashMap::new();
        rows.iter().all(|row| {
            let object = row.step().object.as_str();
            let known = shown.entry(shortened(object, narrowest));
            row.least() <= room(row) && *known.or_insert(object) == object
        })
    }
}

fn room(widths: &[usize], column: usize) -> usize {
    let after = widths.len() - 1 - column;
    widths[column..].iter().sum::<usize>() + after * (GAP + SIGN)
}

/// Numbers of the threads that the rows are of, in the order of creation.
fn threads(finding: &Finding, rows: &[Row<'_>]) -> Vec<u32> {
    let mut threads: Vec<u32> = rows.iter().map(|row| row.step().thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let created = |thread: &u32| {
        let mut known = finding.threads.iter();
        known.position(|known| known.thread == *thread)
    };
    // Of those that are not known the number is the order; they come last.
    threads.sort_by_key(|thread| created(thread).unwrap_or(usize::MAX));
    threads
}

/// The widths of the columns, all of them in `room`.
fn widths(threads: &[u32], names: &[String], rows: &[Row<'_>], room: usize) -> Option<Vec<usize>> {
    let natural: Vec<usize> = { threads.iter().zip(names) }
        .map(|(thread, name)| {
            let own = rows.iter().filter(|row| row.step().thread == *thread);
            let steps = own.map(|row| width(&row.text()));
            steps.chain([width(name)]).max().unwrap_or(0)
        })
        .collect();
    let (&wide, others) = natural.split_last()?;
    let number = |thread: &u32| width(&format!("T{thread}"));
    let least = threads.iter().map(number).max()?;
    let most = others.iter().copied().max().unwrap_or(least).max(least);
    let limited = |limit: usize| {
        let mut widths: Vec<usize> = others.iter().map(|width| (*width).min(limit)).collect();
        let left = room.checked_sub(widths.iter().sum())?;
        let short = threads.last().map_or(0, number);
        // The last column gives way only when no other can.
        let enough = if limit == least { short } else { wide };
        (left >= enough).then(|| {
            widths.push(left.min(wide));
            widths
        })
    };
    (least..=most).rev().find_map(limited)
}

/// The name if it fits, or with its middle left out if most of it does, or the number.
fn head(thread: u32, name: &str, most: usize) -> String {
    let number = format!("T{thread}");
    match most {
        most if width(name) <= most => name.to_owned(),
        // At least three characters at each end of the function's name.
        most if most >= width(&number) + 9 => shortened(name, most),
        _ => number,
    }
}
