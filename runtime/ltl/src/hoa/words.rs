//! The words of an automaton's text, each with its line, and what labels they make.

use super::WrongHoa;
use crate::Formula;
use std::collections::HashMap;
use std::fmt;

/// Labels are nested at most so deep.
const DEPTH_MAX: u32 = 200;

/// Labels have at most so many parts, those of aliases included.
const PARTS_MAX: usize = 1_000;

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// `name:`
    Header(String),
    Name(String),
    /// `@name`
    Alias(String),
    Text(String),
    Number(u32),
    Sign(char),
    /// `--BODY--`, `--END--`, `--ABORT--`
    Mark(String),
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Header(name) => write!(f, "{name}:"),
            Word::Name(name) => write!(f, "{name}"),
            Word::Alias(name) => write!(f, "@{name}"),
            Word::Text(text) => write!(f, "\"{text}\""),
            Word::Number(number) => write!(f, "{number}"),
            Word::Sign(sign) => write!(f, "{sign}"),
            Word::Mark(name) => write!(f, "--{name}--"),
        }
    }
}

/// The words of a text, of which one is next.
pub(super) struct Words {
    all: Vec<(usize, Word)>,
    next: usize,
    /// The propositions, by their numbers in the text.
    pub propositions: Option<Vec<u32>>,
    pub aliases: HashMap<String, Formula>,
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The number of bytes of a comment in front of a text; comments may have others inside. `None`: it has no end.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = text.get(at..)?;
        let step = match (rest.starts_with("/*"), rest.starts_with("*/")) {
            (true, _) => {
                depth += 1;
                2
            }
            (_, true) => {
                depth -= 1;
                2
            }
            _ => rest.chars().next()?.len_utf8(),
        };
        at += step;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// A text in quotes in front of a text, and the number of its bytes. `None`: it has no end.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut found = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((found, at + 1)),
            '\\' => found.push(chars.next()?.1),
            _ => found.push(c),
        }
    }
    None
}

/// The word in front of a text, and the number of its bytes.
fn word(text: &str) -> Result<(Word, usize), &'static str> {
    let first = text.chars().next().unwrap_or(' ');
    let name = |text: &str| -> String { text.chars().take_while(|&c| is_of_name(c)).collect() };
    match first {
        '"' => {
            let (found, bytes) = quoted(text).ok_or("a text in quotes has no end")?;
            Ok((Word::Text(found), bytes))
        }
        '@' => {
            let name = name(&text[1..]);
            let bytes = 1 + name.len();
            Ok((Word::Alias(name), bytes))
        }
        '0'..='9' => {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            let number = digits.parse().map_err(|_| "a number is too large")?;
            Ok((Word::Number(number), digits.len()))
        }
        '-' => {
            let marks = ["BODY", "END", "ABORT"];
            let is_first = |mark: &&&str| text[1..].starts_with(&format!("-{mark}--"));
            let mark = marks.iter().find(is_first);
            let mark = mark.ok_or("this is neither `--BODY--` nor `--END--`")?;
            Ok((Word::Mark((*mark).to_owned()), mark.len() + 4))
        }
        c if c.is_ascii_alphabetic() || c == '_' => {
            let name = name(text);
            let bytes = name.len();
            match text[bytes..].starts_with(':') {
                true => Ok((Word::Header(name), bytes + 1)),
                false => Ok((Word::Name(name), bytes)),
            }
        }
        _ if "[](){}&|!".contains(first) => Ok((Word::Sign(first), 1)),
        _ => Err("this sign means nothing in an automaton"),
    }
}

