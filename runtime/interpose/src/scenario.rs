//! What `dpor/scenario.h` and `dpor/scenario.hpp` ask of the checker, and it of them.

use crate::annotations::explore;
use crate::engine;
use crate::engine::properties::look::Write;
use crate::progress;
use crate::pthread::failure::{bytes_of, fail_abort};
use core::ffi::{c_char, c_int, c_uint};
use dpor_report::FindingKind;

crate::hooks::clean_entry::clean_entries! { dpor_scenario_failed, dpor_scenario_doubted }

/// Reports that calls of a data structure have results that no sequential order has (`not-linearizable`), or, if `is_state`,
/// that it is left in a state that is wrong (`invariant`). The first line of `text` is the message. Native: abort.
///
/// # Safety
/// `text` is null or a NUL-terminated string.
pub unsafe extern "C" fn dpor_scenario_failed(is_state: c_int, text: *const c_char) {
    // SAFETY: see above.
    let text = String::from_utf8_lossy(unsafe { bytes_of(text) }).into_owned();
    let mut lines = text.lines().map(str::to_owned);
    let message = lines.next().unwrap_or_default();
    if explore() {
        let kind = match is_state {
            0 => FindingKind::NotLinearizable,
            _ => FindingKind::Invariant,
        };
        engine::fail_with(kind, &message, lines.collect());
    }
    fail_abort(&message)
}

/// Lets `judge` say of executions at whose end threads wait for ever whether they may: it writes nothing if so, otherwise
/// lines that tell more of the deadlock. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_when_stuck(judge: Option<Write>) {
    if let Some(judge) = judge {
        engine::stuck::ask(judge);
    }
}

/// Lets `tell` say how the program's calls stand, where something is found about them in a search over states. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_when_promised(tell: Option<Write>) {
    if let Some(tell) = tell {
        engine::stuck::ask_standing(tell);
    }
}

/// Says that a call of the calling thread's has ended, of those that threads make again and again. 1 if it made no event, and
/// neither did the thread before it since another of its calls ended; 0 otherwise, and native.
#[no_mangle]
pub extern "C" fn dpor_call_ended() -> c_int {
    progress::call_ended().into()
}

/// Lets `judge` say of executions that ended whether their results are explained whatever the order in time of the
/// calls ([`dpor_marks_before`]): it writes `+` or `-` and the number of the scenario. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_when_ended(judge: Option<Write>) {
    if let Some(judge) = judge {
        engine::call_order::ask(judge);
    }
}

/// Marks this place in what the thread does. 1 if the function given to [`dpor_when_ended`] will be told in which orders
/// marks may come; 0 otherwise, and native.
#[no_mangle]
pub extern "C" fn dpor_mark(number: c_int) -> c_int {
    engine::call_order::mark(number as u64).into()
}

/// The marks that come before a mark in all executions of the trace, a bit each. Only in the function given to
/// [`dpor_when_ended`] or [`dpor_when_stuck`].
#[no_mangle]
pub extern "C" fn dpor_marks_before(number: c_int) -> c_uint {
    engine::call_order::before(number as usize)
}

/// Whether this search is to run the scenario. Native: 1.
#[no_mangle]
pub extern "C" fn dpor_scenario_wanted(number: c_int) -> c_int {
    engine::call_order::is_wanted(number as u32).into()
}

/// Something is wrong with the scenario: the search begins anew with it, and its calls look at which others returned. Comes
/// back where it cannot. Native: nothing.
pub extern "C" fn dpor_scenario_doubted(number: c_int) {
    engine::call_order::doubt_at_once(number as u32);
}
