//! Whether a check is of a program or of each of its tests.

use super::settings::Settings;

/// Whether a program is checked or tests of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The program with the arguments given.
    #[default]
    Program,
    /// Each test that matches a pattern.
    Tests(String),
    /// The scenarios of a data structure of one size (`dpor scenario`).
    Scenarios,
    /// One test.
    Test {
        /// Its name.
        name: String,
        /// Its name in names of files.
        file_name: String,
    },
}

impl Scope {
    /// What the command line asks for.
    ///
    /// # Errors
    /// One sentence: an option that a search of its own for each test cannot have.
    pub fn of(test_filter: Option<&str>, settings: &Settings) -> Result<Scope, String> {
        let Some(pattern) = test_filter else {
            return Ok(Scope::Program);
        };
        let refused = ["save", "resume", "mpi", "commit-files"];
        match settings.first_of(&refused) {
            Some(name) => Err(format!(
                "--{name} is for one search: not with --test-filter"
            )),
            None => Ok(Scope::Tests(pattern.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Low, LowCommand};
    use super::*;
    use clap::Parser;

    fn scope(line: &str) -> Result<Scope, String> {
        let words = std::iter::once("dpor").chain(line.split_whitespace());
        let low = Low::try_parse_from(words).map_err(|error| error.to_string())?;
        match low.command {
            LowCommand::Check(low) => Scope::of(low.test_filter.as_deref(), &low.settings),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn a_program_or_its_tests() {
        assert_eq!(scope("check ./x"), Ok(Scope::Program));
        let tests = |pattern: &str| Ok(Scope::Tests(pattern.to_owned()));
        assert_eq!(scope("check --test-filter Q.* ./x"), tests("Q.*"));
        assert_eq!(scope("check --test-filter=-Q.* ./x"), tests("-Q.*"));
        for option in ["--save=s", "--resume=s", "--mpi", "--commit-files"] {
            let message = scope(&format!("check --test-filter=* {option} ./x")).unwrap_err();
            assert!(message.contains("one search"), "{option}: {message}");
        }
    }
}
