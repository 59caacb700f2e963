//! Small random programs with signals that only a time-out leads to, and all that may come of them.
//!
//! The machine here knows nothing of the checker's events: it takes every step of every thread in every order, and
//! merges equal states. Between two operations a thread looks whether a signal is pending; what comes after that
//! reaches it in the operation, if it blocks there, or at its next look. The same signal is pending once. Its handler
//! stores what it finds in `x` in the thread's log and may post; another one begins when it has ended. A `sem_wait`
//! fails if a handler ran in it while there was no count, unless calls are begun anew (one with a limit never is).
//! A time-out comes where nothing else can go on.
//!
//! Source: signal(7), pthread_kill(3); decisions 0025 and 0046.

use crate::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Number of the semaphores that programs use, and of mutexes: that of main, and that of the condition variable.
const OBJECTS: usize = 2;
/// Index of the condition variable's mutex.
const MUTEX: usize = 1;

/// Values that a thread notes: a wait that got a count, that was interrupted, that gave up. Values of `x` are below.
const GOT: i64 = 8;
const INTERRUPTED: i64 = 9;
const GAVE_UP: i64 = 7;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Post(usize),
    Wait(usize),
    TimedWait(usize),
    /// A wait in vain, with a time limit.
    Vain,
    Lock(usize),
    Unlock(usize),
    /// The two halves of a wait on the condition variable.
    Enqueue,
    Reacquire,
    Signal,
    Store(i64),
    Load,
    Kill(usize),
    Join(usize),
    End,
}

/// A program: main is thread 0.
#[derive(Clone, Debug)]
pub struct Program {
    threads: Vec<Vec<Op>>,
    /// Main holds mutex 0 from before there are others.
    locked: bool,
    restarts: bool,
    /// What the handler posts.
    posts: Option<usize>,
}

impl Program {
    /// The number of threads of the program, main included.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let random = &mut Random(seed);
    let workers = 1 + (random.below(3) / 2) as usize;
    let mut threads = vec![Vec::new()];
    for thread in 1..=workers {
        let pieces = (0..1 + random.below(2)).map(|_| piece(random, thread));
        threads.push(pieces.collect::<Vec<_>>().concat());
    }
    let locked = random.below(10) < 4;
    let victim = |random: &mut Random| Op::Kill(1 + random.below(workers as u64) as usize);
    let mut main = vec![Op::Vain, victim(random)];
    for value in 1..=1 + random.below(4) as i64 {
        match random.below(100) {
            0..35 => main.push(Op::Post(random.below(2) as usize)),
            35..68 => main.push(Op::Store(value)),
            68..78 => main.push(victim(random)),
            78..86 => main.push(Op::Vain),
            86..92 => main.extend([Op::Lock(MUTEX), Op::Signal, Op::Unlock(MUTEX)]),
            92..96 => main.push(Op::Wait(random.below(2) as usize)),
            _ => main.push(Op::Load),
        }
    }
    if random.below(10) < 6 {
        main.extend([0, 0, 1, 1].map(Op::Post));
    }
    if locked && random.below(20) < 17 {
        let place = 1 + random.below(main.len() as u64) as usize;
        main.insert(place, Op::Unlock(0));
    }
    main.extend((1..=workers).map(Op::Join));
    threads[0] = main;
    Program {
        threads,
        locked,
        restarts: random.below(2) == 0,
        posts: [None, None, Some(0), Some(1)][random.below(4) as usize],
    }
}

fn piece(random: &mut Random, thread: usize) -> Vec<Op> {
    let object = random.below(2) as usize;
    match random.below(100) {
        0..45 => vec![Op::Wait(object)],
        45..58 => vec![Op::Lock(0), Op::Unlock(0)],
        58..68 => vec![Op::Lock(0), Op::Load, Op::Unlock(0)],
        68..73 => vec![Op::Load],
        73..85 => vec![
            Op::Lock(MUTEX),
            Op::Enqueue,
            Op::Reacquire,
            Op::Unlock(MUTEX),
        ],
        // It knows those that were created before it.
        85..89 if thread > 1 => vec![Op::Kill(thread - 1)],
        89..92 => vec![Op::Vain],
        _ => vec![Op::TimedWait(object)],
    }
}

const PRELUDE: &str = r"#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static sem_t never, counts[2];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_t threads[3];
static atomic_int x;
static long logs[3];
static int posts = -1;
static _Thread_local int me;

static void note(int value) { logs[me] = logs[me] * 10 + value; }

static void handler(int signal) {
    int error = errno, value = x;
    (void)signal;
    note(value);
    if (posts >= 0) sem_post(&counts[posts]);
    errno = error;
}

static int wait_limited(sem_t *semaphore) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    return sem_timedwait(semaphore, &until) == 0 ? 8 : errno == EINTR ? 9 : 7;
}
";

