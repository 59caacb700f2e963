//! Automata as other translators write them: the format HOA, of generalized Büchi automata.
//!
//! ```text
//! HOA: v1
//! name: "F(request & G !answer)"
//! Start: 0
//! AP: 2 "request" "answer"
//! Acceptance: 1 Inf(0)
//! properties: stutter-invariant
//! --BODY--
//! State: 0      [t] 0   [0 & !1] 1
//! State: 1 {0}  [!1] 1
//! --END--
//! ```
//!
//! Labels and acceptance sets may be those of states or of edges. Each edge becomes one state for each conjunction of
//! literals of its label: it reads the conjunction, and leads to what leaves the edge's end.
//!
//! Source: Babiak and others, The Hanoi Omega-Automata Format (CAV 2015).

mod built;
mod words;

use crate::automaton::Automaton;
use crate::{Formula, PROPOSITIONS_MAX};
use std::collections::HashMap;
use std::fmt;
use words::{Word, Words};

/// What is wrong with the text of an automaton, or with what it asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongHoa {
    /// The number of the line, from 1 on.
    pub line: usize,
    /// What, as a sentence without its first capital and full stop.
    pub what: String,
}

impl fmt::Display for WrongHoa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// An automaton that was read.
#[derive(Clone, Debug)]
pub struct Hoa {
    /// What it accepts.
    pub automaton: Automaton,
    /// What it calls itself.
    pub name: Option<String>,
    /// It says that it accepts a word whenever it accepts one that differs in repetitions only.
    pub is_stutter_invariant: bool,
    /// The propositions that it names, a bit each.
    pub propositions: u64,
}

/// An edge: what it reads, the sets that it is in, a bit each, and where it leads.
struct Edge {
    label: Formula,
    sets: u64,
    to: u32,
    line: usize,
}

/// What was read so far.
struct Reader<'a> {
    words: Words,
    number: &'a dyn Fn(&str) -> Option<u32>,
    name: Option<String>,
    /// Where runs begin, with the line that says so.
    start: Vec<(u32, usize)>,
    /// The number of sets, and those that have to be met again and again.
    acceptance: Option<(u32, u64)>,
    is_stutter_invariant: bool,
    /// The edges of each state.
    edges: HashMap<u32, Vec<Edge>>,
}

impl Hoa {
    /// Reads an automaton. `number`: the number of a proposition, by its name without white space; `None` if there is none
    /// of that name.
    ///
    /// # Errors
    /// [`WrongHoa`]: what cannot be read, or belongs to another kind of automaton.
    pub fn read(text: &str, number: &dyn Fn(&str) -> Option<u32>) -> Result<Hoa, WrongHoa> {
        let mut reader = Reader {
            words: Words::of(text)?,
            number,
            name: None,
            start: Vec::new(),
            acceptance: None,
            is_stutter_invariant: false,
            edges: HashMap::new(),
        };
        reader.head()?;
        reader.body()?;
        let known = reader.words.propositions.iter().flatten();
        Ok(Hoa {
            propositions: known.fold(0, |bits, number| bits | 1 << number),
            automaton: reader.automaton()?,
            name: reader.name,
            is_stutter_invariant: reader.is_stutter_invariant,
        })
    }
}

/// A word that ends a part.
fn mark(name: &str) -> Word {
    Word::Mark(name.to_owned())
}

