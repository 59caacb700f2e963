//! What the driver of a rank other than 0 does: starts the program, which takes part in the search, and
//! tells rank 0 how it ended if that was not rank 0's will.

use super::{Company, Parcel, Word};
use crate::happening::Happening;
use crate::launch::{self, Ended, Stdout};
use crate::process_end;
use crate::program::Program;
use dpor_abi::options::Options;
use std::os::unix::process::ExitStatusExt;

/// Helps until rank 0 says that the check is over. `program`: or why there is none.
pub fn help(
    program: Result<&Program, String>,
    args: &[String],
    options: &Options,
    company: &mut Company,
) {
    // What is left of a search is rank 0's to read.
    let options = Options {
        resume: String::new(),
        progress: false,
        ..options.clone()
    };
    let ended = program.and_then(|program| {
        let show = &mut |_| {};
        launch::run(
            program,
            args,
            &options,
            Stdout::Nowhere,
            show,
            Some(company),
        )
    });
    if !company.is_over {
        let word = match ended {
            Ok(ended) => word_on(ended),
            Err(why) => Some(Word::Failed(why)),
        };
        if let Some(word) = word {
            company.say(0, word);
        }
    }
    while !company.is_over {
        match company.happenings.1.recv() {
            Ok(Happening::Parcel(0, Parcel::Word(Word::Finish))) => company.is_over = true,
            Ok(Happening::Signal(_)) => company.say(0, Word::Interrupted),
            Ok(_) => {}
            Err(_) => return,
        }
    }
    company.say(0, Word::Bye);
    company.leave();
}

/// What rank 0 has to know of an end that it did not ask for; `None`: nothing.
fn word_on(ended: Ended) -> Option<Word> {
    if let Some(signal) = process_end::foreign_signal(&ended) {
        return Some(Word::Killed(format!("its process was killed by {signal}")));
    }
    let panic = process_end::panic_of(&ended);
    match ended.word {
        // It had one thread to its end, as rank 0's will.
        launch::Word::Plain => None,
        launch::Word::Absent if ended.interrupted => None,
        launch::Word::Absent => Some(Word::Failed(format!(
            "the program ended ({}) before the checker's runtime was there",
            ended.status
        ))),
        launch::Word::Failure(why) if panic.is_none() => Some(Word::Failed(why)),
        launch::Word::Report(report, _) => {
            let why = report.reason.unwrap_or_default();
            Some(Word::Failed(format!("it could not begin: {why}")))
        }
        launch::Word::Failure(_) | launch::Word::Lost => Some(Word::Died {
            status: ended.status.into_raw(),
            journal: ended.journal_bytes,
            panic,
        }),
    }
}
