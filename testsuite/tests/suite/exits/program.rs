//! Random programs that end while threads run: as the enumerator has them, and in C.

use dpor_testsuite::enumerate::{constant, register, Op};
use dpor_testsuite::random::Random;
use std::fmt::Write;

/// Who begins to end the process takes this, for ever.
pub const EXIT: usize = 9;
/// What the last handler observes: names, and the registers.
pub const OBSERVED: [(&str, usize); 2] = [("a", 2), ("b", 3)];

/// How main's thread ends the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Return,
    Exit,
    QuickExit,
}

/// The way in which a thread is joined, or is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Joined {
    Never,
    /// The thread is detached.
    Detached,
    ByMain,
    ByHandler,
}

/// What a program is made of.
#[derive(Clone, Debug)]
pub struct Program {
    main: Vec<Op>,
    workers: Vec<(Vec<Op>, Joined)>,
    /// In the order in which they run.
    handlers: Vec<Vec<Op>>,
    end: End,
    /// The first worker calls `exit` at its end.
    worker_exits: bool,
}

fn simple(r: &mut Random, to: usize) -> Op {
    let x = r.below(2) as usize;
    match r.below(5) {
        0 | 1 => Op::Load(to, x),
        2 => Op::Store(x, constant(1 + r.below(2) as i64)),
        3 => Op::Store(x, register(to, 1)),
        _ => Op::FetchAdd(to, x, 1),
    }
}

/// A few operations, with registers from `to` on. `nested`: under a mutex already.
fn piece(r: &mut Random, to: usize, nested: bool, ops: &mut Vec<Op>) {
    let m = r.below(2) as usize;
    match r.below(if nested { 8 } else { 12 }) {
        0..3 => ops.push(simple(r, to)),
        3 => {
            let inside = simple(r, to);
            ops.extend([
                Op::Load(to, m),
                Op::SkipUnless(to, r.below(2) as i64, 1),
                inside,
            ]);
        }
        4 => {
            let inside = simple(r, to + 1);
            ops.extend([
                Op::Trylock(to, m),
                Op::SkipUnless(to, 1, 2),
                inside,
                Op::Unlock(m),
            ]);
        }
        5 => ops.push(Op::Signal(m)),
        6 => ops.push(Op::Broadcast(m)),
        7 if nested => ops.push(simple(r, to + 1)),
        7..10 => {
            ops.push(Op::Lock(m));
            match r.below(3) {
                0 => ops.extend([Op::Lock(1 - m), Op::Unlock(1 - m)]),
                1 => ops.push(simple(r, to)),
                _ => {}
            }
            if r.below(8) > 0 {
                ops.push(Op::Unlock(m));
            }
        }
        _ => {
            ops.push(Op::Lock(m));
            if r.below(2) == 0 {
                ops.extend([Op::Load(to, m), Op::SkipUnless(to, 0, 2)]);
            }
            ops.extend([Op::Enqueue(m, m), Op::Reacquire(m, m), Op::Unlock(m)]);
        }
    }
}

fn pieces(r: &mut Random, to: usize, count: u64) -> Vec<Op> {
    let mut ops = Vec::new();
    (0..count).for_each(|_| piece(r, to, false, &mut ops));
    ops
}

/// The program of a seed.
pub fn of(seed: u64) -> Program {
    let r = &mut Random(seed);
    let count = 1 + r.below(2);
    let worker_exits = r.below(5) == 0;
    let workers = (0..count).map(|_| {
        let length = 1 + r.below(2);
        let joined = match r.below(8) {
            0..3 => Joined::Never,
            3 => Joined::Detached,
            4 | 5 => Joined::ByMain,
            // The thread that ends the process would join itself.
            _ if worker_exits => Joined::Never,
            _ => Joined::ByHandler,
        };
        (pieces(r, 0, length), joined)
    });
    let workers = workers.collect();
    let (in_main, handlers) = (r.below(2), 1 + r.below(2));
    Program {
        main: pieces(r, 0, in_main),
        workers,
        handlers: (0..handlers).map(|_| pieces(r, 2, 1)).collect(),
        end: match r.below(3) {
            0 => End::Return,
            1 => End::Exit,
            _ => End::QuickExit,
        },
        worker_exits,
    }
}

impl Program {
    fn joined(&self, how: Joined) -> impl Iterator<Item = usize> + '_ {
        let workers = self.workers.iter().enumerate();
        workers
            .filter(move |(_, worker)| worker.1 == how)
            .map(|(k, _)| k + 1)
    }

    /// From the moment on at which a thread begins to end the process.
    fn ending(&self) -> Vec<Op> {
        let mut ops = vec![Op::Lock(EXIT)];
        ops.extend(self.joined(Joined::ByHandler).map(Op::Join));
        ops.extend(self.handlers.iter().flatten());
        ops
    }

    /// Main's thread, and the others.
    pub fn threads(&self) -> Vec<Vec<Op>> {
        let mut main: Vec<Op> = (1..=self.workers.len()).map(Op::Create).collect();
        main.extend(&self.main);
        main.extend(self.joined(Joined::ByMain).map(Op::Join));
        main.extend(self.ending());
        let mut all = vec![main];
        for (k, (ops, _)) in self.workers.iter().enumerate() {
            let mut worker = vec![Op::Start];
            worker.extend(ops);
            if k == 0 && self.worker_exits {
                worker.extend(self.ending());
            }
            all.push(worker);
        }
        all
    }
}

