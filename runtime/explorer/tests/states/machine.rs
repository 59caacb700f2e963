//! The machine that runs a program of the tiny language for the search over states.

use crate::brute::OwnStep;
use crate::language::{Op, Program, State, Status, Thing, Touched};
use dpor_explorer::states::{
    self, Access, Class, Explored, Footprint, Object, Place, Standing, StateId, Step, Wait,
};
use dpor_model::ThreadId;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

/// What a machine does that does not change what the search finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// A place is an instruction, not the whole state of a thread.
    pub coarse: bool,
    /// Of how many states one is kept; 0: none.
    pub keeps: u32,
    /// Stores to what the propositions look at touch a common object.
    pub watches: bool,
}

impl Manner {
    pub const PLAIN: Manner = Manner {
        coarse: false,
        keeps: 1,
        watches: true,
    };
}

/// What is done with a graph that is not finished, and the states by their fingerprints. False: it is enough.
pub type Shown<'a> = &'a dyn Fn(&Explored, &[State]) -> bool;

/// Which propositions hold in a state of a program, a bit each.
pub type Tells = fn(&Program, &State) -> u64;

pub struct Machine<'a> {
    pub program: &'a Program,
    manner: Manner,
    state: State,
    kept: HashMap<StateId, State>,
    /// All states that were seen, by their fingerprints.
    pub states: Vec<State>,
    numbers: HashMap<State, u128>,
    /// Steps that were made, those on the way back to a state included.
    pub steps: usize,
    /// The propositions that hold in a state.
    pub tells: Tells,
    /// The states that were met in this round, and the steps of single threads.
    pub met: Vec<State>,
    pub shown: Option<Shown<'a>>,
    is_enough: bool,
    pub own_steps: BTreeSet<OwnStep>,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, manner: Manner) -> Self {
        Machine {
            program,
            manner,
            state: program.initial(),
            kept: HashMap::new(),
            states: Vec::new(),
            numbers: HashMap::new(),
            steps: 0,
            tells: bits,
            met: Vec::new(),
            shown: None,
            is_enough: false,
            own_steps: BTreeSet::new(),
        }
    }

    fn footprint(&self, touched: Touched) -> Footprint {
        let mut footprint = Footprint::new();
        let Some((thing, writes)) = touched else {
            return footprint;
        };
        let class = if writes { Class::WRITE } else { Class::READ };
        // 0 is what conflicts with everything.
        let number = match thing {
            Thing::Variable(n) => 1 + n,
            Thing::Lock(n) => 1_000 + n,
            Thing::Thread(n) => 2_000 + n,
        };
        footprint.push(on(number, class));
        let looks = |&(variable, _): &(usize, u8)| thing == Thing::Variable(variable);
        if writes && self.manner.watches && self.program.propositions.iter().any(looks) {
            footprint.push(on(3_000, Class::WRITE));
        }
        footprint
    }

    /// What the step that a thread stands before would touch, over all its outcomes here.
    fn next(&self, thread: usize) -> Footprint {
        let local = &self.state.threads[thread];
        match self.program.pending(&self.state, thread) {
            None => Footprint::new(),
            // These may be blocked.
            Some(Op::Await(cell, _)) => {
                self.footprint(Some((Thing::Variable(local.cell(cell)), false)))
            }
            Some(Op::Down(cell)) => self.footprint(Some((Thing::Variable(local.cell(cell)), true))),
            Some(Op::Lock(lock)) => self.footprint(Some((Thing::Lock(lock), true))),
            Some(Op::Join(_)) => Footprint::new(),
            Some(_) => self.footprint(self.program.step(&self.state, thread, 0).0),
        }
    }

    fn wait(&self, thread: usize) -> Wait {
        let number = |thread: usize| ThreadId(thread as u16);
        match self.program.pending(&self.state, thread) {
            None => Wait::Ended,
            Some(_) if self.program.is_enabled(&self.state, thread) => Wait::Enabled,
            Some(Op::Lock(lock)) => self.state.owners[lock]
                .map(number)
                .map_or(Wait::Everybody, Wait::Thread),
            Some(Op::Join(other)) => match self.state.threads[other].status {
                // Whoever creates it.
                Status::Unborn => Wait::Everybody,
                _ => Wait::Thread(number(other)),
            },
            Some(_) => Wait::Writers,
        }
    }

    fn place(&self, thread: usize) -> Place {
        let local = &self.state.threads[thread];
        let mut hasher = DefaultHasher::new();
        match self.manner.coarse {
            true => (thread, local.at, local.status as u8).hash(&mut hasher),
            false => (thread, local).hash(&mut hasher),
        }
        Place(hasher.finish())
    }
}

