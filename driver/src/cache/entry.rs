//! Entries of the cache: a file of JSON for each key.

use super::record::States;
use dpor_report::Report;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// An entry that was of no use for so long is removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

#[derive(Deserialize)]
struct Entry {
    /// When it was written, in seconds since 1970.
    seconds: u64,
    states: States,
    report: Report,
}

#[derive(Serialize)]
struct Written<'a> {
    seconds: u64,
    states: States,
    report: &'a Report,
}

fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.json"))
}

/// Seconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// The report of a key, if all that its program looked at is still as it was, and how old it is. What cannot be read is no
/// entry, and neither is what will be written only tomorrow.
pub fn read(folder: &Path, key: &str) -> Option<(Report, Duration)> {
    let path = file(folder, key);
    let bytes = std::fs::read(&path).ok()?;
    let entry: Entry = serde_json::from_slice(&bytes).ok()?;
    let age = Duration::from_secs(now().checked_sub(entry.seconds)?);
    if !entry.states.iter().all(|(path, state)| state.holds(path)) {
        return None;
    }
    // It was of use. If that cannot be noted, it is removed earlier, and made anew then.
    let used = std::fs::File::options().append(true).open(&path);
    let _ = used.and_then(|file| file.set_modified(SystemTime::now()));
    Some((entry.report, age))
}

/// Keeps a report: the file is there as a whole, or not at all. Removes what is old.
///
/// # Errors
/// The folder cannot be written to.
pub fn write(folder: &Path, key: &str, report: &Report, states: States) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new()
        .prefix("new-")
        .tempfile_in(folder)?;
    let seconds = now();
    let written = Written {
        seconds,
        states,
        report,
    };
    serde_json::to_writer(&mut new, &written)?;
    new.persist(file(folder, key)).map_err(|why| why.error)?;
    remove_old(folder)
}

fn remove_old(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.ends_with(".json") || name.starts_with("new-");
        let age = entry.metadata().and_then(|it| it.modified());
        let age = age.map(|written| written.elapsed().unwrap_or_default());
        if is_ours && age.is_ok_and(|age| age > KEPT) {
            // Another check may have removed it.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}
