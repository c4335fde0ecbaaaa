//! Messages as columns, in files of Arrow and Parquet (feature `arrow`).

use crate::failure::Failure;
use crate::source::Payload;
use clap::ArgMatches;
use std::io::Write;
use tablepb::MessageDescriptor;

/// A file of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file of Arrow's IPC format, with a footer.
    Arrow,
    /// The stream of it.
    Stream,
    Parquet,
}

/// The names in `--to`.
pub const NAMES: [(&str, Form); 3] =
    [("arrow", Form::Arrow), ("arrow-stream", Form::Stream), ("parquet", Form::Parquet)];

/// What `--help` says about them.
pub const HELP: &str = "\
As output also arrow, arrow-stream and parquet, in builds with the feature `arrow`: a column for each
field, with the names of enums, times as times, and JSON for messages in messages of their own type.";

/// The form that `--to` names, if it is one of columns.
pub fn form(matches: &ArgMatches) -> Option<Form> {
    let name = matches.get_one::<String>("to")?;
    NAMES.iter().find(|(known, _)| known == name).map(|(_, form)| *form)
}

#[cfg(feature = "arrow")]
pub use with_arrow::Columns;
#[cfg(not(feature = "arrow"))]
pub use without::Columns;

#[cfg(not(feature = "arrow"))]
mod without {
    use super::*;

    /// Nothing, in this build.
    pub enum Columns {}

    impl Columns {
        pub fn new(_: &MessageDescriptor, _: &[&str], _: Form) -> Result<Self, Failure> {
            Err(Failure::Usage("--to: columns are written by builds with the feature `arrow` only".into()))
        }

        pub fn add(&mut self, _: &Payload<'_>, _: &mut impl Write) -> Result<(), Failure> {
            match *self {}
        }

        pub fn finish(self, _: &mut impl Write) -> Result<(), Failure> {
            match self {}
        }
    }
}

#[cfg(feature = "arrow")]
mod with_arrow {
    use super::*;
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Compression;
    use parquet::file::properties::WriterProperties;
    use std::io;
    use std::sync::{Arc, Mutex, PoisonError};
    use tablepb_arrow::mapping::Options;
    use tablepb_arrow::{Decoder, ReaderBuilder};

    /// How large a row group of Parquet becomes in memory.
    const GROUP: usize = 64 << 20;

    /// Writes messages as rows.
    pub struct Columns {
        decoder: Decoder,
        writer: Writer,
        written: Pipe,
    }

    enum Writer {
        Arrow(FileWriter<Pipe>),
        Stream(StreamWriter<Pipe>),
        Parquet(Box<ArrowWriter<Pipe>>),
    }

    /// What a writer has written and the target has not: a target may be standard output, which stays on its thread.
    #[derive(Clone, Default)]
    struct Pipe(Arc<Mutex<Vec<u8>>>);

    impl Pipe {
        fn take(&self) -> Vec<u8> {
            std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
        }
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn fail(error: impl std::fmt::Display) -> Failure {
        Failure::report(error.to_string())
    }

    impl Columns {
        /// Columns of these fields, or of all.
        pub fn new(schema: &MessageDescriptor, paths: &[&str], form: Form) -> Result<Self, Failure> {
            // Views are not read by all that read Parquet. Nothing of a time is lost: one that does not fit is a bad message.
            let mut options = Options::portable().views(form != Form::Parquet);
            options.set("time_unit", "nanosecond").map_err(fail)?;
            let builder = ReaderBuilder::new(schema).options(options).projection(paths.iter().copied());
            let decoder =
                builder.build_decoder().map_err(|error| Failure::Usage(format!("as columns: {error}")))?;
            let (schema, written) = (decoder.schema(), Pipe::default());
            let writer = match form {
                Form::Arrow => Writer::Arrow(FileWriter::try_new(written.clone(), &schema).map_err(fail)?),
                Form::Stream => {
                    Writer::Stream(StreamWriter::try_new(written.clone(), &schema).map_err(fail)?)
                }
                Form::Parquet => {
                    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                    let writer = ArrowWriter::try_new(written.clone(), schema, Some(properties));
                    Writer::Parquet(Box::new(writer.map_err(fail)?))
                }
            };
            Ok(Self { decoder, writer, written })
        }

        /// Takes a message.
        pub fn add(&mut self, payload: &Payload<'_>, out: &mut impl Write) -> Result<(), Failure> {
            loop {
                let taken = self.decoder.push(payload.bytes);
                if taken.map_err(|error| Failure::message(payload, format_args!("{error}")))? {
                    return Ok(());
                }
                self.flush(out)?;
            }
        }

        fn flush(&mut self, out: &mut impl Write) -> Result<(), Failure> {
            if let Some(batch) = self.decoder.flush().map_err(fail)? {
                match &mut self.writer {
                    Writer::Arrow(writer) => writer.write(&batch).map_err(fail)?,
                    Writer::Stream(writer) => writer.write(&batch).map_err(fail)?,
                    Writer::Parquet(writer) => {
                        writer.write(&batch).map_err(fail)?;
                        if writer.in_progress_size() >= GROUP {
                            writer.flush().map_err(fail)?;
                        }
                    }
                }
            }
            Ok(out.write_all(&self.written.take())?)
        }

        /// Writes the rest, and the end of the file.
        pub fn finish(mut self, out: &mut impl Write) -> Result<(), Failure> {
            self.flush(out)?;
            match self.writer {
                Writer::Arrow(mut writer) => writer.finish().map_err(fail)?,
                Writer::Stream(mut writer) => writer.finish().map_err(fail)?,
                Writer::Parquet(writer) => {
                    writer.close().map_err(fail)?;
                }
            }
            Ok(out.write_all(&self.written.take())?)
        }
    }
}
