//! [`Report`]: how many of what were compared, and what differs.

use crate::outcome::Verdict;
use std::collections::BTreeMap;
use std::fmt;

pub struct Report {
    counts: BTreeMap<String, usize>,
    /// Where all judges agree and we differ: how many, and the first cases.
    differences: BTreeMap<String, (usize, Vec<String>)>,
    /// Where judges differ among themselves.
    splits: BTreeMap<String, (usize, Vec<String>)>,
    show: usize,
}

impl Report {
    pub fn new(show: usize) -> Self {
        let (counts, differences, splits) = Default::default();
        Self { counts, differences, splits, show }
    }

    pub fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    pub fn add(&mut self, what: &str, verdict: Verdict, case: impl FnOnce() -> String) {
        let (all, kind, theirs) = match verdict {
            Verdict::Agreed => return,
            Verdict::None => return self.count(&format!("{what} that no judge reads")),
            Verdict::Differs(theirs) => {
                (&mut self.differences, what.to_owned(), format!("\n      theirs {theirs:?}"))
            }
            Verdict::Split(how, details) => (&mut self.splits, format!("{what}: {how}"), details),
        };
        let (count, cases) = all.entry(kind).or_default();
        *count += 1;
        if cases.len() < self.show {
            cases.push(case() + &theirs);
        }
    }

    /// Whether there is no case in which all judges agree and we differ.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in &self.counts {
            writeln!(f, "{count:10} {what}")?;
        }
        for (title, all) in
            [("all judges agree, tablepb differs", &self.differences), ("judges differ", &self.splits)]
        {
            writeln!(f, "\n{title}:")?;
            for (what, (count, cases)) in all {
                writeln!(f, "{count:10} {what}")?;
                cases.iter().try_for_each(|case| writeln!(f, "    {case}"))?;
            }
        }
        Ok(())
    }
}
