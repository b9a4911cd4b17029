//! What cargo knows: our crates with their dependencies, and every package that the default build
//! of the binary is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// How a dependency is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// Shipped.
    Normal,
    /// Runs while building.
    Build,
    /// Tests only.
    Development,
}

/// One of our crates.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The text of its manifest.
    pub manifest: String,
    /// The packages that it names.
    pub dependencies: Vec<(DependencyKind, String)>,
}

/// A package of the default build.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its licence expression; empty where it declares none.
    pub licence: String,
    /// Where it comes from; empty for our own.
    pub source: String,
    /// The features that it is built with.
    pub features: Vec<String>,
    /// Who asks for it.
    pub wanted_by: Vec<String>,
}

/// The workspace.
pub struct Workspace {
    /// Our crates.
    pub members: Vec<Member>,
    /// All packages that the binary is made of on this platform, build dependencies included.
    pub shipped: Vec<Package>,
}

/// The package whose default build is what users get.
const BINARY: &str = "bethink";

impl Workspace {
    /// Asks cargo.
    pub fn read(repository: &Path) -> Result<Self> {
        let target = host(repository)?;
        // Without the filter, cargo would want the manifests of every platform's packages, which a
        // fresh machine has not fetched and an offline one cannot fetch.
        let run = process::capture(process::cargo(repository).args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            &target,
        ]))?;
        if !run.success {
            bail!("cargo metadata failed:\n{}", run.stderr);
        }
        Self::from_metadata(&serde_json::from_str(&run.stdout).context("cargo metadata answered no JSON")?)
    }

    fn from_metadata(metadata: &Value) -> Result<Self> {
        let list = |value: &Value, key: &str| -> Vec<Value> {
            value.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let packages: BTreeMap<String, Value> =
            list(metadata, "packages").into_iter().map(|package| (text(&package, "id"), package)).collect();
        let members: BTreeSet<String> =
            list(metadata, "workspace_members").iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let nodes: BTreeMap<String, Value> =
            list(&metadata["resolve"], "nodes").into_iter().map(|node| (text(&node, "id"), node)).collect();

        let mut ours = Vec::new();
        for id in &members {
            let package = packages.get(id).with_context(|| format!("cargo metadata lists no package {id}"))?;
            let manifest_path = PathBuf::from(text(package, "manifest_path"));
            let manifest = std::fs::read_to_string(&manifest_path)
                .with_context(|| format!("cannot read {}", manifest_path.display()))?;
            let dependencies = list(package, "dependencies")
                .iter()
                .map(|dependency| {
                    let kind = match dependency.get("kind").and_then(Value::as_str) {
                        Some("dev") => DependencyKind::Development,
                        Some("build") => DependencyKind::Build,
                        _ => DependencyKind::Normal,
                    };
                    (kind, text(dependency, "name"))
                })
                .collect();
            let folder = manifest_path.parent().map(Path::to_owned).unwrap_or_default();
            ours.push(Member { name: text(package, "name"), folder, manifest, dependencies });
        }
        ours.sort_by(|left, right| left.name.cmp(&right.name));

        let start = members
            .iter()
            .find(|id| packages.get(*id).is_some_and(|package| text(package, "name") == BINARY))
            .with_context(|| format!("the workspace has no package `{BINARY}`"))?;
        let mut wanted_by: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        wanted_by.insert(start.clone(), BTreeSet::new());
        let mut waiting = vec![start.clone()];
        while let Some(id) = waiting.pop() {
            let Some(node) = nodes.get(&id) else { continue };
            let name = packages.get(&id).map(|package| text(package, "name")).unwrap_or_default();
            for edge in list(node, "deps") {
                let ships =
                    list(&edge, "dep_kinds").iter().any(|kind| kind.get("kind").and_then(Value::as_str) != Some("dev"));
                if !ships {
                    continue;
                }
                let to = text(&edge, "pkg");
                let known = wanted_by.contains_key(&to);
                wanted_by.entry(to.clone()).or_default().insert(name.clone());
                if !known {
                    waiting.push(to);
                }
            }
        }
        let shipped = wanted_by
            .into_iter()
            .filter_map(|(id, wanted_by)| {
                let package = packages.get(&id)?;
                let features = nodes
                    .get(&id)
                    .map(|node| list(node, "features"))
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect();
                Some(Package {
                    name: text(package, "name"),
                    version: text(package, "version"),
                    licence: text(package, "license"),
                    source: text(package, "source"),
                    features,
                    wanted_by: wanted_by.into_iter().collect(),
                })
            })
            .collect();
        Ok(Self { members: ours, shipped })
    }
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The platform that the compiler builds for by default.
fn host(repository: &Path) -> Result<String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let run = process::capture(process::command(compiler, repository).arg("-vV"))?;
    run.stdout
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("rustc -vV names no host")
}

/// The folder that cargo builds into.
pub fn target_folder(repository: &Path) -> Result<PathBuf> {
    let run = process::capture(process::cargo(repository).args(["metadata", "--no-deps", "--format-version", "1"]))?;
    if !run.success {
        bail!("cargo metadata failed:\n{}", run.stderr);
    }
    let metadata: Value = serde_json::from_str(&run.stdout).context("cargo metadata answered no JSON")?;
    Ok(PathBuf::from(text(&metadata, "target_directory")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ships_is_followed_from_the_binary() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let package = |id: &str| {
            serde_json::json!({"id": id, "name": id, "version": "1.0.0", "license": "MIT",
                "manifest_path": manifest, "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]})
        };
        let edge = |to: &str, kind: Option<&str>| serde_json::json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        let metadata = serde_json::json!({
            "packages": [package("bethink"), package("b"), package("c"), package("d")],
            "workspace_members": ["bethink"],
            "resolve": {"nodes": [
                {"id": "bethink", "features": [], "deps": [edge("b", None), edge("c", Some("dev"))]},
                {"id": "b", "features": ["x"], "deps": [edge("d", Some("build")), edge("bethink", None)]},
                {"id": "c", "features": [], "deps": []},
                {"id": "d", "features": [], "deps": []},
            ]},
        });
        let workspace = Workspace::from_metadata(&metadata).unwrap();
        let names: Vec<&str> = workspace.shipped.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["b", "bethink", "d"]);
        assert_eq!(workspace.shipped[0].features, ["x"]);
        assert_eq!(workspace.shipped[2].wanted_by, ["b"]);
        assert_eq!(
            workspace.members[0].dependencies,
            [(DependencyKind::Normal, "b".to_owned()), (DependencyKind::Development, "c".to_owned())]
        );
    }
}
