//! `dpor list-executions` as written and as meant.

use super::{Check, LowCheck};
use clap::Args;
use dpor_abi::options::{Options, Search};
use std::collections::BTreeMap;

/// `dpor list-executions`.
#[derive(Args, Debug)]
// Changed arguments go to the end: the program's arguments must stay the last.
#[command(mut_arg("args", |args| args))]
pub struct LowList {
    /// Only executions with these values of dpor_observe, as in "r1=0 r2=1"
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub outcome: Option<String>,
    /// The first N complete executions, also where several end alike, and no more
    #[arg(long, value_name = "N", conflicts_with = "outcome", value_parser = clap::value_parser!(u64).range(1..))]
    pub first: Option<u64>,
    /// As for `dpor check`, whose options these are.
    #[command(flatten)]
    pub check: LowCheck,
}

/// A list as meant.
#[derive(Clone, Debug)]
pub struct Listing {
    /// What is explored; its options ask for endings.
    pub check: Check,
    /// What a listed execution has observed, besides what else it has.
    pub outcome: BTreeMap<String, i64>,
}

impl LowList {
    /// What is meant.
    ///
    /// `environment` is the value of `DPOR_OPTIONS`, empty without.
    ///
    /// # Errors
    /// One sentence that names the option.
    pub fn understand(self, environment: &str) -> Result<Listing, String> {
        self.refuse()?;
        let outcome = outcome(self.outcome.as_deref().unwrap_or_default())?;
        let check = self.check.understand(environment)?;
        let options = Options {
            endings: true,
            first: self.first.unwrap_or(0),
            // What is listed are executions as they were found.
            minimize_time_seconds: 0.0,
            ..check.options
        };
        if options.first > 0 && options.workers > 1 {
            return Err("--first and -j exclude each other: workers have no common order".into());
        }
        if options.first > 0 && options.search == Search::Auto {
            return Err("--first and --search=auto exclude each other: it may search twice".into());
        }
        Ok(Listing {
            check: Check { options, ..check },
            outcome,
        })
    }

    /// Options of a check that mean nothing for a list.
    fn refuse(&self) -> Result<(), String> {
        let refused =
            self.check
                .settings
                .first_of(&["save", "resume", "mpi", "commit-files", "suppress"]);
        let tests = self.check.test_filter.as_ref().map(|_| "test-filter");
        let cache = self.check.cache.as_ref().map(|_| "cache");
        match refused.or(tests).or(cache) {
            Some(name) => Err(format!("--{name}: not with dpor list-executions")),
            None => Ok(()),
        }
    }
}

/// `NAME=VALUE`, separated by blanks.
fn outcome(text: &str) -> Result<BTreeMap<String, i64>, String> {
    let mut values = BTreeMap::new();
    for word in text.split_whitespace() {
        let pair = word.rsplit_once('=');
        let pair = pair.and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let Some((name, value)) = pair.filter(|(name, _)| !name.is_empty()) else {
            return Err(format!("--outcome: '{word}' is not NAME=VALUE, as in r1=0"));
        };
        if values.insert(name.to_owned(), value).is_some() {
            return Err(format!("--outcome: {name} is given twice"));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::{Low, LowCommand, Target};
    use super::*;
    use clap::Parser;

    fn list(words: &[&str]) -> Result<Listing, String> {
        let words = ["dpor", "list-executions"].iter().chain(words);
        let low = Low::try_parse_from(words).map_err(|error| error.to_string())?;
        match low.command {
            LowCommand::ListExecutions(list) => list.understand(""),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn what_is_listed() {
        let all = list(&["./x", "--races=off", "--", "-p"]).unwrap();
        assert_eq!(all.check.target, Target::Program("./x".into()));
        assert_eq!(all.check.args, ["-p"]);
        assert!(all.outcome.is_empty());
        assert!(all.check.options.endings);
        assert_eq!(all.check.options.first, 0);
        let some = list(&["--outcome", " a=b=-1  r2=7", "x.c"]).unwrap();
        let expect = [("a=b".to_owned(), -1), ("r2".to_owned(), 7)];
        assert_eq!(some.outcome, BTreeMap::from(expect));
        assert_eq!(list(&["--first=2", "x"]).unwrap().check.options.first, 2);
    }

    #[test]
    fn what_is_refused() {
        for (words, expect) in [
            (&["--first=0", "x"][..], "--first"),
            (&["--first=2", "--outcome=a=1", "x"], "cannot be used with"),
            (&["--first=2", "-j2", "x"], "--first and -j"),
            (&["--first=2", "--search=auto", "x"], "--search=auto"),
            (&["--outcome", "r1", "x"], "'r1' is not NAME=VALUE"),
            (&["--outcome", "r1=a", "x"], "'r1=a' is not NAME=VALUE"),
            (&["--outcome", "=1", "x"], "'=1' is not NAME=VALUE"),
            (&["--outcome", "a=1 a=2", "x"], "a is given twice"),
            (&["--save=s", "x"], "--save: not with"),
            (&["--mpi", "x"], "--mpi: not with"),
            (&["--races=odd", "x"], "--races"),
            (&[], "PROGRAM|FILE"),
        ] {
            let message = list(words).unwrap_err();
            assert!(message.contains(expect), "{words:?}: {message}");
        }
    }
}
