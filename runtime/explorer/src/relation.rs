//! How a step relates to a plan, and to a step that sleeps: the two questions from whose answers the search acts.
//!
//! A step is a *weak initial* of a plan if some equivalent order of the plan begins with it, or if
//! it commutes with all of it. What sleeps and is a weak initial covers the plan; a branch that is
//! one is where the plan goes on.
//!
//! A plan comes in three forms, each of which says what its [`Elements`] are: with the positions of its events
//! ([`crate::plan::Plan`]), as far as the clocks tell it ([`crate::quick_check::SimpleReversal`]), and as steps that
//! another worker sent (`crate::worker`).
//!
//! Source: weak initials in Optimal-DPOR (Abdulla et al., J. ACM 2017).

use crate::conflict::{wakes, Access};
use crate::observers::same_store;
use crate::tree::Step;
use dpor_model::ThreadId;

/// How a step relates to a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// The plan does not begin with it in any equivalent order.
    Conflicts {
        /// The answer, about a branch, cannot change with events executed after the race's second one.
        settled: bool,
    },
    /// The step commutes with the whole plan, as far as that goes today.
    Commutes,
    /// The step is this element of [`Elements`], and commutes with those before.
    Begins {
        /// The element that it is.
        element: usize,
        /// Whether the relation is settled, as of [`Relation::Conflicts`].
        settled: bool,
    },
    /// The relation depends on what the moved operation finds: the plan has to be made. Only of a reversal without its plan.
    Unknown,
}

/// The part that a step plays when it is related to a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A branch of the tree.
    Branch,
    /// The step sleeps: of one that conflicts with something it does not matter with what.
    Sleeper,
    /// The step is a store that sleeps unless it is read, and looked for only as one that nobody reads.
    UnlessRead,
}

/// What a step of some thread conflicts with in a plan, before the first element of that thread.
pub(crate) enum Obstacle {
    /// The step conflicts with nothing there.
    None,
    /// The step conflicts with the element at this place.
    Element(usize),
    /// The step conflicts with the moved operation, or with an event that nobody reads, or the plan turns its answer:
    /// that may change with events executed later.
    Open,
    /// What the step conflicts with depends on what the moved operation finds.
    Unknown,
}

/// The elements of a plan, in an order in which they can be executed.
pub(crate) trait Elements {
    /// The first one of a thread.
    fn first_of(&self, thread: ThreadId) -> Option<usize>;

    /// What `step` conflicts with before `own`, the first element of its thread, or in the whole plan if that is
    /// `None`.
    fn obstacle(&self, step: &Step, own: Option<usize>, role: Role) -> Obstacle;

    /// True if `own`, the first element of the thread of `step`, is that step.
    fn is(&self, own: usize, step: &Step, role: Role) -> bool;

    /// True if how `step` relates to the plan, which `element` decides, cannot change with events executed after the
    /// race's second one.
    fn is_settled(&self, element: usize, step: &Step) -> bool;
}

/// How `step` relates to a plan. Whether a conflict is settled is asked of branches only.
#[inline]
pub(crate) fn relate(step: &Step, plan: &impl Elements, role: Role) -> Relation {
    let own = plan.first_of(step.thread);
    let conflicts = |element| Relation::Conflicts {
        settled: role == Role::Branch && plan.is_settled(element, step),
    };
    match (plan.obstacle(step, own, role), own) {
        (Obstacle::Element(element), _) => conflicts(element),
        (Obstacle::Open, _) => Relation::Conflicts { settled: false },
        (Obstacle::Unknown, _) => Relation::Unknown,
        (Obstacle::None, None) => Relation::Commutes,
        (Obstacle::None, Some(element)) if plan.is(element, step, role) => Relation::Begins {
            element,
            settled: plan.is_settled(element, step),
        },
        (Obstacle::None, Some(element)) => conflicts(element),
    }
}

/// True unless the step is by a counter, and the footprint, of an event of the same operation, is one with the other answer.
#[inline]
pub(crate) fn answers_alike(footprint: &[Access], step: &Step) -> bool {
    // A look at a count is by a counter with one answer, and not with the other.
    is_answered_in(footprint, &step.footprint) && is_answered_in(&step.footprint, footprint)
}

/// Whether each access by a counter commutes with one of the others.
#[inline]
fn is_answered_in(others: &[Access], accesses: &[Access]) -> bool {
    accesses.iter().all(|access| {
        let is_same =
            |other: &Access| other.object == access.object && other.class.commutes(access.class);
        !access.class.is_counter() || others.iter().any(is_same)
    })
}

/// What becomes of a step that sleeps below another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Below {
    /// The sleeper no longer sleeps: the other conflicts with it, or is of its thread.
    Awake,
    /// The sleeper sleeps on.
    Asleep,
    /// The sleeper sleeps on unless it is read: the other is a store to the same bytes.
    UnlessRead,
    /// The sleeper was executed: the other is the same one, a store that sleeps unless it is read. (Nothing else is executed while
    /// it sleeps.)
    Executed,
}

/// Whether `sleeper` sleeps on below a node with step `step`, in whatever case of [`Below`].
#[inline]
pub(crate) fn sleeps_below(step: &Step, sleeper: &Step) -> bool {
    sleeper.thread != step.thread && !wakes(&sleeper.footprint, &step.footprint)
}

/// What becomes of `sleeper`, which sleeps, below a node with step `step`.
// Callers tell fewer cases apart, and what tells the others is then left out.
#[inline(always)]
pub(crate) fn below(step: &Step, sleeper: &Step) -> Below {
    if sleeps_below(step, sleeper) {
        return match same_store(&sleeper.footprint, &step.footprint) {
            true => Below::UnlessRead,
            false => Below::Asleep,
        };
    }
    let is_store = || sleeper.footprint.iter().any(|a| a.class.is_store());
    let is_same = sleeper.thread == step.thread
        && sleeper.alternative == step.alternative
        && sleeper.footprint == step.footprint;
    match is_same && is_store() {
        true => Below::Executed,
        false => Below::Awake,
    }
}
