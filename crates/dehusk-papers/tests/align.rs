//! Alignment: against an independent table, on the example sites, and on hostile sequences.

#[path = "../../dehusk/tests/support/example_sites.rs"]
mod example_sites;
#[path = "../../dehusk/tests/support/random.rs"]
mod random;

use dehusk::Reason;
use dehusk::dom::{Document, Name, Parser, Stats};
use dehusk::render::{RenderOptions, render_text};
use dehusk_papers::Rules;
use dehusk_papers::align::{AlignAlgorithm, AlignLimits, AlignSettings, Alignment, Step, align, align_by, align_score};
use dehusk_papers::align::{AlignLearner, AlignTemplate, PageTokens, detect_align};
use random::Random;

/// Random sequences of tokens.
struct Tokens(Random);

impl Tokens {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit as usize) as u32
    }

    fn sequence(&mut self, max_length: u32, alphabet: u32) -> Vec<u32> {
        let length = self.below(max_length + 1);
        (0..length).map(|_| self.below(alphabet)).collect()
    }

    /// Returns a sequence with some tokens changed, removed or added.
    fn changed(&mut self, tokens: &[u32], alphabet: u32, changes: u32) -> Vec<u32> {
        let mut tokens = tokens.to_vec();
        for _ in 0..changes {
            let at = self.below(tokens.len() as u32 + 1) as usize;
            match self.below(3) {
                0 => tokens.insert(at, self.below(alphabet)),
                1 if at < tokens.len() => drop(tokens.remove(at)),
                _ if at < tokens.len() => tokens[at] = self.below(alphabet),
                _ => {}
            }
        }
        tokens
    }
}

/// Computes the score directly from its definition.
fn textbook(first: &[u32], second: &[u32]) -> i64 {
    let mut table = vec![vec![0i64; second.len() + 1]; first.len() + 1];
    for row in 0..=first.len() {
        for column in 0..=second.len() {
            table[row][column] = if row == 0 {
                -(column as i64)
            } else if column == 0 {
                -(row as i64)
            } else {
                let equal = i64::from(first[row - 1] == second[column - 1]);
                let together = table[row - 1][column - 1] + equal;
                together.max(table[row - 1][column] - 1).max(table[row][column - 1] - 1)
            };
        }
    }
    table[first.len()][second.len()]
}

/// Checks that an alignment is one of these sequences, and returns its score, which must follow from the penalties of
/// the wavefronts.
fn check(alignment: &Alignment, first: &[u32], second: &[u32]) -> i64 {
    let (mut row, mut column, mut penalty) = (0, 0, 0);
    for step in &alignment.steps {
        match step {
            Step::Match => assert_eq!(first[row], second[column]),
            Step::Mismatch => {
                assert_ne!(first[row], second[column]);
                penalty += 2;
            }
            Step::First | Step::Second => penalty += 3,
        }
        row += usize::from(*step != Step::Second);
        column += usize::from(*step != Step::First);
    }
    assert_eq!((row, column), (first.len(), second.len()));
    let doubled = (first.len() + second.len()) as i64 - penalty;
    assert_eq!(doubled % 2, 0);
    assert_eq!(doubled / 2, alignment.score());
    alignment.score()
}

fn check_all_paths(first: &[u32], second: &[u32]) {
    let expected = textbook(first, second);
    assert_eq!(align_score(first, second), expected, "{first:?} {second:?}");
    let large = AlignLimits::default();
    let tiny = AlignLimits { bytes: 16, ..large };
    let paths = [
        (AlignAlgorithm::Auto, large),
        (AlignAlgorithm::Matrix, large),
        (AlignAlgorithm::Wavefront, large),
        (AlignAlgorithm::Divide, tiny),
        (AlignAlgorithm::Auto, tiny),
        (AlignAlgorithm::Wavefront, tiny),
    ];
    for (path, limits) in paths {
        let alignment = align_by(path, first, second, limits);
        assert!(alignment.exact);
        assert_eq!(check(&alignment, first, second), expected, "{path:?} {first:?} {second:?}");
    }
}

