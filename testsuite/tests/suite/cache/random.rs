//! Random changes, against a model.

use super::{empty, orders};
use dpor_testsuite::tool::Tool;
use std::collections::BTreeMap;

/// Two threads that take a lock as often as a file says: the second or third argument, by the digit in the first.
const CHOOSER: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int times;
static int digit(const char *name) {
    FILE *file = fopen(name, "r");
    if (!file) abort();
    int digit = fgetc(file) - '0';
    fclose(file);
    return digit;
}
static void *work(void *unused) {
    for (int k = 0; k < times; k++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(int count, char **names) {
    if (count != 4) abort();
    times = digit(digit(names[1]) % 2 ? names[3] : names[2]);
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) pthread_create(&threads[k], 0, work, 0);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
}
"#;

/// A model says when a verdict is taken over: if neither the first file nor the one it chose was written since the last
/// check with the same variable.
#[test]
fn random_changes_are_noticed_where_they_matter() {
    let tool = Tool::new("cache-random");
    let program = tool.compile("chooser", CHOOSER, &[]);
    let folder = empty(&tool, "kept");
    let names = ["first", "even", "odd"].map(|name| tool.path(name));
    let mut random = 7u64;
    let mut below = |limit: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % limit
    };
    // Of each file its digit and how often it was written; of each variable what was found.
    let mut files = [(0, 0u32); 3];
    let mut known: BTreeMap<u64, [(usize, u32); 2]> = BTreeMap::new();
    let mut taken_over = 0;
    for round in 0..120 {
        for (file, name) in files.iter_mut().zip(&names) {
            if round == 0 || below(6) == 0 {
                *file = (1 + below(3), file.1 + 1);
                std::fs::write(name, file.0.to_string()).expect("written");
            }
        }
        let chosen = if files[0].0 % 2 == 1 { 2 } else { 1 };
        let found = [(0, files[0].1), (chosen, files[chosen].1)];
        let variable = below(2);
        let is_known = known.insert(variable, found) == Some(found);
        taken_over += u32::from(is_known);
        let mut command = tool.dpor("check");
        command.env("VARIABLE", variable.to_string());
        command
            .arg(format!("--cache={folder}"))
            .arg(&program)
            .arg("--")
            .args(&names);
        let ran = tool.run(&mut command, "");
        let how = if is_known { " (cached)" } else { "" };
        let line = format!(
            "verified: all {} executions{how}\n",
            orders(files[chosen].0)
        );
        assert_eq!(
            (ran.code, ran.stdout),
            (0, line),
            "{round}: {files:?} {}",
            ran.stderr
        );
    }
    assert!((20..100).contains(&taken_over), "{taken_over}");
}
