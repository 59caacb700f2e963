//! Ranks that are threads of one process, with channels in the place of MPI: for tests. Messages of one rank
//! to another keep their order, as MPI's do, and wait as long as a generator of numbers says.

use super::{Company, Errand, Parcel};
use crate::happening::Happening;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::Duration;

/// Makes so many ranks, the first of which is to lead. A message takes up to `delay_max` microseconds.
pub fn ranks(size: u32, delay_max: u64) -> Vec<Company> {
    let ends: Vec<(Sender<Happening>, Receiver<Happening>)> =
        (0..size).map(|_| channel()).collect();
    let senders: Vec<Sender<Happening>> = ends.iter().map(|(sender, _)| sender.clone()).collect();
    let environment: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| name != "DPOR_OPTIONS")
        .collect();
    { (0..).zip(ends) }
        .map(|(rank, happenings)| {
            let (errands, to_do) = channel();
            let ways = senders.iter().zip(0u64..);
            let ways = ways.map(|(to, number)| {
                let seed = number * u64::from(size) + u64::from(rank);
                way(rank, to.clone(), Delay { seed, delay_max })
            });
            let ways: Vec<Sender<Parcel>> = ways.collect();
            thread::spawn(move || carry(&to_do, &ways));
            Company {
                rank,
                size,
                errands,
                happenings,
                environment: environment.clone(),
                is_over: false,
                is_hurried: false,
            }
        })
        .collect()
}

/// Carries messages until the rank takes leave.
fn carry(to_do: &Receiver<Errand>, ways: &[Sender<Parcel>]) {
    for errand in to_do {
        match errand {
            // A rank that is gone hears nothing.
            Errand::Send(to, parcel) => {
                let _ = ways[to as usize].send(parcel);
            }
            Errand::Leave(done) => {
                let _ = done.send(());
                return;
            }
        }
    }
}

/// The way from a rank to another.
fn way(from: u32, to: Sender<Happening>, mut delay: Delay) -> Sender<Parcel> {
    let (sender, parcels) = channel();
    thread::spawn(move || {
        for parcel in parcels {
            thread::sleep(delay.draw());
            if to.send(Happening::Parcel(from, parcel)).is_err() {
                return;
            }
        }
    });
    sender
}

struct Delay {
    seed: u64,
    delay_max: u64,
}

impl Delay {
    /// SplitMix64 (Steele, Lea, Flood 2014).
    fn draw(&mut self) -> Duration {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Duration::from_micros((z ^ (z >> 31)) % (self.delay_max + 1))
    }
}
