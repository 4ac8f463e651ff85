//! Builds the text of one paragraph, heading or table cell with its inline markup.
//!
//! Input: texts and the starts and ends of inline elements. Output: Markdown without line prefixes. White space is
//! deferred and moved out of markers, and markers are written only around text. Markers that CommonMark would not read
//! as such because of the characters around them are left out, so that no stray asterisk is displayed.

use super::escape;
use crate::dom::NodeId;
use crate::render::plain_text::{is_collapsed, is_ignored};

/// What an image is to the words beside it: they are not to touch it.
const IMAGE: char = 'x';

/// Stands for what follows a word before white space at the end of a text, which may be moved after a marker.
const SPACE_OR_MARKER: char = '*';

/// Maximum number of inline elements that can be open. Every word may look at all of them, and no reader could tell more apart.
const MAX_OPEN: usize = 16;

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

    /// Whether the marker is a delimiter run, which is valid only next to certain characters.
    fn is_delimiter(self) -> bool {
        matches!(self, Mark::Strong | Mark::Emphasis | Mark::Deletion)
    }
}

/// How a line end inside a paragraph is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feed {
    /// A hard line break.
    Hard,
    /// A `<br>`, in table cells.
    Tag,
    /// A space, in headings.
    Space,
}

/// White space to write before the next text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Pending {
    Nothing,
    /// A space if two words would touch.
    Word,
    Space,
    Feed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// No text has come yet.
    Waiting,
    /// The marker is at this position.
    Open(usize),
    /// No marker is written.
    Omitted,
}

#[derive(Debug)]
struct Inline {
    node: NodeId,
    mark: Mark,
    state: State,
    /// The text that closes a link: its target.
    target: String,
    /// Whether the element has several lines, of which images are not marked.
    has_lines: bool,
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
    /// Closing delimiters at the end of the line, with nothing written after them.
    closes: Vec<Close>,
    /// The position of the delimiter run at the end of the line while markers are opened.
    run: usize,
    pending: Pending,
    feed: Feed,
    /// The text of the current code span.
    code: Option<String>,
    /// Whether the last word of the line, as far as it was looked at, may be taken for a URL.
    in_url: bool,
    looked_at: usize,
    /// The last character of the line that a reader sees: what follows it is markup.
    last_shown: Option<char>,
    /// Whether there is anything but images.
    has_words: bool,
}

impl Line {
    pub(super) fn new() -> Line {
        Line {
            text: String::new(),
            inlines: Vec::new(),
            closes: Vec::new(),
            run: 0,
            pending: Pending::Nothing,
            feed: Feed::Hard,
            code: None,
            in_url: false,
            looked_at: 0,
            last_shown: None,
            has_words: false,
        }
    }

    /// Sets how line ends are written from now on.
    pub(super) fn set_feed(&mut self, feed: Feed) {
        self.feed = feed;
    }

    /// Whether a line end is pending after some text.
    pub(super) fn has_pending_feed(&self) -> bool {
        self.pending == Pending::Feed && !self.text.is_empty()
    }

    /// Whether the text goes into a code span.
    pub(super) fn is_in_code(&self) -> bool {
        self.code.is_some()
    }

    /// Whether the line has text, code or a formula.
    pub(super) fn has_words(&self) -> bool {
        self.has_words
    }

    /// Starts an inline element. One in another of its kind changes nothing.
    pub(super) fn enter(&mut self, node: NodeId, mark: Mark) {
        self.enter_inline(Inline { node, mark, state: State::Waiting, target: String::new(), has_lines: false });
    }

    /// Starts a link; `target` closes it. One that `has_lines` is written around the first text in it, and only there: its target may be long.
    pub(super) fn enter_link(&mut self, node: NodeId, target: String, has_lines: bool) {
        self.enter_inline(Inline { node, mark: Mark::Link, state: State::Waiting, target, has_lines });
    }

    fn enter_inline(&mut self, mut inline: Inline) {
        let mark = inline.mark;
        let is_repeated = |outer: &Inline| outer.mark == mark && (outer.state != State::Omitted || mark == Mark::Code);
        if self.inlines.len() == MAX_OPEN || self.inlines.iter().any(is_repeated) {
            return;
        }
        let omitted = self.code.is_some() || mark == Mark::Code;
        if mark == Mark::Code && self.code.is_none() {
            self.code = Some(String::new());
        }
        if omitted {
            inline.state = State::Omitted;
        }
        self.inlines.push(inline);
    }

    /// Ends an inline element, if this node is one.
    pub(super) fn leave(&mut self, node: NodeId) {
        let Some(inline) = self.inlines.pop_if(|inline| inline.node == node) else { return };
        if inline.mark == Mark::Code {
            self.write_code();
            self.code = None;
        }
        self.close(&inline);
    }

