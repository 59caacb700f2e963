//! Every `static` of the runtime says by its type what becomes of it when the program goes back in time
//! (runtime/machine/src/state.rs has the three homes), or is a table that never changes.
//!
//! Read are tokens, so that statics inside functions and in bodies of macros count as well.

use dpor_testsuite::trial;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::{Fields, GenericArgument, Item, PathArguments, Type};

/// Folders of the code that runs in the process of the program under test.
const FOLDERS: [&str; 4] = [
    "runtime/engine/src",
    "runtime/interpose/src",
    "runtime/machine/src",
    "runtime/workers/src",
];

/// The homes: what is in one may change.
const HOMES: [&str; 3] = ["Kept", "PerStep", "RolledBack"];

/// Types of the language and its library without interior mutability, but for their parameters.
const IMMUTABLE: [&str; 18] = [
    "bool", "char", "str", "CStr", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
    "i64", "i128", "isize", "Option", "Range",
];

/// A static as it is declared.
struct Declared {
    name: String,
    is_mut: bool,
    /// It is another object's: an `extern` block declares it.
    is_extern: bool,
    ty: TokenStream,
}

/// Fields of each structure or enumeration, by its name; those of all that have this name.
#[derive(Default)]
struct Definitions(BTreeMap<String, Vec<Type>>);

impl Definitions {
    fn learn(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Struct(item) => self.add(item.ident.to_string(), &item.fields),
                Item::Enum(item) => {
                    for variant in &item.variants {
                        self.add(item.ident.to_string(), &variant.fields);
                    }
                }
                Item::Mod(item) => {
                    let items = item.content.iter().map(|(_, items)| items);
                    items.for_each(|items| self.learn(items));
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, name: String, fields: &Fields) {
        let types = fields.iter().map(|field| field.ty.clone());
        self.0.entry(name).or_default().extend(types);
    }

    /// Whether nothing of a value of this type changes through a shared reference. `seen`: structures that are being
    /// looked at.
    fn is_immutable(&self, ty: &Type, seen: &mut BTreeSet<String>) -> bool {
        match ty {
            Type::Array(array) => self.is_immutable(&array.elem, seen),
            Type::Slice(slice) => self.is_immutable(&slice.elem, seen),
            Type::Group(group) => self.is_immutable(&group.elem, seen),
            Type::Paren(paren) => self.is_immutable(&paren.elem, seen),
            Type::Reference(reference) => {
                reference.mutability.is_none() && self.is_immutable(&reference.elem, seen)
            }
            Type::Tuple(tuple) => tuple.elems.iter().all(|ty| self.is_immutable(ty, seen)),
            Type::BareFn(_) | Type::Never(_) => true,
            Type::Path(path) => {
                let Some(last) = path.path.segments.last() else {
                    return false;
                };
                let parameters = parameters(&last.arguments);
                let name = last.ident.to_string();
                parameters.iter().all(|ty| self.is_immutable(ty, seen))
                    && (IMMUTABLE.contains(&name.as_str()) || self.has_immutable_fields(name, seen))
            }
            _ => false,
        }
    }

    fn has_immutable_fields(&self, name: String, seen: &mut BTreeSet<String>) -> bool {
        let Some(fields) = self.0.get(&name) else {
            return false;
        };
        !seen.insert(name) || fields.iter().all(|ty| self.is_immutable(ty, seen))
    }
}

fn parameters(arguments: &PathArguments) -> Vec<Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

/// The home that a type names.
fn home_of(ty: &Type) -> Option<&'static str> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let home = HOMES.into_iter().find(|home| last.ident == home)?;
    (parameters(&last.arguments).len() == 1).then_some(home)
}

/// All statics among these tokens, in groups of them as well.
fn declared(tokens: TokenStream, all: &mut Vec<Declared>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(_) if is_of_tests(&tokens[..k]) => {}
            TokenTree::Group(group) => declared(group.stream(), all),
            TokenTree::Ident(word) if word == "thread_local" && is(tokens.get(k + 1), '!') => {
                // A variable of each thread: the thread pointer is the program's.
                all.push(Declared {
                    name: "thread_local!".to_owned(),
                    is_mut: true,
                    is_extern: false,
                    ty: TokenStream::new(),
                });
            }
            // Not the lifetime.
            TokenTree::Ident(word)
                if word == "static" && (k == 0 || !is(tokens.get(k - 1), '\'')) =>
            {
                all.extend(declaration(&tokens[k + 1..]));
            }
            _ => {}
        }
    }
}

/// Whether the group behind these tokens is the body of an item of unit tests, which `#[cfg(test)]` begins.
fn is_of_tests(before: &[TokenTree]) -> bool {
    let ends = |token: &&TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() != Delimiter::Parenthesis,
        token => is(Some(token), ';'),
    };
    let last = before.iter().rev().find(ends);
    let is_attribute = |text: &str| text.replace(' ', "") == "[cfg(test)]";
    last.is_some_and(|token| is_attribute(&token.to_string()))
}

fn is(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

/// The declaration that goes on with these tokens behind `static`; `None`: it is none (a `static` closure).
fn declaration(tokens: &[TokenTree]) -> Option<Declared> {
    let is_mut = matches!(&tokens.first()?, TokenTree::Ident(word) if word == "mut");
    let colon = tokens.iter().position(|token| is(Some(token), ':'))?;
    let name = tokens[usize::from(is_mut)..colon].iter();
    let name: String = name.map(ToString::to_string).collect();
    if colon > 3 {
        return None;
    }
    let rest = &tokens[colon + 1..];
    // `static $name:ident: …` is what a macro takes, not what it makes.
    if name.starts_with('$') && is(rest.get(1), ':') && !is(rest.get(2), ':') {
        return None;
    }
    let end = rest
        .iter()
        .position(|token| is(Some(token), '=') || is(Some(token), ';'));
    let end = end.unwrap_or(rest.len());
    // In a macro's body, `$crate` and its parameters stand for paths.
    let ty = rest[..end].iter().filter(|token| !is(Some(token), '$'));
    Some(Declared {
        name,
        is_mut,
        is_extern: !is(rest.get(end), '='),
        ty: ty.cloned().collect(),
    })
}

/// All Rust files under a folder, with their text; none if there is no such folder.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut left = vec![folder.to_owned()];
    let mut all = Vec::new();
    while let Some(path) = left.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            left.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a file of the source tree is text");
            all.push((path, text));
        }
    }
    all.sort();
    all
}

