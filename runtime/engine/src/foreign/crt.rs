//! The functions that the compiler's start-up files put into every library: they count and call, and write a
//! byte of the library's own when it is unloaded. No thread enters them.

use crate::foreign::objects::{Object, Range};
use iced_x86::{Decoder, DecoderOptions, FlowControl};

/// `<elf.h>`.
const DT_INIT_ARRAY: usize = 25;
const DT_FINI_ARRAY: usize = 26;

/// Number of bytes, more than the code of all four functions has.
const BYTES_MAX: usize = 0x200;

/// Returns where the functions of the start-up files lie; empty if the object does not begin as
/// such libraries do.
pub fn range(object: &Object) -> Range {
    let first = |tag: usize| {
        let words = (object.dynamic.start..object.dynamic.end).step_by(16);
        // SAFETY: the dynamic section, which is mapped, in pairs of words.
        let pair = |at: usize| unsafe { *(at as *const [usize; 2]) };
        let [_, array] = words.map(pair).find(|pair| pair[0] == tag)?;
        let array = match object.base > array {
            true => object.base + array,
            false => array,
        };
        object.fixed_word(array)
    };
    let (Some(last), Some(third)) = (first(DT_INIT_ARRAY), first(DT_FINI_ARRAY)) else {
        return 0..0;
    };
    // `frame_dummy` and `__do_global_dtors_aux`; the latter calls the first of the four.
    if !(third..third + BYTES_MAX).contains(&last) || !object.has_code(third) {
        return 0..0;
    }
    // SAFETY: code of the object up to the last of the functions.
    let bytes = unsafe { core::slice::from_raw_parts(third as *const u8, last - third) };
    let calls = Decoder::with_ip(64, bytes, third as u64, DecoderOptions::NONE)
        .into_iter()
        .filter(|instruction| instruction.flow_control() == FlowControl::Call)
        .map(|instruction| instruction.near_branch_target() as usize);
    let mut near = calls.filter(|target| (third - BYTES_MAX..third).contains(target));
    match near.next() {
        Some(begin) => begin..last + 16,
        None => 0..0,
    }
}
