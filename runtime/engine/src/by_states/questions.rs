//! What is asked of the finished graph: formulas, progress, and whether everybody gets its turn.

use super::abstraction;
use super::built_in::{BuiltIns, KNOWN};
use super::checked::{Checked, Halt};
use super::clock;
use super::promised::Promise;
use crate::execution_end::keep_findings;
use crate::findings::severity;
use crate::knowledge::findings::Pending;
use crate::properties::{all, Purpose};
use crate::runtime::Runtime;
use crate::steps::decisions;
use crate::stop::Stop;
use crate::stuck;
use dpor_abi::options::{Fair, Guarantee, Options};
use dpor_explorer::states::{run_that_repeats, Explored, Lasso, Program};
use dpor_ltl::{Automaton, Formula, Hoa};
use dpor_model::ThreadId;
use dpor_report::{text, FindingKind};

/// A question.
pub(super) enum Question {
    /// Is there no run that the automaton accepts?
    Refutes(Violations),
    /// Does somebody get on, again and again?
    Progress,
    /// Does everybody who waits for its turn get it?
    Turns,
    /// Do calls end as promised?
    Promised(Promise),
}

/// An automaton of the runs that violate a property.
pub(super) struct Violations {
    automaton: Automaton,
    /// The propositions of which it speaks, a bit each.
    propositions: u64,
    /// What is wrong if there is one.
    wrong: String,
    /// What is said if there is none: before the words for all runs, and behind them.
    right: [String; 2],
    /// Repetitions make no difference to it.
    is_stutter_invariant: bool,
}

/// What is asked, and the propositions of which it speaks and which no program states.
#[derive(Default)]
pub(super) struct Questions {
    pub all: Vec<Question>,
    pub built_ins: BuiltIns,
}

/// What the options ask.
///
/// # Errors
/// A sentence that says which formula is none, or speaks of what.
pub(super) fn of(options: &Options) -> Result<Questions, String> {
    let (mut questions, built_ins) = (Vec::new(), BuiltIns::default());
    let number = |name: &str| number(name).or_else(|| built_ins.number(name, all().len()));
    for text in &options.ltl {
        questions.push(Question::Refutes(of_formula(text, &number)?));
    }
    for text in &options.automaton {
        questions.push(Question::Refutes(of_file(text, &number)?));
    }
    if options.non_progress {
        questions.push(Question::Progress);
    }
    if options.no_starvation {
        questions.push(Question::Turns);
    }
    if options.guarantee != Guarantee::None {
        questions.push(Question::Promised(Promise {
            guarantee: options.guarantee,
            callers: options.callers,
        }));
    }
    Ok(Questions {
        all: questions,
        built_ins,
    })
}

/// What violates a formula.
fn of_formula(text: &str, number: &dyn Fn(&str) -> Option<u32>) -> Result<Violations, String> {
    let formula = dpor_ltl::parse(text, number)
        .map_err(|why| format!("--ltl: {why} in `{text}`: {}", known()))?;
    let automaton = Automaton::of(&formula.negated());
    Ok(Violations {
        automaton: automaton.map_err(|why| format!("--ltl: {why}: `{text}`"))?,
        propositions: formula.propositions(),
        wrong: format!("{text} fails"),
        right: ["holds on ".to_owned(), format!(": {text}")],
        is_stutter_invariant: true,
    })
}

/// What an automaton accepts; the text begins with the name of its file in a line of its own.
fn of_file(text: &str, number: &dyn Fn(&str) -> Option<u32>) -> Result<Violations, String> {
    let (file, text) = text.split_once('\n').unwrap_or((text, ""));
    let hoa = Hoa::read(text, number)
        .map_err(|why| format!("--automaton: {file}: {why}: {}", known()))?;
    let name = match &hoa.name {
        Some(name) => format!("{file} ({name})"),
        None => file.to_owned(),
    };
    Ok(Violations {
        automaton: hoa.automaton,
        propositions: hoa.propositions,
        wrong: format!("{name} accepts a run"),
        right: [format!("{name} accepts none of "), String::new()],
        is_stutter_invariant: hoa.is_stutter_invariant,
    })
}

