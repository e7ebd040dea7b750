//! A figure: what was measured often, in one line beside its aim and its floor.

use std::time::{Duration, Instant};

/// Many measurements of one thing.
#[derive(Debug, Default, Clone)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// Times `work` so often, after a tenth as many times that are not counted.
    pub(crate) fn of(times: usize, mut work: impl FnMut()) -> Self {
        for _ in 0..times / 10 {
            work();
        }
        let mut samples = Self::default();
        for _ in 0..times {
            let began = Instant::now();
            work();
            samples.add(began.elapsed());
        }
        samples
    }

    /// The same, each sample being the mean of `inner` runs: for what is shorter than a clock's tick.
    pub(crate) fn of_many(times: usize, inner: u32, mut work: impl FnMut()) -> Self {
        let all = Self::of(times, || (0..inner).for_each(|_| work()));
        Self(all.0.into_iter().map(|sample| sample / inner).collect())
    }

    pub(crate) fn median(&self) -> Duration {
        self.at(50)
    }

    fn at(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted
            .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }
}

/// What the columns are.
pub(crate) fn heading() {
    println!(
        "{:<58} {:>10} {:>10} {:>10} {:>7}  {:<10} floor",
        "figure", "least", "median", "p99", "n", "aim"
    );
}

/// A length of time, with its ratio to a floor of the same run.
pub(crate) fn time(name: &str, samples: &Samples, aim: &str, floor: Option<(&str, Duration)>) {
    let ratio = floor.map_or_else(String::new, |(what, floor)| {
        format!("{:.1} × {what}", samples.median().as_secs_f64() / floor.as_secs_f64())
    });
    println!(
        "{name:<58} {:>10} {:>10} {:>10} {:>7}  {aim:<10} {ratio}",
        span(samples.at(0)),
        span(samples.median()),
        span(samples.at(99)),
        samples.0.len()
    );
}

/// Anything else.
pub(crate) fn count(name: &str, value: &str, aim: &str) {
    println!("{name:<58} {:>10} {value:>10} {:>10} {:>7}  {aim}", "", "", "");
}

fn span(time: Duration) -> String {
    let nanos = time.as_nanos();
    let micros = time.as_secs_f64() * 1e6;
    match nanos {
        0..10_000 => format!("{micros:.2} µs"),
        10_000..1_000_000 => format!("{micros:.0} µs"),
        _ => format!("{:.2} ms", micros / 1000.0),
    }
}
