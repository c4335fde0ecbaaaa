//! [`Names`], [`Dictionary`]: columns of enums with names.

use super::numbers::{Growth, Numbers};
use super::texts::Texts;
use super::views::Source;
use super::zeros::Zeros;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, StringArray};
use arrow_schema::ArrowError;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use tablepb::EnumDescriptor;

/// The names of an enum: one for each number, in the order of the schema. All columns of the enum share them.
#[derive(Debug)]
pub(crate) struct Listed {
    names: Vec<String>,
    by_number: HashMap<i32, usize>,
    /// The names as the values of a dictionary, once one has no others.
    values: OnceLock<ArrayRef>,
}

impl Listed {
    pub(crate) fn new(descriptor: &EnumDescriptor) -> Self {
        let (mut names, mut by_number) = (Vec::new(), HashMap::new());
        for value in descriptor.values() {
            by_number.entry(value.number()).or_insert_with(|| {
                names.push(value.name().to_owned());
                names.len() - 1
            });
        }
        Self { names, by_number, values: OnceLock::new() }
    }
}

/// A column of the names of enum values.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) texts: Texts,
    listed: Arc<Listed>,
}

impl Names {
    pub(crate) fn new(
        listed: Arc<Listed>,
        default: i32,
        views: bool,
        nullable: bool,
        growth: Growth,
    ) -> Self {
        let mut this = Self { texts: Texts::new(views, nullable, b"", growth), listed };
        let name = this.name(default).into_owned();
        this.texts = Texts::new(views, nullable, name.as_bytes(), growth);
        this
    }

    /// The length of the name in rows that are left out.
    pub(crate) fn default_len(&self) -> usize {
        self.texts.default_len()
    }

    fn name(&self, number: i32) -> std::borrow::Cow<'_, str> {
        match self.listed.by_number.get(&number).and_then(|&at| self.listed.names.get(at)) {
            Some(name) => name.as_str().into(),
            None => number.to_string().into(),
        }
    }

    /// Sets the value of a row. Gives the bytes that were copied for it; `None` if there is no room.
    ///
    /// With views, a name is copied once for a batch: an enum of one byte in a packed run may have a name of any length.
    pub(crate) fn set(&mut self, row: usize, number: i32) -> Option<usize> {
        if let Some(&at) = self.listed.by_number.get(&number)
            && let Some(name) = self.listed.names.get(at)
        {
            return self.texts.set_shared(row, name, at);
        }
        let text = number.to_string();
        self.texts.set_str(row, &text, Source::Copied).then_some(text.len())
    }
}

/// About as many bytes does a number take that the enum does not list: its text, and its place among the others.
const ADDED: usize = 96;

/// A column of enum values as a dictionary.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    pub(crate) keys: Numbers<i32>,
    listed: Arc<Listed>,
    /// The numbers that were added, and the rows that they came with.
    added: Vec<(i32, usize)>,
    /// Their texts, and their places among all names.
    names: Vec<String>,
    by_number: HashMap<i32, usize>,
}

impl Dictionary {
    pub(crate) fn new(listed: Arc<Listed>, default: i32, nullable: bool, growth: Growth) -> Self {
        let default = listed.by_number.get(&default).map_or(0, |&at| at as i32);
        let keys = Numbers::new(nullable, default, growth);
        Self { keys, listed, added: Vec::new(), names: Vec::new(), by_number: HashMap::new() }
    }

    /// Sets the value of a row. Gives the bytes that were added for it beside the row.
    pub(crate) fn set(&mut self, row: usize, number: i32) -> usize {
        if let Some(&key) = self.listed.by_number.get(&number).or_else(|| self.by_number.get(&number)) {
            self.keys.set(row, key as i32);
            return 0;
        }
        let key = self.listed.names.len() + self.names.len();
        self.names.push(number.to_string());
        self.added.push((number, row));
        self.by_number.insert(number, key);
        self.keys.set(row, key as i32);
        ADDED
    }

    /// Takes back the rows from `rows` on, and the numbers that came with them.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.keys.truncate(rows);
        while let Some((number, _)) = self.added.pop_if(|(_, row)| *row >= rows) {
            self.by_number.remove(&number);
        }
        self.names.truncate(self.added.len());
    }

    /// The bytes that it takes in a batch of this many rows.
    pub(crate) fn size(&self, rows: usize) -> usize {
        self.keys.size(rows) + self.added.len() * ADDED
    }

    /// The column with this many rows; an empty one stays.
    ///
    /// # Errors
    /// If Arrow refuses the values.
    pub(crate) fn take(&mut self, rows: usize, zeros: &mut Zeros) -> Result<ArrayRef, ArrowError> {
        let keys = self.keys.take::<Int32Type>(rows, zeros);
        let all = || Arc::new(StringArray::from_iter_values(self.listed.names.iter().chain(&self.names)));
        let values: ArrayRef = match self.names.is_empty() {
            true => self.listed.values.get_or_init(|| all()).clone(),
            false => all(),
        };
        self.truncate(0);
        Ok(Arc::new(DictionaryArray::try_new(keys, values)?))
    }
}
