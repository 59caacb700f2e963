//! Names of members on the heap and of local variables, and values by their types, at -O0 and at -O2.
//!
//! *Oracle*: the program itself. It says of each expression, by the compiler's word, what it is written like and at which
//! address it is (`RACE`); a report that names an address has to use that expression.

use crate::levels::at_each_level;
use dpor_report::{Finding, Report};
use dpor_testsuite::tool::Tool;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Races on an expression, and tells its address.
const RACE: &str = "
#include <cstdint>
#include <dpor.h>
#include <thread>
#define TELL(e) dpor_observe(#e, (long)(std::uintptr_t)&(e))
#define RACE(e) (TELL(e), (e)++)
";

/// Checks that races are found on these expressions, and that each name is at its address.
fn assert_named(report: &Report, expressions: &[&str]) {
    let told: BTreeMap<&str, i64> = { report.outcomes.iter() }
        .flat_map(|outcome| &outcome.values)
        .map(|(name, &address)| (name.as_str(), address))
        .collect();
    let mut found = BTreeSet::new();
    for finding in &report.findings {
        let object = finding.object.as_ref().expect("a race is on an object");
        let address = told.get(object.name.as_str());
        let address = address.unwrap_or_else(|| panic!("{} is none of {told:?}", object.name));
        assert_eq!(address.cast_unsigned(), object.address, "{}", object.name);
        let sentence = format!("data race on {}", object.name);
        assert!(
            finding.message.starts_with(&sentence),
            "{}",
            finding.message
        );
        found.insert(object.name.as_str());
    }
    assert_eq!(found, expressions.iter().copied().collect());
}

/// Checks a program with `--keep-going`, whose races are on these expressions.
fn races_at_each_level(name: &str, text: &str, expressions: &[&str]) {
    let text = format!("{RACE}{text}");
    at_each_level(name, &text, |checked, tool| {
        let program = checked.report.program.clone();
        let all = tool.check(program.as_ref(), &["--keep-going"], &[]);
        assert_named(&all.report, expressions);
    });
}

#[test]
fn members_are_named_by_a_way_from_a_variable() {
    let text = "
#include <memory>
#include <vector>
struct Node { Node *next; int value; };
struct Account { long balance; };
struct List { int length; Node *head; };
struct Item { int id; int count[3]; };
struct Pool {
    List list{0, new Node{new Node{nullptr, 1}, 2}};
    std::vector<Item> items{4};
    std::unique_ptr<Account> owned = std::make_unique<Account>();
    std::shared_ptr<Account> shared = std::make_shared<Account>();
    Account **table = new Account *[3]{nullptr, new Account, nullptr};
};
static Pool *pool = new Pool;
static void work() {
    RACE(pool->list.length);
    RACE(pool->list.head->value);
    RACE(pool->list.head->next->value);
    RACE(pool->items[2].id);
    RACE(pool->items[3].count[1]);
    RACE(pool->owned->balance);
    RACE(pool->shared->balance);
    RACE(pool->table[1]->balance);
}
int main() { std::thread a(work), b(work); a.join(); b.join(); }
";
    let expressions = [
        "pool->list.length",
        "pool->list.head->value",
        "pool->list.head->next->value",
        "pool->items[2].id",
        "pool->items[3].count[1]",
        "pool->owned->balance",
        "pool->shared->balance",
        "pool->table[1]->balance",
    ];
    races_at_each_level("names_members", text, &expressions);
}

#[test]
fn variables_of_functions_are_named() {
    let text = "
struct Counter { int hits; int misses[2]; };
int main() {
    Counter counter{};
    Counter *other = new Counter{};
    int plain = 0;
    auto work = [&] { RACE(counter.hits); RACE(counter.misses[1]); RACE(other->hits); RACE(plain); };
    std::thread a(work), b(work);
    a.join();
    b.join();
    return counter.hits + other->hits + plain == 77;
}
";
    let expressions = ["counter.hits", "counter.misses[1]", "other->hits", "plain"];
    races_at_each_level("names_locals", text, &expressions);
}

