//! A schema registry in memory, over HTTP or TLS, which counts what it is asked for and can be made to fail.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};

/// What it has, and how it behaves.
#[derive(Default)]
pub struct State {
    /// Schemas by their ids, from 1.
    pub schemas: Vec<Value>,
    /// The ids of the versions of each subject.
    pub subjects: BTreeMap<String, Vec<usize>>,
    /// The requests so far: method and path.
    pub log: Vec<String>,
    /// The header that requests must have.
    pub authorization: Option<String>,
    /// Statuses with which the next requests are refused, the last one first; 0 closes the connection.
    pub failures: Vec<u16>,
    /// After how many seconds a client that is refused with 429 is to come back.
    pub retry_after: u32,
    /// What is answered to everything.
    pub answer: Option<Vec<u8>>,
}

/// A registry that runs until the test ends.
pub struct Server {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn start() -> Self {
        Self::start_with(None)
    }

    pub fn start_with(tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        let scheme = if tls.is_some() { "https" } else { "http" };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, tls) = (shared.clone(), tls.clone());
                std::thread::spawn(move || match tls {
                    None => serve(stream, &state),
                    Some(config) => {
                        let connection = rustls::ServerConnection::new(config).unwrap();
                        serve(rustls::StreamOwned::new(connection, stream), &state);
                    }
                });
            }
        });
        Self { url: format!("{scheme}://localhost:{port}"), state }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Adds a schema as the next version of a subject; its id.
    pub fn add(&self, subject: &str, schema: Value) -> u32 {
        self.state().add(subject, schema) as u32
    }

    /// How many requests there were since the last call.
    pub fn asked(&self) -> usize {
        std::mem::take(&mut self.state().log).len()
    }
}

/// A schema of Protocol Buffers, with references: import paths, subjects and versions.
pub fn schema(text: &str, references: &[(&str, &str, u32)]) -> Value {
    let reference = |(name, subject, version): &(&str, &str, u32)| json!({"name": name, "subject": subject, "version": version});
    json!({"schemaType": "PROTOBUF", "schema": text, "references": references.iter().map(reference).collect::<Vec<_>>()})
}

/// One request; the connection ends with it. A client that goes away ends it too.
fn serve(stream: impl Read + Write, state: &Mutex<State>) {
    let mut stream = BufReader::new(stream);
    let (mut line, mut headers) = (String::new(), BTreeMap::new());
    if stream.read_line(&mut line).is_err() {
        return;
    }
    loop {
        let mut header = String::new();
        if stream.read_line(&mut header).unwrap_or(0) <= 2 {
            break;
        }
        if let Some((name, value)) = header.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    let mut body = vec![0; headers.get("content-length").map_or(0, |len| len.parse().unwrap())];
    if stream.read_exact(&mut body).is_err() {
        return;
    }
    let mut words = line.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return };
    let ((status, body), seconds) = {
        let mut state = state.lock().unwrap();
        (state.answer(method, path, &headers, &body), state.retry_after)
    };
    if status == 0 {
        return;
    }
    let retry = if status == 429 { format!("retry-after: {seconds}\r\n") } else { String::new() };
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{retry}\r\n", body.len());
    let stream = stream.get_mut();
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&body))
        .and_then(|()| stream.flush());
}

impl State {
    fn add(&mut self, subject: &str, schema: Value) -> usize {
        let known = self.schemas.iter().position(|known| *known == schema);
        let id = known.map_or(self.schemas.len() + 1, |at| at + 1);
        if known.is_none() {
            self.schemas.push(schema);
        }
        let versions = self.subjects.entry(subject.to_owned()).or_default();
        if !versions.contains(&id) {
            versions.push(id);
        }
        id
    }

    fn answer(
        &mut self,
        method: &str,
        path: &str,
        headers: &BTreeMap<String, String>,
        body: &[u8],
    ) -> (u16, Vec<u8>) {
        self.log.push(format!("{method} {path}"));
        if let Some(status) = self.failures.pop() {
            return (status, b"out of order".to_vec());
        }
        if self.authorization.is_some() && headers.get("authorization") != self.authorization.as_ref() {
            return (401, br#"{"error_code":401,"message":"who are you?"}"#.to_vec());
        }
        if let Some(answer) = &self.answer {
            return (200, answer.clone());
        }
        let decoded =
            |part: &str| percent_encoding::percent_decode_str(part).decode_utf8().unwrap().into_owned();
        let parts: Vec<_> = path.split('?').next().unwrap().split('/').skip(1).map(decoded).collect();
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        match self.find(method, &parts, serde_json::from_slice(body).unwrap_or_default()) {
            Ok(value) => (200, serde_json::to_vec(&value).unwrap()),
            Err((status, code, text)) => {
                (status, json!({"error_code": code, "message": text}).to_string().into_bytes())
            }
        }
    }

    fn find(
        &mut self,
        method: &str,
        parts: &[&str],
        mut body: Value,
    ) -> Result<Value, (u16, u32, &'static str)> {
        const NO_SUBJECT: (u16, u32, &str) = (404, 40401, "Subject not found.");
        const NO_VERSION: (u16, u32, &str) = (404, 40402, "Version not found.");
        if body.is_object() && body.get("references").is_none() {
            body["references"] = json!([]);
        }
        match (method, parts) {
            ("GET", ["subjects"]) => Ok(json!(self.subjects.keys().collect::<Vec<_>>())),
            ("GET", ["schemas", "ids", id]) => {
                let id: usize = id.parse().unwrap();
                self.schemas.get(id.wrapping_sub(1)).cloned().ok_or((404, 40403, "Schema not found."))
            }
            ("GET", ["subjects", subject, "versions"]) => {
                let versions = self.subjects.get(*subject).ok_or(NO_SUBJECT)?;
                Ok(json!((1..=versions.len()).collect::<Vec<_>>()))
            }
            ("GET", ["subjects", subject, "versions", version]) => {
                let versions = self.subjects.get(*subject).ok_or(NO_SUBJECT)?;
                let number = if *version == "latest" { versions.len() } else { version.parse().unwrap() };
                let id = *versions.get(number.wrapping_sub(1)).ok_or(NO_VERSION)?;
                let mut found = self.schemas[id - 1].clone();
                (found["subject"], found["version"], found["id"]) =
                    (json!(subject), json!(number), json!(id));
                Ok(found)
            }
            ("POST", ["subjects", subject, "versions"]) => {
                if body["schema"].as_str().unwrap().contains("bad") {
                    return Err((422, 42201, "Invalid schema."));
                }
                Ok(json!({"id": self.add(subject, body)}))
            }
            ("POST", ["subjects", subject]) => {
                let versions = self.subjects.get(*subject).ok_or(NO_SUBJECT)?;
                let at = versions.iter().position(|id| self.schemas[id - 1] == body).ok_or((
                    404,
                    40403,
                    "Schema not found",
                ))?;
                Ok(json!({"subject": subject, "version": at + 1, "id": versions[at]}))
            }
            ("POST", ["compatibility", "subjects", subject, "versions", "latest"]) => {
                let versions = self.subjects.get(*subject).ok_or(NO_SUBJECT)?;
                let id = versions.last().unwrap();
                Ok(json!({"is_compatible": self.schemas[id - 1]["references"] == body["references"]}))
            }
            _ => Err((405, 405, "Method not allowed")),
        }
    }
}
