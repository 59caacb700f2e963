//! Other translators: SPIN's (`spin -f`) and lbt read random formulas, and their automata accept the same words.

use crate::random::Random;
use dpor_ltl::{holds_on_lasso, parse, Formula};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Write;
use std::process::{Command, Stdio};

/// Formulas that are compared, and words of each.
const FORMULAS: u64 = 150;
const WORDS: u64 = 8;

/// A generalized Büchi automaton whose edges read.
#[derive(Default, Debug)]
struct Other {
    first: Vec<String>,
    /// By state: what an edge reads, and where it leads.
    edges: BTreeMap<String, Vec<(Formula, String)>>,
    /// The states of each set that has to be met again and again.
    sets: Vec<BTreeSet<String>>,
}

impl Other {
    /// True if the automaton accepts a word: in its product with the word, some node lies on a cycle that has a member of
    /// each set.
    fn accepts(&self, stem: &[u64], around: &[u64]) -> bool {
        let word: Vec<u64> = stem.iter().chain(around).copied().collect();
        let states: Vec<&String> = self.edges.keys().collect();
        let number = |state: &String| states.binary_search(&state).expect("a state");
        // A node: a place of the word, a state that is about to read it.
        let next = |(at, state): (usize, usize)| -> Vec<(usize, usize)> {
            let after = if at + 1 < word.len() {
                at + 1
            } else {
                stem.len()
            };
            let edges = self.edges[states[state]].iter();
            let reads = edges.filter(|(guard, _)| holds_on_lasso(guard, &[], &[word[at]]));
            reads.map(|(_, to)| (after, number(to))).collect()
        };
        // What can be reached by at least one edge.
        let behind = |from: (usize, usize)| {
            let (mut seen, mut todo) = (HashSet::new(), next(from));
            while let Some(node) = todo.pop() {
                if seen.insert(node) {
                    todo.extend(next(node));
                }
            }
            seen
        };
        let roots: Vec<(usize, usize)> =
            self.first.iter().map(|state| (0, number(state))).collect();
        let reached = roots.iter().flat_map(|&root| behind(root));
        let all: BTreeSet<(usize, usize)> = roots.iter().copied().chain(reached).collect();
        let leads: HashMap<_, _> = all.iter().map(|&node| (node, behind(node))).collect();
        all.iter().any(|node| {
            let together = || {
                leads[node]
                    .iter()
                    .filter(|other| leads[other].contains(node))
            };
            let meets =
                |set: &BTreeSet<String>| together().any(|&(_, state)| set.contains(states[state]));
            leads[node].contains(node) && self.sets.iter().all(meets)
        })
    }
}

fn proposition(name: &str) -> Option<u32> {
    name.strip_prefix('p')?.parse().ok()
}

/// A never claim of SPIN's.
fn claim(text: &str) -> Other {
    let mut automaton = Other::default();
    let mut state = String::new();
    // Several labels may name one state: all but the last are other names of it.
    let mut names: HashMap<String, String> = HashMap::new();
    let mut labels: Vec<String> = Vec::new();
    for line in text.lines().skip(1).map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            labels.push(label.to_owned());
            continue;
        }
        if let Some(last) = labels.last() {
            state.clone_from(last);
            names.extend(labels.drain(..).map(|label| (label, state.clone())));
            automaton.edges.entry(state.clone()).or_default();
        }
        let guard = |text: &str| parse(text, &proposition).expect("a guard");
        let edge = match line.strip_prefix(":: ") {
            Some(edge) => match edge.strip_prefix("atomic { ") {
                Some(last) => {
                    let (text, _) = last.split_once(" -> assert").expect("a guard that decides");
                    (guard(text), "accept_all".to_owned())
                }
                None => {
                    let (text, to) = edge.split_once(" -> goto ").expect("a guard and a state");
                    (guard(text), to.to_owned())
                }
            },
            None if line == "skip" => (Formula::True, state.clone()),
            None => continue,
        };
        automaton
            .edges
            .get_mut(&state)
            .expect("it is there")
            .push(edge);
    }
    let accepting = names
        .iter()
        .filter(|(label, _)| label.starts_with("accept"));
    automaton.sets = vec![accepting.map(|(_, state)| state.clone()).collect()];
    automaton.first = vec![names
        .iter()
        .find(|(label, _)| label.ends_with("init"))
        .expect("it begins")
        .1
        .clone()];
    automaton.edges.entry("accept_all".to_owned()).or_default();
    names
        .entry("accept_all".to_owned())
        .or_insert("accept_all".to_owned());
    for (_, to) in automaton.edges.values_mut().flatten() {
        to.clone_from(&names[&*to]);
    }
    automaton
}

