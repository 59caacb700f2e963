//! Mistakes that are seeded into the search: random programs have to notice them.

use crate::machine::Manner;
use crate::oracle::differences;
use crate::random::{program, Random};
use dpor_explorer::states::Config;
use dpor_explorer::Mutation;

/// Random programs that are tried, at most.
const TRIES: usize = 1_000;

#[track_caller]
fn caught(mistake: Mutation, manner: Manner, walks: u32) {
    let mut tried = 0;
    for seed in 0.. {
        let config = Config {
            walks,
            mutation: mistake.into(),
            ..Config::default()
        };
        let Some(differs) = differences(&program(&mut Random(seed)), &config, manner) else {
            continue;
        };
        tried += 1;
        if !differs.is_empty() {
            println!("{mistake:?}, {manner:?}: noticed by program {tried}");
            return;
        }
        assert!(
            tried < TRIES,
            "{mistake:?} was not noticed by {tried} programs"
        );
    }
}

#[test]
fn mistakes_are_noticed() {
    caught(Mutation::PutOff, Manner::PLAIN, 10);
    caught(Mutation::LearnsOnce, Manner::PLAIN, 0);
    caught(Mutation::LooksForgotten, Manner::PLAIN, 10);
    caught(Mutation::WaitersForgotten, Manner::PLAIN, 10);
    let blind = Manner {
        watches: false,
        ..Manner::PLAIN
    };
    caught(Mutation::None, blind, 10);
}
