//! Taking connections, from the first to the last.

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use jiff::tz::TimeZone;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use super::gate::Gate;
use super::routes;
use crate::lazy::LazyEngine;
use crate::text::Look;
use crate::tool::{AT_ONCE, Desk};

/// Connections at the same time. Whoever comes beyond them waits in the system's own queue.
const MOST_CONNECTIONS: u32 = 64;

/// So long a client may take to send the head of a request, the pause before it included: connections
/// that nobody uses are closed.
const SLOWEST_HEAD: Duration = Duration::from_secs(30);

/// The head of a request in bytes at the most: an address with a query of 4,000 characters, three
/// bytes each and three characters a byte, with room for headers.
const LONGEST_HEAD_BYTES: usize = 64 * 1024;

/// How long answers in hand may take after the end was asked for.
const GRACE: Duration = Duration::from_secs(5);

/// How long no connection is taken after the system could not give one (most likely for want of file
/// handles), so that the loop does not spin.
const AFTER_A_FAILED_CONNECTION: Duration = Duration::from_millis(100);

/// What serving needs to be told.
pub struct RestOptions {
    /// What answers, opened on the first question.
    pub engine: Arc<LazyEngine>,
    /// The user's own folder, for paths that begin with `~`.
    pub user_home: Option<PathBuf>,
    /// The zone in which days are told.
    pub zone: TimeZone,
    /// The version that the server gives as its own.
    pub version: String,
    /// What every request must carry.
    pub token: String,
    /// Names that this machine is called by beside `localhost` and its loopback addresses.
    pub hosts: Vec<String>,
}

impl fmt::Debug for RestOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RestOptions").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Asks a server to end, from any thread.
#[derive(Debug, Clone, Default)]
pub struct Ending(Arc<Notify>);

impl Ending {
    /// Asks for the end. Answers in hand still go out.
    pub fn request(&self) {
        self.0.notify_one();
    }
}

/// Serves until the end is asked for.
///
/// When this returns, a question that took longer than the grace may still run on another thread; the
/// caller is to leave the process.
///
/// # Errors
/// When the system gives no thread, or will not let the listener be waited on.
pub fn serve(listener: TcpListener, options: RestOptions, ending: &Ending) -> io::Result<()> {
    // One thread is plenty for passing messages; the work itself blocks on threads of its own.
    let runtime = Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(AT_ONCE + 1).build()?;
    let RestOptions { engine, user_home, zone, version, token, hosts } = options;
    let gate = Gate { token, hosts, is_remote: !listener.local_addr()?.ip().is_loopback() };
    let router = routes::router(Desk::new(engine, user_home, Look::absolute(zone)), gate, &version);
    listener.set_nonblocking(true)?;
    let outcome = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        take_connections(listener, router, ending).await;
        Ok(())
    });
    runtime.shutdown_background();
    outcome
}

async fn take_connections(listener: tokio::net::TcpListener, router: Router, ending: &Ending) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS as usize));
    let (leave, leaving) = watch::channel(false);
    let mut end = pin!(ending.0.notified());
    loop {
        let taken = tokio::select! {
            taken = take_one(&listener, &places) => taken,
            () = &mut end => break,
        };
        match taken {
            Ok((stream, place)) => {
                tokio::spawn(converse(stream, router.clone(), leaving.clone(), place));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(AFTER_A_FAILED_CONNECTION).await;
            }
        }
    }
    drop(listener);
    // Nobody listening means that nobody is connected.
    let _ = leave.send(true);
    // Every place free means that every connection has ended.
    let _ = tokio::time::timeout(GRACE, places.acquire_many(MOST_CONNECTIONS)).await;
}

async fn take_one(
    listener: &tokio::net::TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

/// One connection, from its first request to its last.
async fn converse(stream: TcpStream, router: Router, mut leaving: watch::Receiver<bool>, _place: OwnedSemaphorePermit) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(SLOWEST_HEAD)
        .max_buf_size(LONGEST_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    // A connection that breaks has ended; there is nobody left to tell.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = leaving.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
