//! States of files that are made for it.

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

fn written_at(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let file = std::fs::File::options().append(true).open(path);
    file.and_then(|file| file.set_modified(time)).expect("set");
}

#[test]
fn states_differ_where_a_program_finds_something_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let state = |name: &str| State::of(&path(name)).expect("known");
    let write = |name: &str, text: &[u8]| std::fs::write(path(name), text).expect("written");
    let mut seen = vec![state("a"), State::of(folder.path()).expect("known")];
    write("a", b"one");
    written_at(&path("a"), 100);
    seen.extend([state("a"), State::of(folder.path()).expect("known")]);
    write("a", b"two");
    written_at(&path("a"), 100);
    seen.push(state("a"));
    written_at(&path("a"), 101);
    seen.push(state("a"));
    std::os::unix::fs::symlink("a", path("b")).expect("linked");
    seen.push(state("b"));
    write("c", b"two");
    written_at(&path("c"), 101);
    assert_eq!(state("c"), state("a"));
    std::fs::remove_file(path("b")).expect("removed");
    std::os::unix::fs::symlink("c", path("b")).expect("linked");
    seen.push(state("b"));
    std::fs::remove_file(path("c")).expect("removed");
    seen.push(state("b"));
    for (k, one) in seen.iter().enumerate() {
        assert!(!seen[..k].contains(one), "{k}: {seen:?}");
    }
}

#[test]
fn of_an_elf_file_its_contents_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lib.so");
    std::fs::write(&path, b"\x7fELF 1").expect("written");
    written_at(&path, 100);
    let first = State::of(&path);
    written_at(&path, 200);
    assert_eq!(State::of(&path), first);
    std::fs::write(&path, b"\x7fELF 2").expect("written");
    assert_ne!(State::of(&path), first);
}

#[test]
fn devices_have_no_state_but_those_that_never_change() {
    let null = State::of(Path::new("/dev/null")).expect("known");
    assert_eq!((&*null.is, null.unwritten), ("device", None));
    assert!(State::of(Path::new("/dev/random")).is_err());
    assert!(State::of(Path::new("/proc/loadavg")).is_err());
}

#[test]
fn what_nobody_wrote_is_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    std::fs::write(&path, "one").expect("written");
    let now = SystemTime::now();
    if !is_dated(&path) {
        // Of memory, for example: it is read each time.
        assert_eq!(
            (stamp(&path), unwritten(&path, now + 2 * TICK)),
            (None, None)
        );
        return;
    }
    // It was written just now, and may be written again without another time.
    assert_eq!(unwritten(&path, now), None);
    let later = now + 2 * TICK;
    let old = unwritten(&path, later);
    assert_eq!(old, stamp(&path));
    let state = State {
        is: "whatever".to_owned(),
        unwritten: old.clone(),
    };
    assert!(old.is_some() && state.holds(&path));
    // Whoever sets the time of writing back has changed it all the same.
    let written = path.metadata().and_then(|it| it.modified()).expect("known");
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(&path, "two").expect("written");
    let file = File::options().append(true).open(&path);
    file.and_then(|file| file.set_modified(written))
        .expect("set");
    assert!(!state.holds(&path));
    assert_ne!(stamp(&path), old);
    // A link that leads elsewhere.
    std::os::unix::fs::symlink("a", folder.path().join("b")).expect("linked");
    let link = folder.path().join("b");
    let before = unwritten(&link, later);
    std::fs::remove_file(&path).expect("removed");
    std::fs::write(&path, "two").expect("written");
    assert!(before.is_some() && stamp(&link) != before);
}

