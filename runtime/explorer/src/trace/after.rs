//! Searches in the logs of objects and the lists of threads' events for the parts after an event, as reversals need
//! them.

use super::{Entry, Trace};
use crate::conflict::{Access, Class};
use crate::sorted::{first_after, short};

/// Number of entries in the first part of a log that is looked at (chosen).
const PART: usize = short(16);

impl Trace {
    /// The first event after `first` and before `end` that touches the access's object, conflicts with the
    /// access, and is one of those for which `is_in` holds: of none that happens after `first`, and of none up to
    /// `before`.
    ///
    /// *Cost:* that of finding where the log goes on after `first`, and of the entries up to the one that is
    /// found; or, in parts, up to one that happens after `first` and conflicts with all that could be found,
    /// since that happens after `first` as well. So a long log is not read to its end.
    #[inline(never)]
    pub(crate) fn first_conflict(
        &self,
        access: Access,
        (first, before): (usize, usize),
        end: usize,
        is_in: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let log = self.log(access.object);
        if log.last()?.event as usize <= before {
            return None;
        }
        let mut rest = &log[first_after(log, before, |entry| entry.event)..];
        let mut size = PART;
        loop {
            let (part, later) = rest.split_at(size.min(rest.len()));
            let before = part.iter().take_while(|entry| (entry.event as usize) < end);
            let mut found = before.filter(|entry| {
                is_in(entry.event as usize) && !self.first_class(entry).commutes(access.class)
            });
            if let Some(entry) = found.next() {
                return Some(entry.event as usize);
            }
            if later.is_empty() || self.ends_log(&part[size - 1], access.class, first) {
                return None;
            }
            (rest, size) = (later, 2 * size);
        }
    }

    /// True if an entry happens after `first` and conflicts with all that conflicts with `class`.
    #[inline]
    fn ends_log(&self, entry: &Entry, class: Class, first: usize) -> bool {
        // What conflicts with a store need not happen after it, if it reads another.
        let same = entry.class == class && !self.table.stores;
        let conflicts = entry.class == Class::WRITE || same;
        conflicts && self.happens_before(first, entry.event as usize)
    }
}
