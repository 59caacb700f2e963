//! Futexes: queues of waiters named by an address.
//!
//! State: the set of waiters ([`super::waiters`]). A wait is two events. `FutexWait` compares a word of
//! memory and joins the set, in one step; if the word differs it only reads the word. `FutexWoken`
//! touches no object: it is enabled once its thread has been taken out of the set, also of one that
//! it was moved to, and happens after the event that did it (`crate::woken`).
//!
//! Joining the set commutes with joining it: who waits longer is not part of a trace. A wake-up may
//! therefore take any of the waiters that it may wake, as many as it may, and each such subset is
//! an alternative. Subsets of one size are numbered from 0, those without the highest waiter first; a
//! requeue that wakes w and moves m of n waiters has alternative i + j * (n over w), where i is the
//! number of the subset that is woken and j that of the subset of the others that is moved. So has a
//! wake-up that changes a word and goes on to a second set, of which j is a subset; if the two sets are one,
//! it wakes the sum.
//!
//! An operation that finds nobody to wake or move only reads the set; so does a requeue whose comparison
//! fails. A wake-up that changes a word touches both sets, also the one that it does not go on to.
//!
//! Source: futex(2); `kernel/futex` of Linux wakes in order of priority, then of arrival, and
//! promises neither.

use super::facts::BlockedBy;
use super::waiters::WaiterSets;
use super::{Act, Alternatives, Automaton, Effect, Facts, Present, View, EAGAIN, OK};
use crate::conflict::{Access, Class, Object};
use crate::end::Waiting;
use crate::mutation::Mutation;
use crate::operation::Interned;
use crate::trace::Trace;
use dpor_model::{Kind, ThreadId, ThreadSet};

/// Words of memory on which threads wait and are woken (`futex`).
pub(crate) struct Futex;

impl Automaton for Futex {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::FutexWait, Facts::new("futex-wait")),
        (
            Kind::FutexWoken,
            Facts::new("futex-woken").blocked_by(BlockedBy::Threads),
        ),
        (Kind::FutexWake, Facts::new("futex-wake").chooses()),
        (Kind::FutexRequeue, Facts::new("futex-requeue").chooses()),
        (Kind::FutexWakeOp, Facts::new("futex-wake-op").chooses()),
        (Kind::FutexRetract, Facts::new("futex-wait-over")),
    ];

    fn effect(act: Act, view: &impl View) -> Effect {
        effect(
            act.interned,
            act.thread,
            act.alternative,
            act.succeeds,
            view,
        )
    }

    fn alternatives(
        interned: &Interned,
        _: ThreadId,
        succeeds: bool,
        view: &impl View,
    ) -> Alternatives {
        match interned.operation.kind {
            Kind::FutexWake => to_wake(interned, view),
            Kind::FutexRequeue => to_requeue(interned, succeeds, view),
            _ => to_change(interned, succeeds, view),
        }
    }

    fn is_enabled(interned: &Interned, thread: ThreadId, now: &impl Present) -> bool {
        now.is_woken(interned.object(), thread)
    }

    fn give_up(interned: &Interned, thread: ThreadId, view: &impl View) -> Option<(Object, u64)> {
        let queue = view.queue(interned.object(), thread);
        Some((queue, view.waiters().without(view.value(queue), thread)))
    }

    /// The bits that its waiters answer to.
    fn canonical_rest(object: Object, _: &Trace, now: &impl Present, into: &mut Vec<u64>) {
        let waiters = now.waiters().set(now.value(object));
        for thread in waiters.iter() {
            let bits = now.last_wait(thread).map_or(0, |wait| wait.wait_bits());
            into.push(u64::from(thread.0) << 32 | u64::from(bits));
        }
    }

    fn with_one_more(_: Kind, thread: ThreadId, value: u64, waiters: &WaiterSets) -> u64 {
        waiters.with(value, thread)
    }

    fn describe_wait(_: &Waiting, _: &str, _: &Trace) -> String {
        "for a wake-up".to_owned()
    }
}

/// n over k; `u32::MAX` if that is more. Nobody lives to see so many alternatives tried.
fn choose(n: u32, k: u32) -> u32 {
    let (n, k) = (u64::from(n), u64::from(k.min(n - k)));
    let mut count = 1;
    for i in 0..k {
        // It grows with i, as k is at most half of n.
        count = count * (n - i) / (i + 1);
        if count > u64::from(u32::MAX) {
            return u32::MAX;
        }
    }
    count as u32
}

/// The subset of `count` members of a set with this number.
fn subset(of: &ThreadSet, count: u32, number: u32) -> ThreadSet {
    let mut all: smallvec::SmallVec<[ThreadId; 8]> = of.iter().collect();
    let (mut left, mut number, mut chosen) = (count, number, ThreadSet::EMPTY);
    // The subsets without the highest member come first.
    while let Some(highest) = all.pop().filter(|_| left > 0) {
        let without = match all.len() as u32 {
            rest if rest < left => 0,
            rest => choose(rest, left),
        };
        if number >= without {
            number -= without;
            left -= 1;
            chosen.insert(highest);
        }
    }
    chosen
}

