//! The table of all searches, and the one that an explorer has.

use super::sample::Sampler;
use super::{Ended, Search};
use crate::bound::coverage::Coverage;
use crate::config::Config;
use crate::end::{Counters, Fault};
use crate::estimate::Estimate;
use crate::reversals::Reversals;
use crate::spill::Spill;
use crate::trace::Trace;
use crate::tree::Step;
use crate::worker::Partition;
use crate::Program;
use dpor_model::ThreadId;

/// Makes the enumeration of the searches from the table below, and the macro `of_each!`, with which each method of
/// [`Search`] calls that of the search there is. An enumeration and no trait object: the program is a type parameter of
/// some methods, and a call that is known can be inlined.
macro_rules! searches {
    ($dollar:tt $($name:ident($search:ty),)*) => {
        /// The search of an explorer.
        #[allow(clippy::large_enum_variant, reason = "an explorer has one, and never moves it")]
        pub(crate) enum Strategy {
            $($name($search),)*
        }

        impl Strategy {
            fn find(config: &mut Config) -> Option<Strategy> {
                None$(.or_else(|| <$search as Search>::new(config).map(Strategy::$name)))*
            }
        }

        macro_rules! of_each {
            ($dollar strategy:expr, $dollar search:ident => $dollar call:expr) => {
                match $dollar strategy {
                    $(Strategy::$name($dollar search) => $dollar call,)*
                }
            };
        }
    };
}

searches! { $
    Optimal(super::optimal::Optimal),
    Bounded(super::bounded::Bounded),
    Prefixed(super::prefixed::Prefixed),
    Worker(Partition),
    Classic(super::classic::Classic),
    Dfs(super::dfs::Dfs),
    Icb(super::icb::Icb),
    Sample(Sampler),
    Replay(super::replay::Replay),
    Guided(super::replay::Guided),
    Driven(super::driven::Driven),
}

impl Strategy {
    /// The search that `config` asks for.
    ///
    /// # Panics
    /// If no search of the table takes it.
    pub fn of(config: &mut Config) -> Strategy {
        Strategy::find(config).expect("each kind of search has one in the table")
    }

    /// The search by samples, if it is that.
    pub fn sampler(&self) -> Option<&Sampler> {
        match self {
            Strategy::Sample(sampler) => Some(sampler),
            _ => None,
        }
    }

    /// The search by samples, if it is that.
    pub fn sampler_mut(&mut self) -> Option<&mut Sampler> {
        match self {
            Strategy::Sample(sampler) => Some(sampler),
            _ => None,
        }
    }

    /// The part of the search that is one worker's, if there are several.
    pub fn partition(&self) -> Option<&Partition> {
        match self {
            Strategy::Worker(partition) => Some(partition),
            _ => None,
        }
    }

    /// The part of the search that is one worker's, to be changed, if there are several.
    pub fn partition_mut(&mut self) -> Option<&mut Partition> {
        match self {
            Strategy::Worker(partition) => Some(partition),
            _ => None,
        }
    }
}

impl Search for Strategy {
    fn new(config: &mut Config) -> Option<Self> {
        Strategy::find(config)
    }

    fn advance(&mut self, trace: &Trace) -> Option<usize> {
        of_each!(self, search => search.advance(trace))
    }

    fn has_more(&self) -> bool {
        of_each!(self, search => search.has_more())
    }

    #[inline]
    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        of_each!(self, search => search.next_step(trace, program))
    }

    #[inline]
    fn executed<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
        step: Step,
    ) -> Result<(), Fault> {
        of_each!(self, search => search.executed(trace, program, step))
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, program: &mut P) -> bool {
        of_each!(self, search => search.ended(execution, program))
    }

    #[inline]
    fn reduces(&self) -> bool {
        of_each!(self, search => search.reduces())
    }

    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        of_each!(self, search => search.reversals())
    }

    fn is_led(&self, trace: &Trace) -> bool {
        of_each!(self, search => search.is_led(trace))
    }

    fn owes_read(&self) -> bool {
        of_each!(self, search => search.owes_read())
    }

    fn is_cut(&self) -> bool {
        of_each!(self, search => search.is_cut())
    }

    fn check(&self) -> Result<(), Fault> {
        of_each!(self, search => search.check())
    }

    fn begin_anew(&mut self, config: &Config) {
        of_each!(self, search => search.begin_anew(config));
    }

    fn count(&self, counters: &mut Counters) {
        of_each!(self, search => search.count(counters));
    }

    fn is_estimated(&self) -> bool {
        of_each!(self, search => search.is_estimated())
    }

    fn estimate(&self, trace: &Trace) -> Option<Estimate> {
        of_each!(self, search => search.estimate(trace))
    }

    fn takes_prefix(&self) -> bool {
        of_each!(self, search => search.takes_prefix())
    }

    fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        of_each!(self, search => search.spill_to(store, bytes));
    }

    fn bound(&self) -> Option<u32> {
        of_each!(self, search => search.bound())
    }

    fn leaves_some(&self) -> bool {
        of_each!(self, search => search.leaves_some())
    }

    fn coverage(&self) -> Vec<Coverage> {
        of_each!(self, search => search.coverage())
    }
}
