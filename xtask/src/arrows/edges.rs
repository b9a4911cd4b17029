//! Which of our crates may use which, which outside crates are fenced, and what every manifest says.

use super::Finding;
use super::table::{ARROWS, DEVELOPMENT_ONLY, FENCES, TESTKIT, VOCABULARY};
use super::workspace::{DependencyKind, Member};

/// Checks every crate of the workspace.
pub fn check(members: &[Member]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_ours = |name: &str| members.iter().any(|member| member.name == name);
    for member in members {
        let Some(arrows) = ARROWS.iter().find(|arrows| arrows.from == member.name) else {
            findings.push(Finding::new(
                &member.name,
                "arrow",
                "this crate has no line in ARROWS; say there what it may use and why it is a crate of its own",
            ));
            continue;
        };
        for (kind, dependency) in &member.dependencies {
            if is_ours(dependency) {
                findings.extend(arrow(member, arrows.to, *kind, dependency));
            } else {
                findings.extend(fence(member, *kind, dependency));
            }
        }
        findings.extend(manifest(member));
    }
    findings
}

fn arrow(member: &Member, allowed: &[&str], kind: DependencyKind, dependency: &str) -> Option<Finding> {
    if dependency == TESTKIT {
        return (kind != DependencyKind::Development).then(|| {
            Finding::new(&member.name, "arrow", format!("{TESTKIT} belongs into [dev-dependencies] and nowhere else"))
        });
    }
    if dependency == VOCABULARY || allowed.contains(&dependency) {
        return None;
    }
    let may = if allowed.is_empty() { "nothing else".to_owned() } else { allowed.join(", ") };
    Some(Finding::new(
        &member.name,
        "arrow",
        format!("must not use {dependency}; beside {VOCABULARY} it may use {may}"),
    ))
}

fn fence(member: &Member, kind: DependencyKind, dependency: &str) -> Option<Finding> {
    if kind == DependencyKind::Development || DEVELOPMENT_ONLY.contains(&member.name.as_str()) {
        return None;
    }
    let fence = FENCES.iter().find(|fence| fence.packages.contains(&dependency))?;
    (!fence.allowed.contains(&member.name.as_str()))
        .then(|| Finding::new(&member.name, "fence", format!("must not use {dependency}: {}", fence.reason)))
}

/// What every manifest inherits, so that no crate drifts off on its own.
fn manifest(member: &Member) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !section(member, "lints").contains(&"workspace=true".to_owned()) {
        findings.push(Finding::new(&member.name, "manifest", "add `[lints]` with `workspace = true`"));
    }
    for key in ["version", "edition", "rust-version", "license"] {
        if !section(member, "package").contains(&format!("{key}.workspace=true")) {
            findings.push(Finding::new(&member.name, "manifest", format!("say `{key}.workspace = true`")));
        }
    }
    for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for line in section(member, table) {
            if !line.contains("workspace=true") && line.contains('=') {
                findings.push(Finding::new(
                    &member.name,
                    "manifest",
                    format!("`{line}`: versions stand in the root's [workspace.dependencies]; say `.workspace = true`"),
                ));
            }
        }
    }
    findings
}

/// The lines of one table of a manifest, without spaces, comments and empty lines.
fn section(member: &Member, table: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in member.manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == format!("[{table}]");
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            lines.push(line.replace(' ', ""));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
                        license.workspace = true\n[lints]\nworkspace = true\n";

    fn member(name: &str, dependencies: &[(DependencyKind, &str)]) -> Member {
        Member {
            name: name.to_owned(),
            folder: format!("crates/{name}").into(),
            manifest: GOOD.to_owned(),
            dependencies: dependencies.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect(),
        }
    }

    fn workspace(name: &str, dependencies: &[(DependencyKind, &str)]) -> Vec<Member> {
        let mut members: Vec<Member> =
            ARROWS.iter().filter(|arrows| arrows.from != name).map(|arrows| member(arrows.from, &[])).collect();
        members.push(member(name, dependencies));
        members
    }

    #[test]
    fn the_design_s_arrows_pass() {
        use DependencyKind::{Development, Normal};
        let members = workspace(
            "bethink-search",
            &[(Normal, "bethink-core"), (Normal, "bethink-store"), (Development, TESTKIT), (Normal, "thiserror")],
        );
        assert_eq!(check(&members), []);
    }

    #[test]
    fn an_arrow_the_wrong_way_fails_in_every_table() {
        for kind in [DependencyKind::Normal, DependencyKind::Build, DependencyKind::Development] {
            let findings = check(&workspace("bethink-search", &[(kind, "bethink-ingest")]));
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert!(findings[0].message.contains("must not use bethink-ingest"));
        }
        assert_eq!(check(&workspace("bethink-text", &[(DependencyKind::Normal, "bethink-index")])).len(), 1);
        assert_eq!(check(&workspace("bethink-server", &[(DependencyKind::Normal, "bethink-search")])).len(), 1);
    }

    #[test]
    fn the_testkit_ships_in_nothing() {
        assert_eq!(check(&workspace("bethink", &[(DependencyKind::Normal, TESTKIT)])).len(), 1);
    }

    #[test]
    fn a_crate_that_the_table_does_not_know_fails() {
        let mut members = workspace("bethink", &[]);
        members.push(member("bethink-cloud", &[]));
        let findings = check(&members);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place, "bethink-cloud");
    }

    #[test]
    fn fenced_packages_fail_outside_their_fence_but_not_in_tests() {
        let findings = check(&workspace(
            "bethink-search",
            &[
                (DependencyKind::Normal, "rusqlite"),
                (DependencyKind::Normal, "serde"),
                (DependencyKind::Development, "serde_json"),
            ],
        ));
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert_eq!(check(&workspace("bethink-store", &[(DependencyKind::Normal, "rusqlite")])), []);
    }

    #[test]
    fn a_manifest_with_its_own_versions_or_without_lints_fails() {
        let mut members = workspace("bethink", &[]);
        if let Some(last) = members.last_mut() {
            last.manifest = format!("{}\n[dependencies]\nserde = \"1\"\n", GOOD.replace("[lints]", "[other]"));
        }
        let rules: Vec<String> = check(&members).into_iter().map(|finding| finding.message).collect();
        assert_eq!(rules.len(), 2, "{rules:?}");
        assert!(rules[0].contains("[lints]"));
        assert!(rules[1].contains("serde"));
    }
}
