//! The numbers of executions of small programs whose loops look until another thread has come so far, derived by brute
//! force as in [`crate::waiting`].

use crate::waiting::{promised, with, Turns};
use dpor_testsuite::waiting::{Cpu, Loop, Run, Thread};

const FLAG: usize = 0;

/// Where the turns of a loop that looks at one flag begin.
#[derive(Clone, Copy)]
enum Begin {
    /// Before the look.
    AtTheLook,
    /// Behind the first look, which is made before the loop.
    BehindTheFirst,
    /// Before the look; the first turn leaves the local variables otherwise than it found them.
    WithAChange,
}

/// The first thread waits for the flag that the second sets.
fn flag(cpu: &mut Cpu, me: usize, begin: Begin) -> Run {
    if me == 1 {
        return cpu.store(FLAG, 1).map(|_| ());
    }
    if matches!(begin, Begin::BehindTheFirst) && cpu.load(FLAG)? == 1 {
        return Ok(());
    }
    let mut local = 0;
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[local]);
        if cpu.load(FLAG)? == 1 {
            return Ok(());
        }
        local = i64::from(matches!(begin, Begin::WithAChange));
    }
}

#[test]
fn loops_that_look_at_a_flag() {
    let programs = [
        ("assembly.c", "load", Begin::AtTheLook),
        ("backs_off.c", "sleep", Begin::AtTheLook),
        ("backs_off.c", "pause", Begin::AtTheLook),
        ("backs_off.c", "capped", Begin::AtTheLook),
        ("backs_off.c", "sleep_rotated", Begin::BehindTheFirst),
        ("backs_off.c", "pause_rotated", Begin::BehindTheFirst),
        ("backs_off.c", "capped_rotated", Begin::BehindTheFirst),
        ("busy.c", "written", Begin::AtTheLook),
        ("busy.c", "rotated", Begin::BehindTheFirst),
        ("calls.c", "plain", Begin::AtTheLook),
        ("calls.c", "rotated", Begin::BehindTheFirst),
        ("hints.c", "helper", Begin::AtTheLook),
        ("polls.cc", "slot", Begin::WithAChange),
        ("sleeps.c", "micro", Begin::AtTheLook),
        ("sleeps.c", "second", Begin::AtTheLook),
        ("sleeps.c", "nano", Begin::AtTheLook),
        ("sleeps.c", "local", Begin::AtTheLook),
        ("sleeps.c", "poll", Begin::AtTheLook),
        ("sleeps.c", "micro_rotated", Begin::BehindTheFirst),
        ("sleeps.c", "second_rotated", Begin::BehindTheFirst),
        ("sleeps.c", "nano_rotated", Begin::BehindTheFirst),
        ("sleeps.c", "local_rotated", Begin::BehindTheFirst),
        ("sleeps.c", "poll_rotated", Begin::BehindTheFirst),
        ("sleeps.cc", "", Begin::BehindTheFirst),
        ("sleeps.cc", "", Begin::WithAChange),
        ("yield.cc", "load", Begin::AtTheLook),
    ];
    for (file, revision, begin) in programs {
        let found = with(|c, me| flag(c, me, begin), &[], Turns::LeftOut);
        assert_eq!(found, promised(file, revision), "{file}[{revision}]");
    }
    for (revision, begin) in [
        ("every_turn", Begin::AtTheLook),
        ("every_turn_rotated", Begin::BehindTheFirst),
    ] {
        let found = with(|c, me| flag(c, me, begin), &[], Turns::Every);
        assert_eq!(found, promised("sleeps.c", revision));
    }
}

/// The first thread takes away what the second puts there.
/// `often`: how many turns in vain there are before a thread goes no further.
fn taken(cpu: &mut Cpu, me: usize, often: i64) -> Run {
    if me == 1 {
        return cpu.store(FLAG, 1).map(|_| ());
    }
    acquires(cpu, 1, 2, often)
}

fn acquires(cpu: &mut Cpu, expected: i64, new: i64, often: i64) -> Run {
    let mut head = Loop::default();
    for turns in 1.. {
        cpu.turn(&mut head, &[often.min(turns)]);
        if cpu.exchange(FLAG, expected, new)? {
            break;
        }
    }
    Ok(())
}

fn holds(cpu: &mut Cpu, often: i64) -> Run {
    acquires(cpu, 0, 1, often)?;
    cpu.store(FLAG, 0).map(|_| ())
}

#[test]
fn exchanges_in_functions() {
    let found = with(|c, me| taken(c, me, 2), &[], Turns::LeftOut);
    assert_eq!(found, promised("yield.cc", "exchange"));
    for (revision, often) in [("strong", 1), ("weak", 2), ("flag", 1)] {
        let found = with(|c, _| holds(c, often), &[], Turns::LeftOut);
        assert_eq!(found, promised("exchange.cc", revision));
    }
    let found = with(|c, _| holds(c, 1), &[], Turns::Every);
    assert_eq!(found, promised("exchange.cc", "every_turn"));
}