#[test]
fn elements_that_are_not_in_one_row_have_no_number() {
    let text = "
#include <deque>
struct Job { int id; };
static std::deque<Job> jobs(5);
int main() {
    jobs.pop_front();
    auto work = [] { jobs[1].id++; };
    std::thread a(work), b(work);
    a.join();
    b.join();
}
";
    let text = format!("{RACE}{text}");
    at_each_level("names_rows", &text, |checked, _| {
        let object = checked.report.findings[0].object.as_ref();
        let object = object.expect("a race is on an object");
        assert_eq!(
            (object.name.as_str(), object.block_of.as_str()),
            ("jobs[…].id", "Job")
        );
    });
}

/// The operations of a trace, each with its object and the value by its type.
fn rows(finding: &Finding) -> Vec<(String, String, String)> {
    let steps = finding.trace.iter();
    steps
        .map(|step| {
            (
                step.operation.clone(),
                step.object.clone(),
                step.value_text.clone(),
            )
        })
        .collect()
}

#[test]
fn rows_have_values_by_their_types() {
    let text = "
#include <atomic>
#include <cassert>
#include <thread>
#include <mutex>
enum class State : unsigned char { open, closing };
enum Level { low = -1, high = 7 };
struct Item { int id, of; };
struct Account {
    std::mutex mutex;
    std::atomic<State> state{State::open};
    std::atomic<Level> level{high};
    std::atomic<int> balance{0};
    std::atomic<short> small{0};
    std::atomic<bool> done{false};
    std::atomic<Item *> item{nullptr};
    std::atomic<double> rate{0};
    Item items[2];
};
int main() {
    auto *account = new Account;
    std::thread a([&] {
        std::lock_guard<std::mutex> lock(account->mutex);
        account->state = State::closing;
        account->level = low;
        account->balance -= 10;
        account->small = -3;
        account->done = true;
        account->item = &account->items[1];
        account->item = nullptr;
        account->rate = 0.5;
        account->balance = 42;
    });
    a.join();
    assert(account->done == false);
}
";
    at_each_level("names_values", text, |checked, _| {
        let rows = rows(&checked.report.findings[0]);
        let has = |operation: &str, object: &str, value: &str| {
            let row = (operation.to_owned(), object.to_owned(), value.to_owned());
            assert!(rows.contains(&row), "{row:?} is none of {rows:#?}");
        };
        has("lock", "account->mutex", "");
        has("atomic-store", "account->state", "State::closing");
        has("atomic-store", "account->level", "low");
        has("atomic-rmw", "account->balance", "-10");
        has("atomic-store", "account->small", "-3");
        has("atomic-store", "account->done", "true");
        has("atomic-store", "account->item", "nullptr");
        has("atomic-store", "account->rate", "0.5");
        // The number says it all.
        has("atomic-store", "account->balance", "");
        let shown = &checked.ran.stdout;
        assert!(shown.contains("account->balance: 42"), "{shown}");
        assert!(shown.contains("account->state: State::closing"), "{shown}");
    });
}

