//! Rows of cells: written as they come, or kept to be counted, sorted, or shown once.

use super::place::{Elements, Place, Row, Scalar};
use crate::failure::Failure;
use crate::source::Payload;
use std::collections::{HashMap, HashSet};
use std::io::Write;
use tablepb::{MessageDescriptor, ValueRef};

/// The most bytes of rows that are kept.
const MOST: usize = 512 << 20;
/// What a row takes beside its text.
const OVERHEAD: usize = 100;

/// What `--select` names.
struct Column {
    name: String,
    what: What,
}

enum What {
    Value(Place),
    Aggregate(Aggregate, Option<Place>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    Count,
    Sum,
    Min,
    Max,
    Avg,
}

const AGGREGATES: [(&str, Aggregate); 5] = [
    ("count(", Aggregate::Count),
    ("sum(", Aggregate::Sum),
    ("min(", Aggregate::Min),
    ("max(", Aggregate::Max),
    ("avg(", Aggregate::Avg),
];

/// What is known of a column of a group so far.
#[derive(Clone)]
struct Total {
    count: u64,
    sum: i128,
    float: f64,
    /// The least or the greatest value, and its cell.
    extreme: (Scalar, Vec<u8>),
}

/// A row that is kept: its cells, and what it is sorted by.
struct Kept {
    cells: Vec<Vec<u8>>,
    order: Vec<Scalar>,
}

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Csv,
    Ndjson,
    /// Aligned, for a person.
    Table,
}

/// What is asked for.
pub struct Wanted<'w> {
    pub select: &'w [&'w str],
    pub group_by: &'w [&'w str],
    pub order_by: &'w [&'w str],
    pub distinct: bool,
    pub limit: Option<u64>,
    pub form: Form,
}

/// The rows of a query.
pub struct Rows {
    columns: Vec<Column>,
    /// Of the columns, for groups: those that make a group.
    keys: Vec<usize>,
    grouped: bool,
    /// Of the columns, and whether the greatest is first.
    order: Vec<(usize, bool)>,
    distinct: bool,
    limit: Option<u64>,
    form: Form,
    written: u64,
    seen: HashSet<Vec<u8>>,
    groups: HashMap<Vec<u8>, (Kept, Vec<Total>)>,
    kept: Vec<Kept>,
    /// Lines whose widths are not known yet.
    table: Vec<Vec<String>>,
    bytes: usize,
    line: Vec<u8>,
}

impl Rows {
    pub fn new(
        schema: &MessageDescriptor,
        elements: Option<&Elements>,
        wanted: &Wanted<'_>,
    ) -> Result<Self, Failure> {
        let usage = |text: String| Err(Failure::Usage(text));
        let mut names: Vec<&str> = wanted.select.to_vec();
        if names.is_empty() {
            names.extend(wanted.group_by);
            if !names.is_empty() {
                names.push("count()");
            }
        }
        if names.is_empty() {
            return usage("--select is missing: rows need columns".into());
        }
        let columns = names.iter().map(|name| Column::new(schema, elements, name));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let grouped =
            !wanted.group_by.is_empty() || columns.iter().any(|c| matches!(c.what, What::Aggregate(..)));
        let at = |name: &str| columns.iter().position(|column| column.name == name);
        for (name, column) in names.iter().zip(&columns) {
            if grouped && matches!(column.what, What::Value(_)) && !wanted.group_by.contains(name) {
                return usage(format!("{name} is neither in --group-by nor in count, sum, min, max or avg"));
            }
        }
        let mut keys = Vec::new();
        for name in wanted.group_by {
            match at(name) {
                Some(key) => keys.push(key),
                None => return usage(format!("--group-by {name}: --select does not have it")),
            }
        }
        let mut order = Vec::new();
        for text in wanted.order_by {
            let (name, greatest) = match text.strip_suffix(" desc") {
                Some(name) => (name.trim(), true),
                None => (text.strip_suffix(" asc").unwrap_or(text).trim(), false),
            };
            match at(name) {
                Some(column) => order.push((column, greatest)),
                None => return usage(format!("--order-by {name}: --select does not have it")),
            }
        }
        let Wanted { distinct, limit, form, .. } = *wanted;
        Ok(Self {
            columns,
            keys,
            grouped,
            order,
            distinct,
            limit,
            form,
            written: 0,
            seen: HashSet::new(),
            groups: HashMap::new(),
            kept: Vec::new(),
            table: Vec::new(),
            bytes: 0,
            line: Vec::new(),
        })
    }

