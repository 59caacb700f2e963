//! How the values of options are read from text and written to it.

use super::{
    Checkpoint, Cluster, ExitStatuses, Fair, Guarantee, MainReturn, Output, Plain, Races,
    Reductions, Search, States, Volatile,
};
use crate::timeouts::Timeouts;

/// A type that a field of [`super::Options`] has.
pub(super) trait Value {
    /// Takes over what `text` says; a value that can be given several times adds it.
    ///
    /// # Errors
    /// What is wrong with the text, as in "'x' is not a number".
    fn read(&mut self, text: &str) -> Result<(), String>;

    /// The texts that [`Value::read`] takes, one after the other, to make the same of a default value.
    fn write(&self) -> Vec<String>;
}

/// Types with `FromStr` and `Display`, which are each other's inverse.
macro_rules! by_their_text {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn read(&mut self, text: &str) -> Result<(), String> {
                text.parse().map(|value| *self = value)
            }
            fn write(&self) -> Vec<String> {
                vec![self.to_string()]
            }
        })+
    };
}

by_their_text!(
    Search, States, Fair, Guarantee, Races, Plain, Volatile, Checkpoint, Output, MainReturn,
    Reductions, Timeouts
);

impl Value for bool {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = match text {
            "1" => true,
            "0" => false,
            _ => return Err(not("0 or 1", text)),
        };
        Ok(())
    }

    fn write(&self) -> Vec<String> {
        vec![if *self { "1" } else { "0" }.to_owned()]
    }
}

impl Value for u64 {
    fn read(&mut self, text: &str) -> Result<(), String> {
        number(text).map(|value| *self = value)
    }

    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

impl Value for u32 {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let value = text.parse().map_err(|_| not("a number", text));
        value.map(|value| *self = value)
    }

    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// Descriptors; −1 is none.
impl Value for i32 {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let value = text.parse().map_err(|_| not("a descriptor", text));
        value.map(|value| *self = value)
    }

    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// Seconds.
impl Value for f64 {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = match text.parse::<f64>() {
            Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => seconds,
            _ => return Err(not("a number of seconds", text)),
        };
        Ok(())
    }

    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// Names of files, and what only the other side understands.
impl Value for String {
    fn read(&mut self, text: &str) -> Result<(), String> {
        text.clone_into(self);
        Ok(())
    }

    fn write(&self) -> Vec<String> {
        vec![self.clone()]
    }
}

/// Names of files, or formulas, one each time it is given.
impl Value for Vec<String> {
    fn read(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Err("the value is empty".to_owned());
        }
        self.push(text.to_owned());
        Ok(())
    }

    fn write(&self) -> Vec<String> {
        self.clone()
    }
}

impl Value for ExitStatuses {
    fn read(&mut self, text: &str) -> Result<(), String> {
        self.add(text)
    }

    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// Without a value: none.
impl Value for Option<Cluster> {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = match text {
            "" => None,
            text => Some(text.parse()?),
        };
        Ok(())
    }

    fn write(&self) -> Vec<String> {
        vec![self.map_or(String::new(), |cluster| cluster.to_string())]
    }
}

/// A bound of preemptions; without a value, there is none.
impl Value for Option<u32> {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let wrong = |_| not("a number of preemptions", text);
        *self = match text {
            "" => None,
            text => Some(text.parse().map_err(wrong)?),
        };
        Ok(())
    }

    fn write(&self) -> Vec<String> {
        vec![self.map_or(String::new(), |bound| bound.to_string())]
    }
}

/// "'VALUE' is not WHAT".
pub(super) fn not(what: &str, value: &str) -> String {
    format!("'{value}' is not {what}")
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| not("a number", text))
}

/// A number of samples.
pub(super) fn at_least_one(text: &str) -> Result<u64, String> {
    match number(text)? {
        0 => Err(not("a number from 1 on", text)),
        n => Ok(n),
    }
}

/// Most worker processes of one check.
const WORKERS_MAX: u64 = 64;

/// A number of worker processes.
pub(super) fn workers(text: &str) -> Result<u32, String> {
    match number(text)? {
        n @ 1..=WORKERS_MAX => Ok(n as u32),
        _ => Err(not("a number of workers from 1 to 64", text)),
    }
}

/// Deepest bugs that `pct` can be told to look for (chosen: with more changes it is a random walk).
const PCT_DEPTH_MAX: u64 = 100;

/// The depth of a bug.
pub(super) fn depth(text: &str) -> Result<u32, String> {
    match number(text)? {
        n @ 1..=PCT_DEPTH_MAX => Ok(n as u32),
        _ => Err(not("a depth from 1 to 100", text)),
    }
}

/// A memory model: accepted or refused, there is one.
pub(super) fn model(text: &str) -> Result<(), String> {
    match text {
        "sc" => Ok(()),
        "tso" | "pso" | "ra" | "rc11" => Err(format!("{text}: not yet")),
        _ => Err(not("one of sc, tso, pso, ra, rc11", text)),
    }
}
