//! `cargo xtask docs`: docs/supported.md, docs/kinds.md and docs/options.md, written from the tables that the tool uses,
//! and docs/report.schema.json, from the types of the report.
//!
//! The pages are committed, so that they can be read without building; a test compares. That of the options is the
//! driver's to write and to compare, whose command line it is (`driver/src/flags/page.rs`).

use super::schema;
use crate::process;
use crate::stop::{Context, Outcome};
use crate::tree;
use dpor_abi::libc_access::{Shape, ACCESSES, OF_CALLS};
use dpor_abi::libc_call::CALLS;
use dpor_abi::syscall_sharing::{Sharing, LISTED};
use dpor_abi::thread_api::{
    CREATES_THREADS, MAY_CREATE_THREADS, MODELLED, PASSED_THROUGH, UNSUPPORTED,
};
use dpor_report::{FindingKind, Severity};
use std::fmt::Write;
use std::path::PathBuf;

/// A page's name, and what writes it.
type Page = (&'static str, fn() -> String);

const PAGES: [Page; 3] = [
    ("supported.md", supported),
    ("kinds.md", kinds),
    ("report.schema.json", schema::text),
];

/// Rewrites the pages.
///
/// # Errors
/// If one cannot be written.
pub fn run() -> Outcome {
    for (name, write) in PAGES {
        let path = path(name);
        std::fs::write(&path, write()).while_doing(path.display())?;
        println!("wrote {}", path.display());
    }
    let mut options = process::cargo();
    options.args(["run", "-q", "-p", "dpor", "--example", "options_page"]);
    options.current_dir(tree::root());
    let path = path("options.md");
    let page = process::output_of(&mut options)? + "\n";
    std::fs::write(&path, page).while_doing(path.display())?;
    println!("wrote {}", path.display());
    Ok(())
}

fn path(name: &str) -> PathBuf {
    tree::root().join("docs").join(name)
}

/// The page on the kinds of findings.
fn kinds() -> String {
    let mut page = String::from(
        "# Kinds of findings\n\n\
         Written by `cargo xtask docs` from `runtime/report/src/`; do not edit.\n\n\
         A warning does not make the program a bug, unless `--warnings-as-errors` is given.\n\n\
         | kind | severity | what it is | what to do |\n|---|---|---|---|\n",
    );
    for kind in FindingKind::ALL {
        let severity = match kind.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let (what, help) = kind.explained();
        writeln!(page, "| `{kind}` | {severity} | {what} | {help} |")
            .expect("a String takes every text");
    }
    page
}

/// The page on functions that are supported.
fn supported() -> String {
    let mut page = String::from(
        "# What is supported\n\n\
         Written by `cargo xtask docs` from `thread_api.rs`, `libc_call.rs`, `libc_access.rs` and `syscall_sharing.rs` in `runtime/abi/src/`; do not edit.\n\n\
         The names are the public symbols of glibc.\n\
         A test reads those of the installed libc and fails if one that belongs here is missing.\n\n\
         ## Threads and processes\n\n",
    );
    threads(&mut page);
    calls(&mut page);
    memory(&mut page);
    system_calls(&mut page);
    page
}

/// Writes which functions of threads and processes there are, and what the C++ library makes of them.
fn threads(page: &mut String) {
    section(
        page,
        "Modelled",
        "The runtime gives these a meaning under exploration.",
        MODELLED,
    );
    section(
        page,
        "Unsupported",
        "A call under exploration ends the check with the verdict `unsupported`, the function's name and the line of the call.",
        UNSUPPORTED,
    );
    section(
        page,
        "Unsupported, because libc would create a thread unseen",
        "A call before the second thread ends the check, too.",
        CREATES_THREADS,
    );
    section(
        page,
        "Unsupported if it asks for a thread",
        "That is, if the notification is `SIGEV_THREAD`.",
        MAY_CREATE_THREADS,
    );
    page.push_str("### Passed through\n\nLibc's own function runs, because it …\n");
    for (reason, group) in PASSED_THROUGH {
        write_list(page, &format!("… {reason}"), group);
    }
    page.push_str(
        "\n### C++'s library\n\n\
         It calls the functions above. What libstdc++.so does by itself is modelled where it orders threads (decision 0041): \
         results that are set for the end of a thread (`set_value_at_thread_exit`, `make_ready_at_thread_exit`), and the references to an exception (`exception_ptr`, `rethrow_exception`).\n\
         `std::lock` and `std::scoped_lock` of two to sixteen of `mutex`, `recursive_mutex`, `timed_mutex`, `recursive_timed_mutex`, or of `unique_lock`s of these, are one event.\n\
         Of more mutexes or other types, their rounds are explored one by one, without end if two threads back off again and again; \
         where somebody tries one of the mutexes (`try_lock`), up to three rounds in vain for each call, and the verdict is `incomplete` if that is not all.\n",
    );
}

/// Writes which calls into libc are events, and which of pipes and files are modelled.
fn calls(page: &mut String) {
    page.push_str(
        "\n## Calls into libc with shared state\n\n\
         Each is an event on what it shares, then libc's own function runs.\n\
         Two such calls of different threads are tried in both orders if they share it.\n\
         The rule is the name of the variant of `Rule` in `libc_call.rs`; the number is the position of the argument that says which object it is, or the descriptor.\n\n\
         | rule | what it shares | functions |\n|---|---|---|\n",
    );
    for group in CALLS.chunk_by(|a, b| a.rule == b.rule && a.note == b.note) {
        let names: Vec<String> = group
            .iter()
            .map(|call| format!("`{}`", call.name))
            .collect();
        let (rule, note) = (group[0].rule, group[0].note);
        writeln!(page, "| `{rule:?}` | {note} | {} |", names.join(" "))
            .expect("a String takes every text");
    }
    page.push_str(
        "\n### Pipes, socket pairs and event counters\n\n\
         `pipe`, `pipe2`, `socketpair` (of `AF_UNIX`) and `eventfd` are modelled; what waits for them is listed above as `Own`.\n\
         `signalfd` is modelled for signals that all threads block; edge-triggered sets of `epoll` with one are unsupported, and so is `readv`.\n\
         Other sockets, `inotify` and named pipes are unsupported.\n\
         So is a wait that only a time-out would end.\n\
         \n### Files that are changed\n\n\
         They are modelled in memory (decisions 0022 and 0031); `--commit-files` writes the reported execution's.\n\n\
         | modelled | what is not |\n|---|---|\n\
         | opening for writing, `creat`, `mkstemp`, `mkdtemp`, `tmpfile`, `O_TMPFILE`, `memfd_create`, `shm_open` | more than 64 files, or one of more than 64 MiB; a file of the disk with several hard links; what the kernel makes up (`/proc`) |\n\
         | `read`, `write`, `pread`, `pwrite` and their vectored kinds, `lseek`, `truncate`, `ftruncate`, `fallocate`, `copy_file_range`, `sendfile` between files, `fsync` | `SEEK_DATA` and `SEEK_HOLE`, flags of `preadv2` and `pwritev2`, collapsing and inserting ranges |\n\
         | `rename`, `link`, `symlink`, `readlink`, `unlink`, `mkdir`, `rmdir`, listing, `chdir`, `fchdir` | renaming a directory of the disk, `RENAME_EXCHANGE` |\n\
         | `stat`, `statx`, `access`, `chmod` of files | time stamps (they are 0, and `utimensat` is unsupported), `chown`, permissions of directories |\n\
         | `mmap` with `MAP_SHARED`, `munmap`, `mprotect`, `msync`, `mremap`: all mappings of a file lie at the same addresses; `MAP_FIXED` there | `MAP_FIXED` elsewhere; another protection for a part that is mapped several times; `read` and `write` of a mapped file with `--plain=explore` |\n\
         | `mmap` with `MAP_PRIVATE`: a copy, also with `MAP_FIXED` over memory that was mapped since the second thread | a change of the file after that |\n\
         | locks of the process: `fcntl` with `F_SETLK`, `lockf` (its threads share them); locks of open files: `flock`, `F_OFD_SETLK` of ranges | those of the process and of ranges in one program; locks of open files on a file that nobody opened for writing |\n\n\
         Under `dpor check` exploration begins before the first call that changes a file, also without a second thread.\n",
    );
}

/// What functions read and write of the program's memory.
fn memory(page: &mut String) {
    page.push_str(
        "\n## Memory that functions of libc read and write\n\n\
         A call by instrumented code is judged by the race detector as these plain accesses (decision 0026).\n\
         What other functions of libc do with memory of the program's is not judged.\n\
         `memcpy`, `memmove`, `memset`, `memcmp` and their like are the pass's (`pass/src/memory_call.rs`); clocks and `sem_getvalue` are judged where they are modelled.\n\
         The words are variants of `Shape` in `libc_access.rs`; characters are 1 or 4 bytes wide.\n\n\
         | accesses | functions |\n|---|---|\n",
    );
    let mut shapes: Vec<(Shape, Vec<&str>)> = Vec::new();
    for &(name, shape) in ACCESSES.iter().chain(OF_CALLS) {
        match shapes.iter_mut().find(|known| known.0 == shape) {
            Some((_, names)) => names.push(name),
            None => shapes.push((shape, vec![name])),
        }
    }
    for (shape, names) in shapes {
        writeln!(page, "| `{shape:?}` | `{}` |", names.join("` `"))
            .expect("a String takes every text");
    }
}

/// The section on system calls, the other way into the kernel.
fn system_calls(page: &mut String) {
    page.push_str(
        "\n## System calls that none of these functions makes\n\n\
         By a function of libc that is not in the table above, by code without instrumentation, or by assembly.\n\
         Where the call is on state that threads share, it is an event that conflicts with everything (decision 0019); `dpor check -v` names each.\n\
         A system call that is not listed is taken to be shared, and most of those are unsupported.\n\n\
         | shared | which state, or why none | system calls |\n|---|---|---|\n",
    );
    for group in LISTED.chunk_by(|a, b| a.1 == b.1 && a.2 == b.2) {
        let names: Vec<String> = group.iter().map(|call| format!("`{}`", call.0)).collect();
        let when = match group[0].1 {
            Sharing::Own => "no",
            Sharing::Shared => "yes",
            Sharing::UnlessHere(_) => "unless by path",
            Sharing::IfFile => "if of a file",
            Sharing::UnlessWake => "unless a wake",
            Sharing::UnlessAbort(_) => "unless `SIGABRT`",
        };
        writeln!(page, "| {when} | {} | {} |", group[0].2, names.join(" "))
            .expect("a String takes every text");
    }
}

fn section(page: &mut String, title: &str, text: &str, names: &[&str]) {
    write!(page, "### {title}\n\n{text}\n").expect("a String takes every text");
    write_list(page, "", names);
    page.push('\n');
}

/// Writes the names in one line, sorted, behind the text `before`.
fn write_list(page: &mut String, before: &str, names: &[&str]) {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    let lead = if before.is_empty() {
        String::new()
    } else {
        format!("{before}: ")
    };
    writeln!(page, "\n{lead}`{}`", sorted.join("` `")).expect("a String takes every text");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_are_up_to_date() {
        for (name, write) in PAGES {
            let committed = std::fs::read_to_string(path(name)).expect("the page is committed");
            assert!(
                committed == write(),
                "docs/{name} is out of date: cargo xtask docs"
            );
        }
    }
}
