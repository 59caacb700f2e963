//! What a search that remembers states visited (`--states`).

use crate::text::{counted, grouped};
use crate::{Object, StateGraph};
use serde::{Deserialize, Serialize};

/// Memory that differs between states at which all threads stand at the same places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Differing {
    /// The variable, or what lies at the address.
    pub object: Object,
    /// The thread on whose stack it is; none if it is on no stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<u32>,
    /// Part of the pairs of states that were compared in which it differs, in percent.
    pub share: f64,
}

impl Differing {
    /// `rounds (server.c:12) in 98 %`.
    pub fn said(&self) -> String {
        let Object {
            name, file, line, ..
        } = &self.object;
        let what = match self.stack {
            Some(thread) if name.is_empty() || name.starts_with("0x") => {
                format!("a variable on the stack of T{thread}")
            }
            _ => name.clone(),
        };
        let place = file.as_ref().map(|file| format!(" ({file}:{line})"));
        format!("{what}{} in {:.0} %", place.unwrap_or_default(), self.share)
    }
}

/// States of a program, and the steps between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct States {
    /// What is kept of a state: `compact`.
    pub keeps: String,
    /// Number of states that were met, in the last round.
    pub states: u64,
    /// Number of steps between states, in all rounds, where the search came to its end; steps that were only repeated to
    /// come back to a state do not count.
    pub steps: Option<u64>,
    /// Number of steps that were executed, those included that were repeated.
    pub steps_executed: u64,
    /// Number of rounds.
    pub rounds: u64,
    /// Number of events of the longest way by which a state was met, in the last round.
    pub depth: u64,
    /// Memory that states and steps take, in bytes.
    pub bytes: u64,
    /// True if all states were visited.
    pub complete: bool,
    /// Number of bytes that the program leaves out of states (`dpor_unmatched`).
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub unmatched_bytes: u64,
    /// Number of bytes by which the program tells states apart (`dpor_abstraction`); 0: by all of memory.
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub abstraction_bytes: u64,
    /// Number of pairs of states with the same abstraction, and other memory, of which it was looked how they go on.
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub compared: u64,
    /// True if the program looked at a clock: clocks stand still, and sleeping takes no time.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub clocks_still: bool,
    /// True if the program looked at a clock, and clocks advanced: from each state on they were as on the first way to it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub clocks_of_one_way: bool,
    /// True if main returned while other threads go on for ever: the end of the process was not reached.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub without_end: bool,
    /// What made the states differ that were met last, if the search did not come to its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<Differing>,
    /// What was asked of all runs and holds, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
    /// States and steps one by one, where they were asked for (`--graph`) and are not too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<StateGraph>,
}

impl States {
    /// The chance that two of these states were taken for one, at most: n² / 2^129 for fingerprints of 128 bits (the
    /// bound for the birthday problem).
    pub fn collision_chance(&self) -> f64 {
        (self.states as f64).powi(2) / 2_f64.powi(129)
    }

    /// ` up to hash collisions (chance below 1e-34)`, and what was left out.
    pub(crate) fn reserve(&self) -> String {
        // The next power of ten above.
        let power = self.collision_chance().log10().floor() as i32 + 1;
        let mut words = String::new();
        if self.abstraction_bytes > 0 {
            let bytes = counted(self.abstraction_bytes, "byte");
            let times = counted(self.compared, "time");
            words += &format!(" under the abstraction of {bytes} (spot-checked {times}),");
        }
        words += &format!(" up to hash collisions (chance below 1e{power})");
        if self.unmatched_bytes > 0 {
            words += &format!(", {} not matched", counted(self.unmatched_bytes, "byte"));
        }
        if self.clocks_still {
            words += ", clocks standing still";
        }
        if self.clocks_of_one_way {
            words += ", clocks as on one way to each state";
        }
        if self.without_end {
            words += ", without the end of the process";
        }
        words
    }

    /// `5,272 states, 16,344 steps, 3 rounds`.
    pub fn said(&self) -> String {
        let steps = self.steps.map(|steps| counted(steps, "step") + ", ");
        let (states, steps) = (counted(self.states, "state"), steps.unwrap_or_default());
        format!("{states}, {steps}{}", counted(self.rounds, "round"))
    }

    /// `312 states`, of a search that ended early.
    pub(crate) fn so_far(&self) -> String {
        let is_first = self.rounds <= 1;
        match is_first {
            true => counted(self.states, "state"),
            false => format!(
                "{} (round {})",
                counted(self.states, "state"),
                grouped(self.rounds)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_bounded_by_a_power_of_ten() {
        let states = |states| States {
            states,
            ..States::default()
        };
        // 1e9 states: 1e18 / 6.8e38 = 1.5e-21.
        assert_eq!(
            states(1_000_000_000).reserve(),
            " up to hash collisions (chance below 1e-20)"
        );
        let reserved = States {
            unmatched_bytes: 1,
            clocks_still: true,
            without_end: true,
            ..states(1)
        };
        assert_eq!(
            reserved.reserve(),
            " up to hash collisions (chance below 1e-38), 1 byte not matched, clocks standing still, without the end of the process"
        );
        assert!(states(1_000_000_000).collision_chance() < 1e-20);
        assert_eq!(
            states(1).reserve(),
            " up to hash collisions (chance below 1e-38)"
        );
    }
}