    pub(super) fn space(&mut self) {
        match &mut self.code {
            Some(code) => code.push(' '),
            None => self.pending = self.pending.max(Pending::Space),
        }
    }

    pub(super) fn word_gap(&mut self) {
        self.pending = self.pending.max(Pending::Word);
    }

    pub(super) fn line_feed(&mut self) {
        if self.feed == Feed::Space {
            return self.space();
        }
        self.write_code();
        self.pending = Pending::Feed;
    }

    pub(super) fn text(&mut self, text: &str) {
        let trimmed = text.trim_end_matches(is_space);
        let mut words = trimmed.split(is_space).peekable();
        let has_end = trimmed.len() < text.len();
        while let Some(word) = words.next() {
            let next = words.peek().map(|_| ' ').or(has_end.then_some(SPACE_OR_MARKER));
            if word.contains(|c| is_ignored(c, false)) {
                self.word(&word.replace(|c| is_ignored(c, false), ""), next);
            } else {
                self.word(word, next);
            }
            if next.is_some() {
                self.space();
            }
        }
    }

    fn word(&mut self, word: &str, next: Option<char>) {
        let Some(first) = word.chars().next() else { return };
        if let Some(code) = &mut self.code {
            return code.push_str(word);
        }
        self.prepare(first, first);
        self.append_text(word, next);
    }

    fn append_text(&mut self, word: &str, next: Option<char>) {
        self.note_words(word);
        // The part that tells may be in two texts.
        let end = self.text.as_bytes().iter().rev().take(3).rev();
        let joint: Vec<u8> = end.chain(word.as_bytes().iter().take(3)).copied().collect();
        let continues = self.ends_in_url() || escape::url_start(&joint).is_some();
        let url = if continues { Some(0) } else { escape::url_start(word.as_bytes()) };
        escape::append_text(word, next, url, &mut self.text);
    }

    /// Notes what a reader sees of a text or code.
    fn note_words(&mut self, text: &str) {
        self.last_shown = text.chars().next_back().or(self.last_shown);
        self.has_words |= !text.is_empty();
    }

    /// Writes a finished piece of Markdown.
    pub(super) fn raw(&mut self, markdown: &str) {
        self.append_raw(markdown, markdown.chars().next());
        self.note_words(markdown);
        self.forget_url();
    }

    /// Writes an image. Words beside it do not touch it.
    pub(super) fn image(&mut self, markdown: &str) {
        self.word_gap();
        self.append_raw(markdown, Some(IMAGE));
        self.last_shown = Some(IMAGE);
        self.word_gap();
        self.forget_url();
    }

    /// Writes a formula.
    pub(super) fn formula(&mut self, tex: &str) {
        let mut markdown = String::from("$");
        for (number, word) in tex.split_whitespace().enumerate() {
            markdown.push_str(if number > 0 { " " } else { "" });
            escape::append_tex(word, self.feed == Feed::Tag, &mut markdown);
        }
        markdown.push('$');
        self.append_raw(&markdown, Some('$'));
        self.note_words(&markdown);
    }

    /// Writes Markdown of which a reader sees `shown` first.
    fn append_raw(&mut self, markdown: &str, shown: Option<char>) {
        let (Some(first), Some(shown)) = (markdown.chars().next(), shown) else { return };
        self.write_code();
        if self.pending <= Pending::Word && self.ends_in_url() {
            self.pending = Pending::Space;
        }
        self.prepare(first, shown);
        self.text.push_str(markdown);
    }

    /// Whether the line ends with a word that renderers may take for a URL. They read it up to the next white space or tag, and
    /// all markup in it as a part of it.
    fn ends_in_url(&mut self) -> bool {
        let text = self.text.as_bytes();
        let mut start = self.looked_at.min(text.len());
        match text[start..].iter().rposition(|byte| matches!(byte, b' ' | b'\n' | b'<')) {
            Some(space) => (start, self.in_url) = (start + space, false),
            None => start = start.saturating_sub(3),
        }
        self.in_url = self.in_url || escape::url_start(&text[start..]).is_some();
        self.looked_at = text.len();
        self.in_url
    }

    /// Called after markup whose end renderers recognize whatever is in it.
    fn forget_url(&mut self) {
        (self.in_url, self.looked_at) = (false, self.text.len());
    }

    /// Ends the line: closes all markers, which the next line reopens, and returns the text.
    pub(super) fn take(&mut self) -> String {
        self.write_code();
        for at in (0..self.inlines.len()).rev() {
            let mut inline = std::mem::replace(
                &mut self.inlines[at],
                Inline {
                    node: NodeId::DOCUMENT,
                    mark: Mark::Code,
                    state: State::Omitted,
                    target: String::new(),
                    has_lines: false,
                },
            );
            let is_open = matches!(inline.state, State::Open(_));
            if is_open {
                self.close(&inline);
            }
            let is_written_link = inline.mark == Mark::Link && (is_open || inline.state == State::Omitted);
            let spent = inline.mark == Mark::Code || is_written_link;
            inline.state = if spent { State::Omitted } else { State::Waiting };
            self.inlines[at] = inline;
        }
        self.closes.clear();
        self.pending = Pending::Nothing;
        (self.in_url, self.looked_at) = (false, 0);
        (self.last_shown, self.has_words) = (None, false);
        std::mem::take(&mut self.text)
    }

