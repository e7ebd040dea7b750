//! Sets of requests in people's own words, run against a described home: how often is exactly the right thing called?
//!
//! Nothing of this touches the node: the home exists in memory only.

mod card;
mod case;
mod compare;
mod run;

use std::collections::BTreeMap;

use serde::Serialize;

pub(crate) use card::{about, measured};
pub(crate) use case::{Case, read};
pub(crate) use run::run;

use case::{Call, Expect};

/// What came of a set.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) all: Count,
    /// By the beginning of the ids.
    pub(crate) groups: BTreeMap<String, Count>,
    pub(crate) rows: Vec<Row>,
    /// What it took, where a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) used: Option<Used>,
}

/// What a set took.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Used {
    pub(crate) seconds: u64,
    /// Tokens read, those that the server had in its memory counted too.
    pub(crate) input: Option<u64>,
    /// Tokens written.
    pub(crate) output: Option<u64>,
}

/// How many of how many.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Count {
    pub(crate) cases: usize,
    /// Exactly what was expected, and nothing else.
    pub(crate) exact: usize,
    /// Writes that were proposed and not expected.
    pub(crate) wrong_writes: usize,
}

/// What came of one case.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) say: Vec<String>,
    pub(crate) expect: Expect,
    /// The calls in their order, with the arguments as they were resolved.
    pub(crate) got: Vec<Call>,
    /// How the last turn ended.
    pub(crate) end: &'static str,
    pub(crate) exact: bool,
    pub(crate) wrong_write: bool,
    #[serde(skip)]
    wrong_writes: usize,
}

impl Report {
    /// Counts the rows.
    fn of(rows: Vec<Row>) -> Self {
        let mut report = Self::default();
        for row in &rows {
            let group = report.groups.entry(group(&row.id).to_owned()).or_default();
            for count in [group, &mut report.all] {
                count.cases += 1;
                count.exact += usize::from(row.exact);
                count.wrong_writes += row.wrong_writes;
            }
        }
        Self { rows, ..report }
    }
}

/// The id up to its last `-`, or without its number.
fn group(id: &str) -> &str {
    match id.rsplit_once('-') {
        Some((group, _)) => group,
        None => id.trim_end_matches(|letter: char| letter.is_ascii_digit()),
    }
}
