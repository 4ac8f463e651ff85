//! Lays a page out with Chromium, over the DevTools protocol on two pipes. Unix only.
//!
//! Input: the text of a page. Output: the box of every element of its body. The page's scripts and the network are off by default.
//! Chromium runs with a temporary profile, and is stopped when the time is up.

use crate::outcome::Failure;
use dehusk::layout::{Color, Display, ElementBox, FontFamily, NodeBox, SuppliedBoxes, VIEWPORT_HEIGHT, VIEWPORT_WIDTH};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What Chromium may do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allowed<'a> {
    pub(crate) scripts: bool,
    pub(crate) network: bool,
    /// The URL of the page, which its links are relative to.
    pub(crate) url: Option<&'a str>,
}

/// The names that Chromium is installed under.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// The maximum time for a page.
const MAX_TIME: Duration = Duration::from_secs(45);
/// The maximum time for loading linked resources. After it, the page is laid out without the missing ones.
const LOAD_TIME: Duration = Duration::from_secs(15);

/// The properties that are read, in the order of the snapshot's columns.
const COMPUTED_STYLES: [&str; 8] =
    ["display", "visibility", "font-size", "font-weight", "color", "background-color", "font-family", "font-style"];

/// Lays a page out.
pub(crate) fn lay_out(html: &str, allowed: Allowed<'_>) -> Result<SuppliedBoxes, Failure> {
    let program = find().ok_or_else(|| {
        let names = NAMES.join(", ");
        Failure::new(format!(
            "--layout chromium: none of {names} is on the PATH; install one, or use --layout estimate"
        ))
    })?;
    let mut browser = Browser::start(program, allowed)?;
    browser.open_page(html, allowed)?;
    let snapshot = browser.call("DOMSnapshot.captureSnapshot", json!({"computedStyles": COMPUTED_STYLES}))?;
    read_snapshot(&snapshot).ok_or_else(|| Failure::new("chromium returned a snapshot that cannot be read"))
}

/// The first Chromium on the PATH.
pub(crate) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    NAMES
        .iter()
        .find_map(|name| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()))
}

struct Browser {
    child: Child,
    requests: Option<ChildStdin>,
    messages: Receiver<Value>,
    last: u64,
    session: Option<String>,
    deadline: Instant,
    /// Removed with its contents when the browser is dropped.
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closing the pipes ends a browser that still reads them; any other is killed.
        self.requests = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    fn start(program: PathBuf, allowed: Allowed<'_>) -> Result<Browser, Failure> {
        let fail = |error: std::io::Error| Failure::new(format!("{}: {error}", program.display()));
        // A profile of its own, because Chromium refuses one that is in use.
        let profile = tempfile::Builder::new().prefix("dehusk-chromium-").tempdir().map_err(fail)?;
        // The browser uses file descriptors 3 and 4, which the shell copies from its standard input and output.
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"]).arg(&program);
        command.args([
            "--headless=new",
            "--remote-debugging-pipe",
            "--disable-gpu",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--no-default-browser-check",
            "--hide-scrollbars",
            "--mute-audio",
        ]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.arg(format!("--window-size={VIEWPORT_WIDTH},{VIEWPORT_HEIGHT}"));
        if !allowed.network {
            command.arg("--host-resolver-rules=MAP * ~NOTFOUND");
        }
        if is_root() {
            // Chromium's sandbox does not start for root.
            command.arg("--no-sandbox");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(fail)?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take());
        let (sender, messages) = channel();
        // On a thread of its own, because reading from a pipe cannot be given a time limit.
        std::thread::spawn(move || {
            let Some(answers) = answers else { return };
            let mut answers = BufReader::new(answers);
            let mut message = Vec::new();
            // On the pipes, every message ends with a zero byte.
            while matches!(answers.read_until(0, &mut message), Ok(length) if length > 0) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                if serde_json::from_slice(text).is_ok_and(|value: Value| sender.send(value).is_err()) {
                    return;
                }
                message.clear();
            }
        });
        let deadline = Instant::now() + MAX_TIME;
        Ok(Browser { child, requests, messages, last: 0, session: None, deadline, _profile: profile })
    }

    fn send(&mut self, method: &str, parameters: Value) -> Result<u64, Failure> {
        self.last += 1;
        let mut request = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let sent = self.requests.as_mut().map_or(Ok(()), |requests| {
            requests.write_all(request.to_string().as_bytes())?;
            requests.write_all(&[0])?;
            requests.flush()
        });
        sent.map_err(|error| Failure::new(format!("chromium ended before the request {method}: {error}")))?;
        Ok(self.last)
    }

