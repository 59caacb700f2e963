//! The calls that led to a place, as lists that open: the user's own functions, and those of libraries folded between
//! them.

use crate::report::calls::{self, Call};
use dpor_report::{text, Place};
use maud::{html, Markup};

/// The calls of a place, folded; nothing if there is none but the place itself.
pub fn folded(place: &Place) -> Markup {
    let frames: usize = calls::calls(place).iter().map(Call::count).sum();
    html! {
        @if frames > 0 {
            details.stack {
                summary { (text::counted(frames as u64, "call")) }
                (list(place))
            }
        }
    }
}

/// The calls of a place, the innermost first.
pub fn list(place: &Place) -> Markup {
    html! {
        ol.calls {
            @for call in &calls::calls(place) {
                @match call {
                    Call::Own(_) => { li { code { (call.line()) } } }
                    Call::Folded { words, frames } => {
                        li { details.folded {
                            summary { (words) }
                            ol.calls { @for frame in frames { li { code { (calls::line(frame)) } } } }
                        } }
                    }
                }
            }
        }
    }
}
