//! What an operation does, as the search sees it.

use super::OK;
use crate::conflict::{Access, Class, Footprint, Object};
use crate::end::MisuseKind;
use smallvec::smallvec;

/// What an operation does.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub footprint: Footprint,
    /// State of each object of `footprint` afterwards. Memory cells, several mutexes: not used.
    pub after: [u64; 3],
    pub result: i32,
    pub misuse: Option<MisuseKind>,
}

impl Effect {
    pub(super) fn none() -> Self {
        Effect {
            footprint: smallvec![],
            after: [0; 3],
            result: OK,
            misuse: None,
        }
    }

    pub(super) fn on(object: Object, class: Class, after: u64) -> Self {
        let footprint = smallvec![Access { object, class }];
        Effect {
            footprint,
            after: [after, 0, 0],
            result: OK,
            misuse: None,
        }
    }

    /// Only looks at the object, which has state `value`.
    pub(super) fn read(object: Object, value: u64, result: i32) -> Self {
        Effect {
            result,
            ..Effect::on(object, Class::READ, value)
        }
    }

    pub(super) fn everything() -> Self {
        Effect {
            footprint: smallvec![Access::EVERYTHING],
            ..Effect::none()
        }
    }

    /// True if a read-modify-write with this effect commutes with its like.
    pub fn is_update(&self) -> bool {
        self.footprint[0].class != Class::WRITE
    }

    pub(super) fn misuse(kind: MisuseKind) -> Self {
        Effect {
            misuse: Some(kind),
            ..Effect::everything()
        }
    }
}
