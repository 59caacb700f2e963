//! What a search that remembers states visited (`--states`).

use crate::text::{counted, grouped};
use crate::{Image, Object, StateGraph};
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
    /// Memory and stacks in a state of such a pair, for the driver to name the object, which takes it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub image: Option<Box<Image>>,
}

impl Differing {
    /// `rounds (server.c:12) in 98 %`, `last (server.c:30), on the stack of T1, in 40 %`.
    pub fn said(&self) -> String {
        let Object {
            name, file, line, ..
        } = &self.object;
        let is_named = !name.is_empty() && !name.starts_with("0x");
        let (what, where_it_is) = match (self.stack, is_named) {
            (Some(thread), true) => (name.clone(), format!(", on the stack of T{thread},")),
            (Some(thread), false) => (
                format!("a variable on the stack of T{thread}"),
                String::new(),
            ),
            (None, _) => (name.clone(), String::new()),
        };
        let place = file.as_ref().map(|file| format!(" ({file}:{line})"));
        let place = place.unwrap_or_default();
        format!("{what}{place}{where_it_is} in {:.0} %", self.share)
    }

    /// `leave it out with dpor_unmatched(&rounds, sizeof rounds)?`, of a variable that the program can name everywhere; empty
    /// of others.
    pub(crate) fn advice(&self) -> String {
        let Object { name, file, .. } = &self.object;
        let is_variable = |c: char| c.is_ascii_alphanumeric() || "_.[]:".contains(c);
        match self.stack.is_none() && file.is_some() && name.chars().all(is_variable) {
            true => format!("leave it out with dpor_unmatched(&{name}, sizeof {name})?"),
            false => String::new(),
        }
    }
}

/// How sure it is that no state was taken for others, where only bits of each are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bits {
    /// Estimate of the share of states that were taken for others: the chance that a state that is new would be, measured at
    /// the end. What lies behind them only was not visited either.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub taken_for_others: f64,
    /// True if all states that were met were visited.
    pub finished: bool,
}

/// States of a program, and the steps between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct States {
    /// What is kept of a state: `compact`, `exact`, `bitstate`.
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
    /// Memory that states and steps take, in bytes, with what is kept of pages and stacks.
    pub bytes: u64,
    /// True if all states were visited.
    pub complete: bool,
    /// How sure it is that no state was taken for others, if only bits of each were kept (`bitstate`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<Bits>,
    /// Number of bytes that the program leaves out of states (`dpor_unmatched`).
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub unmatched_bytes: u64,
    /// Number of bytes by which the program tells states apart (`dpor_abstraction`); 0: by all of memory.
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub abstraction_bytes: u64,
    /// True if nothing else tells states apart, not even where threads stand (`dpor_abstraction_all`).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub abstraction_alone: bool,
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

    fn is_exact(&self) -> bool {
        self.keeps == "exact"
    }

    /// ` up to hash collisions (chance below 1e-34)`, and what was left out.
    pub(crate) fn reserve(&self) -> String {
        let under = self.under_abstraction();
        if self.is_exact() {
            return under + &self.left_out();
        }
        // The next power of ten above.
        let power = self.collision_chance().log10().floor() as i32 + 1;
        let comma = if under.is_empty() { "" } else { "," };
        let collisions = format!(" up to hash collisions (chance below 1e{power})");
        under + comma + &collisions + &self.left_out()
    }

    /// ` under the abstraction of 16 bytes (spot-checked 212 times)`.
    fn under_abstraction(&self) -> String {
        let bytes = counted(self.abstraction_bytes, "byte");
        let times = counted(self.compared, "time");
        let alone = if self.abstraction_alone { " alone" } else { "" };
        match self.abstraction_bytes {
            0 if !self.abstraction_alone => String::new(),
            _ => format!(" under the abstraction of {bytes}{alone} (spot-checked {times})"),
        }
    }

    /// What was left out of states, or stood still.
    fn left_out(&self) -> String {
        let mut words = String::new();
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

    /// `98,765,432 states`, and `bits of 2 GB, 174 for each state; about 0.0005 % were taken for others. Not a proof`, of a
    /// search that kept bits.
    pub(crate) fn sifted(&self) -> Option<(String, String)> {
        let bits = self.bits.as_ref()?;
        let states = counted(self.states, "state") + &self.left_out();
        let each = 8 * self.bytes / self.states.max(1);
        let share = percent(bits.taken_for_others);
        let said = format!(
            "bits of {}, {} for each state; {share} were taken for others. Not a proof",
            size(self.bytes),
            grouped(each)
        );
        Some((states, said))
    }

    /// `5,272 states, compared exactly`.
    pub(crate) fn counted(&self) -> String {
        let exactly = if self.is_exact() {
            ", compared exactly"
        } else {
            ""
        };
        counted(self.states, "state") + exactly
    }

    /// `5,272 states, 16,344 steps, 3 rounds`.
    pub fn said(&self) -> String {
        let steps = self.steps.map(|steps| counted(steps, "step") + ", ");
        let (states, steps) = (counted(self.states, "state"), steps.unwrap_or_default());
        let exactly = match self.is_exact() {
            true => " (compared exactly)",
            false => "",
        };
        format!(
            "{states}, {steps}{}{exactly}",
            counted(self.rounds, "round")
        )
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

/// `about 0.0005 %`, with one digit that says something; `below 1e-9 %` where it is of no interest.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if percent < 1e-9 => "below 1e-9 %".to_owned(),
        _ if percent >= 1.0 => format!("about {percent:.0} %"),
        _ => {
            let digits = (-percent.log10()).ceil() as usize;
            format!("about {percent:.digits$} %")
        }
    }
}

/// `2 GB`, `1.5 MB`, in powers of 1,024.
fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    let text = format!("{size:.1}");
    format!("{} {}", text.trim_end_matches(".0"), units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_exactly_has_no_chance_of_a_collision() {
        let states = States {
            keeps: "exact".to_owned(),
            states: 5_272,
            steps: Some(16_344),
            rounds: 3,
            clocks_still: true,
            ..States::default()
        };
        assert_eq!(states.reserve(), ", clocks standing still");
        let said = "5,272 states, 16,344 steps, 3 rounds (compared exactly)";
        assert_eq!(states.said(), said);
    }

    #[test]
    fn bits_are_no_proof() {
        let states = States {
            keeps: "bitstate".to_owned(),
            states: 98_765_432,
            bytes: 2 << 30,
            bits: Some(Bits {
                taken_for_others: 5.1e-6,
                finished: true,
            }),
            ..States::default()
        };
        // 2^34 bits / 98,765,432 = 173.9.
        let said =
            "bits of 2 GB, 173 for each state; about 0.0005 % were taken for others. Not a proof";
        let expected = ("98,765,432 states".to_owned(), said.to_owned());
        assert_eq!(states.sifted(), Some(expected));
        assert_eq!(States::default().sifted(), None);
        let shares = [
            (0.25, "about 25 %"),
            (0.004, "about 0.4 %"),
            (0.0, "below 1e-9 %"),
        ];
        for (share, said) in shares {
            assert_eq!(percent(share), said);
        }
        assert_eq!(
            (size(1_536), size(1 << 20)),
            ("1.5 kB".to_owned(), "1 MB".to_owned())
        );
    }

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
