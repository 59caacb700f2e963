//! A search that visits states, each once: for programs that go on for ever, which the search by traces cannot end.
//!
//! The program is run to build a graph ([`Graph`]): its nodes are fingerprints of states, its edges are steps. At a
//! state only a closed set of threads is expanded (`closed`): a persistent set, since what the other threads may still do
//! is learned from all steps that were seen so far (`futures`). Where that turns out to have been too little, the search
//! begins anew with what it knows ([`explore`]). That no thread is put off for ever is seen to on the graph that is
//! finished (`mend`), and does not depend on the order of exploration.
//!
//! Promised of the graph, once the search has ended: every state of a single thread, every step of one, and every state
//! in which no thread can go on, that some execution has, is there.
//!
//! With [`Keeps::Runs`] also, for each weakly fair run, a weakly fair one with the same sequence of valuations up to
//! repetition: whether a formula without next holds can be asked of the graph ([`accepted_run`]).
//!
//! **Sources**: stubborn and persistent sets (Valmari, Petri Nets 1989; Godefroid, LNCS 1032, 1996). That the set is
//! closed under the learned futures, and that the provisos are asked of a finished graph, is our own; the proof is in
//! `docs/proof-of-states.md`.

mod bits;
mod closed;
mod column;
mod components;
mod contents;
mod early;
mod edges;
mod explored;
mod fused;
mod futures;
mod graph;
mod learning;
mod limits;
mod mend;
mod product;
mod program;
mod search;
mod standing;
mod within;
mod without_graph;

pub use crate::conflict::{Access, Class, Footprint, Object};
pub use crate::explorer::by_states::{Alone, ByStates, Driven};
pub use contents::Contents;
pub use explored::Explored;
pub use graph::{Edge, Graph, StateId};
pub use learning::Draws;
pub use limits::{Config, Keeps};
pub use product::{accepted_run, run_that_moves, run_that_repeats, Lasso, Move};
pub use program::{Program, Step};
pub use search::explore;
pub use standing::{Place, Standing, Wait};
pub use without_graph::{sift, Sifted};
