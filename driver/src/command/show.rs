//! `dpor show REPORT[#N]`: a saved report again, as `dpor check` printed it, and in other formats.

use crate::exit::{self, Exit};
use crate::flags::LowShow;
use crate::report::files::Files;
use crate::report::json;
use crate::report::{self, View};

/// Shows the report.
///
/// # Errors
/// One sentence.
pub fn run(low: &LowShow) -> Result<Exit, String> {
    let (saved, file, number) = json::locate(&low.report)?;
    if let Some(number) = number {
        json::finding(&saved, &file, number)?;
    }
    let has_graph = { saved.report.states.iter() }.any(|states| states.graph.is_some());
    if low.reports.graph.is_some() && !has_graph {
        return Err(format!(
            "{} has no graph of states: it comes with `dpor check --states --graph`",
            file.display()
        ));
    }
    let files = Files::open(&low.reports)?;
    let view = View::new(&saved.report, low.message_format);
    let view = View {
        full: low.full || view.full,
        number,
        ..view
    };
    report::print(&saved.report, &view, files.take_stdout())?;
    files.write(&saved, &view)?;
    Ok(exit::VERIFIED)
}
