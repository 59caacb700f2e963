//! Standard input, which each run of a program should find as the first one did.

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fs::{seek, SeekFrom};
use rustix::io::ioctl_fionread;
use std::io::IsTerminal;

/// What a program that runs now finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Input that can be read again, at this byte.
    At(u64),
    /// A terminal, from which nothing comes unasked.
    Terminal,
    /// Something that is gone once it was read, as a pipe.
    Once {
        /// Number of bytes that could be read.
        waiting: u64,
        /// True if nobody will write any more.
        is_closed: bool,
    },
}

impl Input {
    /// Standard input as it is now.
    pub fn now() -> Input {
        let input = std::io::stdin();
        match seek(&input, SeekFrom::Current(0)) {
            Ok(place) => Input::At(place),
            Err(_) if input.is_terminal() => Input::Terminal,
            Err(_) => {
                let mut asked = [PollFd::new(&input, PollFlags::IN)];
                let is_known = poll(&mut asked, Some(&Timespec::default())).is_ok();
                let ended = PollFlags::HUP | PollFlags::NVAL;
                Input::Once {
                    // What cannot be asked has nothing to read.
                    waiting: ioctl_fionread(&input).unwrap_or(0),
                    is_closed: is_known && asked[0].revents().intersects(ended),
                }
            }
        }
    }

    /// Puts it back, where that can be done.
    pub fn begin(self) {
        if let Input::At(place) = self {
            // It could be asked where it stands, so it can be put there.
            let _ = seek(std::io::stdin(), SeekFrom::Start(place));
        }
    }

    /// Whether a program that runs now may find what one found then. Where somebody still writes, that cannot be
    /// known.
    pub fn may_be_there_again(self) -> bool {
        match (self, Input::now()) {
            (Input::At(_) | Input::Terminal, _) => true,
            (Input::Once { waiting, .. }, Input::Once { waiting: left, .. }) => waiting == left,
            (Input::Once { .. }, _) => false,
        }
    }

    /// Whether a program that runs now finds what one found then.
    pub fn is_there_again(self) -> bool {
        let may_differ = matches!(
            self,
            Input::Once {
                is_closed: false,
                ..
            }
        );
        !may_differ && self.may_be_there_again()
    }
}
