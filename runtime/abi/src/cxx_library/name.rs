//! Names of members in std, as the Itanium C++ ABI mangles them: as much as tells class, member and `const`.

/// The name of a member of a class or namespace in std, taken apart.
#[derive(Debug)]
pub struct Name<'a> {
    /// The scope that the member stands in: `std` first, then namespaces and classes, without template arguments.
    pub scope: Vec<&'a str>,
    /// The member's own name; for an operator that is asked for, what C++ calls it. Empty for constructors and
    /// destructors.
    pub member: &'a str,
    /// True if the member is a constructor or a destructor.
    pub is_life: bool,
    /// True if the member is const.
    pub is_const: bool,
    /// The kind of the member's first parameter.
    pub params: Params,
}

/// A first parameter, as far as it may be of the class itself: named by what was named before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Params {
    /// A parameter `const T&`.
    ConstReference,
    /// A parameter `T&`.
    Reference,
    /// A parameter `T&&`.
    RightReference,
    /// A parameter of another type, or none.
    Others,
}

/// Splits a length-prefixed identifier (`3foo…`, with its ABI tags) from the text: the identifier, and what follows.
pub fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = text.get(..digits)?.parse().ok()?;
    let name = text.get(digits..digits + length)?;
    let mut rest = &text[digits + length..];
    while let Some(tag) = rest.strip_prefix('B') {
        rest = identifier(tag)?.1;
    }
    Some((name, rest))
}

impl<'a> Name<'a> {
    /// Reads `_ZN…E` or `_ZNK…E` and looks at what follows.
    pub fn read(text: &'a str) -> Option<Name<'a>> {
        let mut rest = text.strip_prefix("_ZN")?;
        let mut is_const = false;
        while let Some(qualifier) = rest.chars().next().filter(|c| "rVKRO".contains(*c)) {
            is_const |= qualifier == 'K';
            rest = &rest[1..];
        }
        let mut parts: Vec<&str> = Vec::new();
        let mut is_life = false;
        loop {
            let pair = rest.get(..2)?;
            if let Some(end) = rest.strip_prefix('E') {
                rest = end;
                break;
            }
            let first = pair.as_bytes()[0];
            if let Some(arguments) = rest.strip_prefix('I') {
                rest = list(arguments)?;
                continue;
            }
            is_life = false;
            if first.is_ascii_digit() {
                let (name, after) = identifier(rest)?;
                parts.push(name);
                rest = after;
            } else if first == b'S' {
                let standard: &[&str] = match pair {
                    "St" => &["std"],
                    "Sa" => &["std", "allocator"],
                    "Sb" | "Ss" => &["std", "basic_string"],
                    "Si" => &["std", "basic_istream"],
                    "So" => &["std", "basic_ostream"],
                    "Sd" => &["std", "basic_iostream"],
                    _ => return None,
                };
                parts.extend(standard);
                rest = &rest[2..];
            } else if matches!(pair, "C1" | "C2" | "C3" | "C4" | "D0" | "D1" | "D2" | "D4") {
                is_life = true;
                parts.push("");
                rest = tags(&rest[2..])?;
            } else if let Some(ty) = rest.strip_prefix("cv") {
                parts.push("operator");
                rest = type_(ty)?;
            } else if pair.bytes().all(|c| c.is_ascii_lowercase())
                || pair.as_bytes()[1].is_ascii_uppercase()
            {
                parts.push(operator(pair));
                rest = tags(&rest[2..])?;
            } else {
                return None;
            }
        }
        let member = parts.pop()?;
        Some(Name {
            scope: parts,
            member,
            is_life,
            is_const,
            params: params(rest),
        })
    }
}

fn tags(mut text: &str) -> Option<&str> {
    while let Some(tag) = text.strip_prefix('B') {
        text = identifier(tag)?.1;
    }
    Some(text)
}

/// The C++ name of the operator that these two letters stand for; the letters themselves where no rule asks for it.
fn operator(letters: &str) -> &str {
    match letters {
        "ix" => "operator[]",
        other => other,
    }
}

/// A class that was named before is `S_`, `S0_`, …, or one of the abbreviations for strings.
fn params(text: &str) -> Params {
    let is_known = |ty: &str| ty.starts_with('S') && !ty.starts_with("St");
    let of = |prefix: &str| text.strip_prefix(prefix).is_some_and(is_known);
    match () {
        () if of("RK") => Params::ConstReference,
        () if of("R") => Params::Reference,
        () if of("O") => Params::RightReference,
        () => Params::Others,
    }
}

/// Goes over types and values up to `E`.
fn list(mut text: &str) -> Option<&str> {
    loop {
        if let Some(rest) = text.strip_prefix('E') {
            return Some(rest);
        }
        text = match text.as_bytes().first()? {
            b'L' => literal(&text[1..])?,
            b'J' => list(&text[1..])?,
            _ => type_(text)?,
        };
    }
}

/// Goes over the type, the value and the `E` of a constant.
fn literal(text: &str) -> Option<&str> {
    if let Some(function) = text.strip_prefix("_Z") {
        // The name of a function or variable, with an end of its own if it is nested.
        let rest = match function.strip_prefix('N') {
            Some(nested) => list(nested)?,
            None => identifier(function)?.1,
        };
        return rest.find('E').map(|end| &rest[end + 1..]);
    }
    let value = type_(text)?;
    value.find('E').map(|end| &value[end + 1..])
}

/// Goes over one type, with its template arguments.
fn type_(text: &str) -> Option<&str> {
    let first = *text.as_bytes().first()?;
    let rest = &text[1..];
    match first {
        b'P' | b'R' | b'O' | b'K' | b'V' | b'r' | b'C' | b'G' => type_(rest),
        b'N' => nested(rest),
        b'F' | b'X' => list(rest.strip_prefix('Y').unwrap_or(rest)),
        b'M' => type_(type_(rest)?),
        b'A' => type_(&rest[rest.find('_')? + 1..]),
        b'D' if rest.starts_with(|c: char| "npaciuhsd".contains(c)) => match &rest[..1] {
            "p" => type_(&rest[1..]),
            _ => Some(&rest[1..]),
        },
        b'D' if rest.starts_with('o') => type_(&rest[1..]),
        b'S' | b'T' => arguments(substitution(text)?),
        b'0'..=b'9' => arguments(identifier(text)?.1),
        b'a'..=b'z' => Some(rest),
        _ => None,
    }
}

/// Goes over the names that follow an `N` in a type, up to the `E`.
fn nested(mut text: &str) -> Option<&str> {
    loop {
        text = match text.as_bytes().first()? {
            b'E' => return Some(&text[1..]),
            b'I' => list(&text[1..])?,
            b'K' | b'V' | b'r' => &text[1..],
            b'S' | b'T' => substitution(text)?,
            b'0'..=b'9' => identifier(text)?.1,
            _ => return None,
        };
    }
}

/// `St`, `Ss`, …, `S_`, `S0_`, `T_`, `T0_`; behind `St` a name.
fn substitution(text: &str) -> Option<&str> {
    let rest = &text[1..];
    match rest.as_bytes().first()? {
        b't' if text.starts_with('S') => {
            match rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
                true => Some(identifier(&rest[1..])?.1),
                false => Some(&rest[1..]),
            }
        }
        b'a'..=b'z' => Some(&rest[1..]),
        _ => rest.find('_').map(|end| &rest[end + 1..]),
    }
}

fn arguments(text: &str) -> Option<&str> {
    match text.strip_prefix('I') {
        Some(rest) => list(rest),
        None => Some(text),
    }
}
