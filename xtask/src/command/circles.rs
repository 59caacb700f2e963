//! `cargo xtask circles`: the largest circle of modules in each crate.

use crate::modules::{Crate, Graph};
use crate::stop::{Outcome, Stop};
use crate::tree;

/// The crates, each with its name and the file where it begins.
const CRATES: [(&str, &str); 8] = [
    ("abi", "runtime/abi/src/lib.rs"),
    ("explorer", "runtime/explorer/src/lib.rs"),
    ("races", "runtime/races/src/lib.rs"),
    ("report", "runtime/report/src/lib.rs"),
    ("machine", "runtime/machine/src/lib.rs"),
    ("interpose", "runtime/interpose/src/lib.rs"),
    ("pass", "pass/src/lib.rs"),
    ("driver", "driver/src/lib.rs"),
];

/// Options of `circles`.
#[derive(clap::Args, Debug, Default)]
pub struct Circles {
    /// The members of this crate's largest circle, and who names what of whom in it
    krate: Option<String>,
}

impl Circles {
    /// Prints a line for each crate, or a circle in detail.
    ///
    /// # Errors
    /// A crate that is none of ours, or a file that cannot be read.
    pub fn run(&self) -> Outcome {
        let Some(wanted) = &self.krate else {
            return print_all();
        };
        let Some((_, root)) = CRATES.iter().find(|(name, _)| name == wanted) else {
            let names = CRATES.map(|(name, _)| name).join(", ");
            return Err(Stop::cannot(format!("no crate {wanted}: {names}")));
        };
        let graph = graph(root)?;
        let circle = graph.largest_circle();
        println!("{} of {} modules", circle.len(), graph.modules());
        for (from, to, path) in graph.edges_among(&circle) {
            println!("{from} -> {to}: {path}");
        }
        Ok(())
    }
}

/// Prints how many modules of each crate are in its largest circle.
///
/// # Errors
/// A file that cannot be read, or is not Rust.
pub fn print_all() -> Outcome {
    for (name, root) in CRATES {
        let graph = graph(root)?;
        println!(
            "largest circle of modules in {name}: {} of {}",
            graph.largest_circle().len(),
            graph.modules()
        );
    }
    Ok(())
}

fn graph(root: &str) -> Outcome<Graph> {
    Ok(Graph::of(&Crate::read(&tree::root().join(root))?))
}
