//! A worker that goes wrong on demand, for the tests of the pool.
//!
//! A PDF whose second line is `%do WORD` makes it do that before it reads the file. Called with
//! `--garbage` or `--leave` it does not even begin as a worker does.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("--garbage") => {
            let _ = std::io::stdout().write_all(b"Hello, I am no worker at all.\n");
            ExitCode::SUCCESS
        }
        Some("--leave") => ExitCode::SUCCESS,
        _ => bethink_extract::worker_main_meeting(misbehave),
    }
}

fn misbehave(body: &[u8]) {
    let order = body.split(|byte| *byte == b'\n').nth(1).and_then(|line| line.strip_prefix(b"%do "));
    match order {
        Some(b"hang") => loop {
            std::thread::park();
        },
        Some(b"spin") => loop {
            std::hint::spin_loop();
        },
        Some(b"panic") => panic!("as told"),
        Some(b"abort") => std::process::abort(),
        Some(b"overflow") => {
            std::hint::black_box(recurse(1));
        }
        Some(b"balloon") => {
            let mut balloon = Vec::new();
            for size in 0_u64.. {
                balloon.push(vec![std::hint::black_box(size as u8); 1 << 20]);
            }
        }
        Some(b"print") => {
            println!("a library that talks");
            eprintln!("and complains");
        }
        Some(b"write") => {
            let path = std::env::temp_dir().join("bethink-extract-worker-wrote-this");
            // Either is refused: the call fails, or the system ends the process.
            assert!(std::fs::write(&path, b"x").is_ok());
        }
        #[cfg(target_os = "linux")]
        Some(b"descriptors") => {
            // Its own three, the pipe's duplicate, and the folder being read.
            let open = std::fs::read_dir("/proc/self/fd").map_or(usize::MAX, Iterator::count);
            assert!(open <= 5, "{open} descriptors are open");
            assert!(std::env::vars_os().next().is_none());
            assert_eq!(std::env::current_dir().ok().as_deref(), Some(std::path::Path::new("/")));
        }
        _ => {}
    }
}

fn recurse(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 512]);
    if room[511] == 0 { 0 } else { recurse(room[0] + 1) + room[1] }
}
