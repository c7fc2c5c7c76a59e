//! Certificate and key of the listener.

use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ServerConfig;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{Error, InconsistentKeys};

/// Protocols offered to clients, the preferred first (RFC 7301).
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Error in the file that one of the keys names.
#[derive(Debug)]
pub(crate) struct CertificateError {
    /// `true` if the file with the key is wrong, `false` if that with the certificates is.
    pub(crate) is_of_key: bool,
    pub(crate) found: String,
}

/// Builds the settings of clients' connections from a chain of certificates and a key, both in PEM.
pub(crate) fn server_config(cert: &[u8], key: &[u8]) -> Result<ServerConfig, CertificateError> {
    let of_cert = |found: String| CertificateError {
        is_of_key: false,
        found,
    };
    let of_key = |found: String| CertificateError {
        is_of_key: true,
        found,
    };
    let provider = Arc::new(default_provider());
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(cert).collect();
    let chain = chain.map_err(|error| of_cert(error.to_string()))?;
    if chain.is_empty() {
        let found = "expected certificates in PEM, the proxy's first, found none";
        return Err(of_cert(found.to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| of_key(no_key(&error, key)))?;
    let unusable = |error: &Error| of_key(format!("expected a key that can sign: {error}"));
    let loaded = provider.key_provider.load_private_key(key);
    let pair = CertifiedKey::new(chain, loaded.map_err(|error| unusable(&error))?);
    match pair.keys_match() {
        Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => {}
        Err(Error::InconsistentKeys(_)) => {
            let found = "expected the key of the first certificate of \"cert\", found another key";
            return Err(of_key(found.to_owned()));
        }
        Err(error) => return Err(of_cert(format!("expected a certificate: {error}"))),
    }
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| of_key(error.to_string()))?;
    let mut config = builder
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

/// Describes the reason why a file has no usable key.
fn no_key(error: &PemError, file: &[u8]) -> String {
    let encrypted = b"BEGIN ENCRYPTED PRIVATE KEY";
    let is_encrypted = file
        .windows(encrypted.len())
        .any(|window| window == encrypted);
    match error {
        PemError::NoItemsFound if is_encrypted => {
            "expected a private key without a password, found an encrypted one; decrypt it, as with `openssl pkey`".to_owned()
        }
        PemError::NoItemsFound => "expected a private key in PEM, found none".to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERT: &[u8] = include_bytes!("../tests/tls/server.pem");
    const KEY: &[u8] = include_bytes!("../tests/tls/server.key");
    const AUTHORITY: &[u8] = include_bytes!("../tests/tls/authority.pem");

    #[test]
    fn a_wrong_file_is_an_error_of_its_key() {
        let encrypted =
            b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
        let broken = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        let cut = &CERT[..CERT.len() / 2];
        for (cert, key, is_of_key, part) in [
            (KEY, KEY, false, "expected certificates in PEM"),
            (b"", KEY, false, "expected certificates in PEM"),
            (broken, KEY, false, "expected a certificate: "),
            (cut, KEY, false, "section end"),
            (
                CERT,
                CERT,
                true,
                "expected a private key in PEM, found none",
            ),
            (CERT, encrypted, true, "found an encrypted one"),
            (
                AUTHORITY,
                KEY,
                true,
                "expected the key of the first certificate",
            ),
        ] {
            let error = server_config(cert, key).expect_err(part);
            assert_eq!(error.is_of_key, is_of_key, "{error:?}");
            assert!(error.found.contains(part), "{error:?}");
        }
        assert!(server_config(CERT, KEY).is_ok());
        assert!(server_config(&[CERT, AUTHORITY].concat(), KEY).is_ok());
    }
}
