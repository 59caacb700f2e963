//! The programs, in the order of the page.

mod apr;
pub mod ck;
mod glib;
mod lbzip2;
pub mod liburcu;
mod memcached;
mod pbzip2;
mod pigz;
mod pixz;
mod plzip;
mod readerwriterqueue;
mod sqlite;
mod xz;
mod zstd;

use super::program::{Input, Program};

/// Several blocks of 100,000 bytes, the least that bzip2 knows.
const BLOCKS: Input = Input::Text {
    name: "blocks.txt",
    bytes: 400_000,
};
/// More than the 512 KiB below which zstd compresses in one thread.
const LARGE: Input = Input::Text {
    name: "large.txt",
    bytes: 1_200_000,
};
/// Several blocks of a few thousand.
const SHORT: Input = Input::Text {
    name: "short.txt",
    bytes: 30_000,
};

/// For what lies deep: the exhaustive search begins with what comes last in an execution.
const DRAWN: &[&str] = &["--search=surw", "--samples=20000"];

pub const ALL: [Program; 14] = [
    pigz::PROGRAM,
    pbzip2::PROGRAM,
    lbzip2::PROGRAM,
    plzip::PROGRAM,
    pixz::PROGRAM,
    xz::PROGRAM,
    zstd::PROGRAM,
    glib::PROGRAM,
    liburcu::PROGRAM,
    ck::PROGRAM,
    readerwriterqueue::PROGRAM,
    sqlite::PROGRAM,
    memcached::PROGRAM,
    apr::PROGRAM,
];
