//! The comparison as text: each difference with its accesses and schedules, then what both sides have, and the last
//! word.

use super::access::{Change, Site, What};
use super::between::Between;
use super::difference::Difference;
use super::judge::{folders, Compared, Comparison};
use super::schedules::{align, columns, parting, Row};
use crate::exit;
use crate::flags::{FailOn, MessageFormat};
use crate::report::calls::{calls, of_library};
use crate::report::names_of_threads::name;
use dpor_report::{library, text, Ending, Finding, Step};

/// Differences of one effect that are shown whole; the others are in the JSON report.
const SHOWN_MAX: usize = 20;

/// Changes that are shown with a difference.
const CHANGES_MAX: usize = 20;

/// The comparison; ends with a newline.
pub fn text(comparison: &Comparison, format: MessageFormat, fail_on: FailOn) -> String {
    let mut shown = String::new();
    let folders = folders(&comparison.checks[0]);
    let all = comparison.differences.iter().chain(&comparison.doubtful);
    for (number, difference) in all.enumerate().take(SHOWN_MAX) {
        let is_doubtful = number >= comparison.differences.len();
        shown += &headline(difference, is_doubtful, comparison);
        if format == MessageFormat::Human {
            shown += &body(difference, comparison, &folders);
        }
    }
    let count = comparison.differences.len() + comparison.doubtful.len();
    if count > SHOWN_MAX {
        let more = text::counted((count - SHOWN_MAX) as u64, "more difference");
        shown += &format!("… {more} (--json has all)\n");
    }
    for finding in &comparison.both {
        let at = comparison.between.preposition();
        let noun = comparison.between.noun();
        shown += &format!("{at} both {noun}s: {}\n", finding_line(finding));
    }
    for (level, check) in comparison.levels.iter().zip(&comparison.checks) {
        shown += &format!("{level}: {}\n", text::verdict_line(check));
    }
    shown + &last_line(comparison) + "\n" + &failure(comparison, fail_on)
}

/// What the exit code says, where not all that differs is a failure.
fn failure(comparison: &Comparison, fail_on: FailOn) -> String {
    let what = match (fail_on, comparison.exit(fail_on)) {
        (FailOn::Difference, _) | (_, exit::UNSUPPORTED) => return String::new(),
        (FailOn::Introduced, exit::VERIFIED) => "nothing is introduced",
        (FailOn::Introduced, exit::BUG) => "something is introduced",
        (FailOn::Introduced, _) => "whether something is introduced is not known",
    };
    format!("{what}\n")
}

fn headline(difference: &Difference, is_doubtful: bool, comparison: &Comparison) -> String {
    let Difference { only_at, kind, .. } = difference;
    let (noun, at) = (comparison.between.noun(), comparison.between.preposition());
    let severity = difference.severity;
    let what = match (&difference.finding, &difference.outcome) {
        (Some(finding), _) => finding_line(finding),
        (None, Some(ending)) => outcome(ending),
        (None, None) => String::new(),
    };
    if let Some(other) = &difference.may_be {
        let [old, _] = &comparison.levels;
        let other = finding_line(other);
        return format!(
            "{severity}[{kind}]: {at} {only_at}: {what}\n  may be what {old} has: {other}\n"
        );
    }
    let effect = match (is_doubtful, &comparison.between) {
        (true, _) => format!("the other {noun} may have it too"),
        (false, Between::Levels) => format!("{} by the optimizer", difference.effect),
        (false, Between::Versions(_)) => difference.effect.to_owned(),
    };
    format!("{severity}[{kind}]: only {at} {only_at} ({effect}): {what}\n")
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

/// `n=1  output "…"`.
pub fn outcome(ending: &Ending) -> String {
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

fn body(difference: &Difference, comparison: &Comparison, folders: &[String]) -> String {
    let mut shown = String::new();
    let levels = &comparison.levels;
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
        let place = |side: usize, step: &Step| comparison.between.place(side, step);
        let rows = align(left, right, &place);
        shown += "  schedules:\n";
        shown += &columns(&rows, &difference.threads, [&heads[0], &heads[1]]);
        shown += &calls_where_they_part(&rows, difference, levels);
    }
    for replay in difference
        .replays
        .iter()
        .filter(|replay| !replay.is_empty())
    {
        shown += &format!("  replay: {replay}\n");
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

/// The last line of the text: the verdict on the two sides.
fn last_line(comparison: &Comparison) -> String {
    let [first, second] = &comparison.levels;
    let reason = comparison.reason.as_deref().unwrap_or("no reason given");
    let counts = match &comparison.between {
        Between::Levels => effects(comparison),
        Between::Versions(_) => change(comparison),
    };
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

/// `1 introduced, 1 hidden, 0 at both`.
fn effects(comparison: &Comparison) -> String {
    let count = |effect: &str| {
        let all = comparison.differences.iter();
        all.filter(|difference| difference.effect == effect).count()
    };
    let [first, second] = comparison.between.effects();
    let both = comparison.both.len();
    format!(
        "{} {second}, {} {first}, {both} at both",
        count(second),
        count(first)
    )
}

/// `the change removes 3 outcomes, adds 1 outcome and 1 finding (data-race); 2 findings are in both`.
fn change(comparison: &Comparison) -> String {
    let list = |effect: &str| {
        let all = comparison.differences.iter().filter(|d| d.effect == effect);
        let (outcomes, findings): (Vec<&Difference>, Vec<&Difference>) =
            all.partition(|difference| difference.outcome.is_some());
        let mut kinds: Vec<String> = findings.iter().map(|d| d.kind.to_string()).collect();
        kinds.dedup();
        let counts = [
            (outcomes.len(), "outcome", String::new()),
            (
                findings.len(),
                "finding",
                format!(" ({})", kinds.join(", ")),
            ),
        ];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let counts = counts.map(|(n, noun, more)| text::counted(*n as u64, noun) + more);
        match counts.collect::<Vec<String>>() {
            none if none.is_empty() => "nothing".to_owned(),
            counts => counts.join(" and "),
        }
    };
    let [first, second] = comparison.between.effects();
    let both = match comparison.both.len() {
        1 => "1 finding is in both".to_owned(),
        count => format!("{} are in both", text::counted(count as u64, "finding")),
    };
    let (removed, added) = (list(first), list(second));
    format!("the change removes {removed}, adds {added}; {both}")
}
