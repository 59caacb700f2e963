//! The native program as the explorer sees it.

use crate::accesses::cells::ANYTHING;
use crate::accesses::{repeated, uninstrumented};
use crate::by_states::{dead_stack, matched, repeated_loop};
use crate::given::posix_functions::TimeOut;
use crate::given::{concerns, posix, system};
use crate::learned_events::{self, EventCause};
use crate::live_stacks::live_stacks;
use crate::native::Native;
use crate::runtime::{Point, Runtime, ACTIVE, CALL_SITE, CHANGED, SELECTOR, WRITTEN};
use crate::world::world;
use crate::{
    call_stacks, deaths, debugger, findings, first_uses, forked, journal, long_step, polled,
    properties, race_findings, refusal, signals, turn,
};
use dpor_explorer::Program;
use dpor_explorer::Trace;
use dpor_machine::fiber::x86_64::{self, switch};
use dpor_machine::{probe, sys};
use dpor_model::{
    Argument, Checkpoint, Decision, Executed, Kind, Next, ObjectId, Operation, SiteId, ThreadId,
    AGAIN, NO_OBJECT, ROOT, TIMEOUT,
};
use std::sync::atomic::Ordering;

impl Program for Native {
    fn restore(&mut self, checkpoint: Checkpoint) {
        let rt = self.rt();
        rt.exiting = false;
        rt.doubts.clear();
        rt.restored += u64::from(!rt.pristine);
        (concerns().before_restore)();
        if checkpoint == ROOT {
            if rt.is_child && !rt.pristine {
                // The search begins anew in the middle of an execution, and this process is of one alone.
                sys::exit_group(turn::LEARNT);
            }
            if !rt.pristine && forked::is_used(&rt.options) {
                forked::restore(0);
            } else if !rt.pristine {
                let snapshots = rt.snapshots.as_mut().expect("made at the root");
                let repeats = !snapshots.is_large();
                let copied = rt.restoring.time(repeats, || snapshots.restore_root());
                rt.restoring.copied(copied, true);
                (concerns().after_restore)();
            }
            repeated::forget_told();
            rt.judging.restore(&mut rt.races, 0, true);
            rt.depth = 0;
            call_stacks::execution_begins();
            first_uses::execution_begins();
            journal::stand(0);
            rt.output.rewind(None);
            rt.findings.rewind(None);
        } else {
            let point = rt.saved[checkpoint.0 as usize - 1]
                .as_ref()
                .expect("the explorer restores what it holds");
            match &point.memory {
                Some(memory) => {
                    let snapshots = rt.snapshots.as_mut().expect("made at the root");
                    let repeats = !snapshots.is_large();
                    let copied = rt.restoring.time(repeats, || snapshots.restore(memory));
                    rt.restoring.copied(copied, false);
                    (concerns().after_restore)();
                }
                None => forked::restore(checkpoint.0 as usize),
            }
            // In another process, perhaps.
            repeated::forget_told();
            rt.judging.restore(&mut rt.races, point.depth, false);
            rt.depth = point.depth;
            journal::stand(rt.depth);
            rt.output.rewind(Some(point.output));
            rt.findings.rewind(Some(point.findings));
        }
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        let rt = self.rt();
        let forks = forked::is_used(&rt.options);
        rt.judging.stand(&mut rt.races, rt.depth);
        if !rt.judging.pin(rt.depth) {
            return None;
        }
        let memory = match forks {
            true => None,
            false if rt.is_child || !(concerns().can_checkpoint)() => return None,
            false => {
                let stacks = live_stacks(rt)?;
                let snapshots = rt.snapshots.as_mut()?;
                Some(rt.restoring.time_taking(|| snapshots.take(&stacks)))
            }
        };
        rt.taken += 1;
        rt.bytes_taken += memory
            .as_ref()
            .map_or(0, |memory| memory.bytes_copied() as u64);
        let point = Point {
            memory,
            depth: rt.depth,
            output: rt.output.position(),
            findings: rt.findings.position(),
        };
        rt.bytes_held += point.bytes();
        let free = rt
            .saved
            .iter()
            .position(Option::is_none)
            .unwrap_or_else(|| {
                rt.saved.push(None);
                rt.saved.len() - 1
            });
        rt.saved[free] = Some(point);
        if forks {
            forked::take(free + 1);
        }
        Some(Checkpoint(free as u32 + 1))
    }

