//! [`ProtobufTableFactory`]: the tables of `CREATE EXTERNAL TABLE`, and which files a directory has.

use super::ProtobufFormat;
use super::declared::with_forms_of;
use crate::options::Compression;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::CreateExternalTable;
use futures::future::ready;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use std::collections::HashSet;
use std::sync::Arc;

/// Makes a [`ListingTable`] of `CREATE EXTERNAL TABLE .. STORED AS PROTOBUF`: [`register`](crate::register) makes it known to a session.
///
/// Of a directory it has the files whose names say that they are of messages: `.binpb`, `.binpb.gz` and `.binpb.zst`, or the one of them that the option
/// `compression` names; not those whose names, or those of directories in it, begin with `_` or `.`, which Hive and Spark leave out too. DataFusion's own factory has one ending for all files of a table, and none in stores that are not local.
///
/// ```
/// use datafusion::prelude::SessionContext;
///
/// let context = SessionContext::new();
/// tablepb_datafusion::register(&context)?;
/// assert!(context.state().table_factories().contains_key("PROTOBUF"));
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
#[derive(Debug, Default)]
pub struct ProtobufTableFactory(());

impl ProtobufTableFactory {
    /// A factory.
    #[must_use]
    pub fn new() -> Self {
        Self(())
    }
}

#[async_trait]
impl TableProviderFactory for ProtobufTableFactory {
    async fn create(
        &self,
        session: &dyn Session,
        statement: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let mut format = format_of(session, statement)?;
        let declares = !statement.schema.fields().is_empty();
        // The listing that DataFusion keeps may be that of an attempt that failed.
        if let Some(listings) = session.runtime_env().cache_manager.get_list_files_cache() {
            listings.drop_table_entries(&statement.name)?;
        }
        let mut urls = Vec::new();
        for location in &statement.locations {
            let url = ListingTableUrl::parse(location)?;
            let url = directory(session, url).await?.with_table_ref(statement.name.clone());
            format = format.in_directory(&url);
            let parts = files_of(url, format.options().compression)?;
            // The columns are known without files. But a name that is wrong should not give a table without rows.
            if !declares && !has_files(session, &format, &parts).await? {
                return plan_err!(
                    "there are no files at {location}; of a directory, a table has those whose names end with .binpb, or .binpb.gz or .binpb.zst as the \
                     option compression allows; a table that declares its columns may be without files"
                );
            }
            urls.extend(parts);
        }
        check(&urls)?;
        let (columns, directories) = if declares {
            declared(statement, &format)?
        } else {
            (format.schema().clone(), undeclared(session, statement, &format, &urls).await?)
        };
        for column in statement.order_exprs.iter().flatten().flat_map(|sort| sort.expr.column_refs()) {
            let name = column.name();
            if columns.field_with_name(name).is_err() && !directories.iter().any(|(known, _)| known == name) {
                return plan_err!("the order of the table has the column {name}, the table has not");
            }
        }
        for url in &urls {
            check_directories(session, &format, url, &directories).await?;
        }
        let options = ListingOptions::new(Arc::new(format))
            .with_file_extension("")
            .with_table_partition_cols(directories)
            .with_file_sort_order(statement.order_exprs.clone());
        let config =
            ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options).with_schema(columns);
        let table = ListingTable::try_new(config)?
            .with_definition(statement.definition.clone())
            .with_constraints(statement.constraints.clone())
            .with_column_defaults(statement.column_defaults.clone());
        Ok(Arc::new(table))
    }
}

/// The format that the options of a statement describe.
fn format_of(session: &dyn Session, statement: &CreateExternalTable) -> Result<ProtobufFormat> {
    let state = session.as_any().downcast_ref::<SessionState>();
    let formats = state.and_then(|state| state.get_file_format_factory(&statement.file_type));
    let Some(formats) = formats else {
        return plan_err!("the session has no format {}", statement.file_type);
    };
    let format = formats.create(session, &statement.options)?;
    let ours = format.downcast_ref::<ProtobufFormat>().cloned();
    ours.ok_or_else(|| plan_datafusion_err!("the format {} is not of protobuf files", statement.file_type))
}

/// The same location, but that a directory of a store ends with a slash: a name that is no file, and has files below.
async fn directory(session: &dyn Session, url: ListingTableUrl) -> Result<ListingTableUrl> {
    if url.is_collection() {
        return Ok(url);
    }
    let Ok(store) = session.runtime_env().object_store(&url) else { return Ok(url) };
    if !matches!(store.head(url.prefix()).await, Err(object_store::Error::NotFound { .. })) {
        return Ok(url);
    }
    match store.list(Some(url.prefix())).next().await {
        Some(Ok(_)) => ListingTableUrl::parse(format!("{}/", url.as_str())),
        _ => Ok(url),
    }
}

/// Whether a file of a directory belongs to no table, as in Hive and Spark: its name, or that of a directory between the two, begins with `_` or `.`. Names of
/// directories with a `=` are values of columns, which may begin with `_`.
pub(super) fn is_hidden(directory: &ListingTableUrl, file: &Path) -> bool {
    let is_hidden = |name: &str| name.starts_with('.') || name.starts_with('_') && !name.contains('=');
    directory.strip_prefix(file).is_some_and(|mut names| names.any(is_hidden))
}

