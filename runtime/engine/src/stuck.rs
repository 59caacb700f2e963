//! What the program itself says of an execution at whose end threads wait for ever (`dpor_when_stuck`): `dpor scenario` has
//! calls that may wait, and knows whether they may wait there.

use crate::properties::look::{self, Write};
use crate::runtime::Runtime;
use crate::stop::Stop;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_machine::state::Kept;

/// Bytes that the program may say.
const BYTES: usize = 16 << 10;

/// The program's function; 0: it has none.
static JUDGE: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// The program's function that says how its calls stand; 0: it has none.
static TELL: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// From here on the program is asked how its calls stand, where something is found about them.
pub fn ask_standing(tell: Write) {
    TELL.store(tell as usize, Ordering::Relaxed);
}

/// How the program's calls stand, in lines. On the engine's context.
pub fn standing(rt: &mut Runtime) -> Vec<String> {
    match said(rt, &TELL, "dpor_when_promised") {
        Said::Wrong(lines) => lines,
        Said::Nothing | Said::Right => Vec::new(),
    }
}

/// From here on the program is asked.
pub fn ask(judge: Write) {
    JUDGE.store(judge as usize, Ordering::Relaxed);
}

/// What the program says.
pub enum Said {
    /// Nothing: it was not asked, or could not be.
    Nothing,
    /// The threads may wait there.
    Right,
    /// They must not, and these lines tell more.
    Wrong(Vec<String>),
}

/// Asks the program. On the engine's context, with the memory of the end of the execution.
pub fn judge(rt: &mut Runtime) -> Said {
    said(rt, &JUDGE, "dpor_when_stuck")
}

fn said(rt: &mut Runtime, function: &Kept<AtomicUsize>, name: &str) -> Said {
    let judge = function.load(Ordering::Relaxed);
    if judge == 0 {
        return Said::Nothing;
    }
    // SAFETY: the number is that of a function of this type, which `ask` or `ask_standing` was given.
    let judge = unsafe { core::mem::transmute::<usize, Write>(judge) };
    match look::call(judge, BYTES) {
        Ok(text) => {
            let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
            let lines = String::from_utf8_lossy(text);
            match text.is_empty() {
                true => Said::Right,
                false => Said::Wrong(told(&lines)),
            }
        }
        Err(what) => refuse(rt, name, what),
    }
}

/// The lines that say something.
fn told(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

fn refuse(rt: &mut Runtime, name: &str, what: &str) -> Said {
    let what = format!("the function given to {name} {what}");
    rt.stop = Some(Stop::Unsupported(what));
    Said::Nothing
}
