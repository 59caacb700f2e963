//! A search over states that keeps no graph: some bits of each state, and the way to where it is.
//!
//! It expands closed sets as the other search does. That no thread is put off for ever cannot be asked of a graph that is
//! finished: where all successors by the chosen set were seen before, all threads are expanded. So from each other state a
//! step leads to one that was met later, and, states being finitely many, some way to one at which everybody is expanded.
//! Where futures grew the search begins anew, since the states at which too little was known are not known any more.

use super::bits::Bits;
use super::closed::Here;
use super::futures::Futures;
use super::graph::StateId;
use super::learning::{learn, Draws};
use super::limits::Config;
use super::program::Program;
use super::standing::{Standing, Standings, Wait};
use crate::mutation::Mutation;
use dpor_model::{ThreadId, ThreadSet};

/// What a search without a graph met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sifted {
    /// States that were met in the last round, but for those that were taken for others.
    pub states: u64,
    /// Steps that were executed in all rounds, without those that only led back to a state.
    pub steps: u64,
    /// How many rounds there were.
    pub rounds: u32,
    /// All that was met was expanded, and in the end too little was known nowhere.
    pub is_over: bool,
    /// Nothing but [`Config::depth_max`] is why it is not over.
    pub is_cut_by_depth: bool,
    /// Bytes of the bits.
    pub bytes: u64,
    /// The chance that a state that is new would be taken for another one at the end.
    pub taken_for_others: f64,
    /// Some step led to a state of the way to it, or to one that was left already.
    pub comes_back: bool,
}

/// A state of the present way.
struct Frame {
    /// How the threads stand: numbers of standings.
    stand: Vec<u32>,
    /// The step that led here; of no meaning at the root.
    step: (ThreadId, u32),
    /// Steps that are to be executed, the last first.
    todo: Vec<(ThreadId, u32)>,
    /// Threads that are enabled and were not chosen.
    rest: ThreadSet,
    /// Some step led to a state that was new.
    leads_on: bool,
}

struct Search<'a, P> {
    program: &'a mut P,
    config: &'a Config,
    bits: Bits,
    futures: Futures,
    standings: Standings,
    way: Vec<Frame>,
    /// Where on the way the program stands, if it is known.
    at: Option<usize>,
    present: Vec<Standing>,
    found: Sifted,
}

/// Visits states of a program, of each of which a few of so many bytes' bits are kept. States of the present way are kept
/// by the program under their number of steps from the root.
///
/// # Errors
/// The program cannot go on being explored.
pub fn sift<P: Program>(program: &mut P, config: &Config, bytes: u64) -> Result<Sifted, P::Stop> {
    let bits = Bits::new(bytes, config.seed);
    let found = Sifted {
        states: 0,
        steps: 0,
        rounds: 0,
        is_over: false,
        is_cut_by_depth: false,
        bytes: bits.bytes(),
        taken_for_others: 0.0,
        comes_back: false,
    };
    let mut search = Search {
        program,
        config,
        bits,
        futures: Futures::new(config.mutation),
        standings: Standings::default(),
        way: Vec::new(),
        at: None,
        present: Vec::new(),
        found,
    };
    search.run()?;
    search.found.taken_for_others = search.bits.taken_for_others();
    Ok(search.found)
}

