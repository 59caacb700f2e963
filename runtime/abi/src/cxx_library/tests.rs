use super::*;
use std::process::Command;

fn call(name: &str) -> (Effect, Second) {
    match known(name) {
        Known::Call(call) => (call.effect, call.second),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of names")]
fn by_rule() {
    use Effect::*;
    for (name, expected) in [
        ("_ZNSolsEi", (StreamWrites, Second::Nothing)),
        ("_ZNSo3putEc", (StreamWrites, Second::Nothing)),
        ("_ZNSoD1Ev", (StreamLife, Second::Nothing)),
        (
            "_ZNSt14basic_ofstreamIcSt11char_traitsIcEE7is_openEv",
            (StreamWrites, Second::Nothing),
        ),
        (
            "_ZNKSt14basic_ofstreamIcSt11char_traitsIcEE7is_openEv",
            (StreamReads, Second::Nothing),
        ),
        (
            "_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv",
            (StreamReads, Second::Nothing),
        ),
        (
            "_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate",
            (StateWrites, Second::Nothing),
        ),
        (
            "_ZNSt10filesystem7__cxx114pathdVERKS1_",
            (Writes, Second::Reads),
        ),
        (
            "_ZNKSt10filesystem7__cxx114path11parent_pathEv",
            (Reads, Second::Nothing),
        ),
        (
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_",
            (Writes, Second::Reads),
        ),
        (
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4swapERS4_",
            (Writes, Second::Writes),
        ),
        (
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2EOS4_",
            (Writes, Second::Writes),
        ),
        (
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm",
            (Reads, Second::Nothing),
        ),
        (
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5beginEv",
            (Reads, Second::Nothing),
        ),
        ("_ZNSs6appendERKSs", (Writes, Second::Reads)),
        (
            "_ZNSt3pmr28unsynchronized_pool_resource11do_allocateEmm",
            (Writes, Second::Nothing),
        ),
        (
            "_ZNSt15basic_streambufIcSt11char_traitsIcEE7pubsyncEv",
            (Writes, Second::Nothing),
        ),
        (
            "_ZNSt13random_device9_M_getvalEv",
            (Writes, Second::Nothing),
        ),
        (
            "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
            (StreamWrites, Second::Nothing),
        ),
        (
            "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
            (StreamWrites, Second::Nothing),
        ),
        (
            "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
            (TreeStep, Second::Nothing),
        ),
        (
            "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
            (ListHook, Second::Nothing),
        ),
    ] {
        assert_eq!(call(name), expected, "{name}");
    }
    for name in [
        "_ZNSt8ios_base15sync_with_stdioEb",
        "_ZNSt6locale7classicEv",
        "_ZNSt6thread4joinEv",
        "_ZNSt18condition_variable10notify_oneEv",
        "_ZNSt3pmr26synchronized_pool_resource11do_allocateEmm",
        "_ZNSt10filesystem9file_sizeERKNS_7__cxx114pathE",
        "_ZNSt6chrono3_V212system_clock3nowEv",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_S_compareEmm",
    ] {
        assert!(
            matches!(known(name), Known::Exempt(_)),
            "{name}: {:?}",
            known(name)
        );
    }
    for name in [
        "_ZSt9terminatev",
        "_ZN3foo3barEv",
        "printf",
        "_ZSt20__throw_length_errorPKc",
    ] {
        assert_eq!(known(name), Known::Other, "{name}");
    }
}

#[test]
fn words_come_back() {
    let Known::Call(append) =
        known("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_")
    else {
        panic!("a member");
    };
    let expected = Unpacked {
        effect: Effect::Writes,
        bytes: (0, 32),
        second: Second::Reads,
        second_bytes: 16,
    };
    assert_eq!(from_word(append.to_word(32, 32)), Some(expected));
    assert_eq!(
        from_word(append.to_word(0, 0)),
        Some(Unpacked {
            bytes: (0, 16),
            ..expected
        })
    );
    let Known::Call(sync) = known("_ZNSt15basic_streambufIcSt11char_traitsIcEE7pubsyncEv") else {
        panic!("a member");
    };
    let expected = Unpacked {
        effect: Effect::Writes,
        bytes: (8, 64),
        second: Second::Nothing,
        second_bytes: 16,
    };
    assert_eq!(from_word(sync.to_word(64, 0)), Some(expected));
    assert_eq!(from_word(0), None);
}

/// What a tool of the system says of the library as it is installed, by lines; nothing where there is none.
fn library(tool: &str, arguments: &[&str]) -> Vec<String> {
    let path = ["cc", "gcc", "clang"].iter().find_map(|cc| {
        let asked = Command::new(cc)
            .arg("-print-file-name=libstdc++.so.6")
            .output();
        let path = String::from_utf8(asked.ok()?.stdout).ok()?;
        let path = path.trim().to_owned();
        path.starts_with('/').then_some(path)
    });
    let Some(path) = path else { return Vec::new() };
    let said = Command::new(tool).args(arguments).arg(path).output();
    let said = String::from_utf8(said.expect("it runs").stdout).expect("names are ASCII");
    said.lines().map(str::to_owned).collect()
}

/// The names of its symbols of these kinds.
fn symbols(kinds: &[&str]) -> Vec<String> {
    let listed = library("nm", &["-D", "--defined-only"]);
    let names = listed.iter().filter_map(|line| {
        let mut parts = line.split_whitespace().skip(1);
        let (kind, name) = (parts.next()?, parts.next()?);
        let name = name.split('@').next()?;
        kinds.contains(&kind).then(|| name.to_owned())
    });
    let mut all: Vec<String> = names.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Functions in the library's tables of virtual functions that have no symbol are in the list.
#[test]
fn virtual_functions_without_a_symbol_are_known() {
    let number = |text: &str| u64::from_str_radix(text, 16).expect("a number");
    let mut tables: Vec<(u64, u64, String)> = Vec::new();
    let mut functions: Vec<u64> = Vec::new();
    for line in library("nm", &["-D", "-S", "--defined-only"]) {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let [address, bytes, kind, name] = parts[..] else {
            continue;
        };
        let name = name.split('@').next().expect("a name");
        match kind {
            "T" | "W" => functions.push(number(address)),
            _ if name.starts_with("_ZTV") => {
                tables.push((number(address), number(bytes), name.to_owned()));
            }
            _ => {}
        }
    }
    functions.sort_unstable();
    let mut found = 0;
    for line in library("readelf", &["-r", "-W"]) {
        let parts: Vec<&str> = line.split_whitespace().collect();
        // An address of something that has no symbol.
        let [at, _, "R_X86_64_RELATIVE", target] = parts[..] else {
            continue;
        };
        let (at, target) = (number(at), number(target));
        let table = tables
            .iter()
            .find(|(start, bytes, _)| (*start..start + bytes).contains(&at));
        let Some((start, _, table)) = table.filter(|_| functions.binary_search(&target).is_err())
        else {
            continue;
        };
        // Two words come before the first function.
        let place = (at - start) as usize / 8 - 2;
        let is = |one: &&(&str, usize, Known)| one.0 == table && one.1 == place;
        assert!(
            VIRTUALS.iter().any(|one| is(&one)),
            "{table}, function {place}"
        );
        found += 1;
    }
    assert!(tables.is_empty() || found > 0, "the list is of no use");
}

/// What `c++filt` calls them.
fn demangled(names: &[&str]) -> Vec<String> {
    use std::io::Write;
    let mut filter = Command::new("c++filt")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("c++filt runs");
    let mut input = filter.stdin.take().expect("a pipe");
    let text = names.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = filter.wait_with_output().expect("c++filt ends");
    writer.join().expect("no panic").expect("it reads all");
    String::from_utf8(output.stdout)
        .expect("names are ASCII")
        .lines()
        .map(str::to_owned)
        .collect()
}

/// A name without template arguments and tags.
fn plain(text: &str) -> String {
    let mut depth = 0;
    let text = text.replace("[abi:cxx11]", "");
    let mut rest = text.as_str();
    let mut plain = String::new();
    while let Some(c) = rest.chars().next() {
        if let Some(operator) = [
            "operator<<",
            "operator>>",
            "operator->",
            "operator<",
            "operator>",
        ]
        .iter()
        .find(|operator| rest.starts_with(**operator))
        {
            if depth == 0 {
                plain += "operator";
            }
            rest = &rest[operator.len()..];
            continue;
        }
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    plain
}

/// Every member in std that the installed library shows has a class and a `const` as the tools of the system say, and
/// the rule says what it does.
#[test]
fn nothing_of_the_installed_library_is_unclassified() {
    let symbols = symbols(&["T", "W", "i"]);
    let members: Vec<&str> = { symbols.iter().map(String::as_str) }
        .filter(|name| name.starts_with("_ZNS") || name.starts_with("_ZNKS"))
        .collect();
    if members.is_empty() {
        return;
    }
    assert!(members.len() > 1000, "only {} members", members.len());
    let (mut reads, mut writes, mut exempt) = (0, 0, 0);
    for (name, text) in members.iter().zip(demangled(&members)) {
        match known(name) {
            Known::Unreadable | Known::Other => panic!("{name} is not classified: {text}"),
            Known::Exempt(why) => {
                assert!(!why.is_empty());
                exempt += 1;
            }
            Known::Call(call) if call.effect.writes() => writes += 1,
            Known::Call(_) => reads += 1,
        }
        let text = plain(&text);
        assert_eq!(is_const(name), text.ends_with(" const"), "{name}: {text}");
        if let Some(class) = class_of(name) {
            let class = class.rsplit("::").next().expect("a name");
            let class = format!("{class}::");
            assert!(
                text.contains(&class),
                "{name}: {text} is no member of {class}"
            );
        } else {
            assert!(matches!(known(name), Known::Exempt(_)), "{name}: {text}");
        }
    }
    assert!(
        reads > 400 && writes > 400 && exempt > 50,
        "{reads} {writes} {exempt}"
    );
}

/// Every class of which the library shows a table of virtual functions is known to have one.
#[test]
fn classes_with_tables_are_known() {
    let tables = symbols(&["V", "D", "R", "u"]);
    for table in tables.iter().filter_map(|name| name.strip_prefix("_ZTV")) {
        let member = match table.strip_prefix('N') {
            Some(nested) => format!(
                "_ZN{}1fEv",
                nested.strip_suffix('E').expect("nested names end")
            ),
            None => format!("_ZN{table}1fEv"),
        };
        if !member.starts_with("_ZNS") {
            continue;
        }
        match known(&member) {
            Known::Exempt(_) => {}
            Known::Call(call) if call.skips_table => {}
            Known::Call(call)
                if [Effect::StreamWrites, Effect::StateWrites].contains(&call.effect) => {}
            other => panic!("{table}: {other:?}"),
        }
    }
}

#[test]
fn calls_in_words() {
    for (name, writes, expected) in [
        (
            "_ZNSolsEi",
            true,
            "call of a non-const member of std::basic_ostream, which writes it",
        ),
        (
            "_ZNKSt10filesystem7__cxx114path11parent_pathEv",
            false,
            "call of a const member of std::filesystem::path, which reads it",
        ),
        (
            "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
            true,
            "call of std::operator<<, which writes its stream",
        ),
        (
            "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
            false,
            "call of std::_Rb_tree_increment, which reads nodes of a tree",
        ),
        (
            "",
            true,
            "call of a virtual member of C++'s library, which writes its object",
        ),
    ] {
        assert_eq!(describe(name, writes), expected);
    }
}

/// Functions of the library that take a stream first, and no others, write it.
#[test]
fn functions_that_take_a_stream_write_it() {
    let symbols = symbols(&["T", "W", "i"]);
    let free: Vec<&str> = { symbols.iter().map(String::as_str) }
        .filter(|name| name.starts_with("_ZSt"))
        .collect();
    if free.is_empty() {
        return;
    }
    for (name, text) in free.iter().zip(demangled(&free)) {
        let first = text
            .split_once('(')
            .map_or("", |(_, parameters)| parameters);
        let first = first.split(&[',', '<'][..]).next().unwrap_or("");
        let takes_stream = [
            "std::basic_ostream",
            "std::basic_istream",
            "std::ostream",
            "std::istream",
        ]
        .contains(&first.trim_end_matches('&'));
        let writes =
            matches!(known(name), Known::Call(call) if call.effect == Effect::StreamWrites);
        assert_eq!(writes, takes_stream, "{name}: {text}");
    }
}
