//! What threads are called: `T0 (main)`, `T1 (add)`; if several began with the same function, with the order
//! of their creation: `T2 (add, 2nd)`.

use dpor_report::Thread;

/// The name of a thread; its number alone if its function is not known.
pub fn name(threads: &[Thread], thread: u32) -> String {
    let known = threads.iter().find(|known| known.thread == thread);
    let Some(own) = known.filter(|known| !known.function.is_empty()) else {
        return format!("T{thread}");
    };
    let alike = threads
        .iter()
        .filter(|other| other.function == own.function);
    let alike: Vec<u32> = alike.map(|other| other.thread).collect();
    let before = alike.iter().position(|other| *other == thread);
    match (alike.len(), before) {
        (0 | 1, _) | (_, None) => format!("T{thread} ({})", own.function),
        (_, Some(before)) => format!("T{thread} ({}, {})", own.function, ordinal(before + 1)),
    }
}

/// The sentence, with the names of threads where it has `thread 1`.
pub fn in_sentence(threads: &[Thread], sentence: &str) -> String {
    let mut pieces = sentence.split("thread ");
    let mut named = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = piece.split_at(end.unwrap_or(piece.len()));
        match number.parse() {
            Ok(thread) => named += &name(threads, thread),
            Err(_) => named = named + "thread " + number,
        }
        named += rest;
    }
    named
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
    #[test]
    fn function_and_order_of_creation() {
        // In the order of creation: T3 came before T2.
        let threads = [(0, "main"), (1, "get"), (3, "add"), (2, "add"), (4, "")];
        let threads = threads.map(|(thread, function)| Thread {
            thread,
            function: function.to_owned(),
            start: 0,
        });
        let names: Vec<String> = (0..6).map(|thread| name(&threads, thread)).collect();
        let expect = [
            "T0 (main)",
            "T1 (get)",
            "T2 (add, 2nd)",
            "T3 (add, 1st)",
            "T4",
            "T5",
        ];
        assert_eq!(names, expect);
        let told = |sentence: &str| in_sentence(&threads, sentence);
        assert_eq!(
            told("thread 1 waits for the end of thread 3, as thread 10 does"),
            "T1 (get) waits for the end of T3 (add, 1st), as T10 does"
        );
        for sentence in ["2 threads wait", "a thread and no thread 1", "", "thread "] {
            assert_eq!(told(sentence), sentence.replace("thread 1", "T1 (get)"));
        }
    }

    #[test]
    fn ordinals() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 102, 112];
        let expect = "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 112th";
        assert_eq!(numbers.map(ordinal).join(" "), expect);
    }
}
