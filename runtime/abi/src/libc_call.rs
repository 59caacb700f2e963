//! Functions of libc whose calls touch state that threads share, and which state that is.
//!
//! The runtime exports a function of each name (`interpose/src/libc/trampoline.rs`); a call by the
//! program is first an event on the object that the rule names, then libc's own function runs,
//! undisturbed. This list is the whole decision: a new function is one word in
//! [`crate::for_each_libc_call!`].
//!
//! **Not here, on purpose.** Functions of their arguments alone (`snprintf`, `strtol`, `qsort`,
//! `gmtime_r`, `rand_r`). What glibc keeps per thread (`errno`, `strerror` since 2.32, `dlerror`,
//! `uselocale`). Readers of the locale that are no output (`isalpha`, `strtod`): all writers of the
//! locale are `Opaque`, and an `Opaque` event conflicts with the event whose step they are part of.
//! Memory, time, random numbers, threads: the runtime answers those itself.
//!
//! **Why `Opaque`.** An event has one object. A call that touches several, or state whose readers are
//! not all in the list, conflicts with everything instead. That costs executions, never soundness.
//! Closing is common, so it is two events instead; see `interpose/src/libc/event.rs`.
//!
//! **Which object a FILE is.** That of the open file behind its descriptor, because flushing a FILE
//! moves the descriptor's offset: `printf` and `write(1, …)` conflict, `printf` and `fprintf(stderr, …)`
//! do not. A FILE without descriptor (`fmemopen`) is an object of its own.

/// Hidden statics of libc, as numbers of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Hidden {
    /// State of `rand` and `random`.
    Random,
    /// State of `drand48` and its siblings.
    Drand48,
    /// Position of `strtok`.
    Strtok,
    /// Environment variables.
    Environment,
    /// Broken-down time, time zone, text of `asctime`.
    Time,
    /// Locale and its description.
    Locale,
    /// Password, group, host, service and protocol databases.
    Databases,
    /// Position of `getopt`.
    Getopt,
    /// Shift state of `mblen`, `mbtowc` and others called without a state.
    Multibyte,
    /// Text returned by conversions such as `ecvt`, `l64a`, `inet_ntoa`.
    Text,
    /// The table of `hsearch`.
    HashTable,
    /// Signal actions.
    Signals,
    /// File mode mask.
    Umask,
    /// Exit handlers.
    Exit,
    /// Message catalogues.
    Catalogues,
    /// The set of descriptors in use: the lowest free one is the next.
    Descriptors,
}

/// The kind of event that a call is. `k` is the position of an argument, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Writes the FILE that argument `k` is; all of them if it is null. Holds the FILE's lock.
    Stream(u8),
    /// Writes the FILE that argument `k` is, without its lock; all of them if it is null.
    StreamUnlocked(u8),
    /// Writes the standard FILE of this descriptor. Holds its lock.
    Standard(u8),
    /// Writes the standard FILE of this descriptor, without its lock.
    StandardUnlocked(u8),
    /// Reads or writes at the offset of descriptor `k`.
    Descriptor(u8),
    /// Uses descriptor `k`, but not its offset.
    DescriptorRead(u8),
    /// Uses the directory stream that argument `k` is.
    Directory(u8),
    /// Closes descriptor `k`: an event on its open file, then one on the table of descriptors.
    Close(u8),
    /// Closes the FILE that argument `k` is.
    CloseStream(u8),
    /// Closes the directory stream that argument `k` is.
    CloseDirectory(u8),
    /// Writes a hidden static.
    Hidden(Hidden),
    /// Reads a hidden static.
    HiddenRead(Hidden),
    /// Writes a hidden static if argument `k` is null, else nothing shared.
    HiddenIfNull(Hidden, u8),
    /// Reads a hidden static if argument `k` is null, else conflicts with everything.
    ReadIfNull(Hidden, u8),
    /// Conflicts with every event of other threads.
    Opaque,
    /// The runtime makes events in the midst of it, one for each descriptor.
    Own,
}