/// The waiters that a wake-up may wake, and how many of them it wakes.
fn wakeable(interned: &Interned, view: &impl View) -> (ThreadSet, u32) {
    let (count, bits) = interned.operation.wakes();
    let waiters = view.waiters().set(view.value(interned.object()));
    let answers = |&thread: &ThreadId| {
        let wait = view.last_wait(thread).map(|wait| wait.wait_bits());
        wait.is_some_and(|answers| answers & bits != 0)
    };
    let wakeable = match bits {
        u32::MAX => waiters,
        _ => waiters.iter().filter(answers).collect(),
    };
    let count = count.min(wakeable.len());
    (wakeable, count)
}

/// Whom a wake-up can wake.
fn to_wake(interned: &Interned, view: &impl View) -> Alternatives {
    if view.commuting().mutation.is(Mutation::WakesLowest) {
        return Alternatives::One(0);
    }
    let (wakeable, count) = wakeable(interned, view);
    Alternatives::Below(choose(wakeable.len(), count))
}

/// How many a requeue wakes and moves, of how many.
struct Counts {
    all: u32,
    wake: u32,
    moved: u32,
}

fn counts(interned: &Interned, waiters: &ThreadSet) -> Counts {
    let (wake, moved) = interned.operation.of_each();
    let all = waiters.len();
    let wake = all.min(wake);
    Counts {
        all,
        wake,
        moved: (all - wake).min(moved),
    }
}

/// Whom a requeue can wake and move.
fn to_requeue(interned: &Interned, succeeds: bool, view: &impl View) -> Alternatives {
    if !interned.compared().is_empty() && !succeeds {
        return Alternatives::One(0);
    }
    let Counts { all, wake, moved } =
        counts(interned, &view.waiters().set(view.value(interned.object())));
    let ways = choose(all, wake).saturating_mul(choose(all - wake, moved));
    Alternatives::Below(ways)
}

fn effect(
    interned: &Interned,
    thread: ThreadId,
    alternative: u32,
    succeeds: bool,
    view: &impl View,
) -> Effect {
    match interned.operation.kind {
        Kind::FutexWait => {
            let futex = interned.other.expect("a wait names its futex");
            let mut effect = match succeeds {
                true => {
                    let joined = view.waiters().with(view.value(futex), thread);
                    Effect::on(futex, Class::JOIN, joined)
                }
                false => Effect::none(),
            };
            effect.result = if succeeds { OK } else { EAGAIN };
            with_comparison(interned, effect)
        }
        Kind::FutexWoken => Effect::none(),
        Kind::FutexRetract => retract(interned, thread, view),
        Kind::FutexWake => {
            let (wakeable, count) = wakeable(interned, view);
            let woken = subset(&wakeable, count, alternative);
            let mut effect = without(interned.object(), view, &woken);
            effect.result = count as i32;
            effect
        }
        Kind::FutexRequeue => requeue(interned, alternative, succeeds, view),
        Kind::FutexWakeOp => change(interned, alternative, succeeds, view),
        _ => unreachable!("not an operation on a futex: {interned:?}"),
    }
}

/// Takes the thread itself out of the set that it is in. If it is in none, it looks at the one that it was in last,
/// because somebody took it out of that.
fn retract(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let queue = view.queue(interned.object(), thread);
    let waiters = view.value(queue);
    match view.waiters().contains(waiters, thread) {
        true => {
            let left = view.waiters().without(waiters, thread);
            Effect::on(queue, Class::WRITE, left)
        }
        false => Effect::read(queue, waiters, EAGAIN),
    }
}

/// Takes waiters out of the set.
fn without(futex: Object, view: &impl View, gone: &ThreadSet) -> Effect {
    let waiters = view.value(futex);
    match gone.is_empty() {
        true => Effect::read(futex, waiters, OK),
        false => {
            let left = view.waiters().set(waiters).minus(gone);
            Effect::on(futex, Class::WRITE, view.waiters().state(left))
        }
    }
}

/// Reads the word too.
fn with_comparison(interned: &Interned, mut effect: Effect) -> Effect {
    let read = |&object: &Object| Access {
        object,
        class: Class::READ,
    };
    effect
        .footprint
        .extend(interned.compared().iter().map(read));
    effect
}

fn requeue(interned: &Interned, alternative: u32, succeeds: bool, view: &impl View) -> Effect {
    let compares = !interned.compared().is_empty();
    let from = interned.object();
    if compares && !succeeds {
        // It reads the set, although it does not matter: what it does if the comparison holds is
        // different before and after a wake-up, which must not commute with a store that makes it fail.
        let effect = Effect::read(from, view.value(from), -EAGAIN);
        return with_comparison(interned, effect);
    }
    let to = interned.other.expect("a requeue names two futexes");
    let waiters = view.waiters().set(view.value(from));
    let Counts { all, wake, moved } = counts(interned, &waiters);
    let ways = choose(all, wake);
    let mut gone = subset(&waiters, wake, alternative % ways);
    let to_move = subset(&waiters.minus(&gone), moved, alternative / ways);
    if from != to {
        gone.add(&to_move);
    }
    let mut effect = without(from, view, &gone);
    if !to_move.is_empty() && from != to {
        effect.footprint.push(Access {
            object: to,
            class: Class::WRITE,
        });
        let mut there = view.waiters().set(view.value(to));
        there.add(&to_move);
        effect.after[1] = view.waiters().state(there);
    }
    effect.result = (wake + if compares { moved } else { 0 }) as i32;
    with_comparison(interned, effect)
}

