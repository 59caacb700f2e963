//! Places that are return addresses: of code that another compiler than clang instrumented, which has no records of
//! [`crate::Site`]s.
//!
//! Such a place is the return address of a call of a hook, with a bit that no address of a program has. The runtime makes
//! a record of it when somebody wants to read it, from the debug information of the file that the code is in.

/// The bit that says that the rest is a return address (chosen: addresses of programs have 47 bits).
pub const BIT: u32 = 62;

/// The place that a return address stands for.
pub const fn of(address: u64) -> u64 {
    address | 1 << BIT
}

/// The return address that a place stands for; `None`: it is the address of a record, or unknown.
pub const fn address(site: u64) -> Option<u64> {
    match site >> BIT & 1 {
        1 => Some(site & !(1 << BIT)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back() {
        assert_eq!(address(of(0x5555_5555_5139)), Some(0x5555_5555_5139));
        assert_eq!(address(0x5555_5555_8040), None);
        assert_eq!(address(0), None);
    }
}
