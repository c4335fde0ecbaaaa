//! [`Mapping`]: how fields become columns, as keyword arguments.

use crate::wrong;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use tablepb::MessageDescriptor;
use tablepb_arrow::mapping::{MappingErrorKind, Options};
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
        // The preset sets what others change.
        if let Some(preset) = arguments.get_item("preset")? {
            mapping.set("preset", &preset, decodes)?;
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
        match name {
            "fields" => self.fields = value.extract()?,
            "threads" if decodes => {
                let threads: usize = value.extract()?;
                if threads > 0 {
                    self.threads = threads;
                }
            }
            "bad_rows" if decodes => {
                self.bad_rows = match value.extract::<String>()?.as_str() {
                    "fail" => BadRows::Fail,
                    "null" => BadRows::Skip,
                    "error" => BadRows::Null,
                    other => {
                        return Err(wrong(format!("bad_rows is 'fail', 'null' or 'error', not '{other}'")));
                    }
                };
            }
            "json" => self.options = self.options.clone().json(value.extract::<Vec<String>>()?),
            "bytes" => self.options = self.options.clone().bytes(value.extract::<Vec<String>>()?),
            _ => self.set_by_name(name, value)?,
        }
        Ok(())
    }

    /// An option that SQL has too, by the same name.
    fn set_by_name(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match value.is_instance_of::<PyBool>() {
            true => value.extract::<bool>()?.to_string(),
            false => value.str()?.to_string(),
        };
        self.options.set(name, &text).map_err(|error| match error.kind() {
            MappingErrorKind::NoSuchOption => PyTypeError::new_err(format!("there is no argument {name}")),
            _ => wrong(error.to_string()),
        })
    }

    /// What decodes with these options.
    pub(crate) fn reader(self, message: &MessageDescriptor) -> ReaderBuilder {
        let Self { fields, options, bad_rows, threads } = self;
        ReaderBuilder::new(message).projection(fields).options(options).bad_rows(bad_rows).threads(threads)
    }
}