const PRELUDE: &str = "#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_long x0, x1;
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER, c1 = PTHREAD_COND_INITIALIZER;
static pthread_t t[3];
static long r2, r3;
";

/// The operations in C; what is skipped becomes a block.
fn body(ops: &[Op], text: &mut String) {
    let mut closes_after = Vec::new();
    for (at, &op) in ops.iter().enumerate() {
        let _ = match op {
            Op::Load(to, x) => writeln!(text, "    r{to} = atomic_load(&x{x});"),
            Op::Store(x, value) => {
                let of = value
                    .register
                    .map_or(String::new(), |from| format!("r{from} + "));
                writeln!(text, "    atomic_store(&x{x}, {of}{});", value.constant)
            }
            Op::FetchAdd(to, x, by) => writeln!(text, "    r{to} = atomic_fetch_add(&x{x}, {by});"),
            Op::Lock(m) => writeln!(text, "    pthread_mutex_lock(&m{m});"),
            Op::Trylock(to, m) => writeln!(text, "    r{to} = pthread_mutex_trylock(&m{m}) == 0;"),
            Op::Unlock(m) => writeln!(text, "    pthread_mutex_unlock(&m{m});"),
            Op::Enqueue(c, m) => writeln!(text, "    pthread_cond_wait(&c{c}, &m{m});"),
            Op::Reacquire(..) => Ok(()),
            Op::Signal(c) => writeln!(text, "    pthread_cond_signal(&c{c});"),
            Op::Broadcast(c) => writeln!(text, "    pthread_cond_broadcast(&c{c});"),
            Op::SkipUnless(of, value, count) => {
                closes_after.push(at + count);
                writeln!(text, "    if (r{of} == {value}) {{")
            }
            Op::Join(other) => writeln!(text, "    pthread_join(t[{other}], 0);"),
            other => unreachable!("{other:?} is in no body"),
        };
        while closes_after.last() == Some(&at) {
            closes_after.pop();
            text.push_str("    }\n");
        }
    }
}

fn program(number: usize, program: &Program, text: &mut String) {
    for (k, handler) in program.handlers.iter().enumerate() {
        let _ = writeln!(text, "static void handler{number}_{k}(void) {{");
        if k == 0 {
            let joins: Vec<Op> = program.joined(Joined::ByHandler).map(Op::Join).collect();
            body(&joins, text);
        }
        body(handler, text);
        if k + 1 == program.handlers.len() {
            for (name, of) in OBSERVED {
                let _ = writeln!(text, "    dpor_observe(\"{name}\", r{of});");
            }
        }
        text.push_str("}\n");
    }
    for (k, (ops, _)) in program.workers.iter().enumerate() {
        let _ = writeln!(text, "static void *worker{number}_{}(void *unused) {{\n    long r0 = 0, r1 = 0;\n    (void)r0, (void)r1;", k + 1);
        body(ops, text);
        if k == 0 && program.worker_exits {
            let ends = if program.end == End::QuickExit {
                "quick_exit"
            } else {
                "exit"
            };
            let _ = writeln!(text, "    {ends}(0);");
        }
        text.push_str("    return unused;\n}\n");
    }
    let _ = writeln!(
        text,
        "static void main_{number}(void) {{\n    long r0 = 0, r1 = 0;\n    (void)r0, (void)r1;"
    );
    // The last one that is registered runs first.
    for k in (0..program.handlers.len()).rev() {
        let registers = if program.end == End::QuickExit {
            "at_quick_exit"
        } else {
            "atexit"
        };
        let _ = writeln!(text, "    {registers}(handler{number}_{k});");
    }
    for k in 1..=program.workers.len() {
        let _ = writeln!(
            text,
            "    pthread_create(&t[{k}], 0, worker{number}_{k}, 0);"
        );
        if program.workers[k - 1].1 == Joined::Detached {
            let _ = writeln!(text, "    pthread_detach(t[{k}]);");
        }
    }
    body(&program.main, text);
    let joins: Vec<Op> = program.joined(Joined::ByMain).map(Op::Join).collect();
    body(&joins, text);
    text.push_str(match program.end {
        End::Return => "}\n",
        End::Exit => "    exit(0);\n}\n",
        End::QuickExit => "    quick_exit(0);\n}\n",
    });
}

/// All programs in one text; the first argument says which one runs.
pub fn text<'a>(programs: impl Iterator<Item = &'a Program>) -> String {
    let mut text = PRELUDE.to_owned();
    let mut cases = String::new();
    for (number, one) in programs.enumerate() {
        program(number, one, &mut text);
        let _ = writeln!(cases, "    case {number}: main_{number}(); break;");
    }
    let _ = writeln!(text, "int main(int count, char **arguments) {{\n    (void)count;\n    switch (atoi(arguments[1])) {{\n{cases}    }}\n    return 0;\n}}");
    text
}