/// Which propositions there are, in words.
fn known() -> String {
    let known: Vec<&str> = propositions().map(|(_, name)| name).collect();
    let stated = match known.is_empty() {
        true => "none (DPOR_PROPOSITION)".to_owned(),
        false => known.join(", "),
    };
    format!("the program states {stated}; {KNOWN}")
}

fn propositions() -> impl Iterator<Item = (usize, &'static str)> {
    let of_all = all().iter().enumerate();
    let propositions = of_all.filter(|(_, property)| property.purpose == Purpose::Proposition);
    propositions.map(|(number, property)| (number, property.name.as_str()))
}

/// All propositions that the program states, a bit each.
pub(super) fn stated() -> u64 {
    propositions().fold(0, |bits, (number, _)| bits | 1 << number)
}

fn number(name: &str) -> Option<u32> {
    let mut found = propositions().filter(|(_, known)| *known == name);
    found.next().map(|(number, _)| number as u32)
}

impl Questions {
    /// Bit `p`: the questions speak of proposition `p`, which the program states.
    pub fn wanted(&self) -> u64 {
        let speaks = |question: &Question| match question {
            Question::Refutes(violations) => violations.propositions,
            Question::Progress | Question::Turns | Question::Promised(_) => 0,
        };
        let all = self.all.iter().map(speaks);
        all.fold(0, |bits, own| bits | own) & !self.built_ins.bits()
    }

    /// Whether all that they are about is kept if not all threads are expanded everywhere.
    pub fn may_reduce(&self) -> bool {
        let keeps = |question: &Question| match question {
            Question::Refutes(violations) => violations.is_stutter_invariant,
            Question::Progress | Question::Turns => true,
            // Threads may stop at any moment.
            Question::Promised(_) => false,
        };
        self.built_ins.is_empty() && self.all.iter().all(keeps)
    }
}

/// A run that is a wrong answer, with what is wrong, as a finding's kind and sentence.
type Wrong = (FindingKind, String, Lasso);

/// # Errors
/// One sentence: nobody can tell.
fn wrong(question: &Question, explored: &Explored, is_fair: bool) -> Result<Option<Wrong>, String> {
    let any = || Automaton::of(&Formula::True).expect("one state");
    Ok(match question {
        Question::Refutes(violations) => {
            let run = run_that_repeats(explored, &violations.automaton, is_fair, &|_, _| true);
            run.map(|run| (FindingKind::Ltl, violations.wrong.clone(), run))
        }
        Question::Progress => {
            let run = run_that_repeats(explored, &any(), is_fair, &|_, edge| {
                edge.is_some_and(|edge| !edge.progress)
            });
            let what = "nobody marks that it gets on (dpor_progress)".to_owned();
            run.map(|run| (FindingKind::NonProgress, what, run))
        }
        Question::Turns => {
            let automaton = any();
            let starves = |thread: ThreadId| {
                let run = run_that_repeats(explored, &automaton, true, &|state, edge| {
                    let waits = explored.waits_its_turn(state, thread);
                    waits && edge.is_some_and(|edge| edge.thread != thread)
                })?;
                let what = format!("T{} waits for its turn and never gets it", thread.0);
                Some((FindingKind::Starvation, what, run))
            };
            let threads = explored.threads();
            let found = threads.iter().find_map(starves);
            found
        }
        Question::Promised(promise) => {
            let broken = promise.broken(explored)?;
            broken.map(|(what, run)| (FindingKind::NonProgress, what, run))
        }
    })
}

/// The threads that may go on for ever by looking and changing nothing, without marking that they get on. Loops that are
/// recognized as waits are none of them: there the thread waits its turn. Others may be, and nobody can tell.
fn only_look(explored: &Explored) -> String {
    let automaton = Automaton::of(&Formula::True).expect("one state");
    let only_looks = |thread: &ThreadId| {
        let run = run_that_repeats(explored, &automaton, true, &|state, edge| {
            let goes_on = edge.is_some_and(|edge| edge.thread != *thread || !edge.progress);
            goes_on && explored.looks(state, *thread)
        });
        run.is_some()
    };
    let threads = explored.threads();
    let named: Vec<String> = { threads.iter() }
        .filter(only_looks)
        .map(|thread| format!("T{}", thread.0))
        .collect();
    match named.len() {
        0 => String::new(),
        _ => format!(
            "; not counted: {} may look again and again for ever, in a loop that is not known to wait",
            named.join(", ")
        ),
    }
}

