//! Functions as bytes, for plans that go to other processes.

use super::{Convert, Function, Shared};
use crate::entries::{self, Entry};
use datafusion::common::{not_impl_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::ScalarUDF;
use std::sync::Arc;
use tablepb::{DescriptorPool, Message};

#[derive(Clone, Debug, Default, PartialEq)]
struct Portable {
    descriptors: Vec<u8>,
    options: Vec<Entry>,
}

tablepb::message! {
    Portable as "tablepb.datafusion.Functions" {
        descriptors: bytes = 1,
        options: repeated message Entry = 2,
    }
}

/// The functions of [`register_functions`](super::register_functions) in one process, with the message types and options of another: for a codec that sends plans.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_datafusion::{FunctionSet, ProtobufOptions, register_functions};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let context = SessionContext::new();
/// register_functions(&context, &DescriptorPool::from_tables(&[&LOG])?, &ProtobufOptions::new());
///
/// let function = context.state().scalar_functions()["protobuf_decode"].clone();
/// let bytes = FunctionSet::bytes_of(&function).unwrap()?;
/// let again = FunctionSet::from_bytes(&bytes)?.function(function.name())?;
/// assert_eq!(again.name(), "protobuf_decode");
/// assert!(FunctionSet::bytes_of(&context.state().scalar_functions()["length"]).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FunctionSet {
    shared: Arc<Shared>,
}

impl FunctionSet {
    /// The bytes of the set that a function is of; `None` for other functions. They are a protobuf message with the descriptor set and the options; later versions read
    /// them too.
    ///
    /// # Errors
    /// Inside: the descriptor set is longer than a message may be, 2^31-1 bytes.
    #[must_use]
    pub fn bytes_of(function: &ScalarUDF) -> Option<Result<Vec<u8>>> {
        let function = function.inner().downcast_ref::<Function>()?;
        let Shared { pool, options } = &*function.shared;
        let set =
            pool.encode_to_vec().map(|descriptors| Portable { descriptors, options: entries::of(options) });
        Some(
            set.and_then(|set| set.encode_to_vec())
                .map_err(|error| DataFusionError::External(Box::new(error))),
        )
    }

    /// The set that [`bytes_of`](Self::bytes_of) made bytes of.
    ///
    /// # Errors
    /// The bytes are not valid, or have an option that this version does not know.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let set = match Portable::decode(bytes) {
            Ok(set) => set,
            Err(error) => return plan_err!("functions over protobuf: {error}"),
        };
        let pool = match DescriptorPool::decode(&set.descriptors) {
            Ok(pool) => pool,
            Err(error) => return plan_err!("functions over protobuf: {error}"),
        };
        let options = entries::options(&set.options)?;
        Ok(Self { shared: Arc::new(Shared { pool, options }) })
    }

    /// The function of this name.
    ///
    /// # Errors
    /// There is no such function.
    pub fn function(&self, name: &str) -> Result<Arc<ScalarUDF>> {
        let tries = name.starts_with("try_");
        let convert = Convert::ALL
            .into_iter()
            .find(|convert| name.strip_prefix("try_").unwrap_or(name) == convert.name());
        let Some(convert) = convert else { return not_impl_err!("there is no function {name}") };
        Ok(Arc::new(ScalarUDF::new_from_impl(Function::new(convert, tries, self.shared.clone()))))
    }
}
