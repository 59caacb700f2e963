//! The record of what functions are made of (`dpor_abi::reach`): each kind of state of an instruction or constant is in it,
//! one at a time, and nothing is that does not matter.

mod toolchain;

use toolchain::{plugin, printed, run, scratch, source, tool};

/// Changes of `reach/base.ll` that make another program.
const MATTER: &[(&str, &str)] = &[
    ("global i32 7, align 4", "global i32 8, align 4"),
    ("global i32 7, align 4", "global i32 7, align 8"),
    ("global i32 7, align 4", "global i64 7, align 4"),
    ("global i32 7, align 4", "constant i32 7, align 4"),
    (
        "global i32 7, align 4",
        "thread_local global i32 7, align 4",
    ),
    ("c\"ab\\00\"", "c\"ac\\00\""),
    ("[ptr @itself, ptr @text]", "[ptr @text, ptr @itself]"),
    ("[1 x ptr] [ptr @inner]", "[1 x ptr] [ptr @text]"),
    ("(i8, ptr @number, i64 1)", "(i8, ptr @number, i64 2)"),
    ("(i8, ptr @number, i64 1)", "(i16, ptr @number, i64 1)"),
    ("external thread_local global", "external global"),
    ("type { i32, i64 }", "type { i32, i32 }"),
    ("type { i32, i64 }", "type <{ i32, i64 }>"),
    ("define i32 @f", "define weak i32 @f"),
    ("define i32 @f", "define fastcc i32 @f"),
    ("define i32 @f", "define hidden i32 @f"),
    (
        "disable_sanitizer_instrumentation",
        "disable_sanitizer_instrumentation cold",
    ),
    (
        "disable_sanitizer_instrumentation",
        "disable_sanitizer_instrumentation \"key\"=\"value\"",
    ),
    ("i32 2, align 8", "i32 2, align 16"),
    ("alloca i32, i32 2", "alloca i64, i32 2"),
    ("add nsw i32 %a, %b", "add i32 %a, %b"),
    ("add nsw i32 %a, %b", "add nsw i32 %b, %a"),
    ("add nsw i32 %a, %b", "sub nsw i32 %a, %b"),
    ("udiv i32", "udiv exact i32"),
    ("fadd fast", "fadd nnan"),
    ("%d, 1.5", "%d, 1.25"),
    ("icmp slt", "icmp ult"),
    ("fcmp olt", "fcmp ult"),
    (
        "load i32, ptr %p, align 4, !range",
        "load volatile i32, ptr %p, align 4, !range",
    ),
    (
        "load i32, ptr %p, align 4, !range",
        "load i32, ptr %p, align 2, !range",
    ),
    ("!0 = !{i32 0, i32 100}", "!0 = !{i32 0, i32 101}"),
    ("!{!\"tree\"}", "!{!\"other tree\"}"),
    (
        "load atomic i32, ptr %p seq_cst",
        "load atomic i32, ptr %p acquire",
    ),
    (
        "load atomic i32, ptr %p seq_cst",
        "load atomic i32, ptr %p syncscope(\"singlethread\") seq_cst",
    ),
    ("atomicrmw add", "atomicrmw xor"),
    ("i32 1 acq_rel", "i32 1 release"),
    ("cmpxchg ptr", "cmpxchg weak ptr"),
    ("monotonic monotonic", "acquire monotonic"),
    ("monotonic monotonic", "acquire acquire"),
    ("fence acquire", "fence release"),
    ("inbounds %pair, ptr %p", "%pair, ptr %p"),
    ("inbounds %pair, ptr %p", "inbounds { i64, i64 }, ptr %p"),
    ("[2 x i32] undef, 0", "[2 x i32] undef, 1"),
    ("undef, i32 3, 0", "undef, i32 3, 1"),
    ("<i32 0, i32 3>", "<i32 0, i32 2>"),
    ("movl 1, $0", "movl 2, $0"),
    ("\"=r\"()", "\"=a\"()"),
    ("asm \"movl", "asm sideeffect \"movl"),
    ("i64 9, i1 false", "i64 9, i1 true"),
    ("i32 zeroext 11", "i32 signext 11"),
    ("call void @callee(i32 12", "tail call void @callee(i32 12"),
    (
        "call void @callee(i32 12",
        "call fastcc void @callee(i32 12",
    ),
    ("\"tag\"(i32 1)", "\"gat\"(i32 1)"),
    ("i32 15, label %one", "i32 25, label %one"),
    (
        "i32 15, label %one\n    i32 16, label %two",
        "i32 15, label %two\n    i32 16, label %one",
    ),
    ("          cleanup", "          catch ptr null"),
    (
        "          cleanup",
        "          cleanup\n          catch ptr @number",
    ),
    (
        "[ 18, %entry ], [ 19, %one ]",
        "[ 19, %entry ], [ 18, %one ]",
    ),
    (
        "declare void @callee(i32, ptr)",
        "declare extern_weak void @callee(i32, ptr)",
    ),
    ("personality ptr @personality", "personality ptr @callee"),
];

/// Changes that make none.
const DO_NOT: &[(&str, &str)] = &[
    ("%sum", "%total"),
    ("@text", "@.str.17"),
    ("%pair", "%two"),
    (
        "@number = global",
        "@added = private unnamed_addr constant [2 x i8] c\"x\\00\"\n@number = global",
    ),
    (
        "!0 = !{i32 0, i32 100}",
        "!0 = !{i32 0, i32 100}\n!9 = !{!\"x\"}",
    ),
    (
        " = call i32 asm \"movl 1, $0\", \"=r\"()",
        " = call i32 asm \"movl 1, $0\", \"=r\"(), !srcloc !4",
    ),
    ("!4", "!8"),
];

/// The digests and references of the record: it is assembly, beside which there is no other.
fn record(name: &str, text: &str) -> String {
    let (from, to) = (
        scratch(&format!("reach-{name}.ll")),
        scratch(&format!("reach-{name}.out.ll")),
    );
    std::fs::write(&from, text).expect("files can be written");
    let mut opt = tool("opt");
    opt.arg("-load-pass-plugin")
        .arg(plugin())
        .arg("-passes=dpor,verify")
        .arg("-S");
    let output = run(opt.arg(&from).arg("-o").arg(&to));
    assert!(output.status.success(), "{name}: {}", printed(&output));
    let made = std::fs::read_to_string(&to).expect("opt wrote it");
    let lines = made.lines().filter(|line| line.starts_with("module asm"));
    let record: String = lines.collect();
    assert!(record.contains(".dpor.reach"), "{name}");
    record
}

fn base() -> String {
    std::fs::read_to_string(source("reach/base.ll")).expect("the base is there")
}

#[test]
fn what_matters_is_in_the_record() {
    let base = base();
    let before = record("base", &base);
    for (index, (from, to)) in MATTER.iter().enumerate() {
        assert!(base.contains(from), "{from}");
        let after = record(&format!("matters-{index}"), &base.replacen(from, to, 1));
        assert!(before != after, "{from} -> {to}");
    }
}

#[test]
fn what_does_not_matter_is_not() {
    let base = base();
    let before = record("same", &base);
    assert_eq!(record("again", &base), before);
    for (index, (from, to)) in DO_NOT.iter().enumerate() {
        assert!(base.contains(from), "{from}");
        let changed = base.replace(from, to);
        let after = record(&format!("same-{index}"), &changed);
        assert!(before == after, "{from} -> {to}");
    }
}
