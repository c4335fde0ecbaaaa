//! Health of services, as gRPC has it (`grpc.health.v1`), with the calls of tonic-health.
//!
//! ```no_run
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! use tablepb_tonic::health::{ServingStatus, health_reporter};
//!
//! let (reporter, health) = health_reporter();
//! reporter.set_service_status("helloworld.Greeter", ServingStatus::Serving);
//! tonic::transport::Server::builder().add_service(health).serve("127.0.0.1:50051".parse()?).await?;
//! # Ok(())
//! # }
//! ```

pub use crate::pb::health::health_check_response::ServingStatus;
pub use crate::pb::health::health_client::HealthClient;
pub use crate::pb::health::health_server::{Health, HealthServer};
pub use crate::pb::health::{HealthCheckRequest, HealthCheckResponse, HealthListRequest, HealthListResponse};

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::server::NamedService;
use tonic::{Request, Response, Status};

/// The most services that `List` tells of, as the protocol has it.
const MAX_LISTED: usize = 100;

/// The states of services; a clone shares them.
#[derive(Clone, Debug)]
pub struct HealthReporter {
    /// All in one: who watches one service hears of all changes, which are rare.
    services: Arc<watch::Sender<HashMap<String, ServingStatus>>>,
}

/// The service that answers from a [`HealthReporter`].
pub type HealthService = HealthServer<HealthReporter>;

/// A reporter and its service. The server as a whole, the service without a name, is serving.
pub fn health_reporter() -> (HealthReporter, HealthService) {
    let services = HashMap::from([(String::new(), ServingStatus::Serving)]);
    let reporter = HealthReporter { services: Arc::new(watch::Sender::new(services)) };
    (reporter.clone(), HealthServer::new(reporter))
}

impl HealthReporter {
    /// Sets the state of a service, by its full name. Those that watch it are told if it is another one.
    pub fn set_service_status(&self, service: impl Into<String>, status: ServingStatus) {
        let service = service.into();
        self.services.send_if_modified(|services| services.insert(service, status) != Some(status));
    }

    /// Says that a service serves.
    pub fn set_serving<S: NamedService>(&self) {
        self.set_service_status(S::NAME, ServingStatus::Serving);
    }

    /// Says that a service does not serve.
    pub fn set_not_serving<S: NamedService>(&self) {
        self.set_service_status(S::NAME, ServingStatus::NotServing);
    }

    /// Forgets a service. Those that watch it are told that it is unknown.
    pub fn clear_service_status(&self, service: &str) {
        self.services.send_if_modified(|services| services.remove(service).is_some());
    }

    /// Says of all services that they do not serve, before a server ends.
    pub fn shutdown(&self) {
        self.services.send_modify(|services| {
            services.values_mut().for_each(|status| *status = ServingStatus::NotServing)
        });
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status as i32 }
}

#[tonic::async_trait]
impl Health for HealthReporter {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let status = self.services.borrow().get(&request.get_ref().service).copied();
        status
            .map(|status| Response::new(response(status)))
            .ok_or_else(|| Status::not_found("the service is not known"))
    }

    async fn list(&self, _: Request<HealthListRequest>) -> Result<Response<HealthListResponse>, Status> {
        let services = self.services.borrow();
        if services.len() > MAX_LISTED {
            return Err(Status::resource_exhausted(format!("there are more than {MAX_LISTED} services")));
        }
        let statuses = services.iter().map(|(name, status)| (name.clone(), response(*status))).collect();
        Ok(Response::new(HealthListResponse { statuses }))
    }

    type WatchStream = Watch;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Watch>, Status> {
        let service = request.into_inner().service;
        Ok(Response::new(Watch(next(service, self.services.subscribe(), None))))
    }
}

/// What a wait gives: the next state, and what the one after it needs.
type Next = (ServingStatus, String, watch::Receiver<HashMap<String, ServingStatus>>);
type Wait = Pin<Box<dyn Future<Output = Next> + Send>>;

/// The states of a service: the present one, and each that follows. A service that is not known may come.
pub struct Watch(Wait);

/// Waits for a state that is not the last one.
fn next(
    service: String,
    mut receiver: watch::Receiver<HashMap<String, ServingStatus>>,
    last: Option<ServingStatus>,
) -> Wait {
    Box::pin(async move {
        loop {
            let found = receiver.borrow_and_update().get(&service).copied();
            let status = found.unwrap_or(ServingStatus::ServiceUnknown);
            if last != Some(status) {
                return (status, service, receiver);
            }
            if receiver.changed().await.is_err() {
                // No reporter is left. The end of the stream would be an error to a client.
                std::future::pending::<()>().await;
            }
        }
    })
}

impl Stream for Watch {
    type Item = Result<HealthCheckResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll(context).map(|(status, service, receiver)| {
            self.0 = next(service, receiver, Some(status));
            Some(Ok(response(status)))
        })
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
