//! Places in the middle of sentences, which the driver replaces by the user's own.
//!
//! ```text
//!   thread 1 holds 0x40a0, locked at ␁gthr-default.h:749␂7f00a1,7f00b2␁
//!                                     └ what stays      └ calls, if somebody knows no better
//! ```

use core::fmt::Write;

/// Begins and ends a place; no text of a program's is written here that could have it.
const EDGE: char = '\u{1}';
/// Stands between the words and the calls.
const MIDDLE: char = '\u{2}';

/// A place as part of a sentence: `words`, for [`replace`] with the calls that led there.
pub fn mark(words: &str, calls: &[u64]) -> String {
    if calls.is_empty() {
        return words.to_owned();
    }
    let mut text = format!("{EDGE}{words}{MIDDLE}");
    for (number, call) in calls.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(text, "{comma}{call:x}");
    }
    text.push(EDGE);
    text
}

/// The sentence with each marked place replaced by what `place` makes of its words and its calls.
pub fn replace(sentence: &str, place: &mut dyn FnMut(&str, &[u64]) -> String) -> String {
    let mut parts = sentence.split(EDGE);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let marked = part.split_once(MIDDLE).and_then(|(words, calls)| {
            let calls = calls.split(',').map(|call| u64::from_str_radix(call, 16));
            Some((words, calls.collect::<Result<Vec<u64>, _>>().ok()?))
        });
        match marked {
            Some((words, calls)) => text += &place(words, &calls),
            None => text += part,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_places_are_replaced() {
        let mut upper = |words: &str, calls: &[u64]| format!("{}{calls:?}", words.to_uppercase());
        let sentence = format!("at {} and {}.", mark("x:1", &[16, 255]), mark("y:2", &[]));
        assert_eq!(replace(&sentence, &mut upper), "at X:1[16, 255] and y:2.");
        assert_eq!(replace("nothing", &mut upper), "nothing");
        assert_eq!(replace(&mark("x:1", &[1]), &mut upper), "X:1[1]");
    }
}
