//! `lambdacut completions` and `lambdacut man`.

use assert_cmd::Command;
use std::fs;

fn lambdacut(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    command.args(args);
    command
}

fn output(args: &[&str]) -> String {
    String::from_utf8_lossy(&lambdacut(args).assert().success().get_output().stdout).into_owned()
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = output(&["completions", shell]);
        for word in ["cluster", "spectrum", "resolution", "effort", "completions"] {
            assert!(script.contains(word), "{word} for {shell}");
        }
    }
    lambdacut(&["completions", "tcsh"]).assert().code(2);
}

#[test]
fn the_bash_script_completes() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("lambdacut.bash");
    fs::write(&script, output(&["completions", "bash"])).unwrap();
    let ask = "source \"$0\"; COMP_WORDS=(lambdacut clus); COMP_CWORD=1; _lambdacut lambdacut clus lambdacut; echo \"${COMPREPLY[@]}\"";
    let Ok(done) = std::process::Command::new("bash")
        .arg("-c")
        .arg(ask)
        .arg(&script)
        .output()
    else {
        return eprintln!("SKIPPED: there is no bash");
    };
    assert_eq!(
        String::from_utf8_lossy(&done.stdout).trim(),
        "cluster",
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn pages_name_their_command_and_all_its_flags() {
    let program = output(&["man"]);
    assert!(
        program.starts_with(".ie") && program.contains(".TH lambdacut 1"),
        "{}",
        &program[..200]
    );
    let cluster = output(&["man", "cluster"]);
    assert!(
        cluster.contains(".TH lambdacut\\-cluster 1")
            || cluster.contains(".TH lambdacut-cluster 1")
    );
    for flag in ["resolution", "effort", "threads", "truth"] {
        assert!(cluster.contains(&format!("\\-\\-{flag}")), "{flag}");
    }
    assert!(output(&["man", "generate", "lfr"]).contains("mixing"));
    let failed = lambdacut(&["man", "clutser"]).assert().code(1);
    let message = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(
        message.contains("clutser") && message.contains("generate lfr"),
        "{message}"
    );
}

#[test]
fn all_pages_go_into_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man1");
    lambdacut(&["man", "--dir"]).arg(&pages).assert().success();
    for name in [
        "lambdacut",
        "lambdacut-cluster",
        "lambdacut-bench",
        "lambdacut-generate",
        "lambdacut-generate-lfr",
        "lambdacut-points-hdp",
    ] {
        let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(
            page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"),
            "{name}"
        );
    }
    assert_eq!(
        fs::read_to_string(pages.join("lambdacut-cluster.1")).unwrap(),
        output(&["man", "cluster"])
    );
}
