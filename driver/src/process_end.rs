//! What the end of the program's process means: a report, or that the tool failed.

use crate::launch::{Ended, Left, Word};
use crate::limits;
use crate::names;
use crate::program::Program;
use crate::report::plain;
use dpor_abi::journal::{Announced, Journal};
use dpor_abi::options::Options;
use dpor_report::{text, Report};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What the end of the program means.
///
/// # Errors
/// One sentence, if the runtime failed.
pub fn to_report(ended: Ended, program: &Program, options: &Options) -> Result<Report, String> {
    if let Some(report) = killed(&ended, options) {
        return Ok(report);
    }
    let Ended {
        word,
        status,
        wall,
        journal,
        ..
    } = ended;
    let before_the_second_thread = matches!(word, Word::Plain);
    match word {
        Word::Report(mut report, loaded) => {
            names::complete(&mut report, &loaded);
            report.options = without_processors(&report.options);
            if ended.out_of_time && report.reason.as_deref() == Some(plain::INTERRUPTED) {
                report.reason = Some(plain::time_is_up(options));
            }
            Ok(*report)
        }
        Word::Failure(why) => Err(failure(why)),
        Word::Absent | Word::Plain | Word::Lost if ended.out_of_time => {
            let mut report = plain::interrupted(options, wall, ended.progress);
            let mut reason = plain::time_is_up(options);
            if before_the_second_thread {
                reason += ", before the program had a second thread,";
            }
            report.reason = Some(reason);
            Ok(report)
        }
        Word::Absent | Word::Plain | Word::Lost if ended.interrupted && !status.success() => {
            Ok(plain::interrupted(options, wall, ended.progress))
        }
        Word::Absent => Err(limits::explain(format!(
            "{} ended ({status}) before the checker's runtime was there: nothing of it was checked",
            program.path.display()
        ))),
        Word::Plain => {
            let mut report = plain::single_threaded(options, wall, status);
            let name = program.path.file_name().unwrap_or_default();
            report.scope.instrumented = vec![name.to_string_lossy().into_owned()];
            report.scope.uninstrumented = program.libraries.clone();
            if program.without_assertions {
                report.notes.push(text::WITHOUT_ASSERTIONS.to_owned());
            }
            Ok(report)
        }
        Word::Lost => Err(unexplained(status, &journal)),
    }
}

/// The options without what the driver told of the machine: a replay on another one is the same.
fn without_processors(options: &str) -> String {
    match Options::parse(options) {
        Ok(told) if told.workers_if_it_pays > 0 => Options {
            workers_if_it_pays: 0,
            ..told
        }
        .to_string(),
        _ => options.to_owned(),
    }
}

/// Signals that a process brings on itself (the rest come from others).
const OWN: [i32; 7] = [4, 5, 6, 7, 8, 11, 31];

/// The message of a process that found itself in a state that cannot be.
pub fn panic_of(ended: &Ended) -> Option<String> {
    match (&ended.word, &ended.journal) {
        (Word::Failure(why), Left::Journal(journal))
            if journal.announced == Some(Announced::Panic) =>
        {
            Some(why.clone())
        }
        _ => None,
    }
}

/// The status of the process that died first.
pub fn real_status(status: ExitStatus, journal: &Journal) -> ExitStatus {
    match journal.announced {
        Some(Announced::Child(status)) => ExitStatus::from_raw(status as i32),
        _ => status,
    }
}

/// The name of the signal that ended a process without a word, if it did not bring it on itself.
pub fn foreign_signal(ended: &Ended) -> Option<String> {
    foreign_number(ended).map(plain::signal_name)
}

pub fn foreign_number(ended: &Ended) -> Option<i32> {
    let status = match &ended.journal {
        Left::Journal(journal) => real_status(ended.status, journal),
        _ => ended.status,
    };
    let is_lost = matches!(ended.word, Word::Lost) && !ended.interrupted;
    let signal = status.signal().filter(|_| is_lost);
    signal.filter(|signal| !OWN.contains(signal))
}

/// The report of a check whose process somebody else killed.
pub fn killed(ended: &Ended, options: &Options) -> Option<Report> {
    let name = foreign_signal(ended)?;
    let reason = format!("killed by {name} from outside");
    Some(without_report(ended, options, reason))
}

pub fn without_report(ended: &Ended, options: &Options, reason: String) -> Report {
    let mut report = plain::interrupted(options, ended.wall, ended.progress);
    report.reason = Some(reason);
    report.options = options.to_string();
    report
}

/// What the runtime says that it cannot do. Options that it does not understand are ours: it is another's.
pub fn failure(why: String) -> String {
    match why.strip_prefix("DPOR_OPTIONS: ") {
        Some(rest) => format!(
            "the program's runtime libdpor_rt.so is of another version than dpor ({}): {rest}",
            dpor_abi::version()
        ),
        None => limits::explain(why),
    }
}

/// What can be said when no journal explains the end.
pub fn unexplained(status: ExitStatus, left: &Left) -> String {
    match left {
        Left::Journal(_) => format!("the process of the check ended without a report ({status})"),
        Left::Nothing => format!(
            "[dpor internal bug] the runtime ended without a report ({status})"
        ),
        Left::Overwritten => format!(
            "the process of the check died ({status}), and the program overwrote what was written down \
             of the schedule: nothing more is known"
        ),
    }
}
