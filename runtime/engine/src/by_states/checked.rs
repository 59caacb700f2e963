//! The program as the search over states drives it: each step is looked at for findings, and for a reason to stop.

use super::abstraction::{self, Samples};
use super::built_in::BuiltIns;
use super::drawn::Drawn;
use super::matched;
use super::STATE_BYTES;
use crate::execution::{has_learnt, is_enough_by, is_time_to_look};
use crate::execution_end::{execution_ended, keep_findings};
use crate::given::concerns;
use crate::live_stacks::live_stacks;
use crate::native::Native;
use crate::own_storage::own_storage;
use crate::runtime::Runtime;
use crate::searching::{Engine, Searching};
use crate::stop::Stop;
use crate::{properties, search_fault};
use dpor_abi::options::States as Keep;
use dpor_explorer::states::{
    ByStates, Contents, Driven, Explored, Lasso, Program, Standing, StateId, Step,
};
use dpor_explorer::{End, Execution, Explorer, Fault};
use dpor_model::ThreadId;
use std::rc::Rc;
use xxhash_rust::xxh3::xxh3_128;

/// Why the search does not go on.
pub(super) enum Halt {
    /// Something was learnt: the search begins anew.
    Learnt,
    /// It is over: a finding, a limit, or what cannot be explored.
    Over,
}

/// The engine's explorer and the native program.
struct Own<'a>(&'a mut Engine);

/// What is wrong where a search over states has no explorer of its own.
const ALONE: &str = "[dpor internal bug] several workers search over states";

impl Driven for Own<'_> {
    type Program = Native;

    fn explorer(&self) -> &Explorer {
        &self.0.search
    }

    fn parts(&mut self) -> (&mut Explorer, &mut Native) {
        match &mut *self.0.search {
            Searching::Alone(explorer) => (explorer, &mut self.0.native),
            Searching::Together(_) => panic!("{ALONE}"),
        }
    }
}

/// Asks the questions of a graph that is not finished.
pub(super) type Early = Rc<dyn Fn(&mut Checked<'_>, &Explored) -> Result<(), Halt>>;

/// The native program, checked.
pub(super) struct Checked<'a> {
    by_states: ByStates<Own<'a>>,
    /// A limit was reached, or somebody asked to stop: no further state is expanded.
    is_cut: bool,
    /// States that were met again, where the program tells them apart by itself.
    samples: Samples,
    /// What questions speak of and the program does not state.
    built_ins: BuiltIns,
    /// What is to be drawn.
    drawn: Option<Drawn>,
    /// Something was found on the step to where the program stands.
    is_wrong: bool,
    /// What is asked of a graph that is not finished, if anything is.
    early: Option<Early>,
    /// Bytes that states took when one was met last, and may take: if they are compared exactly.
    of_states: u64,
    contents_max: Option<u64>,
}

impl<'a> Checked<'a> {
    /// The engine's program at its root.
    pub fn new(engine: &'a mut Engine, seed: u64, built_ins: BuiltIns) -> Self {
        let drawn = engine.rt().options.graph.then(Drawn::default);
        let is_exact = engine.rt().options.states == Keep::Exact;
        let states_memory = engine.rt().options.states_memory;
        let by_states = ByStates::of(Own(engine), seed);
        let mut checked = Checked {
            by_states: match is_exact {
                true => by_states.exactly(),
                false => by_states,
            },
            is_cut: false,
            samples: Samples::default(),
            built_ins,
            drawn,
            is_wrong: false,
            early: None,
            of_states: 0,
            contents_max: is_exact.then_some(states_memory),
        };
        if let Some(counts) = &mut checked.rt().states {
            counts.contents = is_exact.then(Contents::default);
        }
        checked
    }

    /// Asks this of graphs that are not finished.
    pub fn asks_early(&mut self, early: Early) {
        self.early = Some(early);
    }

    /// Bytes that the contents of states take, if they are compared exactly.
    pub fn contents_bytes(&mut self) -> u64 {
        let own = self.by_states.contents_bytes() as u64;
        let counts = self.rt().states.as_ref();
        let contents = counts.and_then(|counts| counts.contents.as_ref());
        own + contents.map_or(0, Contents::bytes) as u64
    }

    /// Whether states that are compared exactly take all the memory that they may.
    pub fn is_full(&self) -> bool {
        self.contents_max.is_some_and(|most| self.of_states > most)
    }

    /// A run is a finding.
    pub fn note_run(&mut self, run: &Lasso) {
        if let Some(drawn) = &mut self.drawn {
            drawn.note_run(run);
        }
    }

