//! A program that stops in the middle of a step: the search ends with a value, and shows what ran.
//!
//! The program is held as the runtime holds it (runtime/engine/src/between.rs): the engine has one
//! value, and what runs in a step has a pointer. Miri, which knows what the compiler may assume of references,
//! finds nothing wrong with that: `cargo xtask miri`. There a program takes far longer, so it is a
//! smaller one.

#[path = "../../../engine/src/between.rs"]
mod between;

use crate::interpreter::{Interpreter, Op, Threads};
use between::{Between, Shared};
use dpor_explorer::Program;
use dpor_explorer::{Config, Explorer, Fault};
use dpor_model::{Checkpoint, Decision, Executed, Next, ObjectId, Operation, ThreadId, ROOT};

/// What the engine and the fibers know.
struct Known {
    machine: Interpreter,
    /// The step that is to be made.
    next: (ThreadId, Decision),
    executed: Executed,
    /// The engine is suspended.
    suspended: bool,
    /// Steps made in all, and the one that stops the program; 0: none does.
    steps: usize,
    stops_at: usize,
    /// Threads of the steps made to their end since the program was taken back.
    ran: Vec<ThreadId>,
}

/// The program, as the engine has it.
struct Native {
    shared: &'static Shared<Known>,
    known: Between<Known>,
}

impl Native {
    fn new(threads: &Threads, stops_at: usize) -> Native {
        let shared: &'static Shared<Known> = Box::leak(Box::new(Shared::nothing()));
        shared.install(Box::new(Known {
            machine: Interpreter::new(threads),
            next: (ThreadId(0), Decision::default()),
            executed: Executed::nothing(),
            suspended: false,
            steps: 0,
            stops_at,
            ran: Vec::new(),
        }));
        // SAFETY: asked for once; `step` borrows the whole while a fiber runs.
        let known = unsafe { shared.engine() }.expect("it was installed");
        Native { shared, known }
    }

    fn machine(&mut self) -> &mut Interpreter {
        &mut self.known.get().machine
    }
}

/// What runs on a fiber: it has no reference but those that it makes itself.
fn fiber(shared: &'static Shared<Known>) {
    let known = shared.get();
    // SAFETY: the engine holds none meanwhile.
    unsafe {
        assert!(core::mem::take(&mut (*known).suspended));
        (*known).steps += 1;
        if (*known).steps == (*known).stops_at {
            (*known).executed.next = Next::Stopped;
            return;
        }
        let (thread, decision) = (*known).next;
        let machine = &mut (*known).machine;
        (*known).executed = *machine.step(thread, decision);
        let ran = &mut (*known).ran;
        ran.push(thread);
    }
}

impl Program for Native {
    fn restore(&mut self, checkpoint: Checkpoint) {
        assert_eq!(checkpoint, ROOT, "there is no other");
        self.known.get().ran.clear();
        self.machine().restore(checkpoint);
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        None
    }

    fn discard(&mut self, _: Checkpoint) {}

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        self.machine().root()
    }

    fn initialized_at_root(&mut self) -> Vec<Operation> {
        self.machine().initialized_at_root()
    }

    fn step(&mut self, thread: ThreadId, decision: Decision) -> &Executed {
        self.known.get().next = (thread, decision);
        // SAFETY: no fiber runs yet, and nobody has a reference.
        unsafe { (*self.known.pointer()).suspended = true };
        fiber(self.shared);
        &self.known.look().executed
    }

    fn trailing_writes(&self) -> &[(ObjectId, u64)] {
        self.known.look().machine.trailing_writes()
    }

    fn trailing_reads(&self) -> &[ObjectId] {
        self.known.look().machine.trailing_reads()
    }

    fn operand(&mut self) -> u64 {
        self.machine().operand()
    }

    fn peek(&mut self, cell: ObjectId) -> Option<u64> {
        self.machine().peek(cell)
    }
}

/// Runs to the end, or to the stop: how it ended, and how many executions were complete before step `k`, for
/// each k from 1 on.
fn explore(program: &mut Native, explorer: &mut Explorer) -> (Result<(), Fault>, Vec<u64>) {
    let mut before = Vec::new();
    loop {
        let complete = explorer.counters().complete;
        let outcome = explorer.next(program);
        before.resize(program.known.get().steps, complete);
        match outcome {
            Ok(Some(_)) => {}
            Ok(None) => return (Ok(()), before),
            Err(fault) => return (Err(fault), before),
        }
    }
}

/// Threads that write what others read, so that executions share beginnings.
fn program() -> Threads {
    let mut threads = vec![
        vec![Op::Store(0, 1), Op::Load(1, 0)],
        vec![Op::Store(1, 1), Op::Load(0, 1)],
    ];
    if !cfg!(miri) {
        threads.push(vec![Op::FetchAdd(0, 2, 2), Op::Load(1, 3)]);
    }
    threads
}

#[test]
fn a_stop_at_any_step_ends_the_search_with_what_ran_before_it() {
    let mut whole = Native::new(&program(), 0);
    let (end, before) = explore(&mut whole, &mut Explorer::new(Config::default()));
    assert_eq!(end, Ok(()));
    let (mut fresh, mut repeated) = (0, 0);
    for step in 1..=before.len() {
        let mut program = Native::new(&program(), step);
        let mut explorer = Explorer::new(Config::default());
        let (end, _) = explore(&mut program, &mut explorer);
        assert_eq!(end, Err(Fault::Stopped), "step {step}");
        assert_eq!(
            explorer.counters().complete,
            before[step - 1],
            "step {step}"
        );
        assert_eq!(program.known.get().steps, step, "nothing runs after it");
        // The trace is what ran; a stop while a beginning is repeated leaves all of the beginning.
        let trace: Vec<ThreadId> = explorer.schedule().iter().map(|&(t, _)| t).collect();
        let ran = &program.known.get().ran;
        assert!(trace.starts_with(ran), "step {step}: {trace:?}, {ran:?}");
        match trace.len() == ran.len() {
            true => fresh += 1,
            false => repeated += 1,
        }
        assert_eq!(explorer.next(&mut program), Ok(None), "it is over");
        assert!(!explorer.has_more());
    }
    assert!(fresh > 0 && repeated > 0, "{fresh} and {repeated}");
}
