//! The sources of two versions as they were when each was built.
//!
//! Debug information names the sources of a program, with a sum of each (DWARF 5). A file that is another now than it
//! was then says nothing: a program that was kept while its source was edited has lines that nobody can read any more.

use super::lines::Lines;
use crate::report::source::Source;
use gimli::{EndianSlice, LittleEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The sum of a text (MD5).
type Sum = [u8; 16];

/// The sources of one version.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The folder that paths are shown relative to.
    root: PathBuf,
    /// Sources as they are shown, with their sums where these are known.
    files: BTreeMap<String, Option<Sum>>,
    /// Whether the files are those that were just compiled, whatever debug information says.
    is_fresh: bool,
}

impl Tree {
    /// The sources of a program, shown relative to `root`; `is_fresh`: it was just made of them.
    pub fn of(program: &Path, root: &Path, is_fresh: bool) -> Tree {
        let mut files = BTreeMap::new();
        let data = std::fs::read(program).unwrap_or_default();
        for (path, sum) in named(&data).unwrap_or_default() {
            let path = shown(&path, root);
            files.insert(path, sum);
        }
        Tree {
            root: root.to_owned(),
            files,
            is_fresh,
        }
    }

    /// A version with these sources in its folder, as debug information without sums has them.
    #[cfg(test)]
    pub fn named(root: &Path, files: &[&str], is_fresh: bool) -> Tree {
        Tree {
            root: root.to_owned(),
            files: files
                .iter()
                .map(|file| ((*file).to_owned(), None))
                .collect(),
            is_fresh,
        }
    }

    fn sum(&self, file: &str) -> Option<Sum> {
        self.files.get(file).copied().flatten()
    }

    /// The text that the file had when the program was built; `None` if that is not known.
    fn text(&self, file: &str) -> Option<String> {
        let text = Source::find(&self.root.join(file).display().to_string(), &self.root)?.text;
        let is_it = match self.sum(file) {
            Some(sum) => md5::compute(&text).0 == sum,
            None => self.is_fresh,
        };
        is_it.then_some(text)
    }
}

/// What is known of a line of the old version in the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// It is this line.
    Is(u32),
    /// It is not there any more.
    Gone,
    /// The texts are not known.
    Unknown,
}

/// What is known of two texts.
#[derive(Debug)]
enum Known {
    Same,
    Moved(Lines),
    Nothing,
}

/// The file that a file is in the new version, if there is one, and what is known of the texts.
type Pair = (Option<String>, Known);

/// The sources of two versions, the older ones first.
#[derive(Debug, Default)]
pub struct Sources {
    trees: [Tree; 2],
    /// A source that has another name in the new version.
    renamed: Option<[String; 2]>,
    /// By the old file.
    pairs: RefCell<BTreeMap<String, Rc<Pair>>>,
}

impl Sources {
    /// The sources of two versions; `renamed`: two files that are one, whatever they are called.
    pub fn new(trees: [Tree; 2], renamed: Option<[&Path; 2]>) -> Sources {
        let renamed = renamed.map(|both| both.map(|file| plain(&file.display().to_string())));
        Sources {
            trees,
            renamed,
            pairs: RefCell::default(),
        }
    }

    /// The line of a file of the old version: what file it is in now, and what is known of the line there. `None` if no
    /// file of the new version is that one.
    pub fn in_new(&self, file: &str, line: u32) -> Option<(String, Line)> {
        let pair = self.pair(file);
        let (new, known) = &*pair;
        let line = match (known, line) {
            (Known::Same, line) => Line::Is(line),
            // Code that the optimizer moved from its line may be any of the function.
            (Known::Nothing, _) | (Known::Moved(_), 0) => Line::Unknown,
            (Known::Moved(lines), line) => lines.in_new(line).map_or(Line::Gone, Line::Is),
        };
        Some((new.clone()?, line))
    }

    fn pair(&self, file: &str) -> Rc<Pair> {
        if let Some(known) = self.pairs.borrow().get(file) {
            return Rc::clone(known);
        }
        let new = self.partner(file);
        let known = new
            .as_ref()
            .map_or(Known::Nothing, |new| self.compare(file, new));
        let pair = Rc::new((new, known));
        let mut pairs = self.pairs.borrow_mut();
        pairs.insert(file.to_owned(), Rc::clone(&pair));
        pair
    }

    fn compare(&self, old: &str, new: &str) -> Known {
        let [before, after] = &self.trees;
        if let (Some(one), Some(other)) = (before.sum(old), after.sum(new)) {
            if one == other {
                return Known::Same;
            }
        }
        match (before.text(old), after.text(new)) {
            (Some(one), Some(other)) if one == other => Known::Same,
            (Some(one), Some(other)) => Known::Moved(Lines::of(&one, &other)),
            _ => Known::Nothing,
        }
    }