    /// Leaves the graph for the report, if it is to be drawn and can be.
    pub fn draw(&mut self, explored: &Explored) {
        let Some(drawn) = self.drawn.take() else {
            return;
        };
        let graph = drawn.graph(explored, &|valuation| self.built_ins.named(valuation));
        if let Some(counts) = &mut self.rt().states {
            counts.graph = graph;
        }
    }

    /// Notes which built-in propositions hold at no state of a graph that is finished.
    pub fn note_never(&mut self, explored: &Explored) {
        let valuations = explored.graph.all();
        let valuations = valuations.map(|state| explored.graph.valuation(state));
        let never = match explored.is_complete {
            true => self
                .built_ins
                .never(valuations.fold(0, |all, own| all | own)),
            false => Vec::new(),
        };
        if let Some(counts) = &mut self.rt().states {
            counts.never = never;
        }
    }

    /// The number of what the program's functions write and of how the execution ended, if it did.
    fn fingerprint_of_bytes(&mut self) -> u128 {
        let misuse = self.by_states.misuse().map(|kind| kind as u64);
        let words = match self.by_states.end() {
            None => [0, 0],
            Some(end) => [end_number(&end), misuse.map_or(0, |kind| 1 + kind)],
        };
        matched::bytes_alone(self.rt(), words)
    }

    /// The number of all that tells states apart but the program's memory, also where less is matched.
    pub fn fingerprint_with_objects(&mut self) -> u128 {
        self.by_states.fingerprint()
    }

    /// States that were met again.
    pub fn samples(&mut self) -> &mut Samples {
        &mut self.samples
    }

    /// Steps are made although a limit was reached.
    pub fn goes_on(&mut self) {
        self.is_cut = true;
    }

    fn engine(&mut self) -> &mut Engine {
        self.by_states.driven().0
    }

    /// What the runtime knows.
    pub fn rt(&mut self) -> &mut Runtime {
        self.engine().rt()
    }

    /// What the runtime knows, and the search.
    pub fn parts(&mut self) -> (&mut Runtime, &mut Searching) {
        self.engine().parts()
    }

    /// The number of events on the way to where the program stands.
    pub fn events(&self) -> usize {
        self.by_states.trace().len()
    }

    /// What a fault of the search means.
    fn halted(&mut self, fault: Fault) -> Halt {
        let (rt, search) = self.engine().parts();
        if let Fault::Stopped = fault {
            // What was found before is no less true.
            keep_findings(rt, search);
            return Halt::Over;
        }
        if has_learnt(rt) {
            return Halt::Learnt;
        }
        match search_fault::stop(rt, fault) {
            None => Halt::Learnt,
            Some(stop) => {
                rt.stop = Some(stop);
                Halt::Over
            }
        }
    }

    /// The program was run: whether the search goes on. `known`: findings that it had before.
    fn look(&mut self, outcome: Result<(), Fault>, known: usize) -> Result<(), Halt> {
        own_storage(self.engine().rt());
        if let Err(fault) = outcome {
            return Err(self.halted(fault));
        }
        let (rt, search) = self.engine().parts();
        if has_learnt(rt) {
            return Err(Halt::Learnt);
        }
        if rt.findings.running.len() > known {
            keep_findings(rt, search);
            self.is_wrong = true;
        }
        let rt = self.rt();
        if !(concerns().can_checkpoint)() || live_stacks(rt).is_none() {
            rt.stop = Some(Stop::Unsupported(
                "--states: memory that the program mapped, or a stack that it made, is not matched"
                    .to_owned(),
            ));
        }
        let looks = is_time_to_look(self.engine().rt());
        let is_enough = is_enough_by(self.engine(), looks);
        let rt = self.rt();
        let has_bug = rt.findings.has_bug && !rt.options.keep_going;
        let is_limit = matches!(rt.stop, Some(Stop::Incomplete(_)));
        match is_enough {
            true if is_limit && !has_bug => self.is_cut = true,
            true => return Err(Halt::Over),
            false => {}
        }
        Ok(())
    }

    fn known(&mut self) -> usize {
        self.engine().rt().findings.running.len()
    }
}

