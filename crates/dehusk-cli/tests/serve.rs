//! `dehusk serve` as a program: the same records as the other commands, the same options, tokens, signals.

use dehusk_options::Surface;
use dehusk_options::definitions::options_of;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// No test waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

fn dehusk() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk"));
    command.env_remove("DEHUSK_TOKEN").stdin(Stdio::null());
    command
}

/// A running service.
struct Service {
    child: Child,
    messages: BufReader<ChildStderr>,
    address: String,
}

impl Service {
    fn start(arguments: &[&str]) -> Service {
        Service::start_with(&mut dehusk(), arguments)
    }

    fn start_with(command: &mut Command, arguments: &[&str]) -> Service {
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        messages.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("dehusk: listening on http://");
        let address = address.unwrap_or_else(|| panic!("it said {line:?}")).to_string();
        Service { child, messages, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// One request. Returns the status and the body.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = self.connect();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        // The service answers a batch while it is sent, so somebody has to read.
        let (mut writer, body) = (stream.try_clone().unwrap(), body.to_vec());
        let sender = std::thread::spawn(move || {
            let _ = writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(&body));
        });
        let answer = read_answer(&mut stream);
        sender.join().unwrap();
        answer
    }

    fn json(&self, method: &str, path: &str, body: &[u8]) -> (u16, Value) {
        let (status, body) = self.ask(method, path, "Content-Type: application/json\r\n", body);
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    fn next_message(&mut self) -> String {
        let mut line = String::new();
        self.messages.read_line(&mut line).unwrap();
        line
    }

    /// What it says until its end, and its exit code.
    fn wait(mut self) -> (String, Option<i32>) {
        let mut text = String::new();
        self.messages.read_to_string(&mut text).unwrap();
        (text, self.child.wait().unwrap().code())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to its end; chunks must be whole.
fn read_answer(stream: &mut TcpStream) -> (u16, Vec<u8>) {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an answer");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut rest = &bytes[end + 4..];
    if !head.contains("transfer-encoding: chunked") {
        return (status, rest.to_vec());
    }
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|window| window == b"\r\n").expect("a whole answer");
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        body.extend_from_slice(&rest[line + 2..line + 2 + length]);
        rest = &rest[line + 4 + length..];
        if length == 0 {
            return (status, body);
        }
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites")
}

/// All pages of the example sites as lines of JSON.
fn example_lines() -> String {
    let mut lines = String::new();
    let mut open = vec![examples()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => open.push(entry),
                false if entry.extension().is_some_and(|ending| ending == "html") => files.push(entry),
                false => {}
            }
        }
    }
    files.sort();
    for (number, file) in files.iter().enumerate() {
        let name = file.strip_prefix(examples()).unwrap().to_str().unwrap();
        let record = json!({ "id": number, "url": format!("http://{name}"), "html": String::from_utf8_lossy(&fs::read(file).unwrap()) });
        lines += &format!("{record}\n");
    }
    assert!(files.len() > 20);
    lines
}

/// The records that the program writes.
fn records(folder: &TempDir, command: &str, lines: &str, flags: &[&str]) -> String {
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    fs::write(&input, lines).unwrap();
    let done = dehusk().arg(command).arg(&input).arg("-o").arg(&output).args(flags).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    fs::read_to_string(output).unwrap()
}

/// The options of a page that the service has.
fn page_options() -> impl Iterator<Item = &'static str> {
    options_of(dehusk_options::Command::Extract, Surface::Service).map(|definition| definition.name)
}

/// Each option with a value, as a query and as flags.
const OPTIONS: [(&str, &[&str]); 20] = [
    ("", &[]),
    ("detector=block", &["--detector", "block"]),
    ("detector=block&precision=0.5", &["--detector", "block", "--precision", "0.5"]),
    ("detector=block&recall=0.7", &["--detector", "block", "--recall", "0.7"]),
    (
        "detector=pagelevel&penalty=0.2&threshold=0.4",
        &["--detector", "pagelevel", "--penalty", "0.2", "--threshold", "0.4"],
    ),
    ("focus=0.9", &["--focus", "0.9"]),
    ("focus=precision", &["--focus", "precision"]),
    ("format=text,markdown", &["--format", "text,markdown"]),
    ("format=html&format=json", &["--format", "html", "--format", "json"]),
    ("heading=keep", &["--heading", "keep"]),
    ("comments=only", &["--comments", "only"]),
    ("format=markdown&no_links=true&no_images=true", &["--format", "markdown", "--no-links", "--no-images"]),
    ("format=markdown&no_links=false", &["--format", "markdown"]),
    ("include_hidden=true", &["--include-hidden"]),
    ("format=html&absolute_urls=true", &["--format", "html", "--absolute-urls"]),
    ("metadata=true", &["--metadata"]),
    ("scripting=true", &["--scripting"]),
    ("max_nodes=100", &["--max-nodes", "100"]),
    ("max_depth=8", &["--max-depth", "8"]),
    ("method=sitelevel", &["--method", "sitelevel"]),
];

