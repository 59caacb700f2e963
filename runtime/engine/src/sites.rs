//! From sites to places in the source: a site is a record of the pass's, or a return address ([`return_site`]).

use crate::code_places::{record, record_of};
use crate::{call_stacks, process};
use core::ffi::{c_char, CStr};
use dpor_abi::{return_site, site_flag, CallSite, Site};
use dpor_model::SiteId;
use dpor_report::{library, place_in_words, Place};

/// The place of a site (address of a [`Site`], a return address, or 0).
pub fn place(id: SiteId) -> Place {
    let Some(site) = record_of(id) else {
        return Place::default();
    };
    let mut place = bare(site);
    let mut outer = site.inlined_at;
    // SAFETY: a site's record names the next one of its kind, or none.
    while let Some(next) = unsafe { record(outer) } {
        place.inlined_into.push(bare(next));
        outer = next.inlined_at;
    }
    place.calls = call_stacks::calls(id).to_vec();
    place
}

/// `FILE:LINE` of a site as part of a sentence: where the user's own code is there, as far as that is known.
pub fn in_words(site: SiteId) -> String {
    let place = outside_of_system(site);
    place_in_words::mark(&format!("{}:{}", place.file, place.line), &place.calls)
}

/// `FILE:LINE in FUNCTION` of a site, as [`in_words`].
pub fn in_function(site: SiteId) -> String {
    let Place {
        file,
        line,
        function,
        calls,
        ..
    } = outside_of_system(site);
    place_in_words::mark(&format!("{file}:{line} in {function}"), &calls)
}

/// The place of the innermost function at a site that is not of the system: what a template or an inline function of
/// the library does is shown where the user calls it, as far as it was inlined there.
pub fn outside_of_system(site: SiteId) -> Place {
    let mut place = place(site);
    let outer = core::mem::take(&mut place.inlined_into);
    let calls = core::mem::take(&mut place.calls);
    let mut all = core::iter::once(place).chain(outer);
    let innermost = all.next().unwrap_or_default();
    let found = match is_of_library(&innermost.file) {
        true => all
            .find(|place| !is_of_library(&place.file))
            .unwrap_or(innermost),
        false => innermost,
    };
    Place { calls, ..found }
}

/// Whether a file is one that the compiler or the C library brought, or that the user says is a library's.
pub fn is_of_library(file: &str) -> bool {
    let folders = process::options().map_or(&[][..], |options| &options.library);
    library::is_library(file, folders)
}

/// The [`dpor_abi::site_flag`]s of a site (address of a [`Site`], or 0); a return address has none.
pub fn flags(site: SiteId) -> u32 {
    match return_site::address(site.0) {
        Some(_) => 0,
        // SAFETY: sites come from hooks only, which pass records that the pass emitted as constants; others are kept for
        // good.
        None => unsafe { record(site.0 as *const Site) }.map_or(0, |site| site.flags),
    }
}

/// The linker's name of the function that is called at a site, null of a virtual call; `None` if the site is of no call
/// of a function of C++'s library.
pub fn called(site: SiteId) -> Option<*const c_char> {
    // SAFETY: a site with this flag is the beginning of this record; see `record`.
    (flags(site) & site_flag::CALL != 0).then(|| unsafe { (*(site.0 as *const CallSite)).callee })
}

fn bare(site: &Site) -> Place {
    Place {
        file: text(site.file),
        line: site.line,
        column: site.column,
        function: text(site.function),
        ..Place::default()
    }
}

fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the pass emits NUL-terminated constants.
    unsafe { CStr::from_ptr(string) }
        .to_string_lossy()
        .into_owned()
}
