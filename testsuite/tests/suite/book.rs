//! The pages of `docs/` and the README: what their commands print is what stands there, and their links lead
//! somewhere.
//!
//! A page's blocks marked `console` are run in order, in a folder of the page's own that has the files of
//! `docs/programs/`. `DPOR_BLESS=1` writes what they print into the pages; read it afterwards.

use dpor_testsuite::tool::Tool;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Paths of the pages below `docs/`, also those of its folders.
fn pages() -> BTreeSet<PathBuf> {
    let folders = [PathBuf::new(), PathBuf::from("decisions")];
    let files = folders.iter().flat_map(|folder| {
        let entries = std::fs::read_dir(docs().join(folder)).expect("a folder");
        entries.map(|entry| folder.join(entry.expect("an entry").file_name()))
    });
    files
        .filter(|file| file.extension().is_some_and(|e| e == "md"))
        .collect()
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(docs().join(page)).expect("a page")
}

/// The README lies above.
const README: &str = "../README.md";

/// What the links of a text lead to, without what is on the network and places within a page.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn commands_print_what_the_pages_say() {
    let tool = Tool::new("book");
    let folder = tool.path("pages");
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a folder");
    let with_commands: Vec<PathBuf> = { pages().into_iter().chain([README.into()]) }
        .filter(|page| read(page).contains("```console\n"))
        .collect();
    let copy = |page: &Path| folder.join(page.file_name().expect("a file"));
    assert!(with_commands.len() >= 5, "{with_commands:?}");
    for page in &with_commands {
        let copy = copy(page);
        std::fs::copy(docs().join(page), &copy).expect("a copy");
        let (files, results) = (copy.with_extension("in"), copy.with_extension("out"));
        for folder in [&files, &results] {
            std::fs::create_dir(folder).expect("a folder");
        }
        for file in std::fs::read_dir(docs().join("programs")).expect("a folder") {
            let file = file.expect("a file");
            std::fs::copy(file.path(), files.join(file.file_name())).expect("a copy");
        }
    }
    let bless = std::env::var_os("DPOR_BLESS").is_some();
    run(&tool, &folder, bless);
    if bless {
        for page in &with_commands {
            std::fs::copy(copy(page), docs().join(page)).expect("a copy");
        }
    }
}

/// The commands of all pages in a folder.
fn run(tool: &Tool, folder: &Path, bless: bool) {
    let bin = dpor_testsuite::trial::product().join("bin");
    let cases = trycmd::TestCases::new();
    for name in ["dpor", "dpor-cc", "dpor-c++"] {
        cases.register_bin(name, bin.join(name));
    }
    for name in ["cat", "cp", "git", "make"] {
        cases.register_bin(name, Path::new("/usr/bin").join(name));
    }
    for (name, value) in tool.clangs() {
        cases.env(name, value);
    }
    let others = std::env::var("PATH").unwrap_or_default();
    cases.env("PATH", format!("{}:{others}", bin.display()));
    cases.case(folder.join("*.md").display().to_string());
    if bless {
        // Before any other thread of this process reads the environment.
        std::env::set_var("TRYCMD", "overwrite");
    }
    cases.run();
}

