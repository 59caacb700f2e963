//! `dpor list-executions`: a check that also shows how executions went that are no finding.

use crate::exit::{self, Exit};
use crate::exploration::{self, Explored};
use crate::flags::Listing;
use crate::listing::Endings;
use crate::publish::finish;
use crate::report::View;
use crate::say;
use dpor_abi::options::Output;
use dpor_report::Verdict;
use std::io::Write;

/// Explores and lists; the exit code is that of the check.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn run(listing: &Listing) -> Result<Exit, String> {
    let check = &listing.check;
    let Some(Explored {
        mut report,
        files,
        build,
        _compiled,
    }) = exploration::explore(check, None)?
    else {
        return Ok(exit::USAGE);
    };
    let mut endings = Endings::take(&mut report)?;
    let summary = endings.keep(&listing.outcome);
    exploration::complete(&mut report, check);
    if check.options.output == Output::Finding && report.verdict != Verdict::Bug {
        // It is listed.
        report.output.clear();
    }
    let view = View::new(&report, check.message_format);
    let mut out: Box<dyn Write> = match files.take_stdout() {
        true => Box::new(std::io::stderr()),
        false => Box::new(std::io::stdout()),
    };
    let list = endings.text(&view) + &summary;
    let written = out.write_all(list.as_bytes()).and_then(|()| out.flush());
    say::unless_closed(written).map_err(|why| format!("output failed: {why}"))?;
    let exit = exit::of(&report);
    finish(report, check, files, endings.listed(), build)?;
    Ok(exit)
}
