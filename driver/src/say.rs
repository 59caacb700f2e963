//! Lines of the command's own on the two streams.
//!
//! Whoever reads them may have gone (`dpor check … 2>&1 | head`): then nobody is told, and that is no reason
//! to end differently. Names in them may come from anybody, so that nothing in a line steers the terminal.

use dpor_report::visible;
use std::io::Write;

/// A line on standard error.
pub fn line(text: &str) {
    write(&mut std::io::stderr(), text);
}

/// A line on standard output.
pub fn result(text: &str) {
    write(&mut std::io::stdout(), text);
}

fn write(to: &mut dyn Write, text: &str) {
    let line = format!("{}\n", visible::lines(text));
    // Nobody else could be told.
    let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
}

/// What came of writing for a reader: it is no failure if there is none any more.
///
/// # Errors
/// Any other failure.
pub fn unless_closed(written: std::io::Result<()>) -> std::io::Result<()> {
    match written {
        Err(why) if why.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
