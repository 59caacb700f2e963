//! The search that remembers states (`--states`): it visits each once, and ends where they are finitely many.
//!
//! ```text
//!   dpor_explorer::states::explore ──► Checked ──► ByStates ──► Explorer ──► Native
//!     graph, rounds, reduction          findings,    objects,     trace,       fibers,
//!                                       limits       canonical    rewinding    memory
//!                                                    forms                     (its number: matched.rs)
//! ```
//!
//! *What of a state is matched*: memory by its pages and live stacks ([`matched`]); of the runtime's own rolled-back part
//! everything but what its owner leaves out ([`Concern::unmatched`](crate::concern::Concern::unmatched)); who knows of which
//! access ([`dpor_races::Races::knowledge`]); of objects what the explorer's canonical forms have. So what somebody forgets to
//! leave out makes a search endless, and never wrong.
//!
//! *What is off*: loops are not remembered by the number of the event at which they began (decisions 0047, 0051), nor are
//! their iterations counted: they go round and come back. Clocks stand still ([`clock`]).

pub mod abstraction;
mod built_in;
mod checked;
pub mod clock;
pub mod dead_registers;
pub mod dead_stack;
mod differing;
mod drawn;
pub mod matched;
mod promised;
mod questions;
pub mod repeated_loop;
pub mod unmatched;

use crate::execution::{has_learnt, start_over};
use crate::own_storage::own_storage;
use crate::properties;
use crate::runtime::Runtime;
use crate::searching::Engine;
use crate::stop::Stop;
use checked::{Checked, Halt};
use dpor_abi::options::{Fair, Guarantee, States as Keep};
use dpor_explorer::states::{explore as visit, sift, Config, Keeps};
use dpor_report::{text, Bits, States, DRAWN_MAX};
use questions::Questions;
use std::rc::Rc;

/// Bytes that a state takes in the graph, about: its node, its place in the table and the row of its threads' standings
/// (measured: 48 to 60 with two steps each; where no two states have the same row, 80).
const STATE_BYTES: u64 = 64;

/// States of a graph that is asked early for the first time: where there are fewer the search is over as soon as that would
/// be (chosen; it takes some tens of milliseconds, and twice as many take twice as long).
const SHOWN_FROM: u64 = 4_096;

/// How the search is to go.
fn config(rt: &Runtime, questions: &Questions) -> Config {
    let options = &rt.options;
    let by_memory = options.states_memory / STATE_BYTES;
    let most = match options.max_states {
        0 => by_memory,
        states => states.min(by_memory),
    };
    let is_fair_enough = !options.non_progress || options.fair != Fair::None;
    Config {
        // Without fairness, steps that are put off may be those that get on. What is known of a thread at one state says
        // nothing of any thread at another that is taken for it.
        reduces: is_fair_enough
            && questions.may_reduce()
            && !options.reductions.merge_nothing()
            && !abstraction::is_all(),
        keeps: match options.asks_of_runs() {
            true => Keeps::Runs,
            false => Keeps::Ends,
        },
        states_max: most.min(u64::from(u32::MAX)),
        preemptions_max: options.bound,
        fused_max: u16::try_from(options.fuse).unwrap_or(u16::MAX),
        depth_max: match options.max_depth {
            0 => u32::MAX,
            depth => u32::try_from(depth).unwrap_or(u32::MAX),
        },
        // With -k nothing ends early.
        shown_from: match options.asks_of_runs() && !options.keep_going {
            true => SHOWN_FROM,
            false => u64::MAX,
        },
        seed: options.seed,
        ..Config::default()
    }
}

/// Understands what is asked, before anything is explored.
///
/// # Errors
/// A sentence: what is asked makes no sense of this program.
pub fn prepare(rt: &mut Runtime) -> Result<(), String> {
    if rt.options.is_by_states() && !rt.is_replay() {
        let questions = questions::of(&rt.options)?;
        let drawn = match rt.options.graph {
            true => questions::stated(),
            false => 0,
        };
        properties::want(rt, questions.wanted() | drawn);
    }
    Ok(())
}

/// Visits all states, as far as the limits allow, and asks what is to be asked of them. Whether it was to, is asked
/// before.
pub fn explore(engine: &mut Engine) {
    loop {
        matched::begin(engine.rt());
        if engine.rt().stop.is_some() {
            return;
        }
        engine.rt().states = Some(Box::default());
        let outcome = once(engine);
        own_storage(engine.rt());
        match outcome {
            Ok(()) | Err(Halt::Over) => return,
            Err(Halt::Learnt) => start_over(engine),
        }
    }
}

