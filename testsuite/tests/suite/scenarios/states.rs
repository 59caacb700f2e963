//! Random objects of two cells whose calls may go round, and all states of two calls of them: which promises are kept. Nothing
//! of the checker is used.

use dpor_testsuite::random::Random;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

const CELLS: usize = 2;
/// Cells have values below that.
const VALUES: u64 = 3;

/// A step of a call, made at once.
#[derive(Clone, Copy, Debug)]
enum Step {
    Store(usize, u8),
    Compare(usize, u8, u8),
    /// Goes back to the first step behind the last one of these, or to the beginning, if the cell is the value, or if it is not.
    Back(usize, u8, bool),
    /// As that, by an exchange that fails.
    Again(usize, u8, u8),
}

/// Two operations.
#[derive(Debug)]
pub struct Object([Vec<Step>; 2]);

pub fn object(random: &mut Random) -> Object {
    let mut operation = || {
        let mut steps = Vec::new();
        for _ in 0..1 + random.below(2) {
            match random.below(6) {
                // Takes the cell, and looks whether it still has it.
                0 | 1 => {
                    let cell = random.below(CELLS as u64) as usize;
                    let value = random.below(VALUES) as u8;
                    steps.extend([Step::Store(cell, value), Step::Back(cell, value, false)]);
                }
                kind => steps.push(step(random, kind)),
            }
        }
        steps
    };
    Object([operation(), operation()])
}

fn step(random: &mut Random, kind: u64) -> Step {
    let cell = random.below(CELLS as u64) as usize;
    let value = random.below(VALUES) as u8;
    let other = random.below(VALUES) as u8;
    match kind {
        2 => Step::Store(cell, value),
        3 => Step::Compare(cell, value, other),
        4 => Step::Back(cell, value, random.below(2) == 0),
        _ => Step::Again(cell, value, other),
    }
}

type Cells = [u8; CELLS];

/// Where the call stands behind its step, which it makes.
fn make(operation: &[Step], at: usize, cells: &mut Cells) -> usize {
    let is_loop = |step: &Step| matches!(step, Step::Back(..) | Step::Again(..));
    let begin = || {
        operation[..at]
            .iter()
            .rposition(is_loop)
            .map_or(0, |last| last + 1)
    };
    let goes_back = match operation[at] {
        Step::Store(cell, value) => {
            cells[cell] = value;
            false
        }
        Step::Compare(cell, expected, value) => {
            if cells[cell] == expected {
                cells[cell] = value;
            }
            false
        }
        Step::Back(cell, value, if_equal) => (cells[cell] == value) == if_equal,
        Step::Again(cell, expected, value) => {
            let fails = cells[cell] != expected;
            if !fails {
                cells[cell] = value;
            }
            fails
        }
    };
    match goes_back {
        true => begin(),
        false => at + 1,
    }
}

/// Which promises some pair of calls breaks.
#[derive(Clone, Copy, Default, Debug)]
pub struct Broken {
    pub obstruction_free: bool,
    pub lock_free: bool,
}

pub fn is_broken(object: &Object) -> Broken {
    let mut all = Broken::default();
    for (one, other) in [(0, 0), (0, 1), (1, 1)] {
        let pair = of_pair([&object.0[one], &object.0[other]]);
        all.obstruction_free |= pair.obstruction_free;
        all.lock_free |= pair.lock_free;
    }
    all
}

type State = ([usize; 2], Cells);

fn of_pair(calls: [&Vec<Step>; 2]) -> Broken {
    let step = |(mut at, mut cells): State, thread: usize| -> State {
        at[thread] = make(calls[thread], at[thread], &mut cells);
        (at, cells)
    };
    let goes_on = |state: &State, thread: usize| state.0[thread] < calls[thread].len();
    let mut next: HashMap<State, Vec<State>> = HashMap::new();
    let mut todo: Vec<State> = vec![([0, 0], [0; CELLS])];
    let mut broken = Broken::default();
    while let Some(state) = todo.pop() {
        if next.contains_key(&state) {
            continue;
        }
        let threads = (0..2).filter(|&thread| goes_on(&state, thread));
        let steps: Vec<State> = threads.map(|thread| step(state, thread)).collect();
        todo.extend(&steps);
        next.insert(state, steps);
        for thread in 0..2 {
            let (mut met, mut alone) = (HashSet::new(), state);
            while goes_on(&alone, thread) {
                if !met.insert(alone) {
                    broken.obstruction_free = true;
                    break;
                }
                alone = step(alone, thread);
            }
        }
    }
    // What is left when states from which all steps lead to states that were taken away are taken away is a circle.
    let mut left: HashSet<State> = next.keys().copied().collect();
    loop {
        let gone = left
            .iter()
            .find(|state| next[*state].iter().all(|one| !left.contains(one)));
        match gone.copied() {
            Some(state) => left.remove(&state),
            None => break,
        };
    }
    broken.lock_free = !left.is_empty();
    broken
}

/// Two threads that make their calls again and again: of each, which of its calls it makes, and which step of it is next.
type Endless = ([(usize, usize); 2], Cells);

