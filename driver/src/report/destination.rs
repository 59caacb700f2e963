//! Destinations of reports: each report is there whole or not at all.

use crate::say;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The destination of a report. It is opened before exploration, so that a long run is not lost to a path that cannot
/// be written.
#[derive(Debug)]
pub enum Destination {
    /// Standard output, by the name `-`.
    Stdout,
    /// A file that appears when it is complete.
    File(PathBuf, NamedTempFile),
    /// A device or pipe, which cannot be replaced by renaming.
    Stream(PathBuf, std::fs::File),
}

impl Destination {
    /// Makes sure that the report can be written.
    ///
    /// # Errors
    /// One sentence.
    pub fn open(path: &Path) -> Result<Destination, String> {
        if path == Path::new("-") {
            return Ok(Destination::Stdout);
        }
        let cannot = |why: std::io::Error| format!("{} cannot be written: {why}", path.display());
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(format!(
                    "{} cannot be written: it is a folder",
                    path.display()
                ))
            }
            Ok(metadata) => {
                let file = std::fs::OpenOptions::new().write(true).open(path);
                let file = file.map_err(cannot)?;
                if !metadata.is_file() {
                    return Ok(Destination::Stream(path.to_owned(), file));
                }
            }
            Err(_) => {}
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let temporary = tempfile::Builder::new()
            .prefix(".dpor-")
            .permissions(readable())
            .tempfile_in(folder)
            .map_err(|why| format!("{} cannot be written: {}", path.display(), plain(&why)))?;
        Ok(Destination::File(path.to_owned(), temporary))
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// One sentence.
    pub fn write(self, text: &str) -> Result<(), String> {
        let cannot = |path: &Path, why: &dyn std::fmt::Display| {
            format!("{} cannot be written: {why}", path.display())
        };
        match self {
            Destination::Stdout => {
                let mut out = std::io::stdout();
                let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                say::unless_closed(written)
                    .map_err(|why| cannot(Path::new("standard output"), &why))
            }
            Destination::Stream(path, mut file) => file
                .write_all(text.as_bytes())
                .map_err(|why| cannot(&path, &why)),
            Destination::File(path, mut temporary) => {
                let written = temporary.write_all(text.as_bytes());
                written.map_err(|why| cannot(&path, &plain(&why)))?;
                let renamed = temporary.persist(&path);
                renamed.map(drop).map_err(|why| cannot(&path, &why.error))
            }
        }
    }
}

/// The permissions of a new file: the user's mask decides.
fn readable() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

/// The system's reason without the temporary file's name.
fn plain(why: &std::io::Error) -> String {
    match std::error::Error::source(why) {
        Some(inner) => inner.to_string(),
        None => why.to_string(),
    }
}
