//! `dpor share DIR`, for `cargo xtask install`: manual pages and completions of the command line,
//! where shells and man look for them below PREFIX/share.

use crate::exit::{self, Exit};
use crate::flags::{Low, LowShare};
use clap::CommandFactory;
use clap_complete::{generate_to, Shell};
use std::path::Path;

/// Writes the files.
///
/// # Errors
/// One sentence.
pub fn run(low: &LowShare) -> Result<Exit, String> {
    let mut command = Low::command();
    for (shell, folder) in [
        (Shell::Bash, "bash-completion/completions"),
        (Shell::Zsh, "zsh/site-functions"),
        (Shell::Fish, "fish/vendor_completions.d"),
    ] {
        let folder = low.folder.join(folder);
        make(&folder)?;
        let written = generate_to(shell, &mut command, "dpor", &folder);
        written.map_err(|why| cannot(&folder, &why))?;
    }
    let completion = low.folder.join("bash-completion/completions");
    // The name under which bash-completion looks for it.
    let renamed = std::fs::rename(completion.join("dpor.bash"), completion.join("dpor"));
    renamed.map_err(|why| cannot(&completion, &why))?;
    let folder = low.folder.join("man/man1");
    make(&folder)?;
    clap_mangen::generate_to(command, &folder).map_err(|why| cannot(&folder, &why))?;
    Ok(exit::VERIFIED)
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|why| cannot(folder, &why))
}

fn cannot(path: &Path, why: &std::io::Error) -> String {
    format!("{} cannot be written: {why}", path.display())
}
