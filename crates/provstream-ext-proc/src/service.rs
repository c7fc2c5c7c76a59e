//! The gRPC service `envoy.service.ext_proc.v3.ExternalProcessor`.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, RwLock};
use std::task::{Context, Poll};

use provstream::provenance::Timestamp;
use provstream_route::Routes;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::{Grpc, StreamingService};
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::conversation::Conversation;
use crate::messages::{ProcessingRequest, ProcessingResponse};

const PATH: &str = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

/// Most bytes of a message. Envoy sends what it reads at a time.
const MAX_MESSAGE: usize = 16 << 20;

/// Most replies that wait for Envoy. When as many wait, no more messages are read.
const WAITING: usize = 4;

/// Boxed future of a service.
type Boxed<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// Active routes. A reload replaces them; streams in flight keep the routes with which they began.
#[derive(Clone, Debug)]
pub(crate) struct Current(Arc<RwLock<Arc<Routes>>>);

impl Current {
    pub(crate) fn new(routes: Routes) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(routes))))
    }

    pub(crate) fn set(&self, routes: Routes) {
        let mut current = self
            .0
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *current = Arc::new(routes);
    }

    pub(crate) fn get(&self) -> Arc<Routes> {
        let current = self
            .0
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Arc::clone(&current)
    }
}

/// gRPC service of the external processor.
#[derive(Clone, Debug)]
pub(crate) struct Processor(pub(crate) Current);

impl Service<http::Request<Body>> for Processor {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Boxed<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let processor = self.clone();
        Box::pin(async move {
            if request.uri().path() != PATH {
                return Ok(
                    Status::new(Code::Unimplemented, "expected ExternalProcessor/Process")
                        .into_http(),
                );
            }
            let mut grpc = Grpc::new(ProstCodec::default())
                .apply_max_message_size_config(Some(MAX_MESSAGE), None);
            Ok(grpc.streaming(processor, request).await)
        })
    }
}

impl StreamingService<ProcessingRequest> for Processor {
    type Response = ProcessingResponse;
    type ResponseStream = ReceiverStream<Result<ProcessingResponse, Status>>;
    type Future = Boxed<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<ProcessingRequest>>) -> Self::Future {
        let routes = self.0.get();
        Box::pin(async move {
            let (to, answers) = mpsc::channel(WAITING);
            tokio::spawn(converse(
                request.into_inner(),
                Conversation::new(routes),
                to,
            ));
            Ok(Response::new(ReceiverStream::new(answers)))
        })
    }
}

/// Replies to Envoy's messages until either side ends the stream.
async fn converse(
    mut requests: Streaming<ProcessingRequest>,
    mut conversation: Conversation,
    to: mpsc::Sender<Result<ProcessingResponse, Status>>,
) {
    // An error is that Envoy has ended the request, as it does when the client goes away.
    while let Ok(Some(message)) = requests.message().await {
        let Some(request) = message.request else {
            continue;
        };
        let Some(answers) = conversation.answer(request, Timestamp::now()) else {
            let broken = Status::new(Code::Aborted, "the response is broken off");
            let _ = to.send(Err(broken)).await;
            break;
        };
        for answer in answers {
            if to.send(Ok(answer)).await.is_err() {
                break;
            }
        }
    }
    if let Some(record) = conversation.close(Timestamp::now()) {
        eprintln!("{}", record.line());
    }
}
