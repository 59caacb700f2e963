//! `./configure`, of the GNU kind or a script of the program's own: both heed `CC` and `CXX`.

use super::Build;
use crate::process;
use crate::stop::Outcome;

/// Runs the script.
pub fn prepare(build: &Build) -> Outcome {
    if !build.folder.join("configure").is_file() {
        process::run(build.command("autoreconf")?.arg("-fi"))?;
    }
    process::run(build.command("./configure")?.args(build.program.options))
}
