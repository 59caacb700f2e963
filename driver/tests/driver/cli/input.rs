//! What cannot be checked is said in one sentence.

use crate::installation::Installation;

/// Programs and other files, none of which can be checked.
fn make_files(installation: &Installation) {
    installation.write("script", "#!/bin/sh\n");
    installation.write(
        "wrapper",
        "#!/bin/sh\n# wrapper - temporary wrapper script for libtool\n",
    );
    installation.write("text", "hello");
    installation.gcc("-DPLAIN program.c -o plain -Llib -ldpor_rt -Wl,-rpath,lib");
    installation.gcc("-DABI=999 program.c -o newer -Llib -ldpor_rt -Wl,-rpath,lib");
    installation.gcc("-shared -fPIC program.c -o library.so -Llib -ldpor_rt");
    installation.gcc("-c program.c -o object");
    installation.gcc("-static program.c runtime.c -o static");
    installation.gcc("program.c runtime.c -o unlinked");
    installation.gcc("program.c -o hidden -Llib -ldpor_rt -Wl,-rpath,lib");
    installation.run("chmod", "-x hidden");
    installation.elf32("small");
}

#[test]
fn bad_input_gets_one_sentence() {
    let installation = Installation::with_program();
    make_files(&installation);
    let check = |line: &str, expect: &str| {
        let ran = installation.dpor(line);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{line}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(expect), "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
    };
    check("check ./nowhere", "no such file: ./nowhere");
    check("check nowhere.c", "no such file: nowhere.c");
    check("check lib", "lib is a folder");
    check("check script", "script is a script");
    check("check wrapper", "libtool's wrapper script");
    check("check text", "is not a program");
    check("check plain", "plain is not instrumented");
    check(
        "check newer",
        &format!(
            "another version of dpor (interface 999, this one has {})",
            dpor_abi::ABI_VERSION
        ),
    );
    check("check library.so", "shared library, not a program");
    check("check object", "object is not linked");
    check("check static", "static is static");
    check("check unlinked", "not linked with the runtime");
    check("check hidden", "hidden is not executable");
    check("check small", "small is a 32-bit program");
    check("check ./program ./program", "only one program");
    check(
        "check --bound 2 -j 2 ./program",
        "a bound of preemptions is for one process: without -j and --mpi",
    );
    check(
        "check --search best ./program",
        "--search: 'best' is not one of",
    );
    check("show nowhere.json", "no such file: nowhere.json");
    check("show lib", "lib cannot be read");
    check("show text", "text is not a JSON report of dpor");
    check("show text#0", "'0' is not the number of a finding");
    check(
        "list-executions --outcome r1 ./program",
        "--outcome: 'r1' is not NAME=VALUE",
    );
    check(
        "list-executions --first 2 -j 2 ./program",
        "--first and -j exclude each other",
    );
    check("list-executions nowhere", "no such file: nowhere");
    check("replay nowhere.json", "no such file: nowhere.json");
    check("replay text", "text is not a JSON report of dpor");
    check("replay text#0", "'0' is not the number of a finding");
    check("replay --gdb text", "text is not a JSON report of dpor");
    check("replay --rr text", "text is not a JSON report of dpor");

    std::fs::remove_file(installation.path("lib/libdpor_rt.so")).unwrap();
    check("check ./program", "the runtime libdpor_rt.so is neither");

    let ran = installation.dpor("check --depth 3 ./program");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--depth"), "{}", ran.stderr);
}
