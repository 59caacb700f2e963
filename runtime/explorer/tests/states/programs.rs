//! Programs that go on for ever, from the papers and beyond.

use crate::language::{Cell, Op, Program, Value};

fn at(variable: usize) -> Cell {
    Cell::At(variable)
}

fn store(variable: usize, number: usize) -> Op {
    Op::Store(at(variable), Value::Number(number as u8))
}

fn load(variable: usize, register: usize) -> Op {
    Op::Load(at(variable), register)
}

fn if_equal(register: usize, number: usize, to: usize) -> Op {
    Op::IfEqual(register, Value::Number(number as u8), to)
}

fn clear(register: usize) -> Op {
    Op::Set(register, Value::Number(0))
}

/// A program without propositions whose variables are zeros.
pub fn of(variables: usize, locks: usize, domain: u8, code: Vec<Vec<Op>>) -> Program {
    Program {
        variables,
        locks,
        domain,
        code,
        propositions: Vec::new(),
        first: Vec::new(),
    }
}

/// Peterson's mutual exclusion of two threads: their flags, who is to wait, how many are inside.
pub fn peterson() -> Program {
    let code = |t: usize| {
        vec![
            store(t, 1),
            store(2, t),
            load(1 - t, 0),
            if_equal(0, 0, 6),
            load(2, 1),
            if_equal(1, t, 2),
            Op::Add(at(3), 1, 0),
            Op::Add(at(3), -1, 0),
            store(t, 0),
            Op::Goto(0),
        ]
    };
    Program {
        propositions: vec![(3, 2), (0, 1)],
        ..of(4, 0, 3, vec![code(0), code(1)])
    }
}

/// A lock that is one variable, exchanged until it was free.
pub fn spin_lock(threads: usize) -> Program {
    let code = vec![
        Op::Exchange(at(0), 0, 1, 0),
        if_equal(0, 0, 0),
        Op::Add(at(1), 1, 0),
        Op::Add(at(1), -1, 0),
        clear(0),
        store(0, 0),
        Op::Goto(0),
    ];
    Program {
        propositions: vec![(1, 2)],
        ..of(2, 0, 3, vec![code; threads])
    }
}

/// Two robots on a board of n by n cells, one along rows, one along columns; a cell counts who is there. (The robots of
/// pancam's benchmark, as its text describes them.)
pub fn robots(n: usize, for_ever: bool) -> Program {
    let along = |columns: bool| {
        let cells = (0..n * n).map(|k| if columns { k % n * n + k / n } else { k });
        let cells: Vec<usize> = cells.collect();
        let mut code = Vec::new();
        let steps = if for_ever {
            cells.len()
        } else {
            cells.len() - 1
        };
        for k in 0..steps {
            let (here, there) = (cells[k], cells[(k + 1) % cells.len()]);
            code.extend([
                Op::Add(at(there), 1, 0),
                Op::Add(at(here), -1, 1),
                clear(0),
                clear(1),
            ]);
        }
        if for_ever {
            code.push(Op::Goto(0));
        }
        code
    };
    let mut first = vec![0; n * n];
    first[0] = 2;
    Program {
        first,
        ..of(n * n, 0, 3, vec![along(false), along(true)])
    }
}

/// A bounded queue: semaphores for free places and for messages, a lock, a count. (pancam's inter-process benchmark.)
pub fn ipc(senders: usize, receivers: usize, places: usize) -> Program {
    let code = |takes: usize, n: i8, gives: usize| {
        vec![
            Op::Down(at(takes)),
            Op::Lock(0),
            Op::Add(at(2), n, 0),
            clear(0),
            Op::Unlock(0),
            Op::Add(at(gives), 1, 0),
            clear(0),
            Op::Goto(0),
        ]
    };
    let mut all = vec![code(0, 1, 1); senders];
    all.extend(vec![code(1, -1, 0); receivers]);
    Program {
        propositions: vec![(2, places as u8), (1, 0)],
        first: vec![places as u8, 0, 0],
        ..of(3, 1, places as u8 + 1, all)
    }
}

/// Philosophers who take two forks, for ever.
pub fn philosophers(n: usize, ordered: bool) -> Program {
    let code = |t: usize| {
        let (a, b) = (t, (t + 1) % n);
        let (a, b) = if ordered {
            (a.min(b), a.max(b))
        } else {
            (a, b)
        };
        vec![
            Op::Lock(a),
            Op::Lock(b),
            Op::Unlock(b),
            Op::Unlock(a),
            Op::Goto(0),
        ]
    };
    of(1, n, 2, (0..n).map(code).collect())
}

/// Each changes something of its own under a lock of its own, then a common log under another.
pub fn workers(n: usize) -> Program {
    let code = |t: usize| {
        vec![
            Op::Lock(t),
            load(t, 0),
            store(t, 1),
            store(t, 0),
            Op::Unlock(t),
            Op::Lock(n),
            Op::Add(at(n), 1, 0),
            clear(0),
            Op::Unlock(n),
            Op::Goto(0),
        ]
    };
    Program {
        propositions: vec![(n, 1)],
        ..of(n + 1, n + 1, 2, (0..n).map(code).collect())
    }
}

/// A token goes round.
pub fn token_ring(n: usize) -> Program {
    let code = |t: usize| {
        vec![
            Op::Await(at(n), t as u8),
            store(t, 1),
            load((t + n - 1) % n, 0),
            store(t, 0),
            clear(0),
            store(n, (t + 1) % n),
            Op::Goto(0),
        ]
    };
    Program {
        propositions: vec![(n, 0), (n, 1)],
        ..of(n + 1, 0, n.max(2) as u8, (0..n).map(code).collect())
    }
}

/// Each switches something of its own on and off.
pub fn togglers(n: usize) -> Program {
    let code = |t: usize| vec![store(t, 1), store(t, 0), Op::Goto(0)];
    Program {
        propositions: vec![(0, 1)],
        ..of(n, 0, 2, (0..n).map(code).collect())
    }
}

/// A ring buffer with one producer and one consumer: head, tail, and the slots.
pub fn spsc(n: usize) -> Program {
    let (mut producer, mut consumer) = (Vec::new(), Vec::new());
    let slot = Cell::Behind(2, 2);
    for k in 0..n {
        let again = producer.len();
        producer.extend([
            load(1, 0),
            if_equal(0, (k + 1) % n, again),
            Op::Store(slot, Value::Number(1)),
            store(0, (k + 1) % n),
            clear(0),
            Op::Next(2, n as u8),
        ]);
        let again = consumer.len();
        consumer.extend([
            load(0, 0),
            if_equal(0, k, again),
            Op::Load(slot, 1),
            store(1, (k + 1) % n),
            clear(0),
            clear(1),
            Op::Next(2, n as u8),
        ]);
    }
    producer.push(Op::Goto(0));
    consumer.push(Op::Goto(0));
    Program {
        propositions: vec![(0, 0), (1, 0)],
        ..of(n + 2, 0, n.max(2) as u8, vec![producer, consumer])
    }
}

/// Two threads with `n` stores each, all to variables of their own. (One Page's example.)
pub fn one_page(n: usize) -> Program {
    let code = |t: usize| (0..n).map(|k| store(t * n + k, 1)).collect();
    of(2 * n, 0, 2, vec![code(0), code(1)])
}
