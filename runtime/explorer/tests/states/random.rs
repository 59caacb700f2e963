//! Random programs, most of which go round for ever: branches, waits, locks, choices and assertions in between.

use crate::language::{Cell, Op, Program, Value};

/// A generator of numbers: the same ones for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        // SplitMix64 (Steele and others, OOPSLA 2014).
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// What all threads of a program share.
struct Shared {
    variables: usize,
    locks: usize,
    domain: u8,
    threads: usize,
}

/// A program with two to four threads.
pub fn program(r: &mut Random) -> Program {
    let shared = Shared {
        threads: [2, 2, 3, 3, 4][r.below(5)],
        variables: 2 + r.below(3),
        locks: r.below(3),
        domain: 2 + r.below(2) as u8,
    };
    let mut code: Vec<Vec<Op>> = (0..shared.threads).map(|t| thread(r, &shared, t)).collect();
    // Some create the last thread, which then begins later.
    if shared.threads > 2 && r.percent(25) {
        let creator = r.below(shared.threads - 1);
        code[creator].insert(0, Op::Create(shared.threads - 1));
        code[creator].iter_mut().skip(1).for_each(|op| match op {
            Op::Goto(to) | Op::IfEqual(_, _, to) => *to += 1,
            _ => {}
        });
    }
    let mut proposition = || {
        (
            r.below(shared.variables),
            r.below(usize::from(shared.domain)) as u8,
        )
    };
    Program {
        variables: shared.variables,
        locks: shared.locks,
        domain: shared.domain,
        code,
        propositions: vec![proposition(), proposition()],
        first: Vec::new(),
    }
}

fn thread(r: &mut Random, shared: &Shared, t: usize) -> Vec<Op> {
    let mut own = Vec::new();
    let length = 2 + r.below(4);
    while own.len() < length {
        let more = instructions(r, shared, t, own.len());
        own.extend(more);
    }
    if r.percent(60) {
        own.push(Op::Goto(r.below(own.len())));
    } else if r.percent(50) {
        let (register, to) = (r.below(2), r.below(own.len()));
        own.push(Op::IfEqual(
            register,
            Value::Number(r.below(usize::from(shared.domain)) as u8),
            to,
        ));
    }
    own
}

/// The next instructions of a thread, the first of which has the number `at`.
fn instructions(r: &mut Random, shared: &Shared, t: usize, at: usize) -> Vec<Op> {
    let any = r.percent(75);
    let variable = if any {
        r.below(shared.variables)
    } else {
        t % shared.variables
    };
    let (x, register) = (Cell::At(variable), r.below(2));
    let number = r.below(usize::from(shared.domain)) as u8;
    let value = Value::Number(number);
    let lock = |r: &mut Random| r.below(shared.locks);
    match r.below(15) {
        0 | 1 => vec![Op::Load(x, register)],
        2 => vec![Op::Store(x, value)],
        3 => vec![Op::Store(x, Value::In(register))],
        4 => vec![Op::Add(x, 1, register)],
        5 => vec![Op::Exchange(
            x,
            number,
            (number + 1) % shared.domain,
            register,
        )],
        6 => vec![Op::Await(x, number)],
        7 => vec![Op::Down(x)],
        8 if shared.locks > 0 => {
            let lock = lock(r);
            let inside = [
                Op::Load(x, register),
                Op::Store(x, value),
                Op::Add(x, 1, register),
            ];
            vec![Op::Lock(lock), inside[r.below(3)], Op::Unlock(lock)]
        }
        9 if shared.locks > 0 => {
            let lock = lock(r);
            let fails = Op::IfEqual(register, Value::Number(0), at + 4);
            vec![
                Op::Trylock(lock, register),
                fails,
                Op::Store(x, value),
                Op::Unlock(lock),
            ]
        }
        10 => vec![Op::Choose(2, register)],
        11 => vec![Op::IfEqual(register, value, at + 2 + r.below(2))],
        12 if r.percent(40) => vec![Op::Load(x, register), Op::Assert(register, value)],
        13 => vec![Op::Set(register, Value::Number(0))],
        14 if t > 0 && r.percent(30) => vec![Op::Join(r.below(t))],
        // A thread that never comes to an end of its own.
        _ => vec![Op::Next(register, shared.domain)],
    }
}
