//! Why a command ended early.

use std::fmt;

/// An error that ends the command: one sentence, and the exit code.
#[derive(Debug)]
pub struct Stop {
    /// 1 if something was tested and failed, 2 if it could not be tried.
    pub code: u8,
    /// What happened and what to do, without a newline at the end.
    pub message: String,
}

impl Stop {
    /// The work could not be done.
    pub fn cannot(message: impl Into<String>) -> Stop {
        Stop {
            code: 2,
            message: message.into(),
        }
    }

    /// The work was done, and something is wrong.
    pub fn failed(message: impl Into<String>) -> Stop {
        Stop {
            code: 1,
            message: message.into(),
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The result of everything here.
pub type Outcome<T = ()> = Result<T, Stop>;

/// Adds what was being done to an error of the standard library.
pub trait Context<T> {
    /// Turns the error into a [`Stop`] that starts with `doing`.
    ///
    /// # Errors
    /// The given one.
    fn while_doing(self, doing: impl fmt::Display) -> Outcome<T>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn while_doing(self, doing: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Stop::cannot(format!("{doing}: {error}")))
    }
}