    fn discard(&mut self, checkpoint: Checkpoint) {
        let rt = self.rt();
        let gone = rt.saved[checkpoint.0 as usize - 1].take();
        rt.bytes_held -= gone.map_or(0, |point| point.bytes());
    }

    #[inline]
    fn will_repeat(&mut self, events: usize) {
        self.rt().judging.will_repeat(events);
    }

    #[inline]
    fn repeated(&mut self, events: usize) {
        self.rt().judging.repeated();
        self.rt().restoring.repeated(events);
    }

    fn checkpoints_exceed(&self) -> bool {
        let rt = self.look();
        let shared = rt
            .snapshots
            .as_ref()
            .map_or(0, |snapshots| snapshots.bytes_shared() as u64);
        rt.bytes_held + shared > rt.options.checkpoint_memory
    }

    fn restore_weighs(&self) -> u32 {
        self.look().restoring.weighs()
    }

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        vec![(ThreadId::MAIN, self.rt().root)]
    }

    fn initialized_at_root(&mut self) -> Vec<Operation> {
        let mut all = Vec::new();
        (concerns().initialized)(&mut all);
        all
    }

    fn step(&mut self, thread: ThreadId, decision: Decision) -> &Executed {
        // SAFETY: the world is mapped from the root on; no fiber runs.
        let site = unsafe { (*world()).threads[thread.0 as usize].fiber.site };
        if let Some(kind) = begin_step(self.rt(), thread, decision) {
            let used = (kind == Kind::Channel).then(|| system().standing(thread));
            if self.rt().deaths.is_none() {
                resume(self, thread);
                uninstrumented::end_step(thread);
            } else if !deaths::before_step(self.rt(), thread, kind) {
                resume(self, thread);
                uninstrumented::end_step(thread);
                deaths::after_step(self.rt(), thread, kind);
            }
            end_step(self.rt(), used);
            properties::step_ended(self.rt(), thread, site);
            repeated_loop::step_ended(self.rt());
        }
        &self.look().executed
    }

    fn peek(&mut self, cell: ObjectId) -> Option<u64> {
        probe::word((cell.0 & !7) as usize)
    }

    fn turn_began(&mut self) -> u32 {
        self.rt().turn_began
    }

    fn judge_looks(&mut self, may_come_first: &dyn Fn(ThreadId, usize) -> bool) {
        for (thread, doubt) in core::mem::take(&mut self.rt().doubts) {
            if may_come_first(thread, doubt.event as usize) {
                race_findings::race_of_look(self.rt(), &doubt.race);
            }
        }
    }

    fn makes_progress(&mut self, thread: ThreadId, since: usize) -> bool {
        posix().is_marked(thread, since)
    }

    fn turn_reads(&mut self) -> bool {
        self.rt().turn_reads
    }

    fn watch(&mut self, cells: &[ObjectId]) {
        for cell in cells {
            crate::accesses::cells::note_exchange((cell.0 & !7) as usize, 8);
        }
        polled::watch(self.rt(), cells);
    }

    fn parked_unaware(&mut self) {
        learned_events::learn(EventCause::WaitsAgain);
    }

    fn guide(
        &mut self,
        trace: &Trace,
        can: &dyn Fn(ThreadId, u32) -> bool,
    ) -> Option<(ThreadId, u32)> {
        self.rt().guide.as_mut()?.next(trace, can)
    }

    fn fingerprint(&mut self) -> Option<u128> {
        matched::fingerprint(self.rt())
    }

    fn take_progress(&mut self) -> bool {
        core::mem::take(&mut self.rt().progress)
    }

    fn place(&mut self, thread: ThreadId) -> u64 {
        matched::place(thread)
    }

    fn operand(&mut self) -> u64 {
        self.rt().operand
    }

    fn passed(&self) -> &[Operation] {
        &self.look().passed
    }

    fn trailing_writes(&self) -> &[(ObjectId, u64)] {
        &self.look().trailing
    }

    fn trailing_reads(&self) -> &[ObjectId] {
        &self.look().trailing_reads
    }
}

