//! Pipes, socket pairs and event counters that the program made before the root, with what is in
//! them, its descriptors for signals and its sets of `epoll`.
//!
//! What they hold is read from the kernel, which is not asked again. Others stay the kernel's, and their
//! use is unsupported: those that were inherited, and all of them if the program has a child process,
//! which may hold the other end.

use super::creation::{self, Made};
use super::kernel::{fcntl, link, status};
use super::life::allocate;
use super::ring::Ring;
use super::table::{channel, held, ring, Kind, CHANNELS};
use super::{epoll, signals};
use crate::engine::object;
use crate::libc::descriptor;
use crate::process;
use ::libc::{c_int, MSG_DONTWAIT};
use dpor_machine::sys;
use dpor_model::{Argument, Kind as Event, Operation, SiteId};

/// Takes them over. The table of descriptors is known.
pub fn take_over() {
    if has_child() {
        return;
    }
    for &(made, inodes) in creation::all() {
        let (kind, semaphore) = match made {
            Made::Pipe(..) => (Kind::Pipe, false),
            Made::Pair(::libc::SOCK_STREAM, ..) => (Kind::Stream, false),
            Made::Pair(::libc::SOCK_SEQPACKET, ..) => (Kind::Packet, false),
            Made::Pair(..) => (Kind::Datagram, false),
            Made::Counter(_, semaphore) => (Kind::Counter, semaphore),
        };
        let open = descriptor::foreign();
        let ends: Vec<(c_int, usize)> = open
            .filter_map(|fd| end_of(fd, made, inodes).map(|end| (fd, end)))
            .collect();
        if ends.is_empty() {
            continue;
        }
        let Some(number) = allocate(kind, 0) else {
            process::refuse(
                "more than 64 pipes, socket pairs and event counters at the second thread",
            );
        };
        held(number).change(|channel| channel.semaphore = semaphore);
        for &(fd, end) in &ends {
            drain(number, fd, end);
        }
        for &(fd, end) in &ends {
            let flags = status(fd);
            let descriptors = descriptor::become_channel(fd, number, end, flags);
            held(number).change(|channel| {
                channel.open[end] += descriptors;
                channel.entries += descriptors;
            });
        }
    }
    signals::take_over();
    epoll::take_over();
}

/// Returns the operations that made what was taken over.
pub fn initialized() -> Vec<Operation> {
    let there = (0..CHANNELS).filter(|&number| channel(number).kind != Kind::Free);
    let init = |number: usize| Operation {
        object: object::channel(number),
        argument: Argument::levels(channel(number).levels(number)),
        ..Operation::new(Event::ChannelInit, SiteId::UNKNOWN)
    };
    there.map(init).collect()
}

/// Which end a descriptor is of what was made, if it is one.
fn end_of(fd: c_int, made: Made, inodes: [u64; 2]) -> Option<usize> {
    let stat = descriptor::stat(fd)?;
    let format = stat.st_mode & ::libc::S_IFMT;
    match made {
        Made::Pipe(..) => {
            let writes = fcntl(fd, ::libc::F_GETFL) & ::libc::O_ACCMODE as isize != 0;
            (format == ::libc::S_IFIFO && stat.st_ino == inodes[0]).then_some(usize::from(writes))
        }
        Made::Pair(..) if format == ::libc::S_IFSOCK => {
            inodes.iter().position(|&inode| inode == stat.st_ino)
        }
        // They all have one inode: the descriptor has to be the one that was returned, or its copy.
        Made::Counter(first, _) => {
            let is_counter = link(fd) == "anon_inode:[eventfd]";
            let same = fd == first || descriptor::is_same_file(fd, first);
            (is_counter && same).then_some(0)
        }
        Made::Pair(..) => None,
    }
}

fn has_child() -> bool {
    let flags = ::libc::WNOHANG | ::libc::WNOWAIT | ::libc::WEXITED;
    let none = -(::libc::ECHILD as isize);
    // SAFETY: with a null pointer for the result `waitid` writes no memory.
    unsafe {
        let all = ::libc::P_ALL as usize;
        sys::call6(::libc::SYS_waitid, all, 0, 0, flags as usize, 0, 0) != none
    }
}

/// Bytes that can be read; 0 if none.
fn stored(fd: c_int) -> usize {
    let mut stored = 0;
    let to = &raw mut stored as usize;
    // SAFETY: the kernel writes one number, to a local.
    unsafe {
        sys::call3(
            ::libc::SYS_ioctl,
            fd as usize,
            ::libc::FIONREAD as usize,
            to,
        )
    };
    stored
}

/// Takes what is there for an end to read.
fn drain(number: usize, fd: c_int, end: usize) {
    let mut buffer = vec![0u8; super::ring::BYTES];
    let at = buffer.as_mut_ptr() as usize;
    let too_much = || process::refuse("a pipe or socket holds too much at the second thread");
    match channel(number).kind {
        Kind::Pipe if end == 1 => {}
        Kind::Counter => {
            while is_readable(fd) {
                let mut value = 0u64;
                let to = &raw mut value as usize;
                // SAFETY: `to` is the address of `value`, which has the eight bytes that an event
                // counter gives.
                unsafe { sys::call3(::libc::SYS_read, fd as usize, to, 8) };
                held(number).change(|channel| channel.count += value);
            }
        }
        Kind::Pipe => {
            let stored = stored(fd);
            if stored > buffer.len() {
                too_much();
            }
            let n = match stored {
                0 => 0,
                // SAFETY: as many bytes as there are.
                _ => unsafe { sys::call3(::libc::SYS_read, fd as usize, at, stored) }.max(0),
            } as usize;
            // SAFETY: `at` and `n` are a buffer of this function's and the bytes that the kernel
            // wrote there.
            ring(number, end).change(|ring| unsafe { ring.append(&[(at, n)], 0, n) });
        }
        kind => loop {
            let flags = MSG_DONTWAIT as usize;
            // SAFETY: at most as many bytes as there are.
            let n = unsafe {
                sys::call6(
                    ::libc::SYS_recvfrom,
                    fd as usize,
                    at,
                    buffer.len(),
                    flags,
                    0,
                    0,
                )
            };
            if n < 0 {
                break;
            }
            if n == 0 && kind != Kind::Datagram {
                // The other end is closed, which its descriptors tell, or shut down.
                held(number).change(|channel| channel.shut_write[1 - end] = true);
                break;
            }
            let n = n as usize;
            if n > ring(number, end).look(Ring::room) {
                too_much();
            }
            // SAFETY: `at` and `n` are a buffer of this function's and the bytes that the kernel
            // wrote there.
            ring(number, end).change(|ring| unsafe { ring.append(&[(at, n)], 0, n) });
        },
    }
}

fn is_readable(fd: c_int) -> bool {
    let mut entry = ::libc::pollfd {
        fd,
        events: ::libc::POLLIN,
        revents: 0,
    };
    // SAFETY: the kernel writes `revents` of the one entry, which is a local.
    let ready = unsafe { sys::call3(::libc::SYS_poll, &raw mut entry as usize, 1, 0) };
    ready > 0 && entry.revents & ::libc::POLLIN != 0
}