    fn receive(&self, until: Instant) -> Option<Value> {
        self.messages.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    /// Sends a request and returns its result.
    fn call(&mut self, method: &str, parameters: Value) -> Result<Value, Failure> {
        let id = self.send(method, parameters)?;
        while let Some(mut message) = self.receive(self.deadline) {
            // Events, and answers that nobody waits for, come in between.
            if message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(Failure::new(format!("chromium refused {method}: {error}"))),
                    None => Ok(message["result"].take()),
                };
            }
        }
        Err(Failure::new(format!("chromium did not answer {method} in time, or ended")))
    }

    fn open_page(&mut self, html: &str, allowed: Allowed<'_>) -> Result<(), Failure> {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}))?;
        let attached = self.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}))?;
        self.session = attached["sessionId"].as_str().map(str::to_string);
        if !allowed.scripts {
            self.call("Emulation.setScriptExecutionDisabled", json!({"value": true}))?;
        }
        if !allowed.network {
            let offline = json!({"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0});
            self.call("Network.enable", json!({}))?;
            self.call("Network.emulateNetworkConditions", offline)?;
        }
        // Boxes are in CSS pixels then, whatever the screen of this machine.
        let metrics =
            json!({"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics)?;
        self.call("Page.enable", json!({}))?;
        let tree = self.call("Page.getFrameTree", json!({}))?;
        let frame = &tree["frameTree"]["frame"]["id"];
        let source = with_base(html, allowed);
        let id = self.send("Page.setDocumentContent", json!({"frameId": frame, "html": source}))?;
        let until = self.deadline.min(Instant::now() + LOAD_TIME);
        let (mut set, mut loaded) = (false, false);
        while !(set && loaded) {
            let Some(message) = self.receive(until) else { break };
            set |= message["id"] == json!(id);
            loaded |= message["method"] == json!("Page.loadEventFired");
        }
        match set {
            true => Ok(()),
            false => Err(Failure::new("chromium did not load the page in time, or ended")),
        }
    }
}

/// The page with a `<base>` for its links, if the network is allowed.
fn with_base(html: &str, allowed: Allowed<'_>) -> String {
    match allowed.url {
        Some(url) if allowed.network => {
            // The address becomes the value of an attribute, which it must not end.
            let safe: String = url.chars().filter(|c| !matches!(c, '"' | '<' | '>')).collect();
            // After the document type, which must stay first.
            let at = match html.get(..9) {
                Some(start) if start.eq_ignore_ascii_case("<!doctype") => html.find('>').map_or(0, |end| end + 1),
                _ => 0,
            };
            format!("{}<base href=\"{safe}\">{}", &html[..at], &html[at..])
        }
        _ => html.to_string(),
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Reads the boxes of a snapshot's body, in document order.
fn read_snapshot(snapshot: &Value) -> Option<SuppliedBoxes> {
    let strings = snapshot["strings"].as_array()?;
    let text = |index: &Value| index.as_u64().and_then(|at| strings.get(at as usize)).and_then(Value::as_str);
    let page = snapshot["documents"].as_array()?.first()?;
    let nodes = &page["nodes"];
    let (parents, kinds, names) =
        (nodes["parentIndex"].as_array()?, nodes["nodeType"].as_array()?, nodes["nodeName"].as_array()?);
    let pseudo: Vec<u64> =
        nodes["pseudoType"]["index"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let mut boxes: Vec<Option<NodeBox>> = vec![None; names.len()];
    let layout = &page["layout"];
    let columns = (layout["nodeIndex"].as_array()?, layout["bounds"].as_array()?, layout["styles"].as_array()?);
    for ((node, bounds), styles) in columns.0.iter().zip(columns.1).zip(columns.2) {
        let number = |at: usize| bounds[at].as_f64().unwrap_or(0.0) as f32;
        let style = |at: usize| text(&styles[at]).unwrap_or_default();
        let slot = boxes.get_mut(node.as_u64()? as usize)?;
        let font_size = style(2).trim_end_matches("px").parse().unwrap_or(16.0);
        let node_box = NodeBox::new(number(0), number(1), number(2), number(3))
            .with_font(font_size, style(3).parse().unwrap_or(400))
            .with_colors(
                Color::from_css(style(4)).unwrap_or(Color::BLACK),
                Color::from_css(style(5)).unwrap_or(Color::TRANSPARENT),
            )
            .with_font_family(FontFamily::from_css(style(6)))
            .with_italic(style(7).starts_with("italic") || style(7).starts_with("oblique"))
            .with_visible(style(1) == "visible")
            .with_display(display(style(0)));
        *slot = Some(node_box);
    }
    // For each node: 0 outside the body, 1 an element of the page's own body, 2 inside a subtree that the engine added.
    let mut state = vec![0u8; names.len()];
    let mut elements = Vec::new();
    for node in 0..names.len() {
        let parent = parents[node].as_i64().and_then(|at| usize::try_from(at).ok());
        let above = parent.and_then(|at| state.get(at)).copied().unwrap_or(0);
        let name = text(&names[node]).unwrap_or_default();
        let is_element = kinds[node] == json!(1);
        state[node] = match kinds[node].as_u64() {
            // A document fragment: here, the shadow root of a control that the engine draws itself.
            Some(11) => 2,
            Some(1) if pseudo.contains(&(node as u64)) => 2,
            Some(1) if name.eq_ignore_ascii_case("body") && above == 0 => 1,
            _ => above,
        };
        if is_element && state[node] == 1 {
            let hidden = NodeBox::default().with_colors(Color::BLACK, Color::TRANSPARENT).with_display(Display::None);
            let mut at = boxes[node].unwrap_or(hidden);
            // `<html>` is not in the list, so `<body>` takes its background.
            if elements.is_empty()
                && at.background.is_transparent()
                && let Some(root) = parent.and_then(|at| *boxes.get(at)?)
            {
                at.background = root.background;
            }
            elements.push(ElementBox { name: name.to_ascii_lowercase(), at });
        }
    }
    (!elements.is_empty()).then_some(SuppliedBoxes { elements, texts: Vec::new() })
}

fn display(name: &str) -> Display {
    match name {
        "none" => Display::None,
        "inline" | "contents" => Display::Inline,
        "flex" | "inline-flex" => Display::Flex,
        "table" | "inline-table" => Display::Table,
        "table-row-group" | "table-header-group" | "table-footer-group" => Display::RowGroup,
        "table-row" => Display::Row,
        "table-cell" => Display::Cell,
        _ if name.starts_with("inline-") => Display::InlineBlock,
        _ => Display::Block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::{Name, Parser};

    #[test]
    fn snapshots_are_read_without_nodes_that_engines_add() {
        let strings = [
            "",
            "#document",
            "HTML",
            "BODY",
            "P",
            "::before",
            "block",
            "visible",
            "16px",
            "400",
            "#document-fragment",
            "DIV",
            "rgb(255, 0, 0)",
            "rgba(0, 0, 0, 0)",
            "rgb(0, 0, 255)",
            "Arial, serif",
            "italic",
        ];
        let snapshot = json!({
            "strings": strings,
            "documents": [{
                "nodes": {
                    "parentIndex": [-1, 0, 1, 2, 3, 2, 5],
                    "nodeType": [9, 1, 1, 1, 1, 11, 1],
                    "nodeName": [1, 2, 3, 4, 5, 10, 11],
                    "pseudoType": {"index": [4], "value": [0]},
                },
                "layout": {
                    "nodeIndex": [1, 2, 3],
                    "bounds": [[0, 0, 1280, 50.5], [0, 0, 1280, 50.5], [8, 8, 1264, 18]],
                    "styles": [[6, 7, 8, 9, 12, 14], [6, 7, 8, 9], [6, 7, 8, 9, 12, 13, 15, 16]],
                },
            }],
        });
        let boxes = read_snapshot(&snapshot).unwrap();
        let names: Vec<&str> = boxes.elements.iter().map(|element| &*element.name).collect();
        assert_eq!(names, ["body", "p"]);
        assert_eq!((boxes.elements[0].at.height, boxes.elements[1].at.x), (50.5, 8.0));
        let (body, p) = (boxes.elements[0].at, boxes.elements[1].at);
        assert_eq!((body.color, body.background.b, body.italic), (Color::BLACK, 255, false));
        assert_eq!((p.color.r, p.background, p.italic), (255, Color::TRANSPARENT, true));
        assert_eq!(p.font_family, FontFamily::from_css("Arial"));
        assert!(read_snapshot(&json!({})).is_none());
    }

    #[test]
    fn the_base_comes_after_the_document_type() {
        let allowed = Allowed { scripts: false, network: true, url: Some("http://a.example/\"x") };
        let page = with_base("<!DOCTYPE html><p>", allowed);
        assert_eq!(page, "<!DOCTYPE html><base href=\"http://a.example/x\"><p>");
        assert_eq!(with_base("<p>é", Allowed::default()), "<p>é");
    }

    /// If Chromium is installed, its elements are those of our parser.
    #[test]
    fn chromium_agrees_on_the_elements() {
        if find().is_none() {
            return;
        }
        let page = "<!DOCTYPE html><title>t</title><body style='margin:0'><div style='width:300px;height:40px'>x</div>\
            <noscript><p>no scripts</p></noscript><details><summary>s</summary>d</details><template><b>t</b></template>\
            <table><tr><td>1</table><script>document.body.innerHTML = 'gone'</script><svg><circle/></svg><p hidden>h";
        let document = Parser::default().parse(page).unwrap();
        let boxes = match lay_out(page, Allowed::default()) {
            Ok(boxes) => boxes,
            // A Chromium that does not start on this machine is not a failure of the test.
            Err(failure) => return assert!(failure.to_string().contains("chromium"), "{failure}"),
        };
        let layout = boxes.layout(&document).unwrap();
        let div = layout.node(document.find(Name::DIV).unwrap());
        assert_eq!((div.x, div.y, div.width, div.height), (0.0, 0.0, 300.0, 40.0));
    }
}
