//! [`Pool`].

use crate::column::Message;
use crate::wrong;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tablepb::DescriptorPool;
use tablepb_schema::SourceBuilder;

/// The types of some schemas.
#[pyclass(module = "tablepb", frozen)]
pub(crate) struct Pool(DescriptorPool);

/// One source, or several by name.
#[derive(FromPyObject)]
enum Sources {
    One(String),
    Named(BTreeMap<String, String>),
}

#[pymethods]
impl Pool {
    #[staticmethod]
    fn from_proto(py: Python<'_>, source: Sources) -> PyResult<Self> {
        let sources = match source {
            Sources::One(source) => BTreeMap::from([("schema.proto".to_owned(), source)]),
            Sources::Named(sources) => sources,
        };
        py.detach(|| {
            let builder =
                sources.iter().fold(SourceBuilder::new(), |builder, (name, text)| builder.source(name, text));
            builder.build().map(Self).map_err(wrong)
        })
    }

    #[staticmethod]
    #[pyo3(signature = (files, includes = Vec::new()))]
    fn from_files(py: Python<'_>, files: Vec<String>, includes: Vec<PathBuf>) -> PyResult<Self> {
        let includes = if includes.is_empty() { vec![PathBuf::from(".")] } else { includes };
        py.detach(|| {
            let builder =
                includes.iter().fold(SourceBuilder::new(), |builder, directory| builder.include(directory));
            files.iter().fold(builder, |builder, file| builder.file(file)).build().map(Self).map_err(wrong)
        })
    }

    #[staticmethod]
    fn from_descriptor_set(py: Python<'_>, data: Vec<u8>) -> PyResult<Self> {
        py.detach(|| DescriptorPool::decode(&data[..]).map(Self).map_err(wrong))
    }

    fn message(&self, full_name: &str) -> PyResult<Message> {
        let found = self.0.message(full_name);
        found.map(Message::new).map_err(|error| PyKeyError::new_err(error.to_string()))
    }

    fn messages(&self) -> Vec<String> {
        self.0
            .all_messages()
            .filter(|message| !message.is_map_entry())
            .map(|message| message.full_name().to_owned())
            .collect()
    }
}
