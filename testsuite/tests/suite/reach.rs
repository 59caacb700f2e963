//! Which tests a change can reach: programs that link one library, of which one line is changed at a time.
//!
//! The lists of programs that change are made by hand, from who calls whom in the sources below.

use dpor_driver::cache::code::{digest, How};
use dpor_testsuite::tool::Tool;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Sources by their names; what begins with `main` is a program, all else that is no header is in the library.
type Sources = BTreeMap<&'static str, String>;

/// A library and its programs, which are built again as far as their sources changed.
struct Build<'a> {
    tool: &'a Tool,
    compiler: &'a str,
    flags: &'a [&'a str],
    /// What was compiled last: the source, with the headers.
    compiled: BTreeMap<&'static str, String>,
}

impl<'a> Build<'a> {
    fn new(tool: &'a Tool, compiler: &'a str, flags: &'a [&'a str]) -> Build<'a> {
        let compiled = BTreeMap::new();
        Build {
            tool,
            compiler,
            flags,
            compiled,
        }
    }

    fn path(&self, name: &str) -> String {
        let path = self.tool.path(name);
        path.to_str().expect("paths of tests are UTF-8").to_owned()
    }

    fn run(&self, command: &mut Command) {
        let ran = self.tool.run(command, "");
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.shown());
    }

    /// The digest of each program.
    fn digests(&mut self, sources: &Sources) -> BTreeMap<String, [u8; 16]> {
        let headers = sources.iter().filter(|(name, _)| name.ends_with(".h"));
        let headers: String = headers.map(|(_, text)| text.as_str()).collect();
        for (name, text) in sources {
            std::fs::write(self.tool.path(name), text).expect("sources can be written");
        }
        for (&name, text) in sources.iter().filter(|(name, _)| !name.ends_with(".h")) {
            let all = headers.clone() + text;
            if self.compiled.get(name) != Some(&all) {
                let mut command = self.tool.compiler(self.compiler);
                command.args(self.flags).arg("-c").arg(self.path(name));
                self.run(command.arg("-o").arg(self.path(&format!("{name}.o"))));
                self.compiled.insert(name, all);
            }
        }
        let is_code = |name: &&&str| !name.ends_with(".h");
        let (mains, library): (Vec<_>, Vec<_>) = sources
            .keys()
            .filter(is_code)
            .partition(|name| name.starts_with("main"));
        let archive = self.path("library.a");
        drop(std::fs::remove_file(&archive));
        let objects = library.iter().map(|name| self.path(&format!("{name}.o")));
        self.run(Command::new("ar").arg("rcs").arg(&archive).args(objects));
        let program = |name: &&str| {
            let of = self.link(name, &[&archive]);
            let found = digest(&of).expect("the program can be read");
            assert!(
                matches!(found.how, How::Reached { .. }),
                "{name}: {:?}",
                found.how
            );
            let stem = name.split('.').next().unwrap_or_default();
            (stem["main_".len()..].to_owned(), found.digest)
        };
        mains.into_iter().map(program).collect()
    }

    fn link(&self, main: &str, more: &[&str]) -> PathBuf {
        let path = self.tool.path(&format!("{main}.out"));
        let mut command = self.tool.compiler(self.compiler);
        command
            .args(self.flags)
            .arg(self.path(&format!("{main}.o")));
        self.run(command.args(more).arg("-o").arg(&path));
        path
    }
}

/// A change of a text in a source, and the programs that it reaches.
struct Change {
    what: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    reaches: &'static [&'static str],
}

/// Makes one change at a time and compares the programs that change with the list. Without a change none does.
fn check(build: &mut Build, sources: &Sources, changes: &[Change]) {
    let before = build.digests(sources);
    build.compiled.clear();
    assert_eq!(build.digests(sources), before, "the same once more");
    for change in changes {
        let mut changed = sources.clone();
        let text = changed.get_mut(change.file).expect("the file is there");
        assert_eq!(text.matches(change.from).count(), 1, "{}", change.what);
        *text = text.replace(change.from, change.to);
        let after = build.digests(&changed);
        let differ = before.iter().filter(|(name, of)| after[*name] != **of);
        let differ: Vec<&str> = differ.map(|(name, _)| name.as_str()).collect();
        let flags = build.flags;
        assert_eq!(differ, change.reaches, "{}, {flags:?}", change.what);
    }
}

/// All versions of LLVM, or the newest.
fn versions(all: bool) -> Vec<u32> {
    let versions = Tool::versions();
    match all {
        true => versions,
        false => versions.into_iter().max().into_iter().collect(),
    }
}

const HEADER: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
int add(int), publish(void), choose(int), unused(int);
const char *name(void);
static inline int inlined(int x) { return x * 40; }
";