/// Whether the old value of a word passes the test of a wake-up that changes it. `encoded`: `val3` of
/// futex(2), of which bits 24 to 27 say how to compare, and bits 0 to 11, signed, with what. What is no
/// comparison is not published.
pub(crate) fn passes(encoded: u32, word: u32) -> bool {
    let found = word as i32;
    let with = (encoded << 20) as i32 >> 20;
    match encoded >> 24 & 0xf {
        0 => found == with,
        1 => found != with,
        2 => found < with,
        3 => found <= with,
        4 => found > with,
        5 => found >= with,
        _ => false,
    }
}

/// Whom a wake-up that changes a word wakes in one set, and in another.
struct Woken {
    first: Choice,
    /// None in another: the two are one, or the test fails.
    second: Choice,
}

/// So many of these.
struct Choice {
    of: ThreadSet,
    count: u32,
}

impl Choice {
    fn new(of: ThreadSet, most: u32) -> Choice {
        let count = most.min(of.len());
        Choice { of, count }
    }

    fn ways(&self) -> u32 {
        choose(self.of.len(), self.count)
    }
}

fn woken(interned: &Interned, succeeds: bool, view: &impl View) -> Woken {
    let (first, second) = interned.operation.of_each();
    let (from, to) = (interned.object(), second_set(interned));
    let here = view.waiters().set(view.value(from));
    match succeeds {
        true if from == to => Woken {
            first: Choice::new(here, first.saturating_add(second)),
            second: Choice::new(ThreadSet::EMPTY, 0),
        },
        true => Woken {
            first: Choice::new(here, first),
            second: Choice::new(view.waiters().set(view.value(to)), second),
        },
        false => Woken {
            first: Choice::new(here, first),
            second: Choice::new(ThreadSet::EMPTY, 0),
        },
    }
}

fn second_set(interned: &Interned) -> Object {
    interned.other.expect("it names two futexes")
}

/// Whom a wake-up that changes a word can wake.
fn to_change(interned: &Interned, succeeds: bool, view: &impl View) -> Alternatives {
    let Woken { first, second } = woken(interned, succeeds, view);
    Alternatives::Below(first.ways().saturating_mul(second.ways()))
}

fn change(interned: &Interned, alternative: u32, succeeds: bool, view: &impl View) -> Effect {
    let Woken { first, second } = woken(interned, succeeds, view);
    let ways = first.ways();
    let here = subset(&first.of, first.count, alternative % ways);
    let there = subset(&second.of, second.count, alternative / ways);
    let (from, to) = (interned.object(), second_set(interned));
    let mut effect = without(from, view, &here);
    if from != to {
        // Also if the test fails: as for a requeue whose comparison fails.
        let other = without(to, view, &there);
        effect.footprint.extend(other.footprint);
        effect.after[1] = other.after[0];
    }
    effect.result = (first.count + second.count) as i32;
    let changed = |&object: &Object| Access {
        object,
        class: Class::WRITE,
    };
    effect
        .footprint
        .extend(interned.compared().iter().map(changed));
    effect
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_signed() {
        let encoded = |how: u32, with: u32| how << 24 | with & 0xfff;
        for (how, with, word, expected) in [
            (0, 5, 5, true),
            (0, -1i32 as u32, u32::MAX, true),
            (1, 5, 6, true),
            (1, 5, 5, false),
            (2, 0, u32::MAX, true),
            (2, -2048i32 as u32, -2048i32 as u32, false),
            (3, -2048i32 as u32, -2048i32 as u32, true),
            (4, 0, 1, true),
            (4, 0, u32::MAX, false),
            (5, 2047, 2047, true),
            (5, 2047, 2046, false),
        ] {
            let encoded = 0xf << 28 | 0xfff << 12 | encoded(how, with);
            assert_eq!(passes(encoded, word), expected, "{how} {with} {word}");
        }
    }

    #[test]
    fn subsets_are_numbered_by_their_masks() {
        let of = 0b1011_0010u64;
        for count in 0..=4 {
            let all = (0..=of).filter(|mask| mask & !of == 0 && mask.count_ones() == count);
            let all: Vec<u64> = all.collect();
            assert_eq!(all.len() as u32, choose(4, count));
            let numbered: Vec<u64> = { 0..all.len() as u32 }
                .map(|number| subset(&ThreadSet::of_word(of), count, number).low())
                .collect();
            assert_eq!(numbered, all, "{count} of four");
        }
        assert_eq!(choose(64, 32), u32::MAX);
        assert_eq!(choose(64, 63), 64);
        assert_eq!(choose(1024, 512), u32::MAX);
        assert_eq!(choose(1024, 1022), 1024 * 1023 / 2);
    }
}
