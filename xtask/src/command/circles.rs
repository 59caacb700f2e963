//! `cargo xtask circles`: the largest circle of modules in each crate.

use crate::modules::{Crate, Graph};
use crate::stop::{Outcome, Stop};
use crate::tree;

/// Modules in a circle, at most: about what one holds in mind when it changes.
#[cfg(test)]
const MODULES_MAX: usize = 15;

/// The crates, each with its name, and the file where it begins.
const CRATES: [(&str, &str); 15] = [
    ("abi", "runtime/abi/src/lib.rs"),
    ("asked", "runtime/asked/src/lib.rs"),
    ("liveness", "runtime/liveness/src/lib.rs"),
    ("ltl", "runtime/ltl/src/lib.rs"),
    ("model", "runtime/model/src/lib.rs"),
    ("explorer", "runtime/explorer/src/lib.rs"),
    ("races", "runtime/races/src/lib.rs"),
    ("report", "runtime/report/src/lib.rs"),
    ("machine", "runtime/machine/src/lib.rs"),
    ("engine", "runtime/engine/src/lib.rs"),
    ("workers", "runtime/workers/src/lib.rs"),
    ("interpose", "runtime/interpose/src/lib.rs"),
    ("pass", "pass/src/lib.rs"),
    ("driver", "driver/src/lib.rs"),
    ("xtask", "xtask/src/main.rs"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn no_circle_of_modules_is_larger_than_it_may_be() {
        for (name, root) in CRATES {
            let graph = graph(root).expect("our own sources are Rust");
            let circle = graph.largest_circle();
            assert!(
                circle.len() <= MODULES_MAX,
                "{} modules of {name} name each other in a circle, of {MODULES_MAX} at most; see `cargo xtask circles {name}`",
                circle.len()
            );
        }
    }

    /// Lines of a file, at most: one that is longer is more than one idea.
    const LINES_MAX: usize = 500;

    fn too_long(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("it is a folder of the repository") {
            let path = entry.expect("it is there").path();
            if path.is_dir() {
                too_long(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("our own sources are text");
                let lines = text.lines().count();
                if lines > LINES_MAX {
                    found.push(format!("{}: {lines} lines", path.display()));
                }
            }
        }
    }

    #[test]
    fn no_file_of_the_product_is_too_long() {
        let mut found = Vec::new();
        for (_, root) in CRATES {
            let root = tree::root().join(root);
            too_long(root.parent().expect("a crate has a folder"), &mut found);
        }
        assert!(found.is_empty(), "{found:#?}");
    }
}
