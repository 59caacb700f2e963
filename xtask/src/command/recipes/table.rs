//! The recipes, in the order of the page.

/// A library, and how it is built and used.
pub struct Recipe {
    /// The recipe's name on the command line.
    pub name: &'static str,
    /// The recipe's title on the page.
    pub title: &'static str,
    /// Debian's source package.
    pub package: &'static str,
    /// The parts of the archive that are unpacked, as patterns of tar; empty: all.
    pub parts: &'static [&'static str],
    /// Debian packages that the build needs.
    pub needs: &'static [&'static str],
    /// The folder in which the commands run, below the source's folder.
    pub folder: &'static str,
    /// The commands: lines of shell.
    pub build: &'static str,
    /// The remark behind the commands.
    pub remark: &'static str,
    /// The program's file and text.
    pub program: (&'static str, &'static str),
    /// The command that makes `prog` of the program.
    pub compile: &'static str,
    /// Variables of the environment for all checks.
    pub environment: &'static [(&'static str, &'static str)],
    pub checks: &'static [Check],
}

/// A check of the program.
pub struct Check {
    pub options: &'static [&'static str],
    /// The program's argument; empty: none.
    pub argument: &'static str,
    pub expect: Expect,
}

/// The result that a check must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    Verified,
    /// Data races alone, and one of them in the program.
    Race,
    /// No finding, and not everything was explored.
    Nothing,
}

const NONE: &[&str] = &[];

const fn check(options: &'static [&'static str], argument: &'static str, expect: Expect) -> Check {
    Check {
        options,
        argument,
        expect,
    }
}

