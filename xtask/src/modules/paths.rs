//! Paths in a module's text: those of its `use` lines, and those in everything else.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::{ItemUse, UseTree, Visibility};

/// Segments of a path, as written or from the crate's root.
pub type Path = Vec<String>;

/// One name that a `use` line brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The name that it has here; `None`: everything that the path has.
    pub name: Option<String>,
    /// The path as written.
    pub path: Path,
    /// True if other modules may take the name from here: `pub`, `pub(crate)`, …
    pub is_handed_on: bool,
}

/// Adds what a `use` line brings in.
pub fn imports_of(line: &ItemUse, to: &mut Vec<Import>) {
    let is_handed_on = !matches!(line.vis, Visibility::Inherited);
    walk(&line.tree, &mut Path::new(), is_handed_on, to);
}

fn walk(tree: &UseTree, before: &mut Path, is_handed_on: bool, to: &mut Vec<Import>) {
    let mut add = |name: Option<String>, last: Option<String>| {
        let mut path = before.clone();
        // `a::{self}` is `a`.
        path.extend(last.filter(|last| last != "self" || before.is_empty()));
        let name = name.map(|name| match name.as_str() {
            "self" => path.last().cloned().unwrap_or(name),
            _ => name,
        });
        to.push(Import {
            name,
            path,
            is_handed_on,
        });
    };
    match tree {
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            add(Some(name.clone()), Some(name));
        }
        UseTree::Rename(renamed) => {
            add(
                Some(renamed.rename.to_string()),
                Some(renamed.ident.to_string()),
            );
        }
        UseTree::Glob(_) => add(None, None),
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            walk(&path.tree, before, is_handed_on, to);
            before.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                walk(tree, before, is_handed_on, to);
            }
        }
    }
}

/// Adds each path of two or more segments, and each identifier, of some tokens and of the groups in them.
pub fn paths_in(tokens: TokenStream, paths: &mut BTreeSet<Path>, names: &mut BTreeSet<String>) {
    let mut current = Path::new();
    // Colons seen since the last identifier.
    let mut colons = 0;
    let finish = |current: &mut Path, paths: &mut BTreeSet<Path>| {
        if current.len() > 1 {
            paths.insert(std::mem::take(current));
        }
        current.clear();
    };
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                if colons != 2 {
                    finish(&mut current, paths);
                }
                names.insert(name.clone());
                // `$crate` of a macro is written as a sign and a name.
                current.push(name);
                colons = 0;
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                finish(&mut current, paths);
                colons = 0;
                paths_in(group.stream(), paths, names);
            }
            _ => {
                finish(&mut current, paths);
                colons = 0;
            }
        }
    }
    finish(&mut current, paths);
}
