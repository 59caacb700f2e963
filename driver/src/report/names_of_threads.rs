//! What threads are called: `T0 (main)`, `T1 (add)`; if several began with the same function, with the order
//! of their creation: `T2 (add, 2nd)`.

use dpor_report::Finding;

/// The name of a thread; its number alone if its function is not known.
pub fn name(finding: &Finding, thread: u32) -> String {
    let known = finding.threads.iter().find(|known| known.thread == thread);
    let Some(own) = known.filter(|known| !known.function.is_empty()) else {
        return format!("T{thread}");
    };
    let alike = finding.threads.iter();
    let alike = alike.filter(|other| other.function == own.function);
    let alike: Vec<u32> = alike.map(|other| other.thread).collect();
    let before = alike.iter().position(|other| *other == thread);
    match (alike.len(), before) {
        (0 | 1, _) | (_, None) => format!("T{thread} ({})", own.function),
        (_, Some(before)) => format!("T{thread} ({}, {})", own.function, ordinal(before + 1)),
    }
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::Thread;

    #[test]
    fn function_and_order_of_creation() {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        let mut finding = crate::report::plain::finding(status).expect("a finding");
        // In the order of creation: T3 came before T2.
        let threads = [(0, "main"), (1, "get"), (3, "add"), (2, "add"), (4, "")];
        finding.threads = { threads.iter() }
            .map(|&(thread, function)| Thread {
                thread,
                function: function.to_owned(),
                start: 0,
            })
            .collect();
        let names: Vec<String> = (0..6).map(|thread| name(&finding, thread)).collect();
        let expect = [
            "T0 (main)",
            "T1 (get)",
            "T2 (add, 2nd)",
            "T3 (add, 1st)",
            "T4",
            "T5",
        ];
        assert_eq!(names, expect);
    }

    #[test]
    fn ordinals() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 102, 112];
        let expect = "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 112th";
        assert_eq!(numbers.map(ordinal).join(" "), expect);
    }
}
