//! [`connect`]: the session of a client.

use crate::logical::LogicalCodec;
use crate::physical::PhysicalCodec;
use crate::table::PortableTableFactory;
use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

/// Makes `CREATE EXTERNAL TABLE .. STORED AS PROTOBUF` known to a session, as [`tablepb_datafusion::register`] does, for tables that travel. The option `views` is
/// `false` by default, as [`PortableTableFactory`] says.
///
/// ```
/// use datafusion::prelude::SessionContext;
///
/// let context = SessionContext::new();
/// tablepb_ballista::register(&context)?;
/// assert!(tablepb_ballista::register(&context).is_err());
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
///
/// # Errors
/// The session has a format of this name already.
pub fn register(context: &SessionContext) -> Result<()> {
    tablepb_datafusion::register(context)?;
    let factory = Arc::new(PortableTableFactory::new());
    context.state_ref().write().table_factories_mut().insert("PROTOBUF".to_owned(), factory);
    Ok(())
}

/// The settings of a client: Ballista's, with the codecs of this crate.
pub(crate) fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::default()))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::default()))
}

/// A session whose queries run on the cluster of a scheduler, such as `127.0.0.1:50050`; it knows tables of protobuf files.
///
/// Nothing is sent before the first query.
///
/// ```
/// let context = tablepb_ballista::connect("127.0.0.1:50050")?;
/// // As with `SessionContext::new()`: `context.sql("CREATE EXTERNAL TABLE ..").await?` ..
/// assert!(context.state().table_factories().contains_key("PROTOBUF"));
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
///
/// # Errors
/// As of DataFusion, when it makes a session.
pub fn connect(scheduler: &str) -> Result<SessionContext> {
    let state = SessionStateBuilder::new().with_config(session_config()).with_default_features().build();
    let context = SessionContext::new_with_state(state.upgrade_for_ballista(format!("http://{scheduler}"))?);
    register(&context)?;
    Ok(context)
}
