//! The folder of the cache.

use std::path::{Path, PathBuf};

/// Where verdicts are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The folder, which need not be there.
    pub folder: PathBuf,
}

/// The variable that names the folder where no option does; empty: none.
const VARIABLE: &str = "DPOR_CACHE";

impl Cache {
    /// What [`VARIABLE`] says.
    pub fn of_environment() -> Option<Cache> {
        let folder = std::env::var_os(VARIABLE).filter(|value| !value.is_empty())?;
        let folder = PathBuf::from(folder);
        Some(Cache { folder })
    }

    /// The folder that is used if none is named: `dpor` in the user's folder for what may be made anew.
    ///
    /// # Errors
    /// One sentence: the environment names no folder.
    pub fn of_user() -> Result<Cache, String> {
        let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = named("XDG_CACHE_HOME").map(PathBuf::from);
        let folder = folder.or_else(|| named("HOME").map(|home| Path::new(&home).join(".cache")));
        match folder {
            Some(folder) => Ok(Cache {
                folder: folder.join("dpor"),
            }),
            None => Err("--cache: name a folder, as HOME is not set".to_owned()),
        }
    }
}