impl Program for Checked<'_> {
    type Stop = Halt;

    fn to_root(&mut self) -> Result<(), Halt> {
        (concerns().execution_begins)();
        let outcome = self.by_states.to_root();
        // No step was made since, which looks at them.
        properties::look_again(self.rt());
        // What was found before the root is kept, too.
        self.look(outcome, 0)
    }

    fn to_kept(&mut self, state: StateId) -> Result<bool, Halt> {
        (concerns().execution_begins)();
        let outcome = self.by_states.to_kept(state);
        let is_there = *outcome.as_ref().unwrap_or(&false);
        let known = self.known();
        self.look(outcome.map(|_| ()), known)?;
        Ok(is_there)
    }

    fn forget_kept(&mut self) {
        self.by_states.forget_kept();
        self.samples.forget();
        if let Some(drawn) = &mut self.drawn {
            drawn.forget_states();
        }
        let rt = self.engine().rt();
        rt.findings.executions = Default::default();
        if let Some(counts) = &mut rt.states {
            counts.states = 0;
            counts.depth = 0;
            counts.rounds += 1;
        }
    }

    fn keep(&mut self, state: StateId) {
        self.by_states.keep(state);
        let (values, is_wrong) = (self.rt().properties.values, self.is_wrong);
        if let Some(drawn) = &mut self.drawn {
            drawn.note_state(state, values, is_wrong);
        }
    }

    fn is_shown(&mut self, explored: &Explored) -> Result<(), Halt> {
        match self.early.clone() {
            Some(early) => early(self, explored),
            None => Ok(()),
        }
    }

    fn is_enough(&self) -> bool {
        self.is_cut || self.is_full()
    }

    fn is_abstract(&self) -> bool {
        abstraction::is_any()
    }

    fn met(&mut self) {
        let events = self.by_states.trace().len();
        let end = self.by_states.end();
        let is_leaving = self.by_states.is_leaving();
        let (rt, _) = self.engine().parts();
        if let Some(counts) = &mut rt.states {
            counts.is_leaving |= is_leaving;
            counts.states += 1;
            counts.depth = counts.depth.max(events as u64);
        }
        let graph = STATE_BYTES * rt.states.as_ref().map_or(0, |counts| counts.states);
        if self.contents_max.is_some() {
            self.of_states = graph + self.contents_bytes();
        }
        let (rt, search) = self.engine().parts();
        if let Some(end) = end {
            let execution = Execution {
                end,
                events,
                replayed: 0,
                beyond: false,
            };
            let known = rt.findings.running.len();
            execution_ended(rt, search, &execution);
            self.is_wrong |= self.known() > known;
        }
    }

    fn step(&mut self, thread: ThreadId, alternative: u32) -> Result<Step, Halt> {
        let known = self.known();
        self.is_wrong = false;
        if let Some(counts) = &mut self.engine().rt().states {
            counts.steps += 1;
        }
        match self.by_states.step(thread, alternative) {
            Ok(step) => self.look(Ok(()), known).map(|()| step),
            Err(fault) => {
                self.look(Err(fault), known)?;
                Err(Halt::Over)
            }
        }
    }

    fn fingerprint(&mut self) -> u128 {
        let of_program = match abstraction::is_all() {
            true => self.fingerprint_of_bytes(),
            false => self.by_states.fingerprint(),
        };
        let fingerprint = match self.built_ins.is_empty() {
            true => of_program,
            false => {
                // Who has ended and was joined is forgotten by the program, and not by the proposition.
                let more = self.built_ins.valuation(&mut self.by_states);
                match self.contents_max {
                    // A number below 2^32, and the other beside it.
                    Some(_) => of_program | u128::from(more) << 64,
                    None => {
                        let mut bytes = of_program.to_le_bytes().to_vec();
                        bytes.extend(more.to_le_bytes());
                        xxh3_128(&bytes)
                    }
                }
            }
        };
        if abstraction::is_any() {
            let every = self.rt().options.check_abstraction;
            let by_states = &self.by_states;
            let events = by_states.trace().events().iter();
            let way = || events.map(|event| (event.thread, event.decision.alternative));
            self.samples.met(fingerprint, every, || way().collect());
        }
        fingerprint
    }

    fn valuation(&mut self) -> u64 {
        let built_in = self.built_ins.valuation(&mut self.by_states);
        let properties = &self.rt().properties;
        properties.values & properties.wanted | built_in
    }

    fn standings(&mut self, into: &mut Vec<Standing>) {
        self.by_states.standings(into);
        if let Some(drawn) = &mut self.drawn {
            drawn.note_standings(self.by_states.trace(), into);
        }
    }
}

/// A number for how an execution ended, whoever waits for whom.
fn end_number(end: &End) -> u64 {
    match end {
        End::Complete => 1,
        End::Blocked => 2,
        End::Redundant => 3,
        End::Deadlock(_) => 4,
        End::Livelock(_) => 5,
        End::Exited => 6,
        End::Misuse(_) => 7,
        End::EventBound => 8,
        End::PreemptionBound => 9,
    }
}
