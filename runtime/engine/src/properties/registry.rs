//! The properties that the program states, by their numbers.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use dpor_machine::state::Kept;

pub use crate::knowledge::watched::PROPERTIES_MAX;

/// The program's function: not 0 if the property holds.
pub type Holds = unsafe extern "C" fn() -> c_int;

/// What a property is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It has to hold after every event.
    Invariant,
    /// It has to hold after every event from where a thread says so.
    InvariantFromCall,
    /// A formula may speak of it.
    Proposition,
}

impl Purpose {
    /// What a property of this purpose is called.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Invariant | Purpose::InvariantFromCall => "invariant",
            Purpose::Proposition => "proposition",
        }
    }
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// What it is for.
    pub purpose: Purpose,
    /// Its name; of [`Purpose::InvariantFromCall`], that of the function.
    pub name: String,
    /// Its function.
    pub holds: Holds,
    /// The file in which it is stated; empty if that is not known.
    pub file: String,
    /// The line.
    pub line: u32,
}

static ALL: Kept<AtomicPtr<Vec<Property>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));
static ANY: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// All properties; the number of each is its index.
pub fn all() -> &'static [Property] {
    // SAFETY: null, or a list that is never freed and only grows by being replaced.
    unsafe { ALL.load(Ordering::Relaxed).as_ref() }.map_or(&[], Vec::as_slice)
}

/// Whether there is any.
#[inline(always)]
pub fn is_any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Adds a property, and returns its number; one with the same function and purpose is the same. `None`: there are too
/// many.
pub fn add(property: Property) -> Option<usize> {
    let is_same = |known: &Property| {
        ptr::fn_addr_eq(known.holds, property.holds) && known.purpose == property.purpose
    };
    if let Some(number) = all().iter().position(is_same) {
        return Some(number);
    }
    if all().len() == PROPERTIES_MAX {
        return None;
    }
    let mut list = all().to_vec();
    list.push(property);
    let number = list.len() - 1;
    ALL.store(Box::into_raw(Box::new(list)), Ordering::Relaxed);
    ANY.store(true, Ordering::Relaxed);
    Some(number)
}
