//! `cargo xtask endure --minutes N`: one long search that takes no more of the system at its end than at its
//! beginning.

use super::bench::append_row;
use super::build::Build;
use crate::stop::{Context, Outcome, Stop};
use crate::{process, tree};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const HEADING: &str = "# Long searches\n\n\
One row per run of `cargo xtask endure`: what the processes of one check held, at most, in the first half of its time and in the second.\n\
Memory is the proportional set size of all of them; zombies are processes that ended and that nobody waited for, at any look.\n\n\
| date | minutes | workers | executions | KB, first half | KB, second half | descriptors, first half | descriptors, second half | zombies |\n\
|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";

/// A program whose search does not end.
const PROGRAM: &str = "testsuite/programs/pthread/long.c";

/// Time between two looks at the processes.
const LOOK: Duration = Duration::from_secs(5);

/// Factor by which the second half may take more memory than the first: what is learnt late, and noise.
const MORE: f64 = 1.05;

/// Options of `endure`.
#[derive(clap::Args, Debug)]
pub struct Endure {
    /// How long the search lasts.
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// Worker processes.
    #[arg(short, default_value_t = 2)]
    j: u32,
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    as_built: bool,
}

/// What the processes of a check have at a moment.
#[derive(Clone, Copy, Default, Debug)]
struct Held {
    /// Memory, each page that is shared counted once.
    kilobytes: u64,
    descriptors: usize,
    processes: usize,
    zombies: usize,
}

impl Endure {
    /// Searches, and looks at the processes meanwhile.
    ///
    /// # Errors
    /// They held more and more.
    pub fn run(&self) -> Outcome {
        if !self.as_built {
            Build::default().run()?;
        }
        let folder = tree::product().with_file_name("endure");
        std::fs::create_dir_all(&folder).while_doing(folder.display())?;
        let (program, json) = (folder.join("long"), folder.join("long.json"));
        let bin = tree::product().join("bin");
        let mut compile = Command::new(bin.join("dpor-cc"));
        compile.args(["-O2", "-g", "-DTIMES=7", "-o"]).arg(&program);
        process::run(compile.arg(tree::root().join(PROGRAM)))?;
        let seconds = self.minutes * 60;
        let mut check = Command::new(bin.join("dpor"));
        check
            .args(["check", "--progress=never", "--output=none", "--json"])
            .arg(&json)
            .arg("--save")
            .arg(folder.join("long.dpor"))
            .arg(format!("-j{}", self.j))
            .arg(format!("--time-limit={seconds}"))
            .arg(&program)
            .stdout(Stdio::null());
        let mut running = check.spawn().while_doing("starting dpor")?;
        let begin = Instant::now();
        let mut looks: Vec<(Duration, Held)> = Vec::new();
        while running
            .try_wait()
            .while_doing("waiting for dpor")?
            .is_none()
        {
            sleep(LOOK);
            let held = Held::by(running.id());
            // The last moments are those of the end.
            if begin.elapsed() + LOOK < Duration::from_secs(seconds) {
                println!("{:>5} s: {held:?}", begin.elapsed().as_secs());
                looks.push((begin.elapsed(), held));
            }
        }
        let report = std::fs::read_to_string(&json).while_doing(json.display())?;
        let report: serde_json::Value =
            serde_json::from_str(&report).while_doing(json.display())?;
        let half = Duration::from_secs(seconds / 2);
        let most = |of: &dyn Fn(&Held) -> u64, late: bool| {
            let some = looks.iter().filter(|(at, _)| (*at >= half) == late);
            some.map(|(_, held)| of(held)).max().unwrap_or(0)
        };
        let memory = |late| most(&|held| held.kilobytes, late);
        let descriptors = |late| most(&|held| held.descriptors as u64, late);
        let zombies =
            most(&|held| held.zombies as u64, false).max(most(&|held| held.zombies as u64, true));
        let row = format!(
            "| {{date}} | {} | {} | {} | {} | {} | {} | {} | {zombies} |",
            self.minutes,
            self.j,
            report["executions"]["complete"],
            memory(false),
            memory(true),
            descriptors(false),
            descriptors(true),
        );
        append_row("docs/endurance.md", HEADING, &row)?;
        let grows = memory(true) as f64 > MORE * memory(false) as f64;
        if grows || descriptors(true) > descriptors(false) || zombies > 0 || looks.is_empty() {
            return Err(Stop::failed(format!(
                "the search takes more and more: {row}"
            )));
        }
        Ok(())
    }
}

impl Held {
    /// The memory held by a process and all below it.
    fn by(process: u32) -> Held {
        let mut held = Held::default();
        let mut rest = vec![process];
        while let Some(process) = rest.pop() {
            let folder = format!("/proc/{process}");
            let folder = Path::new(&folder);
            let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            let children = text(&format!("task/{process}/children"));
            rest.extend(
                children
                    .split_whitespace()
                    .filter_map(|p| p.parse::<u32>().ok()),
            );
            let rollup = text("smaps_rollup");
            let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
            let pss = pss.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
            held.kilobytes += pss.unwrap_or(0);
            held.descriptors += std::fs::read_dir(folder.join("fd")).map_or(0, Iterator::count);
            held.processes += 1;
            // After the name, which may contain anything, in parentheses.
            let stat = text("stat");
            held.zombies += usize::from(
                stat.rsplit(')')
                    .next()
                    .is_some_and(|s| s.trim_start().starts_with('Z')),
            );
        }
        held
    }
}
