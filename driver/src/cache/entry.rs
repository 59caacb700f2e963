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

#[cfg(test)]
mod tests {
    use super::super::state::State;
    use super::*;
    use dpor_abi::options::Options;

    fn report() -> Report {
        crate::report::plain::empty(&Options::default(), Duration::ZERO)
    }

    fn set(path: &Path, days_ago: u64) {
        let time = SystemTime::now() - Duration::from_secs(days_ago * 24 * 3600);
        let file = std::fs::File::options().append(true).open(path);
        file.and_then(|file| file.set_modified(time)).expect("set");
    }

    #[test]
    fn an_entry_holds_if_all_states_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("kept");
        let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
        let states = || {
            let of = |path: &PathBuf| (path.clone(), State::of(path).expect("known"));
            paths.iter().map(of).collect::<States>()
        };
        for changed in &paths {
            write(&kept, "k", &report(), states()).expect("written");
            assert!(read(&kept, "k").is_some());
            assert!(read(&kept, "other").is_none());
            std::fs::write(changed, "").expect("written");
            assert!(read(&kept, "k").is_none(), "{}", changed.display());
        }
    }

    #[test]
    fn what_will_be_written_tomorrow_is_no_entry() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "k", &report(), States::new()).expect("written");
        let path = file(folder.path(), "k");
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for (ahead, is_read) in [(0, true), (24 * 3600, false)] {
            json["seconds"] = (now() + ahead).into();
            std::fs::write(&path, json.to_string()).expect("written");
            assert_eq!(read(folder.path(), "k").is_some(), is_read, "{ahead}");
        }
    }

    /// Old is what was of no use for more than thirty days.
    #[test]
    fn old_entries_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        write(folder.path(), "used", &report(), States::new()).expect("written");
        for (name, days) in [
            ("used.json", 31),
            ("old.json", 31),
            ("young.json", 29),
            ("new-old", 31),
            ("new-young", 29),
            ("notes.txt", 31),
        ] {
            std::fs::File::options()
                .create(true)
                .append(true)
                .open(path(name))
                .expect("made");
            set(&path(name), days);
        }
        assert!(read(folder.path(), "used").is_some());
        write(folder.path(), "another", &report(), States::new()).expect("written");
        let names = std::fs::read_dir(folder.path()).expect("readable");
        let names = names.map(|entry| entry.expect("readable").file_name());
        let mut names: Vec<_> = names.filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        let left = [
            "another.json",
            "new-young",
            "notes.txt",
            "used.json",
            "young.json",
        ];
        assert_eq!(names, left);
    }
}