impl Words {
    pub fn of(text: &str) -> Result<Words, WrongHoa> {
        let mut all = Vec::new();
        let (mut at, mut line) = (0, 1);
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let wrong = |what: &str| WrongHoa {
                line,
                what: what.to_owned(),
            };
            let bytes = if first.is_whitespace() {
                first.len_utf8()
            } else if rest.starts_with("/*") {
                comment(rest).ok_or_else(|| wrong("a comment has no end"))?
            } else {
                let (word, bytes) = word(rest).map_err(wrong)?;
                all.push((line, word));
                bytes
            };
            line += rest[..bytes].matches('\n').count();
            at += bytes;
        }
        Ok(Words {
            all,
            next: 0,
            propositions: None,
            aliases: HashMap::new(),
        })
    }

    /// An error about the next word.
    pub fn wrong<T>(&self, what: impl Into<String>) -> Result<T, WrongHoa> {
        let (line, what) = (self.line(), what.into());
        Err(WrongHoa { line, what })
    }

    /// The line of the next word, or of the last one.
    pub fn line(&self) -> usize {
        let at = self.next.min(self.all.len().saturating_sub(1));
        self.all.get(at).map_or(1, |&(line, _)| line)
    }

    pub fn peek(&self) -> Option<&Word> {
        self.all.get(self.next).map(|(_, word)| word)
    }

    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// The word that was read last is the next one again.
    pub fn back(&mut self) {
        self.next -= 1;
    }

    /// Goes on if the next word is this one.
    pub fn take(&mut self, word: &Word) -> bool {
        let is_next = self.peek() == Some(word);
        self.next += usize::from(is_next);
        is_next
    }

    pub fn expect(&mut self, word: &Word) -> Result<(), WrongHoa> {
        match self.take(word) {
            true => Ok(()),
            false => self.wrong(format!("`{word}` is missing here")),
        }
    }

    pub fn integer(&mut self) -> Result<u32, WrongHoa> {
        let Some(&Word::Number(number)) = self.peek() else {
            return self.wrong("a number is missing here");
        };
        self.next += 1;
        Ok(number)
    }

    pub fn text(&mut self) -> Result<String, WrongHoa> {
        let Some(Word::Text(text)) = self.peek() else {
            return self.wrong("a text in quotes is missing here");
        };
        let text = text.clone();
        self.next += 1;
        Ok(text)
    }

    pub fn alias(&mut self) -> Result<String, WrongHoa> {
        let Some(Word::Alias(name)) = self.peek() else {
            return self.wrong("the name of an alias is missing here");
        };
        let name = name.clone();
        self.next += 1;
        Ok(name)
    }

    /// A label without its brackets.
    pub fn label(&mut self, depth: u32) -> Result<Formula, WrongHoa> {
        let mut all = self.conjunction(depth)?;
        while self.take(&Word::Sign('|')) {
            all = all.or(self.conjunction(depth)?);
            self.fits(&all)?;
        }
        Ok(all)
    }

    fn fits(&self, label: &Formula) -> Result<(), WrongHoa> {
        match label.parts() <= PARTS_MAX {
            true => Ok(()),
            false => self.wrong("the label is too large"),
        }
    }

    fn conjunction(&mut self, depth: u32) -> Result<Formula, WrongHoa> {
        let mut all = self.literal(depth)?;
        while self.take(&Word::Sign('&')) {
            all = all.and(self.literal(depth)?);
            self.fits(&all)?;
        }
        Ok(all)
    }

    fn literal(&mut self, depth: u32) -> Result<Formula, WrongHoa> {
        if depth > DEPTH_MAX {
            return self.wrong("the label is nested too deep");
        }
        let Some(word) = self.peek().cloned() else {
            return self.wrong("a label is missing here");
        };
        let known = match &word {
            Word::Number(number) => {
                let all = self.propositions.as_deref().unwrap_or_default();
                let found = all.get(*number as usize);
                found.map(|&number| Formula::Proposition(number))
            }
            Word::Alias(name) => self.aliases.get(name).cloned(),
            Word::Name(name) if name == "t" => Some(Formula::True),
            Word::Name(name) if name == "f" => Some(Formula::False),
            Word::Sign('!') => {
                self.skip();
                return Ok(Formula::Not(Box::new(self.literal(depth + 1)?)));
            }
            Word::Sign('(') => {
                self.skip();
                let inside = self.label(depth + 1)?;
                self.expect(&Word::Sign(')'))?;
                return Ok(inside);
            }
            _ => return self.wrong("a label is missing here"),
        };
        match known {
            Some(label) => {
                self.skip();
                Ok(label)
            }
            None => self.wrong(format!("`{word}` is not defined before this line")),
        }
    }
}
