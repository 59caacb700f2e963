//! From an instruction to its place in the source: for threads that ended at no hook (a crash, a
//! loop without end), where only the program counter is known.

use addr2line::Loader;
use dpor_report::{LoadedObject, Place};

/// The place of an instruction, with the functions it was inlined into; `None` without debug
/// information.
pub fn place(instruction: u64, loaded: &[LoadedObject]) -> Option<Place> {
    let object = loaded
        .iter()
        .find(|object| (object.start..object.end).contains(&instruction))?;
    let loader = Loader::new(&object.path).ok()?;
    let mut frames = loader
        .find_frames(instruction.wrapping_sub(object.base))
        .ok()?;
    let mut places = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        let Some(location) = frame.location else {
            continue;
        };
        places.push(Place {
            file: location.file.unwrap_or_default().to_owned(),
            line: location.line.unwrap_or(0),
            column: location.column.unwrap_or(0),
            function: frame
                .function
                .and_then(|function| function.raw_name().ok().map(|name| name.into_owned()))
                .unwrap_or_default(),
            inlined_into: Vec::new(),
        });
    }
    let mut places = places.into_iter();
    let mut place = places.next().filter(|place| place.line != 0)?;
    place.inlined_into = places.collect();
    Some(place)
}
