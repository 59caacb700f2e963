//! The filter's program, executed by hand for single calls.

use super::*;

/// Whether a call passes: an interpreter of the few instructions that the program is made of, each as bpf(4) has it.
fn passes(filter: &Filter, architecture: u32, call: libc::c_long, arguments: [u64; 6]) -> bool {
    let mut accumulator = 0;
    let mut at = 0;
    loop {
        let one = filter.0[at];
        at += 1;
        match u32::from(one.code) {
            LOAD => {
                let first = argument(0);
                accumulator = match one.k {
                    NUMBER => call as u32,
                    offset if offset >= first => arguments[(offset - first) as usize / 8] as u32,
                    // Behind the number (linux/seccomp.h).
                    4 => architecture,
                    offset => panic!("{offset}"),
                };
            }
            IS if accumulator == one.k => at += usize::from(one.jt),
            IS => at += usize::from(one.jf),
            RETURN => return one.k == libc::SECCOMP_RET_ALLOW,
            code if code == libc::BPF_JMP | libc::BPF_JA => at += one.k as usize,
            code => panic!("{code}"),
        }
    }
}

/// The calls that learn something from a descriptor, and the place of that among their arguments (from their manual
/// pages).
const OF_DESCRIPTORS: [(libc::c_long, usize); 25] = [
    (libc::SYS_read, 0),
    (libc::SYS_readv, 0),
    (libc::SYS_pread64, 0),
    (libc::SYS_preadv, 0),
    (libc::SYS_preadv2, 0),
    (libc::SYS_recvfrom, 0),
    (libc::SYS_recvmsg, 0),
    (libc::SYS_splice, 0),
    (libc::SYS_tee, 0),
    (libc::SYS_copy_file_range, 0),
    (libc::SYS_sendfile, 1),
    (libc::SYS_mmap, 4),
    (libc::SYS_dup, 0),
    (libc::SYS_dup2, 0),
    (libc::SYS_dup3, 0),
    (libc::SYS_epoll_ctl, 2),
    (libc::SYS_epoll_wait, 0),
    (libc::SYS_epoll_pwait, 0),
    (libc::SYS_epoll_pwait2, 0),
    (libc::SYS_getdents, 0),
    (libc::SYS_getdents64, 0),
    (libc::SYS_getsockopt, 0),
    (libc::SYS_getsockname, 0),
    (libc::SYS_getpeername, 0),
    (libc::SYS_timerfd_gettime, 0),
];

#[test]
fn what_learns_from_a_watched_descriptor_waits() {
    let nothing = Filter::new(&[]);
    let two = Filter::new(&[0, 77]);
    for (call, index) in OF_DESCRIPTORS {
        for (descriptor, expected) in [(0, false), (77, false), (76, true), (u64::MAX, true)] {
            // All others are another descriptor than the one that counts.
            let mut arguments = [78; 6];
            arguments[index] = descriptor;
            let is_passed = passes(&two, X86_64, call, arguments);
            assert_eq!(is_passed, expected, "{call} of {descriptor}");
            assert!(passes(&nothing, X86_64, call, arguments), "{call}");
        }
        let mut elsewhere = [77; 6];
        elsewhere[index] = 78;
        assert!(passes(&two, X86_64, call, elsewhere), "{call}");
    }
    for call in [
        libc::SYS_poll,
        libc::SYS_ppoll,
        libc::SYS_select,
        libc::SYS_pselect6,
    ] {
        assert!(!passes(&two, X86_64, call, [0; 6]), "{call}");
        assert!(passes(&nothing, X86_64, call, [0; 6]), "{call}");
    }
}

#[test]
fn of_a_watched_descriptor_only_some_requests_wait() {
    let watched = Filter::new(&[77]);
    let first = |value: u64, request: libc::c_ulong| [value, request, 5, 5, 5, 5];
    for (call, descriptor, request, expected) in [
        (libc::SYS_fcntl, 77, libc::F_DUPFD as u64, false),
        (libc::SYS_fcntl, 77, libc::F_DUPFD_CLOEXEC as u64, false),
        (libc::SYS_fcntl, 77, libc::F_GETFD as u64, true),
        (libc::SYS_fcntl, 78, libc::F_DUPFD as u64, true),
        (libc::SYS_ioctl, 77, libc::FIONREAD, false),
        (libc::SYS_ioctl, 78, libc::FIONREAD, true),
        (libc::SYS_ioctl, 77, libc::TCGETS, true),
        // Which process has it, how large a window is, which addresses a network has.
        (libc::SYS_ioctl, 78, libc::TIOCGPGRP, false),
        (libc::SYS_ioctl, 78, libc::TIOCGWINSZ, false),
        (libc::SYS_ioctl, 78, libc::SIOCGIFADDR, false),
    ] {
        let is_passed = passes(&watched, X86_64, call, first(descriptor, request));
        assert_eq!(is_passed, expected, "{call} {descriptor} {request:x}");
    }
}

#[test]
fn what_is_not_known_to_be_silent_waits() {
    let filter = Filter::new(&[]);
    for call in [
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_openat,
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_statfs,
        libc::SYS_fstatfs,
        libc::SYS_shmget,
        libc::SYS_mq_open,
        libc::SYS_getxattr,
        libc::SYS_io_uring_setup,
        libc::SYS_ptrace,
        libc::SYS_pidfd_getfd,
        libc::SYS_process_vm_readv,
        libc::SYS_mount,
        // Of a kernel to come, and one of x32 (`read` with its bit).
        5000,
        0x4000_0000,
    ] {
        assert!(!passes(&filter, X86_64, call, [0; 6]), "{call}");
    }
    // AUDIT_ARCH_I386: its call 4 is `write`, here `stat`; its 1 is `exit`, here `write`.
    const I386: u32 = 0x4000_0003;
    for call in [libc::SYS_write, libc::SYS_futex, libc::SYS_getpid] {
        assert!(passes(&filter, X86_64, call, [0; 6]), "{call}");
        assert!(!passes(&filter, I386, call, [0; 6]), "{call}");
    }
}