/// The C text of programs; number `i` runs with argument `i`. Logs are observed as `l0`, `l1`, `l2`.
pub fn text(programs: &[Program]) -> String {
    let mut text = PRELUDE.to_owned();
    for (number, program) in programs.iter().enumerate() {
        for (thread, ops) in program.threads.iter().enumerate().skip(1) {
            let _ = writeln!(
                text,
                "\nstatic void *work_{number}_{thread}(void *unused) {{\n    me = {thread};"
            );
            ops.iter().for_each(|&op| statement(op, &mut text));
            text.push_str("    return unused;\n}\n");
        }
        let _ = writeln!(text, "\nstatic void main_{number}(void) {{");
        let flags = if program.restarts { "SA_RESTART" } else { "0" };
        let _ = writeln!(
            text,
            "    struct sigaction action = {{.sa_handler = handler, .sa_flags = {flags}}};"
        );
        let posts = program.posts.map_or(-1, |object| object as i64);
        let _ = writeln!(
            text,
            "    sigaction(SIGUSR1, &action, 0);\n    posts = {posts};"
        );
        if program.locked {
            statement(Op::Lock(0), &mut text);
        }
        for thread in 1..program.threads.len() {
            let _ = writeln!(
                text,
                "    pthread_create(&threads[{thread}], 0, work_{number}_{thread}, 0);"
            );
        }
        program.threads[0]
            .iter()
            .for_each(|&op| statement(op, &mut text));
        text.push_str("}\n");
    }
    text.push_str("\nint main(int count, char **arguments) {\n    if (count < 2) return 2;\n");
    text.push_str("    sem_init(&never, 0, 0);\n    for (int i = 0; i < 2; i++) sem_init(&counts[i], 0, 0);\n");
    text.push_str("    switch (atoi(arguments[1])) {\n");
    for number in 0..programs.len() {
        let _ = writeln!(text, "    case {number}: main_{number}(); break;");
    }
    text.push_str("    }\n");
    for thread in 0..3 {
        let _ = writeln!(text, "    dpor_observe(\"l{thread}\", logs[{thread}]);");
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn statement(op: Op, text: &mut String) {
    let _ = match op {
        Op::Post(o) => writeln!(text, "    sem_post(&counts[{o}]);"),
        Op::Wait(o) => writeln!(
            text,
            "    {{ int failed = sem_wait(&counts[{o}]); note(failed ? 9 : 8); }}"
        ),
        Op::TimedWait(o) => writeln!(
            text,
            "    {{ int how = wait_limited(&counts[{o}]); note(how); }}"
        ),
        Op::Vain => writeln!(text, "    wait_limited(&never);"),
        Op::Lock(o) => writeln!(text, "    pthread_mutex_lock(&mutexes[{o}]);"),
        Op::Unlock(o) => writeln!(text, "    pthread_mutex_unlock(&mutexes[{o}]);"),
        Op::Enqueue => writeln!(text, "    pthread_cond_wait(&condition, &mutexes[1]);"),
        Op::Reacquire | Op::End => Ok(()),
        Op::Signal => writeln!(text, "    pthread_cond_signal(&condition);"),
        Op::Store(value) => writeln!(text, "    x = {value};"),
        Op::Load => writeln!(text, "    {{ int value = x; note(value); }}"),
        Op::Kill(thread) => writeln!(text, "    pthread_kill(threads[{thread}], SIGUSR1);"),
        Op::Join(thread) => writeln!(text, "    pthread_join(threads[{thread}], 0);"),
    };
}

/// Where a thread stands with its operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    BeforeLook,
    Looked,
    Blocked,
}

/// The step of a thread whose handler has ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum After {
    /// The thread begins its operation again.
    Again,
    /// The thread's operation failed, which it notes.
    Failed,
    /// The thread's operation failed, which it does not note.
    Over,
}

/// The next step of a handler.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Loads,
    Posts,
    Ends,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    at: usize,
    phase: Phase,
    pending: bool,
    handler: Option<(Stage, After)>,
    log: i64,
}

impl Thread {
    /// Goes on to the thread's next operation.
    fn advance(&mut self) {
        self.at += 1;
        self.phase = Phase::BeforeLook;
    }

    fn note(&mut self, value: i64) {
        self.log = self.log * 10 + value;
    }

    fn begin_handler(&mut self, after: After) {
        self.pending = false;
        self.handler = Some((Stage::Loads, after));
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    threads: Vec<Thread>,
    counts: [u8; OBJECTS],
    owners: [Option<usize>; OBJECTS],
    x: i64,
    /// Threads that wait on the condition variable, a bit each.
    waiters: u8,
}

/// The outcomes that a program may have.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The logs, where all threads ended.
    pub logs: BTreeSet<Vec<i64>>,
    /// Whether some may wait for ever.
    pub deadlocks: bool,
}

