//! Builds the text of one paragraph, heading or table cell with its inline markup.
//!
//! Takes texts and the starts and ends of inline elements; gives back Markdown without line prefixes. White space is
//! held back and moved out of markers, markers are written only around text, and markers that CommonMark would not
//! read as such (because of the characters around them) are left out, so that no stray asterisk is ever shown.

use super::super::plain_text::{is_collapsed, is_ignored};
use super::escape;
use crate::dom::NodeId;

/// How often a link around several blocks is written. One more costs its whole target again, which a hostile page
/// could turn into gigabytes.
const MAX_REPEATS: usize = 8;

/// A kind of inline markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Deletion,
    Superscript,
    Subscript,
    Link,
    Code,
}

impl Mark {
    fn start(self) -> &'static str {
        match self {
            Mark::Strong => "**",
            Mark::Emphasis => "*",
            Mark::Deletion => "~~",
            Mark::Superscript => "<sup>",
            Mark::Subscript => "<sub>",
            Mark::Link => "[",
            Mark::Code => "`",
        }
    }

    /// Whether the marker is a run of delimiters, which counts only next to certain characters.
    fn is_delimiter(self) -> bool {
        matches!(self, Mark::Strong | Mark::Emphasis | Mark::Deletion)
    }
}

/// What a line end inside a paragraph becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feed {
    /// A hard line break.
    Hard,
    /// A `<br>`, in table cells.
    Tag,
    /// A space, in headings.
    Space,
}

/// White space owed before the next text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owed {
    Nothing,
    /// A space if two words would touch.
    Word,
    Space,
    Feed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// No text came yet.
    Waiting,
    /// The marker stands at this place.
    Open(usize),
    /// No marker is written.
    Silent,
}

#[derive(Debug)]
struct Inline {
    node: NodeId,
    mark: Mark,
    state: State,
    repeats: usize,
    /// What is written at the end of a link.
    target: String,
}

/// The end of a marker at the end of the line.
#[derive(Clone, Copy, Debug)]
struct Close {
    mark: Mark,
    open: usize,
    at: usize,
}

/// The line under construction.
#[derive(Debug)]
pub(super) struct Line {
    text: String,
    inlines: Vec<Inline>,
    /// Ends of delimiters that nothing was written after.
    closes: Vec<Close>,
    /// Where the run of delimiters at the end of the line starts, while markers are opened.
    run: usize,
    owed: Owed,
    feed: Feed,
    /// The text of the code the line is in.
    code: Option<String>,
}

impl Line {
    pub(super) fn new() -> Line {
        Line {
            text: String::new(),
            inlines: Vec::new(),
            closes: Vec::new(),
            run: 0,
            owed: Owed::Nothing,
            feed: Feed::Hard,
            code: None,
        }
    }

    /// Sets what line ends become from here on.
    pub(super) fn set_feed(&mut self, feed: Feed) {
        self.feed = feed;
    }

    /// Whether a line end is owed after some text.
    pub(super) fn owes_feed(&self) -> bool {
        self.owed == Owed::Feed && !self.text.is_empty()
    }

    /// Starts an inline element; `target` is what closes a link.
    pub(super) fn enter(&mut self, node: NodeId, mark: Mark, target: String) {
        let silent = self.code.is_some() || mark == Mark::Code;
        if mark == Mark::Code && self.code.is_none() {
            self.code = Some(String::new());
        }
        let state = if silent { State::Silent } else { State::Waiting };
        self.inlines.push(Inline { node, mark, state, repeats: 0, target });
    }

    /// Ends an inline element, if this node is one.
    pub(super) fn leave(&mut self, node: NodeId) {
        let Some(inline) = self.inlines.pop_if(|inline| inline.node == node) else { return };
        let in_code = self.inlines.iter().any(|outer| outer.mark == Mark::Code);
        if inline.mark == Mark::Code && !in_code {
            self.write_code();
            self.code = None;
        }
        self.close(&inline);
    }

    pub(super) fn space(&mut self) {
        match &mut self.code {
            Some(code) => code.push(' '),
            None => self.owed = self.owed.max(Owed::Space),
        }
    }

    pub(super) fn word_gap(&mut self) {
        self.owed = self.owed.max(Owed::Word);
    }

    pub(super) fn line_feed(&mut self) {
        if self.feed == Feed::Space {
            return self.space();
        }
        self.write_code();
        self.owed = Owed::Feed;
    }

    pub(super) fn text(&mut self, text: &str) {
        // White space at the end may end up behind a marker, so the last word does not count as followed by it.
        let trimmed = text.trim_end_matches(is_collapsed);
        let mut words = trimmed.split(is_collapsed).peekable();
        while let Some(word) = words.next() {
            let next = words.peek().map(|_| ' ');
            if word.contains(|c| is_ignored(c, false)) {
                self.word(&word.replace(|c| is_ignored(c, false), ""), next);
            } else {
                self.word(word, next);
            }
            if next.is_some() {
                self.space();
            }
        }
        if trimmed.len() < text.len() {
            self.space();
        }
    }

