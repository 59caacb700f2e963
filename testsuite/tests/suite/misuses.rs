//! docs/misuses.md: what is found, and where that is shown.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::header::{parse, Header};
use dpor_testsuite::trial;
use std::path::Path;

/// One row: kind, severity, programs that show it, and their clean twins.
struct Row {
    title: String,
    kind: String,
    severity: String,
    shown_by: Vec<String>,
    twins: Vec<String>,
}

fn page() -> String {
    std::fs::read_to_string(trial::root().join("docs/misuses.md")).expect("the page")
}

fn quoted(cell: &str) -> Vec<String> {
    let words = cell.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

fn rows() -> Vec<Row> {
    let page = page();
    let lines = page.lines().filter(|line| line.starts_with("| "));
    let tables = lines.filter(|line| !line.starts_with("| misuse |"));
    let rows: Vec<Row> = tables
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            assert_eq!(cells.len(), 6, "{line}");
            Row {
                title: cells[0].trim().to_owned(),
                kind: quoted(cells[2]).concat(),
                severity: cells[3].trim().to_owned(),
                shown_by: quoted(cells[4]),
                twins: quoted(cells[5]),
            }
        })
        .collect();
    assert!(rows.len() > 25, "{}", rows.len());
    rows
}

/// Headers of all variants of a program.
fn variants(name: &str) -> Vec<Header> {
    let file = trial::programs().join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{name}: {why}"));
    parse(&text).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn every_misuse_is_shown_by_its_programs() {
    for row in rows() {
        let named = format!("\"{}\"", row.kind);
        let kind: Result<FindingKind, _> = serde_json::from_str(&named);
        assert!(kind.is_ok(), "{}: {}", row.title, row.kind);
        // A warning may come with an error of another kind.
        let is_error = match row.severity.as_str() {
            "error" => true,
            "warning" => false,
            other => panic!("{}: {other}", row.title),
        };
        assert!(!row.shown_by.is_empty(), "{}", row.title);
        for program in &row.shown_by {
            let shows = |header: &Header| {
                header.kinds.contains(&row.kind)
                    && (!is_error || header.expect == Some(Verdict::Bug))
            };
            let found = variants(program).iter().any(shows);
            assert!(found, "{}: {program} does not show {}", row.title, row.kind);
        }
    }
}

#[test]
fn every_misuse_has_a_twin_that_is_clean() {
    for row in rows() {
        assert!(!row.twins.is_empty(), "{}", row.title);
        for program in &row.twins {
            let is_clean = |header: &Header| {
                header.kinds.is_empty() && header.expect == Some(Verdict::Verified)
            };
            let found = variants(program).iter().any(is_clean);
            assert!(found, "{}: {program} has no clean variant", row.title);
        }
    }
}

#[test]
fn every_program_about_misuses_is_on_the_page() {
    let rows = rows();
    let folder = trial::programs().join("misuse");
    for entry in std::fs::read_dir(folder).expect("the folder").flatten() {
        let name = Path::new("misuse").join(entry.file_name());
        let name = name.to_string_lossy();
        let is_shown = rows
            .iter()
            .any(|row| row.shown_by.iter().any(|program| *program == name));
        assert!(is_shown || !name.ends_with(".c"), "{name}");
    }
}
