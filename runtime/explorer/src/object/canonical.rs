//! What of the history of an object decides how things go on: the canonical form of its state.
//!
//! The state of an object is one number, but what operations do also depends on what the trace tells: who reads a
//! read-write lock, say. Two histories with the same canonical forms of all objects, and with the same pending
//! operations, behave alike.

use super::facts::ObjectKind;
use super::{barrier, channel, condvar, early, futex, library, memory, mutex, process, rwlock};
use super::{semaphore, thread, Automaton};
use crate::conflict::Object;
use crate::mutation::Mutation;
use crate::operation::Interned;
use crate::state::Now;
use crate::trace::Trace;

/// What kind of object an operation takes this one of its objects for.
fn kind_of(interned: &Interned, object: Object) -> ObjectKind {
    let of = interned.facts.of;
    match of {
        _ if interned.compared().contains(&object) => ObjectKind::Memory,
        // Of a wait on a condition variable, and of a call that releases a mutex.
        ObjectKind::Condvar | ObjectKind::Early if interned.other == Some(object) => {
            ObjectKind::Mutex
        }
        _ => of,
    }
}

/// Adds the canonical forms of all objects that are not as they were at first: for each its number, its state, and what
/// else decides. What is in memory is the program's to tell.
pub(crate) fn objects(trace: &Trace, into: &mut Vec<u64>) {
    if trace.table.mutation.is(Mutation::ObjectsForgotten) {
        return;
    }
    for number in 1..trace.table.objects() as u32 {
        let object = Object(number);
        let Some(last) = trace.log(object).last() else {
            continue;
        };
        let kind = kind_of(trace.interned(last.event as usize), object);
        let first = trace.initial(object).unwrap_or(0);
        let begin = into.len();
        into.extend([u64::from(number), 0]);
        let now = ask!(kind, canonical_value(last.after));
        let first = ask!(kind, canonical_value(first));
        if !trace.table.mutation.is(Mutation::HistoryForgotten) {
            ask!(kind, canonical_rest(object, trace, &Now(trace), into));
        }
        if now == first && into.len() == begin + 2 {
            into.truncate(begin);
        } else {
            into[begin + 1] = now;
        }
    }
}
