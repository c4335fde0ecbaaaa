//! [`LogicalCodec`]: tables in logical plans.

use crate::envelope::{self, Location, Table, external, misfit};
use crate::recent::{Formats, Functions};
use crate::table::PortableTable;
use ballista_core::serde::BallistaLogicalExtensionCodec;
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{
    AggregateUDF, Extension, HigherOrderUDF, LogicalPlan, ScalarUDF, SortExpr, WindowUDF,
};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::logical_plan::from_proto::parse_sorts;
use datafusion_proto::logical_plan::to_proto::serialize_sorts;
use datafusion_proto::protobuf::{ListingTableScanNode, PartitionColumn, SortExprNodeCollection};
use prost::Message;
use std::sync::Arc;

/// Sends [`PortableTable`]s in logical plans, with all that a process needs to read their files; another codec sends the rest.
///
/// By default the rest is for Ballista's codec. Locations, the columns of directories and the order of files travel; constraints and default values of columns do not, as with
/// DataFusion's own formats.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use datafusion_proto::bytes::{
///     logical_plan_from_bytes_with_extension_codec as read, logical_plan_to_bytes_with_extension_codec as write,
/// };
/// use tablepb_ballista::LogicalCodec;
/// # let directory = tempfile::tempdir()?;
/// # let pool = tablepb_schema::SourceBuilder::new()
/// #     .source("log.proto", "syntax = 'proto3'; package example; message Log { string line = 1; }").build()?;
/// # std::fs::write(directory.path().join("log.set"), pool.encode_to_vec()?)?;
/// # std::fs::write(directory.path().join("a.binpb"), b"\x04\x0a\x02hi\x04\x0a\x02ho")?;
/// # let create = format!(
/// #     "CREATE EXTERNAL TABLE logs STORED AS PROTOBUF LOCATION '{0}/'
/// #      OPTIONS (message 'example.Log', descriptors '{0}/log.set')",
/// #     directory.path().display()
/// # );
///
/// # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
/// let (here, elsewhere) = (SessionContext::new(), SessionContext::new());
/// tablepb_ballista::register(&here)?;
/// here.sql(&create).await?;
/// let plan = here.sql("SELECT line FROM logs").await?.into_optimized_plan()?;
/// let bytes = write(&plan, &LogicalCodec::default())?;
/// let plan = read(&bytes, &elsewhere.task_ctx(), &LogicalCodec::default())?;
/// assert_eq!(elsewhere.execute_logical_plan(plan).await?.count().await?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LogicalCodec {
    rest: Arc<dyn LogicalExtensionCodec>,
    formats: Formats,
    functions: Functions,
}

impl Default for LogicalCodec {
    fn default() -> Self {
        Self::new(Arc::new(BallistaLogicalExtensionCodec::default()))
    }
}

impl LogicalCodec {
    /// A codec that leaves everything but tables of protobuf files to `rest`.
    #[must_use]
    pub fn new(rest: Arc<dyn LogicalExtensionCodec>) -> Self {
        Self { rest, formats: Formats::default(), functions: Functions::default() }
    }

    fn encode_table(&self, table: &PortableTable) -> Result<Table> {
        let options = table.listing().options();
        let columns = &options.table_partition_cols;
        let of_directory = |field: &&FieldRef| columns.iter().any(|(name, _)| name == field.name());
        let schema = table.schema();
        let fields: Vec<_> = schema.fields().iter().filter(|field| !of_directory(field)).cloned().collect();
        let in_files = Schema::new_with_metadata(fields, schema.metadata().clone());
        let order = |sorts: &Vec<SortExpr>| -> Result<_> {
            Ok(SortExprNodeCollection { sort_expr_nodes: serialize_sorts(sorts, self)? })
        };
        let listing = ListingTableScanNode {
            file_extension: options.file_extension.clone(),
            table_partition_cols: columns.iter().map(partition_column).collect::<Result<_>>()?,
            schema: Some((&in_files).try_into()?),
            file_sort_order: options.file_sort_order.iter().map(order).collect::<Result<_>>()?,
            ..ListingTableScanNode::default()
        };
        let locations = table.listing().table_paths().iter().map(|path| Location {
            url: path.as_str().to_owned(),
            glob: path.get_glob().as_ref().map(|glob| glob.as_str().to_owned()),
        });
        let format = table.format().to_bytes()?;
        Ok(Table { format, listing: listing.encode_to_vec(), locations: locations.collect() })
    }

