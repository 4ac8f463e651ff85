//! The HTTP service: what it answers, and what it does with clients that are slow, broken, many or hostile.

mod support;

use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;
use support::{BUG, HELD, Running, lines, page};

#[test]
fn a_page_becomes_a_record() {
    let service = Running::start(|_| {});
    let answer =
        service.post_html("/v1/extract?url=http://a.example/1&format=text,markdown&metadata=true", &page("a", 1));
    assert_eq!(answer.json()["title"], "Boat 1");
    let answer = service.post_html("/v1/extract?url=http://a.example/1&format=text&format=markdown", &page("a", 1));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let record = answer.json();
    assert_eq!((&record["url"], &record["host"]), (&json!("http://a.example/1"), &json!("a.example")));
    assert!(record["text"].as_str().unwrap().contains("Number 1 sails on."), "{record}");
    assert!(record["markdown"].as_str().unwrap().starts_with("# Boat 1"), "{record}");
    assert_eq!((&record["id"], &record["error"]), (&Value::Null, &Value::Null));
}

#[test]
fn records_are_a_format() {
    let service = Running::start(|_| {});
    let card = |name: &str| {
        format!(
            "<li><h3><a href={name}>{name} net</a></h3><p>made of hemp and knotted by hand in the long winter</p></li>"
        )
    };
    let cards: String = ["cod", "herring", "eel", "plaice"].map(card).concat();
    let html = format!("<title>Shop</title><main><h1>Nets of the year</h1><ul>{cards}</ul></main>");
    let ask = |format: &str| {
        service
            .post_html(&format!("/v1/extract?url=http://a.example/shop/&detector=none&format={format}"), &html)
            .json()
    };
    let row = ask("text,records");
    assert!(row["text"].as_str().unwrap().contains("herring net"), "{row}");
    let group = &row["records"]["groups"][0];
    assert_eq!((&group["is_content"], group["records"].as_array().unwrap().len()), (&json!(true), 4));
    assert_eq!(group["records"][1]["fields"]["url"], "http://a.example/shop/herring");
    assert_eq!(ask("records")["records"], row["records"]);
    let described = service.get("/v1/openapi.json").text();
    assert!(described.contains("\"RecordGroup\"") && described.contains("\"records\""));
}

