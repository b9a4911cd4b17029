//! The parent's side: workers kept alive, lent to one file at a time, ended when they misbehave.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bethink_core::{Problem, ProblemKind, UnixMillis};

use super::meter::{Measurement, Meter};
use super::protocol::{Received, receive, write_request};
use crate::extraction::{Collector, Extraction, Reading, problem};
use crate::family::{Family, Member, Outcome, Source};
use crate::limits::Limits;

/// A bounded set of workers.
pub(crate) struct Pool {
    command: (PathBuf, Vec<OsString>),
    limits: Limits,
    size: usize,
    /// Told what each file cost, where somebody asks.
    pub(crate) meter: Option<Meter>,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Worker>,
    /// Workers lent out or idle.
    alive: usize,
}

/// How a conversation about one file went wrong.
enum Broken {
    /// The clock ran out.
    Time,
    /// The worker died; with what status.
    Died(Option<ExitStatus>),
    /// It said what no worker says.
    Garbage,
}

impl Pool {
    pub(crate) fn new(command: (PathBuf, Vec<OsString>), limits: Limits, size: usize) -> Self {
        Self { command, limits, size, meter: None, state: Mutex::default(), returned: Condvar::new() }
    }

    /// Reads a source in a worker, waiting for one to be free. Members are handed over one by one, while
    /// the worker waits and its clock stands still; false from `take` means that no more are wanted.
    pub(crate) fn read(
        &self,
        family: &dyn Family,
        source: &Source<'_>,
        take: &mut dyn FnMut(Member) -> bool,
    ) -> Reading {
        if source.bytes.len() > self.limits.worker_source_bytes {
            let most = self.limits.worker_source_bytes >> 20;
            return Extraction::skipped(ProblemKind::Limit, format!("larger than {most} MiB; findable by name")).into();
        }
        loop {
            let mut worker = match self.take() {
                Ok(worker) => worker,
                Err(error) => {
                    // Not the file's fault, and so not a reason to leave it alone from now on.
                    let detail = format!("the reading process could not be started ({})", error.kind());
                    return Extraction::failed(ProblemKind::Unreadable, detail).into();
                }
            };
            let mut collector = Collector::new(source.format, family.most_text_bytes(&self.limits));
            let was_fresh = worker.files == 0;
            let mut taken = Taken { take, limits: &self.limits, members: 0, bytes: 0, wanted: true };
            match worker.converse(source, &self.limits, &mut collector, &mut taken, self.meter.as_ref()) {
                Ok(outcome) => {
                    // One that was stopped in the middle of its members is still unpacking.
                    if taken.wanted {
                        self.put_back(worker)
                    } else {
                        self.bury(worker)
                    }
                    return collector.finish(outcome).into();
                }
                // A worker that died between two files (killed by hand or by the system) owes this
                // file nothing: it is read again by a fresh one.
                Err(Broken::Died(_)) if !was_fresh && !collector.has_begun() && taken.members == 0 => {
                    self.bury(worker);
                }
                Err(broken) => {
                    self.bury(worker);
                    let reason = self.reason(&broken, source, &collector);
                    tracing::debug!(kind = reason.kind.name(), bytes = source.bytes.len(), "a worker was ended");
                    return Reading { extraction: collector.finish(Outcome::Failed(reason)), broke_off: true };
                }
            }
        }
    }

