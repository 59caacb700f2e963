//! The numbers of executions of programs with loops that wait, derived by brute force.
//!
//! Each thread is written like the C program, with `turn` at the head of each loop that looks at several places, and
//! `wait` for each that looks at one.

use dpor_testsuite::waiting::{count, count_leaving_out, Cpu, Loop, Run, Thread, Totals};
use dpor_testsuite::{header, trial};

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

/// The optimizer puts the first look before the loop: `rotated`.
fn dekker(cpu: &mut Cpu, me: usize, rotated: bool) -> Run {
    let other = 1 - me;
    let mine = me as i64;
    cpu.store(FLAG + me, 1)?;
    let mut head = Loop::default();
    if rotated && cpu.load(FLAG + other)? == 0 {
        return leave_dekker(cpu, me);
    }
    loop {
        cpu.turn(&mut head, &[]);
        if !rotated && cpu.load(FLAG + other)? == 0 {
            break;
        }
        if cpu.load(TURN)? != mine {
            cpu.store(FLAG + me, 0)?;
            cpu.wait(TURN, move |v| v == mine)?;
            cpu.store(FLAG + me, 1)?;
        }
        if rotated && cpu.load(FLAG + other)? == 0 {
            break;
        }
    }
    leave_dekker(cpu, me)
}

fn leave_dekker(cpu: &mut Cpu, me: usize) -> Run {
    cpu.store(TURN, 1 - me as i64)?;
    cpu.store(FLAG + me, 0)?;
    Ok(())
}

const Y: usize = 8;

fn lamport(cpu: &mut Cpu, me: usize) -> Run {
    let mine = me as i64 + 1;
    loop {
        cpu.store(FLAG + me, 1)?;
        cpu.store(TURN, mine)?;
        if cpu.load(Y)? != 0 {
            cpu.store(FLAG + me, 0)?;
            cpu.wait(Y, |v| v == 0)?;
            continue;
        }
        cpu.store(Y, mine)?;
        if cpu.load(TURN)? == mine {
            break;
        }
        cpu.store(FLAG + me, 0)?;
        for j in 0..2 {
            cpu.wait(FLAG + j, |v| v == 0)?;
        }
        if cpu.load(Y)? == mine {
            break;
        }
        cpu.wait(Y, |v| v == 0)?;
    }
    cpu.store(Y, 0)?;
    cpu.store(FLAG + me, 0)?;
    Ok(())
}

/// What the exit section of Szymanski's algorithm does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// One test: it waits for one place.
    Waits,
    ReadsOnce,
    /// Once for each of its tests.
    ReadsTwice,
}

fn szymanski(cpu: &mut Cpu, me: usize, exit: Exit) -> Run {
    let reads_twice = exit == Exit::ReadsTwice;
    let other = 1 - me;
    cpu.store(FLAG + me, 1)?;
    cpu.wait(FLAG + other, |v| v < 3)?;
    cpu.store(FLAG + me, 3)?;
    if cpu.load(FLAG + other)? == 1 {
        cpu.store(FLAG + me, 2)?;
        cpu.wait(FLAG + other, |v| v == 4)?;
    }
    cpu.store(FLAG + me, 4)?;
    if other < me {
        cpu.wait(FLAG + other, |v| v < 2)?;
    } else if exit == Exit::Waits {
        cpu.wait(FLAG + other, |v| v != 2 && v != 3)?;
    } else {
        let mut head = Loop::default();
        loop {
            cpu.turn(&mut head, &[]);
            let seen = cpu.load(FLAG + other)?;
            if seen == 2 || (!reads_twice && seen == 3) {
                continue;
            }
            if !reads_twice || cpu.load(FLAG + other)? != 3 {
                break;
            }
        }
    }
    cpu.store(FLAG + me, 0)?;
    Ok(())
}

/// Flags `b` from 0 on, `c` from 2 on, 1 at first.
fn dijkstra(cpu: &mut Cpu, me: usize) -> Run {
    let mine = me as i64;
    cpu.store(me, 0)?;
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        let k = cpu.load(TURN)?;
        if k != mine {
            cpu.store(2 + me, 1)?;
            if cpu.load(k as usize)? != 0 {
                cpu.store(TURN, mine)?;
            }
            continue;
        }
        cpu.store(2 + me, 0)?;
        if cpu.load(2 + (1 - me))? != 0 {
            break;
        }
    }
    cpu.store(2 + me, 1)?;
    cpu.store(me, 1)?;
    Ok(())
}

/// Numbers from 2 on.
fn bakery(cpu: &mut Cpu, me: usize, rotated: bool) -> Run {
    let (j, number) = (1 - me, 2);
    cpu.store(me, 1)?;
    let mut most = 0;
    for other in 0..2 {
        most = most.max(cpu.load(number + other)?);
    }
    cpu.store(number + me, most + 1)?;
    cpu.store(me, 0)?;
    cpu.wait(j, |v| v == 0)?;
    let mut head = Loop::default();
    let mut goes_on = !rotated || cpu.load(number + j)? != 0;
    while goes_on {
        cpu.turn(&mut head, &[]);
        if !rotated && cpu.load(number + j)? == 0 {
            break;
        }
        let less = cpu.load(number + j)? < cpu.load(number + me)?;
        if !less {
            let equal = cpu.load(number + j)? == cpu.load(number + me)?;
            if !equal || j > me {
                break;
            }
        }
        goes_on = !rotated || cpu.load(number + j)? != 0;
    }
    cpu.store(number + me, 0)?;
    Ok(())
}

