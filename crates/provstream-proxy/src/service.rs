//! Requests: checks, routing, and the request to the upstream.

use core::convert::Infallible;
use core::pin::Pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::uri::PathAndQuery;
use http::{Method, Request, Response, StatusCode, Version};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use provstream_providers::Format;
use provstream_route::{
    Cause, Refusal, RequestFacts, Route, RouteAction, SourceGap, choices, format_of_path,
};
use serde_json::Value;

use crate::again::RepeatableRequest;
use crate::body::ProxyBody;
use crate::causes::causes;
use crate::config::{Extras, Upstream};
use crate::emission::EmissionChanges;
use crate::headers;
use crate::log;
use crate::metrics::Metrics;
use crate::outgoing::{FaultNote, Outgoing, RequestBodyFault};
use crate::record::RequestRecord;
use crate::recording::Recording;
use crate::refusals::{refusal, refused};
use crate::respond::{Asked, respond};
use crate::shared::{Loaded, ProxyState};
use crate::spans::TraceContext;
use crate::waits::Waits;

/// Error in a request, or in the upstream's reaction to it, with the response to the client.
struct RefusedRequest {
    status: StatusCode,
    code: &'static str,
    message: &'static str,
}

const fn request_error(
    status: StatusCode,
    code: &'static str,
    message: &'static str,
) -> RefusedRequest {
    RefusedRequest {
        status,
        code,
        message,
    }
}

const TOO_LONG: RefusedRequest = request_error(
    StatusCode::PAYLOAD_TOO_LARGE,
    "request_too_large",
    "the body of the request is longer than is allowed",
);

const STALLED: RefusedRequest = request_error(
    StatusCode::REQUEST_TIMEOUT,
    "request_timeout",
    "the body of the request did not arrive in time",
);

const BROKEN: RefusedRequest = request_error(
    StatusCode::BAD_REQUEST,
    "bad_request",
    "the body of the request is broken",
);

/// Web sockets are refused on all routes, because their messages could not be inspected.
const WEBSOCKET: RefusedRequest = request_error(
    StatusCode::NOT_IMPLEMENTED,
    "websocket",
    "this proxy opens no WebSockets, whose messages it could not inspect",
);

const LOOP: RefusedRequest = request_error(
    StatusCode::LOOP_DETECTED,
    "loop",
    "this proxy has sent the request itself: an upstream leads back to it",
);

const UNEXPECTED_UPGRADE: RefusedRequest = request_error(
    StatusCode::BAD_GATEWAY,
    "unexpected_upgrade",
    "the upstream changed the protocol of the connection without being asked to",
);

const fn of_fault(fault: RequestBodyFault) -> RefusedRequest {
    match fault {
        RequestBodyFault::TooLong => TOO_LONG,
        RequestBodyFault::Stalled => STALLED,
        RequestBodyFault::Broken => BROKEN,
    }
}

/// Answers a request. The record is created at once, because hyper drops the future without polling
/// it if the client disconnects.
///
/// The future has memory of its own, which is free once the response begins: hyper keeps room for the
/// future of a service as long as the connection.
pub(crate) fn serve(
    shared: Arc<ProxyState>,
    request: Request<Incoming>,
) -> Pin<Box<impl Future<Output = Result<Response<ProxyBody>, Infallible>>>> {
    let loaded = shared.loaded();
    let config = &loaded.config;
    let route = config
        .routes
        .route(request.method().as_str(), request.uri().path());
    let id = shared.next_id();
    let about = (request.method(), request.uri());
    let record = RequestRecord::new(&shared.metrics, id, route, about, config.log);
    let mut record = Box::new(record);
    if let Some(spans) = &loaded.spans {
        record.traced = Some((Arc::clone(spans), TraceContext::of(request.headers())));
    }
    Box::pin(answer(shared, loaded, request, record))
}

