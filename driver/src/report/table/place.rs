//! Places in few columns: as many of the last parts of the paths as tell the files apart.

use dpor_report::Place;
use std::collections::HashSet;

/// The files of a trace.
pub struct Places {
    /// Parts of a path that are shown.
    parts: usize,
}

impl Places {
    /// The shortening that tells these places apart.
    pub fn new<'a>(places: impl Iterator<Item = &'a Place>) -> Places {
        let files: HashSet<&str> = places.map(|place| place.file.as_str()).collect();
        let most = files.iter().map(|file| file.split('/').count()).max();
        let tells_apart = |parts: &usize| {
            let tails: HashSet<&str> = files.iter().map(|file| tail(file, *parts)).collect();
            tails.len() == files.len()
        };
        let most = most.unwrap_or(1);
        Places {
            parts: (1..most).find(tells_apart).unwrap_or(most),
        }
    }

    /// `x.c:9`; empty if the file is not known.
    pub fn short(&self, place: &Place) -> String {
        let file = tail(&place.file, self.parts);
        match (file, place.line) {
            ("", _) => String::new(),
            (file, 0) => file.to_owned(),
            (file, line) => format!("{file}:{line}"),
        }
    }
}

/// The last parts of a path.
fn tail(file: &str, parts: usize) -> &str {
    match file.rmatch_indices('/').nth(parts - 1) {
        Some((at, _)) => &file[at + 1..],
        None => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::Step;

    #[test]
    fn files_are_told_apart() {
        let check = |files: &[&str], expect: &[&str]| {
            let place = |file: &&str| Place {
                file: (*file).to_owned(),
                line: 3,
                ..Place::default()
            };
            let step = |file: &&str| Step {
                thread: 0,
                operation: "lock".to_owned(),
                object: String::new(),
                value: None,
                value_text: String::new(),
                place: place(file),
                ..Step::default()
            };
            let steps: Vec<Step> = files.iter().map(step).collect();
            let places = Places::new(steps.iter().map(|step| &step.place));
            let short: Vec<String> = steps.iter().map(|s| places.short(&s.place)).collect();
            assert_eq!(short, expect);
        };
        check(&["a/b/x.c", "a/b/y.c", ""], &["x.c:3", "y.c:3", ""]);
        check(&["a/b/x.c", "a/b/x.c"], &["x.c:3", "x.c:3"]);
        check(&["a/x.c", "b/x.c"], &["a/x.c:3", "b/x.c:3"]);
        check(&["/x.c", "x.c"], &["/x.c:3", "x.c:3"]);
    }
}
