//! The numbers of executions of programs in which turns of loops that were in vain are left out, derived by brute force.

use crate::waiting::promised;
use dpor_testsuite::waiting::{count_leaving_out, Cpu, Loop, Run, Thread};

const HEAD: usize = 0;
const TAIL: usize = 1;
/// The node behind node `n` is in cell `NEXT + n`; nodes are numbered from 1, and 0 is none.
const NEXT: usize = 10;

fn next(node: i64) -> usize {
    NEXT + node as usize
}

/// Puts a node into Michael and Scott's queue.
fn put(cpu: &mut Cpu, node: i64) -> Run {
    cpu.store(next(node), 0)?;
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        let last = cpu.load(TAIL)?;
        let behind = cpu.load(next(last))?;
        if last != cpu.load(TAIL)? {
            continue;
        }
        if behind != 0 {
            cpu.exchange(TAIL, last, behind)?;
        } else if cpu.exchange(next(last), 0, node)? {
            cpu.exchange(TAIL, last, node)?;
            return Ok(());
        }
    }
}

/// Takes a node out of the queue, or finds none.
fn take(cpu: &mut Cpu) -> Run {
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        let first = cpu.load(HEAD)?;
        let last = cpu.load(TAIL)?;
        let behind = cpu.load(next(first))?;
        if first != cpu.load(HEAD)? {
            continue;
        }
        if first != last {
            if cpu.exchange(HEAD, first, behind)? {
                return Ok(());
            }
        } else if behind == 0 {
            return Ok(());
        } else {
            cpu.exchange(TAIL, last, behind)?;
        }
    }
}

#[test]
fn michael_and_scotts_queue() {
    let (one, two) = (|cpu: &mut Cpu| put(cpu, 2), |cpu: &mut Cpu| put(cpu, 3));
    let threads: [Thread; 3] = [&one, &two, &take];
    let cells = [(HEAD, 1), (TAIL, 1)];
    assert_eq!(count_leaving_out(&threads, &cells), promised("queue.c", ""));
}

#[test]
fn a_loop_that_waits_for_the_last_value() {
    let stores = |cpu: &mut Cpu| -> Run {
        for value in 1..=5 {
            cpu.store(0, value)?;
        }
        Ok(())
    };
    let waits = |cpu: &mut Cpu| -> Run {
        let mut head = Loop::default();
        loop {
            cpu.turn(&mut head, &[]);
            if cpu.load(0)? == 5 {
                return Ok(());
            }
        }
    };
    let threads: [Thread; 2] = [&stores, &waits];
    assert_eq!(
        count_leaving_out(&threads, &[]),
        promised("retry.c", "left")
    );
}

/// The inner loop waits by itself.
#[test]
fn test_and_test_and_set() {
    let take = |cpu: &mut Cpu| -> Run {
        let mut head = Loop::default();
        loop {
            cpu.turn(&mut head, &[]);
            cpu.wait(0, |value| value == 0)?;
            if cpu.swap(0, 1)? == 0 {
                break;
            }
        }
        cpu.store(0, 0)?;
        Ok(())
    };
    let threads: [Thread; 2] = [&take, &take];
    assert_eq!(
        count_leaving_out(&threads, &[]),
        promised("ttas.c", "turns")
    );
    let three = count_leaving_out(&[&take, &take, &take], &[]);
    assert_eq!(three, promised("test_and_set.c", ""));
}

/// A stack in one cell: its nodes as digits, the last one pushed is the last digit. A node comes there once.
fn push(cpu: &mut Cpu, node: i64) -> Run {
    let top = cpu.load(0)?;
    cpu.retry(0, top, 10 * top + node)?;
    Ok(())
}

fn pop(cpu: &mut Cpu) -> Run {
    let top = cpu.load(0)?;
    if top != 0 {
        cpu.retry(0, top, top / 10)?;
    }
    Ok(())
}

#[test]
fn exchanges_that_are_tried_again() {
    let (one, two) = (|cpu: &mut Cpu| push(cpu, 1), |cpu: &mut Cpu| push(cpu, 2));
    let threads: [Thread; 3] = [&one, &two, &pop];
    let stack = count_leaving_out(&threads, &[]);
    assert_eq!(stack, promised("stack.c", "two"));
    for revision in ["stack", "in_node"] {
        assert_eq!(stack, promised("retried.c", revision));
    }
    let change = |cpu: &mut Cpu| -> Run {
        let found = cpu.load(0)?;
        cpu.retry(0, found, 3 * found + 1)?;
        Ok(())
    };
    let three = count_leaving_out(&[&change, &change, &change], &[]);
    for revision in ["three", "weak"] {
        assert_eq!(three, promised("retried.c", revision));
    }
    let counts = |cpu: &mut Cpu| -> Run {
        for value in 1..=3 {
            cpu.store(0, value)?;
        }
        Ok(())
    };
    let adds = |cpu: &mut Cpu| -> Run {
        let found = cpu.load(0)?;
        cpu.retry(0, found, found + 100)?;
        Ok(())
    };
    let one_thread = count_leaving_out(&[&counts, &adds], &[]);
    assert_eq!(one_thread, promised("retried.c", "one_thread"));
}