async fn answer(
    shared: Arc<ProxyState>,
    loaded: Arc<Loaded>,
    request: Request<Incoming>,
    mut record: Box<RequestRecord>,
) -> Result<Response<ProxyBody>, Infallible> {
    let config = &loaded.config;
    let route = config
        .routes
        .route(request.method().as_str(), request.uri().path());
    let format = format_of_path(request.uri().path());
    if let Some(wrong) = check(&request, config.limits.request_bytes) {
        return Ok(refuse(wrong, format, record));
    }
    let own = shared.pseudonym();
    if headers::has_gone_through(request.headers(), &own) {
        return Ok(refuse(LOOP, format, record));
    }
    let upstream = config
        .extras(route)
        .and_then(|extras| extras.upstream.as_ref())
        .map_or(&config.upstream, |(upstream, _)| upstream);
    let mut asked = Asked {
        method: request.method().clone(),
        path: request.uri().path().into(),
        choices: 1,
        again: None,
        recording: None,
        added: None,
        route: None,
    };
    let note = FaultNote::default();
    let of_proxy = (&*loaded, &shared.metrics);
    let sent = outgoing(
        request,
        (route, upstream, &own),
        of_proxy,
        &mut asked,
        &note,
    )
    .await;
    if let Some(gap) = asked.route.as_ref().and_then(Route::source_gap) {
        note_gap(&shared, route, gap, config.log);
    }
    record.added = asked.added.map(EmissionChanges::as_str);
    let outgoing = match sent {
        Ok(mut outgoing) => {
            let traced = record.traced.as_ref();
            if let Some(value) = traced.and_then(|(_, context)| context.header()) {
                outgoing.headers_mut().insert("traceparent", value);
            }
            outgoing
        }
        Err(wrong) => return Ok(refuse(wrong, format, record)),
    };
    let total = tokio::time::Instant::from_std(record.started()) + config.timeouts.total;
    let mut waits = Waits::new(config.timeouts.idle, config.timeouts.keep_alive, total);
    let mut ending = shared.ending();
    let answer = tokio::select! {
        answer = loaded.client.request(outgoing) => answer,
        cause = waits.end() => return Ok(refused(cause, format, record)),
        () = ending.wait() => return Ok(refused(Cause::Shutdown, format, record)),
    };
    Ok(match (answer, note.get()) {
        (Ok(answer), _) if answer.status() == StatusCode::SWITCHING_PROTOCOLS => {
            record.has_head();
            refuse(UNEXPECTED_UPGRADE, format, record)
        }
        (Ok(answer), _) => {
            record.has_head();
            waits.comes();
            respond(answer, (route, &loaded), asked, record, (waits, ending)).await
        }
        (Err(_), Some(fault)) => refuse(of_fault(fault), format, record),
        (Err(error), None) => {
            record.cause = Some(format!("{upstream}: {}", causes(&error)).into());
            refused(Cause::UpstreamUnreachable, format, record)
        }
    })
}

/// Counts a request whose list of sources is incomplete, and logs the first one of each route and reason.
fn note_gap(shared: &ProxyState, route: &Route, gap: SourceGap, logs: bool) {
    let labels = [("route", route.name()), ("reason", gap.as_str())];
    let family = "provstream_incomplete_sources_total";
    if shared.metrics.count_first(family, &labels) && logs {
        let name = route.name();
        log::note(&format!(
            "the route {name} compares answers with incomplete lists of sources, reason {gap}; {family} counts them"
        ));
    }
}

fn refuse(
    wrong: RefusedRequest,
    format: Option<Format>,
    mut record: Box<RequestRecord>,
) -> Response<ProxyBody> {
    record.end = wrong.code;
    let status = wrong.status.as_u16();
    refusal(
        &Refusal::with_status(status, wrong.code, wrong.message, format),
        record,
    )
}

/// Checks the head of a request.
fn check(request: &Request<Incoming>, most: usize) -> Option<RefusedRequest> {
    let bad = |message| {
        Some(request_error(
            StatusCode::BAD_REQUEST,
            "bad_request",
            message,
        ))
    };
    let headers = request.headers();
    if request.method() == Method::CONNECT {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        return Some(request_error(
            status,
            "method_not_allowed",
            "this proxy opens no tunnels",
        ));
    }
    if !request.uri().path().starts_with('/') {
        return bad("expected a path that begins with a slash");
    }
    let hosts = headers.get_all(HOST).iter().count();
    if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
        return bad("expected one header Host");
    }
    if headers::asks_for_websocket(headers) {
        return Some(WEBSOCKET);
    }
    let length = headers::text(headers, &CONTENT_LENGTH);
    if length.parse().is_ok_and(|length: u64| length > most as u64) {
        return Some(TOO_LONG);
    }
    None
}