/// Whether a location is a directory, and no pattern.
pub(super) fn is_directory(url: &ListingTableUrl) -> bool {
    url.is_collection() && url.get_glob().is_none()
}

/// The files of a location: itself, if it is a file or a pattern, or a pattern for each ending that files of a directory may have.
pub(super) fn files_of(url: ListingTableUrl, compression: Compression) -> Result<Vec<ListingTableUrl>> {
    if !is_directory(&url) {
        return Ok(vec![url]);
    }
    compression.patterns().iter().map(|pattern| url.clone().with_glob(pattern)).collect()
}

/// Some files of a location that its table reads, as many as DataFusion infers columns of directories from.
async fn first_files(
    session: &dyn Session,
    format: &ProtobufFormat,
    url: &ListingTableUrl,
) -> Result<Vec<Path>> {
    let store = session.runtime_env().object_store(url)?;
    let files = url.list_all_files(session, store.as_ref(), "").await?.map_ok(|file| file.location);
    files.try_filter(|file| ready(format.reads(file))).take(10).try_collect().await
}

async fn has_files(session: &dyn Session, format: &ProtobufFormat, urls: &[ListingTableUrl]) -> Result<bool> {
    for url in urls {
        if !first_files(session, format, url).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A [`ListingTable`] reads all its locations from the store of the first one.
fn check(urls: &[ListingTableUrl]) -> Result<()> {
    let Some(first) = urls.first() else { return plan_err!("a table of files needs a location") };
    let mut seen = HashSet::new();
    for url in urls {
        if !seen.insert(url) {
            return plan_err!("the location {url} is there twice");
        }
        if url.object_store() != first.object_store() {
            return plan_err!("the locations of a table are in one store, but {first} and {url} are not");
        }
    }
    Ok(())
}

/// A column that the names of directories give, and its type.
type Directory = (String, DataType);

/// The columns of files and those of directories that a statement declares.
fn declared(statement: &CreateExternalTable, format: &ProtobufFormat) -> Result<(SchemaRef, Vec<Directory>)> {
    let schema: &Schema = statement.schema.inner();
    let names = &statement.table_partition_cols;
    let of_directory = |name: &String| -> Result<Directory> {
        Ok((name.clone(), schema.field_with_name(name)?.data_type().clone()))
    };
    let directories = names.iter().map(of_directory).collect::<Result<_>>()?;
    let in_files: Vec<_> =
        schema.fields().iter().filter(|field| !names.contains(field.name())).cloned().collect();
    let in_files = Schema::new_with_metadata(in_files, schema.metadata().clone());
    Ok((with_forms_of(&in_files, format.schema()), directories))
}

/// The names of the columns that the directories of a location are called for. DataFusion's own inference sees hidden files too.
async fn inferred(
    session: &dyn Session,
    format: &ProtobufFormat,
    url: &ListingTableUrl,
) -> Result<Vec<String>> {
    let files = first_files(session, format, url).await?;
    let names = files.iter().map(|file| {
        let mut parts: Vec<_> = url.strip_prefix(file).into_iter().flatten().collect();
        parts.pop();
        parts.iter().filter_map(|part| Some(part.split_once('=')?.0.to_owned())).collect::<Vec<_>>()
    });
    let names: HashSet<_> = names.collect();
    match Vec::from_iter(names).as_mut_slice() {
        [] => Ok(Vec::new()),
        [names] => Ok(std::mem::take(names)),
        mixed => {
            mixed.sort();
            plan_err!("the directories of {url} are called for different columns: {mixed:?}")
        }
    }
}

/// Checks that a location has the columns of directories that its table has, or is without files.
async fn check_directories(
    session: &dyn Session,
    format: &ProtobufFormat,
    url: &ListingTableUrl,
    directories: &[Directory],
) -> Result<()> {
    if directories.is_empty() {
        return Ok(());
    }
    if !url.is_collection() {
        return plan_err!(
            "a table with columns of directories is of directories, but {url} does not end with a slash"
        );
    }
    let (found, names) = (inferred(session, format, url).await?, directories.iter().map(|(name, _)| name));
    if found.is_empty() || found.iter().take(directories.len()).eq(names.clone()) {
        return Ok(());
    }
    plan_err!(
        "the directories of {url} are called for the columns {found:?}, those of the table are {:?}",
        Vec::from_iter(names)
    )
}

/// The columns of directories of a statement without columns: as it says, or else as the directories are called.
async fn undeclared(
    session: &dyn Session,
    statement: &CreateExternalTable,
    format: &ProtobufFormat,
    urls: &[ListingTableUrl],
) -> Result<Vec<Directory>> {
    let mut names = statement.table_partition_cols.clone();
    if names.is_empty() && session.config_options().execution.listing_table_factory_infer_partitions {
        for url in urls {
            names = inferred(session, format, url).await?;
            if !names.is_empty() {
                break;
            }
        }
    }
    let data_type = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    Ok(names.into_iter().map(|name| (name, data_type.clone())).collect())
}
