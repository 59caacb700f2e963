//! Stores that commute unless somebody reads one of them: the reduction `observers`.
//!
//! [`observe`] notes who reads which store while an execution runs, and orders the stores of the run that it was in;
//! [`reversals`] plans, when the execution has ended, what these orders exclude.

mod observe;
pub(crate) mod reversals;
mod same_store;

pub(crate) use same_store::same_store;
