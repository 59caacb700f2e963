//! Steps with the program's names of objects, for messages, and back.

use super::message::{NamedAccess, NamedStep};
use crate::conflict::{Access, Class, Footprint, GLOBAL};
use crate::operation::Table;
use crate::tree::Step;
use dpor_model::{ObjectId, NO_OBJECT};

pub(super) fn name(table: &Table, step: &Step) -> NamedStep {
    let access = |access: &Access| {
        let (class, of) = access.class.parts();
        NamedAccess {
            object: table.object_id(access.object),
            class,
            of: of.map_or(NO_OBJECT, |mutex| table.object_id(mutex)),
        }
    };
    NamedStep {
        thread: step.thread,
        alternative: step.alternative,
        accesses: step.footprint.iter().map(access).collect(),
    }
}

/// Objects that this process has not met yet get a number.
pub(super) fn resolve(table: &mut Table, step: &NamedStep) -> Step {
    let mut number = |id: ObjectId| match id {
        NO_OBJECT => GLOBAL,
        _ => table.object(id),
    };
    let access = |access: &NamedAccess| {
        let object = number(access.object);
        let of = (access.of != NO_OBJECT).then(|| number(access.of));
        Access {
            object,
            class: Class::from_parts(access.class, of),
        }
    };
    let footprint: Footprint = step.accesses.iter().map(access).collect();
    table.stores |= footprint.iter().any(|access| access.class.is_store());
    Step {
        thread: step.thread,
        alternative: step.alternative,
        footprint,
    }
}
