//! The scenario in which something was found: its calls, and the orders of them that come nearest (`dpor scenario`).
//!
//! The program under test says it in records, as `dpor/scenario_told.h` has them.

use serde::{Deserialize, Serialize};

/// The calls of a data structure in the execution of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scenario {
    /// Whether the moments of calls are of one time: a call whose `to` is less than the `from` of another one had returned
    /// before that one began, and otherwise they overlap. If not, they say the order of each thread's calls, and no more.
    #[serde(default)]
    pub timed: bool,
    /// The calls, those of the first thread first.
    pub calls: Vec<ScenarioCall>,
    /// Orders of the calls, one after the other, if none has the results that they have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<ScenarioOrder>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioCall {
    /// Number of the thread in the order of first creation.
    pub thread: u32,
    /// The operation with its arguments: `push(1)`.
    pub name: String,
    /// What it returned; absent where it returned nothing, or has not returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// How far it came.
    pub state: CallState,
    /// The moment in which it begins, from 0; moments are as few as tell the order of the calls.
    pub from: u32,
    /// The last moment in which it goes on.
    pub to: u32,
}

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CallState {
    /// It has not begun.
    NotBegun,
    /// It has begun, and not returned.
    Begun,
    /// It has returned.
    Returned,
}

/// Which order it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OrderKind {
    /// As few calls as possible have another result in it.
    Nearest,
    /// It has all results, and keeps the order of each thread's calls, not that of time.
    SequentiallyConsistent,
}

/// The calls, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioOrder {
    /// Which order it is.
    pub kind: OrderKind,
    /// The calls in this order.
    pub calls: Vec<OrderedCall>,
}

/// A call at its place in an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OrderedCall {
    /// Index in `calls` of the scenario.
    pub call: u32,
    /// What it returns there; absent where it returns nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Whether it would wait there.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub waits: bool,
    /// Whether that is not what it did in the execution.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub differs: bool,
}

/// Begins a record.
const RECORD: char = '\u{1e}';
/// Begins a field of a record.
const FIELD: char = '\u{1f}';
/// Stands before a byte that is no control byte of a text, and is so much less there.
const ESCAPE: char = '\u{1b}';
const ESCAPED_BY: u8 = 0x40;

/// What a program said: the scenario, if all of its calls are there, and the lines that are for people.
pub fn told(text: &str) -> (Option<Scenario>, Vec<String>) {
    // What ends without a newline was cut short.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let records = whole
        .split('\n')
        .filter_map(|line| line.strip_prefix(RECORD));
    let lines = text.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(RECORD));
    (scenario(records), lines.map(str::to_owned).collect())
}

fn scenario<'a>(mut records: impl Iterator<Item = &'a str>) -> Option<Scenario> {
    let head: Vec<&str> = records.next()?.split(FIELD).collect();
    let ["calls", count, timed] = head[..] else {
        return None;
    };
    let count: usize = count.parse().ok()?;
    let mut scenario = Scenario {
        timed: timed == "1",
        ..Scenario::default()
    };
    for record in records {
        let fields: Vec<&str> = record.split(FIELD).collect();
        match fields[..] {
            ["call", ref fields @ ..] => scenario.calls.push(call(fields)?),
            ["order", what, ref fields @ ..] => scenario.orders.push(order(what, fields, count)?),
            _ => return None,
        }
    }
    (scenario.calls.len() == count).then_some(scenario)
}

fn call(fields: &[&str]) -> Option<ScenarioCall> {
    let [thread, from, to, state, name, ref result @ ..] = *fields else {
        return None;
    };
    Some(ScenarioCall {
        thread: thread.parse().ok()?,
        name: read(name),
        result: result.first().and_then(|text| result_of(text)),
        state: match state {
            "0" => CallState::NotBegun,
            "1" => CallState::Begun,
            "2" => CallState::Returned,
            _ => return None,
        },
        from: from.parse().ok()?,
        to: to.parse().ok()?,
    })
}

fn order(what: &str, fields: &[&str], count: usize) -> Option<ScenarioOrder> {
    let kind = match what {
        "nearest" => OrderKind::Nearest,
        "sequentially consistent" => OrderKind::SequentiallyConsistent,
        _ => return None,
    };
    let ordered = |fields: &[&str]| {
        let [call, differs, waits, result] = *fields else {
            return None;
        };
        let call: u32 = call.parse().ok()?;
        ((call as usize) < count).then(|| OrderedCall {
            call,
            result: result_of(result),
            waits: waits == "1",
            differs: differs == "1",
        })
    };
    Some(ScenarioOrder {
        kind,
        calls: fields.chunks(4).map(ordered).collect::<Option<_>>()?,
    })
}

