//! A test of a program, and why nothing may be known of it.

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Suite of GoogleTest; empty for Catch2.
    pub suite: String,
    /// Name in the suite.
    pub name: String,
    /// The framework does not run it unless it is told to.
    pub is_disabled: bool,
}

/// The reason why nothing is known of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The test is disabled ([`Test::is_disabled`]).
    Disabled,
    /// The test says itself, when it runs, that it is skipped (`GTEST_SKIP`).
    Skipped,
}

impl LeftOut {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            LeftOut::Disabled => "disabled",
            LeftOut::Skipped => "skipped",
        }
    }
}

impl Test {
    /// `Suite.Name`, or the name where there are no suites.
    pub fn full_name(&self) -> String {
        match self.suite.as_str() {
            "" => self.name.clone(),
            suite => format!("{suite}.{}", self.name),
        }
    }
}
