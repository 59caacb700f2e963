//! Functions of libc that read or write memory of the program's, and which part of it.
//!
//! The runtime exports a function of each name. A call that instrumented code makes is judged by the
//! race detector as the plain accesses that it stands for (`interpose/src/libc/access/`); calls from
//! anywhere else are libc's. `memcpy` and its like, whose arguments tell all, are the pass's
//! (`pass/src/memory_call.rs`).
//!
//! *Exactly what the function has to read*, and no more: `strcmp` up to the first difference, `strstr` up
//! to the end of what it found. libc may read further in the same word, which no standard lets a program
//! notice.

/// Width in bytes of a character of type `char`.
pub const CHAR: u8 = 1;
/// Width in bytes of a character of type `wchar_t`.
pub const WIDE: u8 = 4;

/// The memory that a function accesses. Arguments are counted from 0; `u8` is the width of a character in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Reads the text that argument 0 is.
    Text(u8),
    /// Reads at most argument 1 characters of the text that argument 0 is.
    TextUpTo(u8),
    /// Reads the text that argument 0 is up to the character that argument 1 is.
    Find(u8),
    /// Writes the text of argument 1 to argument 0.
    Copy(u8),
    /// Writes the text of argument 1, up to argument 2 characters, to argument 0, and zeros up to that number.
    CopyPadded(u8),
    /// Writes as much of the text of argument 1 to argument 0 as fits in argument 2 characters, the end included; reads
    /// all of the text.
    CopyFitting,
    /// Writes the text of argument 1 behind that of argument 0.
    Append(u8),
    /// Writes at most argument 2 characters of argument 1 behind the text of argument 0.
    AppendUpTo(u8),
    /// Writes as much of the text of argument 1 behind that of argument 0 as fits in argument 2 characters; reads all
    /// of the text.
    AppendFitting,
    /// Compares the texts of arguments 0 and 1.
    Compare(u8),
    /// Compares at most argument 2 characters of the texts of arguments 0 and 1.
    CompareUpTo(u8),
    /// Compares the texts of arguments 0 and 1 without regard to case.
    CompareFolded,
    /// Compares at most argument 2 characters of the texts of arguments 0 and 1 without regard to case.
    CompareFoldedUpTo,
    /// Reads the texts of arguments 0 and 1.
    Texts(u8),
    /// Looks for the text of argument 1 in that of argument 0.
    Search(u8),
    /// Looks for the text of argument 1 in that of argument 0 without regard to case.
    SearchFolded(u8),
    /// Reads argument 0 as long as its characters are in argument 1, and the one behind.
    Span(u8),
    /// Reads argument 0 as long as its characters are not in argument 1, and the one behind.
    SpanUntil(u8),
    /// Copies the text of argument 0 to a new block.
    Duplicate(u8),
    /// Copies at most argument 1 characters of the text of argument 0 to a new block.
    DuplicateUpTo(u8),
    /// Looks for character argument 1 in the first argument 2 characters of argument 0.
    MemoryFind(u8),
    /// Looks for byte argument 1 in the first argument 2 bytes of argument 0, from the last one on.
    MemoryFindBack,
    /// Looks for byte argument 1 from argument 0 on, without an end.
    MemoryFindRaw,
    /// Looks for the argument 3 bytes of argument 2 in the argument 1 bytes of argument 0.
    MemorySearch,
    /// Copies argument 3 bytes of argument 1 to argument 0, or up to the byte that argument 2 is.
    MemoryCopyTo,
    /// Copies argument 2 wide characters of argument 1 to argument 0.
    WideCopy,
    /// Writes argument 2 wide characters at argument 0.
    WideSet,
    /// Compares argument 2 wide characters.
    WideCompare,
    /// `strtok_r`: takes the next part off a text whose rest `*argument 2` is.
    Token,
    /// `strtok`, whose place between two calls is the process's.
    TokenOfProcess,
    /// `strsep`: takes the next part off the text that `*argument 0` is.
    Separate,
    /// Reads a whole number at argument 0, to base 10.
    Decimal,
    /// Reads a whole number to the base that argument 2 is; argument 1 is told where it ends, if not null.
    Whole,
    /// Reads a number at argument 0; argument 1 is told where it ends, if not null and if `told`.
    Real {
        /// True if the function has an argument 1.
        told: bool,
    },
    /// `printf` and its like.
    Print {
        /// The argument that is the format. The values follow.
        format: u8,
        /// The values are a `va_list`, not arguments.
        list: bool,
        /// The destination of the text.
        to: Destination,
        /// Width of a character of the format, in bytes.
        width: u8,
    },
    /// `scanf` and its like. What it stores is found in the format.
    Scan {
        /// The argument that is the format.
        format: u8,
        /// The values are a `va_list`.
        list: bool,
        /// True if the function reads the text of argument 0, false if it reads a stream.
        text: bool,
        /// Width of a character of the format, in bytes.
        width: u8,
    },
    /// `strftime`: writes the text that the result counts to argument 0. Its format is argument 2, the time
    /// argument 3.
    Time(u8),
    /// Reads the seconds that argument 0 points to.
    Seconds,
    /// Reads the seconds that argument 0 points to, and writes a broken-down time to argument 1.
    BreakDown,
    /// Reads and writes the broken-down time of argument 0.
    Normalise,
    /// `readlink`: reads the text of this argument, and writes as many bytes to the next as the result says.
    Link(u8),
    /// Sorts argument 1 elements of argument 2 bytes at argument 0.
    Sort,
    /// Writes as many bytes at argument `at`. Pointers are counted apart from floating-point numbers.
    Output {
        /// Position of the argument that is the address.
        at: u8,
        /// The number of bytes.
        bytes: u8,
    },
    /// Reads argument `bytes` bytes at argument `at`.
    ReadBytes {
        /// Position of the argument that is the address.
        at: u8,
        /// Position of the argument that is the number of bytes.
        bytes: u8,
    },
    /// Reads as many bytes at argument 0 as arguments 1 and 2 multiplied.
    ReadElements,
    /// Reads the texts that argument 1, an array of argument 2 `iovec`s, leads to, and the array.
    ReadVector,
    /// `sendmsg`: reads the texts of the vector in a message, argument 1, and the message itself.
    ReadMessage,
    /// `recvmsg`: writes the parts of a message, argument 1, as far as the result says.
    ReceivedMessage,
    /// Writes, at argument `at`, as many bytes as the result says.
    Received {
        /// Position of the argument that is the address.
        at: u8,
    },
    /// Writes as many bytes as the result says to the texts that argument 1, an array of argument 2 `iovec`s, leads to.
    ReceivedVector,
    /// `fread`: writes at argument 0 as many elements as the result says, of as many bytes as this argument.
    ReceivedElements(u8),
    /// `fgets`, `getcwd`: writes the text that the result is.
    ReceivedLine(u8),
    /// `getline`: writes the text that `*argument 0` is afterwards, which the result counts.
    ReceivedBlock,
}

