//! How many characters a line of text may have.

use rustix::termios::tcgetwinsize;
use std::os::fd::AsFd;

/// Where nothing says how wide the text may be, and the least that it is made for.
pub const NARROWEST: usize = 80;

/// What `COLUMNS` says, else the terminal, else 80; never less.
pub fn width(out: Option<&dyn AsFd>) -> usize {
    let said = std::env::var("COLUMNS").ok();
    let terminal = || Some(tcgetwinsize(out?.as_fd()).ok()?.ws_col);
    chosen(said.as_deref(), terminal)
}

fn chosen(said: Option<&str>, terminal: impl Fn() -> Option<u16>) -> usize {
    let said = said.and_then(|said| said.trim().parse::<usize>().ok());
    let width = said.filter(|said| *said > 0);
    let width = width.or_else(|| terminal().map(usize::from));
    width.unwrap_or(NARROWEST).max(NARROWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_asked_first() {
        let check = |said: Option<&str>, terminal: Option<u16>, expect: usize| {
            assert_eq!(chosen(said, || terminal), expect);
        };
        check(Some("120"), Some(100), 120);
        check(None, Some(100), 100);
        check(Some("wide"), Some(100), 100);
        check(Some("0"), Some(100), 100);
        check(None, None, 80);
        check(Some("20"), None, 80);
        // A terminal that does not know its width says 0.
        check(None, Some(0), 80);
    }
}
