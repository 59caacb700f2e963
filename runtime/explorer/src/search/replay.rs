//! One execution: that of a schedule, or the one that the program itself asks for.

use super::steps::{can_execute, default_step, Choice};
use super::Search;
use crate::config::{Config, SearchKind};
use crate::end::Fault;
use crate::trace::Trace;
use crate::Program;
use dpor_model::{ThreadId, THREADS_MAX};

/// The execution of a schedule; after its end the default scheduler goes on.
pub(crate) struct Replay {
    schedule: Vec<Choice>,
}

/// The execution whose steps the program asks for ([`Program::guide`]); where it does not, the default scheduler's.
pub(crate) struct Guided;

impl Search for Replay {
    fn new(config: &mut Config) -> Option<Self> {
        match &config.search {
            SearchKind::Replay(schedule) => Some(Replay {
                schedule: schedule.clone(),
            }),
            _ => None,
        }
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        None
    }

    fn has_more(&self) -> bool {
        false
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        let wanted = self.schedule.get(trace.len()).copied();
        wanted_or_default(trace, wanted)
    }

    fn is_led(&self, trace: &Trace) -> bool {
        trace.len() < self.schedule.len()
    }
}

impl Search for Guided {
    fn new(config: &mut Config) -> Option<Self> {
        (config.search == SearchKind::Guided).then_some(Guided)
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        None
    }

    fn has_more(&self) -> bool {
        false
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        program: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        let wanted = program.guide(trace, &|thread, alternative| {
            can_execute(trace, thread, alternative)
        });
        wanted_or_default(trace, wanted)
    }
}

/// The step that is asked for; `None` asks for that of the default scheduler.
///
/// # Errors
/// [`Fault::BadSchedule`]: the step cannot be executed.
fn wanted_or_default(trace: &Trace, wanted: Option<Choice>) -> Result<Option<Choice>, Fault> {
    let default = || default_step(trace).map(|(thread, all)| (thread, all.first()));
    let Some((thread, alternative)) = wanted.or_else(default) else {
        return Ok(None);
    };
    if usize::from(thread.0) >= THREADS_MAX || !can_execute(trace, thread, alternative) {
        return Err(Fault::BadSchedule { step: trace.len() });
    }
    Ok(Some((thread, alternative)))
}
