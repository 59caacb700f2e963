//! `cargo xtask simulate`: how much faster many workers would be.
//!
//! `runtime/explorer/tests/explorer/scaling.rs` runs the real protocol in simulated time.

use super::bench::{append, today};
use crate::process;
use crate::stop::Outcome;
use crate::tree;

/// Options of `simulate`.
#[derive(clap::Args, Debug)]
pub struct Simulate {
    /// One tree, as `lock 3x6`; all that take little time unless given
    #[arg(long)]
    tree: Option<String>,
    /// Numbers of workers, with commas between
    #[arg(long)]
    workers: Option<String>,
    /// Each worker on a machine of its own
    #[arg(long)]
    network: bool,
    /// The policies of asking for work, on one tree
    #[arg(long, conflicts_with_all = ["tree", "workers", "network"])]
    policies: bool,
    /// Append the table to docs/scaling.md
    #[arg(long)]
    save: bool,
}

impl Simulate {
    /// Simulates and prints.
    ///
    /// # Errors
    /// If the simulated search is not what it should be.
    pub fn run(&self) -> Outcome {
        let mut cargo = process::cargo();
        cargo.current_dir(tree::root());
        cargo.args(["test", "--release", "-p", "dpor-explorer"]);
        cargo.args([
            "--test",
            "explorer",
            "--",
            "--ignored",
            "--nocapture",
            "--exact",
        ]);
        cargo.arg(if self.policies {
            "scaling::policies"
        } else {
            "scaling::curves"
        });
        for (name, value) in [
            ("DPOR_SIMULATE_TREE", self.tree.as_deref()),
            ("DPOR_SIMULATE_WORKERS", self.workers.as_deref()),
            ("DPOR_SIMULATE_NETWORK", self.network.then_some("1")),
        ] {
            match value {
                Some(value) => cargo.env(name, value),
                None => cargo.env_remove(name),
            };
        }
        let said = process::output_of(&mut cargo)?;
        // The harness prints `test NAME ... ` before what a test prints.
        let rows = said
            .lines()
            .filter_map(|line| line.find('|').map(|at| &line[at..]));
        let table: String = rows.map(|row| format!("{row}\n")).collect();
        print!("{table}");
        match self.save {
            true => append("docs/scaling.md", &format!("\n## {}\n\n{table}", today()?)),
            false => Ok(()),
        }
    }
}