/// One function of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function's C name.
    pub name: &'static str,
    /// The kind of event that its calls are.
    pub rule: Rule,
    /// The state that its calls share with other threads, in words.
    pub note: &'static str,
}

/// Hands the whole list to a macro: groups of `[rule] "note": names;`.
#[macro_export]
macro_rules! for_each_libc_call {
    ($callback:ident) => {
        $callback! {
            [Standard(1)] "standard output": printf vprintf __printf_chk __vprintf_chk puts putchar
                wprintf vwprintf __wprintf_chk __vwprintf_chk putwchar;
            [StandardUnlocked(1)] "standard output": putchar_unlocked putwchar_unlocked;
            [Standard(0)] "standard input": scanf vscanf __isoc99_scanf __isoc99_vscanf __isoc23_scanf
                __isoc23_vscanf getchar gets __gets_chk wscanf vwscanf __isoc99_wscanf
                __isoc99_vwscanf __isoc23_wscanf __isoc23_vwscanf getwchar;
            [StandardUnlocked(0)] "standard input": getchar_unlocked getwchar_unlocked;
            [Standard(2)] "standard error": perror psignal psiginfo;
            [Stream(0)] "the FILE": fprintf vfprintf __fprintf_chk __vfprintf_chk fwprintf vfwprintf
                __fwprintf_chk __vfwprintf_chk fscanf vfscanf __isoc99_fscanf __isoc99_vfscanf
                __isoc23_fscanf __isoc23_vfscanf fwscanf vfwscanf __isoc99_fwscanf __isoc99_vfwscanf
                __isoc23_fwscanf __isoc23_vfwscanf fgetc getc _IO_getc getw fgetwc getwc fflush fseek
                fseeko fseeko64 ftell ftello ftello64 rewind fgetpos fgetpos64 fsetpos fsetpos64
                setbuf setvbuf setbuffer setlinebuf fwide clearerr feof ferror __fpurge;
            [StreamUnlocked(0)] "the FILE": fgetc_unlocked getc_unlocked fgetwc_unlocked getwc_unlocked
                fflush_unlocked clearerr_unlocked feof_unlocked ferror_unlocked __overflow __uflow
                __underflow __woverflow __wuflow __wunderflow;
            [Stream(1)] "the FILE": fputs fputc putc _IO_putc putw ungetc fputws fputwc putwc ungetwc;
            [StreamUnlocked(1)] "the FILE": fputs_unlocked fputc_unlocked putc_unlocked
                fputws_unlocked fputwc_unlocked putwc_unlocked;
            [Stream(2)] "the FILE": fgets getline fgetws;
            [StreamUnlocked(2)] "the FILE": fgets_unlocked fgetws_unlocked;
            [Stream(3)] "the FILE": fwrite fread getdelim __getdelim __fgets_chk __fgetws_chk;
            [StreamUnlocked(3)] "the FILE": fwrite_unlocked fread_unlocked __fgets_unlocked_chk
                __fgetws_unlocked_chk;
            [Stream(4)] "the FILE": __fread_chk;
            [StreamUnlocked(4)] "the FILE": __fread_unlocked_chk;
            [Descriptor(0)] "the descriptor's offset": read __read_chk readv write writev lseek lseek64
                dprintf vdprintf __dprintf_chk __vdprintf_chk getdents64 getdirentries
                getdirentries64 send sendto sendmsg recv __recv_chk recvfrom __recvfrom_chk recvmsg
                ftruncate ftruncate64 fsync fdatasync ioctl lockf lockf64 shutdown;
            [DescriptorRead(0)] "the file": pread pread64 __pread_chk __pread64_chk preadv preadv64
                fstat fstat64 isatty tcgetattr;
            [Directory(0)] "the directory stream": readdir readdir64 readdir_r readdir64_r rewinddir seekdir
                telldir;
            [Hidden(Random)] "state of rand": rand srand random srandom initstate setstate;
            [Hidden(Drand48)] "state of drand48": drand48 erand48 lrand48 nrand48 mrand48 jrand48 srand48
                seed48 lcong48;
            [Hidden(Strtok)] "position of strtok": strtok;
            [HiddenRead(Environment)] "the environment": getenv secure_getenv __secure_getenv;
            [Hidden(Time)] "static result, time zone": localtime localtime_r gmtime ctime ctime_r asctime
                mktime timelocal tzset strftime strftime_l wcsftime wcsftime_l getdate;
            [HiddenRead(Locale)] "the locale": localeconv nl_langinfo;
            [ReadIfNull(Locale, 1)] "the locale": setlocale;
            [Hidden(Catalogues)] "message catalogues": gettext dgettext dcgettext ngettext dngettext
                dcngettext textdomain bindtextdomain bind_textdomain_codeset;
            [Hidden(Databases)] "static result": getpwnam getpwuid getpwent setpwent endpwent getgrnam
                getgrgid getgrent setgrent endgrent getpwnam_r getpwuid_r getgrnam_r getgrgid_r
                getpwent_r getgrent_r getgrouplist initgroups getspnam getspent gethostbyname
                gethostbyname2 gethostbyaddr gethostent getaddrinfo getnameinfo getservbyname
                getservbyport getservent getprotobyname getprotobynumber getprotoent getlogin
                getlogin_r cuserid;
            [HiddenRead(Databases)] "files that tell about the system": sysconf get_nprocs get_nprocs_conf
                get_phys_pages get_avphys_pages;
            [Hidden(Getopt)] "optind and others": getopt getopt_long getopt_long_only __posix_getopt;
            [Hidden(Multibyte)] "shift state": mblen mbtowc wctomb __wctomb_chk;
            [HiddenIfNull(Multibyte, 3)] "shift state": mbrtowc mbsrtowcs wcsrtombs;
            [HiddenIfNull(Multibyte, 2)] "shift state": mbrlen wcrtomb;
            [Hidden(Text)] "static result": ecvt fcvt qecvt qfcvt l64a inet_ntoa ether_ntoa ttyname
                ptsname strsignal hstrerror;
            [Hidden(HashTable)] "the table": hcreate hdestroy hsearch;
            [Hidden(Signals)] "signal actions": signal sigaction sigset siginterrupt bsd_signal sysv_signal
                __sysv_signal;
            [Hidden(Umask)] "the mask": umask;
            [Hidden(Exit)] "exit handlers": __cxa_atexit on_exit __cxa_at_quick_exit;
            [Opaque] "environment, and whoever reads it": setenv putenv unsetenv clearenv;
            [Hidden(Descriptors)] "table of descriptors": open open64 __open_2 __open64_2 openat openat64
                __openat_2 __openat64_2 opendir fdopendir fopen fopen64 fdopen fmemopen
                open_memstream open_wmemstream fopencookie epoll_create epoll_create1;
            [Close(0)] "the open file and the table of descriptors": close;
            [CloseStream(0)] "the FILE and the table of descriptors": fclose;
            [CloseDirectory(0)] "the directory stream and the table of descriptors": closedir;
            [Opaque] "several descriptors": creat creat64 close_range closefrom dup dup2 dup3
                socket accept accept4 timerfd_create
                signalfd inotify_init inotify_init1 memfd_create shm_open shm_unlink freopen freopen64
                fcloseall pclose tmpfile tmpfile64 fcntl fcntl64;
            [Opaque] "the file system": mkstemp mkstemp64 mkostemp mkostemp64 mkstemps mkostemps mkdtemp
                mktemp tmpnam tempnam rename renameat renameat2 unlink unlinkat remove mkdir mkdirat
                rmdir link linkat symlink symlinkat truncate truncate64 chmod fchmod fchmodat chown
                lchown fchown fchownat utime utimes utimensat futimens futimes chdir fchdir chroot sync
                mkfifo mkfifoat mknod mknodat glob glob64 nftw nftw64 ftw ftw64 scandir scandir64
                pwrite pwrite64 pwritev pwritev64 sendfile sendfile64 copy_file_range;
            [Opaque] "connections and readiness": connect bind listen;
            [Own] "each descriptor": select pselect poll ppoll __poll_chk __ppoll_chk epoll_wait
                epoll_pwait epoll_pwait2 epoll_ctl;
            [Opaque] "signals of the process, and timers": killpg alarm ualarm setitimer
                getitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete
                timerfd_settime timerfd_gettime sigpause
                ;
            [Opaque] "the whole process": syscall dlopen dlmopen dlclose setrlimit setrlimit64 prlimit
                prlimit64 setpriority nice setuid setgid seteuid setegid setsid setpgid openlog syslog
                vsyslog __syslog_chk __vsyslog_chk closelog error error_at_line warn warnx vwarn vwarnx
                err errx verr verrx;
        }
    };
}

