//! How findings and progress are shown, as the command line names it.

use clap::ValueEnum;

/// Form of the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With source lines and trace.
    #[default]
    Human,
    /// FILE:LINE:COLUMN: error: …, as compilers write them, for editors.
    Short,
}

/// When the progress line is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    /// On a terminal.
    #[default]
    Auto,
    /// Also elsewhere.
    Always,
    /// Never.
    Never,
}

/// What of a comparison is a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Whatever only one side has.
    #[default]
    Difference,
    /// What only the second side has.
    Introduced,
}