impl<P: Program> Search<'_, P> {
    fn run(&mut self) -> Result<(), P::Stop> {
        if self.config.reduces {
            self.walk()?;
        }
        loop {
            self.found.rounds += 1;
            self.futures.learn();
            if !self.round()? {
                return Ok(());
            }
            let grew = self.config.reduces && self.futures.learn();
            if !grew || self.config.mutation.is(Mutation::LearnsOnce) {
                break;
            }
        }
        self.found.is_over = !self.found.is_cut_by_depth;
        Ok(())
    }

    /// Goes to the root, and forgets all states.
    fn begin(&mut self) -> Result<Vec<u32>, P::Stop> {
        self.bits.clear();
        self.way.clear();
        self.program.forget_kept();
        self.program.to_root()?;
        Ok(self.stand())
    }

    /// How the threads stand where the program does.
    fn stand(&mut self) -> Vec<u32> {
        self.present.clear();
        self.program.standings(&mut self.present);
        let all = self.present.iter();
        all.map(|one| self.standings.number(one, &mut self.futures))
            .collect()
    }

    /// Some random executions, from which futures are learned before anything is reduced.
    fn walk(&mut self) -> Result<(), P::Stop> {
        let mut draws = Draws(self.config.seed);
        for _ in 0..self.config.walks {
            let mut stand = self.begin()?;
            for _ in 0..self.config.walk_steps {
                let enabled: Vec<ThreadId> = self.standings.enabled(&stand).collect();
                if enabled.is_empty() {
                    break;
                }
                let thread = enabled[draws.below(enabled.len())];
                let alternatives = self.alternatives(&stand, thread);
                let alternative = alternatives[draws.below(alternatives.len())];
                stand = self.execute(&stand, (thread, alternative))?;
            }
        }
        Ok(())
    }

    fn alternatives(&self, stand: &[u32], thread: ThreadId) -> Vec<u32> {
        let met = self.standings.get(stand[thread.index()]);
        met.standing.alternatives.to_vec()
    }

    /// Executes a step where the threads stand so, learns from it, and returns how they stand then.
    fn execute(
        &mut self,
        before: &[u32],
        (thread, alternative): (ThreadId, u32),
    ) -> Result<Vec<u32>, P::Stop> {
        let step = self.program.step(thread, alternative)?;
        let after = self.stand();
        learn(
            &mut self.futures,
            &self.standings,
            (thread, &step.footprint),
            (before, &after),
            self.config.mutation,
        );
        self.found.steps += 1;
        Ok(after)
    }

    /// Visits what can be reached. False if a limit ended it.
    fn round(&mut self) -> Result<bool, P::Stop> {
        let stand = self.begin()?;
        (self.found.states, self.found.is_cut_by_depth) = (0, false);
        self.bits.insert(self.program.fingerprint());
        self.push(stand, (ThreadId::MAIN, 0));
        while !self.way.is_empty() {
            if self.found.states >= self.config.states_max || self.program.is_enough() {
                self.found.is_cut_by_depth = false;
                return Ok(false);
            }
            self.go_on()?;
        }
        Ok(true)
    }

    /// Executes the next step of the last state of the way, or leaves it.
    fn go_on(&mut self) -> Result<(), P::Stop> {
        let last = self.way.len() - 1;
        let frame = &mut self.way[last];
        let Some(step) = frame.todo.pop() else {
            let is_to_mend = !frame.leads_on && !self.config.mutation.is(Mutation::PutOff);
            let rest = std::mem::take(&mut frame.rest);
            match is_to_mend && !rest.is_empty() {
                true => self.want(&rest),
                false => drop(self.way.pop()),
            }
            return Ok(());
        };
        let stand = std::mem::take(&mut frame.stand);
        self.visit(last)?;
        self.at = None;
        let after = self.execute(&stand, step)?;
        self.way[last].stand = stand;
        match self.bits.insert(self.program.fingerprint()) {
            true => {
                self.way[last].leads_on = true;
                self.push(after, step);
            }
            false => self.found.comes_back = true,
        }
        Ok(())
    }

    /// The program stands at a state that is new.
    fn push(&mut self, stand: Vec<u32>, step: (ThreadId, u32)) {
        let depth = self.way.len();
        let here = Here {
            all: &stand,
            standings: &self.standings,
            futures: &self.futures,
            mutation: self.config.mutation,
        };
        let enabled = here.enabled();
        let turn = match depth {
            0 => ThreadId::MAIN,
            _ => ThreadId((step.0 .0 + 1) % (stand.len() as u16).max(1)),
        };
        let is_far = depth > self.config.depth_max as usize && !enabled.is_empty();
        let chosen = match self.config.reduces {
            _ if is_far => ThreadSet::default(),
            true => here.choose(turn),
            false => enabled.clone(),
        };
        let rest = match is_far {
            true => ThreadSet::default(),
            false => enabled.minus(&chosen),
        };
        self.found.is_cut_by_depth |= is_far;
        self.found.states += 1;
        self.way.push(Frame {
            stand,
            step,
            todo: Vec::new(),
            rest,
            leads_on: false,
        });
        self.want(&chosen);
        self.program.met();
        self.program.keep(StateId(depth as u32));
        self.at = Some(depth);
    }

    /// These threads are to be expanded at the last state of the way.
    fn want(&mut self, threads: &ThreadSet) {
        let Some(frame) = self.way.last() else {
            return;
        };
        let mut todo = Vec::new();
        for thread in threads.iter() {
            let met = self.standings.get(frame.stand[thread.index()]);
            debug_assert!(met.standing.wait == Wait::Enabled);
            let all = met.standing.alternatives.iter();
            todo.extend(all.map(|&alternative| (thread, alternative)));
        }
        todo.reverse();
        if let Some(frame) = self.way.last_mut() {
            frame.todo = todo;
        }
    }

    /// Takes the program to a state of the way.
    fn visit(&mut self, depth: usize) -> Result<(), P::Stop> {
        if self.at == Some(depth) {
            return Ok(());
        }
        let mut from = depth;
        while !self.program.to_kept(StateId(from as u32))? {
            if from == 0 {
                self.program.to_root()?;
                break;
            }
            from -= 1;
        }
        for at in from + 1..=depth {
            let (thread, alternative) = self.way[at].step;
            self.program.step(thread, alternative)?;
            self.program.keep(StateId(at as u32));
        }
        self.at = Some(depth);
        Ok(())
    }
}
