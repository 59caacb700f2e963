//! Variables named by address, in programs made by the system's compiler.

use dpor_driver::names::debug_info::{DebugInfo, Found};
use object::{Object, ObjectSymbol};
use std::process::Command;
use tempfile::TempDir;

const C: &str = "
#include <pthread.h>
struct account { int id; long balance; struct { char tag[4]; int level; } inner; };
typedef struct account account;
struct account one;
volatile account accounts[3];
_Atomic int flag;
int matrix[4][5];
pthread_mutex_t m;
pthread_mutex_t locks[2];
union { int whole; short half; } both;
struct { struct { int x; }; int y; } anonymous;
int *pointer;
static int hidden = 1;
__thread int own;
int *get(void) { static int counter = 1; return pointer ? &counter : &hidden; }
int main(void) { own = 1; return *get(); }
";

/// Compiles `source` and answers what stands at `symbol` + offset.
struct Compiled {
    _folder: TempDir,
    file: Vec<u8>,
    info: DebugInfo,
}

impl Compiled {
    fn new(compiler: &str, flags: &str, name: &str, source: &str) -> Compiled {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join(name), source).unwrap();
        let status = Command::new(compiler)
            .args(flags.split_whitespace())
            .args([name, "-o", "program", "-pthread"])
            .current_dir(folder.path())
            .status();
        assert!(status.unwrap().success());
        let program = folder.path().join("program");
        Compiled {
            file: std::fs::read(&program).unwrap(),
            info: DebugInfo::read(&program).unwrap(),
            _folder: folder,
        }
    }

    fn find(&self, symbol: &str, offset: u64, wanted: u64) -> Option<Found> {
        let file = object::File::parse(&*self.file).unwrap();
        let is_it = |s: &object::Symbol<'_, '_>| {
            // A static variable of a function is `counter.0` to gcc, `get.counter` to clang.
            let name = s.name().unwrap();
            name.split('.').any(|part| part == symbol)
        };
        let address = file.symbols().find(is_it).unwrap().address();
        self.info.find(address + offset, wanted)
    }

    /// Name and size.
    fn named(&self, symbol: &str, offset: u64, wanted: u64) -> (String, u64) {
        let found = self.find(symbol, offset, wanted).unwrap();
        (found.name, found.size)
    }
}

#[test]
fn parts_of_c_variables() {
    let installed = dpor_abi::llvm::VERSIONS.map(|version| format!("clang-{version}"));
    let runs = |name: &String| Command::new(name).arg("--version").output().is_ok();
    let mut compilers: Vec<String> = installed.into_iter().filter(runs).collect();
    assert!(!compilers.is_empty(), "no clang-N is installed");
    compilers.push("cc".to_owned());
    let flags = ["-g", "-gdwarf-4 -O1 -no-pie"];
    for (compiler, flags) in compilers.iter().flat_map(|c| flags.map(|f| (c, f))) {
        let compiled = Compiled::new(compiler, flags, "x.c", C);
        let check = |symbol: &str, offset: u64, wanted: u64, expect: &str, size: u64| {
            let found = compiled.named(symbol, offset, wanted);
            assert_eq!(
                found,
                (expect.to_owned(), size),
                "{symbol}+{offset} {compiler} {flags}"
            );
        };
        // struct account: id at 0, balance at 8, inner at 16 (tag) and 20 (level); 24 bytes.
        check("one", 0, 4, "one.id", 4);
        check("one", 8, 8, "one.balance", 8);
        check("one", 18, 1, "one.inner.tag[2]", 1);
        check("one", 20, 4, "one.inner.level", 4);
        check("one", 0, 24, "one", 24);
        check("accounts", 24 + 8, 8, "accounts[1].balance", 8);
        check("accounts", 2 * 24, 24, "accounts[2]", 24);
        check("accounts", 0, 72, "accounts", 72);
        check("flag", 0, 4, "flag", 4);
        // Row 2, column 3 of four rows of five.
        check("matrix", 4 * 13, 4, "matrix[2][3]", 4);
        check("m", 0, 0, "m", 40);
        check("m", 16, 0, "m", 40);
        check("locks", 40, 0, "locks[1]", 40);
        check("both", 0, 4, "both.whole", 4);
        check("both", 0, 2, "both.whole", 4);
        check("anonymous", 0, 4, "anonymous.x", 4);
        check("anonymous", 4, 4, "anonymous.y", 4);
        check("pointer", 0, 8, "pointer", 8);
        check("pointer", 4, 2, "pointer+4", 8);
        check("hidden", 0, 4, "hidden", 4);
        check("counter", 0, 4, "counter", 4);
        let found = compiled.find("accounts", 0, 4).unwrap();
        assert_eq!((found.file.as_str(), found.line), ("x.c", 6));
        // Behind the last element is no part of it.
        let behind = compiled.find("accounts", 72, 4);
        assert!(behind.is_none_or(|found| !found.name.starts_with("accounts")));
    }
}

#[test]
fn names_of_cxx_variables() {
    let source = "
        namespace bank { struct Account { int id; int balance; }; Account first; }
        struct Base { int b; };
        struct Derived : Base { static int count; int d; };
        int Derived::count = 3;
        Derived derived;
        int main() { return bank::first.id; }
    ";
    let compiled = Compiled::new("c++", "-g", "x.cc", source);
    assert_eq!(
        compiled.named("_ZN4bank5firstE", 4, 4),
        ("bank::first.balance".to_owned(), 4)
    );
    assert_eq!(
        compiled.named("_ZN7Derived5countE", 0, 4),
        ("Derived::count".to_owned(), 4)
    );
    assert_eq!(compiled.named("derived", 0, 4), ("derived.b".to_owned(), 4));
    assert_eq!(compiled.named("derived", 4, 4), ("derived.d".to_owned(), 4));
}

#[test]
fn without_debug_information_the_symbol_table_serves() {
    let compiled = Compiled::new("cc", "-g0", "x.c", C);
    assert_eq!(compiled.named("flag", 0, 4), ("flag".to_owned(), 4));
    assert_eq!(
        compiled.named("accounts", 32, 8),
        ("accounts+32".to_owned(), 0)
    );
}
