//! How far a run is: a bar on a terminal, or plain lines where they were asked for.

use super::log::{Level, Log};
use crate::quantity::size;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a plain line is written.
const PLAIN_EVERY: Duration = Duration::from_secs(5);
/// How often the bar's words change.
const BAR_EVERY: Duration = Duration::from_millis(200);

/// How progress is told on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A bar on a terminal, nothing elsewhere
    Auto,
    /// A bar, on a terminal only
    Bar,
    /// Plain lines, also into a file or pipe
    Plain,
    /// Nothing
    Never,
}

/// What all workers add to. Cheap: they tell of many captures at once.
#[derive(Debug)]
pub struct Progress {
    bytes: AtomicU64,
    captures: AtomicU64,
    problems: AtomicU64,
    files: AtomicU64,
    total_bytes: u64,
    total_files: u64,
}

impl Progress {
    /// Progress over so many bytes in so many files.
    pub fn new(total_bytes: u64, total_files: u64) -> Progress {
        let zero = || AtomicU64::new(0);
        Progress { bytes: zero(), captures: zero(), problems: zero(), files: zero(), total_bytes, total_files }
    }

    /// So many more stored bytes and captures are done.
    pub fn advance(&self, bytes: u64, captures: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.captures.fetch_add(captures, Ordering::Relaxed);
    }

    /// One more problem was met.
    pub fn problem(&self) {
        self.problems.fetch_add(1, Ordering::Relaxed);
    }

    /// A part of a file is done; `last` says whether it was the file's last.
    pub fn file_done(&self, last: bool) {
        self.files.fetch_add(u64::from(last), Ordering::Relaxed);
    }

    fn line(&self, since: Instant) -> String {
        let (bytes, captures) = (self.bytes.load(Ordering::Relaxed), self.captures.load(Ordering::Relaxed));
        let seconds = since.elapsed().as_secs_f64().max(0.001);
        let left = match bytes {
            0 => String::new(),
            done if self.total_bytes > done => {
                let eta = (self.total_bytes - done) as f64 * seconds / done as f64;
                format!(", {} left", duration(eta))
            }
            _ => String::new(),
        };
        format!(
            "{}/{} files, {} captures ({:.0}/s), {} of {} ({}/s), {} problems{left}",
            self.files.load(Ordering::Relaxed),
            self.total_files,
            captures,
            captures as f64 / seconds,
            size(bytes),
            size(self.total_bytes),
            size((bytes as f64 / seconds) as u64),
            self.problems.load(Ordering::Relaxed),
        )
    }
}

fn duration(seconds: f64) -> String {
    let seconds = seconds as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Shows progress from a thread of its own until it is dropped.
pub struct Display {
    stop: Arc<(AtomicBool, Mutex<()>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Starts showing, in the way that was asked for and that standard error allows.
    pub fn start(progress: &Arc<Progress>, mode: ProgressMode, log: Log) -> Display {
        let terminal = io::stderr().is_terminal();
        let stop = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let bar = match mode {
            ProgressMode::Auto | ProgressMode::Bar if terminal && !log.is_json() => true,
            ProgressMode::Plain => false,
            _ => return Display { stop, thread: None },
        };
        let (progress, stopped) = (Arc::clone(progress), Arc::clone(&stop));
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            let since = Instant::now();
            let shown = bar.then(|| new_bar(progress.total_bytes));
            let (flag, lock, wake) = &*stopped;
            let mut guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
            while !flag.load(Ordering::Relaxed) {
                let pause = if bar { BAR_EVERY } else { PLAIN_EVERY };
                guard = wake.wait_timeout(guard, pause).unwrap_or_else(PoisonError::into_inner).0;
                if flag.load(Ordering::Relaxed) {
                    break;
                }
                match &shown {
                    Some(bar) => {
                        bar.set_position(progress.bytes.load(Ordering::Relaxed).min(progress.total_bytes));
                        bar.set_message(progress.line(since));
                    }
                    None => log.say(
                        Level::Info,
                        "progress",
                        &progress.line(since),
                        json!({
                            "captures": progress.captures.load(Ordering::Relaxed),
                            "bytes": progress.bytes.load(Ordering::Relaxed),
                            "total_bytes": progress.total_bytes,
                            "problems": progress.problems.load(Ordering::Relaxed),
                        }),
                    ),
                }
            }
            if let Some(bar) = shown {
                bar.finish_and_clear();
            }
        });
        // No thread, no bar: the scan itself goes on.
        Display { stop, thread: thread.ok() }
    }
}

fn new_bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}% {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

impl Drop for Display {
    fn drop(&mut self) {
        let (flag, lock, wake) = &*self.stop;
        {
            let _guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
            flag.store(true, Ordering::Relaxed);
        }
        wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_much_is_left() {
        let progress = Progress::new(4 << 20, 2);
        progress.advance(1 << 20, 500);
        progress.file_done(true);
        progress.problem();
        let line = progress.line(Instant::now() - Duration::from_secs(10));
        assert!(line.starts_with("1/2 files, 500 captures (50/s), 1.0 MiB of 4.0 MiB ("), "{line}");
        assert!(line.contains("1 problems, 30 s left") || line.contains("1 problems, 29 s left"), "{line}");
        assert_eq!(duration(3_725.0), "1 h 02 min");
    }
}
