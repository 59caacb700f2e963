//! `cargo xtask package deb`: what is in the package, and that it works where it was unpacked.
//! Needs target/dpor (`cargo xtask build`).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

fn output(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn text(command: &mut Command) -> String {
    String::from_utf8(output(command).stdout).expect("text")
}

#[test]
fn a_package_that_works() {
    if Command::new("dpkg-shlibdeps")
        .arg("--version")
        .output()
        .is_err()
    {
        println!("skipped: dpkg-dev");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deb");
    drop(std::fs::remove_dir_all(&folder));
    // Whoever keeps his files to himself does not keep those of the package.
    let mut xtask = Command::new("sh");
    xtask.args(["-c", "umask 077; exec \"$@\"", "sh"]);
    xtask.args([env!("CARGO_BIN_EXE_xtask"), "package", "deb"]);
    output(xtask.args(["--no-build", "--output"]).arg(&folder));
    let package = folder.join(format!("dpor_{}_amd64.deb", env!("CARGO_PKG_VERSION")));
    let left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");

    let listed = text(Command::new("dpkg-deb").arg("--contents").arg(&package));
    let modes: BTreeSet<&str> = listed.lines().filter_map(|line| line.get(..10)).collect();
    let expected = ["-rw-r--r--", "-rwxr-xr-x", "drwxr-xr-x", "lrwxrwxrwx"];
    assert!(modes.into_iter().eq(expected), "{listed}");

    let field = |name: &str| {
        let mut dpkg = Command::new("dpkg-deb");
        text(dpkg.arg("--field").arg(&package).arg(name))
            .trim()
            .to_owned()
    };
    assert_eq!(
        (field("Package").as_str(), field("Architecture").as_str()),
        ("dpor", "amd64")
    );
    let depends = field("Depends");
    let compilers = depends.split(", ").next().unwrap_or_default();
    for compiler in compilers.split(" | ") {
        let llvm = compiler
            .strip_prefix("clang-")
            .unwrap_or_else(|| panic!("{depends}"));
        let pass = format!("usr/lib/dpor/lib/dpor/llvm-{llvm}/libdpor.so");
        let files = text(Command::new("dpkg-deb").arg("--contents").arg(&package));
        assert!(files.contains(&pass), "{pass}: {files}");
    }
    assert!(depends.contains("libc6 (>= 2."), "{depends}");
    // A system has one LLVM; those of other passes are not to be had there.
    assert!(!depends.contains("libllvm"), "{depends}");

    let root = folder.join("root");
    output(
        Command::new("dpkg-deb")
            .arg("--extract")
            .arg(&package)
            .arg(&root),
    );
    // As a system does that has /usr first in the search for packages and programs.
    let bin = root.join("usr/bin");
    let source = folder.join("x.c");
    std::fs::write(&source, PROGRAM).expect("the source can be written");
    let mut check = Command::new(bin.join("dpor"));
    check.arg("check").arg(&source).env_remove("DPOR_OPTIONS");
    // The mutex is taken in one of two orders.
    assert_eq!(text(&mut check), "verified: all 2 executions\n");
    let cxx = folder.join("x.cc");
    std::fs::write(
        &cxx,
        "#include <string>\nint main() { return std::string().size(); }\n",
    )
    .expect("writable");
    output(
        Command::new(bin.join("dpor-c++"))
            .arg(&cxx)
            .arg("-o")
            .arg(folder.join("x")),
    );
    for (link, needle) in [
        ("usr/include/dpor.h", "dpor_assume"),
        ("usr/lib/cmake/dpor/dpor-config.cmake", "dpor_add_test"),
        ("usr/lib/pkgconfig/dpor.pc", "prefix=/usr/lib/dpor\n"),
    ] {
        let text =
            std::fs::read_to_string(root.join(link)).unwrap_or_else(|why| panic!("{link}: {why}"));
        assert!(text.contains(needle), "{link}");
    }
    assert!(root.join("usr/share/man/man1/dpor-check.1.gz").is_file());
}
