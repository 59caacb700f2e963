//! Options that have no effect with others: they are refused, so that nobody believes that they do something.
//!
//! What excludes each other for other reasons is said where the options are known
//! ([`Options::fit_together`]).

use super::settings::Settings;
use dpor_abi::options::{Options, Search, States};

/// An option, and with what it has an effect.
struct Effect {
    /// Its name.
    option: &'static str,
    /// Whether it has one.
    with: fn(&Options) -> bool,
    /// What it is for.
    is_for: &'static str,
    /// A command line on which it has none, and one on which it has.
    #[cfg(test)]
    examples: [&'static str; 2],
}

macro_rules! effects {
    ($($option:literal, $with:expr, $is_for:literal, $without_effect:literal, $with_effect:literal;)*) => {
        const EFFECTS: &[Effect] = &[$(Effect {
            option: $option,
            with: $with,
            is_for: $is_for,
            #[cfg(test)]
            examples: [$without_effect, $with_effect],
        }),*];
    };
}

effects! {
    "samples", draws, "searches that draw executions: --search=random, pct, pos, surw or auto",
        "--samples=5 --search=optimal", "--samples=5 --search=pos";
    "pct-depth", |options| options.search == Search::Pct, "--search=pct",
        "--pct-depth=4 --search=surw", "--pct-depth=4 --search=pct";
    "seed", |options| draws(options) || options.is_by_states(),
        "what is drawn: --search=random, pct, pos, surw or auto, and --states",
        "--seed=4 --search=dfs", "--seed=4 --states";
    "fair", Options::asks_of_runs, "--ltl, --automaton, --non-progress and --no-starvation",
        "--fair=none --states", "--fair=none --non-progress";
    "states-memory", Options::is_by_states, "a search over states: --states",
        "--states-memory=1000000", "--states-memory=1000000 --states";
    "check-abstraction", |options| options.is_by_states() && options.states != States::Bitstate,
        "--states=compact and --states=exact, with dpor_abstraction",
        "--check-abstraction=1", "--check-abstraction=1 --states";
    "tree-memory", |options| !options.is_by_states(), "searches by executions, without --states",
        "--tree-memory=4096 --states", "--tree-memory=4096";
    "workers-after", |options| options.workers > 1, "several workers: -j",
        "--workers-after=3", "--workers-after=3 -j2";
}

fn draws(options: &Options) -> bool {
    options.search.samples() || options.search == Search::Auto
}

/// Refuses what was given and does nothing.
///
/// # Errors
/// One sentence that names the option, and with what it has an effect.
pub fn refuse_idle(given: &Settings, options: &Options) -> Result<(), String> {
    // Each rank has workers of its own; who varies their number may come to one.
    let is_idle = |effect: &&Effect| {
        let has_workers = given.has("mpi") || given.has("j");
        let is_of_workers = effect.option == "workers-after" && has_workers;
        given.has(effect.option) && !(effect.with)(options) && !is_of_workers
    };
    match EFFECTS.iter().find(is_idle) {
        Some(Effect { option, is_for, .. }) => {
            Err(format!("--{option} has no effect here: it is for {is_for}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Low, LowCommand};
    use super::*;
    use clap::Parser;
    use dpor_abi::options::definitions;

    fn check(line: &str) -> Result<(), String> {
        let words = ["dpor", "check", "./x"].into_iter();
        let words = words.chain(line.split_whitespace());
        let low = Low::try_parse_from(words).map_err(|error| error.to_string())?;
        match low.command {
            LowCommand::Check(low) => low.understand("").map(|_| ()),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn each_of_the_table_is_refused_and_taken() {
        for effect in EFFECTS {
            let option = effect.option;
            assert!(definitions().any(|known| known.name == option), "{option}");
            let [idle, effective] = effect.examples;
            let why = check(idle).unwrap_err();
            let expect = format!("--{option} has no effect here: it is for {}", effect.is_for);
            assert_eq!(why, expect);
            assert_eq!(check(effective), Ok(()), "{effective}");
        }
        assert_eq!(check("--mpi --workers-after=3"), Ok(()));
        assert_eq!(check("-j1 --workers-after=3"), Ok(()));
    }
}