/// Asks the questions of a graph that is finished, or as far as it came.
pub(super) fn ask(
    checked: &mut Checked,
    explored: &Explored,
    questions: &[Question],
) -> Result<(), Halt> {
    let is_fair = checked.rt().options.fair == Fair::Weak;
    if abstraction::is_any() && !questions.is_empty() {
        let why = "--ltl, --automaton, --non-progress and --no-starvation with dpor_abstraction: a loop of states that are \
                   told apart by it need not be one of the program";
        let stop = Stop::Unsupported(why.to_owned());
        checked.rt().stop.get_or_insert(stop);
        return Err(Halt::Over);
    }
    for question in questions {
        let answer = wrong(question, explored, is_fair).map_err(|why| {
            checked.rt().stop.get_or_insert(Stop::Unsupported(why));
            Halt::Over
        })?;
        match answer {
            // The verdict says it.
            None if matches!(question, Question::Promised(_)) => {}
            None if explored.is_complete => {
                let holds = said(question, explored, is_fair);
                if let Some(counts) = &mut checked.rt().states {
                    counts.holds.push(holds);
                }
            }
            None => {}
            // A run that goes on for ever while a clock that it looks at stands still.
            Some(_) if clock::is_doubtful(checked.rt()) => return Err(Halt::Learnt),
            Some(wrong) => {
                show(checked, wrong)?;
                if !checked.rt().options.keep_going {
                    return Err(Halt::Over);
                }
            }
        }
    }
    Ok(())
}

/// The answer that was hoped for.
fn said(question: &Question, explored: &Explored, is_fair: bool) -> String {
    let runs = match is_fair {
        true => "all weakly fair runs",
        false => "all runs",
    };
    match question {
        Question::Refutes(Violations { right, .. }) => right.join(runs),
        Question::Progress => format!("somebody gets on again and again on {runs}"),
        Question::Promised(promise) => promise.guarantee.to_string(),
        Question::Turns => {
            let but = only_look(explored);
            format!("who waits for its turn gets it on {runs}{but}")
        }
    }
}

/// Makes the steps of a run, once round, and notes what is wrong with it.
fn show(checked: &mut Checked, (kind, what, run): Wrong) -> Result<(), Halt> {
    checked.note_run(&run);
    checked.to_root()?;
    let mut events = [0; 2];
    for (n, part) in [&run.stem, &run.around].into_iter().enumerate() {
        for (thread, alternative) in part.iter().filter_map(|one| one.step) {
            checked.step(thread, alternative)?;
        }
        events[n] = checked.events();
    }
    let [stem, whole] = events;
    let is_promised = checked.rt().options.guarantee != Guarantee::None;
    let counted = |events: usize| text::counted(events as u64, "event");
    let message = match whole - stem {
        // Others may go on: that is not asked.
        0 if is_promised => format!("{what}: {}", counted(stem)),
        0 => format!("{what}: {}, and then nothing goes on", counted(stem)),
        around => format!(
            "{what}: {}, then {} for ever",
            counted(stem),
            counted(around)
        ),
    };
    let (rt, search) = checked.parts();
    let first = decisions(search.trace(), whole).get(stem).copied();
    let pending = Pending {
        kind,
        severity: severity(rt, kind),
        message,
        object: None,
        accesses: Vec::new(),
        details: details(rt, first),
        depth: whole,
    };
    rt.findings.note(pending);
    keep_findings(rt, search);
    if let Some(finding) = rt.findings.distinct.last_mut() {
        finding.loop_begins = first;
        finding.loop_decisions = first.map(|_| stem as u64);
    }
    Ok(())
}

/// Further lines: where in the trace the loop begins, if there is one, and which runs count.
fn details(rt: &mut Runtime, first: Option<u64>) -> Vec<String> {
    let fair = match rt.options.fair {
        Fair::Weak => "the run is weakly fair: nobody who can go on for ever stands still for ever",
        Fair::None => "the run need not be fair (--fair=none)",
    };
    let begins = first.map(|first| format!("the loop begins with step {} of the trace", first + 1));
    let more = match rt.options.guarantee {
        Guarantee::None => vec![fair.to_owned()],
        // In the state to which the run has led.
        _ => stuck::standing(rt),
    };
    begins.into_iter().chain(more).collect()
}