pub const ALL: [Recipe; 4] = [
    Recipe {
        name: "glib",
        title: "GLib",
        package: "glib2.0",
        parts: &[],
        needs: &["meson", "libffi-dev", "libpcre2-dev", "zlib1g-dev"],
        folder: ".",
        build: r#"meson setup _build --wrap-mode=nofallback --default-library=static \
    -Dtests=false -Dnls=disabled -Dlibmount=disabled -Dselinux=disabled
ninja -C _build -j2 glib/libglib-2.0.a"#,
        remark: "",
        program: ("glib.c", include_str!("programs/glib.c")),
        compile: r#"dpor-cc -O1 -g glib.c -I. -Iglib -I_build -I_build/glib \
    _build/glib/libglib-2.0.a -lpcre2-8 -lm -pthread -o prog"#,
        environment: &[],
        checks: &[
            check(NONE, "", Expect::Verified),
            check(NONE, "racy", Expect::Race),
        ],
    },
    Recipe {
        name: "abseil",
        title: "abseil",
        package: "abseil",
        parts: &[],
        needs: &["cmake"],
        folder: ".",
        build: r#"cmake -S . -B _build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_STANDARD=14
cmake --build _build --target synchronization -j2"#,
        remark: "",
        program: ("abseil.cc", include_str!("programs/abseil.cc")),
        compile: r#"dpor-c++ -std=c++14 -O1 -g abseil.cc -I. \
    -Wl,--start-group $(find _build -name '*.a') -Wl,--end-group -o prog"#,
        environment: &[],
        checks: &[
            check(NONE, "", Expect::Verified),
            check(NONE, "racy", Expect::Race),
        ],
    },
    Recipe {
        name: "onetbb",
        title: "oneTBB",
        package: "onetbb",
        parts: &[],
        needs: &["cmake"],
        folder: ".",
        build: r#"sed -i -e 's/my_pause_threshold{ 2 . (num_workers + 1) }/my_pause_threshold{ 0 }/' \
    -e 's/my_yield_threshold{100 . yields_multiplier}/my_yield_threshold{ 0 }/' src/tbb/scheduler_common.h
cmake -S . -B _build -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF
cmake --build _build --target tbb -j2"#,
        remark: "With what `sed` changes, a thread that finds no work goes to sleep at once. \
                 As it comes it looks a hundred times more, at a victim that it draws, and each number of turns is another execution. \
                 Even so there are too many to explore them all: races are found by samples, and nothing is verified. \
                 An execution of a `parallel_for` of two threads with an empty body has about 4,650 events: 4,100 of them are made when its table of 2,048 waiters is destroyed, 510 for the 256 places of workers, by one thread, and cost time only; the other 250 are of both threads, on words of the arena, its mailboxes and task streams, and make the executions many; \
                 2,306 such executions took 13.3 seconds of CPU time (on 2026-11-28), without an end in sight; those without a preemption (`--bound=0`) come to an end: 2, and 2,237 that were cut, in 12.8 seconds. \
                 A `parallel_for` of four iterations, and `std::for_each` with `std::execution::par` over 64 elements, are the same (476 executions in 3.7 seconds and 1,942 in 13.0, about 4,300 events each; no error is found in them). \
                 With a race in the body, 20 samples (`--search=surw`) found it in the program's own line in both, in 3 and 19 seconds on a busy machine.",
        program: ("onetbb.cc", include_str!("programs/onetbb.cc")),
        compile: r#"dpor-c++ -O1 -g onetbb.cc -Iinclude -L$(echo _build/*_relwithdebinfo) -ltbb \
    -Wl,-rpath,$(echo $PWD/_build/*_relwithdebinfo) -o prog"#,
        environment: &[],
        checks: &[
            check(&["--time-limit=60"], "", Expect::Nothing),
            check(
                &["--search=surw", "--samples=20", "--time-limit=120"],
                "racy",
                Expect::Race,
            ),
        ],
    },
    Recipe {
        name: "openmp",
        title: "OpenMP, with LLVM's libomp",
        package: "llvm-toolchain-19",
        parts: &["*/cmake", "*/openmp"],
        needs: &["cmake", "python3"],
        folder: "openmp",
        build: r#"sed -i 's/if (\*lk == 0) {/if (__atomic_load_n(lk, __ATOMIC_ACQUIRE) == 0) {/' runtime/src/kmp_csupport.cpp
sed -i '/^  \/\/ Main wait spin loop/i\
  if (!Cancellable \&\& __kmp_tasking_mode == tskm_immediate_exec \&\&\
      __kmp_dflt_blocktime == KMP_MAX_BLOCKTIME)\
    while (flag->C::notdone_check() \&\& !TCR_4(__kmp_global.g.g_done));' runtime/src/kmp_wait_release.h
cmake -S . -B _build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOPENMP_ENABLE_LIBOMPTARGET=OFF \
    -DLIBOMP_OMPD_SUPPORT=OFF -DLIBOMP_OMPT_SUPPORT=OFF -DLIBOMP_USE_ITT_NOTIFY=OFF
cmake --build _build --target omp -j2"#,
        remark: "For checks, dpor's [own OpenMP runtime](openmp.md) takes one execution where this one takes thousands; this is for those who want to check libomp. `-lomp` in the call asks for it. \
                 The first change mends a race of libomp's own: `critical` looks without an atomic access whether its lock was made already. \
                 The second takes what a thread waits for out of a loop that does much else, which nobody could prove to do nothing in a turn: it is what remains of that loop with these variables. \
                 The variables let threads wait without going to sleep (a clock decides when they do), run a task where it is met (so that tasks of one thread are not explored against each other), and leave the masks of the 1,024 processors alone. \
                 Without all of this the search does not end. \
                 `z_Linux_asm.S` is assembly, without instrumentation; it calls what it is given, and the verdict has a note.",
        program: ("openmp.c", include_str!("programs/openmp.c")),
        compile: r#"dpor-cc -fopenmp -O1 -g openmp.c -I_build/runtime/src -L_build/runtime/src \
    -lomp -Wl,-rpath,$PWD/_build/runtime/src -o prog"#,
        environment: &[
            ("KMP_BLOCKTIME", "infinite"),
            ("KMP_TASKING", "0"),
            ("KMP_USE_YIELD", "0"),
            ("KMP_AFFINITY", "disabled"),
        ],
        checks: &[
            check(NONE, "reduction", Expect::Verified),
            check(NONE, "racy-sum", Expect::Race),
            check(NONE, "atomic", Expect::Verified),
            check(NONE, "barrier", Expect::Verified),
            check(NONE, "no-barrier", Expect::Race),
            check(&["--time-limit=120"], "critical", Expect::Nothing),
            check(&["--time-limit=120"], "task", Expect::Nothing),
            check(&["--time-limit=120"], "racy-task", Expect::Race),
        ],
    },
];
