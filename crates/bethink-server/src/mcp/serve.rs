//! Serving, from the first line to the last.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bethink_engine::Stop;
use jiff::tz::TimeZone;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::runtime::{Builder, Runtime};

use super::handler::Handler;
use super::transport::Streams;
use crate::lazy::LazyEngine;
use crate::text::Look;
use crate::tool::{AT_ONCE, Desk};

/// How long answers that are being worked on may take after the input has ended. Short of the second
/// within which the process must be gone, and enough for whoever pipes a few requests in.
const GRACE: Duration = Duration::from_millis(750);

/// Work for the time after the handshake: sharpening, watching. It runs on a thread of its own, must
/// look at its [`Stop`] often, and must be safe to end at any point, because nobody waits for it.
/// Lowering its priority is its own task.
pub type Background = Box<dyn FnOnce(Stop) + Send>;

/// What serving needs to be told.
pub struct ServeOptions {
    /// What answers, opened on the first question.
    pub engine: Arc<LazyEngine>,
    /// The user's own folder, for paths that begin with `~`.
    pub user_home: Option<PathBuf>,
    /// The zone in which days are told.
    pub zone: TimeZone,
    /// The version that the server gives as its own.
    pub version: String,
    /// Whether the host sees to repeated calls itself, so that no guard stands before the memory.
    pub host_guards: bool,
    /// Work for the time after the handshake.
    pub background: Option<Background>,
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServeOptions").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Serves over standard input and output until the input ends or the output breaks. Nothing else may
/// write to standard output meanwhile.
///
/// When this returns, work may still run on other threads; the caller is to leave the process at once
/// (by returning from `main` or `std::process::exit`), which ends them.
pub fn serve_stdio(options: ServeOptions) -> ExitCode {
    match serve(io::stdin(), io::stdout(), options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

/// Serves over any pair of blocking streams.
///
/// # Errors
/// When the system gives no thread.
pub fn serve(
    reader: impl Read + Send + 'static,
    writer: impl Write + Send + 'static,
    options: ServeOptions,
) -> io::Result<()> {
    let runtime = runtime()?;
    let ServeOptions { engine, user_home, zone, version, host_guards, background } = options;
    // What answers is never closed: closing may wait for workers, and the process is to be gone within
    // a second. Workers see their input close when it is; the store is safe to leave at any point.
    std::mem::forget(Arc::clone(&engine));
    let handler =
        Handler::new(Desk::new(engine, user_home, Look::absolute(zone)).with_host_guards(host_guards), &version);
    let streams = Streams::start(reader, writer)?;
    let (ended, broken) = (Arc::clone(&streams.ended), Arc::clone(&streams.broken));
    let stop = Stop::default();
    runtime.block_on(async {
        let too_late = async {
            ended.notified().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            () = converse(handler, streams, background, stop.clone()) => {}
            () = too_late => {}
            () = broken.notified() => {}
        }
    });
    stop.request();
    // Waiting for a question that is still being worked on would break the promise of a second.
    runtime.shutdown_background();
    Ok(())
}

fn runtime() -> io::Result<Runtime> {
    // One thread is plenty for passing messages; the work itself blocks on threads of its own.
    Builder::new_current_thread().enable_time().max_blocking_threads(AT_ONCE + 1).build()
}

/// Handshakes until one succeeds, then serves to the end. A client that begins with nonsense gets
/// another chance instead of a dead server.
async fn converse(handler: Handler, streams: Streams, background: Option<Background>, stop: Stop) {
    loop {
        match handler.clone().serve(streams.clone()).await {
            Ok(service) => {
                if let Some(background) = background {
                    let work = move || background(stop);
                    // Without a thread there is no background work; questions are answered all the same.
                    if thread::Builder::new().name("background".to_owned()).spawn(work).is_err() {
                        tracing::warn!("no thread for background work");
                    }
                }
                let _ = service.waiting().await;
                return;
            }
            Err(
                ServerInitializeError::ExpectedInitializeRequest(_)
                | ServerInitializeError::UnexpectedInitializeResponse(_)
                | ServerInitializeError::InitializeFailed(_),
            ) => {}
            Err(_) => return,
        }
    }
}