/// A thread is about to make a step. `None`: no fiber runs in it, and it has ended; otherwise what it does.
#[inline(always)]
fn begin_step(rt: &mut Runtime, thread: ThreadId, decision: Decision) -> Option<Kind> {
    let t = thread.0 as usize;
    rt.pristine = false;
    rt.serial += 1;
    rt.current = thread;
    rt.decision = decision;
    if rt.is_replay() {
        debugger::goes_on(rt, decision.alternative != AGAIN);
    }
    rt.passed.clear();
    rt.told_races.step_begins();
    rt.trailing_cells.clear();
    rt.trailing.clear();
    rt.read.clear();
    if uninstrumented::begin_step(thread, rt.observers) {
        rt.read.push(ANYTHING);
    }
    rt.trailing_reads.clear();
    // SAFETY: the world is mapped from the root on; the engine looks between two steps, when no fiber runs.
    let (kind, argument, doomed) = unsafe {
        let fiber = &raw const (*world()).threads[t].fiber;
        let doomed = (*world()).engine.doomed.contains(thread);
        (kind_of((*fiber).pending), (*fiber).argument, doomed)
    };
    let is_passive = kind.is_passive(argument) && decision.alternative != TIMEOUT;
    if decision.alternative != AGAIN {
        call_stacks::step_begins();
    }
    if is_passive || decision.alternative == AGAIN {
        journal::passive(thread);
    } else {
        rt.judging.stand(&mut rt.races, rt.depth);
        rt.depth += 1;
        journal::event(rt.depth, thread, decision.alternative);
    }
    if decision.alternative == TIMEOUT {
        match posix().time_out() {
            TimeOut::Happens | TimeOut::Looks => {}
            TimeOut::Impossible => {
                rt.executed.next = Next::Dead;
                return None;
            }
        }
    }
    if kind == Kind::Exit && doomed {
        if rt.is_replay() {
            debugger::step_of_engine();
        }
        findings::doom(rt, thread);
        rt.executed.next = Next::Ended;
        return None;
    }
    match kind {
        Kind::Create => create(rt, argument.as_thread()),
        // Until its first call a thread stands where it was created.
        Kind::Start => CALL_SITE.set(SiteId(argument.as_program_says())),
        _ => {}
    }
    Some(kind)
}

/// A fiber ran. `used`: the channel that the step was about.
#[inline(always)]
fn end_step(rt: &mut Runtime, used: Option<u16>) {
    if matches!(rt.executed.next, Next::Stopped) {
        refusal::add_place(rt);
        return;
    }
    if rt.races.is_torn() {
        // The search begins anew. Of several processes each knows only whether any page was torn.
        if rt.worker.is_some() {
            rt.races.judge_whole_pages(false);
        }
        rt.executed.next = Next::Stopped;
        return;
    }
    if let Some(used) = used {
        rt.executed.after[0] = system().levels_of(used);
    }
    let is_mapped = !rt.trailing_cells.is_empty() && (concerns().can_checkpoint)();
    for k in 0..rt.trailing_cells.len() {
        let (address, bytes) = rt.trailing_cells[k];
        let cell = address >> 3;
        let value = match is_mapped {
            // SAFETY: the program wrote to this cell in this step.
            true => unsafe { core::ptr::read_unaligned((cell << 3) as *const u64) },
            // It may have unmapped it, too.
            false => probe::word((cell << 3) as usize).unwrap_or(0),
        };
        // Not of what else is in the cell: others may have written that.
        let written = rt.blocks.of_bytes(address, bytes);
        rt.trailing.extend(written.map(|object| (object, value)));
    }
    for k in 0..rt.read.len() {
        match rt.read[k] {
            ANYTHING => rt.trailing_reads.push(NO_OBJECT),
            (address, bytes) => rt.trailing_reads.extend(rt.blocks.of_bytes(address, bytes)),
        }
    }
}