#[test]
fn records_are_those_of_the_program() {
    let (folder, lines, service) = (TempDir::new().unwrap(), example_lines(), Service::start(&[]));
    let mut seen = std::collections::BTreeSet::new();
    for (query, flags) in OPTIONS {
        let expected = records(&folder, "extract", &lines, flags);
        let (status, found) = service.ask("POST", &format!("/v1/batch?{query}"), "", lines.as_bytes());
        assert_eq!((status, String::from_utf8(found).unwrap()), (200, expected.clone()), "{query}");
        // The same one by one, with the options in the object.
        let line = lines.lines().next().unwrap();
        let mut page: Value = serde_json::from_str(line).unwrap();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap();
            seen.insert(name.to_string());
            let value = match value {
                "true" => json!(true),
                "false" => json!(false),
                number if number.parse::<f64>().is_ok() => serde_json::from_str(number).unwrap(),
                text => json!(text),
            };
            match &mut page["options"][name] {
                Value::Null => page["options"][name] = value,
                other => *other = json!([other, value]),
            }
        }
        let (status, found) =
            service.ask("POST", "/v1/extract", "Content-Type: application/json\r\n", page.to_string().as_bytes());
        let first = expected.lines().next().unwrap();
        assert_eq!((status, String::from_utf8(found).unwrap().trim_end()), (200, first), "{query}");
    }
    let missing: Vec<_> = page_options().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "not tried: {missing:?}");
}

#[test]
fn contents_are_those_of_the_program() {
    let service = Service::start(&[]);
    let page = examples().join("harbour-notes.example/about.html");
    let bytes = fs::read(&page).unwrap();
    for (kind, format) in [("text/plain", "text"), ("text/markdown", "markdown"), ("text/html", "html")] {
        for more in [&[][..], &["--metadata"]] {
            let printed =
                dehusk().arg("extract").arg(&page).args(["--format", format]).args(more).output().unwrap().stdout;
            let query = if more.is_empty() { "" } else { "?metadata=true" };
            let headers = format!("Content-Type: text/html\r\nAccept: {kind}\r\n");
            assert_eq!(
                service.ask("POST", &format!("/v1/extract{query}"), &headers, &bytes),
                (200, printed),
                "{kind} {more:?}"
            );
        }
    }
}

#[test]
fn every_flag_of_extract_is_an_option_or_refused() {
    let help = String::from_utf8(dehusk().args(["extract", "--help"]).output().unwrap().stdout).unwrap();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let lines = help.lines().map(str::trim_start);
    let flags =
        lines.filter_map(|line| line.split_once("--").filter(|(start, _)| start.is_empty() || start.ends_with(", ")));
    let names: Vec<String> =
        flags.map(|(_, rest)| rest.split(|c| !is_name(c)).next().unwrap().replace('-', "_")).collect();
    assert!(names.len() > 30, "{names:?}");
    let known: Vec<&str> = page_options().collect();
    let service = Service::start(&[]);
    for name in &names {
        let (status, answer) = service.json("POST", &format!("/v1/extract?{name}=1"), b"{}");
        let message = answer["message"].as_str().unwrap_or_default();
        if known.contains(&&**name) || name == "url" {
            assert!(
                !message.contains("requests cannot set it") && !message.contains("there is no option"),
                "{name}: {message}"
            );
        } else if name != "help" {
            assert_eq!((status, answer["error"].as_str()), (400, Some("bad_options")), "{name}");
            assert!(message.contains("requests cannot set it"), "{name}: {message}");
        }
    }
    let missing: Vec<_> = known.iter().filter(|name| !names.contains(&name.to_string())).collect();
    assert!(missing.is_empty(), "{missing:?} are no flags of `dehusk extract`");
    let (_, answer) = service.json("POST", "/v1/extract?precision=0.5", b"{}");
    assert_eq!(answer["message"], "precision and recall need detector block");
    let (_, answer) = service.json("PUT", "/v1/sites/a.example?align_share=7", b"");
    assert!(answer["message"].as_str().unwrap().contains("give a number above 0 and at most 1"), "{answer}");
}

