//! The filter of a process that is about to be executed.

use crate::silent::{CONTROLS, READING, SILENT, WAITING};
use std::mem::{offset_of, size_of, size_of_val, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr;

/// A program of the kernel's packet filter for system calls.
pub struct Filter(Vec<libc::sock_filter>);

/// `AUDIT_ARCH_X86_64` (linux/audit.h): calls of 32-bit code have other numbers.
pub const X86_64: u32 = 0xc000_003e;

const fn statement(code: u32, k: u32) -> libc::sock_filter {
    jump(code, k, 0, 0)
}

const fn jump(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    let code = code as u16;
    libc::sock_filter { code, jt, jf, k }
}

/// Loads a word of the call; compares what was loaded; returns.
const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
const IS: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const RETURN: u32 = libc::BPF_RET | libc::BPF_K;

const NUMBER: u32 = offset_of!(libc::seccomp_data, nr) as u32;

/// Offset of the lower half of an argument.
const fn argument(index: usize) -> u32 {
    (offset_of!(libc::seccomp_data, args) + 8 * index) as u32
}

impl Filter {
    /// What is [`SILENT`] passes, and what is [`READING`] of other descriptors than those that are `watched`, and [`CONTROLS`];
    /// anything else waits for the listener.
    pub fn new(watched: &[i32]) -> Filter {
        let architecture = offset_of!(libc::seccomp_data, arch) as u32;
        let told = statement(RETURN, libc::SECCOMP_RET_USER_NOTIF);
        let passes = statement(RETURN, libc::SECCOMP_RET_ALLOW);
        let mut program = vec![
            statement(LOAD, architecture),
            jump(IS, X86_64, 1, 0),
            told,
            statement(LOAD, NUMBER),
        ];
        let waiting = WAITING.iter().filter(|_| watched.is_empty());
        for &call in SILENT.iter().chain(waiting) {
            program.push(jump(IS, call as u32, 0, 1));
            program.push(passes);
        }
        let mut block = vec![statement(LOAD, argument(1))];
        for &request in CONTROLS {
            block.push(jump(IS, request, 0, 1));
            block.push(passes);
        }
        // That one is among READING.
        block.push(jump(IS, libc::FIONREAD as u32, 1, 0));
        block.push(told);
        block.push(statement(LOAD, NUMBER));
        program.push(jump(IS, libc::SYS_ioctl as u32, 0, block.len() as u8));
        program.extend(block);
        for reading in READING {
            let mut block = Vec::new();
            if !reading.only.is_empty() {
                block.push(statement(LOAD, argument(1)));
                let count = reading.only.len();
                for (k, &value) in reading.only.iter().enumerate() {
                    // Over the others, and over the return behind them.
                    block.push(jump(IS, value, (count - k) as u8, 0));
                }
                block.push(passes);
            }
            block.push(statement(LOAD, argument(reading.descriptor)));
            for &descriptor in watched {
                block.push(jump(IS, descriptor as u32, 0, 1));
                block.push(told);
            }
            block.push(passes);
            let length = block.len() as u32;
            program.push(jump(IS, reading.call as u32, 1, 0));
            program.push(statement(libc::BPF_JMP | libc::BPF_JA, length));
            program.extend(block);
        }
        program.push(told);
        Filter(program)
    }

    /// Filters the calling process from now on; returns the listener, or `None` if the system refuses.
    ///
    /// It makes system calls and allocates nothing, so that it may be called between fork and execve.
    pub fn install(&self) -> Option<OwnedFd> {
        let program = libc::sock_fprog {
            len: self.0.len() as u16,
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: prctl takes numbers; the program is there during the call, which only reads it.
        let listener = unsafe {
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
                return None;
            }
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const program,
            )
        };
        // SAFETY: a new descriptor, which nobody else knows.
        (listener >= 0).then(|| unsafe { OwnedFd::from_raw_fd(listener as i32) })
    }
}

/// Room for a message's one descriptor, aligned as its header has to be.
#[repr(C)]
union Control {
    header: libc::cmsghdr,
    bytes: [u8; 64],
}

/// Sends a descriptor through a socket, with one byte. Without allocating; a failure is seen at the other end.
pub fn send(socket: &UnixStream, descriptor: &OwnedFd) {
    let mut byte = 0u8;
    let mut data = of_byte(&mut byte);
    let mut control = Control { bytes: [0; 64] };
    // SAFETY: the message and what it points to are locals that outlive the call; the first header lies in `control`,
    // which has room for a descriptor.
    unsafe {
        let message = message(&mut data, &mut control);
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<i32>() as u32) as usize;
        ptr::write_unaligned(libc::CMSG_DATA(header).cast(), descriptor.as_raw_fd());
        libc::sendmsg(socket.as_raw_fd(), &raw const message, 0);
    }
}

/// Waits for a descriptor; `None` if the other end is closed without one.
pub fn receive(socket: &OwnedFd) -> Option<OwnedFd> {
    let mut byte = 0u8;
    let mut data = of_byte(&mut byte);
    let mut control = Control { bytes: [0; 64] };
    // SAFETY: as in `send`; the kernel writes a header and a descriptor that is ours, or nothing.
    unsafe {
        let mut message = message(&mut data, &mut control);
        let received = libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC);
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if received <= 0 || header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        let descriptor: i32 = ptr::read_unaligned(libc::CMSG_DATA(header).cast());
        Some(OwnedFd::from_raw_fd(descriptor))
    }
}

fn of_byte(byte: &mut u8) -> libc::iovec {
    libc::iovec {
        iov_base: ptr::from_mut(byte).cast(),
        iov_len: 1,
    }
}

/// # Safety
/// The message is not used after what it points to.
unsafe fn message(data: &mut libc::iovec, control: &mut Control) -> libc::msghdr {
    // SAFETY: all zeros is an empty message.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = data;
    message.msg_iovlen = 1;
    message.msg_controllen = size_of_val(control);
    message.msg_control = ptr::from_mut(control).cast();
    // SAFETY: CMSG_SPACE is arithmetic.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<i32>() as u32) } as usize;
    message
}

#[cfg(test)]
mod tests;
