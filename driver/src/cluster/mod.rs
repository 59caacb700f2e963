//! Checks of several MPI ranks: `mpirun -n N dpor check --mpi PROGRAM`.
//!
//! Every rank starts the program; rank 0 leads the search and reports, the others help until it says that it
//! is over. The programs' processes speak with each other in frames ([`dpor_abi::link`]), which drivers
//! carry without reading them; what drivers themselves have to say is a [`Word`].
//!
//! ```text
//!   program ── socket ──► link thread ──┐                  ┌──► MPI thread ══ MPI ══► other ranks
//!                                       ├─► main thread ───┤
//!   other ranks ══ MPI ══► MPI thread ──┘                  └──► socket ──► program
//! ```

mod company;
mod help;
pub mod local;
#[cfg(feature = "mpi")]
mod mpi;
pub mod place;
mod word;

pub use company::Company;
pub use help::help;
pub use word::{Errand, Parcel, Word};

/// Joins the ranks that `mpirun` started.
///
/// # Errors
/// One sentence.
pub fn join() -> Result<Company, String> {
    #[cfg(feature = "mpi")]
    let company = mpi::join();
    #[cfg(not(feature = "mpi"))]
    let company = Err(
        "--mpi: this dpor was built without MPI (cargo xtask build --mpi builds one with it)"
            .to_owned(),
    );
    company
}
