//! The graph of a crate's modules, and its circles.

use super::paths::Path;
use super::source::Crate;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// How far a name is followed through modules that hand it on; more would be a circle of `use` lines, which does
/// not compile unless they are globs.
const HANDED_ON_MAX: usize = 16;

/// Who names items of whom.
#[derive(Debug, Default)]
pub struct Graph {
    /// Modules by their number, which is their place in the order of their paths.
    names: Vec<String>,
    /// One path that makes each edge, as it is written.
    edges: BTreeMap<(usize, usize), String>,
}

impl Graph {
    /// The graph of a crate.
    pub fn of(krate: &Crate) -> Graph {
        let numbers: BTreeMap<&Path, usize> = krate.modules.keys().zip(0..).collect();
        let mut graph = Graph {
            names: krate.modules.keys().map(|path| shown(path)).collect(),
            edges: BTreeMap::new(),
        };
        for (at, module) in &krate.modules {
            for import in &module.imports {
                let Some(definer) = krate.definer(at, &import.path) else {
                    continue;
                };
                let is_facade = import.is_handed_on
                    && definer.starts_with(at)
                    && !import
                        .name
                        .as_ref()
                        .is_some_and(|name| module.names.contains(name));
                if !is_facade {
                    graph.add(numbers[at], numbers[&definer], &import.path);
                }
            }
            for path in &module.paths {
                if let Some(definer) = krate.definer(at, path) {
                    graph.add(numbers[at], numbers[&definer], path);
                }
            }
        }
        graph
    }

    fn add(&mut self, from: usize, to: usize, path: &[String]) {
        if from != to {
            self.edges
                .entry((from, to))
                .or_insert_with(|| path.join("::"));
        }
    }

    /// The number of modules.
    pub fn modules(&self) -> usize {
        self.names.len()
    }

    /// The members of the largest circle (strongly connected component), by name; empty if there is none.
    pub fn largest_circle(&self) -> Vec<&str> {
        let mut graph = DiGraphMap::<usize, ()>::new();
        for &(from, to) in self.edges.keys() {
            graph.add_edge(from, to, ());
        }
        let largest = tarjan_scc(&graph)
            .into_iter()
            .filter(|members| members.len() > 1)
            .max_by_key(Vec::len);
        let members: BTreeSet<usize> = largest.into_iter().flatten().collect();
        members
            .into_iter()
            .map(|member| self.names[member].as_str())
            .collect()
    }

    /// The edges between some modules: from, to, and a path that makes it.
    pub fn edges_among<'a>(
        &'a self,
        members: &'a [&str],
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let all = self.edges.iter().map(|(&(from, to), path)| {
            (
                self.names[from].as_str(),
                self.names[to].as_str(),
                path.as_str(),
            )
        });
        all.filter(|(from, to, _)| members.contains(from) && members.contains(to))
    }
}

impl Crate {
    /// The module that defines what a path leads to, as it is written in the module `at`; `None`: another crate.
    fn definer(&self, at: &Path, path: &[String]) -> Option<Path> {
        self.follow(at, path, HANDED_ON_MAX)
    }

    fn follow(&self, at: &Path, path: &[String], left: usize) -> Option<Path> {
        let mut here = at.clone();
        let mut rest = path;
        let mut is_begun = false;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" => here.clear(),
                "self" => {}
                "super" => {
                    here.pop()?;
                }
                _ => break,
            }
            is_begun = true;
            rest = after;
        }
        while let Some((first, after)) = rest.split_first() {
            let module = &self.modules[&here];
            if module.children.contains(first) {
                here.push(first.clone());
                rest = after;
                is_begun = true;
                continue;
            }
            let mut imports = module.imports.iter();
            let import = imports.find(|import| import.name.as_ref() == Some(first));
            if let Some(import) = import.filter(|_| left > 0) {
                // A name that stands for itself (`use libc;`) is another crate's.
                if import.path.first() == Some(first) && import.path.len() == 1 {
                    return None;
                }
                let mut whole = import.path.clone();
                whole.extend_from_slice(after);
                return self.follow(&here, &whole, left - 1);
            }
            let globs = module.imports.iter().filter(|import| import.name.is_none());
            for glob in globs {
                if left == 0 {
                    break;
                }
                if let Some(from) = self.follow(&here, &glob.path, left - 1) {
                    let found = &self.modules[&from];
                    let has = found.children.contains(first)
                        || found.imports.iter().any(|i| i.name.as_ref() == Some(first))
                        || found.names.contains(first);
                    if from != here && has {
                        return self.follow(&from, rest, left - 1);
                    }
                }
            }
            break;
        }
        is_begun.then_some(here)
    }
}

fn shown(path: &[String]) -> String {
    if path.is_empty() {
        "crate".to_owned()
    } else {
        path.join("::")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(text: &str) -> String {
        let graph = Graph::of(&Crate::of(text));
        graph.largest_circle().join(" ")
    }

    #[test]
    fn two_modules_that_name_each_other_are_a_circle() {
        let text = "mod a { use crate::b::B; pub struct A; } mod b { pub struct B(crate::a::A); } mod c { use super::a::A; }";
        assert_eq!(circle(text), "a b");
    }

    #[test]
    fn one_way_is_none() {
        assert_eq!(
            circle("mod a { use crate::b::B; } mod b { pub struct B; }"),
            ""
        );
    }

    #[test]
    fn what_is_handed_on_belongs_to_who_defines_it() {
        let text = "mod a { pub use low::X; mod low { pub struct X; } mod high { use super::X; fn f() { super::X::new() } } }";
        assert_eq!(circle(text), "");
    }

    #[test]
    fn a_parent_that_uses_what_it_hands_on_is_in_the_circle() {
        let text = "mod a { pub use low::X; mod low { pub struct X; fn f() { super::top() } } fn top() -> X { X } }";
        assert_eq!(circle(text), "a a::low");
    }

    #[test]
    fn tokens_of_macros_count_and_modules_of_tests_do_not() {
        let text = "mod a { macro_rules! m { () => { $crate::b::f() } } pub fn g() {} #[cfg(test)] mod tests { use crate::c::h; } } mod b { pub fn f() { x!(crate::a::g()) } } mod c { use crate::a::g; pub fn h() {} }";
        assert_eq!(circle(text), "a b");
    }

    #[test]
    fn another_name_or_a_glob_is_followed() {
        let text = "mod a { use crate::b::{self as other, B}; fn f() { other::g() } pub struct A; } mod b { use super::a::*; pub struct B(A); fn g() { A::new() } }";
        assert_eq!(circle(text), "a b");
    }
}
