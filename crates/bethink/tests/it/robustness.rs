//! Hostile folders and many processes: F4, F5, F6, F7, F8, F13, F19, F23, F30.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::sandbox::{Ran, Sandbox, shared};

#[test]
fn f4_names_that_differ_in_case_are_two_documents() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "The upper one speaks of jackdaws.\n");
    sandbox.write("readme.md", "The lower one speaks of magpies.\n");
    sandbox.index();
    assert_eq!(sandbox.grep("jackdaws"), ["README.md"]);
    assert_eq!(sandbox.grep("magpies"), ["readme.md"]);
}

#[test]
fn f5_links_pipes_sockets_and_devices_do_no_harm() {
    let sandbox = Sandbox::new();
    let files = sandbox.files();
    sandbox.write("real.md", "The real file about ravens.\n");
    symlink("/etc/passwd", files.join("passwd.md")).unwrap();
    symlink(".", files.join("loop")).unwrap();
    symlink("b", files.join("a")).unwrap();
    symlink("a", files.join("b")).unwrap();
    symlink("nowhere", files.join("dangling.md")).unwrap();
    symlink("/dev/zero", files.join("zero.md")).unwrap();
    assert!(Command::new("mkfifo").arg(files.join("pipe.md")).status().unwrap().success());
    let _socket = UnixListener::bind(files.join("socket.md")).unwrap();
    let summary = sandbox.index();
    assert_eq!(summary["indexed"], 1, "{summary}");
    assert_eq!(sandbox.grep("ravens"), ["real.md"]);
    assert!(sandbox.grep("root:x:0:0").is_empty());
}

