//! The structures that the kernel and a listener exchange, which may be longer in a kernel than they are known here.

use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, OwnedFd};

/// Room for a call that waits and for its answer, as long as this kernel has them (`seccomp_unotify(2)`).
#[derive(Debug)]
pub struct Notification {
    call: Vec<u64>,
    answer: Vec<u64>,
}

/// Zeros, of at least that many bytes.
fn room(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(size_of::<u64>())]
}

impl Notification {
    /// Asks the kernel for the sizes; `None` if it has no listeners.
    pub fn new() -> Option<Notification> {
        // SAFETY: all zeros is a value of the structure, which the kernel writes.
        let sizes = unsafe {
            let mut sizes: libc::seccomp_notif_sizes = zeroed();
            let operation = libc::SECCOMP_GET_NOTIF_SIZES;
            match libc::syscall(libc::SYS_seccomp, operation, 0, &raw mut sizes) {
                0 => sizes,
                _ => return None,
            }
        };
        Some(Notification::of(
            sizes.seccomp_notif.into(),
            sizes.seccomp_notif_resp.into(),
        ))
    }

    /// For structures of so many bytes, of which an older kernel may have fewer than are known here.
    fn of(call: usize, answer: usize) -> Notification {
        Notification {
            call: room(call.max(size_of::<libc::seccomp_notif>())),
            answer: room(answer.max(size_of::<libc::seccomp_notif_resp>())),
        }
    }

    /// Takes a call that waits; `None` if there is none any more.
    pub fn receive(&mut self, listener: &OwnedFd) -> Option<libc::seccomp_notif> {
        // All zeros is what the kernel wants to be given.
        self.call.fill(0);
        // SAFETY: the buffer has the length that the kernel names, and is aligned as its widest fields; it begins with the
        // structure as it is known here.
        unsafe {
            let call = self.call.as_mut_ptr();
            let request = libc::SECCOMP_IOCTL_NOTIF_RECV;
            let received = libc::ioctl(listener.as_raw_fd(), request, call) == 0;
            received.then(|| call.cast::<libc::seccomp_notif>().read())
        }
    }

    /// Lets the call of this number go on. That its process is gone is no fault.
    pub fn let_go_on(&mut self, listener: &OwnedFd, id: u64) {
        self.answer.fill(0);
        // SAFETY: as in `receive`.
        unsafe {
            let answer = self.answer.as_mut_ptr();
            answer
                .cast::<libc::seccomp_notif_resp>()
                .write(libc::seccomp_notif_resp {
                    id,
                    val: 0,
                    error: 0,
                    flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
                });
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of linux/seccomp.h: 80 and 24 bytes are known here.
    #[test]
    fn there_is_room_for_longer_and_for_shorter_structures() {
        for (kernel, words) in [
            ((80, 24), (10, 3)),
            ((81, 25), (11, 4)),
            ((128, 64), (16, 8)),
            ((0, 0), (10, 3)),
        ] {
            let made = Notification::of(kernel.0, kernel.1);
            assert_eq!((made.call.len(), made.answer.len()), words, "{kernel:?}");
        }
        let made = Notification::new().expect("the kernel has listeners");
        assert!(made.call.len() >= 10 && made.answer.len() >= 3);
    }
}
