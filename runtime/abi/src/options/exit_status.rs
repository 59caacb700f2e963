//! Exit statuses that are no finding (`exit-status`).

use core::fmt;

/// A set of exit statuses, as `waitpid` tells them: 0 to 255. 0 is always in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExitStatuses {
    /// Status `n` is bit `n % 64` of word `n / 64`.
    words: [u64; 4],
}

impl ExitStatuses {
    /// Whether a process that exits with `code` does as it should; of a code the lowest byte is the status.
    pub fn has(&self, code: i32) -> bool {
        let status = (code & 0xff) as usize;
        code == 0 || self.words[status / 64] >> (status % 64) & 1 == 1
    }

    /// Adds `any`, or statuses with commas between them.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        for word in text.split(',').filter(|word| !word.is_empty()) {
            if word == "any" {
                self.words = [u64::MAX; 4];
                continue;
            }
            let wrong = |_| super::value::not("an exit status from 0 to 255, or any", word);
            let status = usize::from(word.parse::<u8>().map_err(wrong)?);
            self.words[status / 64] |= 1 << (status % 64);
        }
        Ok(())
    }
}

impl fmt::Display for ExitStatuses {
    /// The text that [`ExitStatuses::add`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.words == [u64::MAX; 4] {
            return f.write_str("any");
        }
        let all = (0..256).filter(|&status| self.words[status / 64] >> (status % 64) & 1 == 1);
        for (n, status) in all.enumerate() {
            let comma = if n == 0 { "" } else { "," };
            write!(f, "{comma}{status}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_bytes() {
        let mut some = ExitStatuses::default();
        assert!(some.has(0) && !some.has(1) && !some.has(256));
        some.add("1,255").unwrap();
        some.add("64").unwrap();
        let has: Vec<i32> = (0..256).filter(|&status| some.has(status)).collect();
        assert_eq!(has, [0, 1, 64, 255]);
        assert!(some.has(-1) && some.has(257));
        assert_eq!(some.to_string(), "1,64,255");
        assert!(some.add("256").is_err() && some.add("-1").is_err());
        some.add("any").unwrap();
        assert!((0..256).all(|status| some.has(status)));
        assert_eq!(some.to_string(), "any");
    }
}
