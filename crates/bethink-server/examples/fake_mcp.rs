//! A server over made-up answers, for the tests that need one in a process of its own.
//!
//! With the argument `slow-open`, opening what answers takes a minute, as no model ever should.

#[path = "../tests/it/fake.rs"]
mod fake;

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bethink_server::LazyEngine;
use bethink_server::mcp::{ServeOptions, serve_stdio};
use jiff::tz::TimeZone;

fn main() -> ExitCode {
    let slow = std::env::args().any(|argument| argument == "slow-open");
    let engine = LazyEngine::new(move || {
        if slow {
            thread::sleep(Duration::from_secs(60));
        }
        Ok(fake::shared())
    });
    serve_stdio(ServeOptions {
        engine: Arc::new(engine),
        user_home: Some("/home/kim".into()),
        zone: TimeZone::UTC,
        version: "1.2.3".to_owned(),
        host_guards: false,
        background: Some(Box::new(|stop| {
            while !stop.is_requested() {
                thread::park_timeout(Duration::from_millis(20));
            }
        })),
    })
}