/// The destination of a printed text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// The text does not go to memory of the program's.
    Elsewhere,
    /// The text goes to argument 0.
    Memory,
    /// The text goes to argument 0, which has argument 1 bytes.
    MemoryOf,
    /// The text goes to a new block, whose address argument 0 is told.
    Block,
}

const fn print(format: u8, to: Destination) -> Shape {
    Shape::Print {
        format,
        list: false,
        to,
        width: CHAR,
    }
}

const fn print_list(format: u8, to: Destination) -> Shape {
    Shape::Print {
        format,
        list: true,
        to,
        width: CHAR,
    }
}

const fn print_wide(format: u8, list: bool, to: Destination) -> Shape {
    Shape::Print {
        format,
        list,
        to,
        width: WIDE,
    }
}

/// The shape of a function of the `scanf` family that reads a text.
const fn scan(list: bool, width: u8) -> Shape {
    Shape::Scan {
        format: 1,
        list,
        text: true,
        width,
    }
}

/// The shape of a function of the `scanf` family that reads a stream.
const fn scan_stream(format: u8, list: bool, width: u8) -> Shape {
    Shape::Scan {
        format,
        list,
        text: false,
        width,
    }
}

use Destination::{Block, Elsewhere, Memory, MemoryOf};

/// Hands the functions that are no events to a macro: groups of `[shape] names;`.
#[macro_export]
macro_rules! for_each_libc_access {
    ($callback:ident) => {
        $callback! {
            [Shape::Text(CHAR)] strlen strrchr rindex;
            [Shape::Text(WIDE)] wcslen wcsrchr;
            [Shape::TextUpTo(CHAR)] strnlen;
            [Shape::TextUpTo(WIDE)] wcsnlen;
            [Shape::Find(CHAR)] strchr index strchrnul;
            [Shape::Find(WIDE)] wcschr wcschrnul;
            [Shape::Copy(CHAR)] strcpy stpcpy __stpcpy __strcpy_chk __stpcpy_chk;
            [Shape::Copy(WIDE)] wcscpy wcpcpy __wcscpy_chk __wcpcpy_chk;
            [Shape::CopyPadded(CHAR)] strncpy stpncpy __strncpy_chk __stpncpy_chk;
            [Shape::CopyPadded(WIDE)] wcsncpy wcpncpy __wcsncpy_chk __wcpncpy_chk;
            [Shape::Append(CHAR)] strcat __strcat_chk;
            [Shape::Append(WIDE)] wcscat __wcscat_chk;
            [Shape::AppendUpTo(CHAR)] strncat __strncat_chk;
            [Shape::AppendUpTo(WIDE)] wcsncat __wcsncat_chk;
            [Shape::CopyFitting] strlcpy __strlcpy_chk;
            [Shape::AppendFitting] strlcat __strlcat_chk;
            [Shape::Compare(CHAR)] strcmp;
            [Shape::Compare(WIDE)] wcscmp;
            [Shape::CompareUpTo(CHAR)] strncmp;
            [Shape::CompareUpTo(WIDE)] wcsncmp;
            [Shape::CompareFolded] strcasecmp;
            [Shape::CompareFoldedUpTo] strncasecmp;
            [Shape::Texts(CHAR)] strcoll;
            [Shape::Texts(WIDE)] wcscoll;
            [Shape::Search(CHAR)] strstr;
            [Shape::Search(WIDE)] wcsstr;
            [Shape::SearchFolded(CHAR)] strcasestr;
            [Shape::Span(CHAR)] strspn;
            [Shape::Span(WIDE)] wcsspn;
            [Shape::SpanUntil(CHAR)] strcspn strpbrk;
            [Shape::SpanUntil(WIDE)] wcscspn wcspbrk;
            [Shape::Duplicate(CHAR)] strdup __strdup;
            [Shape::Duplicate(WIDE)] wcsdup;
            [Shape::DuplicateUpTo(CHAR)] strndup __strndup;
            [Shape::MemoryFind(CHAR)] memchr;
            [Shape::MemoryFind(WIDE)] wmemchr;
            [Shape::MemoryFindBack] memrchr;
            [Shape::MemoryFindRaw] rawmemchr;
            [Shape::MemorySearch] memmem;
            [Shape::MemoryCopyTo] memccpy;
            [Shape::WideCopy] wmemcpy wmemmove wmempcpy __wmemcpy_chk __wmemmove_chk __wmempcpy_chk;
            [Shape::WideSet] wmemset __wmemset_chk;
            [Shape::WideCompare] wmemcmp;
            [Shape::Token] strtok_r __strtok_r;
            [Shape::Separate] strsep;
            [Shape::Decimal] atoi atol atoll;
            [Shape::Whole] strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq
                __isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull
                __isoc23_strtoimax __isoc23_strtoumax;
            [Shape::Real { told: false }] atof;
            [Shape::Real { told: true }] strtod strtof strtold;
            [print(1, Memory)] sprintf;
            [print(3, Memory)] __sprintf_chk;
            [print(2, MemoryOf)] snprintf;
            [print(4, MemoryOf)] __snprintf_chk;
            [print(1, Block)] asprintf;
            [print(2, Block)] __asprintf_chk;
            [print_list(1, Memory)] vsprintf;
            [print_list(3, Memory)] __vsprintf_chk;
            [print_list(2, MemoryOf)] vsnprintf;
            [print_list(4, MemoryOf)] __vsnprintf_chk;
            [print_list(1, Block)] vasprintf;
            [print_list(2, Block)] __vasprintf_chk;
            [print_wide(2, false, MemoryOf)] swprintf;
            [print_wide(4, false, MemoryOf)] __swprintf_chk;
            [print_wide(2, true, MemoryOf)] vswprintf;
            [print_wide(4, true, MemoryOf)] __vswprintf_chk;
            [scan(false, CHAR)] sscanf __isoc99_sscanf __isoc23_sscanf;
            [scan(true, CHAR)] vsscanf __isoc99_vsscanf __isoc23_vsscanf;
            [scan(false, WIDE)] swscanf __isoc99_swscanf __isoc23_swscanf;
            [scan(true, WIDE)] vswscanf __isoc99_vswscanf __isoc23_vswscanf;
            [Shape::BreakDown] gmtime_r;
            [Shape::Normalise] timegm;
            [Shape::Duplicate(CHAR)] realpath __realpath_chk canonicalize_file_name;
            [Shape::ReceivedLine(CHAR)] getcwd __getcwd_chk getwd __getwd_chk get_current_dir_name;
            [Shape::Link(0)] readlink __readlink_chk;
            [Shape::Link(1)] readlinkat __readlinkat_chk;
            [Shape::Sort] qsort qsort_r;
            [Shape::Output { at: 0, bytes: 4 }] rand_r frexp;
            [Shape::Output { at: 0, bytes: 8 }] modf;
        }
    };
}

