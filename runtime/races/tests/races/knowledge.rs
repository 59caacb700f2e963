//! Two moments with the same knowledge have the same races before them.

use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Races};
use std::collections::HashMap;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Call {
    Read(u64),
    Write(u64),
    Load(u64, bool),
    Store(u64, bool),
    Lock(u64),
    Unlock(u64),
    Sleep(u32),
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn call(&mut self) -> (ThreadId, Call) {
        let place = 0x1000 + 8 * self.below(2) + 4 * self.below(2);
        let strong = self.below(2) == 0;
        let call = match self.below(9) {
            0 | 1 => Call::Read(place),
            2 | 3 => Call::Write(place),
            4 => Call::Load(0x2000, strong),
            5 => Call::Store(0x2000, strong),
            6 => Call::Lock(1),
            7 => Call::Sleep(1 + self.below(2) as u32),
            _ => Call::Unlock(1),
        };
        (ThreadId(self.below(3) as u16), call)
    }
}

/// Tells of a call; whether it races.
fn tell(races: &mut Races, (thread, call): (ThreadId, Call)) -> bool {
    const RELAXED: u32 = dpor_abi::order::RELAXED;
    const SEQ_CST: u32 = dpor_abi::order::SEQ_CST;
    let order = |strong| if strong { SEQ_CST } else { RELAXED };
    let site = SiteId(7);
    let race = match call {
        Call::Read(at) => races.read(thread, at, 4, site),
        Call::Write(at) => races.write(thread, at, 4, site),
        Call::Load(at, strong) => races.atomic_load(thread, at, 4, order(strong), site),
        Call::Store(at, strong) => races.atomic_store(thread, at, 4, order(strong), site),
        Call::Lock(object) => {
            races.acquire(thread, object);
            None
        }
        Call::Unlock(object) => {
            races.release(thread, object);
            None
        }
        Call::Sleep(until) => {
            races.sleep(thread, until);
            None
        }
    };
    race.is_some()
}

fn three_threads() -> Races {
    let mut races = Races::new(Judgement::C11);
    races.create(ThreadId(0), ThreadId(1));
    races.create(ThreadId(0), ThreadId(2));
    races
}

fn knowledge(races: &mut Races) -> Vec<u64> {
    let mut words = Vec::new();
    races.knowledge(&mut words);
    words
}

/// Random histories; those with equal knowledge go on alike, by all calls of random continuations up to the first race.
#[test]
fn equal_knowledge_has_equal_races_before_it() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    // One detector, as in a search: what it names by numbers has the same ones in all histories.
    let mut races = three_threads();
    let root = races.mark();
    // Both places are accessed plainly in some history.
    for at in [0x1000, 0x1008] {
        tell(&mut races, (ThreadId(0), Call::Write(at)));
        knowledge(&mut races);
    }
    let mut known: HashMap<Vec<u64>, Vec<(ThreadId, Call)>> = HashMap::new();
    let (mut pairs, mut racing) = (0, 0);
    for _ in 0..40_000 {
        let length = random.below(9);
        let history: Vec<_> = (0..length).map(|_| random.call()).collect();
        races.rollback(root);
        if history.iter().any(|&call| tell(&mut races, call)) {
            // Behind a race everything may be.
            continue;
        }
        let words = knowledge(&mut races);
        let Some(other) = known.get(&words) else {
            known.insert(words, history);
            continue;
        };
        pairs += 1;
        let calls: Vec<_> = (0..12).map(|_| random.call()).collect();
        let [one, two] = [&history, other].map(|history| {
            races.rollback(root);
            for &call in history {
                tell(&mut races, call);
            }
            let mut answers = Vec::new();
            for &call in &calls {
                let races_now = tell(&mut races, call);
                let slept = [0, 1, 2].map(|thread| races.slept(ThreadId(thread)));
                answers.push((races_now, slept, knowledge(&mut races)));
                if races_now {
                    // Behind it everything may be.
                    answers.pop();
                    break;
                }
            }
            answers
        });
        assert_eq!(
            one.len(),
            two.len(),
            "{history:?} and {other:?} before {calls:?}"
        );
        assert_eq!(one, two, "{history:?} and {other:?} before {calls:?}");
        racing += u32::from(one.len() < calls.len());
    }
    assert!(
        pairs > 2000 && racing > 500,
        "{pairs} pairs, {racing} races"
    );
}

/// Sections of one lock in turns, for ever: what is known comes back, though clocks grow.
#[test]
fn knowledge_comes_back() {
    let mut races = three_threads();
    let (one, two) = (ThreadId(1), ThreadId(2));
    let mut seen = Vec::new();
    for round in 0..20 {
        for thread in [one, two] {
            for call in [Call::Lock(1), Call::Write(0x1000), Call::Unlock(1)] {
                assert!(!tell(&mut races, (thread, call)));
            }
        }
        let words = knowledge(&mut races);
        if round > 2 {
            assert_eq!(words, seen, "round {round}");
        }
        seen = words;
    }
}

/// `a = 1; loop: x = 1` beside `loop: y = 1; x = 1`, each loop under a lock of its own: the memory is the same whether `x`
/// was written by the first thread or not, and what the second does with it races or does not.
#[test]
fn what_was_accessed_tells_moments_apart() {
    let (mut before, mut after) = (three_threads(), three_threads());
    assert!(!tell(&mut after, (ThreadId(1), Call::Write(0x1000))));
    assert_ne!(knowledge(&mut before), knowledge(&mut after));
    assert!(!tell(&mut before, (ThreadId(2), Call::Write(0x1000))));
    assert!(tell(&mut after, (ThreadId(2), Call::Write(0x1000))));
}

/// A mutex in a large block is used like memory that is accessed atomically, and freed with the block.
#[test]
fn a_free_makes_an_object_count_that_was_only_used() {
    let (main, other) = (ThreadId::MAIN, ThreadId(1));
    let mut races = Races::new(Judgement::C11);
    // A page of shadow memory.
    races.allocate(main, 0x1000, 0x400, SiteId(1));
    races.create(main, other);
    assert!(races.use_object(other, 0x1100, 8, SiteId(2)).is_none());
    races.finish(other);
    knowledge(&mut races);
    assert!(!races.take_learnt(), "nobody accesses it plainly");
    races.join(main, other);
    assert!(races.free(main, 0x1000, 0x400, SiteId(3)).is_none());
    knowledge(&mut races);
    assert!(
        races.take_learnt(),
        "a use that was left out may race with the free"
    );
}
