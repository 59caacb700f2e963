//! Random objects of two or three cells, whose operations are straight-line code, and their C text.

use dpor_testsuite::random::Random;
use std::fmt::Write;

/// One atomic step of an operation. What a step reads is the running value `r`, and is folded into the result.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// `r` is the cell.
    Load(usize),
    /// The cell is a number.
    Store(usize, i64),
    /// The cell is `r` and a number more.
    StoreRead(usize, i64),
    /// `r` is the cell, which is a number more then.
    Add(usize, i64),
    /// `r` is the cell, which is a number then.
    Exchange(usize, i64),
    /// The cell is a number more, and nobody looks at what it was.
    Bump(usize, i64),
    /// `r` says whether the cell was the first number; then it is the second.
    Compare(usize, i64, i64),
    /// Waits until the object's lock is free, and takes it; gives it back.
    Lock(Lock),
    Unlock(Lock),
}

/// How a lock is made.
#[derive(Clone, Copy, Debug)]
pub enum Lock {
    Mutex,
    /// A loop that exchanges.
    Exchange,
    /// A loop that looks, and compares and exchanges.
    LookFirst,
}

/// An object: its operations.
#[derive(Clone, Debug)]
pub struct Object {
    /// The steps of each.
    pub operations: Vec<Vec<Step>>,
}

/// Number of cells at most, and the lock's.
pub const CELLS: usize = 4;
const LOCK: usize = 3;

/// An object with operations of at most so many steps.
pub fn object(random: &mut Random, steps_max: u64) -> Object {
    let cells = 2 + random.below(2);
    let operations = 2 + random.below(2);
    let lock = [Lock::Mutex, Lock::Exchange, Lock::LookFirst][random.below(3) as usize];
    let operation = |random: &mut Random| {
        let count = 1 + random.below(steps_max);
        let mut steps: Vec<Step> = (0..count).map(|_| step(random, cells)).collect();
        if random.below(4) == 0 {
            // Some of the last steps are a section of the object's one lock.
            let from = random.below(count) as usize;
            steps.insert(from, Step::Lock(lock));
            steps.push(Step::Unlock(lock));
        }
        steps
    };
    Object {
        operations: (0..operations).map(|_| operation(random)).collect(),
    }
}

fn step(random: &mut Random, cells: u64) -> Step {
    let cell = random.below(cells) as usize;
    let small = |random: &mut Random| random.below(3) as i64;
    match random.below(10) {
        0..=2 => Step::Load(cell),
        3 => Step::Store(cell, small(random)),
        4 => Step::StoreRead(cell, small(random)),
        5 => Step::Add(cell, 1 + small(random)),
        6 => Step::Exchange(cell, small(random)),
        7 | 8 => Step::Bump(cell, 1 + small(random)),
        _ => Step::Compare(cell, small(random), small(random)),
    }
}

impl Step {
    /// Whether the step can be done: what waits is not done in vain.
    pub fn is_enabled(self, cells: &[i64; CELLS]) -> bool {
        !matches!(self, Step::Lock(_)) || cells[LOCK] == 0
    }

    /// Does the step.
    pub fn run(self, cells: &mut [i64; CELLS], (r, h): &mut (i64, i64)) {
        match self {
            Step::Load(cell) => *r = cells[cell],
            Step::Store(cell, value) => cells[cell] = value,
            Step::StoreRead(cell, more) => cells[cell] = *r + more,
            Step::Add(cell, more) => {
                *r = cells[cell];
                cells[cell] += more;
            }
            Step::Bump(cell, more) => cells[cell] += more,
            Step::Lock(_) => cells[LOCK] = 1,
            Step::Unlock(_) => cells[LOCK] = 0,
            Step::Exchange(cell, value) => *r = std::mem::replace(&mut cells[cell], value),
            Step::Compare(cell, expected, value) => {
                *r = i64::from(cells[cell] == expected);
                if *r == 1 {
                    cells[cell] = value;
                }
            }
        }
        *h = *h * 7 + *r;
    }

    fn text(self) -> String {
        match self {
            Step::Load(cell) => format!("r = atomic_load(&x->c[{cell}])"),
            Step::Store(cell, value) => format!("atomic_store(&x->c[{cell}], {value})"),
            Step::StoreRead(cell, more) => format!("atomic_store(&x->c[{cell}], r + {more})"),
            Step::Add(cell, more) => format!("r = atomic_fetch_add(&x->c[{cell}], {more})"),
            Step::Bump(cell, more) => format!("atomic_fetch_add(&x->c[{cell}], {more})"),
            Step::Lock(Lock::Mutex) => "pthread_mutex_lock(&x->mutex)".to_owned(),
            Step::Unlock(Lock::Mutex) => "pthread_mutex_unlock(&x->mutex)".to_owned(),
            Step::Lock(Lock::Exchange) => {
                "while (atomic_exchange(&x->lock, 1) != 0) { }".to_owned()
            }
            Step::Lock(Lock::LookFirst) => "do { while (atomic_load(&x->lock) != 0) { } e = 0; } \
                 while (!atomic_compare_exchange_strong(&x->lock, &e, 1))"
                .to_owned(),
            Step::Unlock(_) => "atomic_store(&x->lock, 0)".to_owned(),
            Step::Exchange(cell, value) => format!("r = atomic_exchange(&x->c[{cell}], {value})"),
            Step::Compare(cell, expected, value) => format!(
                "e = {expected}; r = atomic_compare_exchange_strong(&x->c[{cell}], &e, {value})"
            ),
        }
    }
}

/// One program of all objects: the first argument says which.
pub fn text<'a>(objects: impl Iterator<Item = &'a Object>) -> String {
    let mut text = String::from(
        "#include <dpor/scenario.h>\n#include <stdatomic.h>\nstruct object { atomic_long c[3], lock; pthread_mutex_t mutex; };\n\
         static void *make(void) { return calloc(1, sizeof(struct object)); }\n",
    );
    let mut cases = String::new();
    for (number, object) in objects.enumerate() {
        let mut list = Vec::new();
        for (which, steps) in object.operations.iter().enumerate() {
            let steps: String = steps
                .iter()
                .map(|step| format!("    {}; h = h * 7 + r;\n", step.text()))
                .collect();
            let _ = writeln!(
                text,
                "static long o{number}_{which}(void *object, long none) {{\n    struct object *x = object; long r = 0, h = 0, \
                 e = none;\n{steps}    (void)e;\n    return h;\n}}"
            );
            list.push(format!(
                "{{\"o{which}\", o{number}_{which}, 0, 0, 0, 0, 0}}"
            ));
        }
        let _ = writeln!(
            cases,
            "    case {number}: {{ const struct dpor_operation all[] = {{{}}}; return dpor_scenario_main(dpor_made_of(\"o{number}\", \
             __FILE__, make, free, all, {}), argc, argv); }}",
            list.join(", "),
            list.len()
        );
    }
    text + "int main(int argc, char **argv) {\n    switch (atoi(argv[1])) {\n"
        + &cases
        + "    }\n    return 2;\n}\n"
}