    /// The sentence for a conversation that broke.
    fn reason(&self, broken: &Broken, source: &Source<'_>, collector: &Collector) -> Problem {
        let after = collector.last_locator().map(|place| format!(" after {place}")).unwrap_or_default();
        match broken {
            Broken::Time => {
                let seconds = self.limits.wall_for(source.bytes.len()).as_secs();
                problem(ProblemKind::Limit, format!("reading did not end within {seconds} s{after}"))
            }
            Broken::Died(status) if status.is_some_and(ran_out_of_cpu_time) => {
                let seconds = self.limits.processor_for(source.bytes.len()).as_secs().max(1);
                problem(ProblemKind::Limit, format!("reading took more than {seconds} s of processor time{after}"))
            }
            Broken::Died(_) => problem(ProblemKind::Crashed, format!("the reader crashed or ran out of memory{after}")),
            Broken::Garbage => problem(ProblemKind::Crashed, format!("the reader answered nonsense{after}")),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock; a poisoned one is as good as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> io::Result<Worker> {
        let mut state = self.lock();
        loop {
            if let Some(worker) = state.idle.pop() {
                return Ok(worker);
            }
            if state.alive < self.size {
                state.alive += 1;
                drop(state);
                return Worker::start(&self.command).inspect_err(|_| self.forget());
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put_back(&self, worker: Worker) {
        if worker.files >= self.limits.worker_files {
            return self.bury(worker);
        }
        self.lock().idle.push(worker);
        self.returned.notify_one();
    }

    fn bury(&self, worker: Worker) {
        drop(worker);
        self.forget();
    }

    fn forget(&self) {
        self.lock().alive -= 1;
        self.returned.notify_one();
    }
}

/// One worker process and its pipes. Dropping it ends the process.
struct Worker {
    process: Process,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Files that it has been given.
    files: u32,
}

impl Worker {
    fn start((program, arguments): &(PathBuf, Vec<OsString>)) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        // Nothing in the environment or the current folder is a parser's business.
        command.env_clear().current_dir("/");
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let process = Process(Mutex::new(child));
        let (Some(requests), Some(answers)) = pipes else { return Err(io::ErrorKind::BrokenPipe.into()) };
        Ok(Self { process, requests, answers: BufReader::with_capacity(64 << 10, answers), files: 0 })
    }

    /// Sends a file and takes its answer in, under the clock. After an error the worker is of no more use.
    fn converse(
        &mut self,
        source: &Source<'_>,
        limits: &Limits,
        collector: &mut Collector,
        taken: &mut Taken<'_>,
        meter: Option<&Meter>,
    ) -> Result<Outcome, Broken> {
        self.files += 1;
        let measurement = Measurement::begin(meter, self.process.id());
        let wall = limits.wall_for(source.bytes.len());
        let process = &self.process;
        let (requests, answers) = (&mut self.requests, &mut self.answers);
        std::thread::scope(|scope| {
            // The clock is a thread that ends the process: that unblocks both pipes, whichever of
            // them this thread hangs on.
            let (clock_hand, ticks) = channel();
            let clock = scope.spawn(move || {
                let late = runs_out(&ticks, wall);
                if late {
                    process.kill();
                }
                late
            });
            let answer = exchange((requests, answers), source, limits, collector, taken, &clock_hand);
            drop(clock_hand);
            let late = clock.join().unwrap_or(false);
            if let Some(measurement) = measurement {
                measurement.end();
            }
            match answer {
                // If the clock struck between the answer and here, the next file finds the worker dead.
                Ok(outcome) => Ok(outcome),
                Err(_) if late => Err(Broken::Time),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Broken::Garbage),
                Err(_) => Err(Broken::Died(process.kill())),
            }
        })
    }
}

/// What stops a clock and sets it going again.
enum Tick {
    Stop,
    Go,
}

/// Waits until the time has run out, with the clock standing still between a stop and the next go; false
/// if the conversation ended before.
fn runs_out(ticks: &Receiver<Tick>, wall: Duration) -> bool {
    let mut left = wall;
    loop {
        let began = Instant::now();
        match ticks.recv_timeout(left) {
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
            Ok(Tick::Go) => {}
            Ok(Tick::Stop) => {
                left = left.saturating_sub(began.elapsed());
                if ticks.recv().is_err() {
                    return false;
                }
            }
        }
    }
}

/// The members taken of one source.
struct Taken<'a> {
    take: &'a mut dyn FnMut(Member) -> bool,
    limits: &'a Limits,
    members: u32,
    bytes: usize,
    wanted: bool,
}

impl Taken<'_> {
    /// Takes one in, from its beginning to its end.
    fn receive(
        &mut self,
        answers: &mut BufReader<ChildStdout>,
        collector: &mut Collector,
        (path, modified): (String, Option<UnixMillis>),
        clock: &Sender<Tick>,
    ) -> io::Result<()> {
        let beyond = || io::Error::new(io::ErrorKind::InvalidData, "more members than were asked for");
        let mut bytes = Vec::new();
        let ended = loop {
            match receive(answers, collector)? {
                Received::MemberBytes(piece) => {
                    self.bytes = self.bytes.saturating_add(piece.len());
                    if bytes.len() + piece.len() > self.limits.member_bytes || self.bytes > self.limits.unpacked_bytes {
                        return Err(beyond());
                    }
                    bytes.extend(piece);
                }
                Received::MemberEnds(ended) => break ended,
                _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "a member inside a member")),
            }
        };
        self.members += 1;
        if self.members > self.limits.members {
            return Err(beyond());
        }
        // Nobody hears the clock if its thread is gone: then the conversation is over anyway.
        let _ = clock.send(Tick::Stop);
        self.wanted = (self.take)(Member { path, modified, bytes: ended.map(|()| bytes) });
        let _ = clock.send(Tick::Go);
        Ok(())
    }
}

/// Sends the file, then takes frames until the end.
fn exchange(
    (requests, answers): (&mut ChildStdin, &mut BufReader<ChildStdout>),
    source: &Source<'_>,
    limits: &Limits,
    collector: &mut Collector,
    taken: &mut Taken<'_>,
    clock: &Sender<Tick>,
) -> io::Result<Outcome> {
    let seconds = limits.processor_for(source.bytes.len()).as_secs().max(1);
    let cpu_seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
    write_request(requests, source, limits, cpu_seconds)?;
    // A full collector goes on reading, and dropping: the worker stops by itself one piece later, and
    // is whole for the next file.
    loop {
        match receive(answers, collector)? {
            Received::Piece | Received::Full => {}
            Received::End(outcome) => return Ok(outcome),
            Received::MemberBegins(path, modified) => {
                taken.receive(answers, collector, (path, modified), clock)?;
                if !taken.wanted {
                    return Ok(Outcome::Read);
                }
            }
            Received::MemberBytes(_) | Received::MemberEnds(_) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a member that never began"));
            }
        }
    }
}

/// The process, killable from the thread that watches the clock.
struct Process(Mutex<Child>);

impl Process {
    fn id(&self) -> u32 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Ends the process and waits for it, so that no zombie stays. The status is its own if it had
    /// ended before.
    fn kill(&self) -> Option<ExitStatus> {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Killing what is dead already is an error without meaning here.
        let _ = child.kill();
        child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn ran_out_of_cpu_time(status: ExitStatus) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGXCPU);
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}