fn once(engine: &mut Engine) -> Result<(), Halt> {
    let questions = questions::of(&engine.rt().options).unwrap_or_default();
    let config = config(engine.rt(), &questions);
    let Questions { all, built_ins } = questions;
    let mut checked = Checked::new(engine, config.seed, built_ins);
    let all = Rc::new(all);
    let early = Rc::clone(&all);
    checked.asks_early(Rc::new(move |checked, explored| {
        questions::ask(checked, explored, &early)
    }));
    if checked.rt().options.states == Keep::Bitstate {
        return sifted(&mut checked, &config);
    }
    let explored = visit(&mut checked, &config)?;
    let (contents, is_full) = (checked.contents_bytes(), checked.is_full());
    let rt = checked.rt();
    // Of the last step, too.
    if has_learnt(rt) {
        return Err(Halt::Learnt);
    }
    refuse_abstraction(rt);
    if let Some(counts) = &mut rt.states {
        counts.is_complete = explored.is_complete && !explored.leaves_some;
        counts.leaves_some = explored.leaves_some;
        counts.edges = Some(explored.steps);
        counts.is_endless = !explored.graph.is_acyclic();
        counts.bytes = explored.graph.bytes() as u64 + contents;
    }
    checked.note_never(&explored);
    let rt = checked.rt();
    if rt.findings.has_bug && !rt.options.keep_going {
        checked.draw(&explored);
        return Ok(());
    }
    if rt.stop.is_none() {
        abstraction::check(&mut checked, &explored)?;
    }
    let asked = questions::ask(&mut checked, &explored, &all);
    checked.draw(&explored);
    asked?;
    let rt = checked.rt();
    let is_over = rt.findings.has_bug && !rt.options.keep_going;
    if !explored.is_complete && !is_over {
        let limit = limit_reached(rt, explored.is_cut_by_depth, is_full);
        rt.stop.get_or_insert(Stop::Incomplete(limit));
        differing::look(&mut checked, &explored);
    }
    Ok(())
}

/// What an abstraction is not for: states that are not kept, ways that are changed for shorter ones, and several steps that
/// are taken as one.
fn refuse_abstraction(rt: &mut Runtime) {
    let options = &rt.options;
    let what = match options.states {
        Keep::Bitstate => "--states=bitstate",
        _ if options.bound.is_some() => "--bound",
        _ if options.fuse > 1 => "--fuse",
        _ if options.max_depth > 0 => "--max-depth",
        _ => return,
    };
    if abstraction::is_any() {
        let why = format!("{what} and dpor_abstraction exclude each other");
        rt.stop.get_or_insert(Stop::Unsupported(why));
    }
}

/// Visits states without a graph.
fn sifted(checked: &mut Checked, config: &Config) -> Result<(), Halt> {
    let rt = checked.rt();
    let config = Config {
        states_max: match rt.options.max_states {
            0 => u64::MAX,
            states => states,
        },
        ..config.clone()
    };
    let bytes = rt.options.states_memory;
    let found = sift(checked, &config, bytes)?;
    let rt = checked.rt();
    if has_learnt(rt) {
        return Err(Halt::Learnt);
    }
    refuse_abstraction(rt);
    if let Some(counts) = &mut rt.states {
        counts.edges = Some(found.steps);
        counts.is_endless = found.comes_back;
        counts.bytes = found.bytes;
        counts.bits = Some(Bits {
            taken_for_others: found.taken_for_others,
            finished: found.is_over,
        });
    }
    if !found.is_over && !rt.findings.has_bug {
        let limit = limit_reached(rt, found.is_cut_by_depth, false);
        rt.stop.get_or_insert(Stop::Incomplete(limit));
    }
    Ok(())
}

/// Why a program without a finding is not verified, of whose states only bits were kept.
pub const BITS: &str = "bits of states were kept: some may have been taken for others";

/// The bound of preemptions of a search over states, and whether something was left out because of it.
pub fn bound(rt: &Runtime) -> (Option<u64>, bool) {
    let bound = rt.options.bound.filter(|_| rt.options.is_by_states());
    let counts = rt.states.as_ref();
    let leaves_some = counts.is_some_and(|counts| counts.leaves_some);
    (bound.map(u64::from), leaves_some)
}

