//! Advice for a search that will not be over in the time it has.

use crate::flags::{Check, Target};
use crate::words::quoted;
use dpor_abi::options::Search;
use dpor_report::{duration, Estimate};

/// The advice, given once, on standard error, as soon as even the least of the estimate is too much.
#[derive(Debug, Default)]
pub struct Advice {
    said: bool,
}

impl Advice {
    /// The sentence, if it is due now. `seconds`: how long the search took so far.
    pub fn of(&mut self, check: &Check, estimate: Estimate, seconds: f64) -> Option<String> {
        let limit = check.options.time_limit_seconds;
        let is_too_much = limit > 0.0 && seconds + estimate.seconds_left_low > limit;
        if self.said || check.options.search != Search::Optimal || !is_too_much {
            return None;
        }
        self.said = true;
        Some(format!(
            "note: the search has {} executions, {} more, and --time-limit allows {}; to draw some of them: {}",
            estimate.total(),
            estimate.left(),
            duration(limit),
            command(check)
        ))
    }
}

/// The command that draws samples of the same program.
fn command(check: &Check) -> String {
    let words = vec![
        "dpor check --search=surw".to_owned(),
        format!("--samples={}", check.options.samples),
        format!("--time-limit={}", check.options.time_limit_seconds),
    ];
    of_program(words, check)
}

/// The command that visits the states of the same program.
pub fn by_states(check: &Check) -> String {
    of_program(vec!["dpor check --states".to_owned()], check)
}

fn of_program(mut words: Vec<String>, check: &Check) -> String {
    match &check.target {
        Target::Program(path) => words.push(quoted(&path.display().to_string())),
        Target::Sources { files, cflags } => {
            if cflags.join(" ") != "-O2 -g" {
                words.push(format!("--cflags={}", quoted(&cflags.join(" "))));
            }
            words.extend(files.iter().map(|file| quoted(&file.display().to_string())));
        }
    }
    if !check.args.is_empty() {
        words.push("--".to_owned());
        words.extend(check.args.iter().map(|arg| quoted(arg)));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::{MessageFormat, ProgressWhen};
    use dpor_abi::options::Options;

    fn check(search: Search, seconds: f64, target: Target) -> Check {
        Check {
            target,
            args: vec!["a b".to_owned()],
            options: Options {
                search,
                time_limit_seconds: seconds,
                ..Options::default()
            },
            mpi: false,
            scope: crate::flags::Scope::Program,
            reports: crate::flags::Wanted::default(),
            message_format: MessageFormat::default(),
            progress: ProgressWhen::default(),
        }
    }

    #[test]
    fn once_and_only_where_the_least_is_too_much() {
        // 1,000 in 2 s; the least that is left are 79,000, 158 s.
        let estimate = Estimate::new([150_000.0, 80_000.0, 400_000.0], 0.8, 1_000, 2.0);
        let program = || Target::Program("./x".into());
        let said =
            |search, limit| Advice::default().of(&check(search, limit, program()), estimate, 2.0);
        assert_eq!(said(Search::Optimal, 161.0), None);
        assert_eq!(said(Search::Optimal, 0.0), None);
        assert_eq!(said(Search::Auto, 60.0), None);
        let expect = "note: the search has about 150,000 (80,000 to 400,000) executions, \
            about 5 min (3 min to 13 min) more, and --time-limit allows 60 s; to draw some of them: \
            dpor check --search=surw --samples=10000 --time-limit=60 ./x -- 'a b'";
        let mut advice = Advice::default();
        let check = check(Search::Optimal, 60.0, program());
        assert_eq!(advice.of(&check, estimate, 2.0).as_deref(), Some(expect));
        assert_eq!(advice.of(&check, estimate, 2.0), None);
    }

    #[test]
    fn sources_are_named_with_their_flags() {
        let target = Target::Sources {
            files: vec!["x.c".into(), "y z.c".into()],
            cflags: vec!["-O0".to_owned()],
        };
        assert_eq!(
            command(&check(Search::Optimal, 1.5, target)),
            "dpor check --search=surw --samples=10000 --time-limit=1.5 --cflags=-O0 x.c 'y z.c' -- 'a b'"
        );
    }
}
