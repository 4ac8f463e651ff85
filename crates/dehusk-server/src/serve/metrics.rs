//! What the service counts, in the text format of Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the times of requests in seconds: pages take milliseconds, overload seconds.
const SECONDS: [f64; 14] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabel {
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ErrorLabel {
    kind: String,
}

/// The counters.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabel, Histogram, fn() -> Histogram>,
    errors: Family<ErrorLabel, Counter>,
    pages: Counter,
    body_bytes: Counter,
    in_flight: Gauge,
    queue_length: Gauge,
    held_bytes: Gauge,
    connections: Gauge,
    /// Answers that were given to the last byte: those with status 200, and all.
    answered_ok: AtomicU64,
    answered: AtomicU64,
}

/// What is measured only when the metrics are requested.
pub(super) struct Gauges {
    pub(super) queue_length: usize,
    pub(super) held_bytes: usize,
}

impl Metrics {
    pub(super) fn new() -> Metrics {
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let mut metrics = Metrics {
            registry: Registry::with_prefix("dehusk"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            errors: Family::default(),
            pages: Counter::default(),
            body_bytes: Counter::default(),
            in_flight: Gauge::default(),
            queue_length: Gauge::default(),
            held_bytes: Gauge::default(),
            connections: Gauge::default(),
            answered_ok: AtomicU64::new(0),
            answered: AtomicU64::new(0),
        };
        let registry = &mut metrics.registry;
        let requests =
            "Requests that were answered, by route and status; the status is closed if the client left before the end";
        registry.register("requests", requests, metrics.requests.clone());
        let seconds = "Time from the head of a request to the end of its answer";
        registry.register("request_seconds", seconds, metrics.seconds.clone());
        let errors = "Problems that were answered, and pages and lines with an error in their record, by kind";
        registry.register("errors", errors, metrics.errors.clone());
        registry.register("pages", "Pages that were extracted, learned from or compared", metrics.pages.clone());
        registry.register("body_bytes", "Bytes of request bodies that were read", metrics.body_bytes.clone());
        registry.register("requests_in_flight", "Requests that are not yet answered", metrics.in_flight.clone());
        registry.register("queue_length", "Pages that wait for a worker", metrics.queue_length.clone());
        registry.register("held_bytes", "Bytes of request bodies in memory", metrics.held_bytes.clone());
        registry.register("connections", "Open connections", metrics.connections.clone());
        metrics
    }

    pub(super) fn request_begins(&self) {
        self.in_flight.inc();
    }

    /// A request is over: answered as a whole, or its client has left.
    pub(super) fn request_ends(&self, method: &str, route: &str, status: Option<u16>, time: Duration) {
        self.in_flight.dec();
        let shown = status.map_or("closed".to_string(), |status| status.to_string());
        let labels = RequestLabels { method: method.to_string(), route: route.to_string(), status: shown };
        self.requests.get_or_create(&labels).inc();
        self.seconds.get_or_create(&RouteLabel { route: route.to_string() }).observe(time.as_secs_f64());
        self.answered.fetch_add(u64::from(status.is_some()), Ordering::Relaxed);
        self.answered_ok.fetch_add(u64::from(status == Some(200)), Ordering::Relaxed);
    }

    pub(super) fn error(&self, kind: &str) {
        self.errors.get_or_create(&ErrorLabel { kind: kind.to_string() }).inc();
    }

    pub(super) fn page(&self) {
        self.pages.inc();
    }

    pub(super) fn body(&self, bytes: u64) {
        self.body_bytes.inc_by(bytes);
    }

    pub(super) fn connection_opens(&self) {
        self.connections.inc();
    }

    pub(super) fn connection_closes(&self) {
        self.connections.dec();
    }

    /// How many requests were answered with status 200, and how many in all.
    pub(super) fn answered(&self) -> (u64, u64) {
        (self.answered_ok.load(Ordering::Relaxed), self.answered.load(Ordering::Relaxed))
    }

    /// Requests that are not yet answered.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.get().max(0) as u64
    }

    /// All of it as text.
    pub(super) fn text(&self, gauges: Gauges) -> String {
        self.queue_length.set(gauges.queue_length as i64);
        self.held_bytes.set(gauges.held_bytes as i64);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
