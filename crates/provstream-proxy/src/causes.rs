//! Formats errors for logs.

use core::error::Error;

/// Most bytes of a formatted error.
const MAX_LEN: usize = 512;

/// Formats an error with its causes, the outermost first. Longer texts are cut to 512 bytes and end
/// in `…`. Errors of connections contain neither headers nor bodies.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let more = cause.to_string();
        // Some errors end with the text of their cause.
        if !text.ends_with(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = cause.source();
    }
    if text.len() > MAX_LEN {
        let end = (0..=MAX_LEN).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::ServerConfig;
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::config::Timeouts;
    use crate::outgoing::Outgoing;
    use crate::tls::client;

    #[derive(Debug)]
    struct Nested(&'static str, Option<Box<Nested>>);

    impl core::fmt::Display for Nested {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Nested {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|inner| inner as _)
        }
    }

    #[test]
    fn causes_follow_one_another_once_and_are_bounded() {
        let inner = || Some(Box::new(Nested("refused", None)));
        assert_eq!(causes(&Nested("connect", inner())), "connect: refused");
        assert_eq!(
            causes(&Nested("connect: refused", inner())),
            "connect: refused"
        );
        let long: &'static str = Box::leak("é".repeat(400).into_boxed_str());
        let text = causes(&Nested(long, inner()));
        assert_eq!(text.len(), MAX_LEN + "…".len());
        assert!(text.ends_with("é…"), "{text}");
    }

    /// A server whose certificate is of an authority that nobody trusts.
    async fn server() -> u16 {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/");
        let certificate =
            CertificateDer::from_pem_file(format!("{folder}server.pem")).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(format!("{folder}server.key")).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a pair");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(tls));
            while let Ok((stream, _)) = listener.accept().await {
                let _ = acceptor.accept(stream).await;
            }
        });
        port
    }

    #[tokio::test]
    async fn a_certificate_that_is_not_trusted_is_named_as_the_cause() {
        let url = format!("https://localhost:{}/", server().await);
        let client = client(&Timeouts::default(), None).expect("a client");
        let mut request = http::Request::new(Outgoing::whole(bytes::Bytes::new()));
        *request.uri_mut() = url.parse().expect("a URL");
        let error = client.request(request).await.expect_err("not trusted");
        let text = causes(&error);
        assert!(
            text.contains("certificate") && text.contains("UnknownIssuer"),
            "{text}"
        );
    }
}
