//! What was asked of a data structure (`dpor scenario`), and of which sizes it is answered.

use dpor_report::{text, Scenarios, Size, Verdict};
use maud::{html, Markup};

/// The question, the calls that threads make, and a row for each size; empty for other checks.
pub fn section(scenarios: &Scenarios) -> Markup {
    let has_states = scenarios.sizes.iter().any(|size| size.states.is_some());
    let searched = |word: &&String| !scenarios.sizes.iter().any(|size| size.word() == **word);
    let not_begun = scenarios.not_finished.iter().filter(searched);
    html! {
        section.asked aria-labelledby="asked-title" {
            h2 #asked-title { "Is " code { (scenarios.object) } " " (scenarios.word()) "?" }
            @if let Some(meaning) = meaning(&scenarios.check) { p.note { (meaning) } }
            @if !scenarios.calls.is_empty() {
                p { "Each thread makes these calls, in every way:" }
                ul.operations { @for call in &scenarios.calls { li { code { (call) } } } }
            }
            div.wide role="region" aria-label="Sizes" tabindex="0" {
                table.sizes {
                    thead { tr {
                        th scope="col" { "threads × calls" }
                        th.answer scope="col" { "answer" }
                        th scope="col" { "scenarios" }
                        th scope="col" { @if has_states { "states" } @else { "executions" } }
                        th scope="col" { "time" }
                    } }
                    tbody {
                        @for size in &scenarios.sizes { (row(size)) }
                        @for word in not_begun {
                            tr {
                                th scope="row" { (word.replace('x', " × ")) }
                                td.answer.incomplete { "not searched" }
                                td {} td {} td {}
                            }
                        }
                    }
                }
            }
        }
    }
}

fn row(size: &Size) -> Markup {
    let count = size.states.unwrap_or(size.executions.total());
    html! {
        tr {
            th scope="row" { (size.threads) " × " (size.calls) }
            td.answer.(size.verdict) { (answer(size.verdict)) }
            td { (text::grouped(size.scenarios)) }
            td { (text::grouped(count)) }
            td { (format!("{:.2} s", size.seconds)) }
        }
    }
}

fn answer(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "proved",
        Verdict::Bug => "no, see below",
        Verdict::Incomplete => "cut short: nothing is proved",
        Verdict::Unsupported => "unsupported",
    }
}

/// The question in a sentence; `None`: it is one of a later version.
fn meaning(check: &str) -> Option<&'static str> {
    Some(match check {
        "linearizable" => {
            "In every execution there has to be an order of the calls, one after the other, that has the same results, and in \
             which a call that returned before another one began comes before it."
        }
        "sequentially-consistent" => {
            "In every execution there has to be an order of the calls, one after the other, that has the same results and \
             keeps the order of each thread's calls."
        }
        "quiescent" => {
            "In every execution there has to be an order of the calls, one after the other, that has the same results, and \
             in which calls stay in order if there was a moment between them in which no call went on."
        }
        "obstruction-free" => {
            "In every state a thread that runs alone from then on has to end its call, although the others may have stopped \
             anywhere."
        }
        "lock-free" => {
            "Of the threads that run somebody has to end a call: no run goes on for ever, and nobody waits for others."
        }
        "wait-free" => {
            "Whoever runs has to end its call in a bounded number of its own steps, whatever the others do: each thread makes \
             its calls again and again."
        }
        _ => return None,
    })
}
