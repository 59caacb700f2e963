//! Programs of which it is not known what they reach: there the whole file counts.

use dpor_driver::cache::code::{digest, How};
use dpor_testsuite::tool::Tool;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Folder(Tool);

impl Folder {
    fn new(test: &str) -> Folder {
        Folder(Tool::new(&format!("reach_unknown_{test}")))
    }

    fn run(&self, command: &mut Command) {
        let ran = self.0.run(command, "");
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.shown());
    }

    /// A file with a text.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path(name);
        std::fs::write(&path, text).expect("files can be written");
        path.to_str().expect("paths of tests are UTF-8").to_owned()
    }

    /// `dpor-cc ARGUMENTS -o NAME`.
    fn made(&self, name: &str, arguments: &[&str]) -> PathBuf {
        let path = self.0.path(name);
        let mut command = self.0.compiler("dpor-cc");
        self.run(command.args(arguments).arg("-o").arg(&path));
        path
    }
}

/// Why the whole file counts.
fn why(program: &Path) -> String {
    match digest(program).expect("the program can be read").how {
        How::WholeFile { why } => why,
        How::Reached { nodes, .. } => format!("{nodes} nodes are reached"),
    }
}

fn is_about(program: &Path, text: &str) {
    let why = why(program);
    assert!(why.contains(text), "{why:?} instead of {text:?}");
}

const MAIN: &str = "int other(int);\nint main(int c, char **v) { (void)v; return other(c); }\n";
const OTHER: &str = "int other(int x) { return x + 1; }\n";
const NOT_VOUCHED: &str = "was not linked by dpor-cc from what it knows";

#[test]
fn options_that_change_names_are_seen() {
    let folder = Folder::new("options");
    let (main, other) = (folder.file("main.c", MAIN), folder.file("other.c", OTHER));
    let wrapped = folder.file("wrapped.c", "int __wrap_other(int x) { return x + 2; }\n");
    let both = [main.as_str(), other.as_str()];
    let plain = folder.made("plain", &both);
    assert_eq!(why(&plain), "2 nodes are reached");
    for (name, more) in [
        ("wrap", &[wrapped.as_str(), "-Wl,--wrap=other"][..]),
        ("defsym", &["-Wl,--defsym=another=other"]),
        ("stripped", &["-s"]),
    ] {
        let program = folder.made(name, &[&both[..], more].concat());
        is_about(&program, NOT_VOUCHED);
    }
}

#[test]
fn code_without_records_is_seen() {
    let folder = Folder::new("foreign");
    let (main, other) = (folder.file("main.c", MAIN), folder.file("other.c", OTHER));
    let object = folder.0.path("other.o");
    let foreign = object.to_str().expect("paths of tests are UTF-8");
    let mut clang = folder.0.clang();
    folder.run(clang.args(["-c", &other, "-o", foreign]));
    is_about(&folder.made("by_clang", &[&main, foreign]), NOT_VOUCHED);

    // The linker is told by hand what dpor-cc would tell it if it did not look.
    let told = "-Wl,--defsym=__dpor_reach_known=1";
    is_about(
        &folder.made("told", &[&main, foreign, told]),
        "other is code without a record",
    );

    let data = folder.file("data.c", "int table[3] = { 1, 2, 3 };\n");
    let object = folder.0.path("data.o");
    let foreign = object.to_str().expect("paths of tests are UTF-8");
    let mut clang = folder.0.clang();
    folder.run(clang.args(["-c", &data, "-o", foreign]));
    let uses = "extern int table[3];\nint main(int c, char **v) { (void)v; return table[c]; }\n";
    let uses = folder.file("uses.c", uses);
    is_about(&folder.made("data", &[&uses, foreign]), NOT_VOUCHED);
    is_about(
        &folder.made("data_told", &[&uses, foreign, told]),
        "it reaches table, which has no record",
    );
}

#[test]
fn what_was_renamed_is_seen() {
    let folder = Folder::new("renamed");
    let (main, other) = (folder.file("main.c", MAIN), folder.file("other.c", OTHER));
    let objects = [
        folder.made("main.o", &["-c", &main]),
        folder.made("other.o", &["-c", &other]),
    ];
    for object in &objects {
        let mut objcopy = Command::new("objcopy");
        folder.run(objcopy.arg("--redefine-sym=other=another").arg(object));
    }
    let [main, other] =
        objects.map(|path| path.to_str().expect("paths of tests are UTF-8").to_owned());
    let program = folder.made("program", &[&main, &other]);
    is_about(&program, "without a record");
}

#[test]
fn assembly_beside_functions_is_seen() {
    let folder = Folder::new("assembly");
    let other = folder.file("other.c", OTHER);
    let assembly = format!("__asm__(\".globl alias\\n.set alias, other\");\n{MAIN}");
    let main = folder.file("main.c", &assembly);
    is_about(&folder.made("beside", &[&main, &other]), "assembly");
    let declares = format!("__asm__(\".globl other\");\n{MAIN}");
    let main = folder.file("declares.c", &declares);
    assert_eq!(
        why(&folder.made("declares", &[&main, &other])),
        "2 nodes are reached"
    );
}

/// From the end of its data on, a program could find all of it.
#[test]
fn ends_of_the_program_are_seen() {
    let folder = Folder::new("ends");
    let main = "extern char _end;\nint main(void) { return _end; }\n";
    let main = folder.file("main.c", main);
    is_about(&folder.made("program", &[&main]), "it reaches _end,");
}

/// What is in a section of a name of its own can be found without naming it.
#[test]
fn sections_are_reached() {
    let folder = Folder::new("sections");
    let main = "extern int __start_tests[], __stop_tests[];\nint main(void) { int sum = 0; \
                for (int *i = __start_tests; i < __stop_tests; i++) sum += *i; return sum; }\n";
    let main = folder.file("main.c", main);
    let text = "__attribute__((section(\"tests\"))) int one = 1;\nint two = 2;\n";
    let digest_with = |text: &str| {
        let more = folder.file("more.c", text);
        let program = folder.made("program", &[&main, &more]);
        assert_eq!(why(&program), "2 nodes are reached");
        digest(&program).expect("it can be read").digest
    };
    let before = digest_with(text);
    assert_eq!(digest_with(&text.replace("two = 2", "two = 3")), before);
    assert_ne!(digest_with(&text.replace("one = 1", "one = 3")), before);
}

/// A word of assembly in a function may be the name of another.
#[test]
fn assembly_in_functions_refers_to_names() {
    let folder = Folder::new("words");
    let main = "int main(void) { int r; __asm__(\"call other\" : \"=a\"(r) : \"D\"(1) : \"memory\", \"rcx\", \"rdx\"); \
                return r; }\n";
    let main = folder.file("main.c", main);
    let other = folder.file("other.c", OTHER);
    let program = folder.made("first", &[&main, &other]);
    assert_eq!(why(&program), "2 nodes are reached");
    let before = digest(&program).expect("it can be read").digest;
    let other = folder.file("other.c", &OTHER.replace("x + 1", "x + 2"));
    let program = folder.made("second", &[&main, &other]);
    assert_ne!(digest(&program).expect("it can be read").digest, before);
}
