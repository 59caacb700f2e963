//! docs/options.md: the options of the commands, as the command line defines them.

use super::settings::GROUPS;
use super::Low;
use clap::{Arg, Command, CommandFactory};

/// The page.
pub fn page() -> String {
    let command = Low::command();
    let of = |name: &str| -> Vec<&Arg> {
        let command = command.find_subcommand(name);
        command
            .map(Command::get_arguments)
            .into_iter()
            .flatten()
            .collect()
    };
    let check = of("check");
    let mut page = String::from(
        "# Options\n\n\
         Written by `cargo xtask docs` from `runtime/abi/src/options/table.rs` and `driver/src/flags.rs`; do not edit.\n\n\
         A key of `DPOR_OPTIONS` (`key=value:key=value`) is the name of an option without dashes; a switch has the value `1` or `0`.\n\
         What the command line says comes after it.\n\
         `--mpi` and the options of reports are for the command line only, and so are `--save` and `--resume`.\n\n\
         ## `dpor check`\n",
    );
    let is_grouped = |arg: &Arg| {
        GROUPS
            .iter()
            .any(|(_, names)| names.contains(&arg.get_id().as_str()))
    };
    section(&mut page, "What is explored, and what is written", &{
        let rest = check.iter().copied().filter(|arg| !is_grouped(arg));
        rest.collect::<Vec<_>>()
    });
    for (heading, names) in GROUPS {
        let named = |name: &&str| check.iter().copied().find(|arg| arg.get_id() == *name);
        let args: Vec<&Arg> = names.iter().filter_map(named).collect();
        section(&mut page, heading, &args);
    }
    for name in ["replay", "diff", "scenario", "list-executions", "show"] {
        let all = of(name);
        let own: Vec<&Arg> = all
            .iter()
            .copied()
            .filter(|arg| !check.contains(arg))
            .collect();
        page.push_str(&format!("\n## `dpor {name}`\n"));
        if own.len() < all.len() {
            let rest = match name {
                "diff" | "scenario" | "list-executions" => "Besides those of `dpor check`:",
                _ => "Besides those of reports:",
            };
            page.push_str(&format!("\n{rest}\n"));
        }
        table(&mut page, &own);
    }
    page
}

fn section(page: &mut String, heading: &str, args: &[&Arg]) {
    page.push_str(&format!("\n### {heading}\n"));
    table(page, args);
}

fn table(page: &mut String, args: &[&Arg]) {
    if args.is_empty() {
        return;
    }
    page.push_str("\n| option | what it is |\n|---|---|\n");
    for arg in args {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let row = format!("{} | {}", spelled(arg), help.replace('|', "\\|"));
        page.push_str(&format!("| {row} |\n"));
    }
}

/// An option as it is typed: `-k`, `--keep-going`.
fn spelled(arg: &Arg) -> String {
    let takes_value = arg.get_action().takes_values();
    let names = arg.get_value_names().unwrap_or_default().join(" ");
    let names = names.replace('|', "\\|");
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let is_optional = arg
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0);
    let spelled = match long.or(short.clone()) {
        None => names,
        Some(option) if !takes_value => option,
        Some(option) if is_optional => format!("{option}[={names}]"),
        Some(option) => format!("{option} {names}"),
    };
    match short.filter(|_| arg.get_long().is_some()) {
        Some(short) => format!("`{short}`, `{spelled}`"),
        None => format!("`{spelled}`"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/options.md");
        let committed = std::fs::read_to_string(path).expect("the page is committed");
        assert!(
            committed == super::page(),
            "docs/options.md is out of date: cargo xtask docs"
        );
    }
}