/// Enumerates every interleaving.
pub fn outcomes(program: &Program) -> Outcomes {
    let thread = Thread {
        at: 0,
        phase: Phase::BeforeLook,
        pending: false,
        handler: None,
        log: 0,
    };
    let mut todo = vec![State {
        threads: vec![thread; program.threads.len()],
        counts: [0; OBJECTS],
        owners: [program.locked.then_some(0), None],
        x: 0,
        waiters: 0,
    }];
    let mut seen = BTreeSet::new();
    let mut found = Outcomes::default();
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let step = |late: bool| {
            let mut next = Vec::new();
            for t in 0..state.threads.len() {
                steps(program, &state, t, late, &mut next);
            }
            next
        };
        let mut next = step(false);
        if next.is_empty() {
            if (0..state.threads.len()).all(|t| has_ended(program, &state, t)) {
                found
                    .logs
                    .insert(state.threads.iter().map(|thread| thread.log).collect());
                continue;
            }
            next = step(true);
            found.deadlocks |= next.is_empty();
        }
        todo.append(&mut next);
    }
    found
}

fn has_ended(program: &Program, state: &State, t: usize) -> bool {
    state.threads[t].at > program.threads[t].len()
}

/// Adds all steps of a thread; `late`: its time-out instead.
fn steps(program: &Program, state: &State, t: usize, late: bool, next: &mut Vec<State>) {
    let own = &state.threads[t];
    if has_ended(program, state, t) {
        return;
    }
    let mut with = |change: &dyn Fn(&mut State, usize)| {
        let mut after = state.clone();
        change(&mut after, t);
        next.push(after);
    };
    let op = program.threads[t].get(own.at).copied().unwrap_or(Op::End);
    if late {
        match op {
            Op::Vain => with(&|s, t| s.threads[t].advance()),
            Op::TimedWait(_) => with(&|s, t| {
                s.threads[t].note(GAVE_UP);
                s.threads[t].advance();
            }),
            _ => {}
        }
        return;
    }
    if let Some((stage, after)) = own.handler {
        return with(&|s, t| step_of_handler(program, s, t, stage, after));
    }
    if own.phase == Phase::BeforeLook {
        return with(&|s, t| match s.threads[t].pending {
            true => s.threads[t].begin_handler(After::Again),
            false => s.threads[t].phase = Phase::Looked,
        });
    }
    if own.phase == Phase::Blocked && own.pending {
        let after = match op {
            Op::Wait(o) if state.counts[o] == 0 && !program.restarts => After::Failed,
            Op::TimedWait(o) if state.counts[o] == 0 => After::Failed,
            Op::Vain => After::Over,
            _ => After::Again,
        };
        with(&|s, t| s.threads[t].begin_handler(after));
    }
    if let Op::Signal = op {
        let waiting = (0..8).filter(|u| state.waiters >> u & 1 == 1);
        let woken: Vec<u8> = waiting.map(|u| 1 << u).collect();
        for bit in if woken.is_empty() { vec![0] } else { woken } {
            with(&|s, t| {
                s.waiters &= !bit;
                s.threads[t].advance();
            });
        }
        return;
    }
    if is_enabled(program, state, t, op) {
        with(&|s, t| perform(program, s, t, op));
    } else if own.phase == Phase::Looked {
        with(&|s, t| s.threads[t].phase = Phase::Blocked);
    }
}

fn step_of_handler(program: &Program, s: &mut State, t: usize, stage: Stage, after: After) {
    let x = s.x;
    let own = &mut s.threads[t];
    match stage {
        Stage::Loads => {
            own.note(x);
            own.handler = Some((Stage::Posts, after));
        }
        Stage::Posts => {
            own.handler = Some((Stage::Ends, after));
            if let Some(object) = program.posts {
                s.counts[object] += 1;
            }
        }
        Stage::Ends if own.pending => own.begin_handler(after),
        Stage::Ends => {
            own.handler = None;
            own.phase = Phase::BeforeLook;
            if after == After::Failed {
                own.note(INTERRUPTED);
            }
            if after != After::Again {
                own.advance();
            }
        }
    }
}

fn is_enabled(program: &Program, state: &State, t: usize, op: Op) -> bool {
    match op {
        Op::Wait(o) | Op::TimedWait(o) => state.counts[o] > 0,
        Op::Vain => false,
        Op::Lock(o) => state.owners[o].is_none(),
        Op::Reacquire => state.owners[MUTEX].is_none() && state.waiters >> t & 1 == 0,
        Op::Join(u) => has_ended(program, state, u),
        _ => true,
    }
}

fn perform(program: &Program, s: &mut State, t: usize, op: Op) {
    match op {
        Op::Post(o) => s.counts[o] += 1,
        Op::Wait(o) | Op::TimedWait(o) => {
            s.counts[o] -= 1;
            s.threads[t].note(GOT);
        }
        Op::Lock(o) => s.owners[o] = Some(t),
        Op::Unlock(o) => s.owners[o] = None,
        Op::Enqueue => {
            s.owners[MUTEX] = None;
            s.waiters |= 1 << t;
        }
        Op::Reacquire => s.owners[MUTEX] = Some(t),
        Op::Store(value) => s.x = value,
        Op::Load => {
            let x = s.x;
            s.threads[t].note(x);
        }
        Op::Kill(u) => s.threads[u].pending |= !has_ended(program, s, u),
        Op::Vain | Op::Signal | Op::Join(_) | Op::End => {}
    }
    s.threads[t].advance();
}
