//! Words for people: what a thread does, by the operation of a step or the word of an access.
//!
//! ```text
//!   lock        m        →  locks m          before it: waits for m
//!   atomic-load x    3   →  reads x: 3       before it: waits for x in a loop
//!   write       node     →  writes node
//! ```
//!
//! JSON has the operation's word, which stays as it is; everything else that people read takes its words from here.

use crate::{Access, Finding, MemoryOrder, Place, Step};

/// Stands for the name of the object.
const OBJECT: &str = "{}";

/// An operation or access, what a thread does with it, and what a thread does that stands before it; empty where no thread
/// ever waits there.
type Phrase = (&'static str, &'static str, &'static str);

/// The phrases of all operations and of the accesses of findings.
const PHRASES: &[Phrase] = &[
    // Threads and the process.
    ("thread-create", "starts {}", ""),
    ("thread-start", "begins", ""),
    ("thread-join", "joins {}", "waits for the end of {}"),
    (
        "join-all",
        "joins the other threads",
        "waits for the end of the other threads",
    ),
    ("thread-end", "ends", ""),
    ("thread-poll", "looks whether {} has ended", ""),
    ("main-return", "returns from main", ""),
    ("exit-call", "calls exit", ""),
    ("exit", "ends the process", ""),
    (
        "process-end",
        "ends the process",
        "waits until no thread can go on",
    ),
    ("thread-cancel", "cancels {}", ""),
    ("cancellation-point", "comes to a cancellation point", ""),
    ("choose", "chooses", ""),
    ("yield", "yields", ""),
    ("mark", "passes a mark", ""),
    ("early-timeout", "may time out", ""),
    ("attribute-read", "reads attributes of {}", ""),
    ("attribute-write", "changes attributes of {}", ""),
    // Memory.
    ("atomic-load", "reads {}", "waits for {} in a loop"),
    ("atomic-store", "writes {}", "waits in a loop"),
    ("atomic-rmw", "updates {}", "waits for {} in a loop"),
    (
        "compare-exchange",
        "compare-exchanges {}",
        "waits for {} in a loop",
    ),
    ("read", "reads {}", ""),
    ("write", "writes {}", ""),
    ("atomic read", "reads {} atomically", ""),
    ("atomic write", "writes {} atomically", ""),
    ("free", "frees {}", ""),
    ("end of its life", "ends the life of {}", ""),
    ("acquire", "acquires {}", ""),
    ("release", "releases {}", ""),
    // Mutexes and condition variables.
    ("mutex-init", "initializes {}", ""),
    ("mutex-destroy", "destroys {}", ""),
    ("lock", "locks {}", "waits for {}"),
    ("lock-all", "locks {} and others", "waits for {} and others"),
    ("trylock", "tries to lock {}", ""),
    ("unlock", "unlocks {}", ""),
    ("mutex-abandon", "ends while it holds {}", ""),
    ("mutex-consistent", "makes {} consistent", ""),
    ("cond-init", "initializes {}", ""),
    ("cond-destroy", "destroys {}", ""),
    ("cond-wait", "waits for {}", ""),
    ("cond-wake", "wakes up from {}", "waits for {}"),
    ("cond-signal", "signals {}", ""),
    ("cond-broadcast", "signals {} to all", ""),
    // Read-write locks.
    ("rwlock-init", "initializes {}", ""),
    ("rwlock-destroy", "destroys {}", ""),
    ("read-lock", "locks {} to read", "waits for {} to read"),
    ("write-wait", "waits for {} to write", ""),
    ("write-wait-over", "waits for {} no more", ""),
    ("write-lock", "locks {} to write", "waits for {} to write"),
    ("read-trylock", "tries to lock {} to read", ""),
    ("write-trylock", "tries to lock {} to write", ""),
    ("rwlock-unlock", "unlocks {}", ""),
    // Semaphores and barriers.
    ("sem-init", "initializes {}", ""),
    ("sem-destroy", "destroys {}", ""),
    ("sem-wait", "decrements {}", "waits for {}"),
    ("sem-trywait", "tries to decrement {}", ""),
    ("sem-post", "increments {}", ""),
    ("sem-getvalue", "looks at {}", ""),
    ("barrier-init", "initializes {}", ""),
    ("barrier-destroy", "destroys {}", ""),
    ("barrier-wait", "arrives at {}", ""),
    ("barrier-leave", "leaves {}", "waits at {}"),
    // Futexes.
    ("futex-wait", "waits for a change of {}", ""),
    (
        "futex-woken",
        "goes on after its wait for a change of {}",
        "waits for a change of {}",
    ),
    ("futex-wake", "wakes who waits for a change of {}", ""),
    (
        "futex-requeue",
        "has who waits for a change of {} wait elsewhere",
        "",
    ),
    (
        "futex-wake-op",
        "changes a word and wakes who waits for a change of {}",
        "",
    ),
    ("futex-wait-over", "waits for a change of {} no more", ""),
    // Files, channels, signals, and what libc keeps.
    ("libc-read", "reads {}", ""),
    ("libc-write", "writes to {}", ""),
    ("opaque", "makes a system call", ""),
    ("channel-init", "opens {}", ""),
    ("channel", "uses {}", "waits for {}"),
    ("signal-write", "changes the signals of {}", ""),
    ("signal-look", "looks at the signals of {}", ""),
    ("signal-wake", "wakes {} with a signal", ""),
    ("signal-wait", "waits for a signal", "waits for a signal"),
    ("timer-expires", "{} expires", ""),
    ("waiter-wake", "wakes {}", ""),
];

fn find(word: &str) -> Option<&'static Phrase> {
    PHRASES.iter().find(|phrase| phrase.0 == word)
}