/// How many statics are in each home, and those that are in none, with their files. A table that never changes is in
/// the home `""`.
fn by_home(sources: &[(PathBuf, String)]) -> (BTreeMap<&'static str, usize>, Vec<String>) {
    let mut definitions = Definitions::default();
    for (path, text) in sources {
        let file = syn::parse_file(text);
        definitions.learn(
            &file
                .unwrap_or_else(|why| panic!("{}: {why}", path.display()))
                .items,
        );
    }
    let (mut homes, mut without) = (BTreeMap::new(), Vec::new());
    for (path, text) in sources {
        let mut all = Vec::new();
        declared(text.parse().expect("parsed above"), &mut all);
        for one in all.into_iter().filter(|one| !one.is_extern) {
            let ty = syn::parse2::<Type>(one.ty.clone()).ok();
            let is_table = |ty: &Type| definitions.is_immutable(ty, &mut BTreeSet::new());
            let table = |ty: &Type| is_table(ty).then_some("");
            let home = ty.filter(|_| !one.is_mut);
            match home.and_then(|ty| home_of(&ty).or_else(|| table(&ty))) {
                Some(home) => *homes.entry(home).or_default() += 1,
                None => without.push(format!(
                    "{}: static {}: {}",
                    path.display(),
                    one.name,
                    one.ty
                )),
            }
        }
    }
    (homes, without)
}

#[test]
fn each_static_of_the_runtime_is_in_one_of_three_homes() {
    let folders = FOLDERS.iter().map(|folder| trial::root().join(folder));
    let all: Vec<_> = folders.flat_map(|folder| sources(&folder)).collect();
    let (homes, without) = by_home(&all);
    println!("statics by home (\"\": tables that never change): {homes:?}");
    assert!(
        homes.get("Kept").is_some_and(|&kept| kept > 50),
        "the source tree was read: {homes:?}"
    );
    assert!(
        without.is_empty(),
        "what becomes of these at a rollback? Their types are to say so (runtime/machine/src/state.rs):\n{}",
        without.join("\n")
    );
}

/// What the rules say of one file: the home of its only static, or `None`.
fn check(text: &str) -> Option<&'static str> {
    let source = [(PathBuf::from("one.rs"), text.to_owned())];
    let (homes, without) = by_home(&source);
    assert_eq!(homes.len() + without.len(), 1, "{text}");
    homes.into_keys().next()
}

#[test]
fn a_static_that_may_change_and_has_no_home_is_found() {
    for text in [
        "static A: AtomicBool = AtomicBool::new(false);",
        "pub(crate) static A: [AtomicU8; 3] = [const { AtomicU8::new(0) }; 3];",
        "static mut A: u8 = 0;",
        "fn f() { static A: Cell = Cell::new(0); }",
        "mod inner { pub static A: OnceLock<u8> = OnceLock::new(); }",
        "macro_rules! m { ($name:ident) => { static $name: $crate::Real = new(); } }",
        "struct Holder { name: &'static str, inner: Inner } struct Inner(AtomicU8); static A: Holder = new();",
        "static A: &Mutex<u8> = &M;",
        "static A: *mut u8 = null_mut();",
        // Its own `Kept`, not a home.
        "struct Kept { cell: UnsafeCell<u8> } static A: Kept = new();",
        "thread_local! { }",
    ] {
        assert_eq!(check(text), None, "{text}");
    }
}

#[test]
fn homes_and_tables_are_told_apart() {
    for (text, home) in [
        (
            "static A: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));",
            "Kept",
        ),
        (
            "fn f() { static A: crate::state::PerStep<Plain<u8>> = new(); }",
            "PerStep",
        ),
        (
            "macro_rules! m { () => { static REAL: $crate::state::Kept<Real> = new(); } }",
            "Kept",
        ),
        (
            "macro_rules! m { (static $a:ident: $b:ty) => { static $a: $crate::PerStep<$b> = new(); } }",
            "PerStep",
        ),
        ("place!(static A: RolledBack<Keys> = world::KEYS);", "RolledBack"),
        (
            "pub static A: RolledBack<World> = RolledBack::at(1);",
            "RolledBack",
        ),
        ("static A: [(&'static str, u8); 2] = [(\"\", 0); 2];", ""),
        ("static A: extern \"C\" fn(*mut u8) = f;", ""),
        (
            "struct Name { text: &'static CStr, next: Option<u8> } static A: &[Name] = &[];",
            "",
        ),
    ] {
        assert_eq!(check(text), Some(home), "{text}");
    }
    let others =
        "extern \"C\" { static stdin: usize; } fn f(of: &'static str) -> &'static str { of }";
    let tests = "#[cfg(test)] mod tests { static A: Once = Once::new(); }";
    let test = "#[cfg(test)] pub fn f(a: u8) { static A: Once = Once::new(); }";
    for text in [others, tests, test] {
        let (homes, without) = by_home(&[(PathBuf::from("one.rs"), text.to_owned())]);
        assert!(homes.is_empty() && without.is_empty(), "{without:?}");
    }
}