/// All of a program's ways to see a difference.
#[test]
fn kinds_permissions_and_reasons_are_part_of_a_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let state = |name: &str| State::of(&path(name)).expect("known");
    let make = |name: &str| std::fs::create_dir(path(name)).expect("made");
    let write = |name: &str| {
        std::fs::write(path(name), "").expect("written");
        written_at(&path(name), 100);
    };
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, path(name)).expect("linked");
    let mode = |name: &str, mode: u32| {
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).expect("set");
    };
    // What is missing can be made in another way each time.
    let mut seen = vec![state("in/deep/a")];
    make("in");
    seen.push(state("in/deep/a"));
    make("in/deep");
    seen.push(state("in/deep/a"));
    mode("in/deep", 0o500);
    seen.push(state("in/deep/a"));
    std::fs::remove_dir(path("in/deep")).expect("removed");
    write("in/deep");
    seen.push(state("in/deep/a"));
    // Modes of a file and of a folder.
    seen.push(state("in/deep"));
    mode("in/deep", 0o640);
    seen.push(state("in/deep"));
    seen.push(state("in"));
    mode("in", 0o750);
    seen.push(state("in"));
    // The same bytes in names, and another kind by the same name.
    for names in [["ab", "c"], ["a", "bc"]] {
        let name = format!("of-{}", names[0]);
        make(&name);
        names.iter().for_each(|one| write(&format!("{name}/{one}")));
        seen.push(state(&name));
    }
    std::fs::remove_file(path("of-a/bc")).expect("removed");
    make("of-a/bc");
    seen.push(state("of-a"));
    // A link to nothing, and to itself.
    link("none", "link");
    seen.push(state("link"));
    link("circle", "circle");
    seen.push(state("circle"));
    for (k, one) in seen.iter().enumerate() {
        assert!(!seen[..k].contains(one), "{k}: {seen:?}");
    }
    // Both say only that they cannot be found, but why is not the same.
    let kind = |state: &State| state.is.split(' ').nth(2).map(str::to_owned);
    assert_ne!(kind(&state("link")), kind(&state("circle")));
    // Who may change the owner (the superuser) sees that it counts.
    let before = state("in/deep");
    if std::os::unix::fs::chown(path("in/deep"), Some(12_345), None).is_ok() {
        let owner = state("in/deep");
        assert_ne!(owner, before);
        std::os::unix::fs::chown(path("in/deep"), None, Some(12_345)).expect("set");
        assert_ne!(state("in/deep"), owner);
    }
}

#[test]
fn what_the_system_makes_up_is_read_each_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/proc/loadavg", &link).expect("linked");
    let around = Path::new("/usr/../proc/loadavg");
    for path in [
        &link,
        around,
        Path::new("/sys/kernel"),
        Path::new("/dev/null"),
    ] {
        assert_eq!(stamp(path), None, "{}", path.display());
    }
    // A mode, two owners and a digest, and no time.
    let steady = State::of(Path::new("/proc/sys/kernel/ostype")).expect("known");
    assert_eq!(steady.is.split(' ').count(), 5, "{steady:?}");
    assert!(State::of(Path::new("/proc/self/mountinfo")).is_ok());
    assert!(State::of(Path::new("/proc/thread-self/comm")).is_err());
    // No memory is at its begin.
    assert!(contents(Path::new("/proc/self/mem")).is_err());
}

/// A file is as young as the younger of its two times, and a link as the younger of itself and what it leads to.
#[test]
fn what_is_young_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    std::fs::write(&path, "").expect("written");
    if !is_dated(&path) {
        return;
    }
    let now = SystemTime::now();
    let later = now + 2 * TICK;
    assert!(unwritten(&path, later).is_some());
    written_at(&path, 100);
    assert_eq!(unwritten(&path, now), None);
    let old = Path::new("/bin/sh").canonicalize().expect("a shell");
    assert_eq!(unwritten(&old, now).is_some(), is_dated(&old));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&old, &link).expect("linked");
    assert_eq!(unwritten(&link, now), None);
    std::fs::remove_file(&link).expect("removed");
    std::os::unix::fs::symlink("a", &link).expect("linked");
    assert!(unwritten(&link, later).is_some());
    let before = stamp(&link);
    std::fs::remove_file(&link).expect("removed");
    std::os::unix::fs::symlink("./a", &link).expect("linked");
    assert_ne!(stamp(&link), before);
    let file = File::options().append(true).open(&path).expect("opened");
    file.set_modified(later).expect("set");
    assert_eq!(unwritten(&path, later), None);
    assert_eq!(unwritten(&link, later), None);
}