/// Whether in some pair of lists of so many calls at most, which two threads make again and again, a thread can make as many
/// steps as it likes without coming to the end of a call. Lists that are a shorter one twice are among them.
pub fn is_endless(object: &Object, calls: usize) -> bool {
    let mut lists: Vec<Vec<usize>> = vec![vec![0], vec![1]];
    for length in 2..=calls {
        let longest = lists.iter().filter(|list| list.len() + 1 == length);
        let longer: Vec<Vec<usize>> = longest
            .flat_map(|list| (0..2).map(|next| [&list[..], &[next]].concat()))
            .collect();
        lists.extend(longer);
    }
    let pairs = (0..lists.len()).flat_map(|one| (one..lists.len()).map(move |other| (one, other)));
    let mut pairs = pairs.map(|(one, other)| [&lists[one], &lists[other]]);
    pairs.any(|pair| {
        let all = Steps::of(object, pair);
        (0..2).any(|thread| all.are_without_end(thread))
    })
}

/// All states of a pair, by number: of each thread, to which state its step leads, and whether it ends a call.
struct Steps(Vec<[(usize, bool); 2]>);

impl Steps {
    fn of(object: &Object, lists: [&Vec<usize>; 2]) -> Self {
        let step = |(mut at, mut cells): Endless, thread: usize| -> (Endless, bool) {
            let (call, next) = at[thread];
            let operation = &object.0[lists[thread][call]];
            let next = make(operation, next, &mut cells);
            let ends = next == operation.len();
            at[thread] = match ends {
                true => ((call + 1) % lists[thread].len(), 0),
                false => (call, next),
            };
            ((at, cells), ends)
        };
        let begin: Endless = ([(0, 0); 2], [0; CELLS]);
        let mut numbers: HashMap<Endless, usize> = HashMap::from([(begin, 0)]);
        let (mut met, mut steps) = (vec![begin], Vec::new());
        while let Some(&state) = met.get(steps.len()) {
            steps.push([0, 1].map(|thread| {
                let (to, ends) = step(state, thread);
                let number = *numbers.entry(to).or_insert_with(|| {
                    met.push(to);
                    met.len() - 1
                });
                (number, ends)
            }));
        }
        Steps(steps)
    }

    /// Whether a thread can make any number of steps without an end: from some state one, from some two, and so on, until it
    /// is as many from the same states as before.
    fn are_without_end(&self, thread: usize) -> bool {
        let Steps(all) = self;
        let mut can = vec![true; all.len()];
        loop {
            // Its next step, which leads to where it can make the others; before it, the other thread may go on.
            let mut more: Vec<bool> = all
                .iter()
                .map(|of| !of[thread].1 && can[of[thread].0])
                .collect();
            loop {
                let before = more.clone();
                for (state, of) in all.iter().enumerate() {
                    more[state] |= before[of[1 - thread].0];
                }
                if more == before {
                    break;
                }
            }
            if more == can {
                return more.contains(&true);
            }
            can = more;
        }
    }
}

/// One program of all objects: the last argument says which.
pub fn text(objects: &[Object]) -> String {
    let mut text = String::from(
        "#include <dpor/scenario.h>\n#include <stdatomic.h>\nstruct object { atomic_int c[2]; };\n\
         static void *make(void) { return calloc(1, sizeof(struct object)); }\n",
    );
    let mut cases = String::new();
    for (number, Object(operations)) in objects.iter().enumerate() {
        for (which, steps) in operations.iter().enumerate() {
            let _ = writeln!(
                text,
                "static long o{number}_{which}(void *object, long none) {{ struct object *x = object; int e; (void)none; (void)e;"
            );
            let mut label = 0;
            let _ = writeln!(text, "b0:;");
            for step in steps {
                let _ = match *step {
                    Step::Store(cell, value) => writeln!(text, "  x->c[{cell}] = {value};"),
                    Step::Compare(cell, expected, value) => writeln!(
                        text,
                        "  e = {expected}; atomic_compare_exchange_strong(&x->c[{cell}], &e, {value});"
                    ),
                    Step::Back(cell, value, if_equal) => {
                        let sign = if if_equal { "==" } else { "!=" };
                        writeln!(text, "  if (x->c[{cell}] {sign} {value}) goto b{label};")
                    }
                    Step::Again(cell, expected, value) => writeln!(
                        text,
                        "  e = {expected}; if (!atomic_compare_exchange_strong(&x->c[{cell}], &e, {value})) goto b{label};"
                    ),
                };
                if matches!(step, Step::Back(..) | Step::Again(..)) {
                    label += 1;
                    let _ = writeln!(text, "b{label}:;");
                }
            }
            text.push_str("  return 0;\n}\n");
        }
        let _ = writeln!(
            cases,
            "    case {number}: {{ const struct dpor_operation all[] = {{{{\"a\", o{number}_0, 0, 0, 0, 0, 0}}, {{\"b\", \
             o{number}_1, 0, 0, 0, 0, 0}}}}; return dpor_scenario_main(dpor_made_of(\"o{number}\", __FILE__, make, free, all, 2), \
             argc, argv); }}"
        );
    }
    text + "int main(int argc, char **argv) {\n    switch (atoi(argv[argc - 1])) {\n"
        + &cases
        + "    }\n    return 2;\n}\n"
}
