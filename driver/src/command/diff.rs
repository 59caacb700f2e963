//! `dpor diff`: builds the program at two levels, or two versions, explores both, compares.

use crate::auto;
use crate::diff::between::Between;
use crate::diff::build::{build, Built};
use crate::diff::judge::{judge, Comparison};
use crate::diff::patience::Patience;
use crate::diff::replays;
use crate::diff::sarif;
use crate::diff::side::Side;
use crate::diff::text;
use crate::exit::{self, Exit};
use crate::flags::Diff;
use crate::input::Input;
use crate::install::Installation;
use crate::launch::Stdout;
use crate::minimize::{self, Again, Before};
use crate::progress::Display;
use crate::report::destination::Destination;
use crate::report::json;
use crate::report::shown::shown;
use crate::say;
use dpor_abi::options::Options;
use dpor_report::{visible, Finding, Report};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs the comparison; the exit code says whether anything differs.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn run(diff: &Diff) -> Result<Exit, String> {
    let installation = Installation::of_this_command()?;
    let destinations = Destinations::open(diff)?;
    let patience = Patience::begin()?;
    let Some((built, between)) = build(&installation, &diff.what, &patience)? else {
        return Ok(exit::USAGE);
    };
    let input = Input::now();
    let (mut sides, mut found) = (Vec::new(), Vec::new());
    for built in &built {
        input.begin();
        let (side, all) = explore(diff, built)?;
        if patience.is_over() {
            say::line("dpor: interrupted: nothing is compared");
            return Ok(exit::INCOMPLETE);
        }
        sides.push(side);
        found.push(all);
    }
    let sides: [Side; 2] = sides
        .try_into()
        .map_err(|_| "[dpor internal bug] there are two sides".to_owned())?;
    let mut comparison = judge(sides, between);
    comparison.program = built[1].name();
    comparison.args.clone_from(&diff.args);
    for (side, (built, found)) in built.iter().zip(&found).enumerate() {
        input.begin();
        add_calls(&mut comparison, side, diff, built, found)?;
        if matches!(comparison.between, Between::Versions(_)) {
            replays::keep(&mut comparison, side, built, found);
        }
    }
    if !input.is_there_again() {
        let noun = comparison.between.noun();
        say::line(&format!(
            "dpor: note: standard input can be read only once; the second {noun} has what the first left"
        ));
    }
    let exit = comparison.exit(diff.fail_on);
    let sarif = || sarif::text(&comparison, &built[1], &found[1], exit);
    report(&comparison, diff, destinations, &sarif)?;
    Ok(exit)
}

/// Where reports go.
struct Destinations {
    json: Option<Destination>,
    sarif: Option<Destination>,
}

impl Destinations {
    fn open(diff: &Diff) -> Result<Destinations, String> {
        if diff.json.is_some() && diff.json == diff.sarif {
            return Err("--json and --sarif are two reports: give two names".to_owned());
        }
        let open = |path: &Option<PathBuf>| path.as_deref().map(Destination::open).transpose();
        Ok(Destinations {
            json: open(&diff.json)?,
            sarif: open(&diff.sarif)?,
        })
    }

    fn take_stdout(&self) -> bool {
        let all = [&self.json, &self.sarif];
        all.iter().any(|to| matches!(to, Some(Destination::Stdout)))
    }
}

/// Differences whose schedules are run again for their calls (chosen: those that are shown).
const AGAIN_MAX: usize = 20;

/// Adds the calls that led to the steps of the schedules of one side, from one more run of each.
fn add_calls(
    comparison: &mut Comparison,
    side: usize,
    diff: &Diff,
    built: &Built,
    found: &Report,
) -> Result<(), String> {
    let again = Again::new(&built.program, &diff.args, &found.options, Before::now());
    let all = comparison.differences.iter_mut();
    let all = all.chain(&mut comparison.doubtful).take(AGAIN_MAX);
    in_folder(&built.folder, || {
        for difference in all {
            let known = &difference.schedules[side];
            if known.iter().any(|step| step.place.has_calls()) {
                continue;
            }
            let words = &difference.words[side];
            let is_of = |finding: &&Finding| !words.is_empty() && finding.schedule == *words;
            let finding = found.findings.iter().find(is_of);
            if let Some(again) = finding.and_then(|finding| again.run(finding)) {
                let again = shown(&again, &built.root);
                difference.schedules[side] = again.trace;
                difference.threads[side] = again.threads;
            }
        }
    })
}

/// Does something in another folder.
fn in_folder<T>(folder: &Path, what: impl FnOnce() -> T) -> Result<T, String> {
    let here = std::env::current_dir().map_err(|why| format!("the current folder: {why}"))?;
    let go = |folder: &Path| {
        let went = std::env::set_current_dir(folder);
        went.map_err(|why| format!("{} cannot be entered: {why}", folder.display()))
    };
    go(folder)?;
    let done = what();
    go(&here)?;
    Ok(done)
}

/// What the check of one side shows, and its report as it was told.
fn explore(diff: &Diff, built: &Built) -> Result<(Side, Report), String> {
    let display = Display::new(diff.progress);
    let options = Options {
        keep_going: true,
        endings: true,
        progress: !matches!(display, Display::Off),
        ..diff.options.clone()
    };
    let mut show = |progress| display.show(progress);
    let report = in_folder(&built.folder, || {
        let (program, args, before) = (&built.program, &diff.args, Before::now());
        let report = auto::explore(program, args, &options, Stdout::Nowhere, &mut show, None);
        report.map(|mut report| {
            // Findings are the same where the user's own code calls a library: only the calls tell.
            let for_calls = Options {
                minimize_time_seconds: 0.0,
                ..options.clone()
            };
            minimize::minimize(&mut report, program, args, &for_calls, before);
            report
        })
    });
    display.end();
    let mut report = report??;
    report.program = built.name();
    report.args.clone_from(&diff.args);
    if report.options.is_empty() {
        report.options = options.to_string();
    }
    let found = report.clone();
    let side = Side::new(&built.label, report, built.list.clone(), &built.root);
    Ok((side, found))
}

fn report(
    comparison: &Comparison,
    diff: &Diff,
    destinations: Destinations,
    sarif: &dyn Fn() -> Result<String, String>,
) -> Result<(), String> {
    let text = text::text(comparison, diff.message_format, diff.fail_on);
    let mut out: Box<dyn Write> = match destinations.take_stdout() {
        true => Box::new(std::io::stderr()),
        false => Box::new(std::io::stdout()),
    };
    let text = visible::lines(&text);
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    say::unless_closed(written).map_err(|why| format!("output failed: {why}"))?;
    if let Some(destination) = destinations.json {
        destination.write(&json::text(comparison)?)?;
    }
    match destinations.sarif {
        Some(destination) => destination.write(&sarif()?),
        None => Ok(()),
    }
}