#[test]
fn a_template_store_is_shared_with_clean() {
    let (folder, lines) = (TempDir::new().unwrap(), example_lines());
    let store = folder.path().join("sites.store");
    let store = store.to_str().unwrap();
    records(&folder, "clean", &lines, &["--templates", store, "--method", "treemap"]);
    let service = Service::start(&["--templates", store]);
    for (query, flags) in [
        ("", &[][..]),
        ("?detector=treemap", &["--detector", "treemap"]),
        ("?detector=sitelevel", &["--detector", "sitelevel"]),
    ] {
        let all = [&["--templates", store, "--no-learn"], flags].concat();
        let expected = records(&folder, "clean", &lines, &all);
        let (status, found) = service.ask("POST", &format!("/v1/batch{query}"), "", lines.as_bytes());
        assert_eq!((status, String::from_utf8(found).unwrap()), (200, expected), "{query}");
    }
    // What the store has not is not made up.
    let page = json!({ "url": "http://docs.tidepool.example/x", "html": "<p>x", "options": { "detector": "align" } });
    let (status, answer) = service.json("POST", "/v1/extract", page.to_string().as_bytes());
    assert_eq!((status, answer["error"].as_str()), (422, Some("incompatible")), "{answer}");
    // And what the service learns, the program can use.
    let (status, answer) = service.json("DELETE", "/v1/sites/docs.tidepool.example", b"");
    assert_eq!(status, 204, "{answer}");
    let of_site: String = lines
        .lines()
        .filter(|line| line.contains("http://docs.tidepool.example/"))
        .map(|line| format!("{line}\n"))
        .collect();
    let (status, answer) = service.json("PUT", "/v1/sites/docs.tidepool.example?method=align", of_site.as_bytes());
    assert_eq!((status, &answer["method"]), (200, &json!("align")), "{answer}");
    let shown =
        dehusk().args(["show-template", "docs.tidepool.example", "--templates", store]).output().unwrap().stdout;
    let (status, drawn) = service.ask("GET", "/v1/sites/docs.tidepool.example/template", "", b"");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim_end().to_string();
    assert_eq!((status, text(drawn)), (200, text(shown)));
    let (_, file) = service.ask("GET", "/v1/sites/docs.tidepool.example/template?format=husk", "", b"");
    let husk = folder.path().join("a.husk");
    fs::write(&husk, file).unwrap();
    // The verdict is the one of the program.
    let report = folder.path().join("drift.json");
    let drift = dehusk()
        .arg("drift")
        .arg(&husk)
        .arg(examples().join("docs.tidepool.example"))
        .arg("--report")
        .arg(&report)
        .output();
    assert_eq!(drift.unwrap().status.code(), Some(0));
    let expected: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    let (_, verdict) = service.json("POST", "/v1/sites/docs.tidepool.example/drift", of_site.as_bytes());
    for key in ["site", "pages", "no_template_fits", "drifted", "findings"] {
        assert_eq!(verdict[key], expected[key], "{key}");
    }
    for (found, expected) in
        verdict["templates"].as_array().unwrap().iter().zip(expected["templates"].as_array().unwrap())
    {
        assert_eq!((&found["pages"], &found["verdict"]), (&expected["pages"], &expected["verdict"]));
        assert!((found["fit"].as_f64().unwrap() - expected["fit"].as_f64().unwrap()).abs() < 0.001);
    }
}

#[test]
fn other_addresses_need_a_token() {
    let refused = |command: &mut Command| {
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = refused(dehusk().args(["serve", "--listen", "0.0.0.0:0"]));
    assert_eq!(code, Some(2));
    assert!(message.contains("--token-file or DEHUSK_TOKEN"), "{message}");
    let (code, message) = refused(dehusk().args(["serve", "--listen", "0.0.0.0:0"]).env("DEHUSK_TOKEN", "short"));
    assert_eq!(code, Some(2));
    assert!(message.contains("a token is 16 to 4096"), "{message}");
    let (code, _) = refused(dehusk().args(["serve", "--token-file", "/nowhere/token"]));
    assert_eq!(code, Some(2));

    let folder = TempDir::new().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "a-secret-of-this-test\n").unwrap();
    let by_file = Service::start(&["--token-file", file.to_str().unwrap()]);
    let by_variable = Service::start_with(dehusk().env("DEHUSK_TOKEN", "a-secret-of-this-test"), &[]);
    for service in [by_file, by_variable] {
        assert_eq!(service.ask("GET", "/", "", b"").0, 401);
        assert_eq!(service.ask("GET", "/", "Authorization: Bearer a-secret-of-this-tesT\r\n", b"").0, 401);
        assert_eq!(service.ask("GET", "/", "Authorization: Bearer a-secret-of-this-test\r\n", b"").0, 200);
        assert_eq!(service.ask("GET", "/healthz", "", b"").0, 200);
    }
}

#[test]
fn an_address_in_use_is_refused() {
    let service = Service::start(&[]);
    let output = dehusk().args(["serve", "--listen", &service.address]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains(&format!("cannot listen on {}", service.address)), "{message}");
}

#[cfg(unix)]
#[test]
fn signals_stop_it_gracefully_and_then_at_once() {
    let begin = |service: &Service| {
        let mut stream = service.connect();
        stream.write_all(b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n").unwrap();
        let mut word = [0; 25];
        stream.read_exact(&mut word).unwrap();
        assert_eq!(&word, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream
    };
    for signal in ["TERM", "INT"] {
        let mut service = Service::start(&[]);
        let mut stream = begin(&service);
        service.signal(signal);
        assert!(service.next_message().contains("stopping"), "{signal}");
        // It was taken, so it is answered.
        stream.write_all(b"<p>taken").unwrap();
        let (status, body) = read_answer(&mut stream);
        assert!(status == 200 && String::from_utf8(body).unwrap().contains("taken"));
        assert_eq!(
            service.wait(),
            ("dehusk: stopped: 1 requests answered, 1 of them with status 200, 0 cut\n".to_string(), Some(0))
        );
    }
    let mut service = Service::start(&[]);
    let _stream = begin(&service);
    service.signal("TERM");
    assert!(service.next_message().contains("stopping"));
    service.signal("TERM");
    assert_eq!(service.wait().1, Some(130));
}
