//! `cargo xtask recipes`: libraries that lock by themselves, built with `dpor-cc` from Debian's source packages.
//!
//! Each recipe is a few lines of shell, which are run here as the page has them, and a program with a few checks.
//! What they say is held against the table, and written to docs/recipes.md.

mod table;

use super::bench::today;
use crate::checked::{check_with, is_error, said};
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, process, source, tree};
use dpor_report::{FindingKind, Report, Verdict};
use std::path::{Path, PathBuf};
use std::process::Command;
use table::{Check, Expect, Recipe, ALL};

/// Options of `recipes`.
#[derive(clap::Args, Debug)]
pub struct Recipes {
    /// Only these; of the others docs/recipes.md keeps what it says.
    only: Vec<String>,
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    no_build: bool,
}

impl Recipes {
    /// Fetches, builds, checks, and writes the page.
    ///
    /// # Errors
    /// If a package cannot be had or built, or a check does not say what it should.
    pub fn run(&self) -> Outcome {
        let is_known = |name: &&String| ALL.iter().any(|recipe| recipe.name == name.as_str());
        if let Some(name) = self.only.iter().find(|name| !is_known(name)) {
            return Err(Stop::cannot(format!("no recipe {name}")));
        }
        if !self.no_build {
            super::build::Build::default().run()?;
        }
        let file = tree::root().join("docs/recipes.md");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        let mut page = BEGIN.to_owned();
        let mut wrong = 0;
        for recipe in &ALL {
            let is_asked = self.only.is_empty() || self.only.iter().any(|name| name == recipe.name);
            if is_asked {
                let (section, bad) = run(recipe)?;
                page += &section;
                wrong += bad;
            } else {
                page += &kept(&before, recipe);
            }
        }
        std::fs::write(&file, page.trim_end().to_owned() + "\n").while_doing(file.display())?;
        match wrong {
            0 => Ok(()),
            wrong => Err(Stop::failed(format!(
                "{wrong} checks do not say what they should"
            ))),
        }
    }
}

const BEGIN: &str = "# Recipes for libraries

Written by `cargo xtask recipes`, which ran the commands as they stand here. Each library is the upstream archive of a source package of Debian's; a line `deb-src http://deb.debian.org/debian bookworm main` in `/etc/apt/sources.list` lets apt-get have it. With the libraries as Debian builds them, all of these programs but abseil's racy one, which uses none of it, are [`unsupported`](libraries.md).

```sh
export CC=dpor-cc CXX=dpor-c++ DPOR_CLANG=clang-19 DPOR_CLANGXX=clang++-19
```

The tables have seconds of the whole check, on two cores that were not idle. Where a check was cut, `incomplete` says by what, and how far it came.

";

/// The compilers that the page names.
const LLVM: &str = "19";

fn heading(recipe: &Recipe) -> String {
    format!("## {}\n", recipe.title)
}

/// The section of a recipe as it was.
fn kept(page: &str, recipe: &Recipe) -> String {
    let Some(at) = page.find(&heading(recipe)) else {
        return String::new();
    };
    let section = &page[at..];
    let end = section[3..]
        .find("\n## ")
        .map_or(section.len(), |end| end + 4);
    section[..end].trim_end().to_owned() + "\n\n"
}

/// Runs a recipe: its section, and how many checks do not say what they should.
fn run(recipe: &Recipe) -> Outcome<(String, usize)> {
    let missing = { recipe.needs.iter().copied() }.filter(|package| !apt::has(package));
    match missing.collect::<Vec<&str>>() {
        missing if missing.is_empty() => {}
        missing => apt::install(&missing)?,
    }
    let source = source::fetch_parts(
        &format!("{}-recipe", recipe.package),
        recipe.package,
        recipe.parts,
    )?;
    let copy = tree::scratch("recipes").join(recipe.name);
    drop(std::fs::remove_dir_all(&copy));
    process::run(Command::new("cp").arg("-a").arg(&source).arg(&copy))?;
    let folder = copy.join(recipe.folder);
    shell(&folder, recipe.build)?;
    let (name, text) = recipe.program;
    std::fs::write(folder.join(name), text).while_doing(name)?;
    shell(&folder, recipe.compile)?;
    let mut section = said_of(recipe, &source)?;
    let mut wrong = 0;
    for one in recipe.checks {
        let (row, is_right) = row(recipe, one, &folder)?;
        println!("{row}");
        section += &row;
        wrong += usize::from(!is_right);
    }
    Ok((section + "\n", wrong))
}

