//! Formulas as users write them.
//!
//! ```text
//! G f, [] f      always                    f U g       f until g, and g at some time
//! F f, <> f      at some time              f W g       f until g, or for ever
//! ! f            not                       f R g, V    g up to and with f, or for ever
//! && /\ &        and                       f M g       g up to and with f, and f at some time
//! || \/ |        or                        -> <->      implies, is equivalent
//! true 1 false 0 name name(…)              ( f )
//! ```
//!
//! What is in front binds closest, then `U W R M`, then `&&`, `||`, `->`, `<->`. `U W R M ->` group to the right. SPIN's
//! operators are among them; SPIN itself groups `&& || -> <->` without brackets from left to right, whichever they are
//! (6.5.2: `p -> q && r` is `(p -> q) && r` there), and C's programmers would not. Next (`X`) is not among them.

use crate::formula::{Formula, PROPOSITIONS_MAX};
use std::fmt;

/// Formulas are nested at most so deep.
const DEPTH_MAX: u32 = 200;

/// Formulas have at most so many parts, those counted twice that operators repeat.
const PARTS_MAX: usize = 10_000;

/// What is wrong with the text of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// Where: the number of bytes before it.
    pub at: usize,
    /// What, as a sentence without its first capital and full stop.
    pub what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)
    }
}

/// Binary operators, the loosest first; those of one level group to the right, which for all but `<->` is what is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binary {
    Equivalent,
    Implies,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
}

impl Binary {
    fn level(self) -> u8 {
        match self {
            Binary::Equivalent => 0,
            Binary::Implies => 1,
            Binary::Or => 2,
            Binary::And => 3,
            _ => 4,
        }
    }

    fn apply(self, a: Formula, b: Formula) -> Formula {
        match self {
            Binary::Equivalent => {
                let both = a.clone().and(b.clone());
                both.or(a.negated().and(b.negated()))
            }
            Binary::Implies => a.implies(b),
            Binary::Or => a.or(b),
            Binary::And => a.and(b),
            Binary::Until => a.until(b),
            // g, or f and g's turn has not come.
            Binary::WeakUntil => b.clone().release(a.or(b)),
            Binary::Release => a.release(b),
            Binary::StrongRelease => b.clone().until(a.and(b)),
        }
    }
}

/// A part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Not,
    Globally,
    Finally,
    Binary(Binary),
    Open,
    Close,
    Constant(bool),
    Name(String),
}

/// The operators that are signs, the longer ones first.
const SIGNS: [(&str, Token); 17] = [
    ("<->", Token::Binary(Binary::Equivalent)),
    ("->", Token::Binary(Binary::Implies)),
    ("&&", Token::Binary(Binary::And)),
    ("/\\", Token::Binary(Binary::And)),
    ("||", Token::Binary(Binary::Or)),
    ("\\/", Token::Binary(Binary::Or)),
    ("[]", Token::Globally),
    ("<>", Token::Finally),
    ("&", Token::Binary(Binary::And)),
    ("|", Token::Binary(Binary::Or)),
    ("!", Token::Not),
    ("~", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
    ("1", Token::Constant(true)),
    ("0", Token::Constant(false)),
    ("\u{ac}", Token::Not),
];

/// The text in its parts, each with its place.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Wrong> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            all.push((at, token.clone()));
            at += sign.len();
            continue;
        }
        if !is_of_name(first) {
            let what = format!("`{first}` means nothing in a formula");
            return Err(Wrong { at, what });
        }
        let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(length);
        let token = match name {
            "X" | "next" => {
                let what =
                    "there is no next: how many steps something takes is the compiler's business";
                return Err(Wrong {
                    at,
                    what: what.to_owned(),
                });
            }
            "G" => Token::Globally,
            "F" => Token::Finally,
            "U" => Token::Binary(Binary::Until),
            "W" => Token::Binary(Binary::WeakUntil),
            "R" | "V" => Token::Binary(Binary::Release),
            "M" => Token::Binary(Binary::StrongRelease),
            // `FG(in(f, T1))`: a name with arguments, for who reads it from the left.
            _ if length > 1 && behind.starts_with('(') && name.chars().all(is_operator) => {
                let what = format!("`{name}` is one name here: operators need blanks between them");
                return Err(Wrong { at, what });
            }
            "true" => Token::Constant(true),
            "false" => Token::Constant(false),
            _ => {
                // `in(function, T1)` is one name.
                let arguments = behind.strip_prefix('(').and_then(|inside| inside.find(')'));
                let whole = arguments.map_or(length, |end| length + 1 + end + 1);
                let name = text[at..at + whole].split_whitespace().collect();
                all.push((at, Token::Name(name)));
                at += whole;
                continue;
            }
        };
        all.push((at, token));
        at += length;
    }
    Ok(all)
}

