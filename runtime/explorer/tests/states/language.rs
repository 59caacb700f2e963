//! A tiny language of threads with loops, and what one step of it does. It knows nothing of the search.

/// A register of a thread.
pub type Register = usize;

/// Registers of each thread.
pub const REGISTERS: usize = 3;

/// A number, or what is in a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Number(u8),
    In(Register),
}

/// A variable, or the one that lies behind another by what is in a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    At(usize),
    Behind(usize, Register),
}

/// An instruction. The first ones are steps, which others can notice; from `Set` on they belong to the step before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Load(Cell, Register),
    Store(Cell, Value),
    /// Adds to a variable; the register gets what was there.
    Add(Cell, i8, Register),
    /// Compares and exchanges; the register tells whether it wrote.
    Exchange(Cell, u8, u8, Register),
    /// Blocks until the variable has the value.
    Await(Cell, u8),
    /// Blocks while the variable is 0, and then subtracts 1.
    Down(Cell),
    Lock(usize),
    /// Does nothing if the thread does not own it.
    Unlock(usize),
    /// The register tells whether it succeeded.
    Trylock(usize, Register),
    /// The register gets a number below this.
    Choose(u8, Register),
    Join(usize),
    /// Creates a thread, which is one of the program that has not begun.
    Create(usize),
    Set(Register, Value),
    /// Adds 1, modulo this.
    Next(Register, u8),
    Goto(usize),
    IfEqual(Register, Value, usize),
    Assert(Register, Value),
    End,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub variables: usize,
    pub locks: usize,
    /// Variables have values below this.
    pub domain: u8,
    pub code: Vec<Vec<Op>>,
    /// Propositions: a variable has a value.
    pub propositions: Vec<(usize, u8)>,
    /// What the variables have at the beginning; nothing: zeros.
    pub first: Vec<u8>,
}

/// What has become of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Status {
    Unborn,
    Runs,
    Ended,
    /// An assertion did not hold.
    Failed,
    /// It goes round without a step.
    Spins,
}

/// The state of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Local {
    pub at: usize,
    pub registers: [u8; REGISTERS],
    pub status: Status,
}

/// The whole state, exactly.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct State {
    pub variables: Vec<u8>,
    /// The thread that owns each lock.
    pub owners: Vec<Option<usize>>,
    pub threads: Vec<Local>,
}

/// Something that steps touch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Thing {
    Variable(usize),
    Lock(usize),
    Thread(usize),
}

/// What a step touched, and whether it wrote.
pub type Touched = Option<(Thing, bool)>;

impl Op {
    fn is_step(self) -> bool {
        !matches!(
            self,
            Op::Set(..) | Op::Next(..) | Op::Goto(_) | Op::IfEqual(..) | Op::Assert(..) | Op::End
        )
    }
}

impl Local {
    fn value(&self, value: Value) -> u8 {
        match value {
            Value::Number(n) => n,
            Value::In(register) => self.registers[register],
        }
    }

    pub fn cell(&self, cell: Cell) -> usize {
        match cell {
            Cell::At(variable) => variable,
            Cell::Behind(variable, register) => variable + usize::from(self.registers[register]),
        }
    }
}

/// Runs a thread up to its next step.
fn settle(code: &[Op], mut local: Local) -> Local {
    local.status = Status::Runs;
    for _ in 0..60 {
        let op = code.get(local.at).copied().unwrap_or(Op::End);
        if op.is_step() {
            return local;
        }
        local.at += 1;
        match op {
            Op::Set(register, value) => local.registers[register] = local.value(value),
            Op::Next(register, n) => {
                local.registers[register] = (local.registers[register] + 1) % n
            }
            Op::Goto(to) => local.at = to,
            Op::IfEqual(register, value, to) if local.registers[register] == local.value(value) => {
                local.at = to;
            }
            Op::Assert(register, value) if local.registers[register] != local.value(value) => {
                local.status = Status::Failed;
                return local;
            }
            Op::End => {
                local.at -= 1;
                local.status = Status::Ended;
                return local;
            }
            _ => {}
        }
    }
    local.status = Status::Spins;
    local
}

impl Program {
    /// Threads that another one creates.
    fn is_created(&self, thread: usize) -> bool {
        let creates = |op: &Op| *op == Op::Create(thread);
        self.code.iter().flatten().any(creates)
    }

    fn begin(&self, thread: usize) -> Local {
        let first = Local {
            at: 0,
            registers: [0; REGISTERS],
            status: Status::Runs,
        };
        settle(&self.code[thread], first)
    }