/// What becomes of a thread behind a turn in vain.
#[derive(Clone, Copy)]
pub enum Turns {
    /// It goes no further.
    LeftOut,
    /// It waits until a cell that the turn looked at changes, and goes on.
    Every,
}

impl Turns {
    /// Counts the executions of threads.
    pub fn count(self, threads: &[Thread<'_>], cells: &[(usize, i64)]) -> Totals {
        match self {
            Turns::LeftOut => count_leaving_out(threads, cells),
            Turns::Every => count(threads, cells),
        }
    }
}

fn both(thread: impl Fn(&mut Cpu, usize) -> Run) -> Totals {
    with(thread, &[], Turns::LeftOut)
}

fn both_with_every_turn(thread: impl Fn(&mut Cpu, usize) -> Run) -> Totals {
    with(thread, &[], Turns::Every)
}

/// Counts the executions of two threads that run the same function.
pub fn with(
    thread: impl Fn(&mut Cpu, usize) -> Run,
    cells: &[(usize, i64)],
    turns: Turns,
) -> Totals {
    let threads: [Thread; 2] = [&|cpu| thread(cpu, 0), &|cpu| thread(cpu, 1)];
    turns.count(&threads, cells)
}

const READERS: usize = 1;

/// A writer and a reader; cell 0: the writer is there.
fn rw(cpu: &mut Cpu, me: usize) -> Run {
    if me == 0 {
        cpu.acquire(0, 0, 1)?;
        cpu.wait(READERS, |v| v == 0)?;
        cpu.store(0, 0)?;
        return Ok(());
    }
    loop {
        cpu.wait(0, |v| v == 0)?;
        cpu.add(READERS, 1)?;
        if cpu.load(0)? == 0 {
            break;
        }
        cpu.add(READERS, -1)?;
    }
    cpu.add(READERS, -1)?;
    Ok(())
}

/// Cell 0: the sequence number; 1 and 2: the data.
fn seqlock(cpu: &mut Cpu, me: usize, merged: bool) -> Run {
    if me == 0 {
        cpu.store(0, 1)?;
        cpu.store(1, 1)?;
        cpu.store(2, 1)?;
        cpu.store(0, 2)?;
        return Ok(());
    }
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        let seen = if merged {
            let seen = cpu.load(0)?;
            if seen & 1 == 1 {
                continue;
            }
            seen
        } else {
            cpu.wait(0, |v| v & 1 == 0)?
        };
        cpu.load(1)?;
        cpu.load(2)?;
        if cpu.load(0)? == seen {
            break;
        }
    }
    Ok(())
}

/// Cell 0: the ticket; 1: whose turn it is; 2 and 3: the waiting array.
fn waiting_array(cpu: &mut Cpu) -> Run {
    let mine = cpu.add(0, 1)?;
    let ahead = mine - cpu.load(1)?;
    if ahead > 1 {
        let slot = 2 + (mine % 2) as usize;
        let mut seen = cpu.load(slot)?;
        while mine - cpu.load(1)? > 1 {
            cpu.wait(slot, move |v| v != seen)?;
            seen = cpu.load(slot)?;
        }
    }
    if ahead != 0 {
        cpu.wait(1, move |v| v == mine)?;
    }
    let next = cpu.load(1)? + 1;
    cpu.store(1, next)?;
    cpu.add(2 + ((next + 1) % 2) as usize, 1)?;
    Ok(())
}

/// The first thread insists, the second withdraws and waits.
fn one_bit(cpu: &mut Cpu, me: usize) -> Run {
    if me == 0 {
        cpu.store(0, 1)?;
        cpu.wait(1, |v| v == 0)?;
        return cpu.store(0, 0).map(|_| ());
    }
    loop {
        cpu.store(1, 1)?;
        if cpu.load(0)? == 0 {
            return cpu.store(1, 0).map(|_| ());
        }
        cpu.store(1, 0)?;
        cpu.wait(0, |v| v == 0)?;
    }
}

#[test]
fn one_thread_insists() {
    assert_eq!(both(one_bit), promised("one_bit.c", ""));
}

#[test]
fn a_waiting_array() {
    for (threads, revision) in [(2, "two"), (3, "three")] {
        let all: Vec<Thread> = vec![&waiting_array; threads];
        assert_eq!(count_leaving_out(&all, &[]), promised("twa.c", revision));
    }
}

/// The executions that the header of a program promises for a revision.
pub fn promised(file: &str, revision: &str) -> Totals {
    let programs = trial::programs();
    let folders = ["await", "loop_bound", "turns"].map(|folder| programs.join(folder).join(file));
    let path = folders.iter().find(|path| path.exists());
    let path = path.expect("there is such a program");
    let text = std::fs::read_to_string(path).expect("the program is there");
    let headers = header::parse(&text).expect("the header is right");
    let header = headers.into_iter().find(|h| h.revision == revision);
    let expect = header.expect("the revision is there").executions;
    let expect = expect.expect("the header has counters");
    Totals {
        complete: expect.complete,
        stuck: expect.deadlocked,
        cut: expect.bound_exceeded,
        blocked: expect.blocked,
    }
}

