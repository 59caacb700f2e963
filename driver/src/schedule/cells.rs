//! Lines of cells, with two blanks or more between them.

/// A cell as it is written. What would not be read back as it is, is a JSON string.
pub fn cell(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text != "-"
        && !text.starts_with(['"', ' '])
        && !text.ends_with(' ')
        && !text.contains("  ")
        && !text.chars().any(char::is_control);
    match (is_plain, text) {
        (true, _) => text.to_owned(),
        (false, "") => "-".to_owned(),
        (false, _) => serde_json::to_string(text).expect("a text has a JSON form"),
    }
}

/// The cells of a line; `None` if a string does not end.
pub fn cells(line: &str) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = match rest.starts_with('"') {
            true => {
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                cells.push(strings.next()?.ok()?);
                strings.byte_offset()
            }
            false => {
                let end = rest.find("  ").unwrap_or(rest.len());
                let text = &rest[..end];
                cells.push(if text == "-" { "" } else { text }.to_owned());
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    Some(cells)
}

/// Lines of cells, so that cells of the same number begin in the same column.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let all = rows.iter().filter_map(|row| row.get(column));
        all.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().zip(&widths);
        let padded: Vec<String> = padded
            .map(|(text, &width)| format!("{text:width$}"))
            .collect();
        text.push_str(padded.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let row = ["T0", "", "-", "a b", "a  b", "\"q\"", " x", "tab\t", "é"];
        let written: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let text = table(&[written, vec!["longer than all".to_owned()]]);
        let line = text.lines().next().unwrap();
        assert_eq!(cells(line).unwrap(), row);
        assert_eq!(cells("T0  \"open"), None);
    }
}
