//! What the driver hears before there is a report: that the program is loaded, that exploration begins, and why the
//! tool cannot do its work.

use super::environment::{strings, ENVIRONMENT};
use super::options::options;
use core::sync::atomic::Ordering;
use dpor_machine::stack_text::Text;
use dpor_machine::sys;
use dpor_report::Message;

/// Tells the driver that exploration begins.
pub fn announce() {
    if let Some(options) = options() {
        let channel = options.channel;
        if channel >= 0 {
            sys::write_all(channel, b"\"started\"\n");
        }
    }
}

/// The tool cannot do its work: one sentence, exit code 2.
pub fn refuse(why: &str) -> ! {
    refuse_to(options().map(|options| options.channel), why)
}

/// Ends the process with a reason, told to the driver at the other end of a channel, if there is one.
pub fn refuse_to(channel: Option<i32>, why: &str) -> ! {
    match channel {
        Some(channel) if channel >= 0 => send(channel, &Message::Failure(why.to_owned())),
        _ => sys::write_all(2, format!("dpor: {why}\n").as_bytes()),
    }
    sys::exit_group(2)
}

/// Ends the process as [`refuse`] does, where there is no memory to say it with. `why` has nothing that JSON escapes.
pub fn refuse_plainly(why: &str) -> ! {
    let channel = options().map_or_else(channel_of_process, |options| options.channel);
    let (fd, before, after) = match channel {
        0.. => (channel, "{\"failure\":\"", "\"}\n"),
        _ => (2, "dpor: ", "\n"),
    };
    // A driver names the limit itself.
    let limit = match channel {
        0.. => Text::new(format_args!("")),
        _ => sys::limit_of_address_space().map_or(Text::new(format_args!("")), |limit| {
            Text::new(format_args!(
                "; the address space of a process is limited to {limit} bytes here (ulimit -v)"
            ))
        }),
    };
    for part in [before, why, limit.as_str(), after] {
        sys::write_all(fd, part.as_bytes());
    }
    sys::exit_group(2)
}

/// The channel that the environment names, before options are read; −1: none.
fn channel_of_process() -> i32 {
    let environment = ENVIRONMENT.load(Ordering::Relaxed);
    if environment.is_null() {
        return -1;
    }
    // SAFETY: the process's own environment, as the dynamic linker gave it.
    let options = unsafe { strings(environment) }
        .find_map(|entry| entry.to_bytes().strip_prefix(b"DPOR_OPTIONS="));
    let mut settings = options.unwrap_or_default().split(|&byte| byte == b':');
    let channel = settings.find_map(|setting| setting.strip_prefix(b"channel="));
    let channel = channel.and_then(|digits| core::str::from_utf8(digits).ok());
    channel.and_then(|digits| digits.parse().ok()).unwrap_or(-1)
}

/// A line for the driver, if there is one.
pub fn send(channel: i32, message: &Message) {
    if channel >= 0 {
        let line = serde_json::to_string(message).unwrap_or_default();
        sys::write_all(channel, format!("{line}\n").as_bytes());
    }
}

/// The driver would not understand what this runtime says, nor this one what it asks for.
pub fn another_version(driver: &str) -> String {
    let driver = match driver {
        "" => "does not say its own",
        driver => driver,
    };
    format!(
        "the program's runtime libdpor_rt.so has version {}, and dpor {driver}: \
         build the program again with this dpor's dpor-cc",
        dpor_abi::version()
    )
}

/// The channel in options that are not understood as a whole: those of a driver of another version.
pub fn channel_in(text: &str) -> Option<i32> {
    let mut settings = text.split(':');
    settings
        .find_map(|setting| setting.strip_prefix("channel="))?
        .parse()
        .ok()
}