/// Lets a fiber run until it publishes its next operation, ends, or stops the check.
fn resume(native: &mut Native, thread: ThreadId) {
    let rt = native.rt();
    let (pointer, is_replay) = (rt.thread_pointer_of(thread), rt.is_replay());
    long_step::begin(thread);
    WRITTEN.store(false, Ordering::Relaxed);
    CHANGED.store(false, Ordering::Relaxed);
    let epoch = { rt.judging.is_on() }.then(|| rt.races.epoch(thread));
    repeated::step_begins(thread, epoch);
    let is_by_states = rt.options.is_by_states();
    if is_by_states {
        // SAFETY: the world is mapped; no fiber runs.
        let suspended = unsafe { (*world()).threads[thread.0 as usize].fiber.stack_pointer };
        dead_stack::forget_of(thread, suspended);
    }
    // SAFETY: the fiber is suspended; it or a signal handler comes back here. Meanwhile it has all that the
    // runtime knows: `native` is borrowed, and this function holds a pointer. Its thread pointer is
    // its own, and stays after it: the engine uses no thread-local storage in a search step.
    unsafe {
        let mut load = (*world()).threads[thread.0 as usize].fiber.stack_pointer;
        if is_replay {
            load = debugger::entered(load);
        }
        ACTIVE.store(true, Ordering::Relaxed);
        SELECTOR.store(1, Ordering::Relaxed);
        // Changing it costs as much as the rest of a switch. The engine needs its own only outside
        // of a search step (`own_storage`).
        if x86_64::thread_pointer() != pointer {
            x86_64::set_thread_pointer(pointer);
        }
        if is_by_states {
            dead_stack::forget_vectors();
        }
        switch(&raw mut (*native.0.pointer()).engine_stack_pointer, load);
    }
    signals::refuse_alignment_check();
    SELECTOR.store(0, Ordering::Relaxed);
    ACTIVE.store(false, Ordering::Relaxed);
}

/// Prepares the fiber of a thread that is being created.
fn create(rt: &mut Runtime, child: ThreadId) {
    let area = rt.area(child);
    area.reset();
    // SAFETY: the area is unused: the number was never given or its owner was joined. No fiber runs.
    unsafe {
        // POSIX (pthread_create): the floating-point environment is inherited from the creator.
        let creator = &raw const (*world()).threads[rt.current.0 as usize].fiber;
        let fiber = &raw mut (*world()).threads[child.0 as usize].fiber;
        let control = x86_64::control_of((*creator).stack_pointer);
        let body = crate::perform::fiber_body;
        let pointer = x86_64::prepare(area.stack_top, body, child.0 as usize, control);
        (*fiber).stack_pointer = pointer;
        (*fiber).pending = Kind::Start as u8;
        (*fiber).argument = Argument::of_program((*creator).site.0);
        (*world()).engine.live.insert(child);
        if (*fiber).inside != 0 {
            (*fiber).inside = 0;
        }
    }
}

/// The kind with a number, of those in whose case something is to be done; of others
/// [`Kind::Load`]. The number may be anything: the program can overwrite it.
fn kind_of(number: u8) -> Kind {
    const ASKED: [Kind; 12] = [
        Kind::Start,
        Kind::Create,
        Kind::Exit,
        Kind::Pause,
        Kind::Join,
        Kind::JoinAll,
        Kind::MainReturn,
        Kind::ProcessEnd,
        Kind::Choose,
        Kind::BarrierLeave,
        Kind::FutexWoken,
        Kind::Channel,
    ];
    const KINDS: [Kind; 256] = {
        let mut kinds = [Kind::Load; 256];
        let mut k = 0;
        while k < ASKED.len() {
            kinds[ASKED[k] as usize] = ASKED[k];
            k += 1;
        }
        kinds
    };
    KINDS[usize::from(number)]
}
