//! The comparison as text: each difference with its accesses and schedules, then what both levels have,
//! and the last word.

use super::access::{Change, Site, What};
use super::judge::{folders, Compared, Comparison, Difference};
use super::schedules::{align, columns, parting, Row};
use crate::flags::MessageFormat;
use crate::report::calls::{calls, of_library};
use crate::report::names_of_threads::name;
use dpor_report::{library, text, Ending, Finding};

/// Differences of one effect that are shown whole; the others are in the JSON report.
const SHOWN_MAX: usize = 20;

/// Changes that are shown with a difference.
const CHANGES_MAX: usize = 20;

/// The comparison; ends with a newline.
pub fn text(comparison: &Comparison, format: MessageFormat) -> String {
    let mut shown = String::new();
    let folders = folders(&comparison.checks[0]);
    let all = comparison.differences.iter().chain(&comparison.doubtful);
    for (number, difference) in all.enumerate().take(SHOWN_MAX) {
        let is_doubtful = number >= comparison.differences.len();
        shown += &headline(difference, is_doubtful);
        if format == MessageFormat::Human {
            shown += &body(difference, &comparison.levels, &folders);
        }
    }
    let count = comparison.differences.len() + comparison.doubtful.len();
    if count > SHOWN_MAX {
        let more = text::counted((count - SHOWN_MAX) as u64, "more difference");
        shown += &format!("… {more} (--json has all)\n");
    }
    for finding in &comparison.both {
        shown += &format!("at both levels: {}\n", finding_line(finding));
    }
    for (level, check) in comparison.levels.iter().zip(&comparison.checks) {
        shown += &format!("{level}: {}\n", text::verdict_line(check));
    }
    shown + &last_line(comparison) + "\n"
}

fn headline(difference: &Difference, is_doubtful: bool) -> String {
    let Difference { only_at, kind, .. } = difference;
    let severity = difference.severity;
    let what = match (&difference.finding, &difference.outcome) {
        (Some(finding), _) => finding_line(finding),
        (None, Some(ending)) => outcome(ending),
        (None, None) => String::new(),
    };
    let effect = match (is_doubtful, difference.effect) {
        (true, _) => "the other level may have it too",
        (false, "introduced") => "introduced by the optimizer",
        (false, _) => "hidden by the optimizer",
    };
    format!("{severity}[{kind}]: only at {only_at} ({effect}): {what}\n")
}

/// `data race on x (x.c:9, x.c:20)`.
fn finding_line(finding: &Finding) -> String {
    let places = finding
        .accesses
        .iter()
        .map(|access| match access.place.line {
            0 => format!("{} in {}", access.access, access.place.function),
            line => format!("{} {}:{line}", access.access, access.place.file),
        });
    let places: Vec<String> = places.collect();
    match places.is_empty() {
        true => finding.message.clone(),
        false => format!("{} ({})", finding.message, places.join(", ")),
    }
}

fn outcome(ending: &Ending) -> String {
    let values = ending
        .values
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let mut parts: Vec<String> = values.collect();
    for (name, text) in [("output", &ending.stdout), ("errors", &ending.stderr)] {
        if !text.is_empty() {
            parts.push(format!("{name} {text:?}"));
        }
    }
    match parts.is_empty() {
        true => "the program runs to its end, without output".to_owned(),
        false => parts.join("  "),
    }
}

