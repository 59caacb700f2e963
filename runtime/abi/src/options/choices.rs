//! Options whose values are a few words.

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All values, as the user writes them.
            pub const VALUES: &'static [&'static str] = &[$($text),+];

            /// As the user writes it.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl core::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok($name::$variant),)+
                    _ => Err(format!("'{text}' is not one of {}", Self::VALUES.join(", "))),
                }
            }
        }
    };
}

choice! {
    /// How executions are chosen.
    Search {
        /// One execution per Mazurkiewicz trace.
        Optimal = "optimal",
        /// Flanagan and Godefroid's backtrack sets with sleep sets: at least one.
        Classic = "classic",
        /// Every interleaving of visible events.
        Dfs = "dfs",
        /// Every interleaving with few preemptions, those with fewest first.
        Icb = "icb",
        /// Executions drawn at random: each thread that can go on has the same chance.
        Random = "random",
        /// The same by priorities of threads, which change at a few places.
        Pct = "pct",
        /// By priorities of events.
        Pos = "pos",
        /// Uniformly over the interleavings of some of the events.
        Surw = "surw",
        /// As `optimal`, and samples where the limits are not enough for that.
        Auto = "auto",
    }
}
choice! {
    /// How data races on plain accesses are judged.
    Races {
        /// Happens-before by C11 memory order; a race is a bug.
        C11 = "c11",
        /// Every atomic access synchronizes; a race is a bug.
        Sc = "sc",
        /// As `c11`, but races are warnings.
        Warn = "warn",
        /// No detection.
        Off = "off",
    }
}
choice! {
    /// What plain accesses are.
    Plain {
        /// Checked for races, no scheduling points.
        Check = "check",
        /// Events like atomic ones.
        Explore = "explore",
    }
}
choice! {
    /// What volatile accesses are.
    Volatile {
        /// Sequentially consistent atomic accesses.
        Atomic = "atomic",
        /// Plain accesses.
        Plain = "plain",
    }
}
choice! {
    /// How a state is taken back.
    Checkpoint {
        /// In-process copies of what changed.
        Snapshot = "snapshot",
        /// Each execution in a process of its own, forked at the root.
        Restart = "restart",
        /// Forked processes that wait.
        Fork = "fork",
        /// Snapshots, or forks once they are measured to be cheaper.
        Auto = "auto",
    }
}
impl Checkpoint {
    /// What a check with this option begins with.
    pub fn at_first(self) -> Checkpoint {
        match self {
            Checkpoint::Auto => Checkpoint::Snapshot,
            other => other,
        }
    }
}
choice! {
    /// Whose output is shown.
    Output {
        /// Of the execution with a finding, or the first execution of a verified program.
        Finding = "finding",
        /// Of every execution.
        All = "all",
        /// Of none.
        None = "none",
    }
}
choice! {
    /// What happens when main returns, or the program calls `exit`.
    MainReturn {
        /// Exit handlers and destructors run at once, while other threads run. The process ends when these have ended or wait.
        ExitHandlers = "exit-handlers",
        /// The other threads run to their end first.
        Run = "run",
        /// The process ends, as an event.
        Exit = "exit",
    }
}

choice! {
    /// Whether a search remembers states, for programs that go on for ever, and what it keeps of each.
    States {
        /// It remembers none: it explores executions.
        Off = "off",
        /// A fingerprint of 128 bits.
        Compact = "compact",
        /// All that tells it apart: memory, stacks, objects.
        Exact = "exact",
        /// Three bits, in a table of fixed size: a state may be taken for others.
        Bitstate = "bitstate",
    }
}

choice! {
    /// Which runs that go on for ever count.
    Fair {
        /// Those in which nobody who can go on from some moment on stands still for ever.
        Weak = "weak",
        /// All.
        None = "none",
    }
}

choice! {
    /// What is promised of calls that threads make at the same time, whoever stops and whenever.
    Guarantee {
        /// Nothing.
        None = "none",
        /// Who runs alone from some moment on ends its call.
        ObstructionFree = "obstruction-free",
        /// Of the threads that run somebody ends a call.
        LockFree = "lock-free",
        /// Whoever runs ends its call, by a bounded number of its own steps.
        WaitFree = "wait-free",
    }
}

impl Search {
    /// Whether executions are drawn at random: nothing is said about the others.
    pub const fn samples(self) -> bool {
        matches!(
            self,
            Search::Random | Search::Pct | Search::Pos | Search::Surw
        )
    }
}