    fn word(&mut self, word: &str, next: Option<char>) {
        let Some(first) = word.chars().next() else { return };
        if let Some(code) = &mut self.code {
            return code.push_str(word);
        }
        self.prepare(first);
        escape::append_text(word, next, &mut self.text);
    }

    /// Writes finished Markdown, such as an image or a formula.
    pub(super) fn raw(&mut self, markdown: &str) {
        let Some(first) = markdown.chars().next() else { return };
        self.write_code();
        self.prepare(first);
        self.text.push_str(markdown);
    }

    /// Ends the line: closes all markers, to be opened again by the next line, and returns the text.
    pub(super) fn take(&mut self) -> String {
        self.write_code();
        for at in (0..self.inlines.len()).rev() {
            let mut inline = std::mem::replace(
                &mut self.inlines[at],
                Inline {
                    node: NodeId::DOCUMENT,
                    mark: Mark::Code,
                    state: State::Silent,
                    repeats: 0,
                    target: String::new(),
                },
            );
            if matches!(inline.state, State::Open(_)) {
                self.close(&inline);
                inline.repeats += 1;
            }
            let spent = inline.mark == Mark::Code || inline.repeats > MAX_REPEATS;
            inline.state = if spent { State::Silent } else { State::Waiting };
            self.inlines[at] = inline;
        }
        self.closes.clear();
        self.owed = Owed::Nothing;
        std::mem::take(&mut self.text)
    }

    fn close(&mut self, inline: &Inline) {
        let State::Open(open) = inline.state else { return };
        let at = self.text.len();
        match inline.mark {
            Mark::Superscript => self.text.push_str("</sup>"),
            Mark::Subscript => self.text.push_str("</sub>"),
            Mark::Link => self.text.push_str(&inline.target),
            _ => {
                self.text.push_str(inline.mark.start());
                self.closes.push(Close { mark: inline.mark, open, at });
                return;
            }
        }
        self.closes.clear();
    }

