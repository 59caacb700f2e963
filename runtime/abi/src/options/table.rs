//! The options: one entry each. What is said of an option anywhere comes from here.
//!
//! How an entry is read is said beside the macro ([`super::definition`]).

use super::definition::{options, Definition, Form};
use super::value::{at_least_one, depth, model, workers, Value};
use super::{
    Checkpoint, Cluster, ExitStatuses, Fair, Guarantee, MainReturn, Output, Plain, Races,
    Reductions, Search, States, Volatile,
};
use crate::timeouts::Timeouts;

/// Decides which executions there are, or what is a finding.
const SEARCH: bool = true;
/// Of one check: a search may go on without it or with another value.
const CHECK: bool = false;

options! {
    /// Run natively, with real threads.
    off: bool = false, "off", Form::Internal, CHECK;

    /// How executions are chosen: optimal, classic, dfs, icb; or drawn: random, pct, pos, surw; or auto: optimal,
    /// and samples where the limits are not enough for that [default: optimal]
    search: Search = Search::Optimal, "search", Form::Value("SEARCH"), SEARCH;

    /// Explore what needs at most so many preemptions [default: none]
    bound: Option<u32> = None, "bound", Form::Value("N"), SEARCH;

    /// Visit states, each once, instead of executions: for programs that go on for ever. compact: a fingerprint of each
    /// is kept; exact: all of it, and they are compared by their bytes; bitstate: three bits of each in --states-memory, so that some are taken for others and not visited [default: off]
    states: States = States::Off,
    "states", Form::Optional { value: "KEEP", without: "compact" }, SEARCH;

    /// Visit states, and say whether the formula of linear temporal logic holds on all runs, with a run that goes on for
    /// ever if not; for example 'G(request -> F answer)'. SPIN's operators; propositions are DPOR_PROPOSITIONs. May be
    /// given several times [default: none]
    ltl: Vec<String> = Vec::new(), "ltl", Form::Values("FORMULA"), SEARCH;

    /// Visit states, and say whether some run is accepted by the automaton in the file (HOA, generalized Büchi, as
    /// ltl2tgba writes it), which is one of the negation of a property. May be given several times [default: none]
    ///
    /// The runtime gets the name of the file, a line end, and what the file says.
    automaton: Vec<String> = Vec::new(), "automaton", Form::Values("FILE"), SEARCH;

    /// Visit states; runs that go on for ever without a dpor_progress() are findings
    non_progress: bool = false, "non-progress", Form::Switch, SEARCH;

    /// Visit states; runs on which a thread waits for a lock or a turn for ever, while others go on, are findings
    no_starvation: bool = false, "no-starvation", Form::Switch, SEARCH;

    /// Which runs that go on for ever count: weak (nobody who can go on from some moment on stands still for ever), none
    /// (all) [default: weak]
    fair: Fair = Fair::Weak, "fair", Form::Value("FAIR"), SEARCH;

    /// Visit states, and ask of them what is promised of the calls of threads 1, 2, …, `callers`.
    guarantee: Guarantee = Guarantee::None, "guarantee", Form::Internal, SEARCH;

    /// How many threads make calls, if something is promised of them.
    callers: u32 = 0, "callers", Form::Internal, SEARCH;

    /// Executions that end in different memory are a finding: in variables of the program or blocks of the heap
    deterministic: bool = false, "deterministic", Form::Switch, SEARCH;

    /// Stop after so many states [default: none]
    ///
    /// 0 is none.
    max_states: u64 = 0, "max-states", Form::Value("N"), CHECK;

    /// Look how states with the same dpor_abstraction go on: of so many that are met again one [default: 100]
    ///
    /// 0 is none.
    check_abstraction: u64 = 100, "check-abstraction", Form::Value("N"), CHECK;

    /// Do not go on from states that are further than so many events from the beginning, by the way on which they were met
    /// [default: none]
    ///
    /// 0 is none.
    max_depth: u64 = 0, "max-depth", Form::Value("N"), CHECK;

    /// Keep a state only behind so many steps of a thread, at most, where nobody else's step can matter in between: fewer
    /// states, and more steps [default: 1]
    ///
    /// At least 1.
    fuse: u64 = 1, "fuse", Form::Value("N"), CHECK, by at_least_one;

    /// Memory that states may take; of bitstate, what their bits take [default: 4 GB]
    ///
    /// In bytes.
    states_memory: u64 = 4 << 30, "states-memory", Form::Value("BYTES"), CHECK;

    /// Send states and steps with the report, for the driver to draw them.
    graph: bool = false, "graph", Form::Internal, CHECK;

    /// Raise the bound of preemptions from 0, until all is explored or --bound is reached
    iterative: bool = false, "iterative", Form::Switch, SEARCH;

    /// How data races are judged: c11, sc, warn (by c11; no bugs by themselves), off (neither they nor, without
    /// --plain=explore, memory errors are looked for; the verdict says so) [default: c11]
    races: Races = Races::C11, "races", Form::Value("RACES"), SEARCH;

    /// Plain accesses: check, explore [default: check]
    plain: Plain = Plain::Check, "plain", Form::Value("PLAIN"), SEARCH;

    /// Volatile accesses: atomic, plain [default: atomic]
    volatile: Volatile = Volatile::Atomic, "volatile", Form::Value("VOLATILE"), SEARCH;

    /// What may merge executions: commute, observers, counters, calls, symmetry, none; every-turn: no turn of a loop is
    /// left out because it looked in vain [default: commute,observers,counters,calls]
    reductions: Reductions = Reductions::default(), "reductions", Form::Value("REDUCTIONS"), SEARCH;

    /// How states are taken back: snapshot, fork, restart, or auto: snapshots, and forks once they are measured to be
    /// cheaper [default: auto]
    checkpoint: Checkpoint = Checkpoint::Auto, "checkpoint", Form::Value("CHECKPOINT"), CHECK;

    /// Whose output is shown: finding, all, none [default: finding]
    output: Output = Output::Finding, "output", Form::Value("OUTPUT"), CHECK;

    /// When main returns or calls exit: exit-handlers (they run at once, while other threads run), run (main's
    /// return waits for all others first), exit (the end of the process is an event that races with the rest) [default: exit-handlers]
    main_return: MainReturn = MainReturn::ExitHandlers,
    "main-return", Form::Value("MAIN_RETURN"), SEARCH;

    /// Report all distinct findings, not only the first
    keep_going: bool = false, "keep-going" | 'k', Form::Switch, CHECK;

    /// List the distinct outcomes recorded with dpor_observe
    outcomes: bool = false, "outcomes", Form::Switch, CHECK;

    /// Name the system calls that are events because nothing else stands for them
    verbose: bool = false, "verbose" | 'v', Form::Switch, CHECK;

    /// Show all events of a trace, not only those that matter for the finding
    full: bool = false, "full", Form::Switch, CHECK;

    /// Write the files of the reported execution; otherwise the disk stays as it was
    commit_files: bool = false, "commit-files", Form::Switch, SEARCH;

    /// A warning makes the verdict a bug
    warnings_as_errors: bool = false, "warnings-as-errors", Form::Switch, SEARCH;

    /// Send progress messages.
    progress: bool = false, "progress", Form::Internal, CHECK;

    /// Zeros are no mutex: warn of each that is used and that nobody initialized
    strict: bool = false, "strict", Form::Switch, SEARCH;

    /// How many calls with a time limit may reach it in one execution although others could go on: 1, N, all, none [default: 1]
    timeouts: Timeouts = Timeouts::AtMost(1),
    "timeouts", Form::Optional { value: "N", without: "all" }, SEARCH;

    /// End when the estimate says that the limits will not be enough.
    give_up: bool = false, "give-up", Form::Internal, CHECK;

    /// Stop at a loop that has no end, for the driver to bound it.
    deepen: bool = false, "deepen", Form::Internal, CHECK;

    /// There is room for 1,024 threads besides the first, not for 63: set once a program needed it.
    many_threads: bool = false, "many-threads", Form::Internal, SEARCH;

    /// Report each different way in which executions end, with the trace of the first, as a warning of kind
    /// `outcome-difference` whose message is a `dpor_report::Ending`.
    endings: bool = false, "endings", Form::Internal, CHECK;

    /// Report each of the first so many complete executions as `endings` would, with its number, and end after them.
    ///
    /// 0: report different endings. For one process.
    first: u64 = 0, "first", Form::Internal, CHECK;

    /// Worker processes [default: one, and as many as there are processors once it pays]
    ///
    /// Without it, a search of everything that after a second is estimated to go on for more than four begins again with a
    /// worker for each processor that the check may use. It has the same executions then, but which of several bugs is
    /// found first may differ, as with any number of workers: -j 1 keeps to one.
    workers: u32 = 1, "j", Form::Value("N"), CHECK, by workers;

    /// Worker processes that the search may come to have if that pays: what the driver tells of the processors. 0: none but
    /// those of `-j`.
    workers_if_it_pays: u32 = 0, "workers-if-it-pays", Form::Internal, CHECK;

    /// Time that one process explores alone before there are others [default: 30]
    ///
    /// In milliseconds. Most searches are over by then.
    workers_after: u64 = 30, "workers-after", Form::Value("MILLISECONDS"), CHECK;

    /// An exit status that is no finding, or any; may be given several times [default: 0]
    exit_status: ExitStatuses = ExitStatuses::default(),
    "exit-status", Form::Values("N|any"), SEARCH;

    /// Waits on condition variables that may end without a signal, in each thread [default: 0]
    spurious: u64 = 0, "spurious", Form::Value("N"), SEARCH;

    /// Executions to draw, where they are drawn [default: 10,000]
    ///
    /// At least 1. Searches that sample are not kept.
    samples: u64 = 10_000, "samples", Form::Value("N"), CHECK, by at_least_one;

    /// The same seed, the same samples [default: 0]
    seed: u64 = 0, "seed", Form::Value("N"), CHECK;

    /// Depth of the bugs that pct looks for [default: 3]
    ///
    /// At least 1.
    pct_depth: u32 = 3, "pct-depth", Form::Value("D"), CHECK, by depth;

    /// Stop after so many executions [default: none]
    ///
    /// 0 is none.
    max_executions: u64 = 0, "max-executions", Form::Value("N"), CHECK;

    /// Cut executions after so many events [default: 1,000,000]
    ///
    /// 0: the runtime's own default.
    max_events: u64 = 0, "max-events", Form::Value("N"), SEARCH;

    /// Cut executions in which a loop goes round more often, each time it is entered [default: none; where the search
    /// would not end, 1, 2, 4, …]
    ///
    /// 0 is without end.
    loop_bound: u64 = 0, "loop-bound", Form::Value("N"), SEARCH;

    /// Stop after so much wall time [default: none]
    ///
    /// In seconds; 0 is none.
    time_limit_seconds: f64 = 0.0, "time-limit", Form::Value("SECONDS"), CHECK;

    /// After the check, look so long for shorter ways to what it found; 0: not at all [default: 3]
    ///
    /// In seconds of wall time. The runtime does nothing with it.
    minimize_time_seconds: f64 = 3.0, "minimize-time", Form::Value("SECONDS"), CHECK;

    /// CPU time between two visible operations [default: 2]
    ///
    /// In seconds.
    step_limit_seconds: f64 = 2.0, "step-limit", Form::Value("SECONDS"), SEARCH;

    /// Events repeated before a checkpoint saves them [default: 48]
    checkpoint_after: u64 = 48, "checkpoint-after", Form::Value("N"), CHECK;

    /// Memory that checkpoints may take, besides the first [default: 1 GB]
    ///
    /// In bytes.
    checkpoint_memory: u64 = 1 << 30, "checkpoint-memory", Form::Value("BYTES"), CHECK;

    /// Plans of the search kept in memory; more go to disk [default: 64 MB]
    ///
    /// In bytes.
    tree_memory: u64 = 64 << 20, "tree-memory", Form::Value("BYTES"), CHECK;

    /// Descriptor on which the driver reads messages; −1 is none (no driver).
    channel: i32 = -1, "channel", Form::Internal, CHECK;

    /// Descriptor of the memory in which the runtime leaves word of how far it is ([`crate::journal`]); −1 is none (no
    /// driver).
    journal: i32 = -1, "journal", Form::Internal, CHECK;

    /// The version of dpor at the other end of the channel ([`crate::version`]); empty is none.
    driver: String = String::new(), "driver", Form::Internal, CHECK;

    /// File with the findings about steps that kill the process (JSON, a list), which are to be reported instead of
    /// made; empty is none.
    deaths: String = String::new(), "deaths", Form::Internal, CHECK;

    /// File with a finding to look for, where the search ends (JSON of `dpor_report::Sought`); empty is none.
    seek: String = String::new(), "seek", Form::Internal, CHECK;

    /// File with the schedule to run once; empty is none.
    replay: String = String::new(), "replay", Form::Internal, SEARCH;

    /// Keep what is left of the search in a file, now and then and at a limit [default: none]
    ///
    /// Empty is none.
    save: String = String::new(), "save", Form::File, CHECK;

    /// Go on with what is left of a search [default: none]
    ///
    /// Empty is none.
    resume: String = String::new(), "resume", Form::File, CHECK;

    /// This process is one of several that search together; none if it is not.
    cluster: Option<Cluster> = None, "cluster", Form::Internal, CHECK;

    /// Remember the calls on the stack of what a finding may be made of. For one execution: it takes time.
    stacks: bool = false, "stacks", Form::Internal, CHECK;

    /// What the clocks show at the root, in nanoseconds, separated by dots in the order of their numbers.
    ///
    /// Empty: what the kernel's show. A replay gets what the run it repeats had.
    clock: String = String::new(), "clock", Form::Internal, CHECK;

    /// An object or library that is not instrumented and need not be; may be given several times, and may end in * [default: none]
    ///
    /// By file name; a name that ends in `*` stands for all that begin so.
    trust: Vec<String> = Vec::new(), "trust", Form::Values("FILE"), CHECK;

    /// A file of suppressions, as ThreadSanitizer or valgrind read them: findings that match one are counted apart and are
    /// no bugs; the search goes on past findings, as with -k. May be given several times [default: none]
    ///
    /// The runtime does nothing with it.
    suppress: Vec<String> = Vec::new(), "suppress", Form::Folders("FILE"), CHECK;

    /// A folder of sources that are a library's, not the user's own; may be given several times [default: none]
    ///
    /// What a finding is made of is shown where the user's own code calls a library.
    library: Vec<String> = Vec::new(), "library", Form::Folders("DIR"), CHECK;
}

/// Options that leave nothing in [`Options`].
const WITHOUT_FIELD: &[Definition] = &[
    Definition {
        name: "model",
        short: None,
        form: Form::Value("MODEL"),
        is_of_search: SEARCH,
        comment: "Memory model: sc [default: sc]",
        read: Some(|_, text| model(text)),
        write: |_| Vec::new(),
    },
    Definition {
        name: "mpi",
        short: None,
        form: Form::Switch,
        is_of_search: CHECK,
        comment: "Search with all processes that mpirun started; -j is for each of them. \
                  The program's standard input is empty",
        read: None,
        write: |_| Vec::new(),
    },
];

/// All options of a check but those about its reports, in the order in which `DPOR_OPTIONS` has them.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    OF_FIELDS.iter().chain(WITHOUT_FIELD)
}
