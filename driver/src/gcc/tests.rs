//! Whole calls, by hand.

use super::*;

fn toolchain(version: u32, language: Language) -> Toolchain {
    Toolchain {
        version,
        lib: "/d/lib".into(),
        include: "/d/include".into(),
        language,
    }
}

fn add(args: &str) -> Result<Additions, String> {
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    rewrite(&args, &toolchain(12, Language::C), None, &|_| None)
}

#[test]
fn a_compilation_gets_the_calls_and_the_assembler() {
    let added = add("-O2 -c x.c").unwrap();
    for option in [
        "-B/d/lib/dpor/gcc/",
        "-fsanitize=thread",
        "--param=tsan-distinguish-volatile=1",
        "-fno-builtin-memset",
        "-g1",
        "-D__DPOR__=1",
    ] {
        assert!(added.before.iter().any(|one| one == option), "{option}");
    }
    assert!(!added.before.iter().any(|one| one == "-ldpor_rt"));
    assert!(added.after.is_empty() && !added.links);
}

#[test]
fn a_link_gets_the_runtime_first() {
    let added = add("x.o -o x").unwrap();
    assert!(added.before.ends_with(&["-ldpor_rt".to_owned()]));
    assert!(added.after.iter().any(|one| one == "now") && added.links);
    assert!(!added.before.iter().any(|one| one == "-g1"));
}

#[test]
fn old_and_other_compilers_get_what_they_know() {
    let args = ["-c".to_owned(), "x.f90".to_owned()];
    let old = rewrite(&args, &toolchain(10, Language::Fortran), None, &|_| None).unwrap();
    let is_new = |one: &String| one.starts_with("--param") || one.starts_with("-fno-builtin");
    assert!(!old.before.iter().any(is_new));
}

#[test]
fn questions_are_left_alone() {
    for args in ["--version", "-dumpversion", "-v", "-print-prog-name=as"] {
        assert_eq!(add(args), Ok(Additions::default()), "{args}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for args in [
        "-m32 x.c",
        "-fsanitize=address x.c",
        "-static x.o",
        "-masm=intel -c x.c",
        "-static-libtsan x.o",
    ] {
        assert!(add(args).is_err(), "{args}");
    }
    assert!(add("-fsanitize=thread -c x.c").is_ok());
}
