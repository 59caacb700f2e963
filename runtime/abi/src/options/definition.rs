//! What an option is: everything that help, manual page, documentation and `DPOR_OPTIONS` say of it.

use super::Options;

/// An option of a check.
///
/// The table has one for each (`table.rs`); whoever shows, reads or writes options goes through it.
pub struct Definition {
    /// The key in `DPOR_OPTIONS` and the long option of the command line; of one letter: the short one.
    pub name: &'static str,
    /// The letter that stands for it.
    pub short: Option<char>,
    /// How it is given.
    pub form: Form,
    /// Whether it decides which executions there are and what is a finding: a search that goes on has those that it
    /// began with.
    pub is_of_search: bool,
    /// Its field's comment: the first paragraph is the help text.
    pub(super) comment: &'static str,
    /// Takes over a value; an option that only the driver knows has none.
    pub(super) read: Option<Read>,
    /// The values that make it what it is, if read one after the other.
    pub(super) write: fn(&Options) -> Vec<String>,
}

/// Sets an option to what a text says; or says what is wrong with the text.
pub(super) type Read = fn(&mut Options, &str) -> Result<(), String>;

/// How an option is given on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Not at all: the driver tells the runtime.
    Internal,
    /// `--name`; as a key it has the value `1`.
    Switch,
    /// `--name VALUE`, with what the help calls the value.
    Value(&'static str),
    /// The same, any number of times.
    Values(&'static str),
    /// `--name` or `--name=VALUE`.
    Optional {
        /// What the help calls the value.
        value: &'static str,
        /// What it is without one.
        without: &'static str,
    },
    /// `--name DIR`, any number of times: a folder, which is told by its absolute path.
    Folders(&'static str),
    /// `--name FILE`: a file that the runtime opens, wherever the program has gone to.
    File,
}

impl Definition {
    /// What the command line's help says: one sentence or more, without a full stop at the end.
    pub fn help(&self) -> String {
        let paragraph = self.comment.split("\n\n").next().unwrap_or_default();
        let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
        let text = lines.join(" ").trim().to_owned();
        match self.form {
            Form::Switch => text + " [default: off]",
            _ => text,
        }
    }

    /// As it is written on the command line.
    pub fn on_command_line(&self) -> String {
        let dashes = if self.name.len() == 1 { "-" } else { "--" };
        format!("{dashes}{}", self.name)
    }

    /// Whether it stands in [`Options`]: not if only the driver knows it.
    pub fn is_of_runtime(&self) -> bool {
        self.read.is_some()
    }

    /// Whether `key` of `DPOR_OPTIONS` means it.
    pub(super) fn is_called(&self, key: &str) -> bool {
        let is_short = |short: char| key.strip_prefix(short) == Some("");
        self.name == key || self.short.is_some_and(is_short)
    }
}

/// Makes [`Options`], its default and the definitions from one list.
///
/// An entry is
///
/// ```text
/// /// Help text, as the command line shows it
/// ///
/// /// What only readers of the code need: units, special values.
/// field: Type = default, "name" | 'n', Form::…, SEARCH or CHECK, by reader;
/// ```
///
/// where `| 'n'` and `by reader` are left out where there is no short name and nothing to say about values but that
/// they are of the type.
macro_rules! options {
    ($(
        $(#[doc = $doc:literal])+
        $field:ident: $type:ty = $default:expr,
        $name:literal $(| $short:literal)?, $form:expr, $part:expr $(, by $reader:expr)?;
    )*) => {
        /// Everything the runtime can be told.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Options {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl Default for Options {
            fn default() -> Self {
                Options { $($field: $default,)* }
            }
        }

        /// The definition of each field, in the order in which `DPOR_OPTIONS` has them.
        const OF_FIELDS: &[Definition] = &[
            $(Definition {
                name: $name,
                short: options!(@short $($short)?),
                form: $form,
                is_of_search: $part,
                comment: concat!($($doc, "\n"),+),
                read: Some(|options, text| options!(@read options, text, $field $(, $reader)?)),
                write: |options| Value::write(&options.$field),
            },)*
        ];
    };
    (@short) => { None };
    (@short $short:literal) => { Some($short) };
    (@read $options:ident, $text:ident, $field:ident) => {
        Value::read(&mut $options.$field, $text)
    };
    (@read $options:ident, $text:ident, $field:ident, $reader:expr) => {
        $reader($text).map(|value| $options.$field = value)
    };
}

pub(super) use options;
