//! Borrows of the runtime's state, by themselves. Under Miri, too.

use dpor_engine::scoped_cell::{all_are_over, ScopedCell};
use std::cell::UnsafeCell;
use std::panic::{catch_unwind, AssertUnwindSafe};

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct State {
    count: u32,
    sum: u64,
}

/// A function that comes to the state by itself, as all of the runtime's do.
fn add(state: ScopedCell<State>, value: u64) -> u32 {
    state.change(|state| {
        state.sum += value;
        state.count += 1;
        state.count
    })
}

/// All checks are one test, since the counter that is checked is the process's, and tests run in threads.
#[test]
fn borrows_follow_each_other_and_do_not_overlap() {
    let cell = UnsafeCell::new(State::default());
    // SAFETY: it lives as long as this function, and nobody else has it.
    let state = unsafe { ScopedCell::at(cell.get()) };
    let same = state;

    // Between two borrows others come to the same.
    let before = state.get();
    assert_eq!(add(same, 3), 1);
    assert_eq!((before.sum, state.get().sum), (0, 3), "a copy stays");
    state.set(State { count: 5, ..before });
    assert_eq!(add(state, 7), 6);
    assert_eq!(same.get(), State { count: 6, sum: 7 });

    // Who looks may look again.
    assert_eq!(state.look(|one| same.look(|other| one.sum + other.sum)), 14);

    let overlaps = |borrow: &dyn Fn()| {
        let result = catch_unwind(AssertUnwindSafe(borrow));
        all_are_over();
        result.is_err()
    };
    if cfg!(debug_assertions) {
        assert!(overlaps(&|| state.change(|_| same.set(before))));
        assert!(overlaps(&|| state.look(|_| same.set(State::default()))));
        assert!(overlaps(&|| state.change(|_| assert_eq!(add(same, 1), 0))));
    }
    assert!(!overlaps(&|| assert_eq!(add(state, 1), 7)), "they are over");
    assert_eq!(state.get(), State { count: 7, sum: 8 });
}
