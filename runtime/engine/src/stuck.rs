//! What the program itself says of an execution at whose end threads wait for ever (`dpor_when_stuck`): `dpor scenario` has
//! calls that may wait, and knows whether they may wait there.

use crate::properties::look::{self, Write};
use crate::runtime::Runtime;
use crate::stop::Stop;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_machine::state::Kept;
use dpor_report::{scenario, Scenario};

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
    match text(&TELL) {
        Some(Ok(text)) => scenario::told(&text).1,
        Some(Err(what)) => {
            refuse(rt, "dpor_when_promised", what);
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// The scenario that the program runs, with its calls as they stand; `None`: it runs none, or does not get to say so, which
/// may be where something was found (its memory may be in any state). On the engine's context.
pub fn scenario_now() -> Option<Scenario> {
    let text = text(&TELL)?.ok()?;
    scenario::told(&text).0
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
    match text(&JUDGE) {
        None => Said::Nothing,
        Some(Ok(text)) if text.is_empty() => Said::Right,
        Some(Ok(text)) => Said::Wrong(told(&text)),
        Some(Err(what)) => {
            refuse(rt, "dpor_when_stuck", what);
            Said::Nothing
        }
    }
}

/// What a function of the program writes, or what it does and must not; `None`: there is none.
fn text(function: &Kept<AtomicUsize>) -> Option<Result<String, &'static str>> {
    let function = function.load(Ordering::Relaxed);
    if function == 0 {
        return None;
    }
    // SAFETY: the number is that of a function of this type, which `ask` or `ask_standing` was given.
    let function = unsafe { core::mem::transmute::<usize, Write>(function) };
    let text = look::call(function, BYTES).map(|text| {
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    });
    Some(text)
}

/// The lines that say something.
fn told(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

fn refuse(rt: &mut Runtime, name: &str, what: &str) {
    let what = format!("the function given to {name} {what}");
    rt.stop = Some(Stop::Unsupported(what));
}
