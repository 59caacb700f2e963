//! What is told of single calls, made up, with paths and arrays in the test's own memory.

use super::*;
use std::mem::zeroed;
use std::os::unix::net::UnixStream;
use std::ptr;

/// What is told of a call of this thread.
fn heard(architecture: u32, call: libc::c_long, arguments: &[u64], watched: &[i32]) -> Vec<Look> {
    // SAFETY: all zeros is a call.
    let mut notification: libc::seccomp_notif = unsafe { zeroed() };
    notification.pid = std::process::id();
    notification.data.arch = architecture;
    notification.data.nr = i32::try_from(call).expect("small");
    notification.data.args[..arguments.len()].copy_from_slice(arguments);
    let mut all = Vec::new();
    looks(&notification, watched, &mut |look| all.push(look));
    all
}

fn of(call: libc::c_long, arguments: &[u64]) -> Vec<Look> {
    heard(filter::X86_64, call, arguments, &[])
}

fn address<T: ?Sized>(of: &T) -> u64 {
    ptr::from_ref(of).cast::<()>() as u64
}

fn other(words: impl ToString) -> Vec<Look> {
    vec![Look::Other(words.to_string())]
}

const HERE: u64 = libc::AT_FDCWD as u64;

#[test]
fn paths_are_told_as_they_are_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it is there");
    let opened = File::open(&folder).expect("opened");
    let opened = opened.as_raw_fd() as u64;
    let (a, b, empty) = (c"/a/./b", c"b", c"");
    let (a, b, empty) = (address(a), address(b), address(empty));
    let path = |path: PathBuf| Look::Path(path);
    let absolute = path("/a/b".into());
    let below = path(folder.join("b"));
    let here = path(std::env::current_dir().expect("it is there").join("b"));
    for (call, arguments, expected) in [
        (libc::SYS_open, &[a][..], vec![absolute.clone()]),
        (libc::SYS_open, &[b], vec![here.clone()]),
        (libc::SYS_openat, &[HERE, b], vec![here.clone()]),
        (libc::SYS_openat, &[opened, b], vec![below.clone()]),
        (libc::SYS_openat, &[opened, a], vec![absolute.clone()]),
        // Nothing but the descriptor.
        (libc::SYS_newfstatat, &[opened, empty], vec![]),
        (libc::SYS_utimensat, &[opened, 0], vec![]),
        (
            libc::SYS_rename,
            &[a, b],
            vec![absolute.clone(), here.clone()],
        ),
        (
            libc::SYS_renameat2,
            &[opened, b, HERE, b],
            vec![below.clone(), here.clone()],
        ),
        // The text of a link is no path that is looked at.
        (libc::SYS_symlink, &[a, b], vec![here.clone()]),
        (libc::SYS_symlinkat, &[a, opened, b], vec![below.clone()]),
        (libc::SYS_execve, &[a], vec![Look::Run("/a/b".into())]),
        // A file without a name is nothing that was there; a folder that is opened is.
        (
            libc::SYS_openat,
            &[HERE, a, (libc::O_TMPFILE | libc::O_RDWR) as u64],
            vec![],
        ),
        (libc::SYS_open, &[a, libc::O_TMPFILE as u64], vec![]),
        (
            libc::SYS_openat,
            &[HERE, a, libc::O_DIRECTORY as u64],
            vec![absolute.clone()],
        ),
        (
            libc::SYS_stat,
            &[a, libc::O_TMPFILE as u64],
            vec![absolute.clone()],
        ),
    ] {
        assert_eq!(of(call, arguments), expected, "{call}");
    }
}

/// Only the link's text is of the process itself; what it leads to is not.
#[test]
fn names_of_what_a_process_has_are_not_told() {
    for (path, is_told) in [
        (c"/proc/self/cwd", false),
        (c"/proc/self/fd/0", false),
        (c"/proc/self/fd/0/a", true),
        (c"/proc/self/fd", true),
        (c"/proc/self/cwd/a", true),
        (c"/proc/self/root", true),
    ] {
        let told = vec![Look::Path(path.to_str().expect("UTF-8").into())];
        let expected = if is_told { told.clone() } else { vec![] };
        let path = address(path);
        assert_eq!(of(libc::SYS_readlink, &[path]), expected);
        assert_eq!(of(libc::SYS_readlinkat, &[HERE, path]), expected);
        assert_eq!(of(libc::SYS_open, &[path]), told);
        assert_eq!(of(libc::SYS_stat, &[path]), told);
    }
}

#[test]
fn what_cannot_be_known_is_told_as_such() {
    let path = address(c"/a");
    // No memory is at the first page, and no descriptor has the number.
    for (call, arguments, expected) in [
        (libc::SYS_open, &[1][..], "a path that cannot be read"),
        (
            libc::SYS_openat,
            &[99_999, address(c"a")],
            "a path that cannot be read",
        ),
        (libc::SYS_execve, &[1], "a program that is run"),
        (libc::SYS_socket, &[], "system call 41"),
        // An absolute path may be meant to begin at the folder.
        (libc::SYS_openat2, &[HERE, path], "system call 437"),
        // The memory of the first process of the system.
        (libc::SYS_process_vm_readv, &[1], "system call 310"),
    ] {
        assert_eq!(of(call, arguments), other(expected), "{call}");
    }
    let own = u64::from(std::process::id());
    assert_eq!(of(libc::SYS_process_vm_readv, &[own]), []);
    let foreign = heard(0x4000_0003, libc::SYS_open, &[path], &[]);
    assert_eq!(foreign, other("system call 2 of 32-bit code"));
}

#[test]
fn descriptors_in_memory_are_looked_for() {
    let watched = |call, arguments: &[u64]| heard(filter::X86_64, call, arguments, &[7]);
    let pollfd = |fd: i32| libc::pollfd {
        fd,
        events: 0,
        revents: 0,
    };
    let (last, none) = ([pollfd(3), pollfd(7)], [pollfd(3), pollfd(8)]);
    let waits = other("it waits for a descriptor");
    for call in [libc::SYS_poll, libc::SYS_ppoll] {
        assert_eq!(watched(call, &[address(&last), 2]), waits);
        assert_eq!(watched(call, &[address(&last), 1]), []);
        assert_eq!(watched(call, &[address(&none), 2]), []);
        assert_eq!(watched(call, &[1, 2]), waits);
        // More than are looked at.
        assert_eq!(watched(call, &[address(&none), 1 << 40]), waits);
    }
    let select = other("system call 23");
    assert_eq!(watched(libc::SYS_select, &[8]), select);
    let read = other("it reads descriptor 7");
    assert_eq!(watched(libc::SYS_read, &[7]), read);
    assert_eq!(watched(libc::SYS_mmap, &[0, 1, 1, 1, 7]), read);
    assert_eq!(watched(libc::SYS_ioctl, &[7, libc::FIONREAD]), read);
    let window = of(libc::SYS_ioctl, &[1, libc::TIOCGWINSZ]);
    assert_eq!(window, other("system call 16"));
}

#[test]
fn that_there_is_no_listener_is_told() {
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    let (_end, ended) = UnixStream::pair().expect("sockets");
    drop(theirs);
    let mut all = Vec::new();
    until_over(ours.into(), ended.into(), &[], |look| all.push(look));
    assert_eq!(all, other("the system has no listeners"));
}
