//! `cargo xtask slowdown`: what it costs to be instrumented, in the program's time and the compiler's.
//!
//! One execution under the checker against the plain program with real threads, and against ThreadSanitizer's;
//! compiling with dpor-cc against clang. All in CPU seconds, as ratios of runs that alternate: other work of
//! the machine then weighs on both.

mod cases;
mod compile;

use super::bench::{append_row, measure, today};
use super::real::build::{need, Build, Compilers};
use super::real::programs;
use crate::stop::{Context, Outcome, Stop};
use crate::{llvm, process, text, tree};
use cases::{Case, CASES};
use compile::Recipe;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `slowdown`.
#[derive(clap::Args, Debug)]
pub struct Slowdown {
    /// Only these programs.
    only: Vec<String>,
    /// Runs of each, of which the medians are taken.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    no_build: bool,
}

/// A program, built three times.
struct Built {
    name: String,
    version: String,
    ours: PathBuf,
    plain: PathBuf,
    sanitized: PathBuf,
    compiling: compile::Cost,
}

/// Medians of an execution.
struct Cost {
    plain_seconds: f64,
    /// CPU time of our build and of ThreadSanitizer's, as multiples of the plain program's.
    ours: f64,
    sanitized: f64,
}

/// Exit codes of a check that counts: verified, incomplete (there are more executions), or a race, which ends no
/// execution.
const CHECKED: [i32; 3] = [0, 3, 42];
/// Exit codes of a run under ThreadSanitizer that counts: without a race, and with one.
const SANITIZED: [i32; 2] = [0, 66];

const FILE: &str = "docs/slowdown.md";
const HEADING: &str = "# What being instrumented costs

Written by `cargo xtask slowdown`; each row says of which day it is.

CPU seconds (user and system) of one execution under the checker (`dpor check --max-executions=1`: every access is looked at for races) as a multiple of those of the plain program at its own level of optimization with as many real threads, and the same for the program built with `-fsanitize=thread`. Medians of runs that alternate. Private: accesses of which the pass proved that no other thread can make them ([how](private.md)).
Compiling: CPU seconds of `make` after `make clean` with `dpor-cc` over those with the same clang, all of the program, linking included; and what the pass itself adds to the time of clang, from its part in `-ftime-report`. The rest is the code generator's, for the calls that the pass put in.

| program | arguments | input | plain, s | checked | ThreadSanitizer | private | compiling | the pass | remark | day |
|---|---|---|---|---|---|---|---|---|---|---|
";

impl Slowdown {
    /// Builds, runs, and adds rows to docs/slowdown.md.
    ///
    /// # Errors
    /// If a program cannot be had, built or run.
    pub fn run(&self) -> Outcome {
        if !self.no_build {
            super::build::Build::default().run()?;
        }
        if let Some(llvm) = llvm::installed().first() {
            need(&[&format!("libclang-rt-{}-dev", llvm.major)])?;
        }
        let mut built: Option<Built> = None;
        for case in &CASES {
            let name = case.program.unwrap_or("chase");
            if !self.only.is_empty() && !self.only.iter().any(|only| only == name) {
                continue;
            }
            let program = match built.take() {
                Some(program) if program.name == name => program,
                _ => self.build(name, case)?,
            };
            let cost = self.measure(case, &program)?;
            let row = row(case, &program, &cost)?;
            println!("{row}");
            append_row(FILE, HEADING, &row)?;
            built = Some(program);
        }
        Ok(())
    }

    fn build(&self, name: &str, case: &Case) -> Outcome<Built> {
        // Beside what `cargo xtask real` builds.
        let ours = Compilers {
            name: "instrumented",
            ..Compilers::ours()
        };
        let all = [ours, Compilers::plain()?, Compilers::thread_sanitizer()?];
        match case.program {
            None => self.build_chase(&all),
            Some(_) => self.build_real(name, all),
        }
    }

