//! The steps in lines one below the other, for what is too wide for a table. Nothing is shortened: lines
//! that are too long are broken.

use super::fit::{width, wrapped};
use super::row::{Row, SIGN};
use super::styled::{cell, Styles};

/// Widest operation that the places after it are aligned with.
const ALIGNED_MAX: usize = 50;

/// Widths of its columns.
pub struct List {
    number: usize,
    thread: usize,
    text: usize,
    most: usize,
}

impl List {
    /// A list of these rows, in lines of at most `most` columns.
    pub fn new(rows: &[Row<'_>], most: usize) -> List {
        let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let texts = rows.iter().map(|row| width(&row.text()));
        List {
            number: super::row::number_width(rows),
            thread: widest(&mut rows.iter().map(|row| width(&thread(row)))),
            text: widest(&mut texts.filter(|text| *text <= ALIGNED_MAX)),
            most,
        }
    }

    /// A row.
    pub fn line(&self, row: &Row<'_>, styles: Styles) -> String {
        let start = format!("{}{:>2$} ", row.margin(), row.label(), self.number);
        let before = width(&start) + SIGN;
        let what = format!("{:2$}  {}", thread(row), row.text(), self.thread);
        let to = self.thread + 2 + self.text;
        let shown = before + width(&what).max(to) + 2 + width(&row.place);
        if shown <= self.most {
            let line = start + &cell(row, &what, to, styles) + "  " + &row.place;
            return line.trim_end().to_owned() + "\n";
        }
        let plain = start + row.mark.sign() + &what + "  " + &row.place;
        wrapped(plain.trim_end(), self.most, &" ".repeat(before + 4))
    }
}

fn thread(row: &Row<'_>) -> String {
    format!("T{}", row.step().thread)
}
