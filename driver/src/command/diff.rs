//! `dpor diff`: builds the program at two levels, explores both, compares.

use crate::auto;
use crate::diff::build::{build, Built};
use crate::diff::judge::{judge, Comparison};
use crate::diff::side::Side;
use crate::diff::text;
use crate::exit::{self, Exit};
use crate::flags::{Diff, Levelled};
use crate::input::Input;
use crate::install::Installation;
use crate::launch::Stdout;
use crate::minimize;
use crate::progress::Display;
use crate::report::destination::Destination;
use crate::report::json;
use crate::say;
use dpor_abi::options::Options;
use dpor_report::visible;
use std::io::Write;
use std::path::Path;

/// Runs the comparison; the exit code says whether anything differs.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn run(diff: &Diff) -> Result<Exit, String> {
    let installation = Installation::of_this_command()?;
    let destination = diff.json.as_deref().map(Destination::open).transpose()?;
    let mut built = Vec::new();
    for level in &diff.levels {
        match build(&installation, &diff.what, level)? {
            Some(program) => built.push(program),
            None => return Ok(exit::USAGE),
        }
    }
    let input = Input::now();
    let mut sides = Vec::new();
    for (level, built) in diff.levels.iter().zip(&built) {
        input.begin();
        sides.push(explore(diff, level, built)?);
    }
    let sides: [Side; 2] = sides
        .try_into()
        .map_err(|_| "[dpor internal bug] there are two levels".to_owned())?;
    let mut comparison = judge(sides);
    comparison.program = name(&diff.what);
    comparison.args.clone_from(&diff.args);
    if !input.is_there_again() {
        say::line("dpor: note: standard input can be read only once; the second level has what the first left");
    }
    report(&comparison, diff, destination)?;
    Ok(comparison.exit())
}

fn explore(diff: &Diff, level: &str, built: &Built) -> Result<Side, String> {
    let display = Display::new(diff.progress);
    let options = Options {
        keep_going: true,
        endings: true,
        progress: !matches!(display, Display::Off),
        ..diff.options.clone()
    };
    let here = std::env::current_dir().map_err(|why| format!("the current folder: {why}"))?;
    let go = |folder: &Path| {
        let went = std::env::set_current_dir(folder);
        went.map_err(|why| format!("{} cannot be entered: {why}", folder.display()))
    };
    go(&built.folder)?;
    let mut show = |progress| display.show(progress);
    let report = auto::explore(
        &built.program,
        &diff.args,
        &options,
        Stdout::Nowhere,
        &mut show,
        None,
    );
    display.end();
    go(&here)?;
    let mut report = report?;
    minimize::forget_marks(&mut report);
    report.program = name(&diff.what);
    report.args.clone_from(&diff.args);
    if report.options.is_empty() {
        report.options = options.to_string();
    }
    Ok(Side::new(level, report, built.list.clone(), &built.folder))
}

fn name(what: &Levelled) -> String {
    let path = match what {
        Levelled::Sources { files, .. } => &files[0],
        Levelled::Build { program, .. } => program,
    };
    path.display().to_string()
}

fn report(
    comparison: &Comparison,
    diff: &Diff,
    destination: Option<Destination>,
) -> Result<(), String> {
    let text = text::text(comparison, diff.message_format);
    let mut out: Box<dyn Write> = match destination {
        Some(Destination::Stdout) => Box::new(std::io::stderr()),
        _ => Box::new(std::io::stdout()),
    };
    let text = visible::lines(&text);
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    say::unless_closed(written).map_err(|why| format!("output failed: {why}"))?;
    match destination {
        Some(destination) => destination.write(&json::text(comparison)?),
        None => Ok(()),
    }
}
