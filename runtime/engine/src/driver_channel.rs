//! The channel to the driver.

use dpor_machine::sys;
use dpor_report::Message;

/// Sends a message to the driver, if there is one.
pub fn tell(channel: i32, message: &Message) {
    if channel < 0 {
        return;
    }
    if let Ok(mut line) = serde_json::to_vec(message) {
        line.push(b'\n');
        sys::write_all(channel, &line);
    }
}