    /// The path of a column, without what is around it.
    pub fn path(name: &str) -> Option<&str> {
        let inner = AGGREGATES.iter().find_map(|(start, _)| name.strip_prefix(start)?.strip_suffix(')'));
        let path = inner.unwrap_or(name).trim();
        (!path.is_empty()).then_some(path)
    }

    /// Writes the names of the columns, if there is a line for them.
    pub fn head(&self, out: &mut impl Write) -> Result<(), Failure> {
        if self.form != Form::Csv {
            return Ok(());
        }
        let mut line = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            super::csv::append(index, column.name.as_bytes(), &mut line);
        }
        line.push(b'\n');
        Ok(out.write_all(&line)?)
    }

    /// Whether more rows would change nothing.
    pub fn is_full(&self) -> bool {
        !self.grouped && self.order.is_empty() && self.limit.is_some_and(|limit| self.written >= limit)
    }

    /// Takes a row.
    pub fn add(&mut self, payload: &Payload<'_>, row: Row<'_>, out: &mut impl Write) -> Result<(), Failure> {
        let fail = |error: tablepb::EncodeError| Failure::message(payload, format_args!("{error}"));
        if self.grouped {
            return self.count(row).map_err(fail)?;
        }
        if self.is_full() {
            return Ok(());
        }
        let alone = self.form != Form::Ndjson;
        let mut cells = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let mut cell = Vec::new();
            if let What::Value(place) = &column.what {
                place.append(row, alone, &mut cell).map_err(fail)?;
            }
            cells.push(cell);
        }
        if self.distinct && !self.is_new(&cells)? {
            return Ok(());
        }
        if self.order.is_empty() {
            return self.write(&cells, out);
        }
        let order = self.order.iter().map(|&(column, _)| match &self.columns[column].what {
            What::Value(place) => place.scalar(row),
            What::Aggregate(..) => Scalar::Unset,
        });
        let order = order.collect();
        self.keep(Kept { cells, order })
    }

    fn is_new(&mut self, cells: &[Vec<u8>]) -> Result<bool, Failure> {
        let key = key(cells.iter());
        let len = key.len();
        let new = self.seen.insert(key);
        if new {
            self.charge(len)?;
        }
        Ok(new)
    }

    fn charge(&mut self, len: usize) -> Result<(), Failure> {
        self.bytes += len + OVERHEAD;
        if self.bytes <= MOST {
            return Ok(());
        }
        Err(Failure::report(format!(
            "more than {} MiB of rows to keep: select less, or with --order-by set a --limit",
            MOST >> 20
        )))
    }

    fn keep(&mut self, kept: Kept) -> Result<(), Failure> {
        let len = |kept: &Kept| kept.cells.iter().map(|cell| cell.len() + 24).sum::<usize>();
        self.charge(len(&kept))?;
        self.kept.push(kept);
        // With a limit, not many more than that many are kept.
        if let Some(limit) = self.limit.and_then(|limit| usize::try_from(limit).ok())
            && self.kept.len() >= limit.saturating_mul(2).max(1000)
        {
            self.sort();
            self.kept.truncate(limit);
            self.bytes = self.kept.iter().map(|kept| len(kept) + OVERHEAD).sum();
        }
        Ok(())
    }

    /// Rows that are equal stay as they came.
    fn sort(&mut self) {
        let order = &self.order;
        self.kept.sort_by(|a, b| {
            let each = order.iter().enumerate().map(|(at, &(_, greatest))| {
                let found = a.order[at].compare(&b.order[at]);
                if greatest { found.reverse() } else { found }
            });
            each.into_iter().find(|found| found.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
    }

    /// Adds a row to its group. The outer error is of its cells.
    fn count(&mut self, row: Row<'_>) -> Result<Result<(), Failure>, tablepb::EncodeError> {
        let alone = self.form != Form::Ndjson;
        self.line.clear();
        for &key in &self.keys {
            if let What::Value(place) = &self.columns[key].what {
                place.append_key(row, &mut self.line)?;
            }
        }
        if !self.groups.contains_key(&self.line) {
            let group = self.group(row)?;
            let len = 2 * self.line.len() + self.columns.len() * size_of::<Total>();
            if let Err(failure) = self.charge(len) {
                return Ok(Err(failure));
            }
            self.groups.insert(self.line.clone(), (group, vec![Total::new(); self.columns.len()]));
        }
        let Some((_, totals)) = self.groups.get_mut(&self.line) else { return Ok(Ok(())) };
        for (total, column) in totals.iter_mut().zip(&self.columns) {
            if let What::Aggregate(aggregate, place) = &column.what {
                total.add(*aggregate, place.as_ref(), row, alone)?;
            }
        }
        Ok(Ok(()))
    }

    /// The cells of a group, by a row of it.
    fn group(&self, row: Row<'_>) -> Result<Kept, tablepb::EncodeError> {
        let mut cells = vec![Vec::new(); self.columns.len()];
        let mut order = vec![Scalar::Unset; self.columns.len()];
        for ((cell, order), column) in cells.iter_mut().zip(&mut order).zip(&self.columns) {
            if let What::Value(place) = &column.what {
                place.append(row, self.form != Form::Ndjson, cell)?;
                *order = place.scalar(row);
            }
        }
        Ok(Kept { cells, order })
    }

    /// Writes what was kept.
    pub fn finish(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        if self.grouped {
            self.end_groups();
        }
        self.sort();
        for kept in std::mem::take(&mut self.kept) {
            if self.limit.is_some_and(|limit| self.written >= limit) {
                break;
            }
            self.write(&kept.cells, out)?;
        }
        if self.form == Form::Table { self.write_table(out) } else { Ok(()) }
    }

    /// Columns two spaces apart, numbers on the right.
    fn write_table(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        let head = self.columns.iter().map(|column| column.name.clone()).collect();
        let lines: Vec<Vec<String>> = [head].into_iter().chain(std::mem::take(&mut self.table)).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let number = |text: &String| text.is_empty() || text.parse::<f64>().is_ok();
        let columns = 0..self.columns.len();
        let shape: Vec<(usize, bool)> = columns
            .map(|column| (width(column), lines.iter().skip(1).all(|line| number(&line[column]))))
            .collect();
        for line in &lines {
            let mut text = String::new();
            for (cell, &(width, right)) in line.iter().zip(&shape) {
                let space = " ".repeat(width - cell.chars().count());
                let (before, after) = if right { (&*space, "") } else { ("", &*space) };
                text.push_str(&format!("{before}{cell}{after}  "));
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        Ok(())
    }

    /// Groups become rows, in the order of their keys.
    fn end_groups(&mut self) {
        let mut groups: Vec<_> = std::mem::take(&mut self.groups).into_iter().collect();
        // Without keys there is one group, even of no rows.
        if groups.is_empty() && self.keys.is_empty() {
            let count = self.columns.len();
            let kept = Kept { cells: vec![Vec::new(); count], order: vec![Scalar::Unset; count] };
            groups.push((Vec::new(), (kept, vec![Total::new(); count])));
        }
        let keys = &self.keys;
        groups.sort_by(|(_, (a, _)), (_, (b, _))| {
            let each = keys.iter().map(|&key| a.order[key].compare(&b.order[key]));
            { each }.find(|found| found.is_ne()).unwrap_or_else(|| a.cells.cmp(&b.cells))
        });
        for (_, (mut kept, totals)) in groups {
            for (at, (column, total)) in self.columns.iter().zip(totals).enumerate() {
                if let What::Aggregate(aggregate, _) = column.what {
                    (kept.order[at], kept.cells[at]) = total.end(aggregate, self.form);
                }
            }
            kept.order = self.order.iter().map(|&(column, _)| kept.order[column].clone()).collect();
            if self.distinct && !self.seen.insert(key(kept.cells.iter())) {
                continue;
            }
            self.kept.push(kept);
        }
    }

    fn write(&mut self, cells: &[Vec<u8>], out: &mut impl Write) -> Result<(), Failure> {
        self.written += 1;
        if self.form == Form::Table {
            self.charge(cells.iter().map(|cell| cell.len() + 24).sum())?;
            // Text for a terminal, on which other characters would do something.
            let shown = |cell: &Vec<u8>| {
                let text = String::from_utf8_lossy(cell).into_owned();
                if text.contains(char::is_control) { text.escape_debug().to_string() } else { text }
            };
            self.table.push(cells.iter().map(shown).collect());
            return Ok(());
        }
        let line = &mut self.line;
        line.clear();
        for (index, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            if self.form == Form::Csv {
                super::csv::append(index, cell, line);
                continue;
            }
            line.push(if index == 0 { b'{' } else { b',' });
            super::cell::json_string(&column.name, line);
            line.push(b':');
            line.extend(cell);
        }
        line.extend_from_slice(if self.form == Form::Csv { b"\n" } else { b"}\n" });
        Ok(out.write_all(line)?)
    }
}

impl Column {
    fn new(schema: &MessageDescriptor, elements: Option<&Elements>, name: &str) -> Result<Self, Failure> {
        let found = AGGREGATES.iter().find(|(start, _)| name.starts_with(start) && name.ends_with(')'));
        let place = Rows::path(name).map(|path| Place::new(schema, path, elements)).transpose()?;
        let what = match (found, place) {
            (Some((_, Aggregate::Count)), place) => What::Aggregate(Aggregate::Count, place),
            (Some(&(_, aggregate)), Some(place)) => {
                let numbers = matches!(aggregate, Aggregate::Sum | Aggregate::Avg);
                if numbers && !is_number(&place) {
                    return Err(Failure::Usage(format!("{name}: the field is no number")));
                }
                What::Aggregate(aggregate, Some(place))
            }
            (None, Some(place)) => What::Value(place),
            (_, None) => return Err(Failure::Usage(format!("{name:?}: a path was expected"))),
        };
        Ok(Self { name: name.to_owned(), what })
    }
}

fn is_number(place: &Place) -> bool {
    use tablepb::table::Kind;
    !matches!(place.kind, Kind::Bool | Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Enum(_))
}

/// Cells that are told apart from all others.
fn key<'c>(cells: impl Iterator<Item = &'c Vec<u8>>) -> Vec<u8> {
    let mut key = Vec::new();
    for cell in cells {
        key.extend(cell.len().to_le_bytes());
        key.extend(cell);
    }
    key
}

impl Total {
    fn new() -> Self {
        Self { count: 0, sum: 0, float: 0.0, extreme: (Scalar::Unset, Vec::new()) }
    }

    /// Adds the values of a row: those that are set.
    fn add(
        &mut self,
        aggregate: Aggregate,
        place: Option<&Place>,
        row: Row<'_>,
        alone: bool,
    ) -> Result<(), tablepb::EncodeError> {
        let Some(place) = place else {
            self.count += 1;
            return Ok(());
        };
        if !place.several {
            return place.value(row).map_or(Ok(()), |value| self.add_value(aggregate, place, value, alone));
        }
        let mut failed = None;
        place.any(row, |value| {
            failed = self.add_value(aggregate, place, value, alone).err();
            failed.is_some()
        });
        failed.map_or(Ok(()), Err)
    }

    fn add_value(
        &mut self,
        aggregate: Aggregate,
        place: &Place,
        value: ValueRef<'_, '_>,
        alone: bool,
    ) -> Result<(), tablepb::EncodeError> {
        self.count += 1;
        if aggregate == Aggregate::Count {
            return Ok(());
        }
        match (Scalar::of(value), aggregate) {
            (Scalar::Integer(value), Aggregate::Sum | Aggregate::Avg) => {
                self.sum = self.sum.saturating_add(value);
            }
            (Scalar::Float(value), Aggregate::Sum | Aggregate::Avg) => self.float += value,
            (scalar, Aggregate::Min | Aggregate::Max) => {
                let order = scalar.compare(&self.extreme.0);
                let better = if aggregate == Aggregate::Min { order.is_lt() } else { order.is_gt() };
                if better || self.extreme.0 == Scalar::Unset {
                    let mut cell = Vec::new();
                    place.append_one(value, alone, &mut cell)?;
                    self.extreme = (scalar, cell);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The result, to sort by and to write.
    fn end(self, aggregate: Aggregate, form: Form) -> (Scalar, Vec<u8>) {
        let none = || (Scalar::Unset, if form == Form::Ndjson { b"null".to_vec() } else { Vec::new() });
        let float = |value: f64| {
            let mut cell = Vec::new();
            super::cell::append(
                &tablepb::table::Kind::Double,
                ValueRef::F64(value),
                form == Form::Csv,
                &mut cell,
            );
            (Scalar::Float(value), cell)
        };
        match aggregate {
            Aggregate::Count => (Scalar::Integer(self.count.into()), self.count.to_string().into_bytes()),
            Aggregate::Min | Aggregate::Max if self.extreme.0 == Scalar::Unset => none(),
            Aggregate::Min | Aggregate::Max => self.extreme,
            Aggregate::Avg if self.count == 0 => none(),
            Aggregate::Avg => float((self.sum as f64 + self.float) / self.count as f64),
            Aggregate::Sum if self.float != 0.0 => float(self.float + self.sum as f64),
            Aggregate::Sum => (Scalar::Integer(self.sum), self.sum.to_string().into_bytes()),
        }
    }
}
