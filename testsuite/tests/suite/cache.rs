//! Verdicts that are taken over from an earlier check (`--cache`): exactly where nothing changed that they depend on.

mod changes;
mod kept;
mod random;
mod reached;
mod surroundings;

use dpor_report::Verdict;
use dpor_testsuite::tool::Tool;
use std::path::{Path, PathBuf};

/// Two threads that take a lock as often as what the program reads says: with `n` times each there are (2n)! / (n!)²
/// orders. The first argument says what is read, the second where.
const READER: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int times = 1;
static const char *program, *how, *where;

static void look(void) {
    char digit = '1';
    struct stat status;
    if (!strcmp(how, "file")) {
        FILE *file = fopen(where, "r");
        if (file) {
            digit = (char)fgetc(file);
            fclose(file);
        }
    } else if (!strcmp(how, "folder")) {
        DIR *folder = opendir(where);
        for (digit = '0'; folder && readdir(folder); digit++) {
        }
        // . and .. are there, too.
        digit -= 1;
        if (folder) closedir(folder);
    } else if (!strcmp(how, "written")) {
        digit = '0';
        if (!stat(where, &status)) digit += status.st_mtime % 3;
    } else if (!strcmp(how, "there")) {
        digit = access(where, F_OK) ? '1' : '2';
    } else if (!strcmp(how, "link")) {
        char target[100] = "1";
        if (readlink(where, target, sizeof target - 1) < 0) abort();
        digit = target[0];
    } else if (!strcmp(how, "variable")) {
        digit = getenv(where) ? getenv(where)[0] : '1';
    } else if (!strcmp(how, "input")) {
        if (read(0, &digit, 1) < 0) abort();
    } else if (!strcmp(how, "waiting")) {
        int bytes = 0;
        if (ioctl(0, FIONREAD, &bytes) < 0) abort();
        digit = (char)('0' + bytes);
    } else if (!strcmp(how, "kind")) {
        if (fstat(0, &status) < 0) abort();
        digit = S_ISFIFO(status.st_mode) ? '2' : S_ISSOCK(status.st_mode) ? '3' : '1';
    } else if (!strcmp(how, "again")) {
        int input = open(where, O_RDONLY);
        if (input < 0 || read(input, &digit, 1) < 0) abort();
    } else if (!strcmp(how, "inherited")) {
        digit = fstat(9, &status) < 0 ? '1' : (char)('0' + status.st_size);
    } else if (!strcmp(how, "nice")) {
        digit = (char)('0' + getpriority(PRIO_PROCESS, 0));
    } else if (!strcmp(how, "name")) {
        digit = program[0] == '/' ? '2' : '1';
    } else if (!strcmp(how, "library")) {
        void *library = dlopen(where, RTLD_NOW);
        int (*answer)(void) = library ? (int (*)(void))dlsym(library, "answer") : 0;
        if (answer) digit = (char)('0' + answer());
    } else if (!strcmp(how, "time")) {
        digit = time(0) ? '1' : '2';
    } else if (!strcmp(how, "gettimeofday")) {
        struct timeval now;
        gettimeofday(&now, 0);
    } else if (!strcmp(how, "clock_gettime")) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } else if (!strcmp(how, "socket")) {
        if (socket(AF_UNIX, SOCK_STREAM, 0) < 0) abort();
    } else if (strcmp(how, "nothing")) {
        abort();
    }
    // Of a device it may be anything.
    times = digit >= '0' && digit <= '4' ? digit - '0' : 1;
}
static void *work(void *number) {
    if (LATE && number) look();
    for (int k = 0; k < times; k++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return number;
}
int main(int count, char **values) {
    program = values[0];
    how = count > 1 ? values[1] : "nothing";
    where = count > 2 ? values[2] : "";
    if (!LATE) look();
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, &lock);
    if (LATE) pthread_join(threads[0], 0);
    pthread_create(&threads[1], 0, work, 0);
    if (!LATE) pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
"#;

/// The program, which looks before it has a second thread, or in that (then its threads run one after the other).
fn reader(tool: &Tool, is_late: bool) -> PathBuf {
    let (name, flag) = match is_late {
        true => ("late", "-DLATE=1"),
        false => ("early", "-DLATE=0"),
    };
    tool.compile(name, READER, &[flag])
}

/// Orders of two threads that take a lock `n` times each.
fn orders(n: u64) -> u64 {
    [1, 2, 6, 20, 70][n as usize]
}

/// A test's own folder for a cache, empty.
fn empty(tool: &Tool, name: &str) -> String {
    let folder = tool.path(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder.to_str().expect("UTF-8").to_owned()
}

/// Checks with a cache; whether the verdict was taken over, and the number of executions.
fn cached(tool: &Tool, program: &Path, folder: &str, args: &[&str]) -> (bool, u64) {
    let checked = tool.check(program, &[&format!("--cache={folder}")], args);
    assert_eq!(checked.ran.code, 0, "{}", checked.ran.shown());
    assert_eq!(checked.report.verdict, Verdict::Verified);
    let count = checked.report.executions.complete;
    let how = if checked.report.cached {
        " (cached)"
    } else {
        ""
    };
    let executions = if count == 1 {
        "execution"
    } else {
        "executions"
    };
    let line = format!("verified: all {count} {executions}{how}\n");
    assert_eq!(checked.ran.stdout, line);
    assert_eq!(checked.ran.stderr, "");
    (checked.report.cached, count)
}