#[test]
fn loops_that_look_at_one_place() {
    assert_eq!(both(lamport), promised("lamport.c", ""));
    let merged = both(|c, me| szymanski(c, me, Exit::Waits));
    assert_eq!(merged, promised("szymanski.c", "merged"));
}

#[test]
fn a_turn_that_begins_with_a_store() {
    let [x, y, z, w] = [0, 1, 2, 3];
    let again = |cpu: &mut Cpu| -> Run {
        let mut head = Loop::default();
        loop {
            cpu.turn(&mut head, &[]);
            cpu.store(x, 1)?;
            if cpu.load(y)? != 0 || cpu.load(w)? != 0 {
                return Ok(());
            }
        }
    };
    let once = |cpu: &mut Cpu| -> Run {
        if cpu.load(z)? == 0 && cpu.load(x)? < 2 && cpu.load(z)? == 0 {
            cpu.store(y, 1)?;
        }
        Ok(())
    };
    for (turns, revision) in [(Turns::LeftOut, "left"), (Turns::Every, "every_turn")] {
        let found = turns.count(&[&again, &once], &[]);
        assert_eq!(found, promised("store_first.c", revision));
    }
}

#[test]
fn loops_that_look_at_several() {
    assert_eq!(both(peterson), promised("peterson.c", "left"));
    assert_eq!(both(peterson), promised("peterson.cc", ""));
    let every = both_with_every_turn(peterson);
    assert_eq!(every, promised("peterson.c", "every_turn"));
    let twice = both(|c, me| szymanski(c, me, Exit::ReadsTwice));
    assert_eq!(twice, promised("szymanski_wrong.c", ""));
    let once = both(|c, me| szymanski(c, me, Exit::ReadsOnce));
    assert_eq!(once, promised("szymanski.c", "written"));
    let ones = [(0, 1), (1, 1), (2, 1), (3, 1)];
    let found = with(dijkstra, &ones, Turns::LeftOut);
    assert_eq!(found, promised("dijkstra.c", ""));
}

#[test]
fn loops_whose_turns_begin_elsewhere() {
    for (rotated, revision) in [(false, "written"), (true, "rotated")] {
        let found = both(|c, me| bakery(c, me, rotated));
        assert_eq!(found, promised("bakery.c", revision));
    }
    let all = [
        (false, ["written", "volatile", "fenced"], "every_turn"),
        (
            true,
            ["rotated", "volatile_rotated", "fenced_rotated"],
            "every_turn_rotated",
        ),
    ];
    for (rotated, revisions, every) in all {
        let thread = |cpu: &mut Cpu, me| dekker(cpu, me, rotated);
        for revision in revisions {
            assert_eq!(both(thread), promised("dekker.c", revision));
        }
        assert_eq!(both_with_every_turn(thread), promised("dekker.c", every));
    }
}

#[test]
fn loops_around_loops_that_wait() {
    for (merged, revision) in [(false, "written"), (true, "merged")] {
        let found = both(|c, me| seqlock(c, me, merged));
        assert_eq!(found, promised("seqlock_outer.c", revision));
    }
    assert_eq!(both(rw), promised("rw_spin.c", "left"));
    assert_eq!(
        both_with_every_turn(rw),
        promised("rw_spin.c", "every_turn")
    );
}

/// A lock of which a turn in vain takes back what it wrote; it goes round so often.
fn retries(cpu: &mut Cpu, me: usize, bound: usize) -> Run {
    for tries in 0..=bound {
        cpu.store(me, 1 + tries as i64)?;
        if cpu.load(1 - me)? == 0 {
            cpu.store(me, 0)?;
            return Ok(());
        }
        cpu.store(me, 0)?;
    }
    cpu.cut()
}

#[test]
fn loops_that_are_cut() {
    for (bound, revision) in [(1, "one"), (2, "two"), (3, "three")] {
        let found = both(|c, me| retries(c, me, bound));
        assert_eq!(found, promised("retries.c", revision));
    }
}

#[test]
fn a_loop_that_ends_whatever_it_finds_between() {
    let stores = |cpu: &mut Cpu| -> Run {
        cpu.store(TURN, 2)?;
        cpu.store(TURN, 3)?;
        Ok(())
    };
    let looks = |cpu: &mut Cpu| -> Run {
        let mut head = Loop::default();
        loop {
            cpu.turn(&mut head, &[]);
            if cpu.load(FLAG)? == 0 || cpu.load(TURN)? >= 2 {
                return Ok(());
            }
        }
    };
    for (turns, revision) in [(Turns::LeftOut, "left"), (Turns::Every, "every_turn")] {
        let found = turns.count(&[&stores, &looks], &[(FLAG, 1), (TURN, 1)]);
        assert_eq!(found, promised("places.c", revision));
    }
}
