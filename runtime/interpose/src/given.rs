//! What the engine asks of the parts above it, and who answers ([`engine::given`]).

use crate::cxx::lock_all;
use crate::engine::given::posix_functions::{Posix, TimeOut};
use crate::engine::given::several_processes::Several;
use crate::engine::given::stand_ins::System;
use crate::engine::given::Given;
use crate::engine::runtime::Runtime;
use crate::engine::searching::{Engine, Searching};
use crate::libc::overlay::{commit, mapped, window};
use crate::libc::{
    channel, fault_handlers, mapping, opaque, signals, syscalls, system_call_signal, time, timers,
};
use crate::pthread::{self, cancel, entry, join, possible_end, signal, time_out};
use crate::state::Kept;
use crate::{concerns, progress};
use crate::{engine, workers};
use core::ffi::{c_int, c_void};
use dpor_abi::options::Options;
use dpor_explorer::End;
use dpor_machine::snapshot::Range;
use dpor_model::{Decision, Operation, SiteId, ThreadId};
use dpor_report::OpaqueCall;

/// All parts above the engine.
pub static GIVEN: Kept<Given> = Kept::new(Given {
    concerns: &concerns::ALL,
    posix: &PosixFunctions,
    system: &StandIns,
    several: &Workers,
    make_root: engine::root::make,
});

struct PosixFunctions;

impl Posix for PosixFunctions {
    fn run(&self, thread: ThreadId) {
        pthread::thread::run(thread);
    }

    fn before_operation(&self, operation: &Operation) -> Option<Decision> {
        cancel::refuse(operation);
        signal::deliver::look(operation);
        signal::late::wait_on(operation)
    }

    fn may_leave_at(&self, site: SiteId) {
        cancel::anywhere(site);
    }

    fn is_cancelled_anywhere(&self) -> bool {
        cancel::is_anywhere()
    }

    fn time_out(&self) -> TimeOut {
        time_out::time_out()
    }

    fn wait_for_ever(&self, target: ThreadId, site: SiteId) -> Operation {
        join::never(target, site)
    }

    fn start(&self, thread: ThreadId) -> Option<usize> {
        // SAFETY: the entry lies in the world, which is mapped; this is a plain read between two steps.
        unsafe { (*entry(thread)).start }.map(|start| start as usize)
    }

    fn predecessors(&self, thread: ThreadId) -> u32 {
        // SAFETY: the entry lies in the world, which is mapped; this is a plain read between two events.
        unsafe { (*entry(thread)).predecessors }
    }

    fn created_at(&self, thread: ThreadId) -> Option<SiteId> {
        pthread::thread::created_at(thread)
    }

    fn is_marked(&self, thread: ThreadId, since: usize) -> bool {
        progress::is_marked(thread, since)
    }

    fn is_endless(&self, thread: ThreadId, since: usize) -> bool {
        progress::is_endless(thread, since)
    }

    fn left_out(&self) -> Option<String> {
        lock_all::left_out()
    }

    fn with_waits(&self, search: &Searching, end: &End) -> End {
        possible_end::with_waits(search, end)
    }

    fn stuck(&self, search: &Searching, end: &End) -> Vec<ThreadId> {
        possible_end::stuck(search, end)
    }

    fn is_timer_wasted(&self, end: &End) -> bool {
        possible_end::is_timer_wasted(end)
    }

    fn undecided(
        &self,
        rt: &Runtime,
        search: &Searching,
        end: &End,
        stuck: &[ThreadId],
    ) -> Option<&'static str> {
        possible_end::undecided(rt, search, end, stuck)
    }
}

struct StandIns;

impl System for StandIns {
    fn answer_system_call(&self, information: &::libc::siginfo_t, context: *mut c_void) {
        system_call_signal::answer(information, context);
    }

    fn catches_fault(&self, registers: &mut [i64; 23]) -> bool {
        syscalls::fault::catch(registers)
    }

    fn takes_fault(
        &self,
        signal: c_int,
        information: *const ::libc::siginfo_t,
        context: *mut c_void,
        overflow: bool,
    ) -> bool {
        fault_handlers::takes(signal, information, context, overflow)
    }

    fn is_beyond_file(&self, address: usize) -> bool {
        mapped::is_beyond_end(address)
    }

    fn action_at_root(&self, signal: c_int) -> usize {
        signals::action_at_root(signal)
    }

    fn alternate_stack_at_root(&self) -> usize {
        signals::alternate_stack_at_root()
    }

    fn now(&self) -> i64 {
        time::now(::libc::CLOCK_MONOTONIC)
    }

    fn has_clock_at(&self, address: usize) -> Option<ThreadId> {
        time::has_clock_at(address)
    }

    fn standing(&self, thread: ThreadId) -> u16 {
        channel::standing(thread)
    }

    fn levels_of(&self, standing: u16) -> u64 {
        channel::levels_of(standing)
    }

    fn may_interrupt(&self) -> bool {
        timers::may_interrupt()
    }

    fn is_mapped(&self, address: usize) -> bool {
        mapping::contains(address, 1)
    }

    fn mappings(&self) -> Vec<Range> {
        mapping::mappings().collect()
    }

    fn begins_files(&self, address: usize) -> bool {
        address == window::of(0)
    }

    fn keep_files(&self) {
        commit::keep();
    }

    fn write_files(&self) -> Result<(), String> {
        commit::write()
    }

    fn opaque_calls(&self) -> Vec<OpaqueCall> {
        opaque::report()
    }
}

struct Workers;

impl Several for Workers {
    fn read_left(&self, options: &Options) -> Result<Option<String>, String> {
        workers::read_left(options)
    }

    fn are_due_at_once(&self, rt: &Runtime) -> bool {
        workers::are_due_at_once(rt)
    }

    fn are_due(&self, rt: &Runtime) -> bool {
        workers::are_due(rt)
    }

    fn explore(&self, engine: &mut Engine) -> bool {
        workers::explore(engine)
    }

    fn leave(&self, engine: &mut Engine) -> ! {
        workers::leave(engine)
    }

    fn all(&self, rt: &Runtime) -> u32 {
        workers::all(rt)
    }
}