/// Objects that are gone where the program fails, the second of each two at the place of the first.
#[test]
fn rows_have_the_names_of_their_time() {
    let text = "
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
struct Account { std::mutex mutex; std::atomic<long> balance{0}; };
struct Counter { std::atomic<long> hits[8]{}; };
struct Node { std::atomic<long> value{0}; };
struct Item { std::atomic<long> count{0}; };
template <typename Work> static void beside(Work work) { std::thread thread(work); thread.join(); }
__attribute__((noinline)) static void deposit() {
    Account account;
    beside([&] { std::lock_guard<std::mutex> lock(account.mutex); account.balance = 5; });
}
__attribute__((noinline)) static void count() {
    Counter counter;
    beside([&] { for (auto &hits : counter.hits) hits = 6; });
}
__attribute__((noinline)) static void link() {
    auto *node = new Node;
    beside([&] { node->value = 7; });
    delete node;
}
__attribute__((noinline)) static void order() {
    auto *item = new Item;
    beside([&] { item->count = 8; });
    delete item;
}
int main() {
    deposit();
    count();
    link();
    order();
    assert(0);
}
";
    at_each_level("names_moments", text, |checked, _| {
        let finding = &checked.report.findings[0];
        let stores = finding.trace.iter().filter(|step| step.value.is_some());
        let stores = stores.map(|step| (step.object.as_str(), step.value.unwrap_or_default()));
        let hits: Vec<String> = (0..8).map(|n| format!("counter.hits[{n}]")).collect();
        let mut expected = vec![("account.balance", 5)];
        expected.extend(hits.iter().map(|name| (name.as_str(), 6)));
        expected.extend([("node->value", 7), ("item->count", 8)]);
        let stores: Vec<(&str, u64)> = stores.collect();
        assert_eq!(stores, expected, "{}", checked.ran.stdout);
        let locks = rows(finding).into_iter().filter(|row| row.0 == "lock");
        let locks: Vec<String> = locks.map(|row| row.1).collect();
        assert_eq!(locks, ["account.mutex"]);
        let places: BTreeSet<u64> = { finding.trace.iter() }
            .filter(|step| step.value.is_some())
            .map(|step| step.address)
            .collect();
        // Places are used again, so that names by the address alone would be wrong.
        assert!(places.len() < expected.len(), "{places:x?}");
    });
}

#[test]
fn what_made_states_differ_is_named_on_stacks_and_on_the_heap() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct stats { long turns; int other; };
static atomic_int turn;
static void *serve(void *unused) {
    struct stats *s = calloc(1, sizeof *s);
    for (;;) {
        while (turn != 1) {}
        turn = 0;
        s->turns++;
    }
    return unused;
}
static void note(volatile int *n) { (*n)++; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
    int rounds = 0;
    for (;;) {
        while (turn != 0) {}
        turn = 1;
        note(&rounds);
    }
}
";
    for level in ["-O0", "-O2"] {
        let tool = Tool::new(&format!("names_differing{level}"));
        let program = tool.compile("rounds", text, &[level]);
        let found = tool.check(&program, &["--states", "--max-states=1000"], &[]);
        let states = found.report.states.expect("states were remembered");
        let named = { states.differing.iter() }
            .map(|differing| (differing.object.name.as_str(), differing.stack));
        let named: BTreeSet<_> = named.collect();
        let expected = BTreeSet::from([("rounds", Some(0)), ("s->turns", None)]);
        assert_eq!(named, expected, "{level}: {}", found.ran.stdout);
    }
}

#[test]
fn members_that_the_optimizer_took_apart_have_their_names() {
    let text = "
#include <thread>
struct Item { int key; long value; };
static Item item{1, 2};
namespace inner { static struct { int x, y; } pair; }
int main() {
    std::thread t([] { item.value++; inner::pair.y++; });
    item.value++;
    inner::pair.x += item.key++;
    inner::pair.y++;
    t.join();
    return item.value + inner::pair.x + inner::pair.y > 100;
}
";
    let apart = Cell::new(0);
    at_each_level("apart", text, |checked, tool| {
        let program = std::fs::read(&checked.report.program).expect("the program");
        let has =
            |symbol: &str| { program.windows(symbol.len()) }.any(|at| at == symbol.as_bytes());
        apart.set(apart.get() + usize::from(has("_ZL4item.1\0")));
        let all = tool.check(checked.report.program.as_ref(), &["--keep-going"], &[]);
        let objects = { all.report.findings.iter() }.map(|finding| {
            let object = finding.object.as_ref().expect("a race is on an object");
            let file = object.file.as_ref().expect("it is declared");
            assert!(file.ends_with("apart.cc"), "{file}");
            (object.name.as_str(), object.size, object.line)
        });
        let objects: BTreeSet<_> = objects.collect();
        let expect = [("inner::pair.y", 4, 5), ("item.value", 8, 4)];
        assert_eq!(objects, expect.into_iter().collect());
    });
    // Without optimization they stay together.
    assert_eq!(apart.get(), 1);
}
