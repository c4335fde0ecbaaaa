//! The route guide of gRPC's documentation, with all four kinds of streams.

use crate::routeguide::route_guide_server::RouteGuide;
use crate::routeguide::{Feature, Point, Rectangle, RouteNote, RouteSummary};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

/// A guide with a few features, and the notes that were left.
#[derive(Clone, Debug)]
pub struct Guide {
    features: Arc<Vec<Feature>>,
    notes: Arc<Mutex<HashMap<Point, Vec<RouteNote>>>>,
}

impl Guide {
    /// A guide to these features.
    pub fn new(features: Vec<Feature>) -> Self {
        Self { features: Arc::new(features), notes: Arc::default() }
    }

    fn at(&self, point: &Point) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.location.as_ref() == Some(point))
    }
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl RouteGuide for Guide {
    async fn get_feature(&self, request: Request<Point>) -> Result<Response<Feature>, Status> {
        let found = self.at(request.get_ref()).cloned();
        Ok(Response::new(found.unwrap_or_default()))
    }

    type ListFeaturesStream = Responses<Feature>;

    async fn list_features(
        &self,
        request: Request<Rectangle>,
    ) -> Result<Response<Responses<Feature>>, Status> {
        let rectangle = request.into_inner();
        let found: Vec<_> =
            self.features.iter().filter(|feature| is_in(feature, &rectangle)).cloned().map(Ok).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(found))))
    }

    async fn record_route(
        &self,
        request: Request<Streaming<Point>>,
    ) -> Result<Response<RouteSummary>, Status> {
        let mut points = request.into_inner();
        let (mut summary, mut last) = (RouteSummary::default(), None);
        while let Some(point) = points.next().await {
            let point = point?;
            summary.point_count += 1;
            summary.feature_count += i32::from(self.at(&point).is_some());
            summary.distance += last.as_ref().map_or(0, |last| distance(last, &point));
            last = Some(point);
        }
        Ok(Response::new(summary))
    }

    type RouteChatStream = Responses<RouteNote>;

    async fn route_chat(
        &self,
        request: Request<Streaming<RouteNote>>,
    ) -> Result<Response<Responses<RouteNote>>, Status> {
        let notes = self.notes.clone();
        // Each note is left after those that lie there were sent.
        let answers = request.into_inner().map(move |note| match note {
            Ok(note) => {
                let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                let there = notes.entry(note.location.clone().unwrap_or_default()).or_default();
                let before = there.clone();
                there.push(note);
                before.into_iter().map(Ok).collect()
            }
            Err(status) => vec![Err(status)],
        });
        Ok(Response::new(Box::pin(Flat { streams: Box::pin(answers), ready: Vec::new() })))
    }
}

/// The items of all lists, one after another.
struct Flat<T> {
    streams: Pin<Box<dyn Stream<Item = Vec<T>> + Send>>,
    ready: Vec<T>,
}

impl<T: Unpin> Stream for Flat<T> {
    type Item = T;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<T>> {
        loop {
            if !self.ready.is_empty() {
                return std::task::Poll::Ready(Some(self.ready.remove(0)));
            }
            match std::task::ready!(self.streams.as_mut().poll_next(context)) {
                Some(items) => self.ready = items,
                None => return std::task::Poll::Ready(None),
            }
        }
    }
}

fn is_in(feature: &Feature, rectangle: &Rectangle) -> bool {
    let corner = |corner: &Option<Point>| corner.clone().unwrap_or_default();
    let (lo, hi, at) = (corner(&rectangle.lo), corner(&rectangle.hi), corner(&feature.location));
    let between = |a: i32, b: i32, x: i32| (a.min(b)..=a.max(b)).contains(&x);
    between(lo.latitude, hi.latitude, at.latitude) && between(lo.longitude, hi.longitude, at.longitude)
}

/// Metres between two points that are near each other.
fn distance(a: &Point, b: &Point) -> i32 {
    let metres = |units: i32| f64::from(units) / 1e7 * 111_195.0;
    let latitude = f64::from(a.latitude) / 1e7;
    let (north, east) =
        (metres(b.latitude - a.latitude), metres(b.longitude - a.longitude) * latitude.to_radians().cos());
    north.hypot(east) as i32
}
