//! The module `tablepb._tablepb` of the Python package `tablepb`: its stub file, `python/tablepb/__init__.pyi`, says what each call does.

#![deny(unsafe_code)]

mod column;
mod options;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(tablepb, TablepbError, PyValueError, "What is wrong with a schema, a message or a column.");

/// An error of the library as one of Python.
fn wrong(error: impl std::fmt::Display) -> PyErr {
    TablepbError::new_err(error.to_string())
}

/// The module.
#[pymodule]
mod _tablepb {
    #[pymodule_export]
    use super::TablepbError;
    #[pymodule_export]
    use super::column::Message;
    #[pymodule_export]
    use super::pool::Pool;
}

mod pool;