/// Whether the operation or access has a phrase.
pub fn has(word: &str) -> bool {
    find(word).is_some()
}

/// What a step is, in words: `locks m`, `reads x: 3 (relaxed)`, `signals ready, wakes T1`. An operation without a phrase
/// is said as it is.
pub fn step(step: &Step) -> String {
    if let ("early-timeout", Some(gives_up)) = (step.operation.as_str(), step.value) {
        return match gives_up {
            0 => "does not time out yet".to_owned(),
            _ => "times out".to_owned(),
        };
    }
    let mut words = find(&step.operation).map_or_else(
        || filled(&format!("{} {OBJECT}", step.operation), &step.object),
        |phrase| filled(phrase.1, &step.object),
    );
    if let Some(value) = step.value {
        words += &match step.operation.as_str() {
            "cond-signal" => format!(", wakes T{value}"),
            "choose" => format!(" {value}"),
            _ if !step.value_text.is_empty() => format!(": {}", step.value_text),
            _ => format!(": {value}"),
        };
    }
    if step.fails {
        words += ", fails";
    }
    // One that is not written in the program need not be read.
    let order = step.order.filter(|order| *order != MemoryOrder::SeqCst);
    words + &order.map_or(String::new(), |order| format!(" ({})", order.as_str()))
}

/// What a thread does that stands before a step: `waits for m`; `None`: no thread waits there.
pub fn before(operation: &str, object: &str) -> Option<String> {
    let phrase = find(operation).filter(|phrase| !phrase.2.is_empty())?;
    Some(filled(phrase.2, object))
}

/// What a thread of a deadlock waits for: `waits for m`; `None`: the access is no wait.
pub fn wait(access: &Access) -> Option<String> {
    access.step?;
    before(&access.access, &access.object)
}

/// Who holds what a thread waits for, to be put behind [`wait`]: `, held by T2 since x.c:9`; empty if nobody in
/// particular does. `place`: how places are written.
pub fn holder(access: &Access, finding: &Finding, place: impl Fn(&Place) -> String) -> String {
    let Some(thread) = access.held_by else {
        return String::new();
    };
    let taken = access
        .held_since
        .and_then(|step| usize::try_from(step).ok());
    let taken = taken.and_then(|step| finding.trace.get(step));
    match taken.map(|step| place(&step.place)).as_deref() {
        None | Some("") => format!(", held by T{thread}"),
        Some(at) => format!(", held by T{thread} since {at}"),
    }
}

