//! Small random C programs, a function of their seed.
//!
//! All programs are in one C file, so that they are compiled at once; the first argument says which
//! one runs. Each thread folds everything it is given into a number of its own: plain and atomic
//! values, offsets of the blocks it allocates, times, random numbers, thread handles. The numbers are
//! observed when the threads have ended, so the outcome of an execution holds all of them.

use std::fmt::Write;

/// Where a sequence of random numbers stands (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    }
}

const PRELUDE: &str = r#"#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

long p0, p1;
atomic_long a0, a1;
_Atomic(void *) handed;
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
long h0, h1, h2, h3;
char *base;
pthread_t first;

static inline long fold(long h, long value) { return (h * 1000003 + value) & 0xffffffffff; }

static void *nothing(void *unused) { return unused; }
long start;

static inline long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec - start;
}
"#;

/// The C text of the programs with these seeds; program `i` runs with argument `i`.
pub fn programs(seeds: &[u64]) -> String {
    let mut text = PRELUDE.to_owned();
    for (number, seed) in seeds.iter().enumerate() {
        program(number, &mut Random(*seed), &mut text);
    }
    text.push_str("\nint main(int count, char **arguments) {\n");
    text.push_str(
        "    if (count < 2) return 2;\n    base = malloc(16);\n    first = pthread_self();\n",
    );
    // Time is the machine's until the first thread is created.
    text.push_str("    pthread_t thread;\n    pthread_create(&thread, 0, nothing, 0);\n");
    text.push_str("    pthread_join(thread, 0);\n    start = now();\n");
    text.push_str("    switch (atoi(arguments[1])) {\n");
    for number in 0..seeds.len() {
        let _ = writeln!(text, "    case {number}: main_{number}(); break;");
    }
    text.push_str("    }\n");
    for thread in 0..4 {
        let _ = writeln!(text, "    dpor_observe(\"h{thread}\", h{thread});");
    }
    // Joins carry time: main's last reading depends on every thread's.
    text.push_str("    dpor_observe(\"time\", now());\n    return 0;\n}\n");
    text
}

/// Two threads that main creates, or three, the third created by main or by the first.
fn program(number: usize, random: &mut Random, text: &mut String) {
    let third = random.below(3);
    let _ = writeln!(text, "\n// program {number}");
    for thread in (1..=if third == 0 { 2 } else { 3 }).rev() {
        let _ = writeln!(
            text,
            "static void *thread_{number}_{thread}(void *unused) {{"
        );
        text.push_str("    long h = 0;\n    void *block = 0;\n");
        let nests = third == 2 && thread == 1;
        if nests {
            let _ = writeln!(
                text,
                "    pthread_t child;\n    pthread_create(&child, 0, thread_{number}_3, 0);"
            );
        }
        let mut budget = if third == 0 {
            3 + random.below(4)
        } else {
            2 + random.below(2)
        };
        while budget > 0 {
            budget = budget.saturating_sub(operation(random, "    ", text, true));
        }
        if nests {
            text.push_str("    pthread_join(child, 0);\n");
        }
        let _ = writeln!(
            text,
            "    free(block);\n    h{thread} = h;\n    return unused;\n}}"
        );
    }
    let _ = writeln!(text, "static void main_{number}(void) {{\n    long h = 0;\n    void *block = 0;\n    pthread_t a, b, c;");
    let _ = writeln!(text, "    pthread_create(&a, 0, thread_{number}_1, 0);\n    pthread_create(&b, 0, thread_{number}_2, 0);");
    if third == 1 {
        let _ = writeln!(text, "    pthread_create(&c, 0, thread_{number}_3, 0);");
    }
    if random.below(2) == 0 {
        operation(random, "    ", text, true);
    }
    text.push_str("    pthread_join(a, 0);\n    pthread_join(b, 0);\n");
    text.push_str(if third == 1 {
        "    pthread_join(c, 0);\n"
    } else {
        "    (void)c;\n"
    });
    text.push_str("    free(block);\n    h0 = h;\n}\n");
}

/// One statement, or a few under a mutex; returns the number of its events.
fn operation(random: &mut Random, indent: &str, text: &mut String, may_lock: bool) -> u64 {
    let which = random.below(2);
    let value = 1 + random.below(9);
    let (line, events) = match random.below(if may_lock { 17 } else { 13 }) {
        0 => (format!("p{which} = {value};"), 0),
        1 => (format!("h = fold(h, p{which});"), 0),
        2 => (format!("p{which} = h + {value};"), 0),
        3 => (format!("h = fold(h, atomic_load(&a{which}));"), 1),
        4 => (format!("atomic_store(&a{which}, h + {value});"), 1),
        5 => (
            format!("h = fold(h, atomic_fetch_add(&a{which}, {value}));"),
            1,
        ),
        6 => (
            format!(
                "free(block); block = malloc({}); h = fold(h, (char *)block - base);",
                16 * value
            ),
            0,
        ),
        7 => ("atomic_store(&handed, block); block = 0;".to_owned(), 1),
        8 => (
            "free(block); block = atomic_exchange(&handed, 0); h = fold(h, block != 0);".to_owned(),
            1,
        ),
        9 => ("h = fold(h, now());".to_owned(), 0),
        10 => ("h = fold(h, rand());".to_owned(), 1),
        11 => (format!("printf(\"{value} %ld\\n\", h % 1000);"), 1),
        12 => ("h = fold(h, (long)(pthread_self() - first));".to_owned(), 0),
        _ => {
            let _ = writeln!(text, "{indent}pthread_mutex_lock(&m{which});");
            let mut events = 2;
            for _ in 0..1 + random.below(2) {
                // Mostly plain accesses: that is what mutexes are for.
                events += plain_or_any(random, &format!("{indent}    "), text, which);
            }
            (format!("pthread_mutex_unlock(&m{which});"), events)
        }
    };
    let _ = writeln!(text, "{indent}{line}");
    events.max(1)
}

/// A plain access to what the mutex protects, or anything else that takes no mutex.
fn plain_or_any(random: &mut Random, indent: &str, text: &mut String, which: u64) -> u64 {
    let line = match random.below(4) {
        0 | 1 => format!("h = fold(h, p{which});"),
        2 => format!("p{which} = p{which} * 3 + {};", 1 + random.below(9)),
        _ => return operation(random, indent, text, false),
    };
    let _ = writeln!(text, "{indent}{line}");
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_a_function_of_the_seeds() {
        assert_eq!(programs(&[1, 2]), programs(&[1, 2]));
        assert_ne!(programs(&[1, 2]), programs(&[1, 3]));
    }
}
