//! Tells builds of a program apart.

use object::{Object, ObjectSection, SectionFlags};
use std::path::Path;

/// Flag of an ELF section that is loaded (`SHF_ALLOC`).
const ALLOC: u64 = 2;

/// A checksum of what of a program is loaded, which says nothing about when or in which folder it was
/// built: notes (the linker's build ID, which depends on debug information) are left out. Empty if the
/// file cannot be read.
pub fn build_of(program: &Path) -> String {
    let data = std::fs::read(program).unwrap_or_default();
    let Ok(file) = object::File::parse(&*data) else {
        return String::new();
    };
    let mut sum = crc32fast::Hasher::new();
    for section in file.sections() {
        let is_loaded =
            matches!(section.flags(), SectionFlags::Elf { sh_flags } if sh_flags & ALLOC != 0);
        let is_note = section.name().is_ok_and(|name| name.starts_with(".note"));
        if is_loaded && !is_note {
            sum.update(section.name_bytes().unwrap_or_default());
            sum.update(&section.size().to_le_bytes());
            sum.update(section.data().unwrap_or_default());
        }
    }
    format!("crc32:{:08x}", sum.finalize())
}
