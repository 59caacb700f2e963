//! The processor's time stamp counter, which the program reads by an instruction.

use crate::signals::context::registers;
use core::ffi::c_void;

/// Under `PR_SET_TSC` the time stamp counter faults, a general protection fault, which has no address: give it the
/// thread's virtual time.
pub(crate) fn emulate_rdtsc(context: *mut c_void) -> bool {
    let gregs = registers(context);
    let instruction = gregs[libc::REG_RIP as usize] as *const u8;
    if instruction.is_null() {
        return false;
    }
    // SAFETY: a fault without an address is not one of reading the instruction, unless that is at 0: it is
    // readable. It has at least two bytes, and a third is read only for the two-byte opcode that has one.
    let length = unsafe {
        match (*instruction, *instruction.add(1)) {
            (0x0f, 0x31) => 2,
            (0x0f, 0x01) if *instruction.add(2) == 0xf9 => 3,
            _ => return false,
        }
    };
    let now = crate::given::system().now() as u64;
    gregs[libc::REG_RAX as usize] = (now & 0xffff_ffff) as i64;
    gregs[libc::REG_RDX as usize] = (now >> 32) as i64;
    if length == 3 {
        gregs[libc::REG_RCX as usize] = 0;
    }
    gregs[libc::REG_RIP as usize] += length;
    true
}
