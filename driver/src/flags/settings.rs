//! The options that the runtime knows, on the command line: made from their definitions ([`dpor_abi::options`]).

use clap::error::Error;
use clap::{value_parser, Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use dpor_abi::options::{definitions, Definition, Form, Options};
use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A heading of docs/options.md, and the names of the options below it.
type Group = (&'static str, &'static [&'static str]);

/// All that the command line takes, in the order of the help.
pub const GROUPS: &[Group] = &[
    (
        "What to explore",
        &[
            "search",
            "samples",
            "seed",
            "pct-depth",
            "bound",
            "iterative",
            "states",
            "ltl",
            "automaton",
            "fair",
            "model",
            "plain",
            "volatile",
            "reductions",
            "main-return",
            "timeouts",
            "spurious",
        ],
    ),
    (
        "What is a bug",
        &[
            "races",
            "deterministic",
            "non-progress",
            "no-starvation",
            "strict",
            "warnings-as-errors",
            "exit-status",
            "suppress",
            "trust",
            "library",
        ],
    ),
    (
        "Limits",
        &[
            "keep-going",
            "max-executions",
            "time-limit",
            "minimize-time",
            "max-events",
            "loop-bound",
            "step-limit",
            "max-states",
            "max-depth",
        ],
    ),
    (
        "Reports",
        &["output", "outcomes", "verbose", "full", "commit-files"],
    ),
    (
        "Resources",
        &[
            "j",
            "workers-after",
            "mpi",
            "checkpoint",
            "checkpoint-after",
            "checkpoint-memory",
            "tree-memory",
            "states-memory",
            "fuse",
            "check-abstraction",
            "save",
            "resume",
        ],
    ),
];

/// Options as they were given, each with its value.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// In the order of the help; the same name several times if it was given so.
    given: Vec<(&'static str, OsString)>,
}

impl Settings {
    /// Whether the option of that name was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The first of these options that was given.
    pub fn first_of(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// Takes them over into `options`.
    ///
    /// # Errors
    /// One sentence that names the option.
    pub fn apply(&self, options: &mut Options) -> Result<(), String> {
        for definition in on_command_line().filter(|definition| definition.is_of_runtime()) {
            let given = self
                .given
                .iter()
                .filter(|(name, _)| *name == definition.name);
            for (name, value) in given {
                let value = match definition.form {
                    Form::File | Form::Folders(_) => absolute(Path::new(value))?,
                    _ => value.to_string_lossy().into_owned(),
                };
                let set = options.set(name, &value);
                set.map_err(|why| format!("{}: {why}", definition.on_command_line()))?;
            }
        }
        Ok(())
    }
}

/// The definitions that [`GROUPS`] names.
fn on_command_line() -> impl Iterator<Item = &'static Definition> {
    let names = GROUPS.iter().flat_map(|(_, names)| names.iter());
    names.filter_map(|name| definitions().find(|definition| definition.name == *name))
}

fn arg(definition: &'static Definition) -> Arg {
    let name = definition.name;
    let arg = Arg::new(name).help(definition.help());
    let arg = match name.len() {
        1 => arg.short(name.chars().next()),
        _ => arg.long(name).short(definition.short),
    };
    match definition.form {
        // None of these is on the command line.
        Form::Internal => arg.hide(true),
        Form::Switch => arg.action(ArgAction::SetTrue),
        Form::Value(value) => arg.value_name(value),
        Form::Values(value) | Form::Folders(value) => {
            arg.value_name(value).action(ArgAction::Append)
        }
        Form::Optional { value, without } => arg
            .value_name(value)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(without),
        Form::File => arg.value_name("FILE").value_parser(value_parser!(PathBuf)),
    }
}

thread_local! {
    /// Options are made for the subcommand that is called alone ([`as_needed`]).
    static ARE_MADE_AS_NEEDED: Cell<bool> = const { Cell::new(false) };
}

/// A command line of which, of all subcommands that have these options, only the one that is called makes them: that is
/// half of what a check takes before it starts the program. They are then the last ones, which only help shows.
pub(super) fn as_needed(make: impl FnOnce() -> Command) -> Command {
    ARE_MADE_AS_NEEDED.set(true);
    let command = make();
    ARE_MADE_AS_NEEDED.set(false);
    command
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        let all = |command: Command| command.args(on_command_line().map(arg));
        match ARE_MADE_AS_NEEDED.get() {
            true => command.defer(all),
            false => all(command),
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Settings, Error> {
        let mut settings = Settings::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for definition in on_command_line() {
            let name = definition.name;
            let values: Vec<OsString> = match definition.form {
                Form::Internal => continue,
                Form::Switch if matches.get_flag(name) => vec!["1".into()],
                Form::Switch => Vec::new(),
                Form::File => {
                    let files = matches.get_many::<PathBuf>(name).unwrap_or_default();
                    files.map(|file| file.clone().into()).collect()
                }
                Form::Value(_) | Form::Values(_) | Form::Folders(_) | Form::Optional { .. } => {
                    let values = matches.get_many::<String>(name).unwrap_or_default();
                    values.map(OsString::from).collect()
                }
            };
            self.given
                .extend(values.into_iter().map(|value| (name, value)));
        }
        Ok(())
    }
}

/// A file that the runtime opens, wherever the program goes, or a folder that it compares paths with.
fn absolute(file: &Path) -> Result<String, String> {
    let path = std::path::absolute(file).map_err(|why| format!("{}: {why}", file.display()))?;
    let path = path.into_os_string().into_string();
    path.map_err(|_| format!("{}: a name that is no UTF-8", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_made_as_needed_are_those_that_are_made_at_once() {
        use crate::flags::Low;
        use clap::CommandFactory;
        let names = |mut command: Command, name: &str| {
            command.build();
            let called = command.find_subcommand(name).expect("it is there");
            let mut names: Vec<String> = { called.get_arguments() }
                .map(|arg| arg.get_id().to_string())
                .collect();
            names.sort_unstable();
            names
        };
        for name in ["check", "diff", "scenario", "list-executions", "replay"] {
            let as_needed = names(as_needed(Low::command), name);
            assert_eq!(as_needed, names(Low::command(), name));
        }
        let line = [
            "dpor",
            "check",
            "-j",
            "2",
            "--bound=1",
            "--json",
            "x.json",
            "./x",
        ];
        let parsed = as_needed(Low::command).try_get_matches_from(line);
        let parsed = parsed.expect("a command line");
        let of_check = parsed.subcommand_matches("check").expect("its own");
        let settings = Settings::from_arg_matches(of_check).expect("they are there");
        assert!(settings.has("j") && settings.has("bound") && !settings.has("seed"));
    }

    #[test]
    fn every_option_that_is_not_internal_is_on_the_command_line_once() {
        let mut defined: Vec<&str> = definitions()
            .filter(|definition| definition.form != Form::Internal)
            .map(|definition| definition.name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|group| group.1).copied().collect();
        defined.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, defined);
    }
}
