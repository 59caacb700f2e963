//! The orders in which threads take locks, over all executions: what may deadlock although nothing did.
//!
//! Every lock that a thread took while it held others is kept with these, in a table that is never taken
//! back. At the end of the check a cycle is looked for: threads of which each takes a lock that the next
//! one holds when it takes its own, and no two of which hold a lock in common. That all executions were
//! explored and none deadlocked is because something else orders them; a change elsewhere may undo that.
//!
//! Source: Havelund, *Using runtime analysis to guide model checking of Java programs* (SPIN 2000): the
//! lock graph, its guarded cycles and its threads.

use crate::knowledge::orders::{Order, Who, LENGTH_MAX, THREADS_MAX};
use crate::runtime::{runtime, Runtime};
use crate::sites::place;
use crate::{object, site};
use dpor_model::ObjectId;
use dpor_report::{Access, Finding, FindingKind};

const STEPS_MAX: usize = 1_000_000;

/// The running thread took `lock` for itself alone while it held `others`. `before`: number of ended threads that had
/// its thread number before.
#[cold]
pub fn note(others: u32, lock: ObjectId, before: u32) {
    // SAFETY: a fiber runs; nobody else holds a reference (see `runtime`).
    let rt = unsafe { &mut *runtime() };
    if !object::is_program_lock(lock) {
        return;
    }
    let (key, thread) = ((others, lock.0), (rt.current.0, before));
    if rt.orders.last == Some((key, thread)) {
        return;
    }
    rt.orders.last = Some((key, thread));
    let order = rt.orders.taken.entry(key).or_insert(Order {
        threads: Vec::new(),
        site: site(),
    });
    if order.threads.len() < THREADS_MAX && !order.threads.contains(&thread) {
        order.threads.push(thread);
    }
}

/// A lock of a cycle: taken, with these held, by these threads, there.
struct Edge<'a> {
    held: &'a [u64],
    taken: u64,
    order: &'a Order,
}

/// One finding for each cycle of locks.
pub fn inversions(rt: &Runtime) -> Vec<Finding> {
    let here = rt.orders.taken.iter().map(|(&(held, taken), order)| Edge {
        held: rt.races.locks_of(held),
        taken,
        order,
    });
    let elsewhere = rt
        .orders
        .elsewhere
        .iter()
        .map(|((held, taken), order)| Edge {
            held,
            taken: *taken,
            order,
        });
    let mut edges: Vec<Edge<'_>> = { here.chain(elsewhere) }
        .filter(|edge| !edge.held.contains(&edge.taken))
        .collect();
    edges.sort_by_key(|edge| (edge.taken, edge.held));
    let mut found: Vec<Vec<u64>> = Vec::new();
    let mut findings = Vec::new();
    let (mut path, mut steps) = (Vec::new(), STEPS_MAX);
    for first in 0..edges.len() {
        path.push(first);
        extend(&edges, &mut path, &mut steps, &mut |cycle| {
            let mut locks: Vec<u64> = cycle.iter().map(|&at| edges[at].taken).collect();
            locks.sort_unstable();
            if !found.contains(&locks) {
                found.push(locks);
                findings.push(finding(&edges, cycle));
            }
        });
        path.pop();
    }
    findings
}

/// Calls `each` with the cycles that begin with `path`, whose first edge takes the smallest lock.
fn extend(
    edges: &[Edge<'_>],
    path: &mut Vec<usize>,
    steps: &mut usize,
    each: &mut dyn FnMut(&[usize]),
) {
    let (first, last) = (&edges[path[0]], &edges[path[path.len() - 1]]);
    if path.len() > 1 && first.held.contains(&last.taken) && can_meet(edges, path) {
        return each(path);
    }
    if path.len() == LENGTH_MAX || *steps < edges.len() {
        return;
    }
    *steps -= edges.len();
    for next in 0..edges.len() {
        let edge = &edges[next];
        if edge.taken > first.taken && edge.held.contains(&last.taken) {
            path.push(next);
            extend(edges, path, steps, each);
            path.pop();
        }
    }
}

/// Whether as many threads can stand there at once: different ones, with no lock in common.
fn can_meet(edges: &[Edge<'_>], path: &[usize]) -> bool {
    let held = |at: usize| edges[at].held;
    let apart = path.iter().enumerate().all(|(i, &one)| {
        let others = path[i + 1..].iter();
        others
            .into_iter()
            .all(|&other| !held(one).iter().any(|l| held(other).contains(l)))
    });
    apart && choose_threads(edges, path, &mut Vec::new())
}

/// Whether each of `path` has a thread of its own, none of `used`.
fn choose_threads(edges: &[Edge<'_>], path: &[usize], used: &mut Vec<Who>) -> bool {
    let Some((&first, rest)) = path.split_first() else {
        return true;
    };
    edges[first].order.threads.iter().any(|&thread| {
        if used.contains(&thread) {
            return false;
        }
        used.push(thread);
        let found = choose_threads(edges, rest, used);
        used.pop();
        found
    })
}

fn finding(edges: &[Edge<'_>], cycle: &[usize]) -> Finding {
    let access = |&at: &usize| {
        let edge = &edges[at];
        let address = |&lock: &u64| object::address(ObjectId(lock)).unwrap_or(0);
        Access {
            thread: edge.order.threads[0].0.into(),
            access: "lock".to_owned(),
            place: place(edge.order.site),
            locks: Vec::new(),
            instruction: 0,
            lock_addresses: edge.held.iter().map(address).collect(),
            ..Access::default()
        }
    };
    let locks = cycle.iter().map(|&at| {
        let lock = ObjectId(edges[at].taken);
        format!("{:#x}", object::address(lock).unwrap_or(0))
    });
    let locks: Vec<String> = locks.collect();
    Finding {
        kind: FindingKind::LockOrderInversion,
        message: format!(
            "threads take the locks {} in different orders",
            locks.join(", ")
        ),
        object: None,
        accesses: cycle.iter().map(access).collect(),
        trace: Vec::new(),
        executions: 0,
        preemptions: 0,
        minimal: false,
        preemptions_at_least: None,
        critical_step: None,
        loop_begins: None,
        loop_decisions: None,
        mark: None,
        replay: String::new(),
        warning: false,
        threads: Vec::new(),
        preemptions_at: Vec::new(),
        scenario: None,
        schedule: String::new(),
        details: vec![
            "no execution of this check ends in the deadlock that this can lead to".to_owned(),
        ],
    }
}
