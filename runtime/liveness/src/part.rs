//! A loaded object, with what is known of the frames of its functions.

use crate::flow::Flow;
use crate::landing_pads::LandingPads;
use crate::{Registers, ALL};
use dpor_machine::call_frames::{Data, Function, Object, Rule};

/// Where a function's return address is, in bytes from its caller's frame: in the frame's last word.
const RETURN_ADDRESS: i64 = -8;

/// A function's frame, at an address to which a call in it returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub rule: Rule,
    /// The registers that the function has saved, and of which it does not read what they hold.
    pub dead: Registers,
}

/// A loaded object with call frame information.
pub struct Part {
    object: Object,
    /// Whether registers of the object's own functions may be taken for dead. In code of others only what its frames keep
    /// for their callers is of interest.
    is_judged: bool,
}

impl Part {
    /// Makes a part of an object. `is_judged`: its functions follow the platform's ABI, so that what their code says of
    /// registers is all there is to know.
    pub fn new(object: Object, is_judged: bool) -> Part {
        Part { object, is_judged }
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        self.object.contains(address)
    }

    /// What is known of a frame, by the address to which a call in its function returns; `None` if nothing is.
    pub(crate) fn frame(&self, returns_to: u64) -> Option<Frame> {
        let function = self.object.function(returns_to.checked_sub(1)?)?;
        let rule = function.rule;
        if rule.return_address != RETURN_ADDRESS {
            return None;
        }
        let mut dead = 0;
        if self.is_judged {
            let saved = rule
                .kept
                .iter()
                .enumerate()
                .filter(|(_, saved)| saved.is_some());
            let saved = saved.fold(0, |all, (register, _)| all | 1 << register);
            // Who unwinds reads what the frame is found by.
            let base = rule.base.map_or(0, |register| 1 << register);
            dead = saved & !base & !self.live(&function, returns_to);
        }
        Some(Frame { rule, dead })
    }

    /// The registers that are live where a call in the function returns.
    fn live(&self, function: &Function, returns_to: u64) -> Registers {
        let start = function.start;
        let code = self.object.bytes_from(start);
        let code = code.and_then(|bytes| bytes.get(..function.bytes as usize));
        let pads = match function.data {
            Data::None => Some(LandingPads::none()),
            Data::At(address) => { self.object.bytes_from(address) }
                .and_then(|table| LandingPads::read(table, start)),
            Data::Unknown => None,
        };
        let (Some(code), Some(pads)) = (code, &pads) else {
            return ALL;
        };
        Flow { code, start, pads }.live_at(returns_to)
    }
}
