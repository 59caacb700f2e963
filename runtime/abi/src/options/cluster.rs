//! A process of several that search together (`cluster`).

use super::value::not;
use core::fmt;

/// A process of several that search together, each started by the driver of an MPI rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// Its number.
    pub rank: u32,
    /// How many there are.
    pub size: u32,
    /// Descriptor of a socket to its driver ([`crate::link`]).
    pub link: i32,
    /// Descriptor of an eventfd, which wakes its coordinator.
    pub alarm: i32,
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cluster {
            rank,
            size,
            link,
            alarm,
        } = self;
        write!(f, "{rank}.{size}.{link}.{alarm}")
    }
}

impl core::str::FromStr for Cluster {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || not("RANK.SIZE.LINK.ALARM", text);
        let mut words = text.split('.').map(|word| word.parse::<i32>().ok());
        let mut next = || words.next().flatten().filter(|&n| n >= 0).ok_or_else(wrong);
        Ok(Cluster {
            rank: next()?.cast_unsigned(),
            size: next()?.cast_unsigned(),
            link: next()?,
            alarm: next()?,
        })
    }
}
