//! `dpor check`: compile if needed, look at the program, run it, report.

use super::each_test;
use crate::cluster::{self, Company};
use crate::exit::{self, Exit};
use crate::exploration::{complete, explore, prepare, Explored};
use crate::flags::{Check, Scope};
use crate::install::Installation;
use crate::launch;
use crate::publish::finish;

/// Runs the check; the exit code says the verdict.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn run(mut check: Check) -> Result<Exit, String> {
    if let Scope::Tests(pattern) = &check.scope {
        return each_test::run(&check, pattern);
    }
    if !check.mpi {
        return lead(check, None);
    }
    check.options = launch::with_room_of_ranks(&check.options);
    let mut company = cluster::join()?;
    if company.rank > 0 {
        let program = Installation::of_this_command()
            .and_then(|installation| prepare(&installation, &check.target));
        let program = program.and_then(|program| {
            program.ok_or_else(|| "[dpor internal bug] a program is no source".to_owned())
        });
        let program = program.as_ref().map(|(program, _)| program);
        let program = program.map_err(Clone::clone);
        cluster::help(program, &check.args, &check.options, &mut company);
        return Ok(exit::VERIFIED);
    }
    let exit = lead(check, Some(&mut company));
    company.finish();
    exit
}

/// Runs the check of this process, or of those that it leads.
fn lead(check: Check, company: Option<&mut Company>) -> Result<Exit, String> {
    let Some(Explored {
        mut report,
        files,
        build,
        _compiled,
    }) = explore(&check, company)?
    else {
        return Ok(exit::USAGE);
    };
    complete(&mut report, &check);
    let exit = exit::of(&report);
    finish(report, &check, files, Vec::new(), build)?;
    Ok(exit)
}
