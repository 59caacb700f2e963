//! The table of published examples in docs/scenarios.md: each row is a revision of a program, with the verdict that its
//! header expects, which the tests of programs check.

use super::source;
use dpor_report::Verdict;
use dpor_testsuite::header::{self, Header};
use std::collections::BTreeSet;

/// A program's text, and the headers of its revisions as the tests of programs read them.
fn program(file: &str) -> (String, Vec<Header>) {
    let path = source("testsuite/programs/scenarios").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{file}: {why}"));
    let headers = header::parse(&text).unwrap_or_else(|why| panic!("{file}: {why}"));
    (text, headers)
}

#[test]
fn the_table_has_the_verdicts_that_are_tested() {
    let page = std::fs::read_to_string(source("docs/scenarios.md")).expect("the page");
    let (_, table) = page.split_once("## Published examples").expect("a table");
    let (table, _) = table.split_once("\n## ").expect("more behind it");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let mut files = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", file, variant, _, published, here, ""] = cells[..] else {
            panic!("{row}")
        };
        let [file, variant] = [file, variant].map(|word| word.trim_matches('`'));
        let headers = program(file).1;
        let header = headers.iter().find(|header| header.revision == variant);
        let header = header.unwrap_or_else(|| panic!("{row}"));
        let said: Vec<&str> = match header.expect {
            Some(Verdict::Verified) => vec!["linearizable"],
            _ => header.kinds.iter().map(String::as_str).collect(),
        };
        assert_eq!(said, [here], "{row}");
        // Where a paper's program is the same, so is its verdict.
        let is_same =
            published.is_empty() || (published == "linearizable") == (here == "linearizable");
        assert!(is_same, "{row}");
        files.insert(file.to_owned());
    }
    let folder = std::fs::read_dir(source("testsuite/programs/scenarios")).expect("a folder");
    for file in folder {
        let name = file
            .expect("a file")
            .file_name()
            .into_string()
            .expect("a name");
        if name.ends_with(".report") {
            continue;
        }
        let (text, _) = program(&name);
        let names_one = text.contains("Lincheck") || text.contains("Relinche");
        assert!(!names_one || files.contains(&name), "{name} is in no row");
    }
    assert!(files.len() > 10, "{files:?}");
}
