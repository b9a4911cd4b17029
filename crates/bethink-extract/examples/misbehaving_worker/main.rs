//! A worker that goes wrong on demand, for the tests of the pool.
//!
//! A PDF whose second line is `%do WORD` makes it do that before it reads the file. With `--frames` it
//! answers such a file by itself, in frames of its own. Called with `--garbage` or `--leave` it does not
//! even begin as a worker does.

#[cfg(unix)]
mod escape;
mod frames;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("--garbage") => {
            let _ = std::io::stdout().write_all(b"Hello, I am no worker at all.\n");
            ExitCode::SUCCESS
        }
        Some("--leave") => ExitCode::SUCCESS,
        Some("--frames") => frames::serve(),
        _ => bethink_extract::worker_main_meeting(misbehave),
    }
}

/// The word after `%do ` in the file's second line.
fn order(body: &[u8]) -> Option<&str> {
    let order = body.split(|byte| *byte == b'\n').nth(1).and_then(|line| line.strip_prefix(b"%do "));
    order.and_then(|order| std::str::from_utf8(order).ok())
}

fn misbehave(body: &[u8]) {
    let Some(order) = order(body) else { return };
    match order {
        "nothing" | "" => {}
        "hang" => loop {
            std::thread::park();
        },
        "spin" => loop {
            std::hint::spin_loop();
        },
        "panic" => panic!("as told"),
        "abort" => std::process::abort(),
        "overflow" => {
            std::hint::black_box(recurse(1));
        }
        "balloon" => {
            let mut balloon = Vec::new();
            for size in 0_u64.. {
                balloon.push(vec![std::hint::black_box(size as u8); 1 << 20]);
            }
        }
        "print" => {
            println!("a library that talks");
            eprintln!("and complains");
        }
        // What a parser may do, and some do.
        "thread" => {
            let threads: Vec<_> = (0..4).map(|number| std::thread::spawn(move || number * 2)).collect();
            let sum: i32 = threads.into_iter().filter_map(|thread| thread.join().ok()).sum();
            assert_eq!(sum, 12);
            let caught = std::thread::spawn(|| panic!("as told")).join();
            assert!(caught.is_err());
        }
        #[cfg(unix)]
        attempt => escape::attempt(attempt),
        #[cfg(not(unix))]
        _ => {}
    }
}

fn recurse(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 512]);
    if room[511] == 0 { 0 } else { recurse(room[0] + 1) + room[1] }
}
