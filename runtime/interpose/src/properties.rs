//! `DPOR_INVARIANT`, `DPOR_PROPOSITION` and `dpor_invariant` of dpor.h: what the program states is put on the engine's
//! list. Native: nothing.

use crate::engine::properties::{self, Holds, Property, Purpose, PROPERTIES_MAX};
use crate::engine::{self, sites};
use crate::pthread::failure::bytes_of;
use core::ffi::{c_char, c_int};
use dpor_report::visible;

/// `struct dpor_property` of dpor.h.
#[repr(C)]
pub struct Stated {
    name: *const c_char,
    holds: Option<Holds>,
    file: *const c_char,
    line: c_int,
    /// 1: a proposition; 0: an invariant.
    is_proposition: c_int,
}

/// Puts a property that is stated at file scope on the list. Constructors call, before main.
///
/// # Safety
/// `stated` is null or such a structure, with names that end.
#[no_mangle]
pub unsafe extern "C" fn dpor_property_add(stated: *const Stated) {
    // SAFETY: by the caller's promise.
    let Some(stated) = (unsafe { stated.as_ref() }) else {
        return;
    };
    let Some(holds) = stated.holds else {
        return;
    };
    // SAFETY: the structure's names are null or end, by the caller's promise.
    let text = |name| visible::name(unsafe { bytes_of(name) });
    add(Property {
        purpose: match stated.is_proposition {
            0 => Purpose::Invariant,
            _ => Purpose::Proposition,
        },
        name: text(stated.name),
        holds,
        file: text(stated.file),
        line: stated.line as u32,
    });
}

fn add(property: Property) -> Option<usize> {
    let number = properties::add(property);
    if number.is_none() {
        engine::process::refuse(&format!(
            "more than {PROPERTIES_MAX} invariants and propositions"
        ));
    }
    number
}

/// From here on `holds` has to return non-zero after every event of the program.
///
/// # Safety
/// `holds` is null or the program's function.
#[no_mangle]
pub unsafe extern "C" fn dpor_invariant(holds: Option<Holds>) {
    begin(holds, || "given to dpor_invariant".to_owned());
}

/// The same, with a name.
///
/// # Safety
/// `holds` is null or the program's function, `name` null or a text that ends.
#[no_mangle]
pub unsafe extern "C" fn dpor_invariant_named(name: *const c_char, holds: Option<Holds>) {
    // SAFETY: by the caller's promise.
    begin(holds, || visible::name(unsafe { bytes_of(name) }));
}

fn begin(holds: Option<Holds>, name: impl FnOnce() -> String) {
    let Some(holds) = holds else {
        return;
    };
    if !engine::active() && !engine::before_root() {
        return;
    }
    let place = sites::place(engine::site());
    let number = add(Property {
        purpose: Purpose::InvariantFromCall,
        name: name(),
        holds,
        file: place.file,
        line: place.line,
    });
    if let Some(number) = number {
        properties::begin_invariant(number);
    }
}
