//! The rest of a search, with what was found and learnt so far: kept in memory, so that the death of a worker costs no
//! more than what was done since, and in a file, so that another process can go on (`--save`, `--resume`).
//!
//! Names of objects are addresses, so a search can only go on in a process in which everything is
//! where it was: the same files loaded at the same places, the same arguments, the same stack. That is
//! written down and compared, like the options that decide which executions there are.

use crate::account::Account;
use crate::learned_facts::LearnedFacts;
use dpor_abi::options::Options;
#[cfg(feature = "mutations")]
use dpor_engine::mutations::{self, Mutation};
use dpor_engine::runtime::Runtime;
use dpor_engine::worker_process::know;
use dpor_engine::{input, loaded, process};
use dpor_explorer::worker::Frontier;
use dpor_machine::state::Kept;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{fs, ptr};

/// The first line of every such file; the number is of its format.
const MAGIC: &str = "dpor search 1\n";
const MAGIC_OF_ANY: &str = "dpor search ";

/// The rest of a search, with what was found and learnt so far.
#[derive(Clone, Serialize, Deserialize)]
pub struct SavedSearch {
    facts: LearnedFacts,
    /// Thread numbers given.
    names: Vec<(u16, u16)>,
    /// Standard input that was read so far.
    input: input::Known,
    /// The accounts of all workers that there were.
    pub accounts: Vec<Account>,
    /// The subtrees that are left. The file has them apart, as bytes.
    #[serde(skip)]
    pub frontier: Frontier,
}

/// What the file says of itself.
#[derive(Serialize, Deserialize)]
struct Header {
    /// The version of this program, for whoever looks into the file.
    tool: String,
    identity: Identity,
    /// The clocks at the root, in the words of option `clock`.
    clock: String,
    executions: u64,
    /// Number of bytes of what was found and learnt, which follow the header's line.
    found_bytes: usize,
    frontier_bytes: usize,
    /// CRC-32 of both.
    checksum: u32,
}

/// The properties in which the process that goes on has to be like this one.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The command line of the program.
    command: Vec<String>,
    /// The options that decide which executions there are ([`dpor_abi::options::Options::of_search`]).
    options: Vec<String>,
    files: Vec<LoadedFile>,
    /// Stack pointer of thread 0 at the root.
    stack: u64,
}

/// A file that is loaded into the process.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct LoadedFile {
    path: String,
    base: u64,
    /// CRC-32 of the file's contents; 0 if it cannot be read.
    checksum: u32,
}

impl Identity {
    /// The identity of this process.
    pub fn of(rt: &Runtime) -> Identity {
        let files = loaded::objects().into_iter().map(|object| LoadedFile {
            checksum: fs::read(&object.path).map_or(0, |bytes| crc32fast::hash(&bytes)),
            path: object.path,
            base: object.base,
        });
        Identity {
            command: rt.program.clone(),
            // As they were given: a search learns that some do not hold.
            options: process::options().map_or(Vec::new(), Options::of_search),
            files: files.collect(),
            stack: rt.root_stack as u64,
        }
    }

    /// The property in which another process differs, so that it cannot go on; `None`: it can.
    fn differs(&self, from: &Identity) -> Option<String> {
        if self.command.get(1..) != from.command.get(1..) {
            return Some("the program had other arguments".to_owned());
        }
        let changed = { from.files.iter() }
            .map(|file| (file, self.files.iter().find(|f| f.path == file.path)))
            .find(|(file, known)| known.is_none_or(|known| known.checksum != file.checksum));
        if let Some((file, _)) = changed {
            return Some(format!("it is of another program ({} differs)", file.path));
        }
        let option = from.options.iter().find(|o| !self.options.contains(o));
        if let Some(option) = option {
            return Some(format!("the search had not the option {option}"));
        }
        (self != from).then(|| {
            "the program's memory lay elsewhere (another environment or another system)".to_owned()
        })
    }
}

impl SavedSearch {
    /// The accounts and the frontier of all workers, added to what there was `before` they began.
    pub fn new(
        rt: &Runtime,
        before: Option<&SavedSearch>,
        accounts: Vec<Account>,
        frontier: Frontier,
    ) -> SavedSearch {
        let earlier = before.map_or(Vec::new(), |before| before.accounts.clone());
        SavedSearch {
            facts: LearnedFacts::of(rt),
            names: rt.names.clone(),
            input: input::known(),
            accounts: accounts.into_iter().chain(earlier).collect(),
            frontier,
        }
    }

    /// Number of executions so far.
    pub fn executions(&self) -> u64 {
        self.frontier.counters.executions()
    }

    /// Makes this process, which has not searched yet, know what the saved search knew.
    ///
    /// # Errors
    /// Half a sentence that says what is wrong with the saved search.
    pub fn know(&self, rt: &mut Runtime) -> Result<(), String> {
        if !self.names.starts_with(&rt.names) {
            return Err("its threads have other numbers".to_owned());
        }
        know(rt, &self.names);
        match rt.options.cluster {
            Some(cluster) if cluster.rank > 0 => self.facts.clone().become_those_of(rt)?,
            _ => drop(self.facts.clone().add_to(rt)?),
        }
        match input::read_again(&self.input) {
            true => Ok(()),
            false => Err("standard input is not what it was".to_owned()),
        }
    }

