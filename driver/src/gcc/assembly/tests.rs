//! Texts as gcc 12 writes them, and what becomes of them.

use super::calls::{announcement, callee, Announcement};
use super::inline::may_reach_memory;
use super::*;
use std::collections::HashSet;

#[test]
fn a_text_without_hooks_stays() {
    let text = "f:\n\tcall\tg@PLT\n\tret\n";
    assert_eq!(rewrite(text, false), text);
}

const MODULE: &str = "\t.file\t\"x.c\"\n\t.text\n\t.type\thelp, @function\nhelp:\n\tret\n\t.size\thelp, .-help\n\
    \t.globl\tf\n\t.type\tf, @function\nf:\n\tcall\t__tsan_func_entry@PLT\n\tcall\t__tsan_read4@PLT\n\tcall\thelp\n\tcall\tpthread_self@PLT\n\
    \tcall\tg@PLT\n#APP\n# 3 \"x.c\" 1\n\tlock incl at(%rip)\n# 0 \"\" 2\n#NO_APP\n\tret\n\t.size\tf, .-f\n\
    \tcall\t__tsan_init@PLT\n";

#[test]
fn calls_and_assembly_are_announced() {
    let text = rewrite(MODULE, true);
    for expected in [
        "\tcall\t__tsan_read4@PLT\n\tcall\thelp\n\tcall\t*__dpor_announce@GOTPCREL(%rip)\n\tcall\tpthread_self@PLT\n",
        "\tmovq\tg@GOTPCREL(%rip), %r11\n\tcall\t*__dpor_announce_unseen@GOTPCREL(%rip)\n\tcall\tg@PLT\n",
        "\tcall\t*__dpor_announce_assembly@GOTPCREL(%rip)\n#APP\n",
        ".Ldpor_functions:\n\t.quad\thelp\n\t.quad\tf\n\t.quad\t0\n",
        "\t.string\t\"x.c\"\n",
    ] {
        assert!(text.contains(expected), "{expected}\n---\n{text}");
    }
}

#[test]
fn functions_in_groups_are_listed_by_visible_names_only() {
    let text =
        "\t.section\t.text.t,\"axG\",@progbits,t,comdat\n\t.weak\tt\n\t.type\tt, @function\nt:\n\
        \t.type\tt.part.0, @function\nt.part.0:\n\tcall\t__tsan_init@PLT\n";
    let rewritten = rewrite(text, false);
    assert!(
        rewritten.contains("\t.quad\tt\n\t.quad\t0\n"),
        "{rewritten}"
    );
}

#[test]
fn functions_without_hooks_are_noted() {
    let text = "\t.file\t\"/s/x.c\"\n\t.type\tf, @function\nf:\n\tincl\tx(%rip)\n\t.size\tf, .-f\n\
        \tcall\t__tsan_init@PLT\n\tcall\tf\n";
    let rewritten = rewrite(text, false);
    // `f of x.c`, a tab, `f` and a newline are eleven bytes.
    for expected in [
        "\t.long\t5, 11, 1685090162\n",
        "\t.ascii\t\"f of x.c\\tf\\n\"\n",
        "\tmovq\tf@GOTPCREL(%rip), %r11\n",
        ".Ldpor_functions:\n\t.quad\t0\n",
    ] {
        assert!(rewritten.contains(expected), "{expected}\n---\n{rewritten}");
    }
}

#[test]
fn what_is_called() {
    let defined = HashSet::from(["own"]);
    let of = |operand: &'static str| announcement(operand, &defined);
    assert_eq!(of("own"), Announcement::None);
    assert_eq!(of("__tsan_atomic32_load@PLT"), Announcement::None);
    assert_eq!(of("__tsan_acquire@PLT"), Announcement::ReadsNothing);
    assert_eq!(of("__tls_get_addr@PLT"), Announcement::None);
    assert_eq!(of("*x@TLSCALL(%rax)"), Announcement::None);
    assert_eq!(of("__tsan_memcpy@PLT"), Announcement::None);
    assert_eq!(calls::told("memset@PLT", &defined), Some("__tsan_memset"));
    assert_eq!(calls::told("own", &HashSet::from(["memset"])), None);
    assert_eq!(of("printf@PLT"), Announcement::ReadsArguments);
    assert_eq!(of("qsort@PLT"), Announcement::OfSymbol("qsort"));
    assert_eq!(of("*qsort@GOTPCREL(%rip)"), Announcement::OfSymbol("qsort"));
    assert_eq!(of("*%rax"), Announcement::OfOperand("%rax"));
    assert_eq!(of("*fp(%rip)"), Announcement::OfOperand("fp(%rip)"));
}

#[test]
fn lines_with_calls() {
    assert_eq!(callee("call\tf@PLT"), Some("f@PLT"));
    assert_eq!(callee("call f"), Some("f"));
    assert_eq!(callee("notrack call\t*%rax"), Some("*%rax"));
    assert_eq!(callee("callq\t*8(%rax)"), Some("*8(%rax)"));
    assert_eq!(callee("calls:"), None);
    assert_eq!(callee("movl\t$1, %eax"), None);
}

#[test]
fn inline_assembly_that_reaches_memory() {
    for harmless in [
        "",
        "\tpause",
        "\trep; nop",
        "\trep nop",
        "\tmfence",
        "\tmovl %eax, %ebx; addl $3, %ebx",
        "1:\tdecl %ecx\n\tjnz 1b",
        ".symver a,b@V",
        "\tmovslq %eax, %rbx",
        "# 10 \"x(1).c\" 1",
    ] {
        assert!(!may_reach_memory(harmless), "{harmless}");
    }
    for reaching in [
        "\tlock incl at(%rip)",
        "\tmovl (%rax), %ebx",
        "\tincl counter",
        "\trep stosb",
        "\tmovsb",
        "\tsyscall",
        "\tpause; xchgl %eax, at(%rip)",
        "\tcall f",
        "\tjmp *%rax",
        "\tlock",
    ] {
        assert!(may_reach_memory(reaching), "{reaching}");
    }
}