#[test]
fn all_paths_give_the_score_of_the_textbook() {
    let mut numbers = Tokens(Random(1));
    for round in 0..6_000 {
        let alphabet = 2 + numbers.below(7);
        let first = numbers.sequence(60, alphabet);
        let second = match round % 3 {
            0 => numbers.sequence(60, alphabet),
            1 => {
                let changes = numbers.below(12);
                numbers.changed(&first, alphabet, changes)
            }
            _ => {
                let cut = numbers.below(first.len() as u32 + 1) as usize;
                first[cut..].to_vec()
            }
        };
        check_all_paths(&first, &second);
        check_all_paths(&first, &[]);
        check_all_paths(&[], &second);
    }
}

#[test]
fn longer_sequences_agree_too() {
    let mut numbers = Tokens(Random(2));
    for (alphabet, changes) in [(2, 700), (40, 30), (40, 400), (5_000, 200)] {
        let first: Vec<u32> = (0..700).map(|_| numbers.below(alphabet)).collect();
        let second = numbers.changed(&first, alphabet, changes);
        check_all_paths(&first, &second);
    }
}

/// Returns the peak memory of this process, if the system reports it.
fn peak_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[test]
fn hostile_sequences_are_bounded() {
    let first: Vec<u32> = (0..50_000).collect();
    let second: Vec<u32> = (50_000..100_000).collect();
    let alignment = align(&first, &second);
    assert!(!alignment.exact);
    check(&alignment, &first, &second);
    // Shuffled, and with an alphabet of two.
    let mut numbers = Tokens(Random(3));
    let mut shuffled = first.clone();
    shuffled.sort_by_key(|token| token.wrapping_mul(0x9e37_79b9));
    check(&align(&first, &shuffled), &first, &shuffled);
    let coins = [(); 2].map(|_| (0..50_000).map(|_| numbers.below(2)).collect::<Vec<u32>>());
    check(&align(&coins[0], &coins[1]), &coins[0], &coins[1]);
    // Long but similar: exact.
    let similar = numbers.changed(&first, 50_000, 500);
    let alignment = align(&first, &similar);
    assert!(alignment.exact);
    assert!(check(&alignment, &first, &similar) > 48_000);
    if let Some(peak) = peak_kilobytes() {
        assert!(peak < 256 << 10, "{peak} kB");
    }
}

#[test]
fn an_inexact_alignment_still_matches_unique_tokens() {
    let first: Vec<u32> = (0..400).collect();
    let second: Vec<u32> = (0..800).map(|at| if at % 2 == 0 { at / 2 } else { 1_000 + at }).collect();
    let limits = AlignLimits { work: 100, ..AlignLimits::default() };
    let alignment = align_by(AlignAlgorithm::Matrix, &first, &second, limits);
    assert!(!alignment.exact);
    check(&alignment, &first, &second);
    assert_eq!(alignment.steps.iter().filter(|step| **step == Step::Match).count(), 400);
}

fn parse(page: &[u8]) -> Document {
    Parser::default().parse(&*dehusk::dom::decode(page, None, &dehusk::Limits::default()).unwrap().text).unwrap()
}

fn learn<'a>(settings: AlignSettings, pages: impl Iterator<Item = (&'a String, &'a Vec<u8>)>) -> AlignLearner {
    let mut learner = AlignLearner::new(settings).unwrap();
    for (name, page) in pages {
        learner.observe(&parse(page), name);
    }
    learner
}

