//! Linear temporal logic without next: formulas as users write them ([`parse()`]), and automata that accept the words which
//! satisfy them ([`Automaton`]), our own or those of other translators ([`Hoa`]).
//!
//! A *word* is an infinite sequence of valuations; a valuation says which propositions hold. Next is left out: how many
//! steps something takes is the compiler's business.
//!
//! ```
//! use dpor_ltl::{parse, Automaton};
//! let known = ["request", "answer"];
//! let number = |name: &str| known.iter().position(|known| *known == name).map(|n| n as u32);
//! let formula = parse("G(request -> F answer)", &number).expect("a formula");
//! // What violates it: a request from which on there is no answer.
//! let violations = Automaton::of(&formula.negated()).expect("it is small");
//! assert!(violations.states.len() < 5);
//! ```
#![forbid(unsafe_code)]

mod automaton;
mod formula;
mod hoa;
mod parse;
mod word;

pub use automaton::{Automaton, State, TooLarge, STATES_MAX};
pub use formula::{Formula, PROPOSITIONS_MAX};
pub use hoa::{Hoa, WrongHoa};
pub use parse::{parse, Wrong};
pub use word::holds_on_lasso;
