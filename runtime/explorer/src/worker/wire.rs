//! Plans as bytes, with the program's names of objects.
//!
//! They are most of what workers send: in programs whose threads hardly conflict there is a message
//! for each execution. So they are not lists of lists, and the bytes that are sent are those that are
//! kept as what was sent.

use super::rest::{Planned, Remote, Rest};
use crate::conflict::{counts, Access, Class, Footprint, GLOBAL};
use crate::encode::{get, put};
use crate::operation::Table;
use crate::tree::Step;
use dpor_model::{ObjectId, ThreadId, NO_OBJECT};

/// What is left of a plan.
pub(super) fn put_plan(out: &mut Vec<u8>, table: &Table, rest: &impl Rest) {
    put(out, rest.is_deep().into());
    for planned in rest.planned() {
        put_step(out, table, &planned.step, planned.is_read);
        if counts(&planned.step.footprint) {
            put(out, planned.cell);
        }
    }
}

pub(super) fn get_plan(from: &mut &[u8], table: &mut Table) -> Remote {
    let is_deep = get(from) != 0;
    let mut steps = Vec::with_capacity(8);
    while !from.is_empty() {
        let (step, is_read) = get_step(from, table);
        let cell = match counts(&step.footprint) {
            true => get(from),
            false => 0,
        };
        steps.push(Planned {
            step,
            is_read,
            cell,
        });
    }
    Remote { steps, is_deep }
}

/// A step and one thing to know of it.
pub(super) fn put_step(out: &mut Vec<u8>, table: &Table, step: &Step, flag: bool) {
    put(out, u64::from(step.thread.0) << 1 | u64::from(flag));
    // The alternative of a signal without waiter is the largest number.
    put(out, step.alternative.wrapping_add(1).into());
    put(out, step.footprint.len() as u64);
    for access in &step.footprint {
        let (class, of) = access.class.parts();
        put(out, table.object_id(access.object).0);
        put(out, u64::from(class) << 1 | u64::from(of.is_some()));
        if let Some(mutex) = of {
            put(out, table.object_id(mutex).0);
        }
    }
}

/// Objects that this process has not met yet get a number.
pub(super) fn get_step(from: &mut &[u8], table: &mut Table) -> (Step, bool) {
    let thread = get(from);
    let alternative = (get(from) as u32).wrapping_sub(1);
    let mut footprint = Footprint::new();
    for _ in 0..get(from) {
        let object = number(table, get(from));
        let class = get(from);
        let of = (class & 1 == 1).then(|| number(table, get(from)));
        let class = Class::from_parts((class >> 1) as u32, of);
        table.stores |= class.is_store();
        footprint.push(Access { object, class });
    }
    let step = Step {
        thread: ThreadId((thread >> 1) as u16),
        alternative,
        footprint,
    };
    (step, thread & 1 == 1)
}

fn number(table: &mut Table, name: u64) -> crate::conflict::Object {
    match ObjectId(name) {
        NO_OBJECT => GLOBAL,
        id => table.object(id),
    }
}