/// A result, if there is one.
fn result_of(field: &str) -> Option<String> {
    (!field.is_empty()).then(|| read(field))
}

/// The text of a field.
pub fn read(field: &str) -> String {
    let mut characters = field.chars();
    let mut text = String::with_capacity(field.len());
    while let Some(character) = characters.next() {
        let escaped = match character {
            ESCAPE => characters.next(),
            _ => None,
        };
        text.push(match escaped.map(u8::try_from) {
            Some(Ok(byte)) => char::from(byte.wrapping_sub(ESCAPED_BY) & 0x7f),
            _ => character,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "\u{1e}calls\u{1f}3\u{1f}1\n\
        \u{1e}call\u{1f}1\u{1f}0\u{1f}1\u{1f}2\u{1f}put(\"a\u{1b}Jb\")\u{1f}\n\
        \u{1e}call\u{1f}2\u{1f}1\u{1f}1\u{1f}2\u{1f}take()\u{1f}none\u{1b}_\n\
        \u{1e}call\u{1f}2\u{1f}1\u{1f}1\u{1f}1\u{1f}wait()\n\
        T1: put\n\
        \u{1e}order\u{1f}nearest\u{1f}0\u{1f}0\u{1f}0\u{1f}\u{1f}1\u{1f}1\u{1f}0\u{1f}7\u{1f}2\u{1f}0\u{1f}1\u{1f}\n\n";

    #[test]
    fn records_are_read() {
        let (scenario, lines) = told(TOLD);
        assert_eq!(lines, ["T1: put"]);
        let scenario = scenario.expect("all of its calls are there");
        assert!(scenario.timed);
        let call = |thread, from, name: &str, state, result: Option<&str>| ScenarioCall {
            thread,
            name: name.to_owned(),
            result: result.map(str::to_owned),
            state,
            from,
            to: 1,
        };
        let calls = [
            call(1, 0, "put(\"a\nb\")", CallState::Returned, None),
            call(2, 1, "take()", CallState::Returned, Some("none\u{1f}")),
            call(2, 1, "wait()", CallState::Begun, None),
        ];
        assert_eq!(scenario.calls, calls);
        let ordered = |call, result: Option<&str>, waits, differs| OrderedCall {
            call,
            result: result.map(str::to_owned),
            waits,
            differs,
        };
        let order = ScenarioOrder {
            kind: OrderKind::Nearest,
            calls: vec![
                ordered(0, None, false, false),
                ordered(1, Some("7"), false, true),
                ordered(2, None, true, false),
            ],
        };
        assert_eq!(scenario.orders, [order]);
    }

    /// Wherever the text is cut off: all calls or no scenario, whole orders or none, and never a panic.
    #[test]
    fn what_is_cut_short_is_left_out() {
        let (whole, _) = told(TOLD);
        let whole = whole.expect("a scenario");
        let after_calls = TOLD.find("T1:").expect("a line");
        for end in (0..TOLD.len()).filter(|&end| TOLD.is_char_boundary(end)) {
            let (scenario, _) = told(&TOLD[..end]);
            assert_eq!(scenario.is_some(), end >= after_calls, "{end}");
            let scenario = scenario.unwrap_or_default();
            assert!(scenario.orders.is_empty() || scenario == whole, "{end}");
        }
    }

    #[test]
    fn other_words_are_no_scenario() {
        let check = |text: &str| assert_eq!(told(text).0, None, "{text:?}");
        check("");
        check("T1: put(1) has begun\n");
        check("\u{1e}call\u{1f}1\u{1f}0\u{1f}0\u{1f}2\u{1f}put\n");
        check("\u{1e}calls\u{1f}0\u{1f}1\n\u{1e}news\n");
        // An order of a call that there is not.
        let calls = "\u{1e}calls\u{1f}1\u{1f}1\n\u{1e}call\u{1f}1\u{1f}0\u{1f}0\u{1f}2\u{1f}put\n";
        assert!(told(calls).0.is_some());
        check(&format!(
            "{calls}\u{1e}order\u{1f}nearest\u{1f}1\u{1f}0\u{1f}0\u{1f}\n"
        ));
        check(&format!("{calls}\u{1e}order\u{1f}other\n"));
    }
}
