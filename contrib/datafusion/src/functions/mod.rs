//! [`register_functions`]: messages in columns of bytes, by functions of SQL.

mod convert;
mod portable;
mod prune;

pub use portable::FunctionSet;

use crate::options::ProtobufOptions;
use convert::{Convert, Target};
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{ScalarValue, exec_err, internal_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::prelude::SessionContext;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use tablepb::DescriptorPool;

/// Makes functions over messages in columns known to a session. Types are those of the pool, by their full names; they and paths are literals.
///
/// | function | returns |
/// |---|---|
/// | `protobuf_decode(bytes, 'pkg.Type' [, 'path', ..])` | the message as a struct, of all fields or of these |
/// | `protobuf_encode(struct, 'pkg.Type')` | the message as `Binary`; fields are found by their names |
/// | `protobuf_to_json(bytes, 'pkg.Type')` | the message as ProtoJSON, `Utf8` |
/// | `json_to_protobuf(text, 'pkg.Type')` | the message of ProtoJSON, `Binary` |
/// | `confluent_payload(bytes)` | the message of a record in Confluent's framing, `Binary` |
/// | `confluent_schema_id(bytes)` | the id of its schema, `UInt32` |
///
/// Bytes are of any binary type of Arrow, text of any type of strings, dictionaries included. Null is null. A value that cannot be converted is an error; the functions
/// `try_protobuf_decode` and so on return null for it. The options say how fields become
/// columns; `fields`, `max_row_len` and `compression` do not count.
///
/// Where a query takes fields of a decoded message by `['name']`, and nothing else of it in the same part of the plan, only these are decoded: the others are
/// skipped on the wire, and their content is not checked.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_datafusion::{ProtobufOptions, register_functions};
///
/// static LOG: MessageTable = MessageTable::new(
///     "example.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
/// );
/// let context = SessionContext::new();
/// register_functions(&context, &DescriptorPool::from_tables(&[&LOG])?, &ProtobufOptions::new());
///
/// # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
/// let query = "SELECT protobuf_decode(message, 'example.Log')['level'] AS level
///              FROM (VALUES (X'0a0268691003'), (NULL)) AS topic (message)";
/// let batches = context.sql(query).await?.collect().await?;
/// let table = datafusion::arrow::util::pretty::pretty_format_batches(&batches)?.to_string();
/// assert!(table.contains("| 3     |"), "{table}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn register_functions(context: &SessionContext, pool: &DescriptorPool, options: &ProtobufOptions) {
    let shared = Arc::new(Shared { pool: pool.clone(), options: options.clone() });
    for convert in Convert::ALL {
        for tries in [false, true] {
            let function = Function::new(convert, tries, shared.clone());
            context.register_udf(ScalarUDF::new_from_impl(function));
        }
    }
    context.add_analyzer_rule(Arc::new(prune::Prune));
}

/// What all functions of a session have in common.
#[derive(Debug)]
struct Shared {
    pool: DescriptorPool,
    options: ProtobufOptions,
}

#[derive(Clone, Debug)]
struct Function {
    convert: Convert,
    /// Whether what cannot be converted is null.
    tries: bool,
    name: String,
    shared: Arc<Shared>,
    signature: Signature,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, Arc::as_ptr(&self.shared)).hash(state);
    }
}

impl Function {
    fn new(convert: Convert, tries: bool, shared: Arc<Shared>) -> Self {
        let name = format!("{}{}", if tries { "try_" } else { "" }, convert.name());
        Self { convert, tries, name, shared, signature: Signature::variadic_any(Volatility::Immutable) }
    }

    /// The message type and the paths of a call. The first argument is the value.
    fn target<'a>(&self, literals: impl IntoIterator<Item = Option<&'a ScalarValue>>) -> Result<Target<'a>> {
        let mut texts = Vec::new();
        for literal in literals.into_iter().skip(1) {
            match literal.and_then(|value| value.try_as_str().flatten()) {
                Some(text) => texts.push(text),
                None => return plan_err!("{}: the message type and paths are literal strings", self.name),
            }
        }
        if !self.convert.takes(texts.len()) {
            return plan_err!("{}: its arguments are {}", self.name, self.convert.arguments());
        }
        let Some((full_name, paths)) = texts.split_first() else {
            return Ok(Target { message: None, paths: Vec::new() });
        };
        match self.shared.pool.message(full_name) {
            Ok(message) => Ok(Target { message: Some(message), paths: paths.to_vec() }),
            Err(error) => plan_err!("{}: {error}", self.name),
        }
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("{}: its type depends on its arguments", self.name)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let target = self.target(args.scalar_arguments.iter().copied())?;
        let data_type = self.convert.data_type(&target, &self.shared.options)?;
        Ok(Arc::new(Field::new(self.name(), data_type, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let literals = args.args.iter().map(|argument| match argument {
            ColumnarValue::Scalar(value) => Some(value),
            ColumnarValue::Array(_) => None,
        });
        let target = self.target(literals)?;
        let Some(value) = args.args.first() else { return internal_err!("{}: no value", self.name) };
        // A constant is converted once.
        let (values, is_scalar): (ArrayRef, bool) = match value {
            ColumnarValue::Array(array) => (array.clone(), false),
            ColumnarValue::Scalar(scalar) => (scalar.to_array()?, true),
        };
        let converted = match self.convert.run(&values, &target, (&self.shared.options, self.tries)) {
            Ok(converted) => converted,
            Err(DataFusionError::Execution(error)) => return exec_err!("{}: {error}", self.name),
            Err(error) => return Err(error),
        };
        if is_scalar && converted.len() == 1 {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&converted, 0)?));
        }
        Ok(ColumnarValue::Array(converted))
    }
}