/// What a section says before its table's rows.
fn said_of(recipe: &Recipe, source: &Path) -> Outcome<String> {
    let version = source.file_name().unwrap_or_default().to_string_lossy();
    let parts: String = { recipe.parts.iter() }
        .map(|part| format!(" '{part}'"))
        .collect();
    let unpack = match recipe.parts {
        [] => String::new(),
        _ => format!(" --wildcards --no-wildcards-match-slash{parts}"),
    };
    let folder = match recipe.folder {
        "." => version.to_string(),
        below => format!("{version}/{below}"),
    };
    let variables: String = { recipe.environment.iter() }
        .map(|(name, value)| format!(" {name}={value}"))
        .collect();
    let export = match recipe.environment {
        [] => String::new(),
        _ => format!("export{variables}\n"),
    };
    let language = match recipe.program.0.ends_with(".c") {
        true => "c",
        false => "cpp",
    };
    let remark = match recipe.remark {
        "" => String::new(),
        remark => format!("{remark}\n\n"),
    };
    Ok(format!(
        "{heading}\n`{version}`, on {day}.\n\n\
         ```sh\n\
         apt-get source --download-only {package}\n\
         tar -xf {package}_*.orig.tar.?z{unpack}\n\
         cd {folder}\n\
         {build}\n\
         ```\n\n\
         {remark}\
         ```{language}\n{text}```\n\n\
         ```sh\n{compile}\n{export}```\n\n\
         | check | says | seconds |\n|---|---|--:|\n",
        heading = heading(recipe),
        day = today()?,
        package = recipe.package,
        build = recipe.build,
        text = recipe.program.1,
        compile = recipe.compile,
    ))
}

/// Makes a check, and returns its row and whether it says what it should.
fn row(recipe: &Recipe, one: &Check, folder: &Path) -> Outcome<(String, bool)> {
    let options = [&["-k", "--output=none"], one.options].concat();
    let arguments: Vec<&str> = { [one.argument].into_iter() }
        .filter(|a| !a.is_empty())
        .collect();
    let report = check_with(
        recipe.environment,
        &folder.join("prog"),
        &options,
        &arguments,
    )?;
    let program = recipe.program.0;
    let is_right = says(&report, program) == Some(one.expect);
    let mark = if is_right { "" } else { "**" };
    let words = ["dpor check -k"]
        .into_iter()
        .chain(one.options.iter().copied());
    let mut command = words.collect::<Vec<_>>().join(" ") + " ./prog";
    if !one.argument.is_empty() {
        command += &format!(" -- {}", one.argument);
    }
    let text = format!(
        "| `{command}` | {mark}{}{mark} | {:.0} |\n",
        told(&report, program),
        report.seconds.wall
    );
    Ok((text, is_right))
}

/// Lines of the program that races are found at, in ascending order.
fn races(report: &Report, program: &str) -> Vec<u32> {
    let races = { report.findings.iter() }.filter(|f| f.kind == FindingKind::DataRace);
    let places = { races.flat_map(|race| &race.accesses) }.map(|access| &access.place);
    let own = places.filter(|place| place.file.rsplit('/').next() == Some(program));
    let lines = own.map(|place| place.line).filter(|&line| line > 0);
    let mut lines: Vec<u32> = lines.collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn says(report: &Report, program: &str) -> Option<Expect> {
    let errors = || report.findings.iter().filter(|finding| is_error(finding));
    match report.verdict {
        Verdict::Verified => Some(Expect::Verified),
        Verdict::Incomplete if errors().count() == 0 => Some(Expect::Nothing),
        Verdict::Bug => {
            let are_races = errors().all(|finding| finding.kind == FindingKind::DataRace);
            (are_races && !races(report, program).is_empty()).then_some(Expect::Race)
        }
        _ => None,
    }
}

/// The result of a check as the page has it.
fn told(report: &Report, program: &str) -> String {
    let executions = dpor_report::text::counted(report.executions.total(), "execution");
    let lines: Vec<String> = { races(report, program).iter() }
        .map(|line| format!("{program}:{line}"))
        .collect();
    let kinds = said(report);
    match report.verdict {
        Verdict::Verified => format!("verified: all {executions}"),
        Verdict::Bug => format!("{kinds} at {}, after {executions}", lines.join(", ")),
        _ => format!("{kinds}, after {executions}"),
    }
}

/// Runs lines of shell with our compilers found by their names.
fn shell(folder: &Path, lines: &str) -> Outcome {
    let tools = tree::product().join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path)))
        .map_err(|error| Stop::cannot(format!("PATH: {error}")))?;
    let mut command = Command::new("sh");
    command.args(["-e", "-c", lines]).current_dir(folder);
    command
        .env("PATH", path)
        .env("CC", "dpor-cc")
        .env("CXX", "dpor-c++");
    command
        .env("DPOR_CLANG", clang("clang")?)
        .env("DPOR_CLANGXX", clang("clang++")?);
    process::run(&mut command)
}

/// A compiler of the version that the page names.
fn clang(tool: &str) -> Outcome<PathBuf> {
    let name = format!("{tool}-{LLVM}");
    process::find(&name).ok_or_else(|| Stop::cannot(format!("no {name}")))
}
