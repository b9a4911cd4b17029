//! What comes from outside into the default build: no network client, no doubled versions without a
//! reason, only licences that we may pass on, only packages from a registry.

use std::collections::BTreeMap;

use super::Finding;
use super::table::{CLIENT_FEATURES, DUPLICATES, LICENCES, NETWORK_CLIENTS};
use super::workspace::Package;

/// Checks every package that the default build of the binary is made of.
pub fn check(shipped: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in shipped {
        findings.extend(network(package));
        findings.extend(licence(package));
        findings.extend(source(package));
    }
    findings.extend(duplicates(shipped));
    findings
}

fn network(package: &Package) -> Option<Finding> {
    let wanted_by = package.wanted_by.join(", ");
    if NETWORK_CLIENTS.contains(&package.name.as_str()) {
        return Some(Finding::new(
            &package.name,
            "network",
            format!("a network client in the default build, wanted by {wanted_by}; switch the feature off"),
        ));
    }
    let (_, feature) = CLIENT_FEATURES
        .iter()
        .find(|(name, feature)| *name == package.name && package.features.iter().any(|enabled| enabled == feature))?;
    Some(Finding::new(
        &package.name,
        "network",
        format!("its feature `{feature}` is a network client, wanted by {wanted_by}; switch it off"),
    ))
}

fn source(package: &Package) -> Option<Finding> {
    let fine = package.source.is_empty() || package.source.starts_with("registry+");
    (!fine).then(|| {
        Finding::new(&package.name, "source", format!("comes from {}; only registry packages ship", package.source))
    })
}

fn licence(package: &Package) -> Option<Finding> {
    if package.licence.is_empty() {
        return Some(Finding::new(&package.name, "licence", "declares none; look at its source before you use it"));
    }
    (!permits(&package.licence)).then(|| {
        Finding::new(
            &package.name,
            "licence",
            format!("`{}` offers no licence of the allowed ones (LICENCES)", package.licence),
        )
    })
}

/// Whether a licence expression can be satisfied with allowed licences alone. The grammar is SPDX's:
/// `AND` binds closer than `OR`, parentheses group; the slash is how old packages wrote `OR`.
fn permits(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut position = 0;
    // Nesting deeper than any real expression is refused, so that recursion is bounded.
    const DEEPEST_NESTING: usize = 8;
    let allowed = alternatives(&words, &mut position, DEEPEST_NESTING);
    allowed && position == words.len()
}

fn alternatives(words: &[&str], position: &mut usize, depth: usize) -> bool {
    let mut allowed = all_of(words, position, depth);
    while words.get(*position) == Some(&"OR") {
        *position += 1;
        allowed |= all_of(words, position, depth);
    }
    allowed
}

fn all_of(words: &[&str], position: &mut usize, depth: usize) -> bool {
    let mut allowed = one(words, position, depth);
    while words.get(*position) == Some(&"AND") {
        *position += 1;
        allowed &= one(words, position, depth);
    }
    allowed
}

fn one(words: &[&str], position: &mut usize, depth: usize) -> bool {
    let Some(word) = words.get(*position) else { return false };
    *position += 1;
    if *word == "(" {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let allowed = alternatives(words, position, depth);
        let closed = words.get(*position) == Some(&")");
        *position += 1;
        return allowed && closed;
    }
    let mut name = (*word).to_owned();
    if words.get(*position) == Some(&"WITH") {
        name = format!("{name} WITH {}", words.get(*position + 1).unwrap_or(&""));
        *position += 2;
    }
    LICENCES.contains(&name.as_str())
}

fn duplicates(shipped: &[Package]) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in shipped {
        versions.entry(&package.name).or_default().push(package);
    }
    let mut findings = Vec::new();
    for (name, packages) in &versions {
        let borne = DUPLICATES.iter().find(|duplicate| duplicate.package == *name).map_or(1, |entry| entry.versions);
        if packages.len() > borne {
            let list: Vec<String> = packages
                .iter()
                .map(|package| format!("{} wanted by {}", package.version, package.wanted_by.join(", ")))
                .collect();
            findings.push(Finding::new(
                *name,
                "duplicate",
                format!("{} versions ({}); agree on one, or list it in DUPLICATES", packages.len(), list.join("; ")),
            ));
        }
    }
    for entry in DUPLICATES {
        let present = versions.get(entry.package).map_or(0, Vec::len);
        // A platform may lack a package altogether; one that is there once needs no leave any more.
        if present == 1 {
            findings.push(Finding::new(
                entry.package,
                "duplicate",
                format!("is no longer doubled; take its line out of DUPLICATES ({})", entry.reason),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: "MIT".to_owned(),
            source: "registry+somewhere".to_owned(),
            ..Package::default()
        }
    }

    #[test]
    fn licence_expressions_follow_the_grammar() {
        for fine in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT / MPL-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "zlib-acknowledgement OR MIT",
        ] {
            assert!(permits(fine), "{fine}");
        }
        for bad in [
            "",
            "GPL-3.0-only",
            "AGPL-3.0 AND MIT",
            "(GPL-3.0 OR AGPL-3.0) AND MIT",
            "MIT AND (GPL-3.0",
            "MIT)",
            "MIT WITH nothing-known",
            "((((((((((MIT))))))))))",
        ] {
            assert!(!permits(bad), "{bad}");
        }
    }

    #[test]
    fn network_clients_are_found_by_name_and_by_feature() {
        let mut hyper = package("hyper", "1.0.0");
        assert_eq!(network(&hyper), None);
        hyper.features = vec!["client".to_owned(), "http1".to_owned()];
        assert!(network(&hyper).is_some());
        assert!(network(&package("reqwest", "0.12.0")).is_some());
    }

    #[test]
    fn doubled_versions_fail_unless_borne_and_borne_ones_must_still_be_doubled() {
        let rule = |shipped: &[Package]| duplicates(shipped).len();
        assert_eq!(rule(&[package("serde", "1.0.0"), package("serde", "2.0.0")]), 1);
        assert_eq!(rule(&[package("syn", "2.0.0"), package("syn", "3.0.0")]), 0);
        assert_eq!(rule(&[package("syn", "1.0.0"), package("syn", "2.0.0"), package("syn", "3.0.0")]), 1);
        assert_eq!(rule(&[package("syn", "3.0.0")]), 1);
    }

    #[test]
    fn packages_from_elsewhere_and_without_licence_fail() {
        let mut odd = package("odd", "1.0.0");
        odd.source = "git+somewhere".to_owned();
        odd.licence.clear();
        assert_eq!(check(&[odd]).len(), 2);
    }
}
