//! What a first index takes in, and what it leaves out (cases F1–F5, F12–F15, F22, F30, L4).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use bethink_core::{ContentHash, ProblemKind};
use bethink_extract::{EXTRACTOR_VERSION, Extraction};
use bethink_ingest::{Extracting, PassedOver, Stop, stamp_of};
use bethink_store::{Batch, IndexReader, IndexWriter, NewContent, Outcome, Publication, Reading, RootState};
use bethink_text::{CUTTER_VERSION, cut};

use crate::bench::Bench;

#[test]
fn text_is_found_by_its_words_without_a_model() {
    let mut bench = Bench::new();
    bench.write("zh.md", "中文合約轉換體驗課問題");
    bench.write("ja.md", "今日は成語しりとりをした");
    bench.write("ko.md", "끝말잇기 놀이");
    bench.write("mixed.md", "重跑gen-itgc后50条");
    bench.write("device.md", "這個設備很好");
    let summary = bench.index();
    assert_eq!(summary.indexed, 5);
    for (words, name) in
        [("合約", "zh.md"), ("設備", "device.md"), ("しりとり", "ja.md"), ("끝말잇기", "ko.md"), ("itgc", "mixed.md")]
    {
        assert_eq!(bench.found(words), [name], "{words}");
    }
}

#[test]
fn odd_names_are_documents_like_any_other() {
    let mut bench = Bench::new();
    let mut names: Vec<PathBuf> = [
        "°.md",
        "----=-.md",
        "{.md",
        "-rf.md",
        "a\nb.md",
        "Name (2001).txt",
        "weird 'quote\".md",
        "tab\tname.txt",
        "my file.md",
        "my-file.md",
        "my_file.md",
        "my#file&[1](2).md",
        "README.md",
        "readme.md",
        "冰糖.txt",
        "e\u{301}.md",
        "é.md",
        "*.md",
        "[a].md",
        "back\\slash.md",
    ]
    .into_iter()
    .map(PathBuf::from)
    .collect();
    names.push(PathBuf::from(OsStr::from_bytes(b"caf\xe9.md")));
    for (number, name) in names.iter().enumerate() {
        bench.write(name, format!("text number{number}"));
    }
    let summary = bench.index();
    assert_eq!(summary.indexed, names.len() as u64);
    for (number, name) in names.iter().enumerate() {
        let document = bench.store.find_document_at(&bench.home.path(name)).unwrap().expect("it is a document");
        let bytes = std::fs::read(&document.path).expect("the path opens byte for byte");
        assert_eq!(bytes, format!("text number{number}").as_bytes());
    }
    assert_eq!(bench.index().unchanged, names.len() as u64);
}

#[test]
fn links_and_special_files_end_nothing_and_lead_nowhere() {
    let mut bench = Bench::new();
    bench.write("real.md", "a real file");
    let outside = bench.home.outside().join("outside.md");
    std::fs::write(&outside, "outside of the root").unwrap();
    symlink("/etc/passwd", bench.home.path("passwd.txt")).unwrap();
    symlink(&outside, bench.home.path("outside.md")).unwrap();
    symlink(bench.home.outside(), bench.home.path("up")).unwrap();
    symlink(".", bench.home.path("loop")).unwrap();
    symlink("two", bench.home.path("one")).unwrap();
    symlink("one", bench.home.path("two")).unwrap();
    symlink("nowhere.md", bench.home.path("dangling.md")).unwrap();
    symlink("real.md", bench.home.path("inside.md")).unwrap();
    symlink("/dev/zero", bench.home.path("zero.txt")).unwrap();
    let fifo = bench.home.path("pipe.md");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.home.path("socket.md")).unwrap();
    let summary = bench.index();
    assert_eq!(bench.documents(), ["real.md"]);
    assert_eq!(summary.roots[0].passed_over[&PassedOver::Link], 9);
    assert_eq!(summary.roots[0].passed_over[&PassedOver::Special], 2);
    assert!(bench.found("outside").is_empty());
}