const FIRST: &str = r#"#include "library.h"
int limit = 10;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) int scaled(int x) { return x * 3 + limit; }
int add(int x) {
    pthread_mutex_lock(&mutex);
    int sum = scaled(x);
    pthread_mutex_unlock(&mutex);
    return sum;
}
const char *name(void) { return "some name"; }
int unused(int x) { return x - 100 + limit; }
// end
"#;

const SECOND: &str = r#"#include "library.h"
static volatile atomic_int flag;
volatile int plain;
static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }
int (*table[])(int) = { first, second };
int publish(void) {
    plain = 5;
    atomic_store_explicit(&flag, 1, memory_order_seq_cst);
    return inlined(atomic_load(&flag));
}
int choose(int x) { return table[x & 1](x); }
"#;

fn c_sources() -> Sources {
    let main = |body: &str| {
        format!("#include \"library.h\"\nint main(int c, char **v) {{ (void)v; {body} }}\n")
    };
    [
        ("library.h", HEADER.to_owned()),
        ("first.c", FIRST.to_owned()),
        ("second.c", SECOND.to_owned()),
        ("main_add.c", main("return add(c);")),
        ("main_choose.c", main("return choose(c);")),
        ("main_name.c", main("return name()[c];")),
        ("main_publish.c", main("return publish();")),
    ]
    .into()
}

