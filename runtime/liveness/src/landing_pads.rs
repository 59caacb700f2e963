//! Where calls of a function go on if an exception passes through them: the table of call sites in the language-specific
//! data (Itanium C++ ABI, exception handling, section 7; the table's encoding as in LSB Core, 10.5).

use gimli::{constants, DwEhPe, EndianSlice, LittleEndian, Reader};

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// A part of a function, and its landing pad; both are addresses.
struct Site {
    start: u64,
    end: u64,
    pad: u64,
}

/// The call sites of a function that have landing pads.
pub(crate) struct LandingPads(Vec<Site>);

impl LandingPads {
    /// Of a function that catches nothing and cleans nothing up.
    pub(crate) fn none() -> LandingPads {
        LandingPads(Vec::new())
    }

    /// Reads the table of the function that begins at `function`. `None`: it is not understood.
    pub(crate) fn read(table: &[u8], function: u64) -> Option<LandingPads> {
        let mut reader = Bytes::new(table, LittleEndian);
        let encoding = DwEhPe(reader.read_u8().ok()?);
        // Landing pads of all that compilers write are told from the function's start.
        if encoding != constants::DW_EH_PE_omit {
            return None;
        }
        if DwEhPe(reader.read_u8().ok()?) != constants::DW_EH_PE_omit {
            reader.read_uleb128().ok()?;
        }
        let encoding = DwEhPe(reader.read_u8().ok()?);
        let length = reader.read_uleb128().ok()?;
        let mut sites = reader.split(length.try_into().ok()?).ok()?;
        let mut found = Vec::new();
        while !sites.is_empty() {
            let start = function.wrapping_add(value(&mut sites, encoding)?);
            let bytes = value(&mut sites, encoding)?;
            let pad = value(&mut sites, encoding)?;
            sites.read_uleb128().ok()?;
            if pad != 0 {
                found.push(Site {
                    start,
                    end: start.wrapping_add(bytes),
                    pad: function.wrapping_add(pad),
                });
            }
        }
        Some(LandingPads(found))
    }

    /// The landing pad of the instruction at an address.
    pub(crate) fn of(&self, instruction: u64) -> Option<u64> {
        let site = { self.0.iter() }.find(|site| (site.start..site.end).contains(&instruction))?;
        Some(site.pad)
    }
}

fn value(reader: &mut Bytes<'_>, encoding: DwEhPe) -> Option<u64> {
    match encoding {
        constants::DW_EH_PE_uleb128 => reader.read_uleb128().ok(),
        constants::DW_EH_PE_udata4 => reader.read_u32().ok().map(u64::from),
        _ => None,
    }
}