macro_rules! rule {
    ([Opaque]) => {
        Rule::Opaque
    };
    ([Own]) => {
        Rule::Own
    };
    ([Hidden($hidden:ident)]) => {
        Rule::Hidden(Hidden::$hidden)
    };
    ([HiddenRead($hidden:ident)]) => {
        Rule::HiddenRead(Hidden::$hidden)
    };
    ([HiddenIfNull($hidden:ident, $k:literal)]) => {
        Rule::HiddenIfNull(Hidden::$hidden, $k)
    };
    ([ReadIfNull($hidden:ident, $k:literal)]) => {
        Rule::ReadIfNull(Hidden::$hidden, $k)
    };
    ([$kind:ident($k:literal)]) => {
        Rule::$kind($k)
    };
}

macro_rules! table {
    ($($rule:tt $note:literal : $($name:ident)*;)*) => {
        /// The functions whose calls are events. The position of each is the function's number.
        pub const CALLS: &[Call] = &[$($(
            Call { name: stringify!($name), rule: rule!($rule), note: $note },
        )*)*];
    };
}

for_each_libc_call!(table);

#[cfg(test)]
mod tests {
    use super::*;

    fn rule_of(name: &str) -> Rule {
        CALLS
            .iter()
            .find(|call| call.name == name)
            .unwrap_or_else(|| panic!("{name}"))
            .rule
    }

