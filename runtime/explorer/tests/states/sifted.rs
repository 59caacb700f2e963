//! The search that keeps no graph, with more memory than its states need: it meets what the whole graph has.

use crate::brute::{whole, Facts};
use crate::machine::{Machine, Manner};
use crate::oracle::STATES;
use crate::random::{program, Random};
use dpor_explorer::states::{sift, Config};
use dpor_explorer::Mutation;

/// So many bits that of 3,000 states with 3 bits each the last is taken for others with a chance of (9,000 / 2^20)³, which is
/// below 1e-6.
const BYTES: u64 = 1 << 17;

/// Programs that are compared; what differs in one of them, its number, and how much was met of all states.
fn compared(programs: usize, mistake: Mutation, walks: u32) -> (Option<Vec<&'static str>>, usize) {
    let manners = [
        Manner::PLAIN,
        Manner {
            coarse: true,
            keeps: 3,
            ..Manner::PLAIN
        },
        Manner {
            keeps: 0,
            ..Manner::PLAIN
        },
    ];
    let (mut tried, mut states, mut met) = (0, 0, 0);
    for seed in 0.. {
        if tried == programs {
            break;
        }
        let random = program(&mut Random(seed));
        let Some(whole) = whole(&random, 500).filter(|w| w.states.len() >= *STATES.start()) else {
            continue;
        };
        tried += 1;
        let mut machine = Machine::new(&random, manners[(seed % 3) as usize]);
        let config = Config {
            seed,
            walks,
            mutation: mistake.into(),
            ..Config::default()
        };
        let Ok(found) = sift(&mut machine, &config, BYTES);
        assert!(found.is_over && found.taken_for_others < 1e-6);
        assert_eq!(found.states as usize, machine.met.len());
        let mut facts = Facts::default();
        let all = machine.met.iter();
        all.for_each(|state| facts.note(&random, state));
        facts.steps.clone_from(&machine.own_steps);
        let differs = whole.facts.differs(&facts);
        if !differs.is_empty() {
            return (Some(differs), tried);
        }
        states += whole.states.len();
        met += machine.met.len();
    }
    println!("{tried} programs, {states} states, {met} met");
    assert!(met < states, "nothing was left out");
    (None, tried)
}

#[test]
fn nothing_is_missed_without_a_graph() {
    for walks in [0, 10] {
        assert_eq!(compared(600, Mutation::None, walks).0, None);
    }
}

#[test]
fn mistakes_without_a_graph_are_noticed() {
    let put_off = compared(1_000, Mutation::PutOff, 10);
    assert!(put_off.0.is_some(), "nobody is put off");
    let learns_once = compared(1_000, Mutation::LearnsOnce, 0);
    assert!(learns_once.0.is_some(), "futures are learned once");
}

/// With few bits states are taken for others, and the search says how often; limits end it.
#[test]
fn few_bits_and_limits() {
    let big = (0..).map(|seed| program(&mut Random(seed)));
    let mut big = big.filter(|random| whole(random, 3_000).is_some_and(|w| w.states.len() > 1_000));
    let random = big.next().expect("there are many");
    let config = Config {
        reduces: false,
        ..Config::default()
    };
    let all = whole(&random, 3_000).expect("it fits").states.len() as u64;
    let found = |config: &Config, bytes| {
        let Ok(found) = sift(&mut Machine::new(&random, Manner::PLAIN), config, bytes);
        found
    };
    let whole = found(&config, BYTES);
    assert_eq!((whole.states, whole.rounds, whole.is_over), (all, 1, true));
    // 128 bits: at most so many states set one that was not set.
    let few = found(&config, 16);
    assert!(few.states <= 128 && few.is_over && few.taken_for_others > 0.001);
    let limited = Config {
        states_max: 10,
        ..config.clone()
    };
    let limited = found(&limited, BYTES);
    assert!(!limited.is_over && !limited.is_cut_by_depth && limited.states == 10);
    let near = Config {
        depth_max: 3,
        ..config
    };
    let near = found(&near, BYTES);
    assert!(!near.is_over && near.is_cut_by_depth && near.states < all);
}
