//! The searches: what decides which executions of a program are run.
//!
//! [`Explorer`](crate::Explorer) goes back to where the next execution is new, has the program execute steps, and says
//! how an execution ended. A [`Search`] says where that place is, which step comes next, and what an execution that
//! ended leads to. It knows the trace; it never runs a step itself.
//!
//! ```text
//!   advance ──► (next_step ──► executed)* ──► ended ──► advance …
//! ```
//!
//! Each search is a file here, and a line of the table in [`strategy`].

pub(crate) mod bounded;
pub(crate) mod classic;
pub(crate) mod dfs;
mod driven;
mod ended;
pub(crate) mod icb;
pub(crate) mod optimal;
pub(crate) mod prefixed;
pub(crate) mod replay;
pub(crate) mod sample;
pub(crate) mod steps;
pub(crate) mod strategy;
mod worker;

pub(crate) use ended::Ended;

use crate::bound::coverage::Coverage;
use crate::config::Config;
use crate::end::{Counters, Fault};
use crate::estimate::Estimate;
use crate::reversals::Reversals;
use crate::spill::Spill;
use crate::trace::Trace;
use crate::tree::Step;
use crate::Program;
use dpor_model::ThreadId;

/// What decides which executions are run.
pub(crate) trait Search: Sized {
    /// The search that `config` asks for, before its first execution. `None`: that is another one.
    ///
    /// Reductions that the search does not go with are switched off in `config`.
    fn new(config: &mut Config) -> Option<Self>;

    /// Goes on to the next execution: the number of its first events that are those of the last one, whose events
    /// `trace` has. `None`: there is none, for a worker at present.
    fn advance(&mut self, trace: &Trace) -> Option<usize>;

    /// True if [`Search::advance`] will find an execution.
    fn has_more(&self) -> bool;

    /// The thread that executes the next event of the execution, and which of its alternatives. `None`: no thread can
    /// go on, or none may.
    ///
    /// # Errors
    /// [`Fault::BadSchedule`]: the step that was asked for cannot be executed.
    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault>;

    /// Takes note that the step which [`Search::next_step`] returned was executed: it is the last event of `trace`.
    ///
    /// # Errors
    /// [`Fault::Misprediction`].
    #[inline]
    fn executed<P: Program>(
        &mut self,
        _trace: &mut Trace,
        _program: &mut P,
        _step: Step,
    ) -> Result<(), Fault> {
        Ok(())
    }

    /// Plans what the execution that just ended leads to. True if that execution is beyond the bound of preemptions:
    /// it counts as such, however it ended.
    fn ended<P: Program>(&mut self, _execution: Ended<'_>, _program: &mut P) -> bool {
        false
    }

    /// True if the search reverses races, so that it matters which events commute.
    #[inline]
    fn reduces(&self) -> bool {
        false
    }

    /// Where the races of an event are noted while it is executed, for the end of the execution.
    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        None
    }

    /// True if it is said already how the execution goes on.
    fn is_led(&self, _trace: &Trace) -> bool {
        false
    }

    /// True if the execution contains a store that was to be read and was not: it is equivalent to one that is
    /// explored elsewhere.
    fn owes_read(&self) -> bool {
        false
    }

    /// True if [`Search::next_step`] found no step because every one leads beyond the bound of preemptions.
    fn is_cut(&self) -> bool {
        false
    }

    /// Fails once the search has lost something that it needs.
    ///
    /// # Errors
    /// [`Fault::Unreadable`].
    #[inline]
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Forgets all executions; `config` is that of the search.
    fn begin_anew(&mut self, config: &Config) {
        if let Some(new) = Self::new(&mut config.clone()) {
            *self = new;
        }
    }

    /// Adds to `counters` what the search itself counts.
    fn count(&self, _counters: &mut Counters) {}

    /// True if [`Search::estimate`] has something to go by.
    fn is_estimated(&self) -> bool {
        false
    }

    /// How many executions there will have been at the end; of a worker, in its part. `trace`: the last execution.
    fn estimate(&self, _trace: &Trace) -> Option<Estimate> {
        None
    }

    /// True if the search takes [`Config::prefix`] into account.
    fn takes_prefix(&self) -> bool {
        false
    }

    /// Keeps plans within so many bytes of memory, as far as possible, and the rest in `store`.
    fn spill_to(&mut self, _store: Box<dyn Spill + Send>, _bytes: usize) {}

    /// The present bound of preemptions, if there is one.
    fn bound(&self) -> Option<u32> {
        None
    }

    /// True if there is something with more preemptions than the bound.
    fn leaves_some(&self) -> bool {
        false
    }

    /// What was reached with each bound so far, the present one last.
    fn coverage(&self) -> Vec<Coverage> {
        Vec::new()
    }
}
