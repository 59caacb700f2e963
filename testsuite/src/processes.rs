//! The processes of a check, looked at and disturbed from outside.

use std::process::Command;
use std::time::{Duration, Instant};

/// Four threads that each take a lock three times: 12! / 3!^4 orders, [`LONG_EXECUTIONS`]. A search of a
/// second or a few. With `-DLAST=4` the last thread takes it four times: 13! / (3!^3 4!) orders,
/// [`LONGER_EXECUTIONS`].
pub const LONG: &str = "
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#ifndef LAST
#define LAST 3
#endif
static int x, times[4] = {3, 3, 3, LAST};
static void *work(void *mine) {
    for (int i = 0; i < *(int *)mine; i++) {
        pthread_mutex_lock(&mutex);
        x++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}
int main(void) {
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) pthread_create(&threads[t], 0, work, &times[t]);
    for (int t = 0; t < 4; t++) pthread_join(threads[t], 0);
    return 0;
}
";

/// Number of executions of [`LONG`].
pub const LONG_EXECUTIONS: u64 = 369_600;
/// Number of executions of [`LONG`] with `-DLAST=4`.
pub const LONGER_EXECUTIONS: u64 = 1_201_200;

/// Two threads of 14 additions whose results are used: 28! / 14!^2, or 40 million executions, more than
/// any test waits for.
pub const ENDLESS: &str = "
#include <pthread.h>
#include <stdatomic.h>
atomic_int cell;
int seen[2];
static void *work(void *mine) {
    for (int i = 0; i < 14; i++) *(int *)mine += atomic_fetch_add(&cell, 1);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
";

/// Three threads that each take a lock three times, and are not to take it twice at the beginning: 9! /
/// 3!^3 = 1,680 orders; of those that begin with the last thread twice there are 7! / (3! 3! 1!) = 140.
pub const ORDERS: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include \"dpor.h\"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[9], n;
static void *work(void *mine) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        order[n++] = *(int *)mine;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}
int main(void) {
    pthread_t threads[3];
    static int numbers[3] = {0, 1, 2};
    for (int t = 0; t < 3; t++) pthread_create(&threads[t], 0, work, &numbers[t]);
    for (int t = 0; t < 3; t++) pthread_join(threads[t], 0);
    dpor_observe(\"last\", order[8]);
    printf(\"%d%d\\n\", order[3], order[4]);
    assert(order[0] != 2 || order[1] != 2);
    return 0;
}
";

/// The processes whose parent is `parent`: of the driver the program's, the coordinator; of that one its
/// workers.
pub fn children(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_ascii_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// Waits until it is there.
///
/// # Panics
/// After a minute.
pub fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal (`-KILL`); false if there is no such process any more.
///
/// # Panics
/// If `kill` cannot be run.
pub fn send(signal: &str, process: u32) -> bool {
    let mut kill = Command::new("kill");
    kill.args([signal, &process.to_string()]);
    kill.status().expect("kill can be run").success()
}
