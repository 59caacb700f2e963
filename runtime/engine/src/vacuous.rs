//! Checks that saw nothing, because the program's assumptions never hold.

#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::Runtime;

/// Whether every execution was left by an assumption: what the program does behind them was not seen, and a wrong
/// assumption makes every test pass.
pub fn is_vacuous(rt: &Runtime) -> bool {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::VacuousVerified) {
        return false;
    }
    if rt.states.as_ref().is_some_and(|states| states.is_endless) {
        // A run that goes on for ever is left by no assumption.
        return false;
    }
    let executions = &rt.findings.executions;
    executions.blocked > 0 && executions.blocked + executions.redundant == executions.total()
}