/// Builds the request to the upstream.
async fn outgoing(
    request: Request<Incoming>,
    (route, upstream, own): (&Route, &Upstream, &str),
    (loaded, metrics): (&Loaded, &Arc<Metrics>),
    asked: &mut Asked,
    note: &FaultNote,
) -> Result<Request<Outgoing>, RefusedRequest> {
    let config = &loaded.config;
    let (mut parts, client) = request.into_parts();
    let path = parts.uri.path_and_query().cloned();
    let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
    let uri = upstream.uri(&path);
    parts.uri = uri.ok_or(request_error(
        StatusCode::BAD_REQUEST,
        "bad_request",
        "expected a path that can be sent to the upstream",
    ))?;
    parts.version = Version::HTTP_11;
    parts.extensions = http::Extensions::new();
    let is_inspected = route.action() != RouteAction::Pass;
    let is_json = headers::text(&parts.headers, &CONTENT_TYPE).contains("json");
    headers::for_upstream(&mut parts.headers, upstream.host(), own, is_inspected);
    let limits = (config.limits.request_bytes, config.timeouts.client);
    let body = Outgoing::stream(client, limits.0, limits.1, note);
    let extras = config.extras(route);
    let emits = extras.is_some_and(|extras| extras.emission.is_some());
    asked.added = emits.then(EmissionChanges::default);
    let recorder = extras.and_then(|extras| extras.recorder.as_ref());
    let is_read = route.action() == RouteAction::Gate
        || emits
        || recorder.is_some()
        || route.has_request_sources();
    if !(is_read && is_json && parts.method == Method::POST) {
        return Ok(Request::from_parts(parts, body));
    }
    let bytes = collect(body)
        .await
        .ok_or_else(|| of_fault(note.get().unwrap_or(RequestBodyFault::Broken)))?;
    match recorder {
        Some(recorder) => {
            let facts = RequestFacts::of(&bytes);
            asked.choices = facts.choices;
            let counted = (route.name(), metrics);
            asked.recording = Some(Recording::begin(recorder, facts.tool_results, counted));
        }
        None => asked.choices = choices(&bytes),
    }
    if route.has_request_sources() {
        asked.route = Some(route.with_request(&bytes));
    }
    let bytes = match extras {
        Some(extras) => changed(&mut parts, bytes, extras, loaded, asked)?,
        None => bytes,
    };
    Ok(Request::from_parts(parts, Outgoing::whole(bytes)))
}

/// Returns the body of a request with the additions of the route. Also prepares repetitions of the
/// request.
fn changed(
    parts: &mut http::request::Parts,
    bytes: Bytes,
    extras: &Extras,
    loaded: &Loaded,
    asked: &mut Asked,
) -> Result<Bytes, RefusedRequest> {
    if !extras.emission.is_some() && extras.reemit == 0 {
        return Ok(bytes);
    }
    let Ok(mut body) = serde_json::from_slice::<Value>(&bytes) else {
        return Ok(bytes);
    };
    if extras.emission.is_some() && !headers::is_signed(&parts.headers) {
        let added = extras.emission.add(&asked.path, &mut body);
        let wrong = |message| request_error(StatusCode::BAD_REQUEST, "bad_request", message);
        asked.added = Some(added.map_err(wrong)?);
    }
    let bytes = match asked.added.is_some_and(EmissionChanges::is_some) {
        true => Bytes::from(body.to_string()),
        false => bytes,
    };
    parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
    if extras.reemit > 0 && asked.choices == 1 {
        let again =
            RepeatableRequest::new(loaded.client.clone(), parts.clone(), body, extras.reemit);
        asked.again = Some(again);
    }
    Ok(bytes)
}

/// Collects a body. The body itself limits its length.
async fn collect(mut body: Outgoing) -> Option<Bytes> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Some(bytes.freeze())
}