/// The word of an access in a label, `write` or `waits for m`.
pub fn label(access: &Access) -> String {
    let of_operation = || match access.access.as_str() {
        // The nouns of the accesses of races say what they are.
        "read" | "write" | "atomic read" | "atomic write" | "free" | "end of its life" => None,
        word => find(word).map(|phrase| filled(phrase.1, &access.object)),
    };
    { wait(access) }
        .or_else(of_operation)
        .unwrap_or_else(|| access.access.clone())
}

/// The template with the name of the object in it, or without the gap for it.
fn filled(template: &str, object: &str) -> String {
    match object {
        "" => template
            .replace(OBJECT, "")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        object => template.replace(OBJECT, named(object)),
    }
}

/// What the runtime calls an object that has no name in the program.
fn named(object: &str) -> &str {
    match object {
        "libc" => "what libc keeps",
        "descriptor 0" => "standard input",
        "descriptor 1" => "standard output",
        "descriptor 2" => "standard error",
        object => object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operation: &str, object: &str, value: Option<u64>, expect: &str) {
        let made = Step {
            operation: operation.to_owned(),
            object: object.to_owned(),
            value,
            ..Step::default()
        };
        assert_eq!(step(&made), expect);
    }

    #[test]
    fn steps_in_words() {
        check("lock", "m", None, "locks m");
        check("lock", "", None, "locks");
        check("thread-create", "T1", None, "starts T1");
        check("atomic-load", "x", Some(3), "reads x: 3");
        check("cond-signal", "ready", Some(2), "signals ready, wakes T2");
        check("cond-signal", "ready", None, "signals ready");
        check("choose", "", Some(1), "chooses 1");
        check("early-timeout", "", Some(0), "does not time out yet");
        check("early-timeout", "", Some(1), "times out");
        check(
            "libc-write",
            "descriptor 1",
            None,
            "writes to standard output",
        );
        check("timer-expires", "timer 1", None, "timer 1 expires");
        check("new-operation", "x", None, "new-operation x");
    }

    #[test]
    fn a_compare_exchange_that_fails_says_so() {
        let exchange = |fails| Step {
            operation: "compare-exchange".to_owned(),
            object: "x".to_owned(),
            value: Some(3),
            fails,
            ..Step::default()
        };
        assert_eq!(step(&exchange(false)), "compare-exchanges x: 3");
        let failed = "compare-exchanges x: 3, fails";
        assert_eq!(step(&exchange(true)), failed);
    }

    #[test]
    fn orders_that_the_program_names_are_said() {
        let load = |order| Step {
            operation: "atomic-load".to_owned(),
            object: "x".to_owned(),
            value: Some(0),
            order: Some(order),
            ..Step::default()
        };
        assert_eq!(step(&load(MemoryOrder::Relaxed)), "reads x: 0 (relaxed)");
        assert_eq!(step(&load(MemoryOrder::SeqCst)), "reads x: 0");
    }

    #[test]
    fn waits_say_who_holds_it() {
        let mut access = Access {
            access: "lock".to_owned(),
            ..Access::default()
        };
        assert_eq!((wait(&access), label(&access)), (None, "locks".to_owned()));
        access.step = Some(7);
        access.object = "m".to_owned();
        assert_eq!(label(&access), "waits for m");
        let write = Access {
            access: "write".to_owned(),
            step: Some(7),
            ..Access::default()
        };
        assert_eq!(label(&write), "write");
    }

    #[test]
    fn each_word_has_one_phrase() {
        let mut words: Vec<&str> = PHRASES.iter().map(|phrase| phrase.0).collect();
        words.sort_unstable();
        let all = words.len();
        words.dedup();
        assert_eq!(words.len(), all);
    }
}
