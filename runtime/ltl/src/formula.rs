//! Formulas.

use std::fmt;

/// Propositions have numbers below this.
pub const PROPOSITIONS_MAX: u32 = 64;

/// A formula of linear temporal logic without next.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Formula {
    /// It holds of every word.
    True,
    /// It holds of no word.
    False,
    /// The proposition with this number, below [`PROPOSITIONS_MAX`], holds first.
    Proposition(u32),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// Both hold.
    And(Box<Formula>, Box<Formula>),
    /// One of both holds.
    Or(Box<Formula>, Box<Formula>),
    /// The second holds at some time, and the first until then.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and with the time at which the first does, or for ever.
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Both hold.
    pub fn and(self, other: Formula) -> Formula {
        Formula::And(Box::new(self), Box::new(other))
    }

    /// One of both holds.
    pub fn or(self, other: Formula) -> Formula {
        Formula::Or(Box::new(self), Box::new(other))
    }

    /// The other holds at some time, and this one until then.
    pub fn until(self, other: Formula) -> Formula {
        Formula::Until(Box::new(self), Box::new(other))
    }

    /// The other holds up to and with the time at which this one does, or for ever.
    pub fn release(self, other: Formula) -> Formula {
        Formula::Release(Box::new(self), Box::new(other))
    }

    /// If this one holds, the other does.
    pub fn implies(self, other: Formula) -> Formula {
        self.negated().or(other)
    }

    /// The formula holds at some time.
    pub fn finally(self) -> Formula {
        Formula::True.until(self)
    }

    /// The formula holds always.
    pub fn globally(self) -> Formula {
        Formula::False.release(self)
    }

    /// What holds of exactly the words of which this does not, with `Not` in front of propositions alone.
    pub fn negated(&self) -> Formula {
        self.normal(true)
    }

    /// The same formula with `Not` in front of propositions alone.
    pub fn normalized(&self) -> Formula {
        self.normal(false)
    }

    /// The propositions of which the formula speaks, a bit each.
    pub fn propositions(&self) -> u64 {
        match self {
            Formula::True | Formula::False => 0,
            Formula::Proposition(number) => 1 << number,
            Formula::Not(inner) => inner.propositions(),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b) => a.propositions() | b.propositions(),
        }
    }

    /// The number of operators, propositions and constants.
    pub(crate) fn parts(&self) -> usize {
        1 + match self {
            Formula::True | Formula::False | Formula::Proposition(_) => 0,
            Formula::Not(inner) => inner.parts(),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b) => a.parts() + b.parts(),
        }
    }

    fn normal(&self, negate: bool) -> Formula {
        let both = |a: &Formula, b: &Formula| (a.normal(negate), b.normal(negate));
        match self {
            Formula::True | Formula::False if (*self == Formula::True) != negate => Formula::True,
            Formula::True | Formula::False => Formula::False,
            Formula::Proposition(_) if negate => Formula::Not(Box::new(self.clone())),
            Formula::Proposition(_) => self.clone(),
            Formula::Not(inner) => inner.normal(!negate),
            Formula::And(a, b) | Formula::Or(a, b) => {
                let (a, b) = both(a, b);
                match matches!(self, Formula::And(..)) != negate {
                    true => a.and(b),
                    false => a.or(b),
                }
            }
            Formula::Until(a, b) | Formula::Release(a, b) => {
                let (a, b) = both(a, b);
                match matches!(self, Formula::Until(..)) != negate {
                    true => a.until(b),
                    false => a.release(b),
                }
            }
        }
    }
}

/// In the words that [`crate::parse()`] reads, with propositions `p0`, `p1`, …; each part in brackets.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::True => f.write_str("true"),
            Formula::False => f.write_str("false"),
            Formula::Proposition(n) => write!(f, "p{n}"),
            Formula::Not(inner) => write!(f, "!({inner})"),
            Formula::And(a, b) => write!(f, "({a} && {b})"),
            Formula::Or(a, b) => write!(f, "({a} || {b})"),
            Formula::Until(a, b) => write!(f, "({a} U {b})"),
            Formula::Release(a, b) => write!(f, "({a} R {b})"),
        }
    }
}
