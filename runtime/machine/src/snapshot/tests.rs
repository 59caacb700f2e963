//! Saving and restoring on pages of the tests' own.

use super::*;

const FLAGS: i32 = libc::MAP_PRIVATE;

/// So many fresh pages, and a stack of one more.
pub(super) fn memory(pages: usize) -> (Range, Range) {
    let start = sys::map(0, pages * PAGE, FLAGS).expect("pages") as usize;
    let stack = sys::map(0, PAGE, FLAGS).expect("a page") as usize;
    ((start, start + pages * PAGE), (stack, stack + PAGE))
}

fn read(address: usize) -> u64 {
    sys::read_word(address).expect("a page of the test's")
}

/// A write as the program makes it: a page that is not hot would fault, and its fault is answered by `promote`.
pub(super) fn write(snapshots: &mut Snapshots, address: usize, value: u64) {
    if !sys::is_word_writable(address) {
        assert!(snapshots.promote(address));
    }
    // SAFETY: a page of the test's, writable now.
    unsafe { (address as *mut u64).write(value) };
}

#[test]
fn pages_and_stacks_go_back_to_a_checkpoint_and_to_the_root() {
    let (pages, stack) = memory(3);
    let [first, second, third] = [0, 1, 2].map(|k| pages.0 + k * PAGE);
    let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
    let all = |of: [usize; 4]| of.map(read);

    write(&mut snapshots, first, 1);
    // SAFETY: stacks are never protected, and this one is the test's.
    unsafe { (stack.0 as *mut u64).write(1) };
    let saved = snapshots.save(&[stack]);
    assert!(snapshots.is_unchanged(&saved));

    write(&mut snapshots, first, 2);
    // It was not hot when the state was saved: its content then was the root's.
    write(&mut snapshots, second, 2);
    // SAFETY: stacks are never protected, and this one is the test's.
    unsafe { (stack.0 as *mut u64).write(2) };
    assert!(!snapshots.is_unchanged(&saved));
    assert_eq!(snapshots.changed_pages(), [first, second]);

    snapshots.restore(&saved);
    assert_eq!(all([first, second, third, stack.0]), [1, 0, 0, 1]);
    assert!(snapshots.is_unchanged(&saved));
    snapshots.restore_root();
    assert_eq!(all([first, second, third, stack.0]), [0, 0, 0, 0]);
    assert!(snapshots.changed_pages().is_empty());
}

#[test]
fn only_the_first_write_to_a_page_of_the_program_is_its_faults_answer() {
    let (pages, stack) = memory(2);
    let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
    assert!(!sys::is_word_writable(pages.0));
    assert!(snapshots.promote(pages.0 + 8));
    assert!(sys::is_word_writable(pages.0));
    assert!(
        !snapshots.promote(pages.0),
        "it is hot: the fault is the program's"
    );
    assert!(!snapshots.promote(stack.0), "it is no page of the root's");
    assert!(!snapshots.promote(pages.1 + 16 * PAGE), "nor is this");
}

#[test]
fn what_the_kernel_will_write_is_hot_before() {
    let (pages, stack) = memory(4);
    let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
    snapshots.touch(pages.0 + PAGE + 8, PAGE);
    let is_writable = |k| sys::is_word_writable(pages.0 + k * PAGE);
    assert_eq!([0, 1, 2, 3].map(is_writable), [false, true, true, false]);
    // A length beyond all memory is one up to the end of what is the program's.
    snapshots.touch(pages.0, usize::MAX);
    assert!((0..4).all(is_writable));
}

#[test]
fn a_range_that_comes_back_is_protected_as_far_as_it_is_not_hot() {
    let (pages, stack) = memory(2);
    let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
    write(&mut snapshots, pages.0, 1);
    // SAFETY: the test's own pages.
    unsafe { sys::protect(pages.0, 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE) };
    snapshots.protect_again(pages.0, pages.1);
    assert!(sys::is_word_writable(pages.0));
    assert!(!sys::is_word_writable(pages.0 + PAGE));
}

#[test]
fn without_protection_nobody_knows_what_was_written() {
    let (pages, stack) = memory(1);
    let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
    assert_eq!(snapshots.written_pages().map(Iterator::count), Some(0));
    snapshots.retire();
    assert!(sys::is_word_writable(pages.0));
    assert!(snapshots.written_pages().is_none());
    let mut unprotected = Snapshots::at_root(vec![pages], &[stack], false);
    assert!(sys::is_word_writable(pages.0));
    assert!(!unprotected.promote(pages.0));
}