macro_rules! table {
    ($([$shape:expr] $($name:ident)*;)*) => {
        /// The functions that are no events, by their number.
        pub const ACCESSES: &[(&str, Shape)] = &[$($((stringify!($name), $shape),)*)*];
    };
}

for_each_libc_access!(table);

/// Functions that are events besides ([`crate::libc_call`]).
pub const OF_CALLS: &[(&str, Shape)] = &[
    ("printf", print(0, Elsewhere)),
    ("__printf_chk", print(1, Elsewhere)),
    ("vprintf", print_list(0, Elsewhere)),
    ("__vprintf_chk", print_list(1, Elsewhere)),
    ("fprintf", print(1, Elsewhere)),
    ("__fprintf_chk", print(2, Elsewhere)),
    ("vfprintf", print_list(1, Elsewhere)),
    ("__vfprintf_chk", print_list(2, Elsewhere)),
    ("dprintf", print(1, Elsewhere)),
    ("__dprintf_chk", print(2, Elsewhere)),
    ("vdprintf", print_list(1, Elsewhere)),
    ("__vdprintf_chk", print_list(2, Elsewhere)),
    ("wprintf", print_wide(0, false, Elsewhere)),
    ("__wprintf_chk", print_wide(1, false, Elsewhere)),
    ("vwprintf", print_wide(0, true, Elsewhere)),
    ("__vwprintf_chk", print_wide(1, true, Elsewhere)),
    ("fwprintf", print_wide(1, false, Elsewhere)),
    ("__fwprintf_chk", print_wide(2, false, Elsewhere)),
    ("vfwprintf", print_wide(1, true, Elsewhere)),
    ("__vfwprintf_chk", print_wide(2, true, Elsewhere)),
    ("scanf", scan_stream(0, false, CHAR)),
    ("__isoc99_scanf", scan_stream(0, false, CHAR)),
    ("__isoc23_scanf", scan_stream(0, false, CHAR)),
    ("vscanf", scan_stream(0, true, CHAR)),
    ("__isoc99_vscanf", scan_stream(0, true, CHAR)),
    ("__isoc23_vscanf", scan_stream(0, true, CHAR)),
    ("fscanf", scan_stream(1, false, CHAR)),
    ("__isoc99_fscanf", scan_stream(1, false, CHAR)),
    ("__isoc23_fscanf", scan_stream(1, false, CHAR)),
    ("vfscanf", scan_stream(1, true, CHAR)),
    ("__isoc99_vfscanf", scan_stream(1, true, CHAR)),
    ("__isoc23_vfscanf", scan_stream(1, true, CHAR)),
    ("wscanf", scan_stream(0, false, WIDE)),
    ("__isoc99_wscanf", scan_stream(0, false, WIDE)),
    ("__isoc23_wscanf", scan_stream(0, false, WIDE)),
    ("vwscanf", scan_stream(0, true, WIDE)),
    ("__isoc99_vwscanf", scan_stream(0, true, WIDE)),
    ("__isoc23_vwscanf", scan_stream(0, true, WIDE)),
    ("fwscanf", scan_stream(1, false, WIDE)),
    ("__isoc99_fwscanf", scan_stream(1, false, WIDE)),
    ("__isoc23_fwscanf", scan_stream(1, false, WIDE)),
    ("vfwscanf", scan_stream(1, true, WIDE)),
    ("__isoc99_vfwscanf", scan_stream(1, true, WIDE)),
    ("__isoc23_vfwscanf", scan_stream(1, true, WIDE)),
    ("strtok", Shape::TokenOfProcess),
    ("strftime", Shape::Time(CHAR)),
    ("strftime_l", Shape::Time(CHAR)),
    ("wcsftime", Shape::Time(WIDE)),
    ("wcsftime_l", Shape::Time(WIDE)),
    ("localtime", Shape::Seconds),
    ("gmtime", Shape::Seconds),
    ("ctime", Shape::Seconds),
    ("localtime_r", Shape::BreakDown),
    ("mktime", Shape::Normalise),
    ("timelocal", Shape::Normalise),
    ("puts", Shape::Text(CHAR)),
    ("fputs", Shape::Text(CHAR)),
    ("fputs_unlocked", Shape::Text(CHAR)),
    ("fputws", Shape::Text(WIDE)),
    ("perror", Shape::Text(CHAR)),
    ("fwrite", Shape::ReadElements),
    ("fwrite_unlocked", Shape::ReadElements),
    ("write", Shape::ReadBytes { at: 1, bytes: 2 }),
    ("pwrite", Shape::ReadBytes { at: 1, bytes: 2 }),
    ("pwrite64", Shape::ReadBytes { at: 1, bytes: 2 }),
    ("send", Shape::ReadBytes { at: 1, bytes: 2 }),
    ("sendto", Shape::ReadBytes { at: 1, bytes: 2 }),
    ("writev", Shape::ReadVector),
    ("pwritev", Shape::ReadVector),
    ("pwritev64", Shape::ReadVector),
    ("sendmsg", Shape::ReadMessage),
    ("recvmsg", Shape::ReceivedMessage),
    ("recvfrom", Shape::Received { at: 1 }),
    ("recv", Shape::Received { at: 1 }),
    ("__recv_chk", Shape::Received { at: 1 }),
    ("read", Shape::Received { at: 1 }),
    ("__read_chk", Shape::Received { at: 1 }),
    ("pread", Shape::Received { at: 1 }),
    ("pread64", Shape::Received { at: 1 }),
    ("__pread_chk", Shape::Received { at: 1 }),
    ("__pread64_chk", Shape::Received { at: 1 }),
    ("readv", Shape::ReceivedVector),
    ("preadv", Shape::ReceivedVector),
    ("preadv64", Shape::ReceivedVector),
    ("fread", Shape::ReceivedElements(1)),
    ("fread_unlocked", Shape::ReceivedElements(1)),
    ("__fread_chk", Shape::ReceivedElements(2)),
    ("__fread_unlocked_chk", Shape::ReceivedElements(2)),
    ("fgets", Shape::ReceivedLine(CHAR)),
    ("fgets_unlocked", Shape::ReceivedLine(CHAR)),
    ("__fgets_chk", Shape::ReceivedLine(CHAR)),
    ("__fgets_unlocked_chk", Shape::ReceivedLine(CHAR)),
    ("fgetws", Shape::ReceivedLine(WIDE)),
    ("fgetws_unlocked", Shape::ReceivedLine(WIDE)),
    ("__fgetws_chk", Shape::ReceivedLine(WIDE)),
    ("__fgetws_unlocked_chk", Shape::ReceivedLine(WIDE)),
    ("getline", Shape::ReceivedBlock),
    ("getdelim", Shape::ReceivedBlock),
    ("__getdelim", Shape::ReceivedBlock),
];

/// A name of the `printf` or `scanf` families in two parts, between which a `v` says that the values are a
/// `va_list`.
pub fn split_prefix(name: &str) -> (&str, &str) {
    for prefix in ["__isoc99_", "__isoc23_", "__"] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return (prefix, rest);
        }
    }
    ("", name)
}

/// Whether the race detector judges calls of the function of this name.
pub fn is_accessing(name: &str) -> bool {
    ACCESSES.iter().chain(OF_CALLS).any(|entry| entry.0 == name)
}

/// The memory that calls of the function of this name access, if they are judged.
pub fn of_call(name: &str) -> Option<Shape> {
    OF_CALLS
        .iter()
        .find(|entry| entry.0 == name)
        .map(|entry| entry.1)
}

#[cfg(test)]
mod tests;
