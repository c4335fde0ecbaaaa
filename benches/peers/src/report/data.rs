//! Comma-separated values, as the measuring programs print them.

use std::error::Error;
use std::fs;
use std::path::Path;

/// A file of values.
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file, whose first line names the columns.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut lines = text.lines().filter(|line| !line.is_empty()).map(cells);
        let columns = lines.next().ok_or_else(|| format!("{}: empty", path.display()))?;
        let rows: Vec<Vec<String>> = lines.collect();
        match rows.iter().find(|row| row.len() != columns.len()) {
            Some(row) => Err(format!("{}: {row:?} does not fit {columns:?}", path.display()).into()),
            None => Ok(Self { columns, rows }),
        }
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }

    /// The rows with these values in these columns.
    pub fn with<'t>(&'t self, wanted: &[(&'t str, &str)]) -> Vec<Row<'t>> {
        self.rows().filter(|row| wanted.iter().all(|(column, value)| row.text(column) == *value)).collect()
    }

    /// The different values of a column, in the order of the file.
    pub fn values<'t>(&'t self, column: &str) -> Vec<&'t str> {
        distinct(self.rows().map(|row| row.text(column)))
    }
}

/// Each value once, in order.
pub fn distinct<'t>(values: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut all = Vec::new();
    values.for_each(|value| {
        if !all.contains(&value) {
            all.push(value);
        }
    });
    all
}

/// One line.
#[derive(Clone, Copy)]
pub struct Row<'t> {
    columns: &'t [String],
    cells: &'t [String],
}

impl<'t> Row<'t> {
    /// The value of a column, which a program of this repository prints.
    pub fn text(&self, column: &str) -> &'t str {
        let at = self.columns.iter().position(|name| name == column);
        at.map(|at| &*self.cells[at]).unwrap_or_else(|| panic!("no column {column} in {:?}", self.columns))
    }

    pub fn number(&self, column: &str) -> f64 {
        let text = self.text(column);
        text.parse().unwrap_or_else(|_| panic!("{column} is {text}, which is no number"))
    }
}

/// The cells of a line; those with commas are in quotation marks.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    cells
}

/// The geometric mean.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}
