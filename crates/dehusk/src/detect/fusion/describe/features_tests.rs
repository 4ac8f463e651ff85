//! What the model sees of small pages, number by number.

use crate::detect::fusion::fusion_page::FusionPage;
use crate::detect::fusion::fusion_schema::column_names;
use crate::dom::Parser;
use crate::read::words::hashed_odds::Odds;

/// The described page, to ask for its features by name.
struct Described(FusionPage);

impl Described {
    fn of(source: &str) -> Described {
        let mut page = FusionPage::default();
        page.describe(&Parser::default().parse(source).unwrap(), &Odds::default());
        Described(page)
    }

    /// A feature of a block.
    fn get(&self, block: usize, name: &str) -> f32 {
        let column = column_names().first.iter().position(|other| other == name);
        let column = column.unwrap_or_else(|| panic!("no feature is called {name}"));
        self.row(block)[column]
    }

    /// A feature of all blocks.
    fn all(&self, name: &str) -> Vec<f32> {
        (0..self.0.len()).map(|block| self.get(block, name)).collect()
    }

    fn row(&self, block: usize) -> &[f32] {
        let width = column_names().first.len();
        &self.0.rows()[block * width..(block + 1) * width]
    }
}

/// Counts are given as logarithms.
fn log(count: u32) -> f32 {
    ((count + 1) as f32).log2()
}

#[test]
fn the_text_of_a_block_is_counted() {
    let page = Described::of("<p>The <b>Ferry</b> left at 7, <a href=#x>late</a> <a href=https://a.example>again</a>");
    assert_eq!(page.0.len(), 1);
    // The, Ferry, left, at, 7,, late, again: 25 characters, of which 5 are bold.
    let expected = [
        ("words", log(7)),
        ("characters", log(25)),
        ("link_share", 2.0 / 7.0),
        ("links", log(2)),
        ("inner_links", 1.0 / 7.0),
        ("outer_links", 1.0 / 7.0),
        ("digits", 1.0 / 25.0),
        ("capitals", 2.0 / 25.0),
        ("capital_words", 2.0 / 7.0),
        ("commas", 1.0 / 7.0),
        ("bold", 5.0 / 25.0),
        ("code", 0.0),
        ("sentence_ends", 0.0),
        ("text_nodes", log(5)),
        ("first_mark", 11.0),
        ("last_mark", 12.0),
        ("hidden", 0.0),
        ("copies_on_page", 1.0),
    ];
    for (name, value) in expected {
        assert!((page.get(0, name) - value).abs() < 1e-6, "{name} is {}, not {value}", page.get(0, name));
    }
}