    /// Writes the search to a file, whole or not at all.
    ///
    /// # Errors
    /// One sentence that says why the file cannot be written.
    pub fn write(&self, identity: &Identity, clock: &str, path: &str) -> Result<(), String> {
        let found = serde_json::to_vec(self).expect("[dpor internal bug] plain data");
        let frontier =
            postcard::to_allocvec(&self.frontier).expect("[dpor internal bug] plain data");
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&found);
        checksum.update(&frontier);
        let header = Header {
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            identity: identity.clone(),
            clock: clock.to_owned(),
            executions: self.executions(),
            found_bytes: found.len(),
            frontier_bytes: frontier.len(),
            checksum: checksum.finalize(),
        };
        let mut bytes = MAGIC.as_bytes().to_vec();
        serde_json::to_writer(&mut bytes, &header).expect("[dpor internal bug] plain data");
        bytes.push(b'\n');
        bytes.extend(found);
        bytes.extend(frontier);
        let aside = aside(path);
        let written = fs::write(&aside, bytes).and_then(|()| fs::rename(&aside, path));
        written.map_err(|why| {
            remove(&aside);
            cannot_write(path, &why)
        })
    }
}

/// Where the file is written before it takes the place of the last one.
fn aside(path: &str) -> String {
    format!("{path}.part")
}

fn cannot_write(path: &str, why: &impl std::fmt::Display) -> String {
    format!("cannot write {path}: {why}")
}

/// Removes a file that is of no use, as far as the system lets us.
fn remove(aside: &str) {
    let _ = fs::remove_file(aside);
}

/// Finds out now rather than after hours whether the file can be written.
///
/// # Errors
/// One sentence.
pub fn try_to_write(path: &str) -> Result<(), String> {
    let aside = aside(path);
    let tried = fs::write(&aside, "").and_then(|()| fs::remove_file(&aside));
    tried.map_err(|why| cannot_write(path, &why))
}

/// A file that was read, and not compared with this process yet.
#[derive(Serialize, Deserialize)]
pub struct SearchFile {
    /// Path of the file that was read, or words for what it is otherwise.
    path: String,
    identity: Identity,
    /// The clocks at the root of the search that was saved, in the words of option `clock`.
    pub clock: String,
    saved: SavedSearch,
}

/// The file that the options say to go on with, from the root until the search takes it up; in the arena.
static KEPT: Kept<AtomicPtr<SearchFile>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Keeps a file that was read until the search takes it up, and returns its clocks.
pub fn keep(left: SearchFile) -> String {
    let clock = left.clock.clone();
    KEPT.store(Box::into_raw(Box::new(left)), Ordering::Relaxed);
    clock
}

/// Takes the file that was kept, if there is one.
pub fn kept() -> Option<Box<SearchFile>> {
    let left = KEPT.swap(ptr::null_mut(), Ordering::Relaxed);
    // SAFETY: null, or what `keep` made of a box, which nobody else has taken.
    (!left.is_null()).then(|| unsafe { Box::from_raw(left) })
}

/// Reads a file.
///
/// # Errors
/// One sentence.
pub fn read(path: &str) -> Result<SearchFile, String> {
    let bytes = fs::read(path).map_err(|why| format!("cannot read {path}: {why}"))?;
    let Some(rest) = bytes.strip_prefix(MAGIC.as_bytes()) else {
        return Err(match bytes.starts_with(MAGIC_OF_ANY.as_bytes()) {
            true => format!("{path} was written by another version of dpor"),
            false => format!("{path} is no saved search"),
        });
    };
    let damaged = || format!("{path} is damaged");
    let end = rest.iter().position(|&byte| byte == b'\n');
    let (header, body) = rest.split_at(end.ok_or_else(damaged)?);
    let header: Header = serde_json::from_slice(header).map_err(|_| damaged())?;
    let body = &body[1..];
    if header.found_bytes.checked_add(header.frontier_bytes) != Some(body.len())
        || crc32fast::hash(body) != header.checksum
    {
        return Err(damaged());
    }
    let (found, frontier) = body.split_at(header.found_bytes);
    let mut saved: SavedSearch = serde_json::from_slice(found).map_err(|_| damaged())?;
    saved.frontier = postcard::from_bytes(frontier).map_err(|_| damaged())?;
    Ok(SearchFile {
        path: path.to_owned(),
        identity: header.identity,
        clock: header.clock,
        saved,
    })
}

impl SearchFile {
    /// What another process has to know in order to help this one: nothing is left for it.
    pub fn to_begin_with(rt: &Runtime) -> SearchFile {
        SearchFile {
            path: "the search of rank 0".to_owned(),
            identity: Identity::of(rt),
            clock: rt.options.clock.clone(),
            saved: SavedSearch::new(rt, None, Vec::new(), Frontier::default()),
        }
    }

    /// The search that this process, at its root, can go on with.
    ///
    /// # Errors
    /// One sentence.
    #[cfg_attr(
        not(feature = "mutations"),
        expect(unused_mut, reason = "a broken one forgets")
    )]
    pub fn take_up(mut self, rt: &mut Runtime) -> Result<SavedSearch, String> {
        let cannot = |why: String| format!("cannot go on with {}: {why}", self.path);
        if let Some(why) = self.identity.differs(&Identity::of(rt)) {
            return Err(cannot(why));
        }
        self.saved.know(rt).map_err(cannot)?;
        #[cfg(feature = "mutations")]
        if mutations::does(Mutation::ForgetFound) {
            let accounts = self.saved.accounts.iter_mut();
            accounts.for_each(Account::forget_found);
        }
        Ok(self.saved)
    }
}
