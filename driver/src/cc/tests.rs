//! Whole calls, by hand.

use super::*;

fn toolchain() -> Toolchain {
    Toolchain {
        clang: "/c/clang".into(),
        llvm: 19,
        pass: "/d/lib/dpor/llvm-19/libdpor.so".into(),
        lib: "/d/lib".into(),
        include: "/d/include".into(),
    }
}

const PASS: &str =
    "--start-no-unused-arguments -fpass-plugin=/d/lib/dpor/llvm-19/libdpor.so -isystem /d/include/dpor -idirafter /d/include";
const END: &str = "--end-no-unused-arguments";
const RUNTIME: &str = "-Wl,--no-as-needed -ldpor_rt";
const LINK: &str = "--start-no-unused-arguments -L/d/lib -Xlinker -rpath -Xlinker /d/lib \
     -Xlinker -z -Xlinker now -Xlinker --defsym=__dpor_all_known=1 --end-no-unused-arguments";

fn add(args: &str) -> Result<Additions, String> {
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    rewrite(&args, &toolchain(), None, &|path| match path.to_str()? {
        "objects.rsp" => Some("a.o 'b c.o'\n-flto".to_owned()),
        "compile.rsp" => Some("-c x.c".to_owned()),
        "again.rsp" => Some("@again.rsp".to_owned()),
        _ => None,
    })
}