#[test]
fn the_content_alone_is_in_the_format_that_the_client_accepts() {
    let service = Running::start(|_| {});
    let accept = |kind: &str| {
        service.ask("POST", "/v1/extract", &[("Accept", kind), ("Content-Type", "text/html")], page("a", 1).as_bytes())
    };
    let text = accept("text/plain");
    assert_eq!((text.status, text.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    assert!(text.text().contains("Number 1 sails on.") && !text.text().contains("Privacy"), "{}", text.text());
    assert!(accept("text/markdown").text().starts_with("# Boat 1\n"));
    let html = accept("text/html,*/*;q=0.8");
    assert_eq!(html.header("content-security-policy"), Some("default-src 'none'; sandbox"));
    assert!(html.text().contains("<h1>Boat 1</h1>"), "{}", html.text());
    accept("image/png").check_problem(406, "not_acceptable");
    let contradiction = [("Accept", "text/html"), ("Content-Type", "text/html")];
    service.ask("POST", "/v1/extract?format=markdown", &contradiction, b"<p>x").check_problem(400, "bad_options");
}

#[test]
fn encodings_are_honoured() {
    let service = Running::start(|_| {});
    let text = |kind: &str, body: &[u8]| {
        let headers = [("Content-Type", kind), ("Accept", "text/plain")];
        service.ask("POST", "/v1/extract?detector=none", &headers, body).text()
    };
    assert_eq!(text("text/html; charset=iso-8859-1", b"<p>caf\xe9"), "café\n");
    assert_eq!(text("application/octet-stream", b"<meta charset=iso-8859-2><p>\xb1"), "ą\n");
    assert_eq!(text("application/xhtml+xml; charset=utf-8", "<p>ü</p>".as_bytes()), "ü\n");
    let record = service.ask("POST", "/v1/extract?detector=none", &[], b"<p>plain").json();
    assert_eq!(record["text"].as_str().unwrap().trim(), "plain");
    // JSON is Unicode, whatever the page says of itself.
    let record =
        service.post_json("/v1/extract", r#"{"html": "<meta charset=latin1><p>ä", "options": {"detector": "none"}}"#);
    assert_eq!(record.json()["text"].as_str().unwrap().trim(), "ä");
}

#[test]
fn a_json_body_has_the_page_and_its_options() {
    let service = Running::start(|_| {});
    let body = json!({ "id": [7], "url": "http://a.example/", "html": page("a", 1), "options": { "format": ["markdown"], "site": false, "metadata": null } });
    let record = service.post_json("/v1/extract", &body.to_string()).json();
    assert_eq!((&record["id"], &record["url"]), (&json!([7]), &json!("http://a.example/")));
    assert!(record["markdown"].is_string() && record.get("text").is_none(), "{record}");
    // Options of the query count if the object has none.
    let record = service.post_json("/v1/extract?format=markdown&url=http://b.example/", r#"{"html": "<p>x"}"#).json();
    assert!(record["markdown"].is_string() && record["url"] == "http://b.example/");
    for (body, kind) in [
        ("", "bad_json"),
        ("[]", "bad_json"),
        (r#"{"html": "<p>x""#, "bad_json"),
        (r#"{"url": "u"}"#, "missing_column"),
        (r#"{"html": 5}"#, "missing_column"),
        (r#"{"html": "x", "url": 5}"#, "missing_column"),
        (r#"{"html": "x", "format": "markdown"}"#, "bad_options"),
        (r#"{"html": "x", "options": 5}"#, "bad_options"),
        (r#"{"html": "x", "options": {"format": {}}}"#, "bad_options"),
        (r#"{"html": "x", "options": {"metadata": "yes"}}"#, "bad_options"),
        (r#"{"html": "x", "options": {"model": "builtin"}}"#, "bad_options"),
        (r#"{"html": "x", "options": {"metadata": [true, true]}}"#, "bad_options"),
        (r#"{"html": "x", "options": {"format": "markdown", "max_nodes": 1e400}}"#, "bad_options"),
        (
            &format!(r#"{{"html": "x", "options": {{"format": {}{}}}}}"#, "[".repeat(200), "]".repeat(200)),
            "bad_options",
        ),
    ] {
        service.post_json("/v1/extract", body).check_problem(400, kind);
    }
    service
        .post_json("/v1/extract?metadata=true", r#"{"html": "x", "options": {"format": "text"}}"#)
        .check_problem(400, "bad_options");
}

#[test]
fn options_that_are_unknown_or_name_files_are_refused() {
    let service = Running::start(|settings| settings.limits.nodes = 1000);
    for option in [
        "model=/etc/passwd",
        "template=x",
        "templates=x",
        "pages=/",
        "layout=chromium",
        "layout=boxes.json",
        "report=/tmp/x",
        "output=/tmp/x",
        "carry=x",
        "resume=true",
        "threads=9",
        "max_bytes=1",
        "max-bytes=1",
        "no_such=1",
        "=",
        "metadata=1",
        "metadata",
        "max_nodes=1001",
        "max_nodes=x",
        "metadata=true&metadata=true",
        "site=maybe",
        "url=a&url=b",
        "detector=nope",
        "format=--model=x",
        "format=pdf",
    ] {
        let answer = service.post_html(&format!("/v1/extract?{option}"), "<p>x");
        answer.check_problem(400, "bad_options");
        service.ask("POST", &format!("/v1/batch?{option}"), &[], b"{}").check_problem(400, "bad_options");
    }
    assert_eq!(service.post_html("/v1/extract?max_nodes=999", "<p>x").status, 200);
    let long = format!("/v1/extract?detector={}", "x".repeat(300));
    service.post_html(&long, "").check_problem(400, "bad_options");
    let many: String = (0..200).map(|number| format!("o{number}=1&")).collect();
    service.post_html(&format!("/v1/extract?{many}"), "").check_problem(400, "bad_options");
}

/// Options are checked before anything large is built from them: 30 MB of zeros took a gigabyte.
#[test]
fn options_of_any_size_are_refused_in_little_memory() {
    let service = Running::start(|_| {});
    let ask = |options: &str| service.post_json("/v1/extract", &format!(r#"{{"html": "<p>x", "options": {options}}}"#));
    for (one, many) in [("0", "[{}]"), (r#""text""#, r#"{"format": [{}]}"#), (r#"{"a":[]}"#, r#"{"a": [{}]}"#)] {
        for count in [300, 200_000] {
            ask(&many.replace("{}", &vec![one; count].join(","))).check_problem(400, "bad_options");
        }
    }
    let twice = ask(r#"{"format": ["text", "text", "markdown", "text"]}"#).json();
    assert!(twice["text"].is_string() && twice["markdown"].is_string(), "{twice}");
    ask(&format!(r#"{{"detector": "{}"}}"#, "d".repeat(100_000))).check_problem(400, "bad_options");
    let names: Vec<String> = (0..20_000).map(|number| format!(r#""o{number}": 1"#)).collect();
    ask(&format!("{{{}}}", names.join(","))).check_problem(400, "bad_options");
}

/// Whatever a client sends, and wherever: what an answer says about it is short. Lines of 60 MB with one address each were all kept.
#[test]
fn answers_repeat_little_of_what_was_sent() {
    let service = Running::start(|_| {});
    let ndjson = [("Content-Type", "application/x-ndjson")];
    let long = "n".repeat(200_000);
    let bad_lines = [
        json!({ "url": format!("http://b.example/{long}"), "html": "<p>x" }),
        json!({ "url": format!("http://{long}/"), "html": "<p>x" }),
        json!({ "url": format!("http://a.example/{long}") }),
        json!({ "url": "http://a.example/", "html": [long] }),
        json!({ "url": { &*long: 1 }, "html": "<p>x" }),
        json!({ &*long: "<p>x" }),
    ];
    let bad: String = bad_lines.iter().cycle().take(30).map(|line| format!("{line}\n")).collect();
    let body = lines("a.example", 0..3) + &bad + &long + "\n";
    let short = |what: &str, length: usize| assert!(length < 40_000, "{what} is answered with {length} bytes");
    for (method, path) in
        [("PUT", "/v1/sites/a.example"), ("POST", "/v1/sites/a.example/learn"), ("POST", "/v1/sites/a.example/drift")]
    {
        let answer = service.ask(method, path, &ndjson, body.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["failed"], 31);
        short(path, answer.body.len());
        short(path, service.ask(method, path, &ndjson, bad.as_bytes()).body.len());
    }
    // The columns of a row are those of its page; the message is ours.
    for row in service.ask("POST", "/v1/batch", &ndjson, bad.as_bytes()).records() {
        short("a line", row["error_message"].as_str().unwrap_or_default().len());
    }
    let long = "n".repeat(6_000);
    for path in ["/v1/extract?N=1", "/v1/extract?detector=N", "/v1/extract?N", "/v1/sites/N", "/N"] {
        let answer = service.post_html(&path.replace('N', &long), "<p>x");
        assert!(answer.status >= 400 && answer.body.len() < 3_000, "{path}: {} {}", answer.status, answer.body.len());
    }
    let body = json!({ "html": "<p>x", "options": { &*long: 1 } });
    short("a name", service.post_json("/v1/extract", &body.to_string()).body.len());
}

#[test]
fn bodies_in_other_codings_than_chunks_are_refused() {
    let service = Running::start(|_| {});
    for (coding, status) in [("chunked", 200), ("gzip, chunked", 501), ("gzip,chunked", 501)] {
        let mut client = service.connect();
        client.write(format!("POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: {coding}\r\n\r\n"));
        client.chunk(b"<p>x");
        client.chunk(b"");
        assert_eq!(client.answer().status, status, "{coding}");
    }
}

#[test]
fn requests_that_fit_nothing_are_refused() {
    let service = Running::start(|_| {});
    service.get("/v1/nothing").check_problem(404, "not_found");
    let wrong = service.get("/v1/extract");
    wrong.check_problem(405, "method_not_allowed");
    assert_eq!(wrong.header("allow"), Some("POST"));
    service.ask("OPTIONS", "/v1/sites/a.example", &[], b"").check_problem(405, "method_not_allowed");
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    service.ask("POST", "/v1/extract", &form, b"x").check_problem(415, "unsupported_type");
    service.ask("POST", "/v1/batch", &form, b"x").check_problem(415, "unsupported_type");
    let packed = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")];
    service.ask("POST", "/v1/extract", &packed, b"x").check_problem(415, "unsupported_type");
    let image = [("Content-Type", "text/html")];
    service.ask("POST", "/v1/extract", &image, b"\x89PNG\r\n\x1a\n\0\0\0\0\0\0\0").check_problem(422, "not_text");
    service.ask("PUT", "/v1/sites/a%2Fb", &[], b"x").check_problem(400, "bad_request");
    service.post_html("/v1/extract?detector=sitelevel&url=http://a.example/", "<p>x").check_problem(400, "bad_options");
}

#[test]
fn plain_routes_answer() {
    let service = Running::start(|_| {});
    let welcome = service.get("/");
    assert!(
        welcome.text().contains("/v1/extract") && welcome.header("content-type").unwrap().starts_with("text/plain")
    );
    assert_eq!(service.get("/healthz").text(), "ok\n");
    assert_eq!(service.get("/v1/openapi.json").json()["openapi"], "3.1.0");
    let mut client = service.connect();
    client.send("HEAD", "/healthz", &[], b"");
    assert_eq!(client.head().unwrap().status, 200);
    for (method, path) in dehusk_server::serve::routes() {
        assert!(path == "/" || welcome.text().contains(path), "{method} {path} is not named");
    }
}

#[test]
fn strangers_are_refused() {
    let service = Running::start(|_| {});
    let status = |headers: &[(&str, &str)]| service.ask("GET", "/", headers, b"").status;
    assert_eq!(status(&[("Host", "127.0.0.1:8632")]), 200);
    assert_eq!(status(&[("Host", "rebound.example")]), 403);
    assert_eq!(status(&[("Origin", "https://a.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    assert_eq!(status(&[("Origin", "http://localhost:3000")]), 200);
    let evil = [("Content-Type", "text/html"), ("Origin", "https://a.example")];
    service.ask("POST", "/v1/extract", &evil, b"<p>x").check_problem(403, "forbidden");
    // A refused request leaves its connection in order.
    let mut client = service.connect();
    client.send("POST", "/v1/extract", &evil, &[b'x'; 50_000]);
    assert_eq!(client.answer().status, 403);
    client.send("GET", "/healthz", &[], b"");
    assert_eq!(client.answer().status, 200);

    let token = dehusk_server::serve::Token::new("0123456789abcdef").unwrap();
    let service = Running::start(|settings| settings.token = Some(token));
    service.get("/").check_problem(401, "unauthorized");
    service.get("/metrics").check_problem(401, "unauthorized");
    assert_eq!(service.get("/").header("www-authenticate"), Some("Bearer"));
    assert_eq!(service.get("/healthz").status, 200);
    let known = [("Authorization", "Bearer 0123456789abcdef"), ("Host", "service.example")];
    assert_eq!(service.ask("GET", "/", &known, b"").status, 200);
    let wrong = [("Authorization", "Bearer 0123456789abcdee")];
    service.ask("POST", "/v1/extract", &wrong, b"x").check_problem(401, "unauthorized");
}

#[test]
fn large_bodies_are_refused_before_they_are_read() {
    let service = Running::start(|settings| settings.limits.bytes = 100_000);
    const GIGABYTE: &str = "1073741824";
    let head = |more: &str| {
        format!(
            "POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: {GIGABYTE}\r\n{more}\r\n"
        )
    };
    let mut client = service.connect();
    client.write(head(""));
    client.answer().check_problem(413, "too_large");
    // A client that asks first sends nothing.
    let mut client = service.connect();
    client.write(head("Expect: 100-continue\r\n"));
    client.answer().check_problem(413, "too_large");
    // A gigabyte in chunks.
    let mut client = service.connect();
    client.begin_chunks("/v1/extract", "text/html");
    let chunk = [b"10000\r\n", &[b'x'; 0x10000][..], b"\r\n"].concat();
    let sent = (0..16_384).take_while(|_| client.try_write(&chunk).is_ok()).count();
    assert!(sent < 16_384, "all of it was read");
    if let Some(answer) = client.try_answer() {
        answer.check_problem(413, "too_large");
    }
    // A page of just the limit is read, and one byte more is not.
    assert_eq!(service.post_html("/v1/extract", &"x".repeat(100_000)).status, 200);
    service.post_html("/v1/extract", &"x".repeat(100_001)).check_problem(413, "too_large");
    let json = |length: usize| json!({ "html": "x".repeat(length) }).to_string();
    assert_eq!(service.post_json("/v1/extract", &json(100_000)).status, 200);
    service.post_json("/v1/extract", &json(100_001)).check_problem(413, "too_large");
    service.wait_for_metric("dehusk_held_bytes", |held| held == 0.0);
}

#[test]
fn a_client_that_expects_a_word_gets_it() {
    let service = Running::start(|_| {});
    let mut client = service.connect();
    client.write("POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.head().unwrap().status, 100);
    client.write("<p>x");
    assert_eq!(client.answer().status, 200);
}

#[test]
fn requests_beyond_the_queue_are_refused_at_once() {
    let service = Running::start(|settings| (settings.threads, settings.queue) = (1, 1));
    let json = [("Content-Type", "application/json")];
    let (mut first, mut second) = (service.connect(), service.connect());
    first.send("POST", "/v1/extract", &json, HELD.as_bytes());
    service.gate.wait_for(1);
    second.send("POST", "/v1/extract", &json, HELD.as_bytes());
    service.wait_for_metric("dehusk_queue_length", |length| length == 1.0);
    for (path, body) in [("/v1/extract", HELD), ("/v1/batch", "{}"), ("/v1/sites/a.example/learn", "{}")] {
        let refused = service.post_json(path, body);
        refused.check_problem(429, "overloaded");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    // A body that is not sent is not waited for.
    let mut client = service.connect();
    client.write("POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n");
    client.answer().check_problem(429, "overloaded");
    assert_eq!(service.get("/healthz").status, 200);
    service.gate.open();
    assert_eq!((first.answer().status, second.answer().status), (200, 200));
    assert_eq!(service.post_html("/v1/extract", "<p>x").status, 200);
}

#[test]
fn bodies_of_all_requests_are_bounded_together() {
    let service = Running::start(|settings| {
        settings.limits.bytes = 200_000;
        settings.held_bytes = 500_000;
    });
    let mut slow = service.connect();
    slow.begin_chunks("/v1/extract", "application/json");
    slow.chunk(&[b' '; 400_000]);
    service.wait_for_metric("dehusk_held_bytes", |held| held == 400_000.0);
    service.post_html("/v1/extract", &"x".repeat(150_000)).check_problem(429, "overloaded");
    assert_eq!(service.post_html("/v1/extract", "<p>x").status, 200);
    drop(slow);
    service.wait_for_metric("dehusk_held_bytes", |held| held == 0.0);
    assert_eq!(service.post_html("/v1/extract", &"x".repeat(150_000)).status, 200);
}

#[test]
fn work_that_takes_too_long_is_given_up() {
    let service = Running::start(|settings| {
        settings.threads = 1;
        settings.timeout = Duration::from_millis(50);
    });
    service.post_json("/v1/extract", HELD).check_problem(503, "timeout");
    let record = &service.ask("POST", "/v1/batch", &[], br#"{"html": "x"}"#).records()[0];
    assert_eq!(record["error"], "timeout");
    service.gate.open();
    // The pages that nobody waits for are not worked on.
    service.wait_for_metric("dehusk_queue_length", |length| length == 0.0);
    assert_eq!(service.metric("dehusk_pages_total"), 1.0);
}

#[test]
fn a_panic_costs_one_request() {
    let service = Running::start(|settings| settings.threads = 1);
    for _ in 0..3 {
        service.post_json("/v1/extract", BUG).check_problem(500, "internal");
        assert_eq!(service.post_html("/v1/extract", "<p>x").status, 200);
    }
}

#[test]
fn slow_clients_are_cut() {
    let service = Running::start(|settings| settings.read_timeout = Duration::from_secs(2));
    // Heads that never end, bodies that never come, and connections that ask nothing.
    let mut clients: Vec<_> = (0..60).map(|_| service.connect()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        match number % 3 {
            0 => client.write("POST /v1/extract HTTP/1.1\r\nHost: loc"),
            1 => client.write("POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n<p>"),
            _ => {}
        }
    }
    assert_eq!(service.get("/healthz").status, 200);
    for (number, mut client) in clients.into_iter().enumerate() {
        match number % 3 {
            1 => client.answer().check_problem(408, "timeout"),
            _ => assert!(client.try_answer().is_none()),
        }
    }
    // So is one that asked something and then nothing more.
    let mut client = service.connect();
    client.send("GET", "/healthz", &[], b"");
    assert_eq!(client.answer().status, 200);
    assert!(client.try_answer().is_none());
    service.wait_for_metric("dehusk_connections", |open| open == 1.0);
    // A batch that stops sending is cut as well, after the records of what came.
    let mut client = service.connect();
    client.begin_chunks("/v1/batch", "application/x-ndjson");
    client.chunk(b"{\"id\": 1, \"html\": \"x\"}\n{\"id\": 2");
    assert_eq!(client.head().unwrap().status, 200);
    let mut lines = Vec::new();
    while let Some(chunk) = client.next_chunk() {
        lines.extend(chunk.expect("the answer is cut, not ended"));
    }
    let records: Vec<Value> =
        String::from_utf8(lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&records[0]["id"], &records[1]["error"], records.len()), (&json!(1), &json!("timeout"), 2));
}

#[test]
fn clients_that_do_not_read_are_cut() {
    let service = Running::start(|settings| {
        settings.threads = 1;
        settings.read_timeout = Duration::from_secs(2);
    });
    let mut client = service.connect();
    client.begin_chunks("/v1/batch?detector=none", "application/x-ndjson");
    let line = format!("{}\n", json!({ "html": format!("<p>{}", "x".repeat(100_000)) }));
    // The answer fills the buffers of the system, the service reads no further, and then gives up.
    let sent = (0..100_000).take_while(|_| client.try_write(format!("{:x}\r\n{line}\r\n", line.len())).is_ok()).count();
    assert!(sent < 100_000);
    service.wait_for_metric("dehusk_connections", |open| open == 1.0);
    service.wait_for_metric("dehusk_held_bytes", |held| held == 0.0);
    assert_eq!(service.metric("dehusk_requests_in_flight"), 1.0);
}

#[test]
fn connections_beyond_the_limit_wait() {
    let service = Running::start(|settings| settings.connections = 2);
    let (mut first, mut second, mut third) = (service.connect(), service.connect(), service.connect());
    third.send("GET", "/healthz", &[], b"");
    first.send("GET", "/healthz", &[], b"");
    assert_eq!(first.answer().status, 200);
    second.send("GET", "/healthz", &[], b"");
    assert_eq!(second.answer().status, 200);
    drop(first);
    assert_eq!(third.answer().status, 200);
}

#[test]
fn broken_chunks_cost_their_connection() {
    let service = Running::start(|_| {});
    for broken in [
        "x\r\nabc\r\n",
        "-1\r\n",
        "ffffffffffffffffff\r\n",
        "5\r\nabcdefgh\r\n",
        "3;\n\nabc\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
    ] {
        for path in ["/v1/extract", "/v1/batch"] {
            let mut client = service.connect();
            client.begin_chunks(path, "application/octet-stream");
            client.write(broken);
            // Either the service says what is wrong, or it cuts the connection. What was broken is no whole page.
            if let Some(answer) = client.try_answer() {
                assert_eq!(answer.status, 400, "{broken:?} to {path}: {}", answer.text());
            }
            assert!(client.try_answer().is_none(), "{broken:?} to {path}");
        }
    }
    // A client that leaves in the middle.
    let mut client = service.connect();
    client.begin_chunks("/v1/extract", "text/html");
    client.chunk(b"<p>half");
    drop(client);
    assert_eq!(service.post_html("/v1/extract", "<p>x").status, 200);
    service.wait_for_metric("dehusk_requests_in_flight", |requests| requests == 1.0);
}

#[test]
fn requests_in_one_piece_are_answered_in_order() {
    let service = Running::start(|_| {});
    let mut client = service.connect();
    let mut all = String::new();
    for number in 0..20 {
        let body = format!("<p>page {number}");
        all += &format!(
            "POST /v1/extract?detector=none HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
    }
    client.write(all);
    for number in 0..20 {
        assert_eq!(client.answer().text(), format!("page {number}\n"));
    }
}

#[test]
fn lengths_that_contradict_each_other_smuggle_nothing() {
    let service = Running::start(|_| {});
    let send = |headers: &str, rest: &str| {
        let mut client = service.connect();
        let head = "POST /v1/extract?detector=none HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n";
        let next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        client.write(format!("{head}{headers}\r\n{rest}{next}"));
        std::iter::from_fn(|| client.try_answer().map(|answer| (answer.status, answer.text()))).collect::<Vec<_>>()
    };
    let hidden = "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
    // Chunks count, in either order, and the connection ends, as the standard has it: what is in the body stays there.
    let chunked = format!("{:x}\r\n{hidden}\r\n0\r\n\r\n", hidden.len());
    for headers in
        ["Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"]
    {
        let answers = send(headers, &chunked);
        assert_eq!((answers.len(), answers[0].0), (1, 200), "{answers:?}");
        assert!(answers[0].1.contains("GET /v1/nothing"), "{answers:?}");
    }
    assert_eq!(send("Transfer-Encoding: chunked\r\n", &chunked).len(), 2);
    // Whatever else is unclear ends the connection with one answer.
    for headers in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Content-Length: 5\r\n Transfer-Encoding: chunked\r\n",
    ] {
        let answers = send(headers, &chunked);
        assert_eq!(answers.iter().map(|answer| answer.0).collect::<Vec<_>>(), [400], "{headers:?}: {answers:?}");
    }
}

#[test]
fn a_batch_keeps_order_and_ids() {
    let service = Running::start(|settings| settings.limits.bytes = 10_000);
    let mut body = String::from("\u{feff}");
    for number in 0..300 {
        match number % 10 {
            3 => body += "{\"id\": \"broken\", \"html\": \n",
            5 => body += "\r\n\n",
            6 => body += &format!("{}\n", json!({ "id": number, "html": "x".repeat(10_001) })),
            7 => body += &format!("{}\n", json!({ "id": number, "html": "x".repeat(200_000) })),
            8 => body += &format!("{}\n", json!({ "id": number, "url": "http://a.example/" })),
            9 => body += &format!("{}\n", json!({ "id": number, "html": "\u{89}PNG\r\n\u{1a}\n\0\0\0\0" })),
            _ => body += &lines("a.example", number..number + 1),
        }
    }
    let answer =
        service.ask("POST", "/v1/batch?format=markdown", &[("Content-Type", "application/x-ndjson")], body.as_bytes());
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-ndjson")));
    let records = answer.records();
    let expected: Vec<(Value, Value)> = (0..300)
        .filter_map(|number| match number % 10 {
            3 => Some((json!("broken"), json!("bad_json"))),
            5 => None,
            6 => Some((json!(number), json!("too_large"))),
            7 => Some((Value::Null, json!("too_large"))),
            8 => Some((json!(number), json!("missing_column"))),
            _ => Some((json!(number), Value::Null)),
        })
        .collect();
    let is_image = |record: &Value| record["id"].as_u64().is_some_and(|id| id % 10 == 9);
    let found: Vec<(Value, Value)> = records
        .iter()
        .map(|record| (record["id"].clone(), if is_image(record) { Value::Null } else { record["error"].clone() }))
        .collect();
    assert_eq!(found, expected);
    assert!(records[0]["markdown"].as_str().unwrap().starts_with("# Boat 0"));
    let message = records[3]["error_message"].as_str().unwrap();
    assert!(message.starts_with("request line 4: no JSON object"), "{message}");
    assert_eq!(service.ask("POST", "/v1/batch", &[], b"").text(), "");
    service.wait_for_metric("dehusk_held_bytes", |held| held == 0.0);
}

#[test]
fn a_batch_is_answered_while_it_is_sent() {
    let service = Running::start(|_| {});
    let mut client = service.connect();
    client.begin_chunks("/v1/batch?detector=none", "application/x-ndjson");
    client.chunk(lines("a.example", 0..1).as_bytes());
    assert_eq!(client.head().unwrap().status, 200);
    // Each record comes before the next page is sent, and memory does not grow with what was sent.
    for number in 0..200 {
        let record = client.next_chunk().unwrap().unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        assert_eq!(record["id"], number);
        client.chunk(lines("a.example", number + 1..number + 2).as_bytes());
    }
    assert!(service.metric("dehusk_held_bytes") < 10_000.0);
    client.write("0\r\n\r\n");
    assert!(client.next_chunk().unwrap().is_some());
    assert_eq!(client.next_chunk(), Some(None));
}

#[test]
fn a_host_that_is_no_text_is_refused_like_any_other() {
    let service = Running::start(|_| {});
    service.get("/v1/sites/%ff").check_problem(400, "bad_request");
}

#[test]
fn a_template_store_that_disappears_is_not_replaced_by_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("sites.store");
    let service = Running::start(|settings| settings.templates = Some(store.clone()));
    let put = |host: &str| {
        let headers = [("Content-Type", "application/x-ndjson")];
        service.ask("PUT", &format!("/v1/sites/{host}"), &headers, lines(host, 0..4).as_bytes())
    };
    assert_eq!(put("a.example").status, 200);
    std::fs::rename(&store, folder.path().join("elsewhere")).unwrap();
    put("b.example").check_problem(500, "template_store");
    service.ask("DELETE", "/v1/sites/a.example", &[], b"").check_problem(500, "template_store");
    assert!(!store.exists());
    std::fs::rename(folder.path().join("elsewhere"), &store).unwrap();
    assert_eq!(put("b.example").status, 200);
    assert_eq!(service.get("/v1/sites/a.example").status, 200);
}

#[test]
fn sites_are_learned_used_compared_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("sites.store");
    let with_store = |settings: &mut dehusk_server::serve::Settings| settings.templates = Some(store.clone());
    let service = Running::start(with_store);
    service.get("/v1/sites/a.example").check_problem(404, "unknown_site");
    service.ask("DELETE", "/v1/sites/a.example", &[], b"").check_problem(404, "unknown_site");
    let ndjson = [("Content-Type", "application/x-ndjson")];
    let put = |path: &str, body: &str| service.ask("PUT", path, &ndjson, body.as_bytes());
    put("/v1/sites/a.example", "").check_problem(422, "no_page");
    put("/v1/sites/a.example", &lines("b.example", 0..3)).check_problem(422, "no_page");
    put("/v1/sites/a.example", &lines("a.example", 0..1)).check_problem(422, "too_few_pages");
    service.get("/v1/sites/a.example").check_problem(404, "unknown_site");
    let mixed = lines("a.example", 0..12) + "nonsense\n" + &lines("b.example", 0..1) + "{\"html\": \"<p>x\"}\n";
    let learned = put("/v1/sites/A.example", &mixed).json();
    assert_eq!(
        (&learned["site"], &learned["pages"], &learned["used"]),
        (&json!("a.example"), &json!(12), &json!(12)),
        "{learned}"
    );
    assert_eq!((&learned["failed"], &learned["learned"]), (&json!(3), &json!(dehusk_options::today())));
    let kinds: Vec<_> = learned["failed_pages"].as_array().unwrap().iter().map(|page| page["error"].clone()).collect();
    assert_eq!(kinds, ["bad_json", "other_site", "missing_column"]);
    assert_eq!(put("/v1/sites/b.example", &lines("b.example", 0..4)).status, 200);

    // A page of the site is extracted with its template.
    let extract = |service: &Running, more: &str| {
        service.post_html(&format!("/v1/extract?url=http://a.example/99{more}"), &page("a.example", 99)).json()
    };
    let record = extract(&service, "");
    assert_eq!((&record["template_pages"], &record["template"]), (&json!(12), &json!(0)), "{record}");
    assert_eq!(extract(&service, "&site=false")["template_pages"], 0);
    let with_template = extract(&service, "&detector=sitelevel");
    assert!(
        with_template["text"].as_str().unwrap().contains("Number 99 sails on.")
            && !with_template["text"].as_str().unwrap().contains("Privacy")
    );
    let batch = service
        .ask("POST", "/v1/batch", &ndjson, (lines("a.example", 50..51) + &lines("c.example", 1..2)).as_bytes())
        .records();
    assert_eq!((&batch[0]["template_pages"], &batch[1]["template_pages"]), (&json!(12), &json!(0)));

    // Learning more adds to what is known; PUT replaces it.
    let more = service.ask("POST", "/v1/sites/a.example/learn", &ndjson, lines("a.example", 10..15).as_bytes()).json();
    assert_eq!((&more["pages"], &more["used"]), (&json!(15), &json!(5)));
    let drawing = service.get("/v1/sites/a.example/template");
    assert!(drawing.header("content-security-policy").unwrap().starts_with("default-src 'none'; sandbox"));
    assert!(drawing.text().contains("Templates of a.example"));
    let file = service.get("/v1/sites/a.example/template?format=husk");
    assert_eq!(
        dehusk::SiteTemplates::from_bytes(&file.body, dehusk_papers::methods().site_methods()).unwrap().pages(),
        15
    );
    let accepted = service.ask("GET", "/v1/sites/a.example/template", &[("Accept", "application/octet-stream")], b"");
    assert_eq!(accepted.body, file.body);
    // In parts or at once, the template is the same.
    put("/v1/sites/a.example", &lines("a.example", 0..15));
    assert_eq!(service.get("/v1/sites/a.example/template?format=husk").body, file.body);
    service.get("/v1/sites/a.example/template?format=pdf").check_problem(400, "bad_options");

    // It survives a restart.
    service.stop();
    service.join();
    let service = Running::start(with_store);
    assert_eq!(service.get("/v1/sites/a.example").json()["pages"], 15);
    assert_eq!(extract(&service, "")["template_pages"], 15);
    let drift = |body: &str| service.ask("POST", "/v1/sites/a.example/drift", &ndjson, body.as_bytes());
    let verdict = drift(&lines("a.example", 20..30)).json();
    assert_eq!((&verdict["pages"], &verdict["drifted"]), (&json!(10), &json!(false)), "{verdict}");
    let other: String = (0..10).map(|number| format!("{}\n", json!({ "html": format!("<table><tr><td><b>{number}</b><td><i>new</i></table><div><ul><li>a<li>b</ul></div>") }))).collect();
    let verdict = drift(&other).json();
    assert_eq!((&verdict["drifted"], &verdict["no_template_fits"]), (&json!(true), &json!(10)), "{verdict}");
    assert!(!verdict["findings"].as_array().unwrap().is_empty());
    drift("").check_problem(422, "no_page");

    assert_eq!(service.ask("DELETE", "/v1/sites/a.example", &[], b"").status, 204);
    service.get("/v1/sites/a.example").check_problem(404, "unknown_site");
    assert_eq!(extract(&service, "")["template_pages"], 0);
    assert_eq!(service.get("/v1/sites/b.example").json()["pages"], 4);
}

#[test]
fn stopping_finishes_what_was_taken() {
    let service = Running::start(|settings| settings.threads = 1);
    let json = [("Content-Type", "application/json")];
    let mut idle = service.connect();
    idle.send("GET", "/healthz", &[], b"");
    assert_eq!(idle.answer().status, 200);
    let mut fresh = service.connect();
    let (mut at_work, mut waiting, mut sending) = (service.connect(), service.connect(), service.connect());
    at_work.send("POST", "/v1/extract", &json, HELD.as_bytes());
    service.gate.wait_for(1);
    waiting.send("POST", "/v1/extract", &json, br#"{"html": "<p>x"}"#);
    service.wait_for_metric("dehusk_queue_length", |length| length == 1.0);
    sending.begin_chunks("/v1/extract", "text/html");
    sending.chunk(b"<p>the first half");
    service.wait_for_metric("dehusk_requests_in_flight", |requests| requests == 4.0);
    service.stop();
    // Those that ask nothing are closed, and nobody else gets in.
    assert!(idle.try_answer().is_none());
    assert!(fresh.try_answer().is_none());
    assert!(is_refused(&service));
    service.gate.open();
    for client in [&mut at_work, &mut waiting] {
        let answer = client.answer();
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    }
    sending.chunk(b" and the second");
    sending.write("0\r\n\r\n");
    assert_eq!(sending.answer().status, 200);
    let summary = service.join();
    assert_eq!(summary.cut, 0);
    assert!(summary.answered_ok >= 4 && summary.answered == summary.answered_ok, "{summary:?}");
}

/// Whether the service takes no connections any more. Those that the system accepts for it are closed without an answer.
fn is_refused(service: &Running) -> bool {
    let Ok(mut stream) = TcpStream::connect(service.address) else { return true };
    let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
    answer.is_empty()
}

#[test]
fn stopping_does_not_wait_forever() {
    let service = Running::start(|settings| settings.grace = Duration::from_millis(50));
    let mut client = service.connect();
    client.begin_chunks("/v1/extract", "text/html");
    service.wait_for_metric("dehusk_requests_in_flight", |requests| requests == 2.0);
    service.stop();
    assert_eq!(service.join().cut, 1);
}

#[test]
fn metrics_add_up() {
    let service = Running::start(|_| {});
    for number in 0..7 {
        assert_eq!(service.post_html("/v1/extract", &page("a", number)).status, 200);
    }
    service.post_html("/v1/extract?model=x", "x").check_problem(400, "bad_options");
    service.get("/nowhere").check_problem(404, "not_found");
    let batch = lines("a.example", 0..5) + "broken\n";
    assert_eq!(service.ask("POST", "/v1/batch", &[], batch.as_bytes()).records().len(), 6);
    let answer = service.get("/metrics");
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text; version=1.0.0"));
    let text = answer.text();
    assert!(text.ends_with("# EOF\n"));
    let mut samples = std::collections::BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("dehusk_"), "{line}");
        assert!(samples.insert(name.to_string(), value.parse::<f64>().unwrap()).is_none(), "{line} twice");
    }
    let sum =
        |prefix: &str| samples.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, value)| value).sum::<f64>();
    assert_eq!(samples[r#"dehusk_requests_total{method="post",route="/v1/extract",status="200"}"#], 7.0, "{text}");
    assert_eq!(samples[r#"dehusk_requests_total{method="post",route="/v1/extract",status="400"}"#], 1.0);
    assert_eq!(samples[r#"dehusk_requests_total{method="get",route="other",status="404"}"#], 1.0);
    assert_eq!((sum("dehusk_requests_total"), sum("dehusk_request_seconds_count")), (10.0, 10.0));
    assert_eq!(samples[r#"dehusk_request_seconds_bucket{le="+Inf",route="/v1/extract"}"#], 8.0);
    assert_eq!(samples["dehusk_pages_total"], 12.0);
    let sent = (0..7).map(|number| page("a", number).len()).sum::<usize>() + batch.len();
    assert_eq!(samples["dehusk_body_bytes_total"], sent as f64);
    for (kind, count) in [("bad_options", 1.0), ("not_found", 1.0), ("bad_json", 1.0)] {
        assert_eq!(samples[&format!(r#"dehusk_errors_total{{kind="{kind}"}}"#)], count);
    }
    assert_eq!((samples["dehusk_requests_in_flight"], samples["dehusk_queue_length"]), (1.0, 0.0));
}

#[test]
fn the_description_for_programs_is_true() {
    let service = Running::start(|_| {});
    let file = service.get("/v1/openapi.json").json();
    let mut described = Vec::new();
    for (path, methods) in file["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if method == "parameters" {
                continue;
            }
            described.push((method.clone(), path.clone()));
            assert!(operation["operationId"].is_string() && operation["summary"].is_string(), "{method} {path}");
            let statuses: Vec<&String> = operation["responses"].as_object().unwrap().keys().collect();
            assert!(statuses.iter().any(|status| status.starts_with('2')), "{method} {path}");
            assert!(
                operation.get("requestBody").is_some() == matches!(method.as_str(), "post" | "put"),
                "{method} {path}"
            );
            // What is described is routed.
            let answer = service.ask(&method.to_uppercase(), &path.replace("{host}", "a.example"), &[], b"");
            assert!(
                !matches!(answer.json_or_null()["error"].as_str(), Some("not_found" | "method_not_allowed")),
                "{method} {path}"
            );
            assert!(
                statuses.contains(&&answer.status.to_string()),
                "{method} {path}: {} is not described",
                answer.status
            );
        }
    }
    let mut routed: Vec<_> =
        dehusk_server::serve::routes().into_iter().map(|(method, path)| (method, path.to_string())).collect();
    routed.sort();
    described.sort();
    assert_eq!(described, routed);
    let parameters = |path: &str, method: &str| -> Vec<String> {
        let list = file["paths"][path][method]["parameters"].as_array().unwrap();
        let named = list.iter().map(|parameter| match parameter["$ref"].as_str() {
            Some(name) => file["components"]["parameters"][name.rsplit('/').next().unwrap()]["name"].clone(),
            None => parameter["name"].clone(),
        });
        let mut names: Vec<String> = named.map(|name| name.as_str().unwrap().to_string()).collect();
        names.sort();
        names
    };
    let expected = |names: &mut dyn Iterator<Item = &'static str>, own: &[&str]| {
        let own = own.iter().map(|name| name.to_string());
        let mut names: Vec<String> = names.map(String::from).chain(own).collect();
        names.sort();
        names
    };
    use dehusk_options::{Command, Surface, definitions::options_of};
    let names = |command| options_of(command, Surface::Service).map(|definition| definition.name);
    assert_eq!(parameters("/v1/extract", "post"), expected(&mut names(Command::Extract), &["site", "url"]));
    assert_eq!(parameters("/v1/batch", "post"), expected(&mut names(Command::Extract), &["site"]));
    assert_eq!(parameters("/v1/sites/{host}", "put"), expected(&mut names(Command::Learn), &[]));
    assert_eq!(parameters("/v1/sites/{host}/learn", "post"), expected(&mut names(Command::Learn), &[]));
    assert_eq!(parameters("/v1/sites/{host}/drift", "post"), expected(&mut names(Command::Drift), &[]));
    let mut options: Vec<String> =
        file["components"]["schemas"]["Options"]["properties"].as_object().unwrap().keys().cloned().collect();
    options.sort();
    assert_eq!(options, expected(&mut names(Command::Extract), &["site"]));
}