#[test]
fn f6_two_runs_at_once_and_questions_meanwhile_all_end_well() {
    let sandbox = Sandbox::new();
    for number in 0..400 {
        sandbox.write(
            format!("{:02}/{number}.md", number % 10),
            format!("Chough number {number} on the cliff.\n").repeat(5),
        );
    }
    let files = sandbox.files();
    let start = || {
        sandbox
            .command(&["index", "--fast", "--json", files.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (one, two) = (start(), start());
    for _ in 0..20 {
        let ran = sandbox.run(&["grep", "chough cliff"]);
        assert!(!ran.stderr.contains("locked") && !ran.stderr.contains("busy"), "{ran:?}");
        assert!(ran.code <= 2 && !ran.stderr.contains("panicked"), "{ran:?}");
    }
    for child in [one, two] {
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(sandbox.summary(&["grep", "chough"])["documents"], 400);
    assert_eq!(sandbox.hits(&["grep", "-n", "500", "chough cliff"]).len(), 400);
}

#[test]
fn f7_a_killed_run_is_resumed() {
    let undisturbed = Sandbox::new();
    let killed = Sandbox::new();
    for sandbox in [&undisturbed, &killed] {
        for number in 0..240 {
            let text = format!("Dipper {number} under the bridge of stream {}.\n", number % 7);
            let path = sandbox.write(format!("{number}.md"), text);
            // One time for all, since the newest wins a tie.
            fs::File::options().write(true).open(path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    }
    undisturbed.index();
    let files = killed.files();
    for round in 0..20_u64 {
        let mut child = killed
            .command(&["index", "--fast", "--json", files.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The moments are spread over a whole run of this size; which of them meets which step is left
        // to chance, as a real kill leaves it.
        std::thread::sleep(Duration::from_millis(4 + round * 9));
        let _ = child.kill();
        let _ = child.wait();
    }
    killed.index();
    let ask = |sandbox: &Sandbox| sandbox.hits(&["grep", "-n", "300", "dipper stream 3"]);
    assert_eq!(ask(&killed), ask(&undisturbed));
    assert_eq!(killed.summary(&["grep", "dipper"])["documents"], 240);
}

#[test]
fn f8_broken_pdfs_have_a_reason_and_stop_nothing() {
    let Some(shared) = shared() else { return };
    let sandbox = Sandbox::new();
    for entry in fs::read_dir(shared.join("data/files/pdf")).unwrap().flatten() {
        fs::copy(entry.path(), sandbox.files().join(entry.file_name())).unwrap();
    }
    sandbox.write("corrupt.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\nxref\ngarbage");
    sandbox.write("cut.pdf", &fs::read(shared.join("data/files/pdf/testPDF.pdf")).unwrap()[..3000]);
    sandbox.write("good.md", "A good page about goldfinches.\n");
    let summary = sandbox.index();
    assert_eq!(sandbox.grep("goldfinches"), ["good.md"]);
    let troubles = sandbox.run(&["doctor", "corrupt.pdf"]);
    assert!(troubles.stdout.contains("corrupt.pdf"), "{troubles:?} {summary}");
}

#[test]
fn f13_giant_lines_end() {
    let sandbox = Sandbox::new();
    sandbox.write("base64.txt", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(30_000));
    sandbox.write("min.js", "var a=function(b){return b.c(d=>e)};".repeat(20_000));
    sandbox.write("fine.md", "The dotterel is a trusting bird.\n");
    sandbox.index();
    assert_eq!(sandbox.grep("dotterel"), ["fine.md"]);
    let again = sandbox.index();
    assert_eq!(again["unchanged"], 3, "{again}");
}

#[test]
fn a_hit_in_a_giant_line_can_be_read_around() {
    let sandbox = Sandbox::new();
    let filler = |from: u32| (from..from + 4_000).map(|number| format!("filler{number} and ")).collect::<String>();
    sandbox.write("long.txt", format!("short first line\n{}the dotterel trusts people {}\n", filler(0), filler(9_000)));
    sandbox.index();
    let ran = sandbox.run(&["grep", "dotterel trusts people"]);
    let place = ran.stdout.split(' ').next().unwrap().to_owned();
    let column: usize = place.strip_prefix("long.txt:2:").unwrap_or_else(|| panic!("{ran:?}")).parse().unwrap();
    let hit = &sandbox.run(&["grep", "--json", "dotterel trusts people"]).json()[0];
    assert_eq!((hit["line"].as_u64(), hit["column"].as_u64()), (Some(2), Some(column as u64)), "{hit}");
    let read = sandbox.run(&["read", &place]);
    assert!(read.stdout.contains("the dotterel trusts people"), "{read:?}");
    assert!(read.stdout.len() < 4_000, "{} bytes", read.stdout.len());
    assert!(read.stderr.contains("of line 2 the columns"), "{read:?}");
    let whole = sandbox.run(&["read", "long.txt:2"]);
    assert!(!whole.stdout.contains("dotterel") && whole.stdout.contains("more bytes on this line"), "{whole:?}");
    // A line of ordinary length has no column to tell.
    sandbox.write("plain.txt", "The knot is a wader.\n");
    sandbox.index();
    assert!(sandbox.run(&["grep", "knot wader"]).stdout.starts_with("plain.txt:1 ("));
}

#[test]
fn damage_to_any_file_of_the_lexicon_is_mended_without_alarm() {
    let sandbox = Sandbox::new();
    for number in 0..50 {
        sandbox
            .write(format!("{number}.md"), format!("# Page {number}\n\nThe dunlin feeds on mud, number {number}.\n"));
    }
    sandbox.index();
    let mut kinds: Vec<(String, String)> = Vec::new();
    for index in ["passages", "documents"] {
        for entry in fs::read_dir(sandbox.data_home().join("cache/lexicon").join(index)).into_iter().flatten().flatten()
        {
            let extension = entry.path().extension().map(|extension| extension.to_string_lossy().into_owned());
            kinds.extend(
                extension.filter(|extension| extension != "lock").map(|extension| (index.to_owned(), extension)),
            );
        }
    }
    kinds.sort();
    kinds.dedup();
    assert!(kinds.len() >= 5, "{kinds:?}");
    for (index, extension) in kinds {
        let folder = sandbox.data_home().join("cache/lexicon").join(&index);
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().extension().is_some_and(|found| found.to_string_lossy() == extension) {
                let mut bytes = fs::read(entry.path()).unwrap();
                bytes.iter_mut().for_each(|byte| *byte ^= 0x5a);
                let _ = fs::remove_file(entry.path());
                fs::write(entry.path(), bytes).unwrap();
            }
        }
        let ran = sandbox.run(&["grep", "-n", "3", "dunlin mud"]);
        assert_eq!(ran.code, 0, "{index} {extension}: {ran:?}");
        assert!(!ran.stderr.contains("panicked"), "{index} {extension}: {ran:?}");
        assert_eq!(ran.stdout.lines().count(), 3, "{index} {extension}: {ran:?}");
    }
}

#[test]
fn f19_what_cannot_be_read_for_a_moment_stays() {
    // Root reads everything, so that permissions prove nothing when the tests run as root; a folder
    // that vanishes for a moment does.
    let sandbox = Sandbox::new();
    sandbox.write("volume/a.md", "The merlin hunts over the moor.\n");
    sandbox.write("b.md", "Another page.\n");
    let volume = sandbox.files().join("volume");
    let ran = sandbox.run(&["index", volume.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    fs::rename(&volume, sandbox.files().join("away")).unwrap();
    let missing = sandbox.run(&["index"]);
    assert!(missing.stdout.contains("missing"), "{missing:?}");
    let ran = sandbox.run(&["grep", "merlin moor"]);
    assert!(ran.stderr.contains("gone") || ran.stdout.contains("a.md"), "{ran:?}");
    fs::rename(sandbox.files().join("away"), &volume).unwrap();
    let back = sandbox.run(&["index", "--json"]).json().into_iter().find(|line| line["type"] == "summary").unwrap();
    assert_eq!((back["indexed"].as_u64(), back["unchanged"].as_u64()), (Some(0), Some(1)), "{back}");
    assert_eq!(sandbox.grep("merlin moor"), ["volume/a.md"]);
    // As another user, the folder that cannot be listed keeps what is known of it.
    fs::set_permissions(&volume, fs::Permissions::from_mode(0o000)).unwrap();
    let closed = sandbox.run(&["index"]);
    assert!(closed.code == 0 || closed.code == 2, "{closed:?}");
    fs::set_permissions(&volume, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(sandbox.grep("merlin moor"), ["volume/a.md"]);
}

#[test]
fn f23_first_start_without_a_model_says_so_in_one_line() {
    let sandbox = Sandbox::new();
    let first = sandbox.run(&["grep", "anything"]);
    assert_eq!(first.code, 2);
    assert!(first.stderr.contains("bethink index"), "{first:?}");
    sandbox.write("a.md", "The linnet sings from the gorse.\n");
    sandbox.index();
    let ran = sandbox.run(&["grep", "linnet"]);
    assert_eq!(ran.code, 0);
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("model")).collect();
    assert_eq!(told.len(), 1, "{ran:?}");
    assert!(told[0].contains("bethink models add"), "{ran:?}");
}

#[test]
fn f30_a_cloned_folder_configures_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("clone/.bethink.toml", "[hooks]\nrun = \"touch /tmp/bethink-was-here\"\nroots = [\"/etc\"]\n");
    sandbox.write("clone/bethink.toml", "roots = [\"/etc\"]\n");
    sandbox.write("clone/.bethinkignore", "!/etc/*\n!.env\nsecret-plans.md\n");
    sandbox.write("clone/.env", "TOKEN=whimbrel\n");
    sandbox.write("clone/secret-plans.md", "The whimbrel plan.\n");
    sandbox.write("clone/page.md", "A page about the curlew.\n");
    sandbox.index();
    assert_eq!(sandbox.grep("curlew"), ["clone/page.md"]);
    assert!(sandbox.grep("whimbrel").is_empty());
    assert_eq!(sandbox.run(&["status", "--json"]).json()[0]["roots"].as_array().unwrap().len(), 1);
}

/// The most memory that a process had, in KiB, as the system keeps it until the process ends.
#[cfg(target_os = "linux")]
fn peak_kibibytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn f20_indexing_stays_within_half_a_gigabyte() {
    const LIMIT_KIBIBYTES: u64 = 512 * 1024;

    let sandbox = Sandbox::new();
    for number in 0..2_000 {
        sandbox.write(
            format!("{}/{number}.md", number % 40),
            format!("note {number} on owls\n\n{}", "words and words. ".repeat(200)),
        );
    }
    // One line that does not end, and a page of a hundred thousand elements.
    let line: String = (0..3_000_000).map(|number| format!("{number:x} ")).collect();
    sandbox.write("line.txt", &line);
    sandbox.write("page.html", format!("<html><body>{}", "<div><b>owls</b> ".repeat(100_000)));
    let files = sandbox.files();
    let mut run = sandbox.command(&["index", "--fast", "--json", files.to_str().unwrap()]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    let code = loop {
        peak = peak_kibibytes(run.id()).unwrap_or(peak).max(peak);
        if let Some(ended) = run.try_wait().unwrap() {
            break ended.code();
        }
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(5));
    };
    assert_eq!(code, Some(0));
    assert!(peak > 1024 && peak < LIMIT_KIBIBYTES, "{peak} KiB");
    assert_eq!(sandbox.grep("\"note 1234\"").len(), 1);
}
