//! What the table says of a program.

use super::build::System;

/// A program or library from a source package of Debian's.
pub struct Program {
    /// Its name on the command line and in the tables.
    pub name: &'static str,
    /// The source package.
    pub package: &'static str,
    /// Debian packages that its build needs.
    pub needs: &'static [&'static str],
    /// How it is built.
    pub system: System,
    /// Arguments of the first step: `configure`, `cmake`, `meson`; of `make` where there is none.
    pub options: &'static [&'static str],
    /// What is built; nothing: all.
    pub targets: &'static [&'static str],
    /// What is run, below the source's folder.
    pub made: Made,
    /// Files that the runs read.
    pub inputs: &'static [Input],
    /// At least one.
    pub runs: &'static [Run],
    /// The bug that is planted, and must be found.
    pub seed: Seed,
    /// Its own tests, if it has some.
    pub suite: Option<Suite>,
}

/// A program's own tests, run natively.
pub struct Suite {
    /// Further packages of Debian's.
    pub needs: &'static [&'static str],
    /// One after the other, each in the source's folder, until one fails; the last is said in the table.
    pub commands: &'static [&'static [&'static str]],
    pub tally: Tally,
    pub remark: &'static str,
}

/// How the output says how many passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tally {
    /// Sums of the numbers behind these words, wherever they begin a line.
    Numbers {
        passed: &'static str,
        failed: &'static [&'static str],
    },
    /// So many lines have the first, so many the second.
    Lines {
        passed: &'static str,
        failed: &'static str,
    },
    /// The exit code alone.
    Exit,
}

/// Of automake.
pub const AUTOMAKE: Tally = Tally::Numbers {
    passed: "# PASS:",
    failed: &["# FAIL:", "# ERROR:", "# XPASS:"],
};

/// What is run.
pub enum Made {
    /// The build makes it.
    Program(&'static str),
    /// A few lines of ours around a library.
    Driver {
        /// In `drivers/`.
        source: &'static str,
        /// Between the driver and the name of the program.
        arguments: &'static [&'static str],
    },
}

/// A file that is read, in the folder of the program.
pub enum Input {
    /// Lines of text.
    Text { name: &'static str, bytes: usize },
    /// What the program writes to its standard output, run natively.
    Output {
        name: &'static str,
        arguments: &'static [&'static str],
    },
}

/// One check.
pub struct Run {
    pub arguments: &'static [&'static str],
    /// Kinds of what is found; warnings in parentheses, as the page has them.
    pub found: &'static str,
    /// Said in the table.
    pub remark: &'static str,
}

/// A bug of ours.
pub struct Seed {
    /// In words.
    pub what: &'static str,
    pub edits: &'static [Edit],
    /// The search that finds it; nothing: the exhaustive one.
    pub options: &'static [&'static str],
    /// The run that finds it.
    pub arguments: &'static [&'static str],
    /// The kind of error that it is found as.
    pub found: &'static str,
}

/// One replacement in a file.
pub struct Edit {
    pub file: &'static str,
    /// The place is behind the first occurrence of this; empty: the file's beginning.
    pub after: &'static str,
    pub find: &'static str,
    pub replace: &'static str,
}