fn clean(document: &Document, template: &AlignTemplate) -> String {
    let detection = detect_align(document, &Stats::of(document), template);
    assert!(detection.detectors.to_string().starts_with("align"));
    collapse(&render_text(document, &detection, RenderOptions::default()))
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the number of husks that are on at least a share of their site's pages, and those that are not dropped. No
/// content may be lost.
fn husks_left(settings: AlignSettings, on_share: f64) -> (usize, Vec<String>) {
    let (mut husks, mut left) = (0, Vec::new());
    for site in example_sites::sites() {
        let template = learn(settings, site.pages.iter()).finish(0);
        assert_eq!(template.pages(), 14);
        assert!(!template.is_partial());
        let documents: Vec<String> = site.pages.values().map(|page| collapse(parse(page).source())).collect();
        for (path, truth) in site.truth.as_object().unwrap() {
            let text = clean(&parse(&site.pages[path]), &template);
            for content in truth["content"].as_array().unwrap() {
                let content = collapse(content.as_str().unwrap());
                assert!(text.contains(&content), "{}/{path} lost {content:?}", site.name);
            }
            for husk in truth["husk"].as_array().unwrap() {
                let husk = collapse(husk.as_str().unwrap());
                let pages = documents.iter().filter(|source| source.contains(&husk)).count();
                if pages as f64 >= on_share * documents.len() as f64 {
                    husks += 1;
                    if text.contains(&husk) {
                        left.push(format!("{}/{path}: {husk} ({pages})", site.name));
                    }
                }
            }
        }
    }
    (husks, left)
}

#[test]
fn content_is_kept_and_husks_are_dropped() {
    let (husks, left) = husks_left(AlignSettings::sections(), 0.0);
    assert!(husks > 150);
    // The footer of the shop contains the time it took to render the page, and is kept if that line is a block of its
    // own.
    assert!(left.len() * 20 <= husks, "{} of {husks} husks are left: {left:#?}", left.len());
}

#[test]
fn half_of_the_pages_finds_what_the_whole_site_shares() {
    let (husks, left) = husks_left(AlignSettings::default(), 0.75);
    assert!(husks > 50);
    assert!(left.len() * 10 <= husks, "{} of {husks} husks are left: {left:#?}", left.len());
}

/// A page with what our rules are for: a line on a third of the pages, a date, a label before a value, links to the page itself.
fn dated(number: usize) -> Document {
    let section = if number % 3 == 1 { "<aside><p>Oars for you</p></aside>" } else { "" };
    let page = format!(
        "<body><nav><a href='/up?from={number}x'>Home</a> <a href=/b>Contact</a></nav>
         <h1>Story {number}</h1><p>Price in the shop: <i>{number}00 crowns and a barrel</i></p>
         {section}<time>{} March 2013</time>",
        number + 1
    );
    parse(page.as_bytes())
}

#[test]
fn as_in_the_paper_exactly_what_half_of_the_pages_share_is_dropped() {
    let clean = |settings: AlignSettings| {
        let mut learner = AlignLearner::new(settings).unwrap();
        (0..16).for_each(|number| learner.observe(&dated(number), &number.to_string()));
        clean(&dated(4), &learner.finish(0))
    };
    let half = AlignSettings::default();
    assert_eq!(half.share, 0.5);
    assert_eq!(clean(half), "Story 4 Price in the shop: 400 crowns and a barrel Oars for you");
    // A fifth of the pages is less than the third that share it.
    assert_eq!(clean(AlignSettings::sections()), "Story 4 Price in the shop: 400 crowns and a barrel");
    // Without the rules for slots, the date stays; a value keeps its label.
    let no_slots = AlignSettings { rules: Rules::NoSlots, ..half };
    assert_eq!(clean(no_slots), "Story 4 Price in the shop: 400 crowns and a barrel Oars for you 5 March 2013");
    // In the paper, the label goes.
    assert_eq!(clean(AlignSettings::as_in_paper()), "Story 4 400 crowns and a barrel Oars for you 5 March 2013");
}

#[test]
fn as_in_the_paper_tags_have_all_values_and_texts_only_their_words() {
    let tokens = |page: &str, rules: Rules| -> Vec<u64> {
        PageTokens::with(&parse(page.as_bytes()), rules).tokens.iter().map(|token| token.hash).collect()
    };
    let (one, two) = ("<body><a href=/a>Home</a>", "<body><a href=/b>Home</a>");
    assert_eq!(tokens(one, Rules::All), tokens(two, Rules::All));
    assert_ne!(tokens(one, Rules::Paper), tokens(two, Rules::Paper));
    let text = |page: &str, rules: Rules| tokens(page, rules)[1];
    let (bold, italic) = ("<body><b>Home</b>", "<body><i>Home</i>");
    assert_ne!(text(bold, Rules::All), text(italic, Rules::All));
    assert_eq!(text(bold, Rules::Paper), text(italic, Rules::Paper));
}

#[test]
fn neither_order_nor_halves_matter() {
    let settings = AlignSettings::default();
    for site in example_sites::sites() {
        let whole = learn(settings, site.pages.iter()).finish(7);
        assert_eq!(learn(settings, site.pages.iter().rev()).finish(7), whole);
        let mut halves = learn(settings, site.pages.iter().step_by(2));
        halves.merge(learn(settings, site.pages.iter().skip(1).step_by(2))).unwrap();
        assert_eq!(halves.finish(7), whole);
        // Round by round, as a caller with threads would.
        let mut consensus = learn(settings, site.pages.iter()).into_consensus(7);
        loop {
            let pairs = consensus.rounds.next_pairs();
            if pairs.is_empty() {
                break;
            }
            let aligned = pairs.iter().map(|pair| pair.align()).collect();
            consensus.rounds.accept(aligned);
        }
        assert_eq!(consensus.finish(), whole);
    }
}

#[test]
fn the_sample_is_bounded_and_merges() {
    let page = |number: u32| parse(format!("<nav>Home</nav><p>Text {number}</p>").as_bytes());
    let settings = AlignSettings { pages: 5, ..AlignSettings::default() };
    let learn = |numbers: Vec<u32>| {
        let mut learner = AlignLearner::new(settings).unwrap();
        for number in numbers {
            learner.observe(&page(number), &number.to_string());
        }
        learner
    };
    let whole = learn((0..100).collect());
    assert_eq!(whole.pages(), 5);
    assert_eq!(learn((0..100).rev().collect()), whole);
    let mut halves = learn((0..60).collect());
    halves.merge(learn((40..100).collect())).unwrap();
    assert_eq!(halves, whole);
    assert!(halves.merge(AlignLearner::new(AlignSettings::default()).unwrap()).is_err());
    for (pages, share) in [(1, 0.5), (16, 0.0), (16, f64::NAN), (16, 1.5)] {
        assert!(AlignLearner::new(AlignSettings { pages, share, ..AlignSettings::default() }).is_err());
    }
}

#[test]
fn huge_pages_are_truncated_and_reported() {
    let page = |from: u32| {
        let texts: String = (from..from + 80_000).map(|number| format!("<p>{number}</p>")).collect();
        parse(format!("<body><nav>Home and more</nav>{texts}</body>").as_bytes())
    };
    let mut learner = AlignLearner::new(AlignSettings::default()).unwrap();
    let (one, two) = (page(0), page(1_000_000));
    learner.observe(&one, "one");
    learner.observe(&two, "two");
    let template = learner.finish(0);
    assert!(template.is_partial());
    let text = clean(&one, &template);
    assert!(!text.contains("Home") && text.contains("79999"));
}

#[test]
fn values_that_change_per_request_do_not_matter() {
    let page = |number: u32, text: &str| {
        format!(
            "<body><div class='top{}' data-request='{number}8a6f3c{number}'><a href='/?sid={number}77aa41'>Home</a>
             <img src='/logo.png?v={number}123'> All about boats</div><p>{text}</p>
             <form><input type=hidden name=csrf value='{number}x'>Search here</form></body>",
            if number == 2 { " active" } else { "" }
        )
    };
    let texts = ["Rain fell on the harbour.", "Nets are mended in May.", "The ferry is late again."];
    let mut learner = AlignLearner::new(AlignSettings::default()).unwrap();
    for (number, text) in (1..).zip(texts) {
        learner.observe(&parse(page(number, text).as_bytes()), text);
    }
    let template = learner.finish(0);
    let document = parse(page(9, "Fog came in by noon.").as_bytes());
    assert_eq!(clean(&document, &template), "Fog came in by noon.");
    let detection = detect_align(&document, &Stats::of(&document), &template);
    let div = document.find(Name::DIV).unwrap();
    assert_eq!(detection.reason(div), Reason::Aligned { pages: 3, of: 3 });
    assert_eq!(detection.reason(div).to_string(), "aligned with 3 of 3 pages");
    assert!(detection.is_dropped(document.find(Name::IMG).unwrap()));
}

#[test]
fn without_a_template_everything_is_kept() {
    let document = parse(b"<body><p>One</p></body>");
    let nothing = AlignLearner::new(AlignSettings::default()).unwrap().finish(0);
    assert_eq!(clean(&document, &nothing), "One");
    // One page is not a site.
    let mut learner = AlignLearner::new(AlignSettings::default()).unwrap();
    learner.observe(&document, "a");
    assert_eq!(clean(&document, &learner.finish(0)), "One");
    assert_eq!(clean(&parse(b""), &AlignTemplate::default()), "");
}