    /// The file of the new version that is this one of the old: with the same path, or else with the most of its end in
    /// common.
    fn partner(&self, file: &str) -> Option<String> {
        let file = plain(file);
        if let Some([old, new]) = &self.renamed {
            if *old == file {
                return Some(new.clone());
            }
        }
        let files = &self.trees[1].files;
        if files.contains_key(&file) {
            return Some(file);
        }
        let common = |other: &str| {
            let (one, other) = (Path::new(&file).components().rev(), Path::new(other));
            let pairs = one.zip(other.components().rev());
            pairs.take_while(|(one, other)| one == other).count()
        };
        let most = files
            .keys()
            .map(|file| common(file))
            .max()
            .filter(|&n| n > 0)?;
        let mut best = files.keys().filter(|file| common(file) == most);
        match (best.next(), best.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }
}

/// The path as reports have it: without `.` and `..`, and relative to `root` if it is below.
pub fn shown(path: &str, root: &Path) -> String {
    let path = plain(path);
    let below = Path::new(&path).strip_prefix(root);
    below.map_or(path.clone(), |below| below.display().to_string())
}

/// The path without `.` and `..`, as far as that can be told from the names.
pub fn plain(path: &str) -> String {
    let mut plain = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain.display().to_string()
}

/// The sources that the debug information of a program names.
fn named(data: &[u8]) -> Option<Vec<(String, Option<Sum>)>> {
    let file = object::File::parse(data).ok()?;
    let sections = gimli::DwarfSections::load(|id| {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok::<Cow<'_, [u8]>, gimli::Error>(data.unwrap_or_default())
    })
    .ok()?;
    let dwarf = sections.borrow(|data| EndianSlice::new(data, LittleEndian));
    let mut all = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let Some(program) = &unit.line_program else {
            continue;
        };
        let lines = program.header();
        let text = |value| {
            let text = dwarf.attr_string(&unit, value).ok()?;
            Some(text.to_string_lossy().into_owned())
        };
        let built_in = unit
            .comp_dir
            .map(|folder| folder.to_string_lossy().into_owned());
        for entry in lines.file_names() {
            let Some(name) = text(entry.path_name()) else {
                continue;
            };
            let mut path = PathBuf::from(built_in.clone().unwrap_or_default());
            path.push(entry.directory(lines).and_then(text).unwrap_or_default());
            path.push(name);
            let sum = lines.file_has_md5().then(|| *entry.md5());
            all.push((
                path.display().to_string(),
                sum.filter(|sum| *sum != [0; 16]),
            ));
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources of a version in a folder of its own; sums are of these texts.
    fn tree(folder: &Path, files: &[(&str, &str)]) -> Tree {
        let sum = |(name, text): &(&str, &str)| ((*name).to_owned(), Some(md5::compute(text).0));
        Tree {
            root: folder.to_owned(),
            files: files.iter().map(sum).collect(),
            is_fresh: false,
        }
    }

    #[test]
    fn texts_are_those_of_the_build_or_unknown() {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let write = |side: usize, text: &str| {
            std::fs::write(folders[side].path().join("x.c"), text).expect("a file");
        };
        write(0, "a\nb\n");
        write(1, "new\na\nb\n");
        let of = |old: &str, new: &str| {
            let old = tree(folders[0].path(), &[("x.c", old)]);
            let new = tree(folders[1].path(), &[("x.c", new)]);
            Sources::new([old, new], None)
        };
        let line = |sources: &Sources, line: u32| sources.in_new("x.c", line).expect("a file").1;
        let moved = of("a\nb\n", "new\na\nb\n");
        assert_eq!(line(&moved, 1), Line::Is(2));
        assert_eq!(line(&moved, 3), Line::Gone);
        assert_eq!(line(&moved, 0), Line::Unknown);
        // The file was edited since.
        assert_eq!(line(&of("a\n", "new\na\nb\n"), 1), Line::Unknown);
        // It need not be there if both were built of the same.
        assert_eq!(line(&of("gone", "gone"), 7), Line::Is(7));
        assert_eq!(line(&of("gone", "gone"), 0), Line::Is(0));
    }

    #[test]
    fn files_and_their_partners() {
        let partner = |new: &[&str], renamed: Option<[&str; 2]>, file: &str| {
            let new: Vec<(&str, &str)> = new.iter().map(|name| (*name, "")).collect();
            let trees = [Tree::default(), tree(Path::new("/"), &new)];
            Sources::new(trees, renamed.map(|both| both.map(Path::new))).partner(file)
        };
        let check = |new: &[&str], file: &str, expect: Option<&str>| {
            assert_eq!(
                partner(new, None, file).as_deref(),
                expect,
                "{file} in {new:?}"
            );
        };
        check(&["x.c", "y.c"], "x.c", Some("x.c"));
        check(&["/2/a/x.c", "/2/b/x.c"], "/1/b/x.c", Some("/2/b/x.c"));
        check(&["/2/a/x.c", "/2/b/x.c"], "/1/c/x.c", None);
        check(&["y.c"], "x.c", None);
        let renamed = partner(&["new.c"], Some(["./old.c", "new.c"]), "old.c");
        assert_eq!(renamed.as_deref(), Some("new.c"));
    }

    #[test]
    fn paths_are_plain() {
        let root = Path::new("/r");
        assert_eq!(shown("/r/./a/../x.c", root), "x.c");
        assert_eq!(shown("/q/x.c", root), "/q/x.c");
    }
}