    /// Writes the code gathered so far as a code span.
    fn write_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let words: Vec<&str> = code.split_ascii_whitespace().collect();
        if code.starts_with(' ') {
            self.owed = self.owed.max(Owed::Space);
        }
        if !words.is_empty() {
            let content = words.join(" ");
            let fence = "`".repeat(fence_length(&content));
            let pad = if content.starts_with('`') || content.ends_with('`') { " " } else { "" };
            self.prepare('`');
            // A code span right after another would join its backticks.
            if self.text.ends_with('`') {
                self.text.push(' ');
            }
            self.text.extend([&fence, pad, &content, pad, &fence]);
            if code.ends_with(' ') {
                self.owed = self.owed.max(Owed::Space);
            }
        }
        self.code = Some(String::new());
    }

    /// Writes what must stand before a text that starts with `first`: white space and waiting markers.
    fn prepare(&mut self, first: char) {
        let waiting = self.inlines.iter().position(|inline| inline.state == State::Waiting);
        // Delimiters may turn out to be left out, so the text after them counts.
        let next = self.next_marker(waiting.unwrap_or(self.inlines.len()), |mark| !mark.is_delimiter());
        let next = next.unwrap_or(first);
        if self.write_owed(next) {
            self.closes.clear();
        } else {
            self.mend_closes(next);
        }
        self.run = self.closes.first().map_or(self.text.len(), |close| close.at);
        for at in waiting.unwrap_or(self.inlines.len())..self.inlines.len() {
            if self.inlines[at].state == State::Waiting {
                self.open(at, first);
            }
        }
        self.closes.clear();
    }

    /// Writes the owed white space and says whether there was any.
    fn write_owed(&mut self, next: char) -> bool {
        let owed = std::mem::replace(&mut self.owed, Owed::Nothing);
        if self.text.is_empty() {
            return false;
        }
        match owed {
            Owed::Nothing => return false,
            Owed::Word => {
                let touching = next.is_alphanumeric() && self.text.ends_with(char::is_alphanumeric);
                if !touching {
                    return false;
                }
                self.text.push(' ');
            }
            Owed::Space => self.text.push(' '),
            Owed::Feed if self.feed == Feed::Tag => self.text.push_str("<br>"),
            Owed::Feed => self.text.push_str("\\\n"),
        }
        true
    }

    /// The first character of the markers from `from` on that will be written before a text, if any is of a kind that
    /// counts; markers of what is open already are not written again.
    fn next_marker(&self, from: usize, counts: impl Fn(Mark) -> bool) -> Option<char> {
        let waiting = self.inlines[from..].iter().filter(|inline| inline.state == State::Waiting);
        let mut marks = waiting.map(|inline| inline.mark).filter(|mark| !self.is_open(*mark));
        marks.find(|mark| counts(*mark)).and_then(|mark| mark.start().chars().next())
    }

    fn is_open(&self, mark: Mark) -> bool {
        self.inlines.iter().any(|inline| inline.mark == mark && matches!(inline.state, State::Open(_)))
    }

    /// Takes back markers whose end would not count because a word follows punctuation across it.
    fn mend_closes(&mut self, next: char) {
        let Some(start) = self.closes.first().map(|close| close.at) else { return };
        let before = self.text[..start].chars().next_back();
        let mixed = self.closes.iter().any(|close| close.mark == Mark::Deletion) && self.closes.len() > 1;
        if !next.is_alphanumeric() || (before.is_some_and(char::is_alphanumeric) && !mixed) {
            return;
        }
        self.text.truncate(start);
        // Inner markers were opened later and closed first, so that places before them stay right.
        let closes = std::mem::take(&mut self.closes);
        for (number, close) in closes.iter().enumerate() {
            let marker = close.open..close.open + close.mark.start().len();
            let starts_here = |mark: Mark, open: usize| open + mark.start().len() == marker.start;
            let outer = self.inlines.iter().any(|inline| match inline.state {
                State::Open(open) => starts_here(inline.mark, open),
                _ => false,
            });
            let outer = outer || closes[number + 1..].iter().any(|close| starts_here(close.mark, close.open));
            let (left, right) = (&self.text[..marker.start], &self.text[marker.end..]);
            // Without a space, two code spans or delimiters would be one and a link would be an image.
            let joins = [('`', '`'), ('*', '*'), ('~', '~'), ('!', '[')];
            let joined = joins.iter().any(|(end, start)| left.ends_with(*end) && right.starts_with(*start));
            self.text.replace_range(marker, if joined && !outer { " " } else { "" });
        }
    }

    fn open(&mut self, at: usize, first: char) {
        let mark = self.inlines[at].mark;
        if self.is_open(mark) {
            self.inlines[at].state = State::Silent;
            return;
        }
        if mark.is_delimiter() {
            self.inlines[at].state = self.open_delimiter(at, mark, first);
            return;
        }
        if mark == Mark::Link && self.text.ends_with('!') {
            // Else the link would be read as an image.
            self.text.insert(self.text.len() - 1, '\\');
        }
        self.closes.clear();
        self.inlines[at].state = State::Open(self.text.len());
        self.text.push_str(mark.start());
        self.run = self.text.len();
    }

    fn open_delimiter(&mut self, at: usize, mark: Mark, first: char) -> State {
        if let Some(close) = self.closes.pop_if(|close| close.mark == mark) {
            // The same markup goes on: one marker around both.
            self.text.truncate(close.at);
            return State::Open(close.open);
        }
        // One end and one start may touch; longer runs would be paired up differently.
        let crowded = self.closes.len() > 1 || (self.closes.is_empty() && self.text[self.run..].len() > 3);
        let own = mark.start().as_bytes()[0];
        if self.text[self.run..].bytes().any(|byte| byte != own) {
            self.run = self.text.len();
        }
        let next = self.next_marker(at + 1, |mark| mark.start().as_bytes()[0] != own).unwrap_or(first);
        let before = self.text[..self.run].chars().next_back();
        let blocked = !next.is_alphanumeric() && before.is_some_and(char::is_alphanumeric);
        let could_close =
            before.is_some_and(|c| c.is_alphanumeric() || (!c.is_whitespace() && !next.is_alphanumeric()));
        if crowded || blocked || (could_close && self.is_in_long_run(at)) {
            return State::Silent;
        }
        self.closes.clear();
        let place = self.text.len();
        self.text.push_str(mark.start());
        State::Open(place)
    }

    /// Whether an open marker outside of this one is part of a run of three asterisks. CommonMark would pair such a run
    /// with any marker that could be an end; shorter runs it tells apart by their lengths.
    fn is_in_long_run(&self, at: usize) -> bool {
        self.inlines[..at].iter().any(|outer| match outer.state {
            State::Open(place) if outer.mark.is_delimiter() => {
                let before = self.text[..place].bytes().rev().take_while(|byte| *byte == b'*').count();
                let after = self.text[place..].bytes().take_while(|byte| *byte == b'*').count();
                before + after > 2
            }
            _ => false,
        })
    }
}

/// How many backticks a code span needs around its content.
fn fence_length(content: &str) -> usize {
    // Any number that differs from the runs inside would do; one more than the longest is simple.
    escape::longest_run(content, '`') + 1
}
