//! Random objects of two or three cells, whose operations are straight-line code, and their C text.

use dpor_testsuite::random::Random;
use std::fmt::Write;

/// One step of an operation, at once as far as others can tell. What a step reads is the running value `r`, and is folded
/// into the result.
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
    /// As the first three, of a plain cell. In a section of the object's lock alone, so that nothing races.
    PlainLoad(usize),
    PlainStore(usize, i64),
    PlainStoreRead(usize, i64),
    /// Waits with a time limit until the object has a token, and takes it; `r` says whether it did.
    Take,
    /// Gives the object a token.
    Give,
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
    /// Of each, its role, above 0: in a scenario one thread makes all calls of operations with the same role. 0: there is
    /// none. Fewer threads that do the same leave more results that only the order in time forbids.
    pub roles: Vec<u8>,
}

/// What the steps change: three atomic cells, two plain ones, the lock, and the number of tokens.
pub type Cells = [i64; 7];
const PLAIN: usize = 3;
const LOCK: usize = 5;
const TOKENS: usize = 6;

/// The cells of an object that was just made.
pub const MADE: Cells = [0, 0, 0, 0, 0, 0, 1];

/// What the steps of an object may be.
struct Kinds {
    cells: u64,
    lock: Option<Lock>,
    has_tokens: bool,
}

/// An object with operations of at most so many steps, without those that take the lock and give it back. `is_apart`: as
/// [`apart`] makes it.
pub fn object(random: &mut Random, steps_max: u64, is_apart: bool) -> Object {
    let cells = 2 + random.below(2);
    let lock = [Lock::Mutex, Lock::Exchange, Lock::LookFirst][random.below(3) as usize];
    let kinds = Kinds {
        cells,
        lock: (random.below(2) == 0).then_some(lock),
        has_tokens: random.below(4) == 0,
    };
    if is_apart {
        return apart(random, &kinds, steps_max);
    }
    let operations = (0..2 + random.below(2)).map(|_| operation(random, &kinds, steps_max));
    let operations: Vec<Vec<Step>> = operations.collect();
    Object {
        roles: vec![0; operations.len()],
        operations,
    }
}

/// Each operation is for one thread, one looks, and the others change what it looks at: more of such objects have results that
/// only the order in time forbids.
fn apart(random: &mut Random, kinds: &Kinds, steps_max: u64) -> Object {
    let mut looks: Vec<Step> = Vec::new();
    for at in 0..steps_max {
        let cell = random.below(kinds.cells) as usize;
        looks.push(match random.below(6) {
            0 | 1 if at > 0 => Step::StoreRead(cell, small(random)),
            2 if kinds.has_tokens => Step::Take,
            _ => Step::Load(cell),
        });
    }
    let change = |random: &mut Random| {
        let cell = random.below(kinds.cells) as usize;
        vec![match random.below(4) {
            0 if kinds.has_tokens => [Step::Take, Step::Give][random.below(2) as usize],
            0 | 1 => Step::Store(cell, 1 + small(random)),
            2 => Step::Bump(cell, 1 + small(random)),
            _ => Step::Exchange(cell, 1 + small(random)),
        }]
    };
    let mut operations = vec![looks, change(random), change(random)];
    if let Some(lock) = kinds.lock {
        for steps in &mut operations {
            last_in_section(random, steps, lock);
        }
    }
    Object {
        operations,
        roles: vec![1, 2, 2 + random.below(2) as u8],
    }
}

/// Perhaps the last step is a section of the lock, and one of a plain cell.
fn last_in_section(random: &mut Random, steps: &mut Vec<Step>, lock: Lock) {
    let plain = match steps[steps.len() - 1] {
        Step::Load(cell) => Step::PlainLoad(cell % 2),
        Step::Store(cell, value) | Step::Exchange(cell, value) => Step::PlainStore(cell % 2, value),
        Step::StoreRead(cell, more) => Step::PlainStoreRead(cell % 2, more),
        _ => return,
    };
    if random.below(2) == 0 {
        steps.pop();
        steps.extend([Step::Lock(lock), plain, Step::Unlock(lock)]);
    }
}

