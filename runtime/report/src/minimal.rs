//! How short the way to a finding is, and which of its switches matters, as text.

use crate::{text, Finding};

/// The line below the head of a trace; empty if nothing is known.
pub fn line(finding: &Finding) -> String {
    let parts = [preemptions(finding), critical_switch(finding)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => String::new(),
        false => parts.join("; ") + "\n",
    }
}

/// Says with how few preemptions the finding is reached, as far as that is known.
pub fn preemptions(finding: &Finding) -> Option<String> {
    let most = finding.preemptions;
    match (finding.minimal, finding.preemptions_at_least) {
        (true, _) => Some(format!("fewest preemptions that reach it: {most}")),
        (false, Some(least)) => {
            let most = text::counted(most, "preemption");
            Some(format!(
                "at least {least}, at most {most} (--minimize-time)"
            ))
        }
        (false, None) => None,
    }
}

fn critical_switch(finding: &Finding) -> Option<String> {
    let number = finding.critical_step?;
    let index = usize::try_from(number).ok()?;
    let step = finding.trace.get(index)?;
    let number = finding.numbers()[index];
    let at = text::place(&step.place);
    let at = if at.is_empty() {
        at
    } else {
        format!(" at {at}")
    };
    // Steps are counted from 1 in texts.
    Some(format!(
        "critical switch: step {}, to T{}{at}",
        number + 1,
        step.thread
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FindingKind, Place, Step};

    #[test]
    fn one_line() {
        let step = |thread| Step {
            thread,
            operation: "lock".to_owned(),
            object: "m".to_owned(),
            value: None,
            value_text: String::new(),
            place: Place {
                file: "x.c".to_owned(),
                line: 7,
                function: "f".to_owned(),
                ..Place::default()
            },
            ..Step::default()
        };
        let mut finding = Finding {
            kind: FindingKind::Assertion,
            message: String::new(),
            object: None,
            accesses: Vec::new(),
            trace: vec![step(1), step(2)],
            executions: 1,
            preemptions: 1,
            minimal: false,
            preemptions_at_least: None,
            critical_step: None,
            loop_begins: None,
            loop_decisions: None,
            mark: None,
            threads: Vec::new(),
            preemptions_at: Vec::new(),
            scenario: None,
            replay: String::new(),
            schedule: String::new(),
            details: Vec::new(),
            warning: false,
        };
        assert_eq!(line(&finding), "");
        finding.preemptions_at_least = Some(0);
        let limits = "at least 0, at most 1 preemption (--minimize-time)\n";
        assert_eq!(line(&finding), limits);
        finding.minimal = true;
        finding.critical_step = Some(1);
        let all =
            "fewest preemptions that reach it: 1; critical switch: step 2, to T2 at x.c:7 in f\n";
        assert_eq!(line(&finding), all);
        finding.critical_step = Some(2);
        assert_eq!(line(&finding), "fewest preemptions that reach it: 1\n");
    }
}