impl Reader<'_> {
    fn head(&mut self) -> Result<(), WrongHoa> {
        if !self.words.take(&Word::Header("HOA".to_owned())) {
            return self.words.wrong("`HOA: v1` is missing at the beginning");
        }
        if !self.words.take(&Word::Name("v1".to_owned())) {
            let what = "only version v1 of the format is read";
            return self.words.wrong(what);
        }
        while !self.words.take(&mark("BODY")) {
            let Some(Word::Header(header)) = self.words.peek().cloned() else {
                let what = "a header or `--BODY--` is missing here";
                return self.words.wrong(what);
            };
            self.header(&header)?;
        }
        self.words.back();
        if self.start.is_empty() {
            return self.words.wrong("`Start:` is missing before this line");
        }
        if self.acceptance.is_none() {
            let what = "`Acceptance:` is missing before this line";
            return self.words.wrong(what);
        }
        self.words.skip();
        Ok(())
    }

    fn header(&mut self, header: &str) -> Result<(), WrongHoa> {
        let is_twice = match header {
            "AP" => self.words.propositions.is_some(),
            "Acceptance" => self.acceptance.is_some(),
            _ => false,
        };
        if is_twice {
            return self.words.wrong(format!("`{header}:` comes twice"));
        }
        let is_known = ["States", "Start", "AP", "Alias", "Acceptance"].contains(&header);
        // Headers with a capital may change what an automaton means, others do not.
        if header.starts_with(char::is_uppercase) && !is_known {
            let what = format!("`{header}:` is not supported");
            return self.words.wrong(what);
        }
        self.words.skip();
        match header {
            "name" => self.name = Some(self.words.text()?),
            "States" => drop(self.words.integer()?),
            "Start" => {
                let line = self.words.line();
                let state = self.state()?;
                self.start.push((state, line));
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let name = self.words.alias()?;
                let meant = self.words.label(0)?;
                self.words.aliases.insert(name, meant);
            }
            "Acceptance" => self.acceptance()?,
            "properties" => self.properties()?,
            _ => {
                let is_end = |word: &Word| matches!(word, Word::Header(_) | Word::Mark(_));
                while self.words.peek().is_some_and(|word| !is_end(word)) {
                    self.words.skip();
                }
            }
        }
        Ok(())
    }

    /// The number of one state.
    fn state(&mut self) -> Result<u32, WrongHoa> {
        let state = self.words.integer()?;
        match self.words.peek() {
            Some(Word::Sign('&')) => self.words.wrong("alternating automata are not supported"),
            _ => Ok(state),
        }
    }

    fn propositions(&mut self) -> Result<(), WrongHoa> {
        let count = self.words.integer()?;
        let mut all = Vec::new();
        for _ in 0..count {
            let name = self.words.text()?;
            let name: String = name.split_whitespace().collect();
            let what = match (self.number)(&name) {
                Some(number) if number < PROPOSITIONS_MAX => {
                    all.push(number);
                    continue;
                }
                Some(_) => format!("more than {PROPOSITIONS_MAX} propositions"),
                None => format!("there is no proposition `{name}`"),
            };
            self.words.back();
            return self.words.wrong(what);
        }
        self.words.propositions = Some(all);
        Ok(())
    }

    fn acceptance(&mut self) -> Result<(), WrongHoa> {
        let count = self.words.integer()?;
        if count > u64::BITS {
            return self.words.wrong("more than 64 acceptance sets");
        }
        let wanted = self.condition(count)?;
        self.acceptance = Some((count, wanted));
        Ok(())
    }

    /// `t`, or a conjunction of `Inf(n)`: the sets that have to be met again and again.
    fn condition(&mut self, count: u32) -> Result<u64, WrongHoa> {
        const ONLY: &str = "only generalized Büchi acceptance is supported: t, or Inf(0)&Inf(1)…";
        let mut wanted = 0;
        loop {
            match self.words.peek() {
                Some(Word::Name(name)) if name == "t" => self.words.skip(),
                Some(Word::Name(name)) if name == "Inf" => {
                    self.words.skip();
                    self.words.expect(&Word::Sign('('))?;
                    if self.words.peek() == Some(&Word::Sign('!')) {
                        return self.words.wrong(ONLY);
                    }
                    wanted |= 1 << self.set(count)?;
                    self.words.expect(&Word::Sign(')'))?;
                }
                _ => return self.words.wrong(ONLY),
            }
            if self.words.take(&Word::Sign('&')) {
                continue;
            }
            return match self.words.peek() {
                Some(Word::Header(_) | Word::Mark(_)) => Ok(wanted),
                _ => self.words.wrong(ONLY),
            };
        }
    }

    /// The number of a set, of so many.
    fn set(&mut self, count: u32) -> Result<u32, WrongHoa> {
        let set = self.words.integer()?;
        if set < count {
            return Ok(set);
        }
        self.words.back();
        let what = format!("there is no acceptance set {set}");
        self.words.wrong(what)
    }

    fn properties(&mut self) -> Result<(), WrongHoa> {
        while let Some(Word::Name(name)) = self.words.peek() {
            if name == "stutter-sensitive" {
                let what = "it counts steps (stutter-sensitive), and how many steps something takes is the compiler's business";
                return self.words.wrong(what);
            }
            self.is_stutter_invariant |= name == "stutter-invariant";
            self.words.skip();
        }
        Ok(())
    }

    fn body(&mut self) -> Result<(), WrongHoa> {
        while !self.words.take(&mark("END")) {
            if self.words.peek() == Some(&mark("ABORT")) {
                let what = "the translator gave up (`--ABORT--`)";
                return self.words.wrong(what);
            }
            self.words.expect(&Word::Header("State".to_owned()))?;
            self.edges_of_state()?;
        }
        match self.words.peek() {
            None => Ok(()),
            Some(_) => self.words.wrong("a second automaton is not supported"),
        }
    }

    fn edges_of_state(&mut self) -> Result<(), WrongHoa> {
        let of_state = self.label()?;
        let state = self.words.integer()?;
        if self.edges.contains_key(&state) {
            self.words.back();
            let what = format!("state {state} comes twice");
            return self.words.wrong(what);
        }
        if let Some(Word::Text(_)) = self.words.peek() {
            self.words.skip();
        }
        let sets_of_state = self.sets()?;
        let mut edges = Vec::new();
        while let Some(Word::Sign('[') | Word::Number(_)) = self.words.peek() {
            let Some(label) = self.label()?.or_else(|| of_state.clone()) else {
                let what = "edges without a label are not supported";
                return self.words.wrong(what);
            };
            let line = self.words.line();
            let to = self.state()?;
            let sets = sets_of_state | self.sets()?;
            edges.push(Edge {
                label,
                sets,
                to,
                line,
            });
        }
        self.edges.insert(state, edges);
        Ok(())
    }

    /// `[…]`, if there is one.
    fn label(&mut self) -> Result<Option<Formula>, WrongHoa> {
        if !self.words.take(&Word::Sign('[')) {
            return Ok(None);
        }
        let label = self.words.label(0)?;
        self.words.expect(&Word::Sign(']'))?;
        Ok(Some(label))
    }

    /// `{…}`, if there is one.
    fn sets(&mut self) -> Result<u64, WrongHoa> {
        let (count, _) = self.acceptance.unwrap_or_default();
        let mut sets = 0;
        if self.words.take(&Word::Sign('{')) {
            while !self.words.take(&Word::Sign('}')) {
                sets |= 1 << self.set(count)?;
            }
        }
        Ok(sets)
    }
}
