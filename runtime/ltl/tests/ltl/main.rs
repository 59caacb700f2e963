//! Formulas and automata, against the definition of what a formula says of a word.

mod automata;
mod equivalences;
mod hoa;
mod random;
mod texts;
mod translators;
