//! [`RegistryBuilder`].

use crate::cache::Cache;
use crate::error::{RegistryError, RegistryErrorKind};
use crate::http::{Credentials, Http, Limits};
use crate::registry::Registry;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

/// Where a registry is, and how it is asked.
///
/// ```
/// use std::time::Duration;
/// use tablepb_registry::Registry;
///
/// let registry = Registry::builder("https://one.example")
///     .url("https://two.example")
///     .basic("user", "secret")
///     .timeout(Duration::from_secs(5))
///     .build()?;
/// // Nothing was asked for so far.
/// assert!(registry.known(7).is_none());
/// assert!(Registry::builder("no address").build().is_err());
/// # Ok::<(), tablepb_registry::RegistryError>(())
/// ```
#[must_use]
pub struct RegistryBuilder {
    urls: Vec<String>,
    credentials: Credentials,
    roots: Option<Vec<u8>>,
    client: Option<(Vec<u8>, Vec<u8>)>,
    timeout: Duration,
    limits: Limits,
    capacity: usize,
    absent_for: Duration,
    normalize: bool,
}

impl fmt::Debug for RegistryBuilder {
    /// Without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder").field("urls", &self.urls).finish_non_exhaustive()
    }
}

impl RegistryBuilder {
    pub(crate) fn new(url: impl Into<String>) -> Self {
        Self {
            urls: vec![url.into()],
            credentials: Credentials::None,
            roots: None,
            client: None,
            timeout: Duration::from_secs(10),
            limits: Limits { attempts: 4, wait: Duration::from_millis(100), answer: 16 << 20 },
            capacity: 1000,
            absent_for: Duration::from_secs(10),
            normalize: false,
        }
    }

    /// Another address of the same registry, which is asked when those before it do not answer.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.urls.push(url.into());
        self
    }

    /// Basic authentication (RFC 7617).
    pub fn basic(mut self, user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
        self.credentials = Credentials::basic(user.as_ref(), password.as_ref());
        self
    }

    /// A bearer token (RFC 6750), the same for each request.
    pub fn bearer(self, token: impl Into<String>) -> Self {
        let token = token.into();
        self.bearer_with(move || token.clone())
    }

    /// A bearer token (RFC 6750) that the function returns for each request, so that it may change.
    pub fn bearer_with(mut self, token: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.credentials = Credentials::Bearer(Arc::new(token));
        self
    }

    /// The certificates, in PEM, of those who may have signed that of the registry; those of Mozilla by default.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots = Some(pem.into());
        self
    }

    /// A certificate, in PEM with those that it needs, and its private key, for a registry that wants to know who asks (mutual TLS). None by default.
    pub fn client_certificate(mut self, pem: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.client = Some((pem.into(), key.into()));
        self
    }

    /// How long one request may take, from the connection to the last byte of the answer; 10 seconds by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often a request is made, if it gets no answer or the status is 429 or at least 500; 4 times by default, at least once. Each time, all addresses are tried in turn.
    /// Between the times it waits `wait`, then twice as long and so on, each time up to a quarter less, or for as long as the registry says (`Retry-After`), at most 30
    /// seconds; 100 milliseconds by default.
    pub fn attempts(mut self, attempts: u32, wait: Duration) -> Self {
        self.limits.attempts = attempts.max(1);
        self.limits.wait = wait;
        self
    }

    /// The longest answer, in bytes; 16 MiB by default. All schemas that one refers to may be 16 times as long together.
    pub fn max_answer_len(mut self, bytes: usize) -> Self {
        self.limits.answer = bytes;
        self
    }

    /// How many schemas are kept, those that were asked for last; 1 000 by default, at least 1. A schema is kept with all that it imports, and never changes.
    pub fn capacity(mut self, schemas: usize) -> Self {
        self.capacity = schemas.max(1);
        self
    }

    /// How long it is remembered that there is no schema with an id, or none that compiles, so that a topic of bad records is not a question for each; 10 seconds by default.
    pub fn absent_for(mut self, time: Duration) -> Self {
        self.absent_for = time;
        self
    }

    /// Whether the registry is asked to put schemas into its normal form before it compares and registers them; false by default.
    pub fn normalize(mut self, normalize: bool) -> Self {
        self.normalize = normalize;
        self
    }

    /// A registry, which is not asked for anything yet.
    ///
    /// # Errors
    /// `Configuration`: an address does not begin with `http://` or `https://`, or has a user; a certificate or key cannot be read.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let wrong = |what: &str, text: String| {
            RegistryError::new(RegistryErrorKind::Configuration(text.into()), what)
        };
        let certificates = |what: &str, pem: &[u8]| {
            let mut all = Vec::new();
            for item in ureq::tls::parse_pem(pem) {
                match item.map_err(|error| wrong(what, error.to_string()))? {
                    ureq::tls::PemItem::Certificate(certificate) => all.push(certificate),
                    _ => return Err(wrong(what, "it has something else than certificates".to_owned())),
                }
            }
            match all.is_empty() {
                true => Err(wrong(what, "it has no certificate".to_owned())),
                false => Ok::<Vec<Certificate<'static>>, _>(all),
            }
        };
        let mut tls = TlsConfig::builder();
        if let Some(pem) = &self.roots {
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates("the root certificates", pem)?));
        }
        if let Some((pem, key)) = &self.client {
            let chain = certificates("the client certificate", pem)?;
            let key =
                PrivateKey::from_pem(key).map_err(|error| wrong("the private key", error.to_string()))?;
            tls = tls.client_cert(Some(ClientCert::new_with_certs(&chain, key)));
        }
        let http = Http::new(self.urls, self.credentials, tls.build(), self.timeout, self.limits)?;
        let capacity = NonZeroUsize::new(self.capacity).unwrap_or(NonZeroUsize::MIN);
        Ok(Registry::from_parts(http, Cache::new(capacity, self.absent_for), self.normalize))
    }
}
