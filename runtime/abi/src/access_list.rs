//! The list of the accesses that got a hook, for comparing what two optimization levels made of a
//! source: text in section [`SECTION`] of the program, one part per module, that nobody reads while
//! the program runs.
//!
//! A part has a line `level LEVEL` and then a line for each access; the fields of a line are
//! separated by tabulators, parts by NUL bytes. The pass emits it where [`LEVEL`] is in the
//! environment of the compiler.

use core::fmt;

/// Variable of the environment: the optimization level that `dpor-cc` compiles at, whatever its
/// arguments say. It also asks the pass for the list.
pub const LEVEL: &str = "DPOR_LEVEL";

/// ELF section of the lists.
pub const SECTION: &str = "dpor_accesses";

/// An access that got a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedAccess {
    /// `read`, `write`, `atomic read`, `volatile write`, `atomic update`, …
    pub access: String,
    /// Number of bytes that the access touches; 0 if the program computes it.
    pub bytes: u64,
    /// Symbol of the global variable; empty for memory that only a pointer leads to.
    pub object: String,
    /// First byte in the variable; `None` if the program computes it.
    pub offset: Option<i64>,
    /// Path of the source file as the debug information has it; empty without debug information.
    pub file: String,
    /// Line in the source file, 1-based; 0 if unknown.
    pub line: u32,
    /// Column in the line, 1-based; 0 if unknown.
    pub column: u32,
    /// The source function, as the linker knows it.
    pub function: String,
    /// The function it is compiled into and the places it was inlined into: one source line may be
    /// compiled several times.
    pub copy: String,
}

/// The contents of all lists of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessList {
    /// The optimization level of each module.
    pub levels: Vec<String>,
    /// The accesses of all modules.
    pub accesses: Vec<ListedAccess>,
}

/// The line that begins a part; it ends with a newline.
pub fn level_line(level: &str) -> String {
    format!("level\t{}\n", clean(level))
}

impl fmt::Display for ListedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self
            .offset
            .map_or(String::new(), |offset| offset.to_string());
        writeln!(
            f,
            "access\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            self.access,
            self.bytes,
            clean(&self.object),
            offset,
            clean(&self.file),
            self.line,
            self.column,
            clean(&self.function),
            clean(&self.copy)
        )
    }
}

impl AccessList {
    /// Reads a section; `None` if it is no list.
    pub fn parse(section: &[u8]) -> Option<AccessList> {
        let text = core::str::from_utf8(section).ok()?;
        let mut list = AccessList::default();
        let lines = text.split(['\n', '\0']).filter(|line| !line.is_empty());
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["level", level] => list.levels.push(level.to_owned()),
                ["access", ..] => list.accesses.push(access(&fields)?),
                _ => return None,
            }
        }
        Some(list)
    }
}

fn access(fields: &[&str]) -> Option<ListedAccess> {
    let &[_, access, bytes, object, offset, file, line, column, function, copy] = fields else {
        return None;
    };
    Some(ListedAccess {
        access: access.to_owned(),
        bytes: bytes.parse().ok()?,
        object: object.to_owned(),
        offset: match offset {
            "" => None,
            offset => Some(offset.parse().ok()?),
        },
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
        function: function.to_owned(),
        copy: copy.to_owned(),
    })
}

/// Returns the text with spaces in place of the characters that separate fields, lines and parts.
fn clean(text: &str) -> String {
    text.replace(['\t', '\n', '\0'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_were_written() {
        let access = ListedAccess {
            access: "atomic read".to_owned(),
            bytes: 4,
            object: "flag".to_owned(),
            offset: Some(-8),
            file: "/a b/x.c".to_owned(),
            line: 7,
            column: 3,
            function: "main".to_owned(),
            copy: "main 9:1".to_owned(),
        };
        let unknown = ListedAccess {
            object: "odd\tname".to_owned(),
            ..ListedAccess::default()
        };
        let part = |level: &str, a: &ListedAccess| level_line(level) + &a.to_string();
        let text = part("-O0", &access) + "\0\0\0" + &part("-O2", &unknown) + "\0";
        let list = AccessList::parse(text.as_bytes()).unwrap();
        assert_eq!(list.levels, ["-O0", "-O2"]);
        let odd = ListedAccess {
            object: "odd name".to_owned(),
            ..unknown
        };
        assert_eq!(list.accesses, [access, odd]);
        assert_eq!(AccessList::parse(b""), Some(AccessList::default()));
        assert_eq!(AccessList::parse(b"level\n"), None);
        assert_eq!(AccessList::parse(b"access\tread\n"), None);
        assert_eq!(AccessList::parse(b"\xff"), None);
    }
}
