//! [`Convert`]: what the functions do to an array.

use crate::nulls;
use crate::options::ProtobufOptions;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, new_null_array};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{exec_datafusion_err, exec_err, plan_datafusion_err, plan_err};
use datafusion::error::Result;
use std::sync::Arc;
use tablepb::MessageDescriptor;
use tablepb_arrow::{BadRows, ReaderBuilder, WriterBuilder, from_json, mapping, to_json};

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convert {
    Decode,
    Encode,
    ToJson,
    FromJson,
}

impl Convert {
    pub(super) const ALL: [Self; 4] = [Self::Decode, Self::Encode, Self::ToJson, Self::FromJson];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Decode => "protobuf_decode",
            Self::Encode => "protobuf_encode",
            Self::ToJson => "protobuf_to_json",
            Self::FromJson => "json_to_protobuf",
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
        }
    }

    /// Whether it takes as many literals.
    pub(super) fn takes(self, literals: usize) -> bool {
        literals == 1 || (self == Self::Decode && literals > 1)
    }

    /// The type of its result.
    pub(super) fn data_type(
        self,
        message: &MessageDescriptor,
        paths: &[&str],
        options: &ProtobufOptions,
    ) -> Result<DataType> {
        match self {
            Self::Decode => match mapping::schema(message, &options.mapping, paths) {
                // The struct may be null, and so may its fields.
                Ok(schema) => Ok(nulls::of_struct(&schema).data_type().clone()),
                Err(error) => plan_err!("the columns of {}: {error}", message.full_name()),
            },
            Self::Encode | Self::FromJson => Ok(DataType::Binary),
            Self::ToJson => Ok(DataType::Utf8),
        }
    }

    /// Converts an array; null for a bad value if `tries`.
    pub(super) fn run(
        self,
        values: &ArrayRef,
        message: &MessageDescriptor,
        paths: &[&str],
        (options, tries): (&ProtobufOptions, bool),
    ) -> Result<ArrayRef> {
        if values.data_type() == &DataType::Null {
            return Ok(new_null_array(&self.data_type(message, paths, options)?, values.len()));
        }
        let bad_rows = if tries { BadRows::Skip } else { BadRows::Fail };
        let wrong = |error| exec_datafusion_err!("{error}");
        match self {
            Self::Decode => decode(values, message, paths, (options, bad_rows)),
            Self::Encode => encode(values, message, tries),
            Self::ToJson => Ok(Arc::new(to_json(message, values, bad_rows).map_err(wrong)?)),
            Self::FromJson => Ok(Arc::new(from_json(message, values, bad_rows).map_err(wrong)?)),
        }
    }
}

fn decode(
    values: &ArrayRef,
    message: &MessageDescriptor,
    paths: &[&str],
    (options, bad_rows): (&ProtobufOptions, BadRows),
) -> Result<ArrayRef> {
    let reader =
        ReaderBuilder::new(message).projection(paths.iter().copied()).options(options.mapping.clone());
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
