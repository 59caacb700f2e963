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
    /// `r` says whether the cell was the first number; then it is the second.
    Compare(usize, i64, i64),
}

/// An object: its operations.
#[derive(Clone, Debug)]
pub struct Object {
    /// The steps of each.
    pub operations: Vec<Vec<Step>>,
}

/// Number of cells at most.
pub const CELLS: usize = 3;

/// An object with operations of at most so many steps.
pub fn object(random: &mut Random, steps_max: u64) -> Object {
    let cells = 2 + random.below(2);
    let operations = 2 + random.below(2);
    let operation = |random: &mut Random| {
        let steps = 1 + random.below(steps_max);
        (0..steps).map(|_| step(random, cells)).collect()
    };
    Object {
        operations: (0..operations).map(|_| operation(random)).collect(),
    }
}

fn step(random: &mut Random, cells: u64) -> Step {
    let cell = random.below(cells) as usize;
    let small = |random: &mut Random| random.below(3) as i64;
    match random.below(8) {
        0..=2 => Step::Load(cell),
        3 => Step::Store(cell, small(random)),
        4 => Step::StoreRead(cell, small(random)),
        5 => Step::Add(cell, 1 + small(random)),
        6 => Step::Exchange(cell, small(random)),
        _ => Step::Compare(cell, small(random), small(random)),
    }
}

impl Step {
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
        "#include <dpor/scenario.h>\n#include <stdatomic.h>\nstruct object { atomic_long c[3]; };\n\
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
