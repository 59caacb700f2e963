//! Functions as a reader recognizes them: without what a compiler had to say to tell each from all others.
//!
//! ```text
//!   main::$_1::operator()(int) const                                      lambda #2 in main
//!   std::future<decltype ({parm#1}())> Pool::submit<main::$_0>(main::$_0)  Pool::submit<…>
//! ```

/// The most characters of a function's name (chosen: half a line).
const NAME_MAX: usize = 40;

/// What calls an object of a class.
const CALL: &str = "::operator()";

/// A readable name that is not long: that of a lambda expression by where it is; of others, as far as that makes them
/// short, without return type and parameters, and without arguments of templates.
pub fn readable(full: &str) -> String {
    let bare = bare(full);
    if let Some(lambda) = lambda(bare) {
        return lambda;
    }
    if full.chars().count() <= NAME_MAX {
        return full.to_owned();
    }
    match bare.chars().count() <= NAME_MAX {
        true => bare.to_owned(),
        false => without_arguments(bare).unwrap_or_else(|| bare.to_owned()),
    }
}

/// The name without return type and parameters.
pub fn bare(full: &str) -> &str {
    without_return_type(without_parameters(full))
}

/// `f<int>` of `void f<int>`.
fn without_return_type(name: &str) -> &str {
    // The names of operators may have blanks.
    let end = name.find("operator").unwrap_or(name.len());
    let (mut at, mut blank) = (0, None);
    while let Some(found) = name[at..end].find([' ', '<', '(', '{']) {
        at += found;
        let is_blank = name[at..].starts_with(' ');
        if is_blank && !name[at + 1..].starts_with("const") {
            blank = Some(at);
        }
        at += match is_blank {
            true => 1,
            false => end_of_arguments(&name[at..]).unwrap_or(1),
        };
        if at > end {
            break;
        }
    }
    blank.map_or(name, |at| &name[at + 1..])
}

/// "lambda in main", for the function of a lambda expression.
fn lambda(bare: &str) -> Option<String> {
    let bare = bare.strip_suffix(" const").unwrap_or(bare);
    let outer = bare.strip_suffix(CALL).or_else(|| {
        // A generic lambda expression's function is a template.
        let at = bare
            .rfind("::operator()<")
            .filter(|_| bare.ends_with('>'))?;
        Some(&bare[..at])
    })?;
    let (outer, number) = match outer.strip_suffix('}') {
        // gcc: f(int)::{lambda(long)#1}
        Some(gcc) => {
            let (outer, number) = gcc.rsplit_once('#')?;
            let (outer, _) = outer.rsplit_once("::{lambda(")?;
            (outer, number.parse::<u64>().ok()?)
        }
        // clang: f(int)::$_0
        None => {
            let (outer, number) = outer.rsplit_once("::$_")?;
            (outer, number.parse::<u64>().ok()? + 1)
        }
    };
    let outer = without_parameters(outer);
    let outer = lambda(outer).unwrap_or_else(|| readable(outer));
    Some(match number {
        1 => format!("lambda in {outer}"),
        number => format!("lambda #{number} in {outer}"),
    })
}

/// `f` of `f(int) const`.
fn without_parameters(name: &str) -> &str {
    let name = name.strip_suffix(" const").unwrap_or(name);
    if !name.ends_with(')') || name.ends_with(CALL) {
        return name;
    }
    let mut depth = 0;
    for (at, character) in name.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &name[..at];
        }
    }
    name
}

/// The name with `<…>` for arguments of templates; `None` if they do not end.
fn without_arguments(name: &str) -> Option<String> {
    let mut short = String::new();
    let mut rest = name;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        short += before;
        if let Some(operator) = { ["<=>", "<<=", "<<", "<=", "<"].into_iter() }
            .find(|operator| before.ends_with("operator") && from.starts_with(operator))
        {
            short += operator;
            rest = &from[operator.len()..];
            continue;
        }
        let end = end_of_arguments(from)?;
        short += "<…>";
        rest = &from[end..];
    }
    Some(short + rest)
}

/// Where the arguments, of a template or in parentheses, end that the text begins with.
fn end_of_arguments(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        match character {
            '(' | '{' => open.push(character),
            // In parentheses it may be an operator.
            '<' if open.last() != Some(&'(') => open.push(character),
            ')' => _ = open.pop_if(|last| *last == '('),
            '}' => _ = open.pop_if(|last| *last == '{'),
            '>' if before != '-' => _ = open.pop_if(|last| *last == '<'),
            _ => {}
        }
        before = character;
        if open.is_empty() {
            return Some(at + character.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambda_expressions() {
        let check = |name: &str, expect: &str| assert_eq!(readable(name), expect);
        check("main::$_0::operator()() const", "lambda in main");
        check("main::$_0::operator() const", "lambda in main");
        check("main::$_1::operator()(int)", "lambda #2 in main");
        check("main::{lambda()#1}::operator()() const", "lambda in main");
        check(
            "f(int)::{lambda(long, int)#3}::operator()(long, int) const",
            "lambda #3 in f",
        );
        check(
            "f(int (*)(int)) const::$_0::operator()() const",
            "lambda in f",
        );
        check(
            "void main::$_0::operator()<int>(int) const",
            "lambda in main",
        );
        check(
            "main::$_0::operator()() const::{lambda()#1}::operator()() const",
            "lambda in lambda in main",
        );
        check("Less::operator()(int) const", "Less::operator()(int) const");
    }

    #[test]
    fn long_names() {
        let check = |name: &str, expect: &str| assert_eq!(readable(name), expect);
        check("f(int)", "f(int)");
        check(
            "f(std::vector<int>, std::vector<int>, std::vector<int>)",
            "f",
        );
        check(
            "std::future<decltype ({parm#1}())> Pool::submit<main::$_0, std::vector<int> >(main::$_0)",
            "Pool::submit<…>",
        );
        check(
            "void Pool::submit<main::$_0, std::vector<int, std::allocator<int> > >()",
            "Pool::submit<…>",
        );
        check(
            "std::ostream& operator<< <std::char_traits<char>, std::allocator<char> >(std::ostream&)",
            "operator<< <…>",
        );
        check(
            "A<(1 > 0), int>::f<&B::operator->, std::allocator<char> >::g",
            "A<…>::f<…>::g",
        );
        check(
            "Value::operator unsigned long() const",
            "Value::operator unsigned long() const",
        );
        // What does not end stays.
        let open = "a_name_of_more_than_forty_characters<and_no_end";
        check(open, open);
    }
}
