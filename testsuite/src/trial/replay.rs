//! What a check found is shown again by `dpor replay`.

use super::{all_right, product, Trial};
use crate::header::Checkpoints;
use dpor_report::{Finding, Report, Severity};
use std::process::Command;

impl Trial {
    /// Every finding that is an error must come back: same exit code, its kind named, and every
    /// line of its trace as the check printed it: thread, operation, object, value, place.
    pub(super) fn replay(&self, report: &Report) -> Result<(), String> {
        let how = match self.header.checkpoints {
            Checkpoints::Restart => "restart",
            _ => "snapshot",
        };
        let shown = self.stem(&format!("_{how}")).with_extension("stdout");
        let shown = std::fs::read_to_string(&shown)
            .map_err(|error| format!("{}: {error}", shown.display()))?;
        for (index, finding) in report.findings.iter().enumerate() {
            if finding.severity() == Severity::Warning {
                continue;
            }
            let mut command = Command::new(product().join("bin/dpor"));
            let which = format!("{}#{}", self.json(how).display(), index + 1);
            command.arg("replay").arg(&which);
            command.envs(self.environment.clone());
            let ran = self.start(&mut command, "_replay", &self.header.stdin)?;
            let mut wrong = Vec::new();
            if ran.code != 42 {
                wrong.push(format!(
                    "replay {which}: exit code {}, expected 42",
                    ran.code
                ));
            }
            // The text names the kind as the JSON does, or with a blank for the dash.
            let kind = finding.kind.to_string();
            let said = format!("{}{}", ran.stdout, ran.stderr).replace('-', " ");
            if !said.contains(&kind.replace('-', " ")) {
                wrong.push(format!("replay {which}: does not say '{kind}'"));
            }
            match trace(&ran.stdout) {
                Some(trace) if shown.contains(trace) => {}
                // It happened before the first event.
                None if finding.trace.is_empty() => {}
                // There was no time left for the run that adds calls and names: the replay has them.
                Some(trace) if !has_calls(finding) && rows(trace) == finding.trace.len() => {}
                _ => wrong.push(format!("replay {which}: another trace than in\n{shown}---")),
            }
            all_right(&wrong, &ran)?;
        }
        Ok(())
    }
}

/// The trace of a finding as text: from its heading to the blank line after it.
fn trace(text: &str) -> Option<&str> {
    let trace = &text[text.find("\ntrace (")?..];
    Some(&trace[..trace.find("\n\n")?])
}

/// Whether a finding has the calls that one more run of its schedule adds.
fn has_calls(finding: &Finding) -> bool {
    let accesses = finding.accesses.iter().map(|access| &access.place);
    let mut places = accesses.chain(finding.trace.iter().map(|step| &step.place));
    places.any(|place| place.stack.iter().any(|frame| !frame.object.is_empty()))
}

/// The number of steps that a trace as text has.
fn rows(trace: &str) -> usize {
    let marks = [' ', '=', '>', '*'];
    let is_step = |line: &&str| {
        let number = line.trim_start_matches(marks);
        number.starts_with(|first: char| first.is_ascii_digit())
    };
    trace.lines().filter(is_step).count()
}