fn operation(random: &mut Random, kinds: &Kinds, steps_max: u64) -> Vec<Step> {
    let count = 1 + random.below(steps_max) as usize;
    let lock = kinds.lock.filter(|_| random.below(2) == 0);
    // Some of the last steps are a section of the object's one lock.
    let from = lock.map(|_| random.below(count as u64) as usize);
    let mut steps = Vec::new();
    for at in 0..count {
        let is_inside = from.is_some_and(|from| at >= from);
        steps.push(match is_inside && random.below(2) == 0 {
            true => plain_step(random),
            false => step(random, kinds),
        });
    }
    if let (Some(lock), Some(from)) = (lock, from) {
        steps.insert(from, Step::Lock(lock));
        steps.push(Step::Unlock(lock));
    }
    steps
}

fn small(random: &mut Random) -> i64 {
    random.below(3) as i64
}

fn plain_step(random: &mut Random) -> Step {
    let cell = random.below(2) as usize;
    match random.below(4) {
        0 | 1 => Step::PlainLoad(cell),
        2 => Step::PlainStore(cell, small(random)),
        _ => Step::PlainStoreRead(cell, 1 + small(random)),
    }
}

fn step(random: &mut Random, kinds: &Kinds) -> Step {
    let cell = random.below(kinds.cells) as usize;
    if kinds.has_tokens && random.below(3) == 0 {
        return [Step::Take, Step::Take, Step::Give][random.below(3) as usize];
    }
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

impl Object {
    /// Whether calls of it may give up waiting.
    pub fn has_limits(&self) -> bool {
        let mut steps = self.operations.iter().flatten();
        steps.any(|step| matches!(step, Step::Take))
    }
}

impl Step {
    /// Whether the step can be done without giving up: what waits is not done in vain.
    pub fn is_enabled(self, cells: &Cells) -> bool {
        match self {
            Step::Lock(_) => cells[LOCK] == 0,
            Step::Take => cells[TOKENS] > 0,
            _ => true,
        }
    }

    /// Does the step. One that waits with a time limit and cannot be done gives up.
    pub fn run(self, cells: &mut Cells, (r, h): &mut (i64, i64)) {
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
            Step::PlainLoad(cell) => *r = cells[PLAIN + cell],
            Step::PlainStore(cell, value) => cells[PLAIN + cell] = value,
            Step::PlainStoreRead(cell, more) => cells[PLAIN + cell] = *r + more,
            Step::Take => {
                *r = i64::from(cells[TOKENS] > 0);
                cells[TOKENS] -= *r;
            }
            Step::Give => cells[TOKENS] += 1,
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
            Step::PlainLoad(cell) => format!("r = x->p[{cell}]"),
            Step::PlainStore(cell, value) => format!("x->p[{cell}] = {value}"),
            Step::PlainStoreRead(cell, more) => format!("x->p[{cell}] = r + {more}"),
            Step::Take => "r = sem_timedwait(&x->tokens, &late) == 0".to_owned(),
            Step::Give => "sem_post(&x->tokens)".to_owned(),
        }
    }
}

/// What programs of objects begin with. The time limit is one that has not passed.
pub const PRELUDE: &str =
    "#include <dpor/scenario.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
     struct object { atomic_long c[3], lock; long p[2]; pthread_mutex_t mutex; sem_t tokens; };\n\
     static const struct timespec late = {1l << 40, 0};\n\
     static void *make(void) {\n\
     \x20   struct object *x = calloc(1, sizeof *x);\n\
     \x20   sem_init(&x->tokens, 0, 1);\n\
     \x20   return x;\n\
     }\n\
     static void drop(void *object) {\n\
     \x20   struct object *x = object;\n\
     \x20   sem_destroy(&x->tokens);\n\
     \x20   free(x);\n\
     }\n";

/// One program of all objects: the first argument says which. They stand in a table, so that main has one call.
pub fn text<'a>(objects: impl Iterator<Item = &'a Object>) -> String {
    let mut text = String::from(PRELUDE);
    let mut table = String::new();
    for (number, object) in objects.enumerate() {
        let mut list = String::new();
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
            let role = object.roles[which];
            let _ = write!(
                list,
                "DPOR_OPERATION(\"o{which}\", o{number}_{which}, DPOR_BY_ONE_THREAD({role})), "
            );
        }
        let count = object.operations.len();
        let _ = writeln!(table, "    {{{count}, {{{list}}}}},");
    }
    text + "static const struct { int count; struct dpor_operation all[3]; } objects[] = {\n"
        + &table
        + "};\nint main(int argc, char **argv) {\n    int which = atoi(argv[1]);\n    \
           return dpor_scenario_main(dpor_made_of(\"object\", __FILE__, make, drop, objects[which].all, \
           objects[which].count), argc, argv);\n}\n"
}
