//! Completions and manual pages, as `cargo xtask install` has them written.

use dpor_testsuite::tool::Tool;
use std::process::Command;

#[test]
fn the_shell_completes_and_the_manual_has_every_option() {
    let tool = Tool::new("reports-share");
    let share = tool.path("share");
    drop(std::fs::remove_dir_all(&share));
    let ran = tool.run(tool.dpor("share").arg(&share), "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.shown());

    let complete =
        "source \"$1\"; COMP_WORDS=(dpor check --sar); COMP_CWORD=2; COMP_LINE='dpor check --sar'
        _dpor dpor --sar check; echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["-c", complete, "bash"]);
    bash.arg(share.join("bash-completion/completions/dpor"));
    let ran = tool.run(&mut bash, "");
    assert_eq!(
        (ran.code, ran.stdout.trim()),
        (0, "--sarif"),
        "{}",
        ran.shown()
    );
    for file in [
        "zsh/site-functions/_dpor",
        "fish/vendor_completions.d/dpor.fish",
    ] {
        let text = std::fs::read_to_string(share.join(file)).expect("a completion");
        assert!(text.contains("sarif"), "{file}");
    }

    // What --help lists is in the page.
    let help = tool.run(tool.dpor("check").arg("--help"), "");
    let page = std::fs::read_to_string(share.join("man/man1/dpor-check.1")).expect("a page");
    let words = help
        .stdout
        .split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
    let options: Vec<&str> = words
        .filter(|word| word.starts_with("--") && word.len() > 3)
        .collect();
    assert!(options.len() > 30, "{options:?}");
    for option in options {
        assert!(page.contains(&option.replace('-', "\\-")), "{option}");
    }
    for page in ["dpor.1", "dpor-replay.1", "dpor-show.1", "dpor-doctor.1"] {
        assert!(share.join("man/man1").join(page).is_file(), "{page}");
    }
}