#[test]
fn secrets_junk_and_hidden_names_are_left_out_and_counted() {
    let mut bench = Bench::new();
    bench.write("notes.md", "kept");
    bench.write(".env.local", "TOKEN=canary");
    bench.write(".ssh/id_ed25519", "canary");
    bench.write("server.pem", "canary");
    bench.write("node_modules/x/readme.md", "canary");
    bench.write("project/Cargo.toml", "kept");
    bench.write("project/target/debug/out.txt", "canary");
    bench.write(".hidden.md", "canary");
    bench.write(".github/workflows/ci.yml", "kept: true");
    bench.write(".gitignore", "drafts/\n");
    bench.write("drafts/a.md", "canary");
    bench.write("targets/target/plan.md", "kept");
    let summary = bench.index();
    assert_eq!(
        bench.documents(),
        [".github/workflows/ci.yml", "notes.md", "project/Cargo.toml", "targets/target/plan.md"]
    );
    let passed = &summary.roots[0].passed_over;
    assert_eq!(passed[&PassedOver::Secret], 3);
    assert_eq!(passed[&PassedOver::Junk], 2);
    assert_eq!(passed[&PassedOver::Ignored], 1);
    assert!(bench.found("canary").is_empty());
}

#[test]
fn a_private_key_is_never_published_whatever_its_file_is_called() {
    let mut bench = Bench::new();
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n";
    bench.write("login.md", format!("# Login\n\ncanary\n\n{key}"));
    bench.write("backup.txt", key);
    bench.write("secret.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\ncanary\n");
    bench.write("windows.txt", "PuTTY-User-Key-File-2: ssh-rsa\nComment: canary\n");
    bench.write("public.asc", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nkept\n");
    bench.write("howto.md", "Never share what begins with `-----BEGIN RSA PRIVATE KEY-----`, kept.");
    bench.write("was harmless.md", "harmless words");
    bench.index();
    assert!(bench.found("canary").is_empty());
    for name in ["login.md", "backup.txt", "secret.asc", "windows.txt"] {
        let document = bench.document(name);
        assert!(document.hash.is_none() && document.content.is_none(), "{name}");
        let Outcome::Skipped { detail, .. } = document.outcome else { panic!("{name} is skipped") };
        assert_eq!(detail, "It holds a private key, and is never read.");
    }
    assert_eq!(bench.document("howto.md").outcome, Outcome::Indexed);
    assert_eq!(bench.index().unchanged, 7);

    bench.write("was harmless.md", format!("harmless words\n{key}"));
    bench.index();
    assert!(bench.found("canary harmless").is_empty(), "the earlier text goes too");
    bench.write("login.md", "# Login\n\nunlocked\n");
    bench.index();
    assert_eq!(bench.found("unlocked"), ["login.md"]);
}

#[test]
fn a_key_that_an_earlier_version_published_is_taken_back() {
    let mut bench = Bench::new();
    let bytes = b"canary\n-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n";
    let path = bench.write("login.md", bytes);
    let Extraction::Text(extracted) = bench.extractor.extract(&path, bytes) else { panic!("it is text") };
    let passages = cut(&extracted);
    let content = NewContent {
        format: extracted.format,
        title: extracted.title,
        text: extracted.text,
        passages,
        problems: extracted.problems,
        extractor_version: EXTRACTOR_VERSION,
        cutter_version: CUTTER_VERSION,
    };
    let publication = Publication {
        root: bench.store.add_root(&bench.home.files()).unwrap().id,
        path: path.clone(),
        stamp: stamp_of(&path.symlink_metadata().unwrap()),
        hash: Some(ContentHash(*blake3::hash(bytes).as_bytes())),
        reading: Reading::Text(content),
    };
    bench.store.apply(&Batch { publications: vec![publication], ..Batch::default() }).unwrap();
    bench.caches.catch_up(&bench.store, None, &Stop::new()).unwrap().unwrap();
    assert_eq!(bench.found("canary"), ["login.md"]);
    bench.index();
    assert!(bench.found("canary").is_empty());
    assert!(matches!(bench.document("login.md").outcome, Outcome::Skipped { .. }));
}

#[test]
fn a_cloned_repository_can_neither_run_nor_include_anything() {
    let mut bench = Bench::new();
    let elsewhere = bench.home.outside().join("elsewhere.md");
    std::fs::write(&elsewhere, "canary").unwrap();
    bench.write("repo/.git/HEAD", "");
    bench.write("repo/.bethinkignore", format!("!{}\n!.env\n!node_modules/\n`touch pwned`\n", elsewhere.display()));
    bench.write("repo/.bethink/config.toml", "run = 'touch pwned'\nroots = ['/']\n");
    bench.write("repo/bethink.toml", format!("roots = ['{}']\n", elsewhere.display()));
    bench.write("repo/.env", "canary");
    bench.write("repo/node_modules/x/readme.md", "canary");
    symlink(&elsewhere, bench.home.path("repo/.ignore")).unwrap();
    bench.write("repo/readme.md", "kept");
    bench.index();
    assert_eq!(bench.documents(), ["repo/bethink.toml", "repo/readme.md"]);
    assert!(bench.found("canary").is_empty());
}

#[test]
fn content_decides_what_a_file_is_and_every_charset_is_read() {
    let mut bench = Bench::new();
    let utf16 = |text: &str, big: bool, bom: bool| {
        let units = bom.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect::<Vec<u8>>()
    };
    let text = "The ferry to Suomenlinna leaves at noon.\nNobody was on it.\n";
    bench.write("le-bom.txt", utf16(text, false, true));
    bench.write("be-bom.txt", utf16(text, true, true));
    bench.write("le.txt", utf16(text, false, false));
    bench.write("be.txt", utf16(text, true, false));
    bench.write("html.pdf", "<!DOCTYPE html><html><body><p>The ferry to Suomenlinna</p></body></html>");
    bench.write("noextension", text);
    bench.write("windows.txt", b"The ferry\x92s way to Suomenlinna and back, na\xefve as it was.\n");
    bench.index();
    assert_eq!(
        bench.found("suomenlinna"),
        ["be-bom.txt", "be.txt", "html.pdf", "le-bom.txt", "le.txt", "noextension", "windows.txt"]
    );
}

#[test]
fn files_that_are_no_prose_come_to_an_end() {
    let mut bench = Bench::new();
    bench.write("emoji.txt", "😀".repeat(25_000));
    bench.write("dashes.txt", (0..200).map(|n| format!("{}–{}\n", "a".repeat(n), "b".repeat(n))).collect::<String>());
    bench.write("base64.txt", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(30_000));
    bench.write("app.min.js", "function a(b){return b+1};".repeat(40_000));
    bench.write("empty.md", "");
    bench.write("blank.md", "\n \n\t\n");
    bench.write("binary.bin", (0..=255u8).cycle().take(100_000).collect::<Vec<u8>>());
    let summary = bench.index();
    let known = summary.indexed + summary.skipped.values().sum::<u64>() + summary.failed.values().sum::<u64>();
    assert_eq!(known, 7, "each has a terminal state: {summary:?}");
    assert!(matches!(bench.document("empty.md").outcome, Outcome::Skipped { kind: ProblemKind::Empty, .. }));
    bench.assert_vectors_are_those_of_live_passages();
    let before = (bench.extracted(), bench.model.embedded());
    assert_eq!(bench.index().unchanged, 7);
    assert_eq!((bench.extracted(), bench.model.embedded()), before, "nothing is tried for ever");
}

#[test]
fn a_root_filtered_down_to_nothing_is_complete_and_says_why() {
    let mut bench = Bench::new();
    bench.write(".gitignore", "*\n");
    bench.write("a.md", "a");
    bench.write("b.md", "b");
    let summary = bench.index();
    assert_eq!(summary.roots[0].state, RootState::Complete);
    assert_eq!(summary.roots[0].files, 0);
    assert_eq!(summary.roots[0].passed_over[&PassedOver::Ignored], 2);
}

#[test]
fn roots_may_be_files_hidden_nested_and_junk() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.write(".vault/b.md", "beta");
    bench.write("node_modules/c.md", "gamma");
    bench.write("sub/d.md", "delta");
    let roots =
        ["", ".vault", "node_modules", "sub", "sub/d.md", "a.md"].map(|name| bench.home.files().join(name)).to_vec();
    let summary = bench.index_roots(&roots);
    assert_eq!(bench.documents(), [".vault/b.md", "a.md", "node_modules/c.md", "sub/d.md"]);
    assert_eq!(summary.indexed, 4, "no file twice");
    let again = bench.index_roots(&[bench.home.files()]);
    assert_eq!((again.unchanged, again.removed), (2, 0), "what another root lets in stays");
    assert_eq!(bench.index_roots(&[]).unchanged, 4, "no argument means every remembered root");
    std::fs::remove_file(bench.home.path(".vault/b.md")).unwrap();
    assert_eq!(bench.index_roots(&[]).removed, 1);
}

#[test]
fn a_root_that_is_not_there_or_never_may_be_is_an_error() {
    let mut bench = Bench::new();
    bench.write(".ssh/notes.md", "canary");
    for name in ["gone", ".ssh", ".ssh/notes.md"] {
        let root = bench.home.path(name);
        let options = bench.options.clone();
        let answer = bench.with_parts(|parts| {
            bethink_ingest::Indexer::new(parts).index(&[root], &options, &bethink_ingest::Silent, &Stop::new())
        });
        assert!(answer.is_err(), "{name}");
    }
    assert!(bench.store.roots().unwrap().is_empty());
}
