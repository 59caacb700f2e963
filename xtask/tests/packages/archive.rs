//! The archive works wherever it is unpacked, and is the same each time.

use crate::{archive, folder, make, programs, text, works};
use std::process::Command;

#[test]
fn the_archive_works_where_it_is_unpacked_and_moved() {
    let folder = folder("archive works");
    let mut tar = Command::new("tar");
    works(tar.arg("-xzf").arg(archive()).arg("-C").arg(&folder));
    let name = format!("dpor-{}-x86_64-linux", env!("CARGO_PKG_VERSION"));
    let unpacked = folder.join(&name);
    for file in ["README.md", "LICENSE-MIT", "share/man/man1/dpor-check.1"] {
        assert!(unpacked.join(file).is_file(), "{file}");
    }
    // By a link from elsewhere.
    let link = folder.join("dpor");
    std::os::unix::fs::symlink(unpacked.join("bin/dpor"), &link).expect("a link");
    let said = text(&works(Command::new(&link).arg("doctor")).stdout);
    assert!(said.contains("races are found"), "{said}");
    assert!(said.contains(&unpacked.display().to_string()), "{said}");

    let moved = folder.join("moved");
    std::fs::rename(&unpacked, &moved).expect("moved");
    programs(&folder);
    let program = folder.join("counter");
    let mut compile = Command::new(moved.join("bin/dpor-c++"));
    compile
        .args(["-g", "-pthread", "-DFIXED", "-o"])
        .arg(&program);
    works(compile.arg(folder.join("counter.cc")));
    let mut check = Command::new(moved.join("bin/dpor"));
    let said = text(&works(check.arg("check").arg(&program)).stdout);
    // The mutex is taken in one of two orders.
    assert_eq!(said, "verified: all 2 executions\n");
}

#[test]
fn the_same_sources_make_the_same_archive() {
    let again = make(&folder("archive again"));
    let bytes = |path| std::fs::read(path).expect("the archive");
    assert!(bytes(archive()) == bytes(&again), "they differ");
}
