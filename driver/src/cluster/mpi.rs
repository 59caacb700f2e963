//! The thread that speaks MPI: it alone calls it.
//!
//! A send that the other side does not take keeps this thread, and nobody else, waiting; what comes meanwhile
//! is taken, so that two that send to each other do not wait for each other.

use super::{Company, Errand, Parcel, Word};
use crate::happening::Happening;
use ::mpi::environment::Universe;
use ::mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use ::mpi::topology::{Communicator, SimpleCommunicator};
use ::mpi::{request, Threading};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// What a parcel is: its MPI tag.
const FRAME: i32 = 1;
const WORD: i32 = 2;

/// Time between two looks at MPI: the shortest, after something happened, and the longest.
const SOON: Duration = Duration::from_micros(20);
const LATE: Duration = Duration::from_micros(500);

/// What begins the names of variables that launchers set, which differ from rank to rank.
const LAUNCHERS: [&str; 7] = [
    "OMPI_", "PMIX_", "PMI_", "ORTE_", "PRTE_", "HYDRA_", "MPIR_",
];

/// Starts the thread.
///
/// # Errors
/// One sentence.
pub fn join() -> Result<Company, String> {
    let (errands, to_do) = channel();
    let (happen, happenings) = channel();
    let (tell, told) = channel();
    let to = happen.clone();
    std::thread::spawn(move || speak(&to_do, &to, &tell));
    let (rank, size) = told
        .recv()
        .map_err(|_| "MPI cannot be initialized".to_owned())?;
    agree(Company {
        rank,
        size,
        errands,
        happenings: (happen, happenings),
        environment: Vec::new(),
        is_over: false,
        is_hurried: false,
    })
}

/// All programs get the environment of rank 0's.
fn agree(mut company: Company) -> Result<Company, String> {
    if company.rank == 0 {
        let is_launcher = |name: &OsString| {
            LAUNCHERS
                .iter()
                .any(|l| name.as_bytes().starts_with(l.as_bytes()))
        };
        company.environment = std::env::vars_os()
            .filter(|(name, _)| name != "DPOR_OPTIONS" && !is_launcher(name))
            .collect();
        let bytes = |text: &OsString| text.as_bytes().to_vec();
        let all = company.environment.iter();
        let all = all.map(|(name, value)| (bytes(name), bytes(value)));
        let word = Word::Environment(all.collect());
        (1..company.size).for_each(|rank| company.say(rank, word.clone()));
        return Ok(company);
    }
    let mut early = Vec::new();
    loop {
        match company.happenings.1.recv() {
            Ok(Happening::Parcel(0, Parcel::Word(Word::Environment(all)))) => {
                let text = OsString::from_vec;
                let all = all.into_iter();
                company.environment = all.map(|(n, v)| (text(n), text(v))).collect();
                // What other ranks sent meanwhile is for the program.
                for happening in early {
                    let _ = company.happenings.0.send(happening);
                }
                return Ok(company);
            }
            Ok(other) => early.push(other),
            Err(_) => return Err("MPI ended before the check began".to_owned()),
        }
    }
}

/// Speaks MPI until the rank is to leave.
fn speak(to_do: &Receiver<Errand>, happen: &Sender<Happening>, tell: &Sender<(u32, u32)>) {
    let Some((universe, _)) = ::mpi::initialize_with_threading(Threading::Funneled) else {
        return;
    };
    let world = universe.world();
    let number = |n: i32| u32::try_from(n).unwrap_or_default();
    if tell
        .send((number(world.rank()), number(world.size())))
        .is_err()
    {
        return;
    }
    let mut pause = SOON;
    loop {
        match to_do.recv_timeout(pause) {
            Ok(Errand::Send(to, parcel)) => {
                send(&world, to, &parcel, happen);
                pause = SOON;
            }
            Ok(Errand::Leave(done)) => return leave(universe, &done),
            Err(RecvTimeoutError::Disconnected) => return std::mem::forget(universe),
            Err(RecvTimeoutError::Timeout) => pause = (2 * pause).min(LATE),
        }
        while take(&world, happen) {
            pause = SOON;
        }
    }
}

/// Finalizes, which waits for all.
fn leave(universe: Universe, done: &Sender<()>) {
    drop(universe);
    // Whoever asked may have given up.
    let _ = done.send(());
}

fn send(world: &SimpleCommunicator, to: u32, parcel: &Parcel, happen: &Sender<Happening>) {
    let word;
    let (bytes, tag) = match parcel {
        Parcel::Frame(bytes) => (bytes, FRAME),
        Parcel::Word(what) => {
            word = serde_json::to_vec(what).expect("[dpor internal bug] plain data");
            (&word, WORD)
        }
    };
    let Ok(to) = i32::try_from(to) else { return };
    let process = world.process_at_rank(to);
    request::scope(|scope| {
        let mut sending = process.immediate_send_with_tag(scope, bytes.as_slice(), tag);
        while let Err(not_yet) = sending.test() {
            sending = not_yet;
            if !take(world, happen) {
                std::thread::yield_now();
            }
        }
    });
}

/// Takes one parcel that came, if there is one.
fn take(world: &SimpleCommunicator, happen: &Sender<Happening>) -> bool {
    let Some(probed) = world.any_process().immediate_matched_probe() else {
        return false;
    };
    let (bytes, status) = probed.matched_receive_vec::<u8>();
    let parcel = match status.tag() {
        FRAME => Parcel::Frame(bytes),
        _ => match serde_json::from_slice::<Word>(&bytes) {
            Ok(word) => Parcel::Word(word),
            Err(why) => Parcel::Word(Word::Failed(format!("it said {why}"))),
        },
    };
    let from = u32::try_from(status.source_rank()).unwrap_or_default();
    // Nobody listens when the check is over.
    let _ = happen.send(Happening::Parcel(from, parcel));
    true
}
