//! A program whose states can be told apart and come back to.

use super::explored::Explored;
use super::graph::StateId;
use super::standing::Standing;
use crate::conflict::Footprint;
use dpor_model::ThreadId;

/// What a step did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What it touched, with this outcome. Nothing else that another thread could notice was changed by it, and on
    /// nothing else did it depend.
    pub footprint: Footprint,
    /// The thread marked that it gets on.
    pub progress: bool,
}

/// A program as the search over states runs it. It stands at one state at a time; threads have the numbers 0, 1, ….
///
/// Two states with one fingerprint are taken for the same: they have to behave alike.
pub trait Program {
    /// Why the program cannot go on being explored.
    type Stop;

    /// Goes to the state in which exploration begins.
    ///
    /// # Errors
    /// The program cannot go on being explored.
    fn to_root(&mut self) -> Result<(), Self::Stop>;

    /// Goes to a state that was kept. False, without having gone anywhere, if it is there no more: the search then goes
    /// to an earlier state of the way to it and repeats the steps from there.
    ///
    /// # Errors
    /// As for [`Program::to_root`].
    fn to_kept(&mut self, state: StateId) -> Result<bool, Self::Stop>;

    /// Forgets the states that were kept: from now on their names mean other ones.
    fn forget_kept(&mut self);

    /// Whether no further state is to be expanded: the search ends with what it has.
    fn is_enough(&self) -> bool {
        false
    }

    /// The graph as far as it has come ([`super::Config::shown_from`]). Its steps were executed, and its runs are runs of the
    /// program; others may be missing, also from states that have some. The program need not stand where it did afterwards.
    ///
    /// # Errors
    /// What was seen is enough, or the program cannot go on being explored.
    fn is_shown(&mut self, _: &Explored) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Whether states with one fingerprint may be others than each other, as long as they behave alike: who met one again
    /// does not stand where it was met first.
    fn is_abstract(&self) -> bool {
        false
    }

    /// The program stands at a state that is new in this round.
    fn met(&mut self) {}

    /// May keep the state where the program stands, to come back to it by this name.
    fn keep(&mut self, state: StateId);

    /// Lets a thread, which is enabled here, perform its pending operation with this alternative, and run to the next one.
    /// Other threads may go on, too, as long as they touch nothing that anybody could notice (behind a join, say).
    ///
    /// # Errors
    /// As for [`Program::to_root`].
    fn step(&mut self, thread: ThreadId, alternative: u32) -> Result<Step, Self::Stop>;

    /// The fingerprint of the state where the program stands.
    fn fingerprint(&mut self) -> u128;

    /// Which propositions hold where the program stands: a bit each. Steps that change what they look at touch a common
    /// object.
    fn valuation(&mut self) -> u64 {
        0
    }

    /// How the threads stand here, by number, into a list that is empty.
    fn standings(&mut self, into: &mut Vec<Standing>);
}
