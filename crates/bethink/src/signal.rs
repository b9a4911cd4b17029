//! Ctrl-C: the first asks for the end after the batch in hand, the second ends at once.

use bethink_engine::Stop;

/// A stop that Ctrl-C (and a polite kill) asks for.
///
/// Work in hand is committed before the process ends. A second signal ends it at once, which loses
/// the batch in hand and nothing else.
pub fn stop_on_signal() -> Stop {
    let stop = Stop::default();
    let asked = stop.clone();
    on_signal(stop.clone(), move || asked.request());
    stop
}

/// Calls `first` at the first Ctrl-C or polite kill, and ends the process at the second, or once
/// `stop` was requested otherwise.
pub fn on_signal(stop: Stop, first: impl Fn() + Send + 'static) {
    // Without the handler a signal ends the process at once, which is safe, only less tidy.
    let _ = ctrlc::set_handler(move || {
        if stop.is_requested() {
            std::process::exit(130);
        }
        first();
    });
}
