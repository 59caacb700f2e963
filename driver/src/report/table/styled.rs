//! Parts of a table in their colours.

use super::fit::padded;
use super::row::{Mark, Row};
use anstyle::{AnsiColor, Style};

/// The styles of the parts of a trace on a terminal.
#[derive(Clone, Copy, Default)]
pub(super) struct Styles {
    pub(super) head: Style,
    pub(super) preemption: Style,
    pub(super) critical: Style,
    pub(super) faint: Style,
}

impl Styles {
    pub(super) fn new(styled: bool) -> Styles {
        match styled {
            false => Styles::default(),
            true => Styles {
                head: Style::new().bold(),
                preemption: AnsiColor::BrightRed.on_default().bold(),
                critical: AnsiColor::BrightYellow.on_default().bold(),
                faint: Style::new().dimmed(),
            },
        }
    }
}

/// `text` in a style.
pub(super) fn in_style(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A cell of a row in the width it has, with its sign; the line goes on after it.
pub(super) fn cell(row: &Row<'_>, text: &str, to: usize, styles: Styles) -> String {
    let sign = match row.mark {
        Mark::Preempts => in_style(styles.preemption, row.mark.sign()),
        _ => row.mark.sign().to_owned(),
    };
    let text = padded(text, to);
    match row.is_critical {
        true => sign + &in_style(styles.critical, &text),
        false => sign + &text,
    }
}
