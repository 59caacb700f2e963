//! Places as SARIF has them: URIs relative to the current folder where they are below it, lines
//! and columns, functions.

use super::message::message;
use crate::report::source::Source;
use crate::report::View;
use dpor_report::Place;
use percent_encoding::{percent_encode, AsciiSet, NON_ALPHANUMERIC};
use serde_sarif::sarif::{ArtifactLocation, Location, LogicalLocation, PhysicalLocation, Region};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// What relative URIs are relative to: the current folder.
const ROOT: &str = "%SRCROOT%";

/// What a path of a URI may have unescaped (RFC 3986: unreserved characters and the slash).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Makes locations, reading each source once.
pub struct Locations<'a> {
    view: &'a View,
    /// Sources by the name in the debug information; `None` for a file that could not be read.
    sources: HashMap<String, Option<Source>>,
}

impl<'a> Locations<'a> {
    /// Locations for the reader of `view`.
    pub fn new(view: &'a View) -> Locations<'a> {
        Locations {
            view,
            sources: HashMap::new(),
        }
    }

    /// The place, as far as it is known, with `text` at it.
    pub fn at(&mut self, place: &Place, text: &str) -> Location {
        let mut location = Location::builder().build();
        location.message = (!text.is_empty()).then(|| message(text));
        if !place.file.is_empty() {
            let file = artifact(&place.file, &self.view.here);
            let mut physical = PhysicalLocation::builder().artifact_location(file).build();
            physical.region = self.region(place);
            location.physical_location = Some(physical);
        }
        if !place.function.is_empty() {
            let function = LogicalLocation::builder()
                .fully_qualified_name(place.function.clone())
                .kind("function")
                .build();
            location.logical_locations = Some(vec![function]);
        }
        location
    }

    fn region(&mut self, place: &Place) -> Option<Region> {
        if place.line == 0 {
            return None;
        }
        let mut region = Region::builder().start_line(place.line).build();
        if place.column > 0 {
            region.start_column = Some(self.column(place).into());
        }
        Some(region)
    }

    /// The column in characters: the compiler counts bytes.
    fn column(&mut self, place: &Place) -> u32 {
        let folder = &self.view.folder;
        let read = || Source::find(&place.file, folder);
        let source = self.sources.entry(place.file.clone()).or_insert_with(read);
        let column = source.as_ref().and_then(|source| source.characters(place));
        column.unwrap_or(place.column)
    }

    /// What the relative URIs are relative to.
    pub fn bases(&self) -> BTreeMap<String, ArtifactLocation> {
        BTreeMap::from([(ROOT.to_owned(), self.here())])
    }

    /// The current folder.
    pub fn here(&self) -> ArtifactLocation {
        let mut uri = absolute(&self.view.here);
        if !uri.ends_with('/') {
            uri.push('/');
        }
        ArtifactLocation::builder().uri(uri).build()
    }
}

/// The file that debug information names, absolute or relative to `here`.
fn artifact(file: &str, here: &Path) -> ArtifactLocation {
    let path = plain(&here.join(file));
    match path.strip_prefix(here) {
        Ok(below) => ArtifactLocation::builder()
            .uri(escaped(below.as_os_str()))
            .uri_base_id(ROOT)
            .build(),
        Err(_) => ArtifactLocation::builder().uri(absolute(&path)).build(),
    }
}

fn absolute(path: &Path) -> String {
    format!("file://{}", escaped(path.as_os_str()))
}

fn escaped(path: &OsStr) -> String {
    percent_encode(path.as_bytes(), ESCAPED).to_string()
}

/// Returns the path without `.` and `..`, as far as that can be told from the names.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris() {
        let check = |file: &str, uri: &str, is_below: bool| {
            let artifact = artifact(file, Path::new("/home/me"));
            assert_eq!(artifact.uri.as_deref(), Some(uri), "{file}");
            assert_eq!(artifact.uri_base_id.is_some(), is_below, "{file}");
        };
        check("x.c", "x.c", true);
        check("./src/../x.c", "x.c", true);
        check("/home/me/src/x.c", "src/x.c", true);
        check("/home/meta/x.c", "file:///home/meta/x.c", false);
        check("../you/x.c", "file:///home/you/x.c", false);
        check(
            "a b/\"<&>#%:é.c",
            "a%20b/%22%3C%26%3E%23%25%3A%C3%A9.c",
            true,
        );
    }
}
