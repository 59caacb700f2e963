//! Compiles `src/llvm/shim.cc` and `reach.cc` against the LLVM named by the cargo feature.
//!
//! `LLVM_CONFIG` names the llvm-config to ask; without it `llvm-config-N` and
//! `/usr/lib/llvm-N/bin/llvm-config` are tried. Nothing of LLVM is linked: the symbols come from
//! the compiler that loads the plugin.

use std::process::{exit, Command};

fn main() {
    println!("cargo:rerun-if-changed=src/llvm/shim.cc");
    println!("cargo:rerun-if-changed=src/llvm/reach.cc");
    println!("cargo:rerun-if-changed=src/llvm/reach");
    println!("cargo:rerun-if-changed=src/llvm/register.cc");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let major = wanted_version();
    let include = llvm_config(major, "--includedir");
    println!("cargo:rustc-env=DPOR_LLVM_MAJOR={major}");
    println!("cargo:rustc-check-cfg=cfg(through_llvm_plugin)");
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .warnings(false);
    build
        .flag(format!("-isystem{include}"))
        .file("src/llvm/shim.cc")
        .file("src/llvm/reach.cc");
    println!("cargo:rustc-check-cfg=cfg(five_word_plugin_info)");
    if major < 19 {
        println!("cargo:rustc-cfg=through_llvm_plugin");
    } else {
        build.file("src/llvm/register.cc");
        build.define("DPOR_INFO_WORDS", if major >= 22 { "5" } else { "4" });
    }
    if major >= 22 {
        println!("cargo:rustc-cfg=five_word_plugin_info");
    }
    build.compile("dpor_shim");
    // A symbol that this LLVM lacks must not keep the plugin from loading: the version check, and
    // its one clear sentence, come first.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,lazy");
}

/// The major version chosen by feature.
fn wanted_version() -> u32 {
    let chosen: Vec<u32> = (14..=30)
        .filter(|n| std::env::var_os(format!("CARGO_FEATURE_LLVM{n}")).is_some())
        .collect();
    match chosen[..] {
        [one] => one,
        _ => fail("choose exactly one LLVM version, e.g. --no-default-features --features llvm19"),
    }
}

/// Asks the llvm-config of version `major`.
fn llvm_config(major: u32, question: &str) -> String {
    let named = std::env::var("LLVM_CONFIG").ok();
    let candidates = match named {
        Some(path) => vec![path],
        None => vec![
            format!("llvm-config-{major}"),
            format!("/usr/lib/llvm-{major}/bin/llvm-config"),
            "llvm-config".to_string(),
        ],
    };
    for program in &candidates {
        if ask(program, "--version").is_some_and(|v| v.starts_with(&format!("{major}."))) {
            if let Some(answer) = ask(program, question) {
                return answer;
            }
        }
    }
    fail(&format!(
        "no llvm-config of LLVM {major} found (tried {}): install llvm-{major}-dev or set LLVM_CONFIG",
        candidates.join(", ")
    ))
}

fn ask(program: &str, question: &str) -> Option<String> {
    let output = Command::new(program).arg(question).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn fail(message: &str) -> ! {
    eprintln!("dpor-pass: {message}");
    exit(1)
}
