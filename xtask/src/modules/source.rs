//! The modules of a crate as they are written: what each defines, imports and names.

use super::paths::{imports_of, paths_in, Import, Path};
use crate::stop::{Context, Outcome, Stop};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as File, PathBuf};
use syn::{Attribute, Item};

/// One module of a crate.
#[derive(Debug, Default)]
pub struct Module {
    /// Names of the modules declared in it.
    pub children: BTreeSet<String>,
    /// The names that the module's `use` lines bring in.
    pub imports: Vec<Import>,
    /// The paths of two or more segments in its other items.
    pub paths: BTreeSet<Path>,
    /// Each identifier in its other items.
    pub names: BTreeSet<String>,
}

/// The modules of a crate by their paths, which begin after `crate`; the root's is empty.
#[derive(Debug, Default)]
pub struct Crate {
    /// The modules.
    pub modules: BTreeMap<Path, Module>,
}

impl Crate {
    /// Reads a crate from its root file, `src/lib.rs` or `src/main.rs`.
    ///
    /// # Errors
    /// A file that cannot be read, or is not Rust.
    pub fn read(root: &File) -> Outcome<Crate> {
        let mut found = Crate::default();
        let folder = root.parent().unwrap_or(File::new("")).to_path_buf();
        found.read_file(root, Path::new(), &folder)?;
        Ok(found)
    }

    /// A crate that is one text, with modules in it: for tests.
    #[cfg(test)]
    pub fn of(text: &str) -> Crate {
        let mut found = Crate::default();
        let file = syn::parse_file(text).expect("the test's own text is Rust");
        found
            .take(file.items, Path::new(), File::new("/"))
            .expect("it declares no files");
        found
    }

    fn read_file(&mut self, file: &File, path: Path, folder: &File) -> Outcome {
        let text = std::fs::read_to_string(file).while_doing(file.display())?;
        let parsed = syn::parse_file(&text)
            .map_err(|error| Stop::failed(format!("{}: {error}", file.display())))?;
        self.take(parsed.items, path, folder)
    }

    /// Takes the items of one module; `folder` has the files of the modules that they declare.
    fn take(&mut self, items: Vec<Item>, path: Path, folder: &File) -> Outcome {
        let mut module = Module::default();
        let mut below = Vec::new();
        for item in items {
            match item {
                Item::Mod(declared) if !is_test(&declared.attrs) => {
                    module.children.insert(declared.ident.to_string());
                    below.push(declared);
                }
                Item::Mod(_) => {}
                Item::Use(line) if !is_test(&line.attrs) => imports_of(&line, &mut module.imports),
                Item::Use(_) => {}
                other => paths_in(
                    other.to_token_stream(),
                    &mut module.paths,
                    &mut module.names,
                ),
            }
        }
        self.modules.insert(path.clone(), module);
        for declared in below {
            let name = declared.ident.to_string();
            let mut inner = path.clone();
            inner.push(name.clone());
            match declared.content {
                Some((_, items)) => self.take(items, inner, &folder.join(&name))?,
                None => {
                    let file = declared_in(folder, &name, &declared.attrs);
                    self.read_file(&file, inner, &folder.join(&name))?;
                }
            }
        }
        Ok(())
    }
}

/// The file of a module: `name.rs`, `name/mod.rs`, or what an attribute says.
fn declared_in(folder: &File, name: &str, attributes: &[Attribute]) -> PathBuf {
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta {
            if let (true, syn::Expr::Lit(literal)) = (pair.path.is_ident("path"), &pair.value) {
                if let syn::Lit::Str(text) = &literal.lit {
                    return folder.join(text.value());
                }
            }
        }
    }
    let plain = folder.join(format!("{name}.rs"));
    if plain.exists() {
        plain
    } else {
        folder.join(name).join("mod.rs")
    }
}

/// Whether an item is there in tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "cfg (test)" || text == "test"
    })
}
