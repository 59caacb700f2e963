//! The table of programs: how each is built and run, and what is expected of it.

use super::build::System;

/// A program or library from a source package of Debian's.
pub struct Program {
    /// The program's name on the command line and in the tables.
    pub name: &'static str,
    /// Debian's source package of the program.
    pub package: &'static str,
    /// Debian packages that its build needs.
    pub needs: &'static [&'static str],
    /// The build system of the program.
    pub system: System,
    /// Arguments of the first step: `configure`, `cmake`, `meson`; of `make` where there is none.
    pub options: &'static [&'static str],
    /// The targets that are built; empty: all.
    pub targets: &'static [&'static str],
    /// The program that is run, below the source's folder.
    pub made: Made,
    /// Files that the runs read.
    pub inputs: &'static [Input],
    /// The checks of the program, at least one.
    pub runs: &'static [Run],
    /// The bug that is planted, and must be found.
    pub seed: Seed,
    /// The program's own tests, if it has some.
    pub suite: Option<Suite>,
}

/// A program's own tests, run natively.
pub struct Suite {
    /// Further packages of Debian's.
    pub needs: &'static [&'static str],
    /// Commands that are run in order, each in the source's folder, until one fails; the table names the last.
    pub commands: &'static [&'static [&'static str]],
    pub tally: Tally,
    pub remark: &'static str,
}

/// The way in which the output says how many tests passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tally {
    /// Sums of the numbers behind these words, wherever they begin a line.
    Numbers {
        passed: &'static str,
        failed: &'static [&'static str],
    },
    /// Numbers of the lines that have these texts.
    Lines {
        passed: &'static str,
        failed: &'static str,
    },
    /// The exit code alone.
    Exit,
}

/// The tally of automake's test harness.
pub const AUTOMAKE: Tally = Tally::Numbers {
    passed: "# PASS:",
    failed: &["# FAIL:", "# ERROR:", "# XPASS:"],
};

/// The program that is run.
pub enum Made {
    /// A program that the build makes, at this path.
    Program(&'static str),
    /// A few lines of ours around a library.
    Driver {
        /// Name of the source in `drivers/`.
        source: &'static str,
        /// Arguments of the compiler between the driver and the name of the program.
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

/// A check of the program.
pub struct Run {
    pub arguments: &'static [&'static str],
    /// Kinds of the findings; warnings in parentheses, as the page has them.
    pub found: &'static str,
    /// A remark for the table.
    pub remark: &'static str,
}

/// A bug that we plant.
pub struct Seed {
    /// The bug in words.
    pub what: &'static str,
    pub edits: &'static [Edit],
    /// Options of the search that finds the bug; empty: the exhaustive one.
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
