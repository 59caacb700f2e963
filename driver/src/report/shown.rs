//! A finding as people read it: paths relative to the current folder, readable function names.
//! The JSON keeps what the runtime wrote, which a replay compares event by event.

use crate::names::demangle_place;
use dpor_report::{Finding, Place};
use std::path::Path;

/// The finding for reading in `folder`.
pub fn shown(finding: &Finding, folder: &Path) -> Finding {
    let mut finding = finding.clone();
    let prefix = match folder.display().to_string() {
        root if root.ends_with('/') => root,
        folder => folder + "/",
    };
    for access in &mut finding.accesses {
        show_place(&mut access.place, &prefix);
    }
    for step in &mut finding.trace {
        show_place(&mut step.place, &prefix);
    }
    if let Some(file) = finding
        .object
        .as_mut()
        .and_then(|object| object.file.as_mut())
    {
        shorten(file, &prefix);
    }
    for line in finding.details.iter_mut().chain([&mut finding.message]) {
        // Paths stand in the middle of these sentences, behind a blank.
        if prefix != "/" {
            *line = line.replace(&format!(" {prefix}"), " ");
        }
    }
    finding
}

fn show_place(place: &mut Place, prefix: &str) {
    demangle_place(place);
    shorten_place(place, prefix);
}

fn shorten_place(place: &mut Place, prefix: &str) {
    shorten(&mut place.file, prefix);
    for outer in &mut place.inlined_into {
        shorten_place(outer, prefix);
    }
}

fn shorten(file: &mut String, prefix: &str) {
    // `/` as the current folder would make absolute paths look relative.
    if let Some(rest) = file.strip_prefix(prefix).filter(|_| prefix != "/") {
        *file = rest.to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let check = |file: &str, folder: &str, expect: &str| {
            let mut finding = crate::report::plain::finding(status()).unwrap();
            finding.details = vec![format!("locked at {file}:3")];
            finding.object = Some(dpor_report::Object {
                file: Some(file.to_owned()),
                ..dpor_report::Object::default()
            });
            let shown = shown(&finding, Path::new(folder));
            assert_eq!(shown.object.unwrap().file.unwrap(), expect);
            assert_eq!(shown.details, [format!("locked at {expect}:3")]);
        };
        check("/home/me/x.c", "/home/me", "x.c");
        check("/home/me/src/x.c", "/home/me", "src/x.c");
        check("/home/meta/x.c", "/home/me", "/home/meta/x.c");
        check("x.c", "/home/me", "x.c");
        check("/usr/x.c", "/", "/usr/x.c");
    }

    fn status() -> std::process::ExitStatus {
        std::os::unix::process::ExitStatusExt::from_raw(6)
    }
}
