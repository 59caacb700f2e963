//! Which executions count as one (`reductions`).

use super::value::not;
use core::fmt;

/// What may merge executions beyond Mazurkiewicz traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Operations that change an object alike, in whatever order.
    pub commute: bool,
    /// Writes that nobody reads.
    pub observers: bool,
    /// Counts that are compared once ([`crate::used`]).
    pub counters: bool,
    /// With `commute` and `counters`: counts that are taken, beside others that are dropped. Part of `counters` for the user;
    /// the search gives it up by itself.
    pub increments: bool,
    /// Calls of a scenario that come in another order in time (`dpor scenario`).
    pub calls: bool,
    /// Threads that do the same.
    pub symmetry: bool,
    /// Turns of loops that only looked, and found nothing that ends the loop, are left out. True unless the user asks
    /// for `every-turn`: who waits in a loop is as little an execution of its own as who waits for a mutex.
    pub turns: bool,
}

impl Reductions {
    /// Mazurkiewicz traces of what is left when turns in vain are left out.
    pub const NONE: Reductions = Reductions {
        commute: false,
        observers: false,
        counters: false,
        increments: false,
        calls: false,
        symmetry: false,
        turns: true,
    };

    /// Mazurkiewicz traces of all that happens.
    pub const NOT_EVEN_TURNS: Reductions = Reductions {
        turns: false,
        ..Reductions::NONE
    };

    /// True if each trace is an execution.
    pub fn merge_nothing(self) -> bool {
        let turns = self.turns;
        let none = Reductions::NONE;
        self == Reductions { turns, ..none }
    }

    /// Their names, as the user writes them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("commute", self.commute),
            ("observers", self.observers),
            ("counters", self.counters),
            ("calls", self.calls),
            ("symmetry", self.symmetry),
            ("every-turn", !self.turns),
        ];
        all.into_iter().filter(|r| r.1).map(|r| r.0)
    }
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions {
            commute: true,
            observers: true,
            counters: true,
            increments: true,
            calls: true,
            symmetry: false,
            turns: true,
        }
    }
}

impl core::str::FromStr for Reductions {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut reductions = Reductions::NONE;
        for name in text.split(',') {
            match name {
                "commute" => reductions.commute = true,
                "observers" => reductions.observers = true,
                "counters" => (reductions.counters, reductions.increments) = (true, true),
                "calls" => reductions.calls = true,
                "symmetry" => reductions.symmetry = true,
                "every-turn" => reductions.turns = false,
                "none" => {}
                _ => {
                    return Err(not(
                        "one of commute, observers, counters, calls, symmetry, every-turn, none",
                        name,
                    ))
                }
            }
        }
        Ok(reductions)
    }
}

impl fmt::Display for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = self.names();
        f.write_str(names.next().unwrap_or("none"))?;
        names.try_for_each(|name| write!(f, ",{name}"))
    }
}