    fn decode_table(&self, table: &Table, context: &TaskContext) -> Result<PortableTable> {
        let format = self.formats.get(&table.format)?;
        let listing = ListingTableScanNode::decode(table.listing.as_slice()).map_err(external)?;
        let schema: Schema =
            listing.schema.as_ref().ok_or_else(|| misfit("a table without columns"))?.try_into()?;
        let mut columns = Vec::new();
        for column in &listing.table_partition_cols {
            let data_type = column.arrow_type.as_ref().ok_or_else(|| misfit("a column without a type"))?;
            columns.push((column.name.clone(), DataType::try_from(data_type)?));
        }
        let orders = listing.file_sort_order.iter();
        let orders = orders.map(|order| Ok(parse_sorts(&order.sort_expr_nodes, context, self)?));
        let options = ListingOptions::new(Arc::new(format))
            .with_file_extension(&listing.file_extension)
            .with_table_partition_cols(columns)
            .with_file_sort_order(orders.collect::<Result<_>>()?);
        let paths = table.locations.iter().map(listing_url).collect::<Result<_>>()?;
        let config = ListingTableConfig::new_with_multi_paths(paths)
            .with_listing_options(options)
            .with_schema(Arc::new(schema));
        PortableTable::new(ListingTable::try_new(config)?)
    }
}

fn partition_column((name, data_type): &(String, DataType)) -> Result<PartitionColumn> {
    Ok(PartitionColumn { name: name.clone(), arrow_type: Some(data_type.try_into()?) })
}

fn listing_url(location: &Location) -> Result<ListingTableUrl> {
    let url = ListingTableUrl::parse(&location.url)?;
    match &location.glob {
        Some(glob) => url.with_glob(glob),
        None => Ok(url),
    }
}

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.rest.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode(node, into)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match envelope::read::<Table>(bytes) {
            Some(table) => Ok(Arc::new(self.decode_table(&table?, context)?)),
            None => self.rest.try_decode_table_provider(bytes, name, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        match table.downcast_ref::<PortableTable>() {
            Some(table) => envelope::write(&self.encode_table(table)?, into),
            None => self.rest.try_encode_table_provider(name, table, into),
        }
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.rest.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, into: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.rest.try_encode_file_format(into, format)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        envelope::read_function(name, bytes, &self.functions)
            .unwrap_or_else(|| self.rest.try_decode_udf(name, bytes))
    }

    fn try_encode_udf(&self, function: &ScalarUDF, into: &mut Vec<u8>) -> Result<()> {
        if envelope::write_function(function, into)? {
            Ok(())
        } else {
            self.rest.try_encode_udf(function, into)
        }
    }

    fn try_decode_higher_order_function(&self, name: &str, bytes: &[u8]) -> Result<Arc<HigherOrderUDF>> {
        self.rest.try_decode_higher_order_function(name, bytes)
    }

    fn try_encode_higher_order_function(&self, function: &HigherOrderUDF, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode_higher_order_function(function, into)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        self.rest.try_decode_udaf(name, bytes)
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode_udaf(function, into)
    }

    fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
        self.rest.try_decode_udwf(name, bytes)
    }

    fn try_encode_udwf(&self, function: &WindowUDF, into: &mut Vec<u8>) -> Result<()> {
        self.rest.try_encode_udwf(function, into)
    }
}
