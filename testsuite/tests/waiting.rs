//! The numbers of executions of programs with loops that wait, derived by brute force.
//!
//! Each thread is written like the C program, with `turn` at the head of each loop that looks at several places, and
//! `wait` for each that looks at one.
#![forbid(unsafe_code)]

use dpor_testsuite::waiting::{count, Cpu, Loop, Run, Thread, Totals};

const FLAG: usize = 0;
const TURN: usize = 9;

fn peterson(cpu: &mut Cpu, me: usize) -> Run {
    let other = 1 - me;
    cpu.store(FLAG + me, 1)?;
    cpu.store(TURN, other as i64)?;
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        if cpu.load(FLAG + other)? == 0 || cpu.load(TURN)? != other as i64 {
            break;
        }
    }
    cpu.store(FLAG + me, 0)?;
    Ok(())
}

fn dekker(cpu: &mut Cpu, me: usize) -> Run {
    let other = 1 - me;
    let mine = me as i64;
    cpu.store(FLAG + me, 1)?;
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        if cpu.load(FLAG + other)? == 0 {
            break;
        }
        if cpu.load(TURN)? != mine {
            cpu.store(FLAG + me, 0)?;
            cpu.wait(TURN, move |v| v == mine)?;
            cpu.store(FLAG + me, 1)?;
        }
    }
    cpu.store(TURN, other as i64)?;
    cpu.store(FLAG + me, 0)?;
    Ok(())
}

fn both(thread: impl Fn(&mut Cpu, usize) -> Run) -> Totals {
    let threads: [Thread; 2] = [&|cpu| thread(cpu, 0), &|cpu| thread(cpu, 1)];
    count(&threads, &[])
}

#[test]
fn show() {
    println!("peterson {:?}", both(peterson));
    println!("dekker {:?}", both(dekker));
}
