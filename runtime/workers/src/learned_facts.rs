//! Facts that a search learns of the program and has to know from its beginning, as a value that processes can send
//! each other.
//!
//! Within one search an object means the same bytes, and an event is an event, in all executions.
//! One process makes sure of that by beginning again whenever it learns something. Several have to
//! agree: what they know at the end is put together, and if it does not fit together, or says more
//! than they knew in the beginning, what they explored is of no use and they begin again.

use dpor_engine::accesses::cells;
use dpor_engine::blocks::Cuts;
use dpor_engine::runtime::Runtime;
use dpor_engine::store_ownership::KnownOwners;
use dpor_engine::{input, learned_events};
use dpor_model::{ObjectId, SiteId};
use serde::{Deserialize, Serialize};

/// What a process knows of the program and a search has to know from its beginning.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LearnedFacts {
    /// Which bytes are one object.
    blocks: Cuts,
    /// The thread that stores to each object.
    store_ownership: KnownOwners,
    /// Cells that a compare-exchange touched.
    exchange_cells: Vec<u64>,
    /// Cells that an atomic store wrote.
    stored_cells: Vec<u64>,
    /// The program's doings that make events of what otherwise are none ([`learned_events::encode`]).
    uses: String,
    /// Reductions that are not given up.
    commute: bool,
    observers: bool,
    counters: bool,
    #[serde(default)]
    increments: bool,
    symmetry: bool,
    /// Site of the call for which the reduction `observers` was given up; 0: none.
    disordered_at: SiteId,
    /// Barriers with more users than they wait for.
    crowded: Vec<(ObjectId, u64)>,
    /// Cells in which threads wait for a value.
    awaited: Vec<ObjectId>,
    /// Cells that loops look at, turn after turn in vain.
    polled: Vec<ObjectId>,
    /// Parts of stacks that threads reach which are not theirs, after functions returned there.
    #[serde(default)]
    reached: Vec<(u64, u64)>,
    /// Whether pages of shadow memory may be judged as one: none was torn.
    #[serde(default = "yes")]
    whole_pages: bool,
    /// Bytes of standard input that the program wants to have read.
    input: u64,
    /// Standard input that has been read ([`input::known`]): a worker does not send it.
    #[serde(skip)]
    input_known: input::Known,
}

/// What is so in a search that was saved before it could be otherwise.
fn yes() -> bool {
    true
}

impl LearnedFacts {
    /// The facts that this process knows.
    pub fn of(rt: &Runtime) -> LearnedFacts {
        let reductions = rt.options.reductions;
        LearnedFacts {
            blocks: rt.blocks.cuts(),
            store_ownership: rt.store_ownership.known(),
            exchange_cells: rt.exchange_cells.iter().copied().collect(),
            stored_cells: rt.stored_cells.iter().copied().collect(),
            uses: learned_events::encode(),
            commute: reductions.commute,
            observers: reductions.observers,
            counters: reductions.counters,
            increments: reductions.increments,
            symmetry: reductions.symmetry,
            disordered_at: rt.disordered_at,
            crowded: rt.crowded.clone(),
            awaited: rt.awaited.clone(),
            polled: rt.polled.clone(),
            reached: rt.races.reached(),
            whole_pages: rt.races.judges_whole_pages(),
            input: input::wanted(),
            input_known: input::known(),
        }
    }

    /// A number that grows with the facts which grow without notice: while it stays, nothing was learnt.
    pub fn size(rt: &Runtime) -> usize {
        rt.blocks.count() + rt.store_ownership.count()
    }

    /// Makes this process, which has learnt nothing by itself, know these facts and nothing else.
    ///
    /// # Errors
    /// The facts are of another program, or this process knows something else.
    pub fn become_those_of(self, rt: &mut Runtime) -> Result<(), String> {
        let store_ownership = self.store_ownership.clone();
        let told = LearnedFacts {
            input_known: input::known(),
            ..self.clone()
        };
        self.add_to(rt)?;
        rt.store_ownership.become_like(&store_ownership);
        match LearnedFacts::of(rt) == told {
            true => Ok(()),
            false => Err("[dpor internal bug] it knows what rank 0 does not know".to_owned()),
        }
    }

    /// Adds the facts to those that this process knows. True if what was explored with these and with those does not
    /// belong to one search.
    ///
    /// # Errors
    /// The facts are of another program.
    pub fn add_to(self, rt: &mut Runtime) -> Result<bool, String> {
        let before = learned_events::encode();
        let mut apart = rt.blocks.add(&self.blocks);
        apart |= rt.store_ownership.add(&self.store_ownership);
        self.exchange_cells
            .iter()
            .for_each(|&cell| cells::remember_exchange(cell));
        self.stored_cells
            .iter()
            .for_each(|&cell| cells::remember_store(cell));
        rt.exchange_cells.extend(self.exchange_cells);
        rt.stored_cells.extend(self.stored_cells);
        learned_events::decode(&self.uses).ok_or("a worker learnt of calls that there are not")?;
        apart |= learned_events::encode() != before;
        let reductions = &mut rt.options.reductions;
        for (mine, theirs) in [
            (&mut reductions.commute, self.commute),
            (&mut reductions.observers, self.observers),
            (&mut reductions.counters, self.counters),
            (&mut reductions.increments, self.increments),
            (&mut reductions.symmetry, self.symmetry),
        ] {
            apart |= *mine != theirs;
            *mine &= theirs;
        }
        if rt.disordered_at == SiteId::UNKNOWN {
            rt.disordered_at = self.disordered_at;
        }
        for barrier in self.crowded {
            apart |= rt.learn_crowded(barrier);
        }
        for cell in self.awaited {
            apart |= rt.learn_awaited(cell);
        }
        for cell in self.polled {
            apart |= rt.learn_polled(cell);
        }
        apart |= rt.races.add_reached(&self.reached);
        apart |= rt.races.judges_whole_pages() != self.whole_pages;
        if !self.whole_pages {
            rt.races.judge_whole_pages(false);
        }
        apart |= input::read_up_to(self.input);
        Ok(apart)
    }
}
