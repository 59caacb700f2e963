//! Developer commands. `cargo xtask help` lists them; each is one file in `command/`.
#![forbid(unsafe_code)]

mod apt;
mod checked;
mod command;
mod counts;
mod llvm;
mod modules;
mod openmp;
mod package;
mod process;
mod section;
mod source;
mod stop;
mod table;
mod text;
mod tree;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Pass (for each LLVM found), runtime and driver → target/dpor/
    Build(command::build::Build),
    /// Builds, checks a small program that has a bug, and replays what was found
    Demo,
    /// Everything, or the tests whose names contain FILTER
    Test(command::test::Test),
    /// Compiles and checks one file
    Run(command::run::Run),
    /// Formatting, lints, documentation, tests
    Check,
    /// The largest circle of modules that name each other's items, in each crate
    Circles(command::circles::Circles),
    /// Rewrites golden reports
    Bless(command::check::Bless),
    /// bin/, lib/, include/ and share/ in a folder
    Install(command::install::Install),
    /// What is given to others: a Debian package, an archive, an image
    #[command(subcommand)]
    Package(command::package::Package),
    /// The same as `package deb`
    Deb(command::package::Deb),
    /// docs/supported.md from the runtime's tables
    Docs,
    /// Executions per second; snapshot against restart
    Bench(command::bench::Bench),
    /// Ways of taking a state back, on programs from tiny to large → docs/checkpoints.md
    Checkpoints(command::checkpoints::Checkpoints),
    /// Instructions of the explorer's own searches, held against pinned numbers
    Instructions(command::instructions::Instructions),
    /// What Miri says of how references are shared
    Miri,
    /// What checks say of their own length, held against how long they are → docs/estimates.md
    Estimates(command::estimates::Estimates),
    /// The programs of examples/cxx, and ThreadSanitizer beside it → docs/eleven.md, README.md
    Examples(command::examples::Examples),
    /// The programs of testsuite/openmp, at 2 and 3 threads → docs/openmp-results.md
    #[command(name = "openmp")]
    OpenMp(command::openmp::OpenMp),
    /// The test programs with dpor-gcc → docs/gcc-differences.md
    Gcc(command::gcc::Gcc),
    /// Executions until a bug is found, by search → docs/samples.md
    Samples(command::samples::Samples),
    /// How long a check takes where there is a bug → docs/samples.md
    FirstBug(command::first_bug::FirstBug),
    /// The search against brute force on many programs of each kind → docs/oracle.md
    Oracle(command::oracle::Oracle),
    /// The tables of the papers this grew from, then and now → docs/seeds.md
    Seeds(command::seeds::Seeds),
    /// Programs of Debian's source packages → docs/peers.md
    Peers(command::peers::Peers),
    /// Programs of Debian's source packages, each as it is and with a bug → docs/real.md
    Real(command::real::Real),
    /// Data structures of Debian's libraries by `dpor scenario`, each as it is and with a bug → docs/structures.md
    Structures(command::structures::Structures),
    /// Libraries that lock by themselves, built with dpor-cc, and programs that use them → docs/recipes.md
    Recipes(command::recipes::Recipes),
    /// Accesses proved private, with and without link-time optimization → docs/private.md
    Private(command::private::Private),
    /// What being instrumented costs, in running and in compiling → docs/slowdown.md
    Slowdown(command::slowdown::Slowdown),
    /// Many workers in simulated time → docs/scaling.md
    Simulate(command::simulate::Simulate),
    /// Oracle and programs again and again → docs/soak.md
    Soak(command::soak::Soak),
    /// Checks that remember states, on programs that go on for ever → docs/states.md
    States(command::states::Measured),
    /// SPIN beside checks that remember states → docs/spin.md
    Spin(command::spin::Spin),
    /// Ranks of MPI: what only they show → docs/cluster.md
    Cluster(command::cluster::Cluster),
    /// One long search that takes no more at its end than at its beginning → docs/endurance.md
    Endure(command::endure::Endure),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Build(build) => build.run(),
        Command::Demo => command::demo::run(),
        Command::Test(test) => test.run(),
        Command::Run(run) => run.run(),
        Command::Check => command::check::check(),
        Command::Circles(circles) => circles.run(),
        Command::Bless(bless) => bless.run(),
        Command::Install(install) => install.run(),
        Command::Package(package) => package.run(),
        Command::Deb(deb) => deb.run(),
        Command::Docs => command::docs::run(),
        Command::Bench(bench) => bench.run(),
        Command::Checkpoints(checkpoints) => checkpoints.run(),
        Command::Instructions(instructions) => instructions.run(),
        Command::Miri => command::miri::run(),
        Command::Oracle(oracle) => oracle.run(),
        Command::Estimates(estimates) => estimates.run(),
        Command::Examples(examples) => examples.run(),
        Command::OpenMp(openmp) => openmp.run(),
        Command::Gcc(gcc) => gcc.run(),
        Command::Samples(samples) => samples.run(),
        Command::FirstBug(first) => first.run(),
        Command::Peers(peers) => peers.run(),
        Command::Real(real) => real.run(),
        Command::Structures(structures) => structures.run(),
        Command::Recipes(recipes) => recipes.run(),
        Command::Private(private) => private.run(),
        Command::Slowdown(slowdown) => slowdown.run(),
        Command::Seeds(seeds) => seeds.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Soak(soak) => soak.run(),
        Command::States(states) => states.run(),
        Command::Spin(spin) => spin.run(),
        Command::Cluster(cluster) => cluster.run(),
        Command::Endure(endure) => endure.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("xtask: {stop}");
            ExitCode::from(stop.code)
        }
    }
}