/// `first.c` is linked by those that call `add` or `name`, `second.c` by the other two.
const C_CHANGES: [Change; 17] = [
    Change {
        what: "a number in a static function",
        file: "first.c",
        from: "x * 3",
        to: "x * 5",
        reaches: &["add"],
    },
    Change {
        what: "the first value of a variable",
        file: "first.c",
        from: "limit = 10",
        to: "limit = 11",
        reaches: &["add"],
    },
    Change {
        what: "a variable becomes volatile",
        file: "first.c",
        from: "int limit",
        to: "volatile int limit",
        reaches: &["add"],
    },
    Change {
        what: "a text",
        file: "first.c",
        from: "some name",
        to: "some game",
        reaches: &["name"],
    },
    Change {
        what: "a function that nobody calls",
        file: "first.c",
        from: "x - 100",
        to: "x - 101",
        reaches: &[],
    },
    Change {
        what: "a function that nobody calls goes away",
        file: "first.c",
        from: "int unused(int x) { return x - 100 + limit; }",
        to: "",
        reaches: &[],
    },
    Change {
        what: "functions, texts and variables are added behind",
        file: "first.c",
        from: "// end",
        to: "static int more = 3; static int uses(const char *x) { return *x + more++; }
            int added(void) { static int local; return uses(\"added\") + uses(name()) + local++; }",
        reaches: &[],
    },
    Change {
        what: "and in front, at lines of their own",
        file: "first.c",
        from: "#include \"library.h\"",
        to: "int puts(const char *);
            static int early = 3; static __attribute__((cold)) int uses(const char *x) { return puts(x) + early++; }
            int added(void) { static int local; return uses(\"added\") + uses(\"too\") + local++; }
            \n#line 1\n#include \"library.h\"",
        reaches: &[],
    },
    Change {
        what: "a lock",
        file: "first.c",
        from: "const char *name(void) {",
        to: "const char *name(void) { pthread_mutex_lock(&mutex);",
        reaches: &["name"],
    },
    Change {
        what: "a constructor",
        file: "first.c",
        from: "// end",
        to: "__attribute__((constructor)) static void start(void) { pthread_mutex_lock(&mutex); }",
        reaches: &["add", "name"],
    },
    Change {
        what: "a memory order",
        file: "second.c",
        from: "memory_order_seq_cst",
        to: "memory_order_relaxed",
        reaches: &["publish"],
    },
    Change {
        what: "a function of a table",
        file: "second.c",
        from: "x + 2",
        to: "x + 3",
        reaches: &["choose"],
    },
    Change {
        what: "an entry of a table",
        file: "second.c",
        from: "{ first, second }",
        to: "{ first, first, second }",
        reaches: &["choose"],
    },
    Change {
        what: "a variable has threads' copies",
        file: "second.c",
        from: "volatile int plain",
        to: "_Thread_local volatile int plain",
        reaches: &["publish"],
    },
    Change {
        what: "a function of a header",
        file: "library.h",
        from: "x * 40",
        to: "x * 41",
        reaches: &["publish"],
    },
    Change {
        what: "a definition that the linker finds before the other",
        file: "first.c",
        from: "// end",
        to: "__attribute__((weak)) int publish(void) { return 7; }",
        reaches: &["publish"],
    },
    Change {
        what: "a place in the source",
        file: "second.c",
        from: "\nint choose",
        to: "\n\nint choose",
        reaches: &["choose"],
    },
];

#[test]
fn changes_reach_those_who_call() {
    for (name, flags, all) in [
        ("0", &["-O0"][..], false),
        ("2", &["-O2"], true),
        (
            "3",
            &["-O3", "-ffunction-sections", "-Wl,--gc-sections", "-no-pie"],
            false,
        ),
        ("lto", &["-O2", "-flto"], false),
    ] {
        for version in versions(all) {
            let tool = Tool::with(&format!("reach_c_{name}"), version);
            let mut build = Build::new(&tool, "dpor-cc", flags);
            check(&mut build, &c_sources(), &C_CHANGES);
        }
    }
}

const SHAPES: &str = "#include <exception>
struct Error : std::exception {
    int n;
    explicit Error(int n) : n(n) {}
};
struct Shape {
    virtual int area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};
struct Circle : Shape {
    int radius;
    explicit Circle(int radius) : radius(radius) {}
    int area() const override;
};
template <class T> T twice(T x) { return x + x; }
Shape *make_square(int), *make_circle(int);
int risky(int), careful(int), counted(int);
";

const SHAPES_CC: &str = "#include \"shapes.h\"
int Circle::area() const { return 3 * radius * radius; }
Shape *make_square(int side) { return new Square(side); }
Shape *make_circle(int radius) { return new Circle(radius); }
";

const RISKS_CC: &str = "#include \"shapes.h\"
__attribute__((noinline)) int risky(int x) {
    if (x > 5)
        throw Error(x);
    return twice(x);
}
int careful(int x) {
    try {
        return risky(x);
    } catch (const Error &) {
        return -1;
    }
}
struct Counter {
    int n;
    Counter() : n(4) {}
    ~Counter() { n = 0; }
};
int counted(int x) {
    static Counter counter;
    return counter.n += x;
}
";

fn cxx_sources() -> Sources {
    let main =
        |body: &str| format!("#include \"shapes.h\"\nint main(int c, char **) {{ {body} }}\n");
    [
        ("shapes.h", SHAPES.to_owned()),
        ("shapes.cc", SHAPES_CC.to_owned()),
        ("risks.cc", RISKS_CC.to_owned()),
        ("main_careful.cc", main("return careful(c);")),
        ("main_circle.cc", main("return make_circle(c)->area();")),
        ("main_counted.cc", main("return counted(c);")),
        ("main_square.cc", main("return make_square(c)->area();")),
    ]
    .into()
}

const CXX_CHANGES: [Change; 9] = [
    Change {
        what: "a virtual function of a header",
        file: "shapes.h",
        from: "side * side",
        to: "side + side",
        reaches: &["square"],
    },
    Change {
        what: "a virtual function of the library",
        file: "shapes.cc",
        from: "3 * radius",
        to: "4 * radius",
        reaches: &["circle"],
    },
    Change {
        what: "an entry of a virtual table",
        file: "shapes.h",
        from: "int area() const override;",
        to: "int area() const override; virtual int more() const { return 1; }",
        reaches: &["circle"],
    },
    Change {
        what: "a destructor of a base",
        file: "shapes.h",
        from: "virtual ~Shape() {}",
        to: "virtual ~Shape() { throw 1; }",
        reaches: &["circle", "square"],
    },
    Change {
        what: "a template",
        file: "shapes.h",
        from: "return x + x;",
        to: "return x * 3;",
        reaches: &["careful"],
    },
    Change {
        what: "what is caught",
        file: "risks.cc",
        from: "const Error &)",
        to: "const std::exception &)",
        reaches: &["careful"],
    },
    Change {
        what: "what is thrown",
        file: "risks.cc",
        from: "throw Error(x)",
        to: "throw x",
        reaches: &["careful"],
    },
    Change {
        what: "a constructor of a static variable",
        file: "risks.cc",
        from: "n(4)",
        to: "n(5)",
        reaches: &["counted"],
    },
    Change {
        what: "a variable that is constructed at start",
        file: "risks.cc",
        from: "int counted(int x) {",
        to: "static Counter early; int counted(int x) {",
        reaches: &["careful", "counted"],
    },
];

#[test]
fn changes_of_cxx_reach_those_who_call() {
    for (name, flags, all) in [("0", &["-O0"], false), ("2", &["-O2"], true)] {
        for version in versions(all) {
            let tool = Tool::with(&format!("reach_cxx_{name}"), version);
            let mut build = Build::new(&tool, "dpor-c++", flags);
            check(&mut build, &cxx_sources(), &CXX_CHANGES);
        }
    }
}