    pub fn initial(&self) -> State {
        let mut variables = self.first.clone();
        variables.resize(self.variables, 0);
        let threads = (0..self.code.len()).map(|thread| match self.is_created(thread) {
            true => Local {
                at: 0,
                registers: [0; REGISTERS],
                status: Status::Unborn,
            },
            false => self.begin(thread),
        });
        State {
            variables,
            owners: vec![None; self.locks],
            threads: threads.collect(),
        }
    }

    /// The step that a thread stands before.
    pub fn pending(&self, state: &State, thread: usize) -> Option<Op> {
        let local = &state.threads[thread];
        (local.status == Status::Runs).then(|| self.code[thread][local.at])
    }

    pub fn is_enabled(&self, state: &State, thread: usize) -> bool {
        let local = &state.threads[thread];
        match self.pending(state, thread) {
            None => false,
            Some(Op::Await(cell, value)) => state.variables[local.cell(cell)] == value,
            Some(Op::Down(cell)) => state.variables[local.cell(cell)] > 0,
            Some(Op::Lock(lock)) => state.owners[lock].is_none(),
            Some(Op::Join(other)) => {
                !matches!(state.threads[other].status, Status::Runs | Status::Unborn)
            }
            Some(_) => true,
        }
    }

    /// How many alternatives a step has.
    pub fn alternatives(&self, state: &State, thread: usize) -> u8 {
        match self.pending(state, thread) {
            Some(Op::Choose(n, _)) => n,
            _ => 1,
        }
    }

    /// The state behind a step of a thread that is enabled, and what the step touched.
    pub fn step(&self, state: &State, thread: usize, alternative: u8) -> (Touched, State) {
        let mut after = state.clone();
        let mut local = state.threads[thread];
        let op = self.pending(state, thread).expect("the thread runs");
        let touched = match op {
            Op::Load(cell, register) => {
                let variable = local.cell(cell);
                local.registers[register] = state.variables[variable];
                Some((Thing::Variable(variable), false))
            }
            Op::Await(cell, _) => Some((Thing::Variable(local.cell(cell)), false)),
            Op::Store(..) | Op::Add(..) | Op::Exchange(..) | Op::Down(_) => {
                self.change(op, &mut local, &mut after.variables)
            }
            Op::Lock(lock) => {
                after.owners[lock] = Some(thread);
                Some((Thing::Lock(lock), true))
            }
            Op::Unlock(lock) => {
                if state.owners[lock] == Some(thread) {
                    after.owners[lock] = None;
                }
                Some((Thing::Lock(lock), true))
            }
            Op::Trylock(lock, register) => {
                let succeeds = state.owners[lock].is_none();
                if succeeds {
                    after.owners[lock] = Some(thread);
                }
                local.registers[register] = succeeds.into();
                Some((Thing::Lock(lock), succeeds))
            }
            Op::Choose(_, register) => {
                local.registers[register] = alternative;
                None
            }
            Op::Create(other) => {
                if state.threads[other].status == Status::Unborn {
                    after.threads[other] = self.begin(other);
                }
                Some((Thing::Thread(other), true))
            }
            Op::Join(_) => None,
            _ => unreachable!("no step: {op:?}"),
        };
        local.at += 1;
        after.threads[thread] = settle(&self.code[thread], local);
        (touched, after)
    }

    fn change(&self, op: Op, local: &mut Local, variables: &mut [u8]) -> Touched {
        let (Op::Store(cell, _) | Op::Add(cell, ..) | Op::Exchange(cell, ..) | Op::Down(cell)) = op
        else {
            unreachable!("no change: {op:?}");
        };
        let variable = local.cell(cell);
        let old = variables[variable];
        let mut writes = true;
        variables[variable] = match op {
            Op::Store(_, value) => local.value(value) % self.domain,
            Op::Add(_, n, register) => {
                local.registers[register] = old;
                (i16::from(old) + i16::from(n)).rem_euclid(i16::from(self.domain)) as u8
            }
            Op::Exchange(_, from, to, register) => {
                writes = old == from;
                local.registers[register] = writes.into();
                if writes {
                    to
                } else {
                    old
                }
            }
            _ => old - 1,
        };
        Some((Thing::Variable(variable), writes))
    }

    /// Which propositions hold.
    pub fn valuation(&self, state: &State) -> Vec<bool> {
        let all = self.propositions.iter();
        all.map(|&(variable, value)| state.variables[variable] == value)
            .collect()
    }
}