fn body(difference: &Difference, levels: &[String; 2], folders: &[String]) -> String {
    let mut shown = String::new();
    if !difference.accesses.is_empty() {
        shown += &format!("  accesses, from {} to {}:\n", levels[0], levels[1]);
        let is_library = |change: &&Change| {
            let mut sites = change.sites();
            sites.all(|site| library::is_library(&site.file, folders))
        };
        let (inside, own): (Vec<&Change>, Vec<&Change>) =
            difference.accesses.iter().partition(is_library);
        for change in own.iter().take(CHANGES_MAX) {
            shown += &format!("    {}\n", change_line(change));
        }
        let rest = own.len().saturating_sub(CHANGES_MAX);
        if rest > 0 {
            shown += &format!("    … {}\n", text::counted(rest as u64, "more change"));
        }
        if let Some(change) = inside.first() {
            let count = text::counted(inside.len() as u64, "change");
            let library = change
                .sites()
                .next()
                .map_or("", |site| of_library(&site.file));
            shown += &format!("    … {count} in {library} (--json has them)\n");
        }
    }
    let [left, right] = &difference.schedules;
    if !(left.is_empty() && right.is_empty()) {
        let heads = levels
            .clone()
            .map(|level| match level == difference.only_at {
                true => level,
                false => format!("{level} (the most similar execution)"),
            });
        let rows = align(left, right);
        shown += "  schedules:\n";
        shown += &columns(&rows, &difference.threads, [&heads[0], &heads[1]]);
        shown += &calls_where_they_part(&rows, difference, levels);
    }
    shown
}

/// The calls that led to the first step of either that the other does not have; empty if they are not known.
fn calls_where_they_part(
    rows: &[Row<'_>],
    difference: &Difference,
    levels: &[String; 2],
) -> String {
    let mut shown = String::new();
    let sides = parting(rows).into_iter().zip(levels);
    for ((step, level), threads) in sides.zip(&difference.threads) {
        let calls = step.map_or(Vec::new(), |step| calls(&step.place));
        let Some(step) = step.filter(|_| !calls.is_empty()) else {
            continue;
        };
        if shown.is_empty() {
            shown += "  where they part:\n";
        }
        let who = name(threads, step.thread);
        shown += &format!("    {level}: {who} {}\n", text::operation(step));
        for call in &calls {
            shown += &format!("      {}\n", call.line());
        }
    }
    shown
}

/// `merged    write pair.low x.c:9, write pair.high x.c:10 → write pair x.c:9`.
fn change_line(change: &Change) -> String {
    let what = match change.what {
        What::Merged => "merged",
        What::Split => "split",
        What::Moved => "moved",
        What::Vanished => "vanished",
        What::Appeared => "appeared",
    };
    let list = |sites: &[Site]| sites.iter().map(site).collect::<Vec<String>>().join(", ");
    let (before, after) = (list(&change.before), list(&change.after));
    match (before.is_empty(), after.is_empty()) {
        (false, false) => format!("{what:8}  {before} → {after}"),
        _ => format!("{what:8}  {before}{after}"),
    }
}

/// `write pair+4, 4 bytes, x.c:10`.
fn site(site: &Site) -> String {
    let object = match (site.object.as_str(), site.offset) {
        ("", _) => "through a pointer".to_owned(),
        (name, None) => format!("in {name}"),
        (name, Some(0)) => name.to_owned(),
        (name, Some(offset)) => format!("{name}{offset:+}"),
    };
    let bytes = match site.bytes {
        0 => String::new(),
        bytes => format!(" ({})", text::counted(bytes, "byte")),
    };
    let place = match (site.line, site.file.as_str()) {
        (0, _) => format!("no line, in {}", site.function),
        (line, file) => format!("{file}:{line}"),
    };
    format!("{} {object}{bytes} at {place}", site.access)
}

/// The last line of the text: the verdict on the two levels.
fn last_line(comparison: &Comparison) -> String {
    let [first, second] = &comparison.levels;
    let reason = comparison.reason.as_deref().unwrap_or("no reason given");
    let count = |effect: &str| {
        let all = comparison.differences.iter();
        all.filter(|difference| difference.effect == effect).count()
    };
    let counts = format!(
        "{} introduced, {} hidden, {} at both",
        count("introduced"),
        count("hidden"),
        comparison.both.len()
    );
    match comparison.verdict {
        Compared::Same => format!("no difference between {first} and {second}: {counts}"),
        Compared::Different => {
            let rest = comparison.reason.as_ref();
            let rest = rest.map_or(String::new(), |reason| format!("; incomplete: {reason}"));
            format!("{first} and {second} differ: {counts}{rest}")
        }
        Compared::Incomplete => {
            format!("no difference known between {first} and {second}, incomplete: {reason}")
        }
        Compared::Unsupported => format!("unsupported: {reason}"),
    }
}
