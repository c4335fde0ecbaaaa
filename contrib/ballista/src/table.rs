//! [`PortableTable`]: a table that plans can take along.

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider, TableProviderFactory};
use datafusion::common::{Constraints, plan_datafusion_err};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::ListingTable;
use datafusion::error::Result;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{CreateExternalTable, Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use std::sync::Arc;
use tablepb_datafusion::{ProtobufFormat, ProtobufTableFactory};

/// A [`ListingTable`] of protobuf files that a plan can take to other processes.
///
/// DataFusion 55 sends a `ListingTable` itself, if the format is one of its own, and refuses it otherwise without asking a codec. So the table has a type of its own, which
/// [`LogicalCodec`](crate::LogicalCodec) sends. In all else it is the table that it was made of.
#[derive(Clone, Debug)]
pub struct PortableTable {
    listing: ListingTable,
    format: ProtobufFormat,
}

impl PortableTable {
    /// The same table, for plans that travel; with the option `views` off, what executors send each other is smaller.
    ///
    /// ```
    /// # use tablepb::table::{FieldTable, Kind, MessageTable};
    /// # use tablepb::DescriptorPool;
    /// # use tablepb_datafusion::{ProtobufFormat, ProtobufOptions};
    /// # static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// # let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
    /// use tablepb_ballista::PortableTable;
    ///
    /// let format = ProtobufFormat::new(&log, ProtobufOptions::new())?;
    /// let table = PortableTable::new(format.table("/data/logs/")?)?;
    /// assert_eq!(table.format().descriptor().full_name(), "example.Log");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Plan`: the files of the table are of another format.
    pub fn new(listing: ListingTable) -> Result<Self> {
        let format = listing.options().format.downcast_ref::<ProtobufFormat>().cloned();
        let format = format.ok_or_else(|| plan_datafusion_err!("the table is not of protobuf files"))?;
        Ok(Self { listing, format })
    }

    /// The table that it was made of.
    #[must_use]
    pub fn listing(&self) -> &ListingTable {
        &self.listing
    }

    /// What its files hold.
    #[must_use]
    pub fn format(&self) -> &ProtobufFormat {
        &self.format
    }
}

#[async_trait]
impl TableProvider for PortableTable {
    fn schema(&self) -> SchemaRef {
        self.listing.schema()
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.listing.constraints()
    }

    fn table_type(&self) -> TableType {
        self.listing.table_type()
    }

    fn get_table_definition(&self) -> Option<&str> {
        self.listing.get_table_definition()
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        self.listing.get_column_default(column)
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.listing.scan(session, projection, filters, limit).await
    }

    async fn scan_with_args<'a>(&self, session: &dyn Session, args: ScanArgs<'a>) -> Result<ScanResult> {
        self.listing.scan_with_args(session, args).await
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.listing.supports_filters_pushdown(filters)
    }

    async fn insert_into(
        &self,
        session: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        operation: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.listing.insert_into(session, input, operation).await
    }
}

/// The names that the option has in a statement: as it was written, and as DataFusion passes it on.
const VIEWS: [&str; 2] = ["views", "format.views"];

/// Makes a [`PortableTable`] of `CREATE EXTERNAL TABLE .. STORED AS PROTOBUF`: [`register`](crate::register) makes it known to a session.
///
/// The option `views` is `false` by default: strings and bytes are copied. A view is sent with the whole block that it points into, so executors would send each other the
/// file many times over.
#[derive(Debug, Default)]
pub struct PortableTableFactory {
    listings: ProtobufTableFactory,
}

impl PortableTableFactory {
    /// A factory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl TableProviderFactory for PortableTableFactory {
    async fn create(
        &self,
        session: &dyn Session,
        statement: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let mut statement = statement.clone();
        if !VIEWS.iter().any(|name| statement.options.contains_key(*name)) {
            statement.options.insert(VIEWS[1].to_owned(), "false".to_owned());
        }
        let table = self.listings.create(session, &statement).await?;
        let listing = table.downcast_ref::<ListingTable>().cloned();
        let listing = listing.ok_or_else(|| plan_datafusion_err!("the table is not one of files"))?;
        Ok(Arc::new(PortableTable::new(listing)?))
    }
}