#[test]
fn links_lead_to_files() {
    let root = docs().join("..");
    let mut pages: Vec<PathBuf> = pages().into_iter().map(|p| docs().join(p)).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    let mut wrong = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        for link in links(&text).filter(|link| !folder.join(link).exists()) {
            wrong.push(format!("{}: {link}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A page of the book can only lead to pages of the book.
#[test]
fn links_stay_in_the_book() {
    for page in pages() {
        let depth = page.components().count() - 1;
        let text = read(&page);
        let out: Vec<&str> = { links(&text) }
            .filter(|link| link.matches("../").count() > depth)
            .collect();
        assert!(out.is_empty(), "{}: {out:?}", page.display());
    }
}

/// A block below a line with nothing but the path of a file in the source tree is that file.
#[test]
fn files_in_pages_are_whole() {
    let root = docs().join("..");
    let mut found = 0;
    for page in pages() {
        let text = read(&page);
        for (before, rest) in text
            .match_indices("`:\n\n```")
            .map(|(at, _)| text.split_at(at))
        {
            let line = before.rsplit('\n').next().unwrap_or_default();
            let Some(path) = line
                .strip_prefix('`')
                .filter(|path| root.join(path).is_file())
            else {
                continue;
            };
            let block = rest[6..].split_once('\n').expect("a block").1;
            let block = block.split("```").next().expect("its end");
            let file = std::fs::read_to_string(root.join(path)).expect("a file");
            assert_eq!(block, file, "{path} in {}", page.display());
            found += 1;
        }
    }
    assert!(found >= 4, "{found}");
}

#[test]
fn the_book_has_every_page_once() {
    let summary = read(Path::new("SUMMARY.md"));
    let listed: Vec<PathBuf> = links(&summary).map(PathBuf::from).collect();
    let mut expected = pages();
    assert!(expected.remove(Path::new("SUMMARY.md")));
    assert_eq!(listed.len(), expected.len());
    assert_eq!(listed.into_iter().collect::<BTreeSet<PathBuf>>(), expected);
}

/// Folders of the source tree that pages speak of.
const FOLDERS: [&str; 10] = [
    "cmake",
    "docs",
    "driver",
    "examples",
    "packaging",
    "pass",
    "runtime",
    "testsuite",
    "xtask",
    ".github",
];

/// Paths of all files and folders below `at`, relative to the root of the source tree.
fn paths_below(root: &Path, at: &Path, into: &mut Vec<PathBuf>) {
    into.push(at.to_path_buf());
    let Ok(entries) = std::fs::read_dir(root.join(at)) else {
        return;
    };
    for entry in entries {
        let name = entry.expect("an entry").file_name();
        if name != "target" {
            paths_below(root, &at.join(name), into);
        }
    }
}

/// The texts in backticks of a page that are a path in the source tree by their form: they begin with one of its
/// folders, or name a file of Rust by the end of its path. `NAME` in one stands for a name to be chosen.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    let spans = text
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.filter(|span| {
        let plain = { span.chars() }.all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
        let below = { span.split_once('/') }.is_some_and(|(first, _)| FOLDERS.contains(&first));
        plain && !span.contains("NAME") && (below || span.ends_with(".rs"))
    })
}

#[test]
fn paths_in_pages_exist() {
    let root = docs().join("..");
    let mut paths = Vec::new();
    for folder in FOLDERS {
        paths_below(&root, Path::new(folder), &mut paths);
    }
    let mut pages: Vec<PathBuf> = pages().into_iter().map(|p| docs().join(p)).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    let mut wrong = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        for name in named_paths(&text).filter(|name| !paths.iter().any(|p| p.ends_with(name))) {
            wrong.push(format!("{}: {name}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A page of a decision opens with a sentence, an example and its status, under the title that the summary has.
#[test]
fn decisions_open_with_their_status() {
    let summary = read(Path::new("SUMMARY.md"));
    let mut wrong = Vec::new();
    for page in pages() {
        let Ok(name) = page.strip_prefix("decisions") else {
            continue;
        };
        let text = read(&page);
        let (title, rest) = text.split_once("\n\n").expect("a title");
        let listed = format!("- [{}]({})\n", &title[2..], page.display());
        let opening = rest.split("\n\nStatus: ").next().unwrap_or_default();
        let opens = !opening.starts_with(['#', '*', '|', '-']) && !opening.contains("\n#");
        let with_example = opening.contains("For example") || opening.contains('`');
        if !(summary.contains(&listed) && opens && with_example && opening != rest) {
            wrong.push(name.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts of all files of Rust below the folders that pages speak of.
fn sources(root: &Path) -> String {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        paths_below(root, Path::new(folder), &mut paths);
    }
    { paths.iter() }
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .map(|path| std::fs::read_to_string(root.join(path)).expect("a source file") + "\n")
        .collect()
}

/// `Type::item` in a page: both names occur in the source tree.
#[test]
fn items_in_pages_exist() {
    let sources = sources(&docs().join(".."));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: BTreeSet<&str> = sources.split(|c| !is_word(c)).collect();
    let mut wrong = Vec::new();
    for page in pages() {
        let text = read(&page);
        let spans = text
            .lines()
            .flat_map(|line| line.split('`').skip(1).step_by(2));
        for (span, (of, item)) in spans.filter_map(|span| Some((span, span.split_once("::")?))) {
            let ours = of.starts_with(|c: char| c.is_ascii_uppercase())
                && of.chars().chain(item.chars()).all(is_word);
            if ours && !(words.contains(of) && words.contains(item)) {
                wrong.push(format!("{}: {span}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