    fn close(&mut self, inline: &Inline) {
        let State::Open(open) = inline.state else { return };
        let at = self.text.len();
        match inline.mark {
            Mark::Superscript => self.text.push_str("</sup>"),
            Mark::Subscript => self.text.push_str("</sub>"),
            Mark::Link => {
                self.text.push_str(&inline.target);
                self.forget_url();
            }
            _ => {
                self.text.push_str(inline.mark.start());
                self.closes.push(Close { mark: inline.mark, open, at });
                return;
            }
        }
        self.closes.clear();
    }

    /// Writes the code collected so far as a code span.
    fn write_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let words: Vec<&str> = code.split(is_space).filter(|word| !word.is_empty()).collect();
        if code.starts_with(' ') {
            self.pending = self.pending.max(Pending::Space);
        }
        if !words.is_empty() {
            let content = words.join(" ");
            let fence = "`".repeat(fence_length(&content));
            let pad = if content.starts_with('`') || content.ends_with('`') { " " } else { "" };
            let touches_url = self.pending <= Pending::Word && self.ends_in_url();
            // Readers of tables take bars after two backslashes for the end of a cell, also in code.
            let ends_cell = self.feed == Feed::Tag && content.contains("\\|");
            if touches_url || ends_cell {
                for (number, word) in words.iter().enumerate() {
                    if number > 0 {
                        self.pending = self.pending.max(Pending::Space);
                    }
                    let first = word.chars().next().unwrap_or(' ');
                    self.prepare(first, first);
                    self.append_text(word, None);
                }
                if code.ends_with(' ') {
                    self.pending = self.pending.max(Pending::Space);
                }
                self.code = Some(String::new());
                return;
            }
            self.prepare('`', content.chars().next().unwrap_or('`'));
            // The backticks of two adjacent code spans would merge.
            if self.text.ends_with('`') {
                self.text.push(' ');
            }
            self.text.extend([&fence, pad, &content, pad, &fence]);
            self.note_words(&content);
            self.forget_url();
            if code.ends_with(' ') {
                self.pending = self.pending.max(Pending::Space);
            }
        }
        self.code = Some(String::new());
    }

    /// Writes pending white space and waiting markers before what starts with `first`, of which a reader sees `shown` first.
    fn prepare(&mut self, first: char, shown: char) {
        let waiting = self.inlines.iter().position(|inline| inline.state == State::Waiting);
        // Delimiters may be left out, so the text after them is decisive.
        let next = self.next_marker(waiting.unwrap_or(self.inlines.len()), |mark| !mark.is_delimiter());
        let next = next.unwrap_or(first);
        if self.write_pending(shown) {
            self.closes.clear();
        } else {
            self.remove_invalid_closes(next);
        }
        self.run = self.closes.first().map_or(self.text.len(), |close| close.at);
        if self.ends_in_url() {
            // Markers would be read as a part of the URL; they wait for the next word.
            self.closes.clear();
            return;
        }
        let is_image = first == '!' && shown == IMAGE;
        for at in waiting.unwrap_or(self.inlines.len())..self.inlines.len() {
            let inline = &self.inlines[at];
            if inline.state == State::Waiting && !(is_image && inline.has_lines) {
                self.open(at, first);
            }
        }
        self.closes.clear();
    }

    /// Writes the pending white space before what a reader sees next, and returns whether there was any.
    fn write_pending(&mut self, shown: char) -> bool {
        let pending = std::mem::replace(&mut self.pending, Pending::Nothing);
        if self.text.is_empty() {
            return false;
        }
        match pending {
            Pending::Nothing => return false,
            Pending::Word => {
                let touching = shown.is_alphanumeric() && self.last_shown.is_some_and(char::is_alphanumeric);
                if !touching {
                    return false;
                }
                self.text.push(' ');
            }
            Pending::Space => self.text.push(' '),
            Pending::Feed if self.feed == Feed::Tag => self.text.push_str("<br>"),
            // Renderers would take the backslash for a part of the URL.
            Pending::Feed if self.ends_in_url() => self.text.push_str("  \n"),
            Pending::Feed => self.text.push_str("\\\n"),
        }
        true
    }

    /// The first character of the first marker, at or after `from`, that will be written before a text and that `counts`
    /// accepts. Markers that are already open are not written again.
    fn next_marker(&self, from: usize, counts: impl Fn(Mark) -> bool) -> Option<char> {
        let waiting = self.inlines[from..].iter().filter(|inline| inline.state == State::Waiting);
        let mut marks = waiting.map(|inline| inline.mark).filter(|mark| !self.is_open(*mark));
        marks.find(|mark| counts(*mark)).and_then(|mark| mark.start().chars().next())
    }

    fn is_open(&self, mark: Mark) -> bool {
        self.inlines.iter().any(|inline| inline.mark == mark && matches!(inline.state, State::Open(_)))
    }

    /// Removes markers whose closing delimiter would be invalid because it is between punctuation and a word.
    fn remove_invalid_closes(&mut self, next: char) {
        let Some(start) = self.closes.first().map(|close| close.at) else { return };
        let before = self.text[..start].chars().next_back();
        let mixed = self.closes.iter().any(|close| close.mark == Mark::Deletion) && self.closes.len() > 1;
        if !next.is_alphanumeric() || (before.is_some_and(char::is_alphanumeric) && !mixed) {
            return;
        }
        self.text.truncate(start);
        self.looked_at = self.closes.iter().map(|close| close.open).min().unwrap_or(start).min(self.looked_at);
        // Inner markers were opened later and closed first, so positions before them remain valid.
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
            // Without a space, two code spans or delimiters would merge, and a link would become an image.
            let joins = [('`', '`'), ('*', '*'), ('~', '~'), ('!', '[')];
            let joined = joins.iter().any(|(end, start)| left.ends_with(*end) && right.starts_with(*start));
            self.text.replace_range(marker, if joined && !outer { " " } else { "" });
        }
    }

    fn open(&mut self, at: usize, first: char) {
        let mark = self.inlines[at].mark;
        if self.is_open(mark) {
            self.inlines[at].state = State::Omitted;
            return;
        }
        if mark.is_delimiter() {
            self.inlines[at].state = self.open_delimiter(at, mark, first);
            return;
        }
        if mark == Mark::Link && self.text.ends_with('!') {
            // Otherwise the link would be read as an image.
            self.text.insert(self.text.len() - 1, '\\');
        }
        self.closes.clear();
        self.inlines[at].state = State::Open(self.text.len());
        self.text.push_str(mark.start());
        self.run = self.text.len();
    }

    fn open_delimiter(&mut self, at: usize, mark: Mark, first: char) -> State {
        if let Some(close) = self.closes.pop_if(|close| close.mark == mark) {
            // The same markup continues: one marker around both.
            self.text.truncate(close.at);
            self.looked_at = self.looked_at.min(close.at);
            return State::Open(close.open);
        }
        // One closing and one opening delimiter may touch; longer runs would be paired differently.
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
            return State::Omitted;
        }
        self.closes.clear();
        let position = self.text.len();
        self.text.push_str(mark.start());
        State::Open(position)
    }

    /// Whether an enclosing open marker is part of a run of three asterisks. CommonMark would pair such a run with any
    /// marker that could close it; it distinguishes shorter runs by their length.
    fn is_in_long_run(&self, at: usize) -> bool {
        self.inlines[..at].iter().any(|outer| match outer.state {
            State::Open(position) if outer.mark.is_delimiter() => {
                let before = self.text[..position].bytes().rev().take_while(|byte| *byte == b'*').count();
                let after = self.text[position..].bytes().take_while(|byte| *byte == b'*').count();
                before + after > 2
            }
            _ => false,
        })
    }
}

