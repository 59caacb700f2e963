//! Help: one screen for `-h`, all for `--help`, grouped, in 80 columns.

use super::settings::{as_needed, GROUPS};
use super::Low;
use clap::{Arg, Command, CommandFactory};

/// What `-h` has, by the name of the option: those that most checks are made with, in a few words.
const FEW: &[(&str, &str)] = &[
    ("cflags", "for the compiler of sources [-O2 -g]"),
    ("watch", "check again whenever a source is saved"),
    ("search", "optimal; random, pct, pos, surw; auto; icb, dfs"),
    ("bound", "at most N preemptions"),
    ("states", "visit states: for programs without end"),
    ("races", "c11, sc, warn, off"),
    ("strict", "zeros are no mutex"),
    ("suppress", "findings not to be counted, as TSan, valgrind"),
    ("keep-going", "all findings, not only the first"),
    ("trust", "a library that need not be instrumented"),
    ("time-limit", "wall time"),
    ("max-executions", "how many executions"),
    ("loop-bound", "how often a loop goes round"),
    ("json", "the report; - is standard output"),
    ("html", "a page with time lines and source"),
    ("message_format", "human; short: a line each, for editors"),
    ("j", "worker processes [1]"),
];

/// Options of the driver's own, below the headings of the runtime's.
const OWN: &[(&str, &[&str])] = &[
    ("What to explore", &["cflags", "test_filter", "watch"]),
    ("Resources", &["cache", "no_cache"]),
    (
        "Reports",
        &[
            "json",
            "sarif",
            "junit",
            "html",
            "dot",
            "graph",
            "message_format",
            "progress",
        ],
    ),
];

/// Columns of a help text behind its indentation.
const WIDTH: usize = 70;

/// The command line, with help as people read it if it `is_asked` for: to lay it out takes longer than all else that is
/// done before a program starts.
pub fn command(is_asked: bool) -> Command {
    if !is_asked {
        return as_needed(Low::command);
    }
    let mut command = Low::command();
    for name in ["check", "diff", "scenario", "list-executions"] {
        command = command.mut_subcommand(name, |command| {
            let more = format!("All options, with defaults: dpor {name} --help");
            command.mut_args(arg).after_help(more).after_long_help("")
        });
    }
    command
}

/// The heading that an option stands below.
pub fn heading(name: &str) -> Option<&'static str> {
    let mut groups = OWN.iter().chain(GROUPS);
    groups
        .find(|(_, names)| names.contains(&name))
        .map(|(heading, _)| *heading)
}

fn arg(arg: Arg) -> Arg {
    let name = arg.get_id().as_str().to_owned();
    let whole = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let few = FEW.iter().find(|(few, _)| *few == name);
    let arg = match heading(&name) {
        Some(heading) => arg.help_heading(heading).hide_short_help(few.is_none()),
        None => arg,
    };
    let has_value = arg.get_action().takes_values();
    let arg = match few {
        Some((_, short)) => arg.help(*short).hide_possible_values(has_value),
        None => arg,
    };
    // The text names it.
    let arg = match has_value && !arg.get_default_values().is_empty() {
        true => arg.hide_default_value(true),
        false => arg,
    };
    arg.long_help(wrapped(&whole))
}

/// A text in lines of at most [`WIDTH`] columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        let length = line.chars().count();
        if length > 0 && length + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else {
            if length > 0 {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(short: bool) -> String {
        let mut command = command(true);
        command.build();
        let check = command.find_subcommand_mut("check").expect("it is there");
        match short {
            true => check.render_help().to_string(),
            false => check.render_long_help().to_string(),
        }
    }

    #[test]
    fn one_screen_and_all() {
        let short = help(true);
        let lines = short.lines().count();
        assert!((24..=40).contains(&lines), "{lines} lines:\n{short}");
        for text in [&short, &help(false)] {
            let long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{text}");
        }
        for (name, _) in FEW {
            let shown = name.replace('_', "-");
            assert!(short.contains(&format!("-{shown}")), "{name}:\n{short}");
        }
    }

    #[test]
    fn every_option_has_a_heading_and_names_its_default() {
        let command = Low::command();
        let check = command.find_subcommand("check").expect("it is there");
        let all = help(false);
        for arg in check.get_arguments().filter(|arg| !arg.is_positional()) {
            let name = arg.get_id().as_str();
            assert!(heading(name).is_some(), "{name}");
            let long = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(long.contains("[default: "), "{name}: {long}");
            assert!(
                all.contains(&format!("-{}", name.replace('_', "-"))),
                "{name}"
            );
        }
    }

    #[test]
    fn words_are_not_broken() {
        let word = "x".repeat(WIDTH);
        assert_eq!(wrapped(&format!("a {word} b")), format!("a\n{word}\nb"));
        assert_eq!(wrapped("a b"), "a b");
        assert_eq!(wrapped(""), "");
    }
}
