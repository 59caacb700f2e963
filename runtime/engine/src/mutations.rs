//! Seeded faults: breaks the runtime as `DPOR_MUTATION` says, to show that the tests notice. Not in what is installed.
//!
//! | name | what is wrong | noticed by |
//! |---|---|---|
//! | `forget-shadow` | a restore from memory forgets who accessed what | snapshots |
//! | `fault`, `panic` | the search fails when an execution has ended | all |
//! | `ends-early` | after the process of an execution that was not the last none is made | `--checkpoint=restart` |
//! | `wrong-fork` | whichever process waits last goes on, and not the one that was asked | `--checkpoint=fork` |
//! | `forget-found` | what the saved part of a search found is not taken up with the rest | `--resume` |
//! | `no-looks` | looks in vain are not judged | all |
//! | `ordered-signal` | a signal happens before what the thread does that it wakes | all |
//! | `return-waits` | main's return waits for all other threads before handlers run | all |
//! | `trusts-all` | nobody notes which threads enter code without instrumentation | all |
//! | `one-order` | races that are warnings leave nothing unknown | all |
//! | `no-turns` | loops never wait for what their turns look at, nor do they stop there | all |
//! | `ends-cut` | the search ends with the first execution that is too long | all |
//! | `frames-live` | variables live on when their function has returned | all |
//! | `never-early` | no time-out comes early, whatever the verdict says | all |
//! | `ends-all` | `SYS_exit` ends the process, not a thread | all |
//! | `names-lossy` | names of outcomes are cut to what is UTF-8 | all |
//! | `front-free` | what lies in front of a block is not guarded | all |
//! | `alone-free` | memory is not judged while the program has one thread | all |
//! | `members-free` | calls of libstdc++.so's members are no accesses | all |
//! | `vacuous-verified` | a search of which each execution was left by an assumption says verified | all |
//! | `all-strong` | atomic accesses that are weaker are not told of | all |
//! | `own-library` | a race in the standard library's own code is the program's | all |
//! | `one-class` | of values that are compared with constants the first class is taken | all |
//! | `no-progress` | nobody who goes round makes progress | all |
//! | `any-status` | no exit status is a finding | all |
//! | `turns-once` | a turn in vain comes once, whatever is told in relaxed order | all |
//! | `ends-deaf` | signals that come last are not looked for | all |
//! | `keeps-dead` | dead registers keep what they hold where states are remembered | `--states` |
//! | `lose-found` | what one worker found is not taken by the coordinator | `-j2` |

use core::ffi::{c_char, CStr};
use core::sync::atomic::{AtomicU32, Ordering};
use dpor_machine::state::Kept;

/// A seeded fault, for the place in the code that has it.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Mutation {
    /// `fault`
    Fault = 1,
    /// `panic`
    Panic = 2,
    /// `ends-early`
    EndsEarly = 4,
    /// `wrong-fork`
    OtherFork = 8,
    /// `forget-found`
    ForgetFound = 16,
    /// `lose-found`
    LoseFound = 32,
    /// `no-looks`
    NoLooks = 64,
    /// `ordered-signal`
    OrderedSignal = 128,
    /// `return-waits`
    ReturnWaits = 256,
    /// `trusts-all`
    TrustsAll = 512,
    /// `one-order`
    OneOrder = 1024,
    /// `no-turns`
    NoTurns = 2048,
    /// `ends-cut`
    EndsCut = 4096,
    /// `frames-live`
    FramesLive = 8192,
    /// `never-early`
    NeverEarly = 16384,
    /// `ends-all`
    EndsAll = 32768,
    /// `names-lossy`
    NamesLossy = 65536,
    /// `front-free`
    FrontFree = 131072,
    /// `members-free`
    MembersFree = 262144,
    /// `vacuous-verified`
    VacuousVerified = 524288,
    /// `all-strong`
    AllStrong = 1048576,
    /// `own-library`
    OwnLibrary = 2097152,
    /// `one-class`
    OneClass = 4194304,
    /// `no-progress`
    NoProgress = 8388608,
    /// `any-status`
    AnyStatus = 16777216,
    /// `turns-once`
    TurnsOnce = 33554432,
    /// `ends-deaf`
    EndsDeaf = 67108864,
    /// `keeps-dead`
    KeepsDead = 134217728,
    /// `rubbish-dead`: no fault; dead registers hold rubbish instead of zeros, which nothing may notice
    RubbishDead = 268435456,
}

const NAMES: [(&CStr, Mutation); 29] = [
    (c"fault", Mutation::Fault),
    (c"panic", Mutation::Panic),
    (c"ends-early", Mutation::EndsEarly),
    (c"wrong-fork", Mutation::OtherFork),
    (c"forget-found", Mutation::ForgetFound),
    (c"lose-found", Mutation::LoseFound),
    (c"no-looks", Mutation::NoLooks),
    (c"ordered-signal", Mutation::OrderedSignal),
    (c"return-waits", Mutation::ReturnWaits),
    (c"trusts-all", Mutation::TrustsAll),
    (c"one-order", Mutation::OneOrder),
    (c"no-turns", Mutation::NoTurns),
    (c"ends-cut", Mutation::EndsCut),
    (c"frames-live", Mutation::FramesLive),
    (c"never-early", Mutation::NeverEarly),
    (c"ends-all", Mutation::EndsAll),
    (c"names-lossy", Mutation::NamesLossy),
    (c"front-free", Mutation::FrontFree),
    (c"members-free", Mutation::MembersFree),
    (c"vacuous-verified", Mutation::VacuousVerified),
    (c"all-strong", Mutation::AllStrong),
    (c"own-library", Mutation::OwnLibrary),
    (c"one-class", Mutation::OneClass),
    (c"no-progress", Mutation::NoProgress),
    (c"any-status", Mutation::AnyStatus),
    (c"turns-once", Mutation::TurnsOnce),
    (c"ends-deaf", Mutation::EndsDeaf),
    (c"keeps-dead", Mutation::KeepsDead),
    (c"rubbish-dead", Mutation::RubbishDead),
];

static ASKED: Kept<AtomicU32> = Kept::new(AtomicU32::new(0));

/// Whether the environment asks for the mutation of this name. To be called at the root.
pub fn is(name: &CStr) -> bool {
    let getenv = real!(getenv: fn(*const c_char) -> *mut c_char);
    // SAFETY: the name is a string literal, and nothing else runs that could change the environment.
    let value = unsafe { getenv(c"DPOR_MUTATION".as_ptr()) };
    // SAFETY: the value is not null, so it is a NUL-terminated text of the environment, which nobody changes meanwhile.
    !value.is_null() && unsafe { CStr::from_ptr(value) } == name
}

/// Remembers which mutations are asked for that are looked at later.
pub fn at_root() {
    let asked = NAMES.iter().filter(|(name, _)| is(name));
    let asked = asked.fold(0, |all, &(_, mutation)| all | mutation as u32);
    ASKED.store(asked, Ordering::Relaxed);
}

/// Whether this mutation is asked for, as [`at_root`] found it.
pub fn does(mutation: Mutation) -> bool {
    ASKED.load(Ordering::Relaxed) & mutation as u32 != 0
}

/// `fault`, `panic`: the search fails when an execution has ended.
pub fn execution_ended() {
    if does(Mutation::Fault) {
        // SAFETY: there is none: the write faults, as in a runtime that is wrong.
        unsafe { core::ptr::write_volatile(core::ptr::without_provenance_mut::<u8>(8), 1) };
    }
    assert!(!does(Mutation::Panic), "broken on purpose");
}
