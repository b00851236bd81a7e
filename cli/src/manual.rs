//! `lambdacut completions` and `lambdacut man`: what a shell and `man` know about the program, made
//! from its own arguments.

use super::Cli;
use super::common::Global;
use super::output::{print, write};
use anyhow::{Context, bail};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
lambdacut completions bash > ~/.local/share/bash-completion/completions/lambdacut\n  \
lambdacut completions zsh > ~/.zfunc/_lambdacut        # with ~/.zfunc in fpath\n  \
lambdacut completions fish > ~/.config/fish/completions/lambdacut.fish")]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// The arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
lambdacut man | man -l -\n  \
lambdacut man generate lfr | man -l -\n  \
lambdacut man --dir ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The command whose page to print, such as `cluster` or `generate lfr`; without it, the page
    /// of the program.
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    command: Vec<String>,
    /// Write the pages of the program and of all its commands into this directory.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lambdacut", &mut script);
    print(&String::from_utf8(script).context("the script is not text")?)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints one page, or writes all.
pub fn man(args: &ManArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let pages = pages();
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        for (name, page) in &pages {
            write(&dir.join(format!("{name}.1")), page)?;
        }
        global
            .progress()?
            .say(&format!("{} pages in {}", pages.len(), dir.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = std::iter::once("lambdacut")
        .chain(args.command.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("-");
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let known: Vec<String> = pages[1..]
            .iter()
            .map(|(name, _)| name["lambdacut-".len()..].replacen('-', " ", 1))
            .collect();
        bail!(
            "there is no command {:?}; there are: {}",
            args.command.join(" "),
            known.join(", ")
        );
    };
    print(page)?;
    Ok(ExitCode::SUCCESS)
}

/// Every page with its name: the program, then its commands in their order, each followed by its
/// own.
fn pages() -> Vec<(String, String)> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Gives every command the flags that all share, and its full name.
    program.build();
    let mut pages = Vec::new();
    collect(&program, "lambdacut", &mut pages);
    pages
}

fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = clap_mangen::Man::new(command.clone()).render(&mut page);
    pages.push((name.to_owned(), String::from_utf8_lossy(&page).into_owned()));
    for sub in command.get_subcommands() {
        collect(sub, &format!("{name}-{}", sub.get_name()), pages);
    }
}
