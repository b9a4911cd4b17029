//! The pdfium library: added, told of, used, refused.

use std::path::PathBuf;

use crate::sandbox::Sandbox;

/// One page that says this.
fn pdf(words: &str) -> String {
    let content = format!("BT /F1 12 Tf 72 720 Td ({words}) Tj ET");
    format!(
        "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n\
         2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
         3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n\
         4 0 obj\n<< /Length {} >>\nstream\n{content}\nendstream\nendobj\n\
         5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n\
         trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n",
        content.len()
    )
}

/// The library that `cargo xtask models` has put into the build cache.
fn library() -> Option<PathBuf> {
    let cache = std::env::var_os("BETHINK_BUILD_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| Some(std::env::home_dir()?.join(".cache/bethink")))?;
    let found = std::fs::read_dir(cache.join("engines")).ok().and_then(|mut entries| entries.next()?.ok());
    if found.is_none() {
        println!("skipped: there is no pdfium here; fetch it with: cargo xtask models");
    }
    Some(found?.path())
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_pdfium_is_refused_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    // A program names the functions that it would call in pdfium, and is no library all the same.
    let ran = sandbox.run(&["models", "add", env!("CARGO_BIN_EXE_bethink")]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("cannot be used to read PDF"), "{ran:?}");
    let engines = sandbox.data_home().join("engines");
    assert_eq!(std::fs::read_dir(engines).map_or(0, Iterator::count), 0);
    assert!(sandbox.run(&["formats", "pdf"]).stdout.contains("the built-in reader"));
    sandbox.write("a.pdf", pdf("The dunlin runs along the tide"));
    sandbox.index();
    assert_eq!(sandbox.grep("dunlin"), ["a.pdf"]);
}

#[test]
fn an_added_library_is_told_of_and_reads_everything_anew() {
    let Some(library) = library() else { return };
    let sandbox = Sandbox::new();
    sandbox.write("a.pdf", pdf("The dunlin runs along the tide"));
    assert_eq!(sandbox.index()["indexed"], 1);
    assert_eq!(sandbox.index()["indexed"], 0);
    let added = sandbox.run(&["models", "add", library.to_str().unwrap()]);
    assert_eq!(added.code, 0, "{added:?}");
    assert!(added.stdout.contains("BSD-3-Clause") && added.stdout.contains("sha256 "), "{added:?}");
    for command in [&["models", "list"][..], &["models", "verify"], &["formats", "pdf"], &["doctor"]] {
        assert!(sandbox.run(command).stdout.contains("pdfium"), "{command:?}");
    }
    assert_eq!(sandbox.index()["indexed"], 1);
    assert_eq!(sandbox.grep("dunlin"), ["a.pdf"]);
    assert_eq!(sandbox.index()["indexed"], 0);
    // A library whose bytes have changed is found out.
    let kept = std::fs::read_dir(sandbox.data_home().join("engines")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&kept).unwrap();
    bytes.push(0);
    std::fs::write(&kept, bytes).unwrap();
    let verified = sandbox.run(&["models", "verify"]);
    assert_eq!(verified.code, 2, "{verified:?}");
    assert!(verified.stderr.contains("damaged"), "{verified:?}");
}