/// Whether only bits of states were kept.
pub fn are_bits_kept(rt: &Runtime) -> bool {
    let counts = rt.states.as_ref();
    counts.is_some_and(|counts| counts.bits.is_some())
}

/// What was visited, for the report. `is_only_bits`: nothing but [`BITS`] keeps the program from being verified.
pub fn of_report(rt: &Runtime, is_only_bits: bool) -> Option<States> {
    let mut states = visited(rt)?;
    if let Some(bits) = &mut states.bits {
        bits.finished &= is_only_bits;
    }
    Some(states)
}

/// What was visited.
pub fn visited(rt: &Runtime) -> Option<States> {
    let counts = rt.states.as_ref()?;
    Some(States {
        keeps: match rt.options.states {
            Keep::Off | Keep::Compact => Keep::Compact.as_str().to_owned(),
            other => other.as_str().to_owned(),
        },
        bits: counts.bits.clone(),
        unmatched_bytes: unmatched::bytes(),
        abstraction_bytes: abstraction::bytes(),
        abstraction_alone: abstraction::is_all(),
        compared: counts.compared,
        clocks_still: counts.is_clock_read && clock::is_still(),
        clocks_of_one_way: counts.is_clock_read && !clock::is_still(),
        without_end: counts.is_leaving && counts.is_endless,
        differing: counts.differing.clone(),
        holds: counts.holds.clone(),
        graph: counts.graph.clone(),
        states: counts.states,
        steps: counts.edges,
        steps_executed: counts.steps,
        rounds: counts.rounds,
        depth: counts.depth,
        bytes: counts.bytes,
        complete: counts.is_complete,
    })
}

/// What the words of the verdict mean.
pub fn notes(rt: &Runtime) -> Vec<String> {
    let Some(states) = visited(rt).filter(|_| !rt.is_replay()) else {
        return Vec::new();
    };
    let clocks = "clocks stood still, and sleeping took no time (--states)";
    let end = "the process has no end in this search: main returned while other threads go on for ever (--states)";
    let one =
        "each state was gone on from with clocks as they were on the first way to it (--states)";
    let notes = [
        (states.clocks_still, clocks),
        (states.clocks_of_one_way, one),
        (states.without_end, end),
    ];
    let all = notes.into_iter().filter(|(is_so, _)| *is_so);
    let never = rt.states.iter().flat_map(|counts| counts.never.clone());
    let undrawn = rt.options.graph && states.graph.is_none();
    let undrawn = undrawn.then(|| why_undrawn(&states));
    let fuse = rt.options.fuse;
    let fused = (fuse > 1).then(|| {
        format!("up to {fuse} steps of a thread were taken as one: the states in between were looked at, and not counted (--fuse)")
    });
    let all = all.map(|(_, note)| note.to_owned());
    let endless = is_endless(rt).then(|| ENDLESS.to_owned());
    all.chain(fused)
        .chain(never)
        .chain(undrawn)
        .chain(endless)
        .collect()
}

/// Why calls that are made again and again may have no end of states, and what helps.
const ENDLESS: &str = "threads make their calls again and again: where a turn of them leaves something behind (a counter that \
                       grows, a node that is not used again) there are new states for ever, and nothing is proved; operations \
                       that undo each other, and small numbers that wrap, have an end (--progress-guarantee=wait-free)";

/// Whether calls are made again and again, and their states did not come to an end.
fn is_endless(rt: &Runtime) -> bool {
    let is_cut = matches!(rt.stop, Some(Stop::Incomplete(_)));
    rt.options.guarantee == Guarantee::WaitFree && is_cut && !rt.findings.has_bug
}

/// Why there is no graph to draw.
fn why_undrawn(states: &States) -> String {
    let count = text::grouped(states.states);
    match states.complete {
        true => format!(
            "{count} states are too many to draw, of which there are at most {}: no file was written (--graph)",
            text::grouped(DRAWN_MAX as u64)
        ),
        false => "the graph of states is not finished: no file was written (--graph)".to_owned(),
    }
}

fn limit_reached(rt: &Runtime, is_cut_by_depth: bool, is_full: bool) -> String {
    match rt.options.max_states {
        _ if is_cut_by_depth => format!("max-depth: {}", rt.options.max_depth),
        _ if is_full => format!("states-memory: {} bytes", rt.options.states_memory),
        0 => format!("states-memory: {} bytes", rt.options.states_memory),
        most => format!("max-states: {most}"),
    }
}