#[test]
fn what_is_around_the_text_is_counted() {
    let page = Described::of(
        "<p>One.<br>Two!<p hidden>Three<pre>four</pre><div><img src=a><button>x</button><input>Five?</div><code>six</code>",
    );
    assert_eq!(page.all("breaks"), [1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(page.all("hidden"), [0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(page.all("code"), [0.0, 0.0, 1.0, 0.0, 1.0]);
    assert_eq!(page.all("pictures"), [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(page.all("controls"), [0.0, 0.0, 0.0, log(2), 0.0]);
    assert_eq!(page.all("ends_sentence"), [1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(page.all("sentence_ends"), [log(2), 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn groups_know_their_place_and_their_likes() {
    let page = Described::of("<main><ul><li>one<li>two<li>three four</ul><p>Five six.</p></main>");
    assert_eq!(page.all("group_like_siblings[0]"), [log(3), log(3), log(3), log(1)]);
    assert_eq!(page.all("group_place[0]"), [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 2.0]);
    assert_eq!(page.get(0, "group_children[1]"), log(3));
    assert_eq!(page.all("group_words[0]"), [log(1), log(1), log(2), log(2)]);
    assert_eq!(page.get(0, "group_words[1]"), log(4));
    assert_eq!(page.get(0, "group_page_share[1]"), 4.0 / 6.0);
    assert_eq!(page.all("group_of_parent[0]"), [1.0 / 4.0, 1.0 / 4.0, 2.0 / 4.0, 2.0 / 6.0]);
    assert_eq!(page.all("depth"), [2.0, 2.0, 2.0, 1.0]);
    // Above the body there is nothing more: its chain is its own parent.
    assert_eq!(page.get(3, "group_words[6]"), log(6));
}

#[test]
fn wrappers_within_wrappers_count_once() {
    let inner = "<h2>Tides</h2><p>High water is at six.</p>";
    let (one, two) = (
        Described::of(&format!("<p>First</p><div class=text>{inner}</div>")),
        Described::of(&format!("<p>First</p><div><div><div class=text>{inner}</div></div></div>")),
    );
    assert_eq!(one.0.len(), 3);
    assert_eq!(one.all("depth"), two.all("depth"));
    for block in 0..3 {
        assert_eq!(one.row(block), two.row(block), "block {block}");
    }
}

#[test]
fn blocks_know_the_heading_above_them() {
    let page =
        Described::of("<p>zero</p><h2>Two words</h2><p>one two three</p><p>four</p><h3><a href=/>Link</a></h3><p>five");
    assert_eq!(page.all("own_heading_level"), [0.0, 2.0, 0.0, 0.0, 3.0, 0.0]);
    assert_eq!(page.all("heading_level"), [0.0, 0.0, 2.0, 2.0, 2.0, 3.0]);
    assert_eq!(page.all("blocks_since_heading"), [0.0, log(1), log(1), log(2), log(3), log(1)]);
    assert_eq!(page.all("words_since_heading"), [0.0, log(1), log(2), log(5), log(6), log(1)]);
    assert_eq!(page.all("heading_words")[2..], [log(2), log(2), log(2), log(1)]);
    assert_eq!(page.all("heading_link_share"), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn blocks_know_their_neighbours() {
    let page = Described::of("<div><p>one</p><p>two <a href=/>three</a></p></div><footer><p>Four. Five.</p></footer>");
    assert_eq!(page.all("near_words[-1]"), [-1.0, log(1), log(2)]);
    assert_eq!(page.all("near_words[1]"), [log(2), log(2), -1.0]);
    assert_eq!(page.all("near_link_share[-1]"), [0.0, 0.0, 0.5]);
    assert_eq!(page.all("near_sentences[1]"), [0.0, 2.0, 0.0]);
    // Paragraphs of one division share a parent; the footer shares a grandparent with them.
    assert_eq!(page.all("near_relation[1]"), [2.0, 1.0, -1.0]);
    assert_eq!(page.all("window_words[2]"), [5.0 / 3.0; 3]);
    assert_eq!(page.all("place_by_block"), [0.0, 1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(page.all("place_by_word"), [0.0, 1.0 / 5.0, 3.0 / 5.0]);
    assert_eq!(page.all("blocks_after"), [log(2), log(1), 0.0]);
}

#[test]
fn parts_of_cards_play_one_role() {
    let card = |number| format!("<div class=card><h3>Card {number}</h3><p>Text of it, {number}.</p></div>");
    let page = Described::of(&format!("<h1>Cards</h1>{}{}{}", card(1), card(2), card(3)));
    assert_eq!(page.all("role_blocks[1]"), [1, 3, 3, 3, 3, 3, 3].map(log));
    assert_eq!(page.all("role_first[1]")[..3], [0.0, 1.0 / 7.0, 2.0 / 7.0]);
    assert_eq!(page.all("role_span[1]")[..3], [0.0, 4.0 / 7.0, 4.0 / 7.0]);
    assert_eq!(page.get(2, "role_mean_words[1]"), 4.0);
    assert_eq!(page.get(2, "role_single[1]"), 1.0);
}

#[test]
fn the_head_of_a_page_is_read() {
    let page = Described::of(
        r#"<title>The late ferry - Harbour</title><meta property="og:type" content="article">
        <script type="application/ld+json">{"@type": "Product"}</script>
        <body class=post><p>Menu</p><h1>The late ferry</h1><p>It was late.</p>"#,
    );
    assert_eq!(page.all("title_share"), [0.0, 1.0, 1.0 / 3.0]);
    assert_eq!(page.all("blocks_since_title"), [-1.0, 0.0, 1.0]);
    assert_eq!(page.all("blocks_since_first_h1"), [-1.0, 0.0, 1.0]);
    let kinds = |name: &str| {
        ["article", "product", "forum", "list", "record", "organization", "page", "profile"]
            .map(|kind| page.get(0, &format!("{name}[{kind}]")))
    };
    assert_eq!(kinds("page_structured_data_kind"), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(kinds("page_open_graph_kind"), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!((page.get(0, "page_words"), page.get(0, "page_blocks")), (log(7), log(3)));
    assert_eq!((page.get(0, "page_h1"), page.get(0, "page_headings")), (log(1), log(1)));
    assert_eq!(page.get(0, "page_paragraph_share"), 4.0 / 7.0);
}

#[test]
fn copies_know_how_far_the_other_is() {
    let page = Described::of("<div><p>Same text here</p></div><p>Other</p><p>Same text here</p>");
    assert_eq!(page.all("copies_on_page"), [2.0, 1.0, 2.0]);
    assert_eq!(page.all("copies_before"), [0.0, 0.0, log(1)]);
    assert_eq!(page.all("blocks_until_copy"), [log(2), -1.0, -1.0]);
    assert_eq!(page.all("blocks_since_copy"), [-1.0, -1.0, log(2)]);
}

#[test]
fn a_block_of_a_record_is_described_by_all_records() {
    let card = |name: &str| format!("<div class=card><h3>{name}</h3><p><a href=/>read more</a></div>");
    let page = Described::of(&format!("<h2>Boats</h2>{}{}{}<p>That is all.", card("Ada"), card("Bea"), card("Cleo")));
    // A heading, three cards of one and two words, three words after them: 13 words, 8 blocks.
    let of_card = [
        ("region_records", log(3)),
        ("region_page_share", 9.0 / 13.0),
        ("region_of_largest", 1.0),
        ("region_record_words", log(3)),
        ("region_link_share", 6.0 / 9.0),
        // The names differ, the links do not.
        ("region_single", 0.5),
        ("region_columns", log(2)),
        ("region_first", 1.0 / 8.0),
        ("region_blocks_after", log(1)),
        ("region_heading_words", log(1)),
        ("column_records", 1.0),
        ("record_words", 1.0),
    ];
    for (name, value) in of_card {
        assert_eq!(page.get(1, name), value, "{name}");
        assert_eq!(page.get(7, name), -1.0, "{name}");
    }
    assert_eq!(page.all("column_single")[1..7], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(page.all("record_place")[1..7], [0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
}