    #[test]
    fn every_name_once() {
        let mut names: Vec<_> = CALLS.iter().map(|call| call.name).collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn arguments_are_in_registers() {
        for call in CALLS {
            let k = match call.rule {
                Rule::Stream(k) | Rule::StreamUnlocked(k) | Rule::Directory(k) => k,
                Rule::Close(k) | Rule::CloseStream(k) | Rule::CloseDirectory(k) => k,
                Rule::Descriptor(k) | Rule::DescriptorRead(k) => k,
                Rule::HiddenIfNull(_, k) | Rule::ReadIfNull(_, k) => k,
                Rule::Standard(fd) | Rule::StandardUnlocked(fd) => {
                    assert!(fd <= 2, "{}", call.name);
                    0
                }
                Rule::Hidden(_) | Rule::HiddenRead(_) | Rule::Opaque | Rule::Own => 0,
            };
            assert!(k < 6, "{}", call.name);
        }
    }

    /// Against the prototypes in <stdio.h>, <wchar.h> and <stdlib.h>.
    #[test]
    fn positions_as_declared() {
        assert_eq!(rule_of("fprintf"), Rule::Stream(0));
        assert_eq!(rule_of("fputs"), Rule::Stream(1));
        assert_eq!(rule_of("fgets"), Rule::Stream(2));
        assert_eq!(rule_of("getline"), Rule::Stream(2));
        assert_eq!(rule_of("getdelim"), Rule::Stream(3));
        assert_eq!(rule_of("fwrite"), Rule::Stream(3));
        assert_eq!(rule_of("__fread_chk"), Rule::Stream(4));
        assert_eq!(rule_of("mbrlen"), Rule::HiddenIfNull(Hidden::Multibyte, 2));
        assert_eq!(rule_of("mbrtowc"), Rule::HiddenIfNull(Hidden::Multibyte, 3));
        assert_eq!(rule_of("rand"), Rule::Hidden(Hidden::Random));
        assert_eq!(rule_of("close"), Rule::Close(0));
        assert_eq!(rule_of("dup2"), Rule::Opaque);
    }
}
