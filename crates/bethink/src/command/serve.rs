//! `bethink serve`: the tools over HTTP on this machine, and the index kept up to date meanwhile.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bethink_engine::{EngineError, Stop};
use bethink_server::rest::{self, Ending, RestOptions};
use bethink_server::{Answers, LazyEngine};

use crate::cli::Serve;
use crate::environment;
use crate::failure::Ended;
use crate::output;
use crate::signal;

/// How long the watcher may take to commit what it has in hand; leaving earlier loses that batch and
/// nothing else.
const LAST_BATCH: Duration = Duration::from_secs(10);

/// Serves until a signal ends it.
pub fn run(arguments: &Serve) -> Result<Ended> {
    if !arguments.bind.is_loopback() && !arguments.allow_remote {
        bail!(
            "{} can be reached from other machines, unencrypted; whoever knows the token could search your files\n  \
             if that is what you want: bethink serve --bind {} --allow-remote",
            arguments.bind,
            arguments.bind
        );
    }
    let engine = Arc::new(environment::open_engine()?);
    let serving = engine.claim_serving()?;
    let token = engine.access_token()?;
    let listener = listen(arguments.bind, arguments.port)?;
    let address = format!("http://{}", listener.local_addr().context("the system does not say where it listens")?);
    serving.announce(&address)?;

    let (stop, ending) = (Stop::default(), Ending::default());
    let (asked, end) = (stop.clone(), ending.clone());
    signal::on_signal(stop.clone(), move || {
        asked.request();
        end.request();
    });
    let mut watcher = None;
    if !arguments.no_watch {
        let (ended, watch_ended) = mpsc::channel::<()>();
        let (watching, stop) = (Arc::clone(&engine), stop.clone());
        // Without a thread nothing is kept up to date; questions are answered all the same.
        std::thread::Builder::new()
            .name("background".to_owned())
            .spawn(move || {
                if let Err(error) = watching.watch(&|_| {}, &stop) {
                    output::note(&format!("changes are no longer followed ({error}); see: bethink doctor"));
                }
                drop(ended);
            })
            .context("cannot start watching")?;
        watcher = Some(watch_ended);
    }
    output::note(&format!("serving {address}; stop with Ctrl-C"));
    output::note(&format!("every request needs the token in {}", engine.token_file().display()));
    if !engine.has_roots() {
        output::note("no folder is remembered yet; name one: bethink index ~/Documents");
    }
    let answers = Arc::clone(&engine);
    let options = RestOptions {
        engine: Arc::new(LazyEngine::new(move || Ok::<_, EngineError>(Arc::clone(&answers) as Arc<dyn Answers>))),
        user_home: environment::user_home(),
        zone: jiff::tz::TimeZone::system(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        token,
        hosts: arguments.allow_host.clone(),
    };
    rest::serve(listener, options, &ending).context("cannot serve")?;
    stop.request();
    // The sender goes when the watcher has ended.
    if let Some(watch_ended) = watcher {
        let _ = watch_ended.recv_timeout(LAST_BATCH);
    }
    Ok(Ended::Well)
}

fn listen(address: IpAddr, port: u16) -> Result<TcpListener> {
    match TcpListener::bind(SocketAddr::new(address, port)) {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            bail!("port {port} is taken by another program\n  choose another: bethink serve --port {}", next(port))
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            bail!("the system does not let you have port {port}\n  choose one above 1023: bethink serve --port 7717")
        }
        Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => {
            bail!("{address} is no address of this machine\n  the usual one: bethink serve --bind 127.0.0.1")
        }
        Err(error) => Err(error).with_context(|| format!("cannot listen on {address} port {port}")),
    }
}

/// A port to try after this one.
fn next(port: u16) -> u16 {
    port.checked_add(1).unwrap_or(crate::cli::PORT)
}
