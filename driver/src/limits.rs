//! Limits of the system under which no program can be checked, asked for before one is started.
//!
//! The runtime reserves address space (heaps at fixed addresses, one for each thread; its own memory): it
//! costs no memory, but the limit on a process's address space counts it. What such a limit leaves the
//! program is not what it has without the checker: an allocation fails that would not, and what the program
//! makes of that would be called its bug.

use dpor_report::text::grouped;
use rustix::process::{getrlimit, Resource};

/// Bytes of address space that a process of a check needs: 4.5 TiB were measured with one worker, the
/// program's own not counted.
const ADDRESS_SPACE: u64 = 5 << 40;

/// Bytes of private memory that may be written (`RLIMIT_DATA` counts what is mapped, not what is used): half a
/// GiB were measured, the program's own not counted.
const DATA: u64 = 768 << 20;

/// Bytes of the largest file: what the runtime leaves word in is one ([`dpor_abi::journal`]).
const FILE: u64 = dpor_abi::journal::BYTES as u64;

/// A limit, the option of `ulimit` that sets it, and what a check needs.
const NEEDS: [(Resource, &str, &str, u64); 3] = [
    (
        Resource::As,
        "the address space of a process",
        "-v",
        ADDRESS_SPACE,
    ),
    (Resource::Data, "the data of a process", "-d", DATA),
    (Resource::Fsize, "the size of a file", "-f", FILE),
];

/// Refuses a check that could only fail.
///
/// # Errors
/// One sentence that names the limit.
pub fn refuse() -> Result<(), String> {
    for (resource, what, option, needed) in NEEDS {
        if let Some(limit) = getrlimit(resource).current.filter(|&limit| limit < needed) {
            return Err(too_small(what, option, limit, needed));
        }
    }
    Ok(())
}

fn too_small(what: &str, option: &str, limit: u64, needed: u64) -> String {
    format!(
        "{what} is limited to {} bytes here (ulimit {option}), and a check reserves {}, of which it uses little: \
         run it after `ulimit {option} unlimited`",
        grouped(limit),
        grouped(needed)
    )
}

/// A sentence of the runtime's about a failure, with the limits that may be why.
pub fn explain(why: String) -> String {
    let limits: Vec<String> = NEEDS
        .iter()
        .filter_map(|&(resource, what, option, _)| {
            let limit = getrlimit(resource).current?;
            let limit = grouped(limit);
            Some(format!(
                "{what} is limited to {limit} bytes here (ulimit {option})"
            ))
        })
        .collect();
    match limits.is_empty() {
        true => why,
        false => format!("{why}; {}", limits.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_named() {
        let text = too_small("the data of a process", "-d", 1_024_000, DATA);
        assert!(text.contains("1,024,000 bytes here (ulimit -d)"), "{text}");
        assert!(text.contains("reserves 805,306,368,"), "{text}");
    }
}