/// The second place is looked at where the first is set.
fn second_place(cpu: &mut Cpu, me: usize) -> Run {
    let other = 1;
    if me == 1 {
        return cpu.store(other, 1).map(|_| ());
    }
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        if cpu.load(other)? != 0 && cpu.load(FLAG)? != 1 {
            return Ok(());
        }
    }
}

#[test]
fn a_second_place_behind_a_flag() {
    let found = with(second_place, &[], Turns::LeftOut);
    assert_eq!(found, promised("looks.c", "places"));
}

/// Vyukov's queue with one producer. Cell 0: the head; behind it: the links of the stub and of the item.
fn queue(cpu: &mut Cpu, me: usize, begin: Begin) -> Run {
    let (head, stub, item) = (0, 1, 2);
    let push = |cpu: &mut Cpu, node: usize| -> Run {
        cpu.store(node, 0)?;
        let before = cpu.swap(head, node as i64)?;
        cpu.store(before as usize, node as i64).map(|_| ())
    };
    if me == 1 {
        return push(cpu, item);
    }
    let (mut tail, mut local) = (stub, 0);
    let mut turn = Loop::default();
    loop {
        cpu.turn(&mut turn, &[tail as i64, local]);
        local = i64::from(matches!(begin, Begin::WithAChange));
        let mut first = tail;
        let mut next = cpu.load(first)? as usize;
        if first == stub {
            if next == 0 {
                continue;
            }
            tail = next;
            first = next;
            next = cpu.load(first)? as usize;
        }
        if next == 0 {
            if first as i64 != cpu.load(head)? {
                continue;
            }
            push(cpu, stub)?;
            next = cpu.load(first)? as usize;
            if next == 0 {
                continue;
            }
        }
        return Ok(());
    }
}

#[test]
fn a_queue_that_is_polled() {
    for (revision, begin) in [
        ("queue", Begin::WithAChange),
        ("queue_inlined", Begin::AtTheLook),
    ] {
        let found = with(|c, me| queue(c, me, begin), &[(0, 1)], Turns::LeftOut);
        assert_eq!(found, promised("polls.cc", revision));
    }
}

/// Cell 0: the sequence number; 1: the data.
fn sequence_lock(cpu: &mut Cpu, me: usize) -> Run {
    if me == 0 {
        cpu.store(0, 1)?;
        cpu.store(1, 7)?;
        return cpu.store(0, 2).map(|_| ());
    }
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[]);
        let seen = cpu.wait(0, |v| v & 1 == 0)?;
        cpu.load(1)?;
        if cpu.load(0)? == seen {
            return Ok(());
        }
    }
}

#[test]
fn a_sequence_lock() {
    let found = with(sequence_lock, &[], Turns::LeftOut);
    assert_eq!(found, promised("seqlock.c", ""));
}

/// Waits until a or b is set, looks at a third cell in each turn in vain, and tells of the last turn if it found b only.
/// `often`: how many turns in vain there are before the thread goes no further.
fn looks_at_a_third(cpu: &mut Cpu, often: i64) -> Run {
    let [a, b, third, told] = [0, 1, 2, 3];
    let mut turns = 1;
    let mut head = Loop::default();
    loop {
        cpu.turn(&mut head, &[turns.min(often)]);
        let found = (cpu.load(a)?, cpu.load(b)?);
        if found == (0, 0) {
            cpu.load(third)?;
            turns += 1;
            continue;
        }
        if found.0 == 0 {
            cpu.store(told, 1)?;
        }
        return Ok(());
    }
}

#[test]
fn turns_that_come_twice() {
    let writes = |cpu: &mut Cpu| -> Run {
        cpu.store(0, 1)?;
        cpu.store(1, 1).map(|_| ())
    };
    let hears = |cpu: &mut Cpu| -> Run { cpu.load(3).map(|_| ()) };
    let twice = |cpu: &mut Cpu| looks_at_a_third(cpu, 2);
    let once = |cpu: &mut Cpu| looks_at_a_third(cpu, 1);
    let all: [Thread; 3] = [&twice, &writes, &hears];
    let right = Turns::LeftOut.count(&all, &[]);
    assert_eq!(right, promised("left_out.c", "right"));
    let two: [Thread; 2] = [&once, &writes];
    for (turns, revision) in [
        (Turns::LeftOut, "alone"),
        (Turns::Every, "alone_every_turn"),
    ] {
        assert_eq!(turns.count(&two, &[]), promised("left_out.c", revision));
    }
}
