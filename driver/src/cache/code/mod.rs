//! A digest of the code and data that a program can reach.
//!
//! The pass leaves in each module a record of what its functions and variables are made of and refer to
//! ([`dpor_abi::reach`]). Here they become one graph, and what can be reached in it from `main`, from constructors and from
//! what other libraries may call is the program, as far as it can have an effect.
//!
//! | file | what |
//! |---|---|
//! | `graph` | the graph of the records, the digest of what is reached |
//! | `image` | the executable: what it exports and imports, whether all of its code is in the records |
//! | `names` | names that no record has and that mean no harm |
//!
//! Wherever something is not as expected the answer is a digest of the whole file, which is always right: it changes more
//! often.
//!
//! What is in other files is not part of it: shared libraries, and whatever the program reads. Nor is where code and data
//! are: a program whose behaviour depends on the numbers of its addresses may change its behaviour with code that it does
//! not reach.

mod graph;
mod image;
mod names;

use std::path::Path;

/// What a program is, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Equal digests: the same program.
    pub digest: [u8; 16],
    /// What the digest is of.
    pub how: How,
}

/// What a digest is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// The functions and variables that can be reached.
    Reached {
        /// How many these are.
        nodes: usize,
        /// How many the program has.
        of: usize,
    },
    /// All bytes of the file.
    WholeFile {
        /// Why, in half a sentence: "it …".
        why: String,
    },
}

/// The digest of a program's code and data.
///
/// # Errors
/// One sentence: the file cannot be read.
pub fn digest(program: &Path) -> Result<Reached, String> {
    let bytes = std::fs::read(program)
        .map_err(|why| format!("{} cannot be read: {why}", program.display()))?;
    Ok(of_bytes(&bytes))
}

/// The digest of a program with these bytes.
pub fn of_bytes(bytes: &[u8]) -> Reached {
    reached(bytes).unwrap_or_else(|why| {
        let mut context = md5::Context::new();
        context.consume(b"whole file");
        context.consume(bytes);
        Reached {
            digest: context.finalize().0,
            how: How::WholeFile { why },
        }
    })
}

fn reached(bytes: &[u8]) -> Result<Reached, String> {
    let image = image::Image::read(bytes)?;
    let graph = graph::Graph::new(&image.parts);
    image.check_code(&graph)?;
    let roots = image.roots(&graph)?;
    let outside = |key| image.outside(key);
    let found = graph.reach(&roots, &outside, &image.loaded)?;
    image.check_names(&found.names)?;
    Ok(Reached {
        digest: found.digest,
        how: How::Reached {
            nodes: found.nodes,
            of: graph.defined(),
        },
    })
}
