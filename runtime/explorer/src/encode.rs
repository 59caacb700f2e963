//! Steps as bytes, about six each, with the numbers of this process.

use crate::conflict::{Access, Class, Footprint, Object};
use crate::tree::Step;
use dpor_model::ThreadId;

/// Seven bits a byte, the lowest first; the eighth: more follow.
pub(crate) fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Takes a number off the front.
pub(crate) fn get(from: &mut &[u8]) -> u64 {
    let mut n = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first().expect("bytes are as they were written");
        *from = rest;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    n
}

pub(crate) fn put_step(out: &mut Vec<u8>, step: &Step) {
    put(out, step.thread.0.into());
    // The alternative of a signal without waiter is the largest number.
    put(out, step.alternative.wrapping_add(1).into());
    put(out, step.footprint.len() as u64);
    for access in &step.footprint {
        put(out, access.object.0.into());
        put(out, access.class.number().into());
    }
}

pub(crate) fn get_step(from: &mut &[u8]) -> Step {
    let thread = ThreadId(get(from) as u16);
    let alternative = (get(from) as u32).wrapping_sub(1);
    let mut footprint = Footprint::new();
    for _ in 0..get(from) {
        footprint.push(Access {
            object: Object(get(from) as u32),
            class: Class::from_number(get(from) as u32),
        });
    }
    Step {
        thread,
        alternative,
        footprint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_model::NO_WAITER;

    #[test]
    fn numbers_come_back() {
        let all = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        all.iter().for_each(|&n| put(&mut bytes, n));
        assert_eq!(bytes[..3], [0, 1, 127], "small ones take a byte");
        let mut from = &bytes[..];
        let back: Vec<u64> = all.iter().map(|_| get(&mut from)).collect();
        assert_eq!(back, all);
        assert!(from.is_empty());
    }

    #[test]
    fn steps_come_back() {
        let access = |object, class| Access {
            object: Object(object),
            class,
        };
        let mut bytes = Vec::new();
        let footprints = [
            vec![],
            vec![access(3, Class::READ), access(700, Class::WRITE)],
            vec![access(5, Class::enqueue(Object(6))), Access::EVERYTHING],
        ];
        for footprint in &footprints {
            let step = Step {
                thread: ThreadId(9),
                alternative: NO_WAITER,
                footprint: footprint.clone().into(),
            };
            put_step(&mut bytes, &step);
        }
        let mut from = &bytes[..];
        for footprint in footprints {
            let step = get_step(&mut from);
            assert_eq!((step.thread, step.alternative), (ThreadId(9), NO_WAITER));
            assert_eq!(step.footprint[..], footprint[..]);
        }
        assert!(from.is_empty());
    }
}