    fn build_real(&self, name: &str, all: [Compilers; 3]) -> Outcome<Built> {
        let program = { programs::ALL.iter() }
            .find(|program| program.name == name)
            .ok_or_else(|| Stop::cannot(format!("no program {name}")))?;
        let [ours, plain, sanitized] = all;
        let ours = Build::new(program, ours)?;
        let plain = Build::new(program, plain)?;
        let sanitized = Build::new(program, sanitized)?;
        let clean = |build: &Build| -> Outcome<Command> {
            let mut make = build.command("make")?;
            make.arg("clean");
            Ok(make)
        };
        let cost = compile::measure(
            self.runs,
            &Recipe {
                clean: &|| clean(&ours),
                make: &|| ours.make_command(),
            },
            &Recipe {
                clean: &|| clean(&plain),
                make: &|| plain.make_command(),
            },
        )?;
        // What the last one left was made with a report of its times.
        ours.make()?;
        Ok(Built {
            name: name.to_owned(),
            version: ours.version.clone(),
            ours: ours.made(),
            plain: plain.made(),
            sanitized: sanitized.made(),
            compiling: cost,
        })
    }

    fn build_chase(&self, all: &[Compilers; 3]) -> Outcome<Built> {
        let folder = tree::scratch("slowdown");
        let [ours, plain, sanitized] = ["ours", "plain", "tsan"].map(|name| folder.join(name));
        let source = tree::root().join("xtask/src/command/slowdown/chase.c");
        let compile = |compilers: &Compilers, output: &Path| -> Outcome<Command> {
            let mut words = compilers.cc.split(' ');
            let first = words.next().unwrap_or_default();
            let tool = tree::tool(first);
            let mut compile = Command::new(if tool.is_file() { tool } else { first.into() });
            compile.args(words).args(["-O2", "-pthread", "-o"]);
            compile.arg(output).arg(&source);
            Ok(compile)
        };
        let clean = || Ok(Command::new("true"));
        process::run(&mut compile(&all[2], &sanitized)?)?;
        let cost = compile::measure(
            self.runs,
            &Recipe {
                clean: &clean,
                make: &|| compile(&all[0], &ours),
            },
            &Recipe {
                clean: &clean,
                make: &|| compile(&all[1], &plain),
            },
        )?;
        Ok(Built {
            name: "chase".to_owned(),
            version: "chase.c".to_owned(),
            ours,
            plain,
            sanitized,
            compiling: cost,
        })
    }

    fn measure(&self, case: &Case, program: &Built) -> Outcome<Cost> {
        let folder = program.ours.parent().unwrap_or(Path::new("."));
        let input = folder.join("slowdown.txt");
        std::fs::write(&input, text::lines(case.bytes)).while_doing(input.display())?;
        let run = |command: &Path, before: &[&str], codes: &[i32]| -> Outcome<f64> {
            let mut command = Command::new(command);
            command.current_dir(folder);
            measure::cpu_of_good(command.args(before).args(case.arguments), codes)
        };
        let ours = program.ours.to_string_lossy();
        let check = [
            "check",
            "--max-executions=1",
            "--output=none",
            "--step-limit=600",
            &ours,
            "--",
        ];
        let (mut seconds, mut ratios, mut sanitized) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let plain = run(&program.plain, &[], &[0])?;
            let checked = run(&tree::tool("dpor"), &check, &CHECKED)?;
            sanitized.push(run(&program.sanitized, &[], &SANITIZED)? / plain);
            ratios.push(checked / plain);
            seconds.push(plain);
        }
        Ok(Cost {
            plain_seconds: measure::median(&mut seconds),
            ours: measure::median(&mut ratios),
            sanitized: measure::median(&mut sanitized),
        })
    }
}

fn row(case: &Case, program: &Built, cost: &Cost) -> Outcome<String> {
    let input = match case.bytes {
        0 => String::new(),
        bytes => format!("{} kB", bytes / 1000),
    };
    let compiling = program.compiling;
    Ok(format!(
        "| {} | `{}` | {input} | {:.2} | {:.2} × | {:.2} × | {:.1} % | {:.2} × | {:.1} % | {} | {} |",
        program.version,
        case.arguments.join(" "),
        cost.plain_seconds,
        cost.ours,
        cost.sanitized,
        compiling.accesses.share(),
        compiling.of_plain,
        100.0 * compiling.of_pass * compiling.of_plain,
        case.remark,
        today()?,
    ))
}
