//! What files are called in narrow places: by their names alone, where these tell them apart.

use dpor_report::{text, Finding, Place};
use std::collections::BTreeMap;

/// The files of a finding.
pub struct Files {
    /// The short name of each file that has one; the longest path first, as one may be the end of another.
    short: Vec<(String, String)>,
}

impl Files {
    /// The files of all places of a finding.
    pub fn new(finding: &Finding) -> Files {
        let accesses = finding.accesses.iter().map(|access| &access.place);
        let places = accesses.chain(finding.trace.iter().map(|step| &step.place));
        Files::of(places.map(|place| place.file.as_str()))
    }

    fn of<'a>(files: impl Iterator<Item = &'a str>) -> Files {
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in files {
            let name = file.rsplit('/').next().unwrap_or(file);
            let files = by_name.entry(name).or_default();
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let alone = by_name
            .into_iter()
            .filter_map(|(name, files)| match files[..] {
                [file] if file != name && !name.is_empty() => {
                    Some((file.to_owned(), name.to_owned()))
                }
                _ => None,
            });
        let mut short: Vec<(String, String)> = alone.collect();
        short.sort_by_key(|(file, _)| std::cmp::Reverse(file.len()));
        Files { short }
    }

    /// `FILE:LINE in FUNCTION`, as far as known.
    pub fn place(&self, place: &Place) -> String {
        let known = self.short.iter().find(|(file, _)| *file == place.file);
        match known {
            Some((_, name)) => text::place(&Place {
                file: name.clone(),
                ..place.clone()
            }),
            None => text::place(place),
        }
    }

    /// The words, with the short name where they have `FILE:`.
    pub fn in_words(&self, words: &str) -> String {
        let shorten = |words: String, (file, name): &(String, String)| {
            words.replace(&format!(" {file}:"), &format!(" {name}:"))
        };
        self.short.iter().fold(words.to_owned(), shorten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_tell_files_apart() {
        let place = |file: &str| Place {
            file: file.to_owned(),
            line: 3,
            function: "f".to_owned(),
            ..Place::default()
        };
        let paths = ["/a/x.c", "b/y.c", "c/y.c", "z.c", ""];
        let files = Files::of(paths.into_iter());
        let places: Vec<String> = paths.iter().map(|file| files.place(&place(file))).collect();
        let expect = ["x.c:3 in f", "b/y.c:3 in f", "c/y.c:3 in f", "z.c:3 in f"];
        assert_eq!(places[..4], expect);
        let words = "held since /a/x.c:9, not since b/y.c:1 or d/a/x.c:2";
        let expect = "held since x.c:9, not since b/y.c:1 or d/a/x.c:2";
        assert_eq!(files.in_words(words), expect);
    }
}