/// The propositions that hold in a state, a bit each.
pub fn bits(program: &Program, state: &State) -> u64 {
    let all = program.valuation(state).into_iter().enumerate();
    all.map(|(n, holds)| u64::from(holds) << n).sum()
}

fn on(number: usize, class: Class) -> Access {
    Access {
        object: Object(number as u32),
        class,
    }
}

/// Whether a thread stands before an operation for which it may have to wait.
pub fn may_wait(program: &Program, state: &State, thread: usize) -> bool {
    matches!(
        program.pending(state, thread),
        Some(Op::Await(..) | Op::Down(_) | Op::Lock(_))
    )
}

impl states::Program for Machine<'_> {
    type Stop = std::convert::Infallible;

    fn to_root(&mut self) -> Result<(), Self::Stop> {
        self.state = self.program.initial();
        Ok(())
    }

    fn to_kept(&mut self, state: StateId) -> Result<bool, Self::Stop> {
        let kept = self.kept.get(&state);
        self.state.clone_from(kept.unwrap_or(&self.state.clone()));
        Ok(kept.is_some())
    }

    fn forget_kept(&mut self) {
        self.kept.clear();
        self.met.clear();
        self.own_steps.clear();
    }

    fn is_shown(&mut self, explored: &Explored) -> Result<(), Self::Stop> {
        self.is_enough |= self
            .shown
            .is_some_and(|shown| !shown(explored, &self.states));
        Ok(())
    }

    fn is_enough(&self) -> bool {
        self.is_enough
    }

    fn met(&mut self) {
        self.met.push(self.state.clone());
    }

    fn keep(&mut self, state: StateId) {
        if self.manner.keeps > 0 && state.0.is_multiple_of(self.manner.keeps) {
            self.kept.insert(state, self.state.clone());
        }
    }

    fn step(&mut self, thread: ThreadId, alternative: u32) -> Result<Step, Self::Stop> {
        let (touched, after) = self
            .program
            .step(&self.state, thread.index(), alternative as u8);
        let n = thread.index();
        let own = (n, self.state.threads[n], touched, after.threads[n]);
        self.own_steps.insert(own);
        self.state = after;
        self.steps += 1;
        Ok(Step {
            footprint: self.footprint(touched),
            progress: false,
        })
    }

    fn fingerprint(&mut self) -> u128 {
        let next = self.states.len() as u128;
        let number = *self.numbers.entry(self.state.clone()).or_insert(next);
        if number == next {
            self.states.push(self.state.clone());
        }
        number
    }

    fn valuation(&mut self) -> u64 {
        (self.tells)(self.program, &self.state)
    }

    fn standings(&mut self, into: &mut Vec<Standing>) {
        for thread in 0..self.state.threads.len() {
            let alternatives = self.program.alternatives(&self.state, thread);
            into.push(Standing {
                place: self.place(thread),
                next: self.next(thread),
                wait: self.wait(thread),
                joins: match self.program.pending(&self.state, thread) {
                    Some(Op::Join(other)) => Some(ThreadId(other as u16)),
                    _ => None,
                },
                waits_its_turn: may_wait(self.program, &self.state, thread),
                pauses: false,
                alternatives: (0..u32::from(alternatives)).collect(),
            });
        }
    }
}
