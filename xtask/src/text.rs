//! Text that compresses, but not to nothing.

/// Lines of a word and a number, so many bytes of them: the same on every machine.
pub fn lines(bytes: usize) -> String {
    let mut text = String::new();
    let mut number: u32 = 1;
    while text.len() < bytes {
        // A multiplicative generator.
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text += &format!("line {}\n", number >> 12);
    }
    text.truncate(bytes);
    text
}
