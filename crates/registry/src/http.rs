//! [`Http`]: questions and answers in JSON, asked again when nobody answers.

use crate::error::{RegistryError, RegistryErrorKind};
use crate::model::Refusal;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use ureq::Agent;
use ureq::http::{HeaderValue, Method, Request, Uri, header};
use ureq::tls::TlsConfig;

/// What registries and their clients call JSON.
const JSON: &str = "application/vnd.schemaregistry.v1+json";
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Who asks.
#[derive(Clone)]
pub(crate) enum Credentials {
    None,
    /// The header.
    Basic(String),
    Bearer(Arc<dyn Fn() -> String + Send + Sync>),
}

impl Credentials {
    pub(crate) fn basic(user: &str, password: &str) -> Self {
        Self::Basic(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
    }

    fn header(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Basic(header) => Some(header.clone()),
            Self::Bearer(token) => Some(format!("Bearer {}", token())),
        }
    }
}

/// How often, and how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) attempts: u32,
    pub(crate) wait: Duration,
    /// The bytes of an answer.
    pub(crate) answer: usize,
}

/// Asks registries.
pub(crate) struct Http {
    agent: Agent,
    urls: Vec<String>,
    credentials: Credentials,
    pub(crate) limits: Limits,
}

impl fmt::Debug for Http {
    /// Without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("urls", &self.urls).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// An answer: its status, how long the registry wants to be left alone, and the text.
struct Answered {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Http {
    pub(crate) fn new(
        urls: Vec<String>,
        credentials: Credentials,
        tls: TlsConfig,
        timeout: Duration,
        limits: Limits,
    ) -> Result<Self, RegistryError> {
        for url in &urls {
            let wrong = |text: &str| RegistryError::new(RegistryErrorKind::Configuration(text.into()), url);
            let uri: Uri = url.parse().map_err(|_| wrong("it is no address"))?;
            if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.query().is_some() {
                return Err(wrong("it is no address of the form http://host or https://host/path"));
            }
            // Errors show addresses.
            if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
                let url = uri.host().unwrap_or_default();
                let text = "an address has no user and password; `basic` takes them";
                return Err(RegistryError::new(RegistryErrorKind::Configuration(text.into()), url));
            }
        }
        let config =
            Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).tls_config(tls);
        let urls = urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect();
        Ok(Self { agent: config.build().into(), urls, credentials, limits })
    }

    /// Asks for what is at a path.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, RegistryError> {
        self.ask(Method::GET, path, Vec::new())
    }

    /// Sends a question.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        question: &impl Serialize,
    ) -> Result<T, RegistryError> {
        let body = serde_json::to_vec(question)
            .map_err(|error| RegistryError::new(RegistryErrorKind::Answer(error.to_string().into()), path))?;
        self.ask(Method::POST, path, body)
    }

    fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<T, RegistryError> {
        let mut wait = self.limits.wait;
        let mut attempt = 1;
        loop {
            let (result, retry_after) = self.ask_all(&method, path, &body);
            match result {
                Err(error) if error.is_transient() && attempt < self.limits.attempts => {
                    std::thread::sleep(
                        retry_after.unwrap_or_else(|| wait.mul_f64(1.0 - fastrand::f64() / 4.0)),
                    );
                    (attempt, wait) = (attempt + 1, (2 * wait).min(LONGEST_WAIT));
                }
                Err(error) => return Err(error),
                Ok(body) => {
                    let answer = serde_json::from_slice(&body);
                    return answer.map_err(|error| {
                        RegistryError::new(RegistryErrorKind::Answer(error.to_string().into()), path)
                    });
                }
            }
        }
    }

    /// Asks the registries one after another until one answers.
    fn ask_all(
        &self,
        method: &Method,
        path: &str,
        body: &[u8],
    ) -> (Result<Vec<u8>, RegistryError>, Option<Duration>) {
        let unreachable =
            |text: String| RegistryError::new(RegistryErrorKind::Unreachable(text.into()), path);
        let mut last = (Err(unreachable("there is no address".to_owned())), None);
        for url in &self.urls {
            last = match self.ask_one(url, method, path, body) {
                Ok(answered) => {
                    let retry_after = answered.retry_after;
                    (answered.content(path), retry_after)
                }
                // What is wrong with the question itself is wrong everywhere.
                Err(ureq::Error::BodyExceedsLimit(_)) => {
                    let text = format!("it is longer than {} bytes", self.limits.answer);
                    return (Err(RegistryError::new(RegistryErrorKind::Answer(text.into()), path)), None);
                }
                Err(ureq::Error::Http(error)) => {
                    return (
                        Err(RegistryError::new(
                            RegistryErrorKind::Configuration(error.to_string().into()),
                            path,
                        )),
                        None,
                    );
                }
                Err(error) => (Err(unreachable(format!("{url}: {error}"))), None),
            };
            if !matches!(&last.0, Err(error) if error.is_transient()) {
                break;
            }
        }
        last
    }

    fn ask_one(&self, url: &str, method: &Method, path: &str, body: &[u8]) -> Result<Answered, ureq::Error> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{url}{path}"))
            .header(header::ACCEPT, JSON)
            .header(header::CONTENT_TYPE, JSON);
        if let Some(credentials) = self.credentials.header() {
            let mut value =
                HeaderValue::from_str(&credentials).map_err(|error| ureq::Error::Http(error.into()))?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        let mut response = if body.is_empty() {
            self.agent.run(request.body(()).map_err(ureq::Error::Http)?)?
        } else {
            self.agent.run(request.body(body).map_err(ureq::Error::Http)?)?
        };
        let seconds =
            response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let retry_after = seconds.map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT));
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(self.limits.answer as u64).read_to_vec()?;
        Ok(Answered { status, retry_after, body })
    }
}

impl Answered {
    /// The text of an answer, or what the registry refuses.
    fn content(self, path: &str) -> Result<Vec<u8>, RegistryError> {
        if (200..300).contains(&self.status) {
            return Ok(self.body);
        }
        let refusal: Refusal = serde_json::from_slice(&self.body).unwrap_or_default();
        let text: Arc<str> = match refusal.message.is_empty() {
            true => "it says nothing more".into(),
            false => refusal.message.into(),
        };
        let kind = match self.status {
            401 | 403 => RegistryErrorKind::Unauthorized(text),
            404 => RegistryErrorKind::NotFound(text),
            status => RegistryErrorKind::Refused(status, refusal.error_code, text),
        };
        Err(RegistryError::new(kind, path))
    }
}