/// A formula in lbt's prefix notation.
fn prefix(formula: &Formula) -> String {
    let two = |sign: &str, a: &Formula, b: &Formula| format!("{sign} {} {}", prefix(a), prefix(b));
    match formula {
        Formula::True => "t".to_owned(),
        Formula::False => "f".to_owned(),
        Formula::Proposition(n) => format!("p{n}"),
        Formula::Not(inner) => format!("! {}", prefix(inner)),
        Formula::And(a, b) => two("&", a, b),
        Formula::Or(a, b) => two("|", a, b),
        Formula::Until(a, b) => two("U", a, b),
        Formula::Release(a, b) => two("V", a, b),
    }
}

/// A formula without time, from lbt's prefix notation.
fn from_prefix(words: &mut dyn Iterator<Item = &str>) -> Formula {
    match words.next().expect("a word") {
        "t" => Formula::True,
        "f" => Formula::False,
        "!" => from_prefix(words).negated(),
        "&" => from_prefix(words).and(from_prefix(words)),
        "|" => from_prefix(words).or(from_prefix(words)),
        name => Formula::Proposition(proposition(name).expect("a proposition")),
    }
}

/// An automaton of lbt's: the numbers of states and sets; for each state its number, whether it is the first, its sets,
/// -1, and its edges, each the number of a state and what it reads, and -1.
fn of_lbt(text: &str) -> Other {
    let mut lines = text.lines();
    let mut counts = lines.next().expect("a line").split_whitespace();
    let sets = counts
        .nth(1)
        .expect("two numbers")
        .parse()
        .expect("a number");
    let mut automaton = Other {
        sets: vec![BTreeSet::new(); sets],
        ..Other::default()
    };
    while let Some(head) = lines.next() {
        let mut numbers = head.split_whitespace();
        let state = numbers.next().expect("a state").to_owned();
        if numbers.next() == Some("1") {
            automaton.first.push(state.clone());
        }
        for set in numbers.take_while(|&number| number != "-1") {
            automaton.sets[set.parse::<usize>().expect("a number")].insert(state.clone());
        }
        let own = automaton.edges.entry(state).or_default();
        for edge in lines.by_ref().take_while(|line| line.trim() != "-1") {
            let (to, guard) = edge.split_once(' ').expect("a state and a guard");
            own.push((from_prefix(&mut guard.split_whitespace()), to.to_owned()));
        }
    }
    automaton
}

/// What a translator prints; `None` if it is not installed here, which it has to be where all tests run.
fn printed(program: &str, arguments: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        assert!(
            std::env::var_os("CI").is_none(),
            "{program} is not installed"
        );
        return None;
    };
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program} {arguments:?} {input}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

fn compare(name: &str, translate: fn(&Formula) -> Option<Other>) {
    let mut held = 0;
    for seed in 0..FORMULAS {
        let mut random = Random(seed);
        let depth = 1 + random.below(3);
        let formula = random.formula(depth).normalized();
        let Some(other) = translate(&formula) else {
            println!("{name} is not installed");
            return;
        };
        for _ in 0..WORDS {
            let (stem, around) = random.lasso();
            let holds = holds_on_lasso(&formula, &stem, &around);
            let accepts = other.accepts(&stem, &around);
            assert_eq!(
                accepts, holds,
                "{name}, seed {seed}: {formula}: {stem:?} {around:?}\n{other:?}"
            );
            held += u64::from(holds);
        }
    }
    let words = FORMULAS * WORDS;
    assert!(
        (words / 4..words * 3 / 4).contains(&held),
        "both happen: {held} of {words}"
    );
}

#[test]
fn spin_reads_formulas_as_they_are_read_here() {
    compare("spin", |formula| {
        let text = formula.to_string().replace(" R ", " V ");
        printed("spin", &["-f", &text], "").map(|text| claim(&text))
    });
}

#[test]
fn lbt_reads_formulas_as_they_are_read_here() {
    compare("lbt", |formula| {
        printed("lbt", &[], &prefix(formula)).map(|text| of_lbt(&text))
    });
}
