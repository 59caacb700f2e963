//! `dpor scenario`: tests a data structure from its operations, by size, in a search for each.
//!
//! The program lists how many scenarios each size has ([`crate::scenario`]). A size is proved if its search went over all
//! executions of all of its scenarios; one that the time cut short never counts. The first size in which something is found
//! is the last: larger ones would find it again.

use crate::exit::{self, Exit};
use crate::exploration::{complete, prepare, search};
use crate::flags::{Check, Scenario, Scope, Target};
use crate::framework::Test;
use crate::install::Installation;
use crate::launch::Stdout;
use crate::program::Program;
use crate::publish::finish;
use crate::report::destination::Destination;
use crate::report::files::Files;
use crate::report::junit;
use crate::report::View;
use crate::say;
use crate::scenario::emit::Emit;
use crate::scenario::merged::{merge, size, Searched};
use crate::scenario::{list, Listed, Listing};
use crate::schedule::build_of;
use dpor_abi::options::Options;
use dpor_report::{visible, Report, Scenarios, Verdict};
use std::io::Write;
use std::time::Instant;

/// Runs the test; the exit code says the verdict.
///
/// # Errors
/// One sentence: nothing is known about the data structure.
pub fn run(scenario: &Scenario) -> Result<Exit, String> {
    let installation = Installation::of_this_command()?;
    let check = &scenario.check;
    let mut wanted = check.reports.clone();
    let junit = wanted.junit.take();
    let files = Files::open(&wanted)?;
    let junit = junit.as_deref().map(Destination::open).transpose()?;
    let is_taken = files.take_stdout() || matches!(junit, Some(Destination::Stdout));
    let Some((program, _compiled)) = prepare(&installation, &check.target)? else {
        return Ok(exit::USAGE);
    };
    let Listing {
        object,
        source,
        sizes,
        calls,
    } = list(
        &program,
        &check.args,
        &scenario.sizes,
        scenario.asked.is_endless(),
    )?;
    let emit = scenario.emit.as_deref();
    let emit = emit.map(|file| Emit::new(file, &check.target, &source));
    let emit = emit.transpose()?;
    if let Some(odd) = sizes.iter().find(|size| size.scenarios.is_none()) {
        if scenario.wants_all {
            return Err(format!(
                "--sizes: there are too many sequences of the calls of {}: give fewer operations or values",
                odd.word()
            ));
        }
    }
    let searched = Run {
        scenario,
        program: &program,
        is_taken,
    };
    let asked = Scenarios {
        object,
        check: scenario.asked.word().to_owned(),
        calls,
        ..Scenarios::default()
    };
    let searched = searched.all(asked, &sizes)?;
    let Some(mut report) = merge(&searched) else {
        return Err("no size has a scenario".to_owned());
    };
    if let Some(odd) = sizes.iter().find(|size| size.scenarios.is_none()) {
        let note = format!(
            "there are too many sequences of the calls of {}: give fewer operations or values",
            odd.word()
        );
        report.notes.push(note);
    }
    let exit = exit::of(&report);
    let build = build_of(&program.path);
    let one = Check {
        reports: wanted,
        ..check.clone()
    };
    let (report, view) = finish(report, &one, files, Vec::new(), build)?;
    if let Some(to) = junit {
        to.write(&cases(&searched, &report, &view, &program_name(check))?)?;
    }
    if let Some(emit) = emit.filter(|_| report.verdict == Verdict::Bug) {
        // The finding is reported: it stays what this command ends with.
        match emit.write(&program, &report, check, scenario.time_seconds) {
            Ok(said) if is_taken => say::line(&said),
            Ok(said) => say::result(&said),
            Err(why) => say::line(&format!("dpor: error: {why}")),
        }
    }
    Ok(exit)
}

/// Less time than any search needs, in seconds.
const MOMENT_SECONDS: f64 = 1e-3;

/// The searches of all sizes.
struct Run<'a> {
    scenario: &'a Scenario,
    program: &'a Program,
    /// Standard output is for a report.
    is_taken: bool,
}

impl Run<'_> {
    fn all(&self, asked: Scenarios, sizes: &[Listed]) -> Result<Searched, String> {
        let begun = Instant::now();
        let mut searched = Searched {
            scenarios: asked,
            reports: Vec::new(),
            time_seconds: self.scenario.time_seconds,
            wants_all: self.scenario.wants_all,
        };
        let mut is_over = false;
        for listed in sizes {
            let mut left = self.scenario.time_seconds - begun.elapsed().as_secs_f64();
            if searched.reports.is_empty() {
                // One is begun in any case, so that there is a report.
                left = left.max(MOMENT_SECONDS);
            }
            let Some(scenarios) = listed.scenarios.filter(|_| !is_over && left > 0.0) else {
                searched.scenarios.not_finished.push(listed.word());
                continue;
            };
            if scenarios == 0 {
                continue;
            }
            let report = self.one(listed, left)?;
            let size = size(listed.threads, listed.calls, scenarios, &report);
            if report.verdict == Verdict::Verified {
                self.say(&Scenarios::size_said(&size))?;
            } else {
                is_over = true;
                searched.scenarios.not_finished.push(listed.word());
            }
            searched.scenarios.sizes.push(size);
            searched.reports.push(report);
        }
        Ok(searched)
    }

    /// Searches one size.
    fn one(&self, listed: &Listed, seconds: f64) -> Result<Report, String> {
        let check = &self.scenario.check;
        let asked = self.scenario.asked;
        let own = listed.arguments(asked.of_results(), asked.is_endless());
        let one = Check {
            args: own.into_iter().chain(check.args.iter().cloned()).collect(),
            options: Options {
                time_limit_seconds: seconds,
                callers: listed.threads,
                ..check.options.clone()
            },
            scope: Scope::Scenarios,
            ..check.clone()
        };
        let stdout = match self.is_taken {
            true => Stdout::ToStderr,
            false => Stdout::Inherit,
        };
        let mut report = search(&one, self.program, stdout, None)?;
        complete(&mut report, &one);
        Ok(report)
    }

    fn say(&self, line: &str) -> Result<(), String> {
        let mut out: Box<dyn Write> = match self.is_taken {
            true => Box::new(std::io::stderr()),
            false => Box::new(std::io::stdout()),
        };
        let written = writeln!(out, "{}", visible::line(line)).and_then(|()| out.flush());
        say::unless_closed(written).map_err(|why| format!("output failed: {why}"))
    }
}

fn program_name(check: &Check) -> String {
    match &check.target {
        Target::Program(path) => path.display().to_string(),
        Target::Sources { files, .. } => files[0].display().to_string(),
    }
}

/// The JUnit file: a case for each size.
fn cases(searched: &Searched, all: &Report, view: &View, program: &str) -> Result<String, String> {
    let sizes = searched.scenarios.sizes.iter().zip(&searched.reports);
    let cases = sizes.map(|(size, report)| {
        let mut report = report.clone();
        if report.verdict == all.verdict && report.verdict == Verdict::Bug {
            // There they can be replayed.
            report.findings.clone_from(&all.findings);
        }
        let test = Test {
            suite: searched.scenarios.object.clone(),
            name: format!("{} × {}", size.threads, size.calls),
            is_disabled: false,
        };
        (test, Ok((report, view.clone())))
    });
    junit::suite(program, &cases.collect::<Vec<_>>())
}
