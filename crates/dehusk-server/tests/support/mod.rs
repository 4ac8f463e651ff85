//! A service in this process, and a client that can also send what no client should.

use dehusk_server::serve::{PageHook, Server, Settings, Stopper, Summary};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// No test waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Holds workers: those that come to it wait until it is opened.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    /// Waits until so many workers are held.
    pub(crate) fn wait_for(&self, held: usize) {
        let state = self.state.lock().unwrap();
        let (_state, timed_out) = self.changed.wait_timeout_while(state, PATIENCE, |state| state.0 < held).unwrap();
        assert!(!timed_out.timed_out(), "no worker came to the gate");
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

/// A page that waits at the gate.
pub(crate) const HELD: &str = r#"{"html": "<p>x", "url": "http://held.example/"}"#;
/// A page on which the service has a bug.
pub(crate) const BUG: &str = r#"{"html": "<p>x", "url": "http://bug.example/"}"#;

/// A running service.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) gate: Arc<Gate>,
    stopper: Stopper,
    thread: Option<JoinHandle<Summary>>,
}

impl Running {
    /// Starts a service with changed settings.
    pub(crate) fn start(change: impl FnOnce(&mut Settings)) -> Running {
        let mut settings = Settings::default();
        settings.listen = "127.0.0.1:0".parse().unwrap();
        settings.threads = 2;
        change(&mut settings);
        let gate = Arc::<Gate>::default();
        let at_gate = gate.clone();
        settings.before_page = Some(PageHook::new(move |url| match url {
            "http://held.example/" => at_gate.pass(),
            "http://bug.example/" => panic!("a bug"),
            _ => {}
        }));
        let server = Server::bind(settings).unwrap();
        let (address, stopper) = (server.address(), server.stopper());
        let thread = std::thread::spawn(move || server.run().unwrap());
        Running { address, gate, stopper, thread: Some(thread) }
    }

    pub(crate) fn stop(&self) {
        self.stopper.stop();
    }

    /// Waits for the end of the service.
    pub(crate) fn join(mut self) -> Summary {
        self.thread.take().unwrap().join().unwrap()
    }

    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client { reader: BufReader::new(stream) }
    }

    /// One request on a connection of its own.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut client = self.connect();
        client.send(method, path, headers, body);
        client.answer()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn post_html(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[("Content-Type", "text/html; charset=utf-8")], body.as_bytes())
    }

    pub(crate) fn post_json(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[("Content-Type", "application/json")], body.as_bytes())
    }

    /// The value of a metric without labels.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find(|line| line.split(' ').next() == Some(name));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).rsplit(' ').next().unwrap().parse().unwrap()
    }

    /// Asks for a metric until it is as expected.
    pub(crate) fn wait_for_metric(&self, name: &str, is_expected: impl Fn(f64) -> bool) {
        for _ in 0..2000 {
            if is_expected(self.metric(name)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{name} is {}", self.metric(name));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.gate.open();
        self.stopper.stop();
    }
}

/// A connection.
pub(crate) struct Client {
    reader: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += "Host: localhost\r\n";
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() || method == "POST" {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        self.write([head.as_bytes(), b"\r\n", body].concat());
    }

    /// Sends the head of a request whose body comes in chunks.
    pub(crate) fn begin_chunks(&mut self, path: &str, content_type: &str) {
        self.write(format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
        ));
    }

    pub(crate) fn chunk(&mut self, bytes: &[u8]) {
        self.write([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat());
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_write(bytes).unwrap();
    }

    pub(crate) fn try_write(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        self.reader.get_mut().write_all(bytes.as_ref())
    }

    pub(crate) fn answer(&mut self) -> Answer {
        self.try_answer().expect("an answer")
    }

    /// The next answer; nothing if the connection is closed first.
    pub(crate) fn try_answer(&mut self) -> Option<Answer> {
        let mut answer = self.head()?;
        if let Some(length) = answer.header("content-length") {
            answer.body = vec![0; length.parse().unwrap()];
            self.reader.read_exact(&mut answer.body).ok()?;
        } else if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.next_chunk()? {
                answer.body.extend(chunk);
            }
        }
        Some(answer)
    }

    /// Status and headers of an answer.
    pub(crate) fn head(&mut self) -> Option<Answer> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {line:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Some(Answer { status, headers, body: Vec::new() });
            }
            let (name, value) = line.split_once(": ").unwrap();
            headers.push((name.to_ascii_lowercase(), value.to_string()));
        }
    }

    /// The next chunk of an answer, `Some(None)` at its end, and nothing if it is cut.
    pub(crate) fn next_chunk(&mut self) -> Option<Option<Vec<u8>>> {
        let length = usize::from_str_radix(&self.line()?, 16).unwrap();
        let mut chunk = vec![0; length];
        self.reader.read_exact(&mut chunk).ok()?;
        self.line()?;
        Some((length > 0).then_some(chunk))
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => line.strip_suffix("\r\n").map(String::from),
            Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("no answer came"),
            Err(_) => None,
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The JSON of the body, or null.
    pub(crate) fn json_or_null(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The lines of JSON.
    pub(crate) fn records(&self) -> Vec<serde_json::Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Checks that it tells a problem of a kind.
    #[track_caller]
    pub(crate) fn check_problem(&self, status: u16, kind: &str) {
        assert_eq!((self.status, self.json()["error"].as_str()), (status, Some(kind)), "{}", self.text());
        assert!(!self.json()["message"].as_str().unwrap().is_empty());
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
    }
}

/// A page of a site.
pub(crate) fn page(site: &str, number: usize) -> String {
    let text = format!("Nets of boat {number} are mended in May, when the boats come home and the nights are short. ")
        .repeat(4);
    format!(
        "<!doctype html><title>Boat {number}</title><nav><a href=/>Home of {site}</a> <a href=/all>All boats</a> <a href=/new>New boats</a></nav>\
         <main><h1>Boat {number}</h1><p>{text}</p><p>Number {number} sails on.</p></main><footer>© {site}. <a href=/privacy>Privacy</a></footer>"
    )
}

/// Lines of JSON with pages of a site.
pub(crate) fn lines(site: &str, numbers: std::ops::Range<usize>) -> String {
    let line = |number| {
        let record =
            serde_json::json!({ "id": number, "url": format!("http://{site}/{number}"), "html": page(site, number) });
        format!("{record}\n")
    };
    numbers.map(line).collect()
}
