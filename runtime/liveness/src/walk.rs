//! The walk along the frames of a thread that stands in a call.

use crate::part::{Frame, Part};
use core::ops::Range;
use dpor_machine::call_frames::KEPT_COUNT;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Frames that are walked along at most.
const FRAMES_MAX: usize = 256;

/// What a function that was called finds in registers.
#[repr(C)]
pub struct Caller {
    /// rbx, rbp, r12, r13, r14, r15.
    pub registers: [u64; KEPT_COUNT],
    /// The stack pointer as it is when the call has returned: the word below holds the return address.
    pub stack_pointer: u64,
}

/// A hash of an address: nobody chooses them so that they collide, and each event asks for some.
#[derive(Default)]
struct ByAddress(u64);

impl Hasher for ByAddress {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    #[inline]
    fn write_usize(&mut self, address: usize) {
        // The golden ratio; what it makes of low bits is in the high ones.
        let mixed = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed.rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The objects of a process, and what is known of frames by their return addresses.
pub struct Frames {
    parts: Vec<Part>,
    known: HashMap<usize, Option<Frame>, BuildHasherDefault<ByAddress>>,
}

impl Frames {
    /// Nothing is known of the code of an object that is not among them.
    pub fn new(parts: Vec<Part>) -> Frames {
        Frames {
            parts,
            known: HashMap::default(),
        }
    }

    /// Writes `value` into the dead registers of the functions that wait for a call to return: of the one that called, in
    /// `caller`, and of those before it where a frame keeps them. Ends at the first frame of which nothing is known.
    /// Returns how many registers were dead.
    ///
    /// # Safety
    /// `caller` is what the running thread's call found, and `stack` the range of its stack. Code in the objects that are
    /// known has call frame information that is right.
    pub unsafe fn overwrite_dead(
        &mut self,
        caller: &mut Caller,
        stack: &Range<usize>,
        value: u64,
    ) -> usize {
        let mut places: [*mut u64; KEPT_COUNT] =
            caller.registers.each_mut().map(|place| &raw mut *place);
        let mut pointer = caller.stack_pointer as usize;
        let mut written = 0;
        for _ in 0..FRAMES_MAX {
            if !(stack.start + 8..=stack.end).contains(&pointer) {
                break;
            }
            // SAFETY: the word lies in the stack; by the caller's promise it is the return address.
            let returns_to = unsafe { *((pointer - 8) as *const usize) };
            let Some(frame) = self.at(returns_to) else {
                break;
            };
            let rule = frame.rule;
            let base = match rule.base {
                None => pointer,
                // SAFETY: the place is in `caller`, or in a frame that was found, and holds what the function had in the
                // register.
                Some(register) => unsafe { *places[register] as usize },
            };
            let end = base.wrapping_add_signed(rule.offset as isize);
            if end % 8 != 0 || !(pointer + 8..=stack.end).contains(&end) {
                break;
            }
            for (register, saved) in rule.kept.iter().enumerate() {
                let Some(offset) = *saved else {
                    continue;
                };
                let place = end.wrapping_add_signed(offset as isize);
                if place % 8 != 0 || !(pointer..end).contains(&place) {
                    return written;
                }
                if frame.dead & 1 << register != 0 {
                    // SAFETY: as above; nobody reads what the place holds, since the function writes the register first.
                    unsafe { *places[register] = value };
                    written += 1;
                }
                places[register] = place as *mut u64;
            }
            pointer = end;
        }
        written
    }

    fn at(&mut self, returns_to: usize) -> Option<Frame> {
        let (parts, address) = (&self.parts, returns_to as u64);
        *self.known.entry(returns_to).or_insert_with(|| {
            { parts.iter() }
                .find(|part| part.contains(address))
                .and_then(|part| part.frame(address))
        })
    }
}
