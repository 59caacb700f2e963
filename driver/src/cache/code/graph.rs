//! The graph of functions and variables, and the digest of a part of it.
//!
//! The digest is of a walk in breadth. Nodes are numbered as they are met, and each is told with its content and the
//! numbers of what it refers to. So two programs have the same digest only if what is reached in one is the same graph
//! with the same contents as in the other; how many other functions there are, in which order, and what local ones are
//! called, is in no number.

use dpor_abi::reach::{flag, kind, Entry, Part};
use std::collections::{HashMap, HashSet, VecDeque};

/// What is known of a name that no record defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outside {
    /// A shared library has it, in this version (empty: in none).
    Import(Vec<u8>),
    /// The linker or the C start-up files have it, or the compiler has instructions for it.
    Linked,
    /// Nothing in the program has the name.
    Absent,
    /// The program has it, by this name, and nothing is known of it.
    Unknown(String),
}

/// A definition: the index of its part, and of its entry there.
type Node = (usize, usize);

/// The definitions of a program by name.
pub struct Graph<'a> {
    parts: &'a [Part],
    /// Those that other modules can name. A name may be defined several times: the linker takes one of them.
    by_name: HashMap<u64, Vec<Node>>,
}

/// What was reached.
pub struct Found {
    /// The digest of it.
    pub digest: [u8; 16],
    /// How many definitions were reached.
    pub nodes: usize,
    /// Keys of the names of those that other modules can name.
    pub names: HashSet<u64>,
}

impl<'a> Graph<'a> {
    /// The graph of these records.
    pub fn new(parts: &'a [Part]) -> Graph<'a> {
        let mut by_name: HashMap<u64, Vec<Node>> = HashMap::new();
        for (at, part) in parts.iter().enumerate() {
            for (index, entry) in part.entries.iter().enumerate() {
                if entry.is(kind::DEFINED) && !entry.is(kind::LOCAL) {
                    by_name.entry(entry.key).or_default().push((at, index));
                }
            }
        }
        Graph { parts, by_name }
    }

    /// Number of definitions.
    pub fn defined(&self) -> usize {
        let entries = self.parts.iter().flat_map(|part| &part.entries);
        entries.filter(|entry| entry.is(kind::DEFINED)).count()
    }

    /// True if a record defines the name, for all of the program.
    pub fn defines(&self, key: u64) -> bool {
        self.by_name.contains_key(&key)
    }

    /// The keys of all that is defined, local or not.
    pub fn keys(&self) -> HashSet<u64> {
        let entries = self.parts.iter().flat_map(|part| &part.entries);
        let defined = entries.filter(|entry| entry.is(kind::DEFINED));
        defined.map(|entry| entry.key).collect()
    }

    /// What can be reached from `roots`, which are keys of names, and from the roots of each module.
    ///
    /// `outside` says what is known of names that no record defines; `loaded` is more that the digest is to be of.
    ///
    /// # Errors
    /// Half a sentence: the graph is not known as a whole.
    pub fn reach(
        &self,
        roots: &[u64],
        outside: &dyn Fn(u64) -> Outside,
        loaded: &[u8],
    ) -> Result<Found, String> {
        if self
            .parts
            .iter()
            .any(|part| part.flags & flag::UNKNOWN != 0)
        {
            return Err("it has assembly that may refer to anything".to_owned());
        }
        let mut walk = Walk {
            graph: self,
            outside,
            digest: md5::Context::new(),
            numbers: HashMap::new(),
            queue: VecDeque::new(),
            names: HashSet::new(),
        };
        walk.bytes(loaded);
        walk.modules();
        let mut roots = roots.to_vec();
        roots.sort_unstable();
        roots.dedup();
        walk.number(roots.len());
        for root in roots {
            walk.name(root, 0)?;
        }
        for (at, part) in self.parts.iter().enumerate() {
            for (index, entry) in part.entries.iter().enumerate() {
                if entry.is(kind::DEFINED | kind::ROOT) {
                    walk.node((at, index));
                }
            }
        }
        while let Some((at, index)) = walk.queue.pop_front() {
            let part = &self.parts[at];
            walk.content(&part.entries[index]);
            for &other in &part.entries[index].refers {
                let entry = &part.entries[other as usize];
                match entry.is(kind::DEFINED | kind::LOCAL) {
                    true => walk.node((at, other as usize)),
                    false => walk.name(entry.key, entry.kind)?,
                }
            }
        }
        Ok(Found {
            nodes: walk.numbers.len(),
            names: walk.names,
            digest: walk.digest.finalize().0,
        })
    }
}

/// The walk through the graph.
struct Walk<'a> {
    graph: &'a Graph<'a>,
    outside: &'a dyn Fn(u64) -> Outside,
    digest: md5::Context,
    /// The numbers of the nodes that were met.
    numbers: HashMap<Node, usize>,
    /// The nodes whose content was not told yet.
    queue: VecDeque<Node>,
    names: HashSet<u64>,
}

impl Walk<'_> {
    fn number(&mut self, number: usize) {
        self.digest.consume((number as u64).to_le_bytes());
    }

    /// Bytes with their length, so that what follows cannot be taken for a part of them.
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.digest.consume(bytes);
    }

    /// What the runtime learns of modules it learns of all of them. Their number and order say nothing.
    fn modules(&mut self) {
        let mut words: Vec<[u8; 16]> = self.graph.parts.iter().map(|part| part.words).collect();
        words.sort_unstable();
        words.dedup();
        self.bytes(&words.concat());
    }

    fn content(&mut self, entry: &Entry) {
        self.digest.consume([b'D', entry.kind]);
        if !entry.is(kind::LOCAL) {
            self.digest.consume(entry.key.to_le_bytes());
        }
        self.digest.consume(entry.digest);
        self.number(entry.refers.len());
    }

    /// Tells of a node by its number.
    fn node(&mut self, node: Node) {
        let next = self.numbers.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.queue.push_back(node);
        }
        self.digest.consume(b"L");
        self.number(number);
    }

    /// Tells of all that has a name.
    fn name(&mut self, key: u64, bits: u8) -> Result<(), String> {
        self.digest
            .consume([b'N', bits & (kind::WORD | kind::WEAK)]);
        self.digest.consume(key.to_le_bytes());
        if let Some(nodes) = self.graph.by_name.get(&key) {
            self.names.insert(key);
            self.number(nodes.len());
            for &node in nodes {
                self.node(node);
            }
            return Ok(());
        }
        match (self.outside)(key) {
            Outside::Import(version) => {
                self.digest.consume(b"I");
                self.bytes(&version);
            }
            Outside::Linked => self.digest.consume(b"S"),
            Outside::Absent if bits & (kind::WORD | kind::WEAK) != 0 => self.digest.consume(b"A"),
            Outside::Absent => {
                return Err(format!("it reaches a name that it has not ({key:016x})"))
            }
            Outside::Unknown(name) => {
                return Err(format!("it reaches {name}, which has no record"))
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
