//! Sections of pages that a command writes, in a page that is written by hand.

use crate::stop::{Context, Outcome};
use crate::tree;

/// Writes a section of a page in the place of the one that begins with the same heading; if there is none, before another
/// heading, or at the end.
///
/// # Errors
/// If the page cannot be read or written.
pub fn write(page: &str, heading: &str, section: &str, before: Option<&str>) -> Outcome {
    let file = tree::root().join(page);
    let text = std::fs::read_to_string(&file).while_doing(file.display())?;
    let text = with_section(&text, heading, section, before);
    std::fs::write(&file, text).while_doing(file.display())
}

fn with_section(page: &str, heading: &str, section: &str, before: Option<&str>) -> String {
    let next = |from: usize| page[from..].find("\n## ").map(|at| from + at + 1);
    let (from, to) = match page.find(heading) {
        Some(from) => (from, next(from)),
        None => {
            let other = before.and_then(|heading| page.find(heading));
            (other.unwrap_or(page.len()), other)
        }
    };
    let after = to.map_or(String::new(), |to| format!("\n{}", &page[to..]));
    format!("{}\n\n{section}{after}", page[..from].trim_end())
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn a_section_is_put_in_and_replaced() {
        let page = "# a\n\nb\n\n## Further\n\nc\n";
        let put = |page: &str, text: &str, before| {
            with_section(page, "## New", &format!("## New\n\n{text}\n"), before)
        };
        let with = |text: &str| format!("# a\n\nb\n\n## New\n\n{text}\n\n## Further\n\nc\n");
        let first = put(page, "old", Some("## Further"));
        assert_eq!(first, with("old"));
        assert_eq!(put(&first, "new", None), with("new"));
        let last = put(page, "old", None);
        assert_eq!(last, format!("{page}\n## New\n\nold\n"));
        assert_eq!(put(&last, "new", None), format!("{page}\n## New\n\nnew\n"));
    }
}
