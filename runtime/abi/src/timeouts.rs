//! `--timeouts`: which time-outs come although others could go on.

use core::fmt;
use core::str::FromStr;

/// How many calls with a time limit reach it early in one execution, that is, while other threads could go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeouts {
    /// At most so many.
    AtMost(u32),
    /// Every call with a time limit may reach it early.
    All,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts::AtMost(1)
    }
}

impl FromStr for Timeouts {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Timeouts::All),
            "none" => Ok(Timeouts::AtMost(0)),
            number => match number.parse() {
                Ok(most) => Ok(Timeouts::AtMost(most)),
                Err(_) => Err(format!("'{text}' is not a number, all or none")),
            },
        }
    }
}

impl fmt::Display for Timeouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timeouts::AtMost(0) => f.write_str("none"),
            Timeouts::AtMost(most) => write!(f, "{most}"),
            Timeouts::All => f.write_str("all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers() {
        for text in ["all", "none", "1", "7"] {
            let read: Timeouts = text.parse().expect("one of them");
            assert_eq!(read.to_string(), text);
        }
        assert_eq!("0".parse(), Ok(Timeouts::AtMost(0)));
        assert_eq!(
            "few".parse::<Timeouts>(),
            Err("'few' is not a number, all or none".to_owned())
        );
        assert!("-1".parse::<Timeouts>().is_err());
    }
}
