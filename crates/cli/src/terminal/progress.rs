//! How far work has come, on standard error: a bar where it is known how much there is to do, a spinner where it is not.
//!
//! Nothing is coloured, and nothing is told that is not known: no time is left before something is done.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// How often what is drawn moves on by itself.
const TICK: Duration = Duration::from_millis(120);

/// Which streams go to a terminal.
#[derive(Debug, Clone, Copy)]
pub struct TerminalStreams {
    pub out: bool,
    pub err: bool,
}

/// Whether progress is drawn: on a terminal only, and not while a pipeline reads JSON.
pub fn is_drawn(quiet: bool, json: bool, on_terminal: TerminalStreams) -> bool {
    let in_pipeline = json && !on_terminal.out;
    on_terminal.err && !quiet && !in_pipeline
}

/// A line on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Spinner,
    Bar,
}

/// The one line that shows how far work has come.
pub struct ProgressLine {
    drawn: bool,
    begun: Instant,
    line: Mutex<Option<(Shape, ProgressBar)>>,
}

impl ProgressLine {
    /// A line that is shown when `drawn`.
    pub fn new(drawn: bool) -> Self {
        Self { drawn, begun: Instant::now(), line: Mutex::default() }
    }

    /// Whether anything is shown at all.
    pub fn is_drawn(&self) -> bool {
        self.drawn
    }

    /// Shows `words` and the time since the run began.
    pub fn spin(&self, words: &str) {
        if self.drawn {
            self.show(Shape::Spinner, 0, 0, words);
        }
    }

    /// Shows that `done` of `of` are done; work in one piece is shown by a spinner, as it is not known how far it is.
    pub fn bar(&self, done: u64, of: u64, words: &str) {
        if of <= 1 {
            self.spin(words);
        } else if self.drawn {
            // What is done more than once is counted too.
            self.show(Shape::Bar, done.min(of), of, words);
        }
    }

    /// Takes the line off the screen.
    pub fn clear(&self) {
        if let Some((_, line)) = self.line().take() {
            line.finish_and_clear();
        }
    }

    /// Does something else on standard error.
    pub fn aside(&self, other: impl FnOnce()) {
        match &*self.line() {
            Some((_, line)) => line.suspend(other),
            None => other(),
        }
    }

    fn line(&self) -> MutexGuard<'_, Option<(Shape, ProgressBar)>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on with the line, or begins one when it has another shape, or goes back: then it is other work, with its own clock.
    fn show(&self, shape: Shape, done: u64, of: u64, words: &str) {
        let mut line = self.line();
        if let Some((drawn, bar)) = line.as_ref().filter(|(drawn, bar)| *drawn == shape && bar.position() <= done) {
            if *drawn == Shape::Bar {
                bar.set_length(of);
                bar.set_position(done);
            }
            bar.set_message(words.to_owned());
            return;
        }
        if let Some((_, earlier)) = line.take() {
            earlier.finish_and_clear();
        }
        let bar = ProgressBar::with_draw_target(Some(of), ProgressDrawTarget::stderr())
            .with_style(self.style(shape, done))
            .with_position(done)
            .with_message(words.to_owned());
        bar.tick();
        bar.enable_steady_tick(TICK);
        *line = Some((shape, bar));
    }

    /// How a line is drawn that begins when `before` are done.
    fn style(&self, shape: Shape, before: u64) -> ProgressStyle {
        let template = match shape {
            Shape::Bar => "[{bar:24}] {pos} of {len}{left}: {wide_msg}",
            Shape::Spinner => "{spinner} {run}: {wide_msg}",
        };
        let begun = self.begun;
        let run = move |_: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&rough(begun.elapsed()));
        };
        let left = move |state: &ProgressState, text: &mut dyn Write| {
            let (done, of) = (state.pos().saturating_sub(before), state.len().unwrap_or(0).saturating_sub(before));
            if let Some(left) = left(done, of, state.elapsed()) {
                let _ = write!(text, ", about {} left", rough(left));
            }
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
        style.progress_chars("=> ").with_key("run", run).with_key("left", left)
    }
}

/// The time that is left when what remains goes on as before, in seconds that have begun; unknown while nothing is done.
fn left(done: u64, of: u64, elapsed: Duration) -> Option<Duration> {
    let remaining = of.checked_sub(done).filter(|&remaining| done > 0 && remaining > 0)?;
    let seconds = elapsed.as_secs_f64() * remaining as f64 / done as f64;
    Duration::try_from_secs_f64(seconds.ceil()).ok()
}

/// `8 s`, `4 min 10 s` or `3 h 20 min`.
fn rough(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_drawn_on_terminals_only_and_not_into_pipelines() {
        let drawn = |quiet, json, out, err| is_drawn(quiet, json, TerminalStreams { out, err });
        assert!(drawn(false, false, true, true));
        assert!(drawn(false, false, false, true), "text into a file, watched");
        assert!(drawn(false, true, true, true), "JSON that somebody looks at");
        assert!(!drawn(false, true, false, true), "JSON for a pipeline");
        assert!(!drawn(true, false, true, true), "quiet");
        assert!(!drawn(false, false, true, false), "errors go to a file");
    }

    #[test]
    fn the_time_left_is_told_when_something_is_done() {
        let elapsed = Duration::from_secs(6);
        assert_eq!(left(0, 10, elapsed), None);
        assert_eq!(left(3, 10, elapsed), Some(Duration::from_secs(14)));
        assert_eq!(left(9, 10, elapsed), Some(Duration::from_secs(1)), "not nothing, as long as something remains");
        assert_eq!(left(10, 10, elapsed), None);
        assert_eq!(left(11, 10, elapsed), None);
        assert_eq!(left(1, u64::MAX, Duration::MAX), None, "beyond all time");
    }

    #[test]
    fn times_are_told_in_two_units_at_most() {
        let told = [8, 250, 12_000].map(|seconds| rough(Duration::from_secs(seconds)));
        assert_eq!(told, ["8 s", "4 min 10 s", "3 h 20 min"]);
    }

    #[test]
    fn a_bar_that_goes_back_is_a_new_one_and_one_piece_is_a_spinner() {
        let progress = ProgressLine::new(true);
        let shown = || {
            let line = progress.line();
            line.as_ref().map(|(shape, bar)| (*shape, bar.position(), bar.length()))
        };
        progress.bar(0, 1, "one piece");
        assert_eq!(shown(), Some((Shape::Spinner, 0, Some(0))));
        progress.bar(4, 9, "several");
        assert_eq!(shown(), Some((Shape::Bar, 4, Some(9))));
        progress.bar(12, 9, "more than all");
        assert_eq!(shown(), Some((Shape::Bar, 9, Some(9))));
        progress.bar(1, 5, "others");
        assert_eq!(shown(), Some((Shape::Bar, 1, Some(5))));
        progress.clear();
        assert_eq!(shown(), None);
    }

    #[test]
    fn nothing_is_kept_of_what_is_not_drawn() {
        let progress = ProgressLine::new(false);
        progress.bar(1, 5, "several");
        progress.spin("one piece");
        assert!(progress.line().is_none());
    }
}
