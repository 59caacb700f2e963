//! Starts the program's process: its environment, its streams and what it inherits.

use super::addresses;
use crate::cluster::place::Place;
use crate::program::Program;
use dpor_abi::options::Options;
use dpor_asked::Listener;
use rustix::io::FdFlags;
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};

/// What the driver does with the program's standard output.
#[derive(Clone, Copy, Debug)]
pub enum Stdout<'a> {
    /// Where ours goes.
    Inherit,
    /// Where our standard error goes: standard output carries the JSON report.
    ToStderr,
    /// Nowhere, and standard error neither: the program said the same before.
    Nowhere,
    /// Into this file, and standard error too.
    To(&'a File),
}

/// A process that was started.
pub(super) struct Started {
    pub child: Child,
    /// The end of the pipe that its messages come from.
    pub pipe: OwnedFd,
    /// What hears of what it asks the system for, if that is asked for.
    pub listener: Option<Listener>,
}

pub(super) fn spawn(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    memory: &File,
    place: Option<&Place<'_>>,
) -> std::io::Result<Started> {
    let (reading, writing) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&writing, FdFlags::empty())?;
    let options = Options {
        channel: writing.as_raw_fd(),
        journal: memory.as_raw_fd(),
        driver: dpor_abi::version(),
        cluster: place.map(Place::cluster),
        ..options.clone()
    };
    let mut command = match program.runner.split_first() {
        None => Command::new(&program.path),
        Some((runner, arguments)) => {
            let mut command = Command::new(runner);
            command.args(arguments).arg(&program.path);
            command
        }
    };
    let mut text = options.to_string();
    if let Some(place) = place {
        // What rank 0 has on its standard input the others do not have.
        command.env_clear().stdin(Stdio::null());
        command.envs(place.company.environment.iter().map(|(k, v)| (k, v)));
        pad(&mut text, place.company.environment.iter().cloned());
    } else if options.is_kept() {
        pad(&mut text, std::env::vars_os());
    }
    command.args(args);
    surroundings(&mut command, program, &text);
    match stdout {
        Stdout::Inherit => {}
        Stdout::ToStderr => drop(command.stdout(Stdio::from(std::io::stderr()))),
        Stdout::Nowhere => drop(command.stdout(Stdio::null()).stderr(Stdio::null())),
        Stdout::To(file) => drop(command.stdout(file.try_clone()?).stderr(file.try_clone()?)),
    }
    // A runner, or who starts the ranks of a cluster, is another program.
    let is_direct = program.runner.is_empty() && place.is_none();
    let _fixed = is_direct.then(|| addresses::fix(&mut command));
    // Our copy of the writing end is closed at the end of this function: the pipe then ends with
    // the program.
    let listener = program.record.clone().map(|record| {
        let watched = record.watched.clone();
        dpor_asked::listen(&mut command, &watched, move |look| record.hear(look))
    });
    let listener = listener.transpose()?;
    Ok(Started {
        child: command.spawn()?,
        pipe: reading,
        listener,
    })
}

/// What a program, or who starts it, has in its environment: the options, and where the runtime is.
pub fn surroundings(command: &mut Command, program: &Program, options: &str) {
    command.env("DPOR_OPTIONS", options);
    program.name_libraries(command);
}

/// Bytes of the environment are made a multiple of this, so that it hardly matters for where the
/// program's stack lies.
const ENVIRONMENT: usize = 1 << 14;

/// Bytes of the options are made a multiple of this, too: they are never that long, and those that save a search and
/// those that take it up differ.
const OPTIONS: usize = 1 << 13;

/// Appends what says nothing (empty options) until the environment is that long.
fn pad(options: &mut String, variables: impl Iterator<Item = (OsString, OsString)>) {
    let variables = variables.filter(|(name, _)| name != "DPOR_OPTIONS");
    // Name, `=`, value, NUL and a pointer.
    let others: usize = variables.map(|(k, v)| k.len() + v.len() + 10).sum();
    let lacks = options.len().next_multiple_of(OPTIONS) - options.len()
        + others.next_multiple_of(ENVIRONMENT)
        - others;
    options.extend(std::iter::repeat_n(':', lacks));
}
