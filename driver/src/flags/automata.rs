//! `--automaton FILE`: the files are read here, and the runtime is told what they say.

use dpor_ltl::Hoa;

/// Bytes that all automata may have together: they reach the runtime in the environment, of which the kernel gives a
/// variable 128 KB, in which a line end takes three bytes.
const BYTES_MAX: usize = 40_000;

/// Replaces each name of a file by the name, a line end and what the file says.
///
/// # Errors
/// One sentence that names the file, and the line if it is no automaton that can be asked.
pub fn read(automata: &mut [String]) -> Result<(), String> {
    let mut bytes = 0;
    for automaton in automata.iter_mut() {
        let file = automaton.clone();
        let wrong = |why: &dyn std::fmt::Display| format!("--automaton: {file}: {why}");
        let text = std::fs::read_to_string(&file).map_err(|why| wrong(&why))?;
        // Of which propositions it may speak the program says.
        Hoa::read(&text, &|_| Some(0)).map_err(|why| wrong(&why))?;
        bytes += file.len() + text.len();
        if bytes > BYTES_MAX {
            let what = format!("all automata together have more than {BYTES_MAX} bytes");
            return Err(wrong(&what));
        }
        *automaton = format!("{file}\n{text}");
    }
    Ok(())
}