/// The whole call.
fn call(args: &str) -> String {
    let additions = add(args).unwrap();
    let args: Vec<&str> = args.split_whitespace().collect();
    let (options, inputs) = args.split_at(options_end(&args));
    let parts = [
        additions.before.join(" "),
        options.join(" "),
        additions.after.join(" "),
        inputs.join(" "),
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

#[test]
fn behind_two_dashes_are_inputs_only() {
    let expect = format!("{PASS} -g1 -D__DPOR__=1 {RUNTIME} {END} -o x {LINK} -- x.c");
    assert_eq!(call("-o x -- x.c"), expect);
}

#[test]
fn the_level_of_the_environment_is_the_last() {
    let rewrite = |args: &str, level: &str| {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        rewrite(&args, &toolchain(), Some(level), &|_| None)
    };
    let after = |args: &str| rewrite(args, "-O0").unwrap().after.join(" ");
    assert_eq!(
        after("-O3 -c x.c"),
        format!("--start-no-unused-arguments -O0 {END}")
    );
    let linked = after("-O3 x.c");
    assert!(
        linked.starts_with("--start-no-unused-arguments -O0 -L/d/lib"),
        "{linked}"
    );
    assert_eq!(after("-v"), "");
    for odd in ["O2", "-g", "-O9", "-O2 -g"] {
        assert!(rewrite("x.c", odd).is_err(), "{odd}");
    }
}

#[test]
fn compiling_adds_the_pass() {
    let check = |args: &str| {
        let expect = format!("{PASS} -g1 -D__DPOR__=1 {END} {args}");
        assert_eq!(call(args), expect, "{args}");
    };
    check("-c x.c");
    check("-c x.c -o x.o -MD -MF x.d -MT x.o");
    check("-S -O2 x.c");
    check("-E -");
    check("-E -dM -x c /dev/null");
    check("-M x.c");
    check("-fsyntax-only x.cc");
    check("-x c-header x.h -c");
    check("-x c++-header x.h -o x.pch");
    check("x.hpp -o x.pch");
    check("-c x.ll");
    check("-c -x c x.s");
    check("-c -o -lx x.c");
    check("-c a.c b.c c.c");
    check("@compile.rsp");
    check("-r a.c");
    check("-c -fsanitize=undefined x.c");
    check("-c -flto -fno-lto x.c");
    check("-c -static x.c");
    check("-c -- -odd.c");
    check("-c --target=x86_64-pc-linux-gnu x.c");
}

#[test]
fn openmp_is_our_own_unless_another_is_named() {
    let start = PASS.replace("-idirafter", "-isystem /d/include/dpor/openmp -idirafter");
    let tls = "-fnoopenmp-use-tls -g1 -D__DPOR__=1";
    let compiled = format!("{start} {tls} {END} -fopenmp -c x.c");
    assert_eq!(call("-fopenmp -c x.c"), compiled);
    for args in ["-fopenmp x.c", "-fopenmp=libomp x.c"] {
        let linked = format!("{start} {tls} {RUNTIME} -L/d/lib/dpor/openmp {END} {args} {LINK}");
        assert_eq!(call(args), linked, "{args}");
    }
    for args in [
        "-fopenmp=libgomp x.c",
        "-fopenmp=libiomp5 x.c",
        "-fopenmp -fno-openmp x.c",
        "-fopenmp-simd x.c",
    ] {
        let linked = format!("{PASS} -g1 -D__DPOR__=1 {RUNTIME} {END} {args} {LINK}");
        assert_eq!(call(args), linked, "{args}");
    }
    for args in [
        "-fopenmp x.c -lomp",
        "-fopenmp x.c -l omp",
        "-fopenmp x.c -l:libomp.so.5",
        "-fopenmp x.c /usr/lib/llvm-19/lib/libomp.so",
        "-fopenmp x.c -liomp5",
    ] {
        let linked = format!("{PASS} {tls} {RUNTIME} {END} {args} {LINK}");
        assert_eq!(call(args), linked, "{args}");
    }
    assert!(call("-fopenmp x.c -lompi libompt.a").contains("/openmp"));
}

#[test]
fn another_system_has_its_own_headers() {
    let pass = PASS.replace("-isystem /d/include/dpor ", "");
    for args in [
        "-c -nostdinc x.c",
        "-c -nostdlibinc x.c",
        "-c --sysroot=/s x.c",
        "-c --sysroot /s x.c",
        "-c -isysroot /s x.c",
        "-c -isysroot/s x.c",
    ] {
        assert_eq!(
            call(args),
            format!("{pass} -g1 -D__DPOR__=1 {END} {args}"),
            "{args}"
        );
    }
    assert!(call("-c -nostdinc++ x.cc").contains("-isystem"));
    assert!(call("-c -o -nostdinc x.c").contains("-isystem"));
}

#[test]
fn linking_adds_the_runtime_first_and_its_folder_last() {
    let check = |args: &str| {
        let expect = format!("{PASS} -g1 -D__DPOR__=1 {RUNTIME} {END} {args} {LINK}");
        assert_eq!(call(args), expect, "{args}");
    };
    check("x.c");
    check("x.c -o x -lpthread");
    check("-shared -fPIC x.c -o libx.so");
    check("-g0 x.c");
    check("-");
    check("-x c - -o x");
    check("-### x.c");
    check("a.o x.c");
    check("-m32 -m64 x.c");
    check("-MD x.c");
}

#[test]
fn objects_and_assembler_get_no_debug_option() {
    let link = |args: &str| {
        let expect = format!("{PASS} {RUNTIME} {END} {args} {LINK}");
        assert_eq!(call(args), expect, "{args}");
    };
    link("a.o b.o -o x");
    link("-o x -lfoo");
    link("-Wl,--version");
    link("-Xlinker --version");
    link("a.o libfoo.so.1 libbar.a");
    let assemble = |args: &str| {
        let expect = format!("{PASS} {END} {args}");
        assert_eq!(call(args), expect, "{args}");
    };
    assemble("-c x.s");
    assemble("-c x.S");
    assemble("-c -x assembler -");
    assemble("-c -xassembler-with-cpp x.c");
}

#[test]
fn without_an_input_nothing_is_added() {
    for args in [
        "",
        "-v",
        "--version",
        "-dumpmachine",
        "-print-search-dirs",
        "--print-file-name=libc.so",
        "--version x.c",
        "-print-prog-name=ld x.c",
        "-cc1 -emit-obj x.c",
        "-cc1as x.s",
        "-c",
        "-o x",
        "-x c",
        "-I x.c",
        "@again.rsp -v -dumpversion",
    ] {
        assert_eq!(call(args), args);
    }
}

#[test]
fn verbose_is_passed_on_and_noticed() {
    assert!(add("-v -c x.c").unwrap().verbose);
    assert!(!add("-c -o -v x.c").unwrap().verbose);
}

#[test]
fn what_cannot_be_done_is_said() {
    let check = |args: &str, expect: &str| {
        let message = add(args).unwrap_err();
        assert!(message.contains(expect), "{args}: {message}");
    };
    check("-flto --ld-path=/usr/bin/ld.bfd x.c", "--ld-path");
    check("-static x.c", "-static");
    check("-static-pie x.o", "-static");
    check("-m32 -c x.c", "64-bit x86");
    check("-target aarch64-linux-gnu -c x.c", "64-bit x86");
    check("--target=i686-linux-gnu x.c", "64-bit x86");
}

/// At link time lld instruments, whichever linker the arguments name.
#[test]
fn link_time_optimization_takes_lld_with_the_pass() {
    const BEGIN: &str = "--start-no-unused-arguments";
    const PLUGIN: &str = "-Xlinker --load-pass-plugin=/d/lib/dpor/llvm-19/libdpor.so";
    let rest = LINK.trim_start_matches("--start-no-unused-arguments ");
    let linked = |args: &str, lld: &str, rest: &str| {
        let after = add(args).unwrap().after.join(" ");
        let expect = format!("{BEGIN} {lld} {rest}");
        assert_eq!(after, expect.replace("  ", " "), "{args}");
    };
    let ours = format!("-fuse-ld=lld {PLUGIN}");
    linked("-flto x.c", &ours, rest);
    linked("-flto=thin -fuse-ld=bfd a.o -o x", &ours, rest);
    linked("-fno-lto @objects.rsp -o x", &ours, rest);
    linked("-flto -r a.o -o x.o", &ours, END);
    linked("-flto -fuse-ld=lld x.c", PLUGIN, rest);
    linked("a.o -fuse-ld=lld-19", PLUGIN, rest);
    linked("-flto -fuse-ld=bfd --ld-path=/l/ld.lld x.c", PLUGIN, rest);
    linked("-flto --ld-path=/l/ld.lld -fuse-ld=bfd x.c", PLUGIN, rest);
    linked(
        "-c -flto -ffat-lto-objects x.c",
        "-fno-fat-lto-objects",
        END,
    );
    let old = Toolchain {
        llvm: 15,
        ..toolchain()
    };
    let lto = ["-flto".to_owned(), "x.c".to_owned()];
    let why = rewrite(&lto, &old, None, &|_| None).unwrap_err();
    assert!(why.contains("clang 16 or a newer"), "{why}");
    for args in ["-flto x.c", "-flto -r x.o", "-flto -fuse-ld=gold x.o"] {
        assert!(add(args).unwrap().needs_lld, "{args}");
    }
    for args in [
        "-flto -c x.c",
        "-flto -fno-lto x.c",
        "-flto -fuse-ld=lld x.o",
        "x.c",
    ] {
        assert!(!add(args).unwrap().needs_lld, "{args}");
    }
    for args in [
        "-c -flto=thin x.c",
        "-flto -ffat-lto-objects -fno-fat-lto-objects -c x.c",
    ] {
        assert!(add(args).unwrap().after.is_empty(), "{args}");
    }
}

#[test]
fn sanitizers_with_a_runtime_of_their_own_are_refused() {
    for name in ["thread", "address", "memory", "leak"] {
        for args in [
            format!("-fsanitize={name} -c x.c"),
            format!("-fsanitize=undefined,{name} x.c"),
            format!("-fno-sanitize={name} -fsanitize={name} x.o"),
        ] {
            let why = add(&args).expect_err("refused");
            assert!(
                why.starts_with(&format!("-fsanitize={name}: ")),
                "{args}: {why}"
            );
        }
        // The last word counts; a question is no compilation.
        for args in [
            format!("-fsanitize={name} -fno-sanitize={name} -c x.c"),
            format!("-fsanitize={name} -fno-sanitize=all -c x.c"),
            format!("-fsanitize={name} --version"),
        ] {
            assert!(add(&args).is_ok(), "{args}");
        }
    }
    assert!(add("-fsanitize=undefined,integer -c x.c").is_ok());
}

#[test]
fn assertions_that_are_compiled_out_are_noticed() {
    let check = |args: &str, expect: bool| {
        assert_eq!(add(args).unwrap().without_assertions, expect, "{args}");
    };
    check("-c x.c", false);
    check("-DNDEBUG -c x.c", true);
    check("-D NDEBUG -c x.c", true);
    check("-DNDEBUG=1 -c x.c", true);
    check("-Wp,-DNDEBUG,-DX -c x.c", true);
    check("-DNDEBUG -UNDEBUG -c x.c", false);
    check("-UNDEBUG -DNDEBUG -c x.c", true);
    check("-DNDEBUGGING -c x.c", false);
    check("-D X -I NDEBUG -c x.c", false);
}
