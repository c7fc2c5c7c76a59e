//! Builds responses to clients from the upstream's responses.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, Response, StatusCode, response};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use provstream_route::{BodyFilter, Cause, Flow, Plan, ResponseHead, Route};

use crate::again::RepeatableRequest;
use crate::body::{BodyPath, ProxyBody, Streamed};
use crate::causes::causes;
use crate::decode::BodyDecoder;
use crate::emission::EmissionChanges;
use crate::headers;
use crate::inflight::Inflight;
use crate::live::Watched;
use crate::record::RequestRecord;
use crate::recording::{Recording, UpstreamBody};
use crate::refusals::refusal;
use crate::shared::{Ending, Loaded};
use crate::waits::Waits;

/// Facts about a request that its response needs.
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: Box<str>,
    pub(crate) choices: usize,
    /// Repeats the request after a suspension, if the route permits it.
    pub(crate) again: Option<Box<RepeatableRequest>>,
    /// Recording of the results of tools in the request, until it has ended.
    pub(crate) recording: Option<Recording>,
    /// Additions made to the request, if the route has any.
    pub(crate) added: Option<EmissionChanges>,
    /// Route with the sources of the request, if the answer is compared with them.
    pub(crate) route: Option<Route>,
}

/// Builds the response to a client.
pub(crate) async fn respond(
    answer: Response<Incoming>,
    (route, loaded): (&Route, &Loaded),
    mut asked: Asked,
    mut record: Box<RequestRecord>,
    (waits, ending): (Waits, Ending),
) -> Response<ProxyBody> {
    let (mut head, upstream) = answer.into_parts();
    let upstream = UpstreamBody::new(upstream, asked.recording.take());
    let decoder = BodyDecoder::of(&headers::all(&head.headers, &CONTENT_ENCODING));
    let plan = plan(&head, route, &asked, decoder.is_some());
    head.version = http::Version::HTTP_11;
    head.extensions = http::Extensions::new();
    headers::for_client(&mut head.headers);
    headers::name_request(&mut head.headers, &record.id);
    record.status = head.status.as_u16();
    if let (Some(settings), Plan::Pass(_) | Plan::Filter(_)) = (loaded.config.live, &plan) {
        let request = (&*record.id, record.started());
        record.live = Some(loaded.live.enter(request, route, settings));
    }
    match plan {
        Plan::Refuse(refused) => {
            record.end = Cause::NotInspected.as_str();
            refusal(&refused, record)
        }
        Plan::Pass(reason) => {
            record.passed = Some(reason);
            // The server asks for nothing of a body that is empty.
            if asked.method == Method::HEAD
                || matches!(head.status.as_u16(), 204 | 304)
                || upstream.is_end_stream()
            {
                record.end = "complete";
            }
            let streamed = Streamed::new(upstream, BodyPath::Pass(record), waits, ending);
            Response::from_parts(head, ProxyBody::Stream(Box::new(streamed)))
        }
        Plan::Filter(filter) => {
            headers::remove_of_bytes(&mut head.headers);
            if decoder.is_some() {
                headers::remove_encoding(&mut head.headers);
            }
            if let Some(again) = &mut asked.again {
                let plain = headers::all(&head.headers, &CONTENT_ENCODING);
                let plain = if decoder.is_none() { &plain } else { "" };
                again.set_first(headers::text(&head.headers, &CONTENT_TYPE), plain);
            }
            let filter = equipped(*filter, loaded, &record, asked.again.is_some());
            let inflight = Inflight::new(filter, decoder.map(Box::new), record);
            let inflight = Box::new(inflight);
            let body = Upstreams(upstream, asked.again);
            filtered(head, body, inflight, (waits, ending)).await
        }
    }
}

fn plan(head: &response::Parts, route: &Route, asked: &Asked, is_decoded: bool) -> Plan {
    let content_type = headers::distinct(&head.headers, &CONTENT_TYPE);
    let encoding = headers::all(&head.headers, &CONTENT_ENCODING);
    // A response to HEAD has no body, like one of this status.
    let status = if asked.method == Method::HEAD {
        StatusCode::NO_CONTENT
    } else {
        head.status
    };
    let about = ResponseHead::new(status.as_u16())
        .with_content_type(&content_type)
        .with_content_encoding(if is_decoded { "" } else { &encoding })
        .with_path(&asked.path)
        .with_choices(asked.choices);
    asked.route.as_ref().unwrap_or(route).response(&about)
}

/// Configures a filter by the settings and the request.
fn equipped(
    filter: BodyFilter,
    loaded: &Loaded,
    record: &RequestRecord,
    suspends: bool,
) -> BodyFilter {
    let mut filter = match &loaded.audit {
        Some(audit) => {
            let ids = loaded.config.observation_ids;
            let filter = filter.with_audit(audit.clone(), "audit log", &record.id);
            filter.with_observation_ids(ids)
        }
        None => filter,
    };
    if let Some(reader) = record.live.as_ref().and_then(Watched::reader) {
        filter = filter.with_observer(reader);
    }
    if suspends {
        filter = filter.with_suspension();
    }
    filter
}

/// Body of an upstream, and the request to repeat after a suspension.
struct Upstreams(UpstreamBody, Option<Box<RepeatableRequest>>);

/// Builds a response whose body passes through a filter. The head of a response that is not
/// streamed is sent after its body is complete.
async fn filtered(
    mut head: response::Parts,
    Upstreams(mut upstream, again): Upstreams,
    mut inflight: Box<Inflight>,
    (mut waits, mut ending): (Waits, Ending),
) -> Response<ProxyBody> {
    head.headers.remove(CONTENT_LENGTH);
    while inflight.awaits_end() {
        let flow = tokio::select! {
            frame = upstream.frame() => {
                waits.comes();
                match frame {
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(data) => inflight.push(&data),
                        Err(_) => Flow::More,
                    },
                    Some(Err(error)) => {
                        inflight.record.cause = Some(causes(&error).into());
                        inflight.abort(Cause::UpstreamCut)
                    }
                    None => inflight.finish(),
                }
            }
            cause = waits.end() => inflight.abort(cause),
            () = ending.wait() => inflight.abort(Cause::Shutdown),
        };
        if flow == Flow::Reset {
            let first = inflight.take();
            let streamed = Streamed::new(upstream, BodyPath::Filter(*inflight), waits, ending);
            let streamed = streamed.with_first(first).broken_off();
            return Response::from_parts(head, ProxyBody::Stream(Box::new(streamed)));
        }
        if flow != Flow::More {
            return whole(head, inflight);
        }
    }
    let first = inflight.take();
    let streamed = Streamed::new(upstream, BodyPath::Filter(*inflight), waits, ending)
        .with_first(first)
        .with_again(again);
    Response::from_parts(head, ProxyBody::Stream(Box::new(streamed)))
}

/// Builds a response with a complete body.
fn whole(mut head: response::Parts, mut inflight: Box<Inflight>) -> Response<ProxyBody> {
    let body = inflight.take();
    if let Some(status) = inflight.status() {
        head.status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        inflight.record.status = head.status.as_u16();
        head.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    head.headers.insert(CONTENT_LENGTH, body.len().into());
    Response::from_parts(
        head,
        ProxyBody::whole(body, Some(BodyPath::Filter(*inflight))),
    )
}