/// Whether a character separates words. Some renderers take the two separators of Unicode for the end of a line.
fn is_space(c: char) -> bool {
    is_collapsed(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The number of backticks that a code span needs around its content.
fn fence_length(content: &str) -> usize {
    // Any number that differs from the runs inside would do; one more than the longest is simple.
    escape::longest_run(content, '`') + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word and every paragraph looks at each open element, so their number must not grow with the page.
    #[test]
    fn few_elements_are_open_at_once() {
        let marks = [Mark::Strong, Mark::Emphasis, Mark::Link, Mark::Deletion, Mark::Superscript, Mark::Subscript];
        let mut line = Line::new();
        for number in 0..2000 {
            match marks[number as usize % marks.len()] {
                Mark::Link => line.enter_link(NodeId(number), String::from("](/)"), false),
                mark => line.enter(NodeId(number), mark),
            }
            line.text(if number % 2 == 0 { "a(" } else { "b" });
            assert!(line.inlines.len() <= MAX_OPEN && line.closes.len() <= MAX_OPEN);
        }
        assert!(line.take().len() < 10_000);
        for number in (0..2000).rev() {
            line.leave(NodeId(number));
        }
        assert!(line.inlines.is_empty());
        line.enter(NodeId(0), Mark::Strong);
        line.text("c");
        line.leave(NodeId(0));
        assert_eq!(line.take(), "**c**");
    }
}
