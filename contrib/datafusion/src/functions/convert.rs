//! [`Convert`]: what the functions do to an array.

use crate::nulls;
use crate::options::ProtobufOptions;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, UInt32Array, new_null_array};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{
    exec_datafusion_err, exec_err, internal_datafusion_err, plan_datafusion_err, plan_err,
};
use datafusion::error::Result;
use std::sync::Arc;
use tablepb::MessageDescriptor;
use tablepb::stream::confluent;
use tablepb_arrow::{BadRows, Messages, ReaderBuilder, WriterBuilder, from_json, mapping, to_json};

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convert {
    Decode,
    Encode,
    ToJson,
    FromJson,
    /// The message of a record in Confluent's framing, and the id of its schema.
    Payload,
    SchemaId,
}

impl Convert {
    pub(super) const ALL: [Self; 6] =
        [Self::Decode, Self::Encode, Self::ToJson, Self::FromJson, Self::Payload, Self::SchemaId];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Decode => "protobuf_decode",
            Self::Encode => "protobuf_encode",
            Self::ToJson => "protobuf_to_json",
            Self::FromJson => "json_to_protobuf",
            Self::Payload => "confluent_payload",
            Self::SchemaId => "confluent_schema_id",
        }
    }

    /// What its arguments are, for people.
    pub(super) fn arguments(self) -> &'static str {
        match self {
            Self::Decode => {
                "bytes, the full name of a message type, and paths of fields, if not all are wanted"
            }
            Self::Encode => "a struct and the full name of a message type",
            Self::ToJson => "bytes and the full name of a message type",
            Self::FromJson => "text and the full name of a message type",
            Self::Payload | Self::SchemaId => "bytes",
        }
    }

    /// Whether it takes as many literals.
    pub(super) fn takes(self, literals: usize) -> bool {
        literals == usize::from(self.has_type()) || (self == Self::Decode && literals > 1)
    }

    /// Whether the first literal is a message type.
    pub(super) fn has_type(self) -> bool {
        !matches!(self, Self::Payload | Self::SchemaId)
    }

    /// The type of its result.
    pub(super) fn data_type(self, target: &Target<'_>, options: &ProtobufOptions) -> Result<DataType> {
        match self {
            Self::Decode => match mapping::schema(target.message()?, &options.mapping, &target.paths) {
                // The struct may be null, and so may its fields.
                Ok(schema) => Ok(nulls::of_struct(&schema).data_type().clone()),
                Err(error) => plan_err!("the columns of {}: {error}", target.message()?.full_name()),
            },
            Self::Encode | Self::FromJson | Self::Payload => Ok(DataType::Binary),
            Self::ToJson => Ok(DataType::Utf8),
            Self::SchemaId => Ok(DataType::UInt32),
        }
    }

    /// Converts an array; null for a bad value if `tries`.
    pub(super) fn run(
        self,
        values: &ArrayRef,
        target: &Target<'_>,
        (options, tries): (&ProtobufOptions, bool),
    ) -> Result<ArrayRef> {
        if values.data_type() == &DataType::Null {
            return Ok(new_null_array(&self.data_type(target, options)?, values.len()));
        }
        let bad_rows = if tries { BadRows::Skip } else { BadRows::Fail };
        let wrong = |error| exec_datafusion_err!("{error}");
        match self {
            Self::Decode => decode(values, target, (options, bad_rows)),
            Self::Encode => encode(values, target.message()?, tries),
            Self::ToJson => Ok(Arc::new(to_json(target.message()?, values, bad_rows).map_err(wrong)?)),
            Self::FromJson => Ok(Arc::new(from_json(target.message()?, values, bad_rows).map_err(wrong)?)),
            Self::Payload => {
                let payloads = records(&Messages::new(values).map_err(wrong)?, tries)?;
                let payloads = payloads.into_iter().map(|record| record.map(|record| record.payload));
                Ok(Arc::new(payloads.collect::<BinaryArray>()))
            }
            Self::SchemaId => {
                let ids = records(&Messages::new(values).map_err(wrong)?, tries)?.into_iter();
                Ok(Arc::new(ids.map(|record| record.map(|record| record.schema_id)).collect::<UInt32Array>()))
            }
        }
    }
}

/// What the literals of a call say.
pub(super) struct Target<'a> {
    /// The message type, of functions that have one.
    pub(super) message: Option<MessageDescriptor>,
    pub(super) paths: Vec<&'a str>,
}

impl Target<'_> {
    fn message(&self) -> Result<&MessageDescriptor> {
        self.message.as_ref().ok_or_else(|| internal_datafusion_err!("a call without a message type"))
    }
}

/// Records in Confluent's framing.
fn records<'a>(values: &Messages<'a>, tries: bool) -> Result<Vec<Option<confluent::Record<'a>>>> {
    let record = |row| match values.get(row).map(confluent::read_record) {
        None => Ok(None),
        Some(Ok(record)) => Ok(Some(record)),
        Some(Err(_)) if tries => Ok(None),
        Some(Err(error)) => exec_err!("row {row}: {error}"),
    };
    (0..values.len()).map(record).collect()
}

fn decode(
    values: &ArrayRef,
    target: &Target<'_>,
    (options, bad_rows): (&ProtobufOptions, BadRows),
) -> Result<ArrayRef> {
    let reader = ReaderBuilder::new(target.message()?)
        .projection(target.paths.iter().copied())
        .options(options.mapping.clone());
    let mut decoder =
        reader.bad_rows(bad_rows).build_array_decoder().map_err(|error| plan_datafusion_err!("{error}"))?;
    let structs = decoder.decode(values).map_err(|error| exec_datafusion_err!("{error}"))?;
    let field = nulls::of_struct(&Schema::new(structs.fields().clone()));
    Ok(nulls::column(&(Arc::new(structs) as ArrayRef), &field, None)?)
}

fn encode(values: &ArrayRef, message: &MessageDescriptor, tries: bool) -> Result<ArrayRef> {
    let Some(structs) = values.as_struct_opt() else {
        return exec_err!("a value of type {}, and not a struct", values.data_type());
    };
    let schema = Arc::new(Schema::new(structs.fields().clone()));
    let writer = WriterBuilder::new(message).skip_bad_rows(tries).build(&schema);
    let mut writer = writer.map_err(|error| exec_datafusion_err!("{error}"))?;
    let encoded = writer.encode_array(structs).map_err(|error| exec_datafusion_err!("{error}"))?;
    Ok(Arc::new(encoded))
}