fn is_operator(c: char) -> bool {
    matches!(c, 'G' | 'F')
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    next: usize,
    end: usize,
    number: &'a dyn Fn(&str) -> Option<u32>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    /// The place of the next part, or the end of the text.
    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |&(at, _)| at)
    }

    fn wrong<T>(&self, what: &str) -> Result<T, Wrong> {
        Err(Wrong {
            at: self.at(),
            what: what.to_owned(),
        })
    }

    /// A formula whose binary operators outside of brackets have at least this level.
    fn formula(&mut self, level: u8, depth: u32) -> Result<Formula, Wrong> {
        if depth > DEPTH_MAX {
            return self.wrong("the formula is nested too deep");
        }
        if level > 4 {
            return self.simple(depth);
        }
        let left = self.formula(level + 1, depth)?;
        match self.peek() {
            Some(&Token::Binary(operator)) if operator.level() == level => {
                self.next += 1;
                let right = self.formula(level, depth + 1)?;
                // An equivalence has each of its sides twice.
                if left.parts() + right.parts() > PARTS_MAX {
                    return self.wrong("the formula is too large");
                }
                Ok(operator.apply(left, right))
            }
            _ => Ok(left),
        }
    }

    /// A formula without binary operators outside of brackets.
    fn simple(&mut self, depth: u32) -> Result<Formula, Wrong> {
        let Some(token) = self.peek().cloned() else {
            return self.wrong("a formula is missing here");
        };
        let at = self.at();
        self.next += 1;
        match token {
            Token::Not => Ok(self.formula(5, depth + 1)?.negated()),
            Token::Globally => Ok(self.formula(5, depth + 1)?.globally()),
            Token::Finally => Ok(self.formula(5, depth + 1)?.finally()),
            Token::Constant(true) => Ok(Formula::True),
            Token::Constant(false) => Ok(Formula::False),
            Token::Open => {
                let inside = self.formula(0, depth + 1)?;
                match self.peek() {
                    Some(Token::Close) => {
                        self.next += 1;
                        Ok(inside)
                    }
                    _ => self.wrong("`)` is missing here"),
                }
            }
            Token::Name(name) => match (self.number)(&name) {
                Some(number) if number < PROPOSITIONS_MAX => Ok(Formula::Proposition(number)),
                Some(_) => Err(Wrong {
                    at,
                    what: format!("more than {PROPOSITIONS_MAX} propositions"),
                }),
                None => Err(Wrong {
                    at,
                    what: format!("there is no proposition `{name}`"),
                }),
            },
            Token::Binary(_) | Token::Close => {
                self.next -= 1;
                self.wrong("a formula is missing here")
            }
        }
    }
}

/// The formula that a text says. `number`: the number of a proposition, by its name; `None` if there is none of that name.
///
/// # Errors
/// [`Wrong`]: where the text is none, and why.
pub fn parse(text: &str, number: &dyn Fn(&str) -> Option<u32>) -> Result<Formula, Wrong> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        end: text.len(),
        number,
    };
    let formula = parser.formula(0, 0)?;
    match parser.peek() {
        None => Ok(formula),
        Some(Token::Close) => parser.wrong("`)` has no `(`"),
        Some(_) => parser.wrong("an operator is missing here"),
    }
}
