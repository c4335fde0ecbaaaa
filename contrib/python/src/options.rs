//! [`Mapping`]: how fields become columns, as keyword arguments.

use crate::wrong;
use arrow_schema::TimeUnit;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablepb::MessageDescriptor;
use tablepb_arrow::mapping::{Enums, Oneofs, Options};
use tablepb_arrow::{BadRows, ReaderBuilder};

/// The keyword arguments that `schema` and `decode` share.
#[derive(Default)]
pub(crate) struct Mapping {
    fields: Vec<String>,
    options: Options,
    bad_rows: BadRows,
    threads: usize,
}

impl Mapping {
    /// Reads keyword arguments; those of a decode too, if `decodes`.
    pub(crate) fn new(arguments: Option<&Bound<'_, PyDict>>, decodes: bool) -> PyResult<Self> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if decodes { all } else { 1 };
        let mut mapping = Self { options: Options::portable(), threads, ..Self::default() };
        let Some(arguments) = arguments else { return Ok(mapping) };
        // First, for the others choose beside it.
        if let Some(preset) = arguments.get_item("preset")? {
            mapping.options = match preset.extract::<String>()?.as_str() {
                "portable" => Options::portable(),
                "arrow" => Options::arrow(),
                other => return Err(unknown("preset", other)),
            };
        }
        for (name, value) in arguments {
            let name = name.extract::<String>()?;
            // None is the default of everything.
            if name != "preset" && !value.is_none() {
                mapping.set(&name, &value, decodes)?;
            }
        }
        Ok(mapping)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>, decodes: bool) -> PyResult<()> {
        let options = std::mem::take(&mut self.options);
        let text = || value.extract::<String>();
        self.options = match name {
            "fields" => {
                self.fields = value.extract()?;
                options
            }
            "enums" => options.enums(match text()?.as_str() {
                "number" => Enums::Number,
                "name" => Enums::Name,
                "dictionary" => Enums::Dictionary,
                other => return Err(unknown(name, other)),
            }),
            "oneofs" => options.oneofs(match text()?.as_str() {
                "columns" => Oneofs::Columns,
                "union" => Oneofs::Union,
                other => return Err(unknown(name, other)),
            }),
            "time_unit" => options.time_unit(match text()?.as_str() {
                "s" => TimeUnit::Second,
                "ms" => TimeUnit::Millisecond,
                "us" => TimeUnit::Microsecond,
                "ns" => TimeUnit::Nanosecond,
                other => return Err(unknown(name, other)),
            }),
            "well_known" => options.well_known(value.extract()?),
            "views" => options.views(value.extract()?),
            "unknown_fields" => options.unknown_fields(value.extract()?),
            "recursion" => options.recursion(value.extract()?),
            "json_fields" => options.json(value.extract::<Vec<String>>()?),
            "bytes_fields" => options.bytes(value.extract::<Vec<String>>()?),
            "threads" if decodes => {
                let threads: usize = value.extract()?;
                if threads > 0 {
                    self.threads = threads;
                }
                options
            }
            "bad_rows" if decodes => {
                self.bad_rows = match text()?.as_str() {
                    "fail" => BadRows::Fail,
                    "null" => BadRows::Skip,
                    "error" => BadRows::Null,
                    other => return Err(unknown(name, other)),
                };
                options
            }
            _ => {
                let text = format!("there is no argument {name}");
                return Err(pyo3::exceptions::PyTypeError::new_err(text));
            }
        };
        Ok(())
    }

    /// What decodes with these options.
    pub(crate) fn reader(self, message: &MessageDescriptor) -> ReaderBuilder {
        let Self { fields, options, bad_rows, threads } = self;
        ReaderBuilder::new(message).projection(fields).options(options).bad_rows(bad_rows).threads(threads)
    }
}

fn unknown(name: &str, value: &str) -> PyErr {
    wrong(format!("{name} may not be {value:?}"))
}
