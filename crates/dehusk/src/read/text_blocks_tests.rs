use super::PageBlocks;
use crate::detect::fusion::Odds;
use crate::dom::{Document, NodeId, Parser};

fn split(html: &str) -> (Document, PageBlocks) {
    let document = Parser::default().parse(html).unwrap();
    let mut page = PageBlocks::default();
    page.words.clear();
    page.split(&document, &Odds::default());
    (document, page)
}

/// The texts of the blocks, their nodes joined by a bar.
fn texts(html: &str) -> Vec<String> {
    let (document, page) = split(html);
    let text = |first: NodeId, end: NodeId| {
        let nodes = (first.0..end.0).map(NodeId).filter(|id| document.is_text(*id));
        nodes.map(|id| document.text(id).trim().to_string()).collect::<Vec<_>>().join("|")
    };
    page.blocks.iter().map(|block| text(block.first, block.end)).collect()
}

#[test]
fn block_level_tags_end_a_block_and_inline_tags_do_not() {
    assert_eq!(texts("<p>Nets are <b>mended</b> in May.<p>The ferry"), ["Nets are|mended|in May.", "The ferry"]);
    assert_eq!(texts("<div>one<p>two</p>three</div>"), ["one", "two", "three"]);
    assert_eq!(texts("<table><tr><td>a<td>b</table><ul><li>c<li>d</ul>"), ["a", "b", "c", "d"]);
}

#[test]
fn what_is_never_shown_is_in_no_block_and_white_space_makes_none() {
    assert_eq!(
        texts("<body> \n<script>x</script><style>y</style><template><p>z</template><p> \t</p><p>a"),
        ["a"],
        "scripts, styles and templates are no text"
    );
    assert_eq!(split("<frameset><frame></frameset>").1.blocks.len(), 0);
}

#[test]
fn blocks_know_links_breaks_code_and_what_was_before_them() {
    let (_, page) = split(
        "<p><a href='#x'>in</a> <a href='https://a.example/'>out there</a> rest</p>\
         <img src=a.png><input><button>no</button><p>one<br>two<br>three <code>x=1</code></p><p hidden>secret</p><h2>Head</h2>",
    );
    let [links, breaks, hidden, heading] = &page.blocks[..] else { panic!("{} blocks", page.blocks.len()) };
    assert_eq!((links.links, links.counts.link_words, links.counts.words), (2, 3, 4));
    assert_eq!((links.counts.inner_link_words, links.counts.outer_link_words), (1, 2));
    assert_eq!((breaks.breaks, breaks.images, breaks.controls), (2, 1, 2));
    assert_eq!(breaks.counts.code_characters, 3);
    assert!(hidden.hidden && !breaks.hidden);
    assert_eq!((heading.heading, breaks.heading), (2, 0));
    assert_eq!((breaks.first_character, breaks.last_character), ('o', '1'));
}

#[test]
fn nested_wrappers_are_one_chain_and_similar_siblings_are_counted() {
    let (_, page) = split(
        "<div><section><ul><li class=card><div><p>a</p></div></li><li class=card><p>b</p></li><li class=other>c</li></ul></section></div>",
    );
    // The body, `div`, `section` and `ul` hold the same three blocks.
    let outer = &page.chains[0];
    assert_eq!((outer.start, outer.end, outer.children), (0, 3, 3));
    assert_eq!(page.chains.len(), 4);
    let chain = |block: usize| &page.chains[page.blocks[block].chain as usize];
    assert_eq!((chain(0).index, chain(1).index, chain(2).index), (0, 1, 2));
    // Shapes are of all elements of a chain: the first card has one wrapper more.
    assert_eq!((chain(0).similar_siblings, chain(1).similar_siblings), (1, 1));
    let (_, alike) = split("<ul><li class=card><p>a</p></li><li class=card><p>b</p></li><li class=other>c</li></ul>");
    let similar: Vec<u32> =
        alike.blocks.iter().map(|block| alike.chains[block.chain as usize].similar_siblings).collect();
    assert_eq!(similar, [2, 2, 1]);
}

#[test]
fn equal_texts_have_equal_hashes_and_buffers_are_reused() {
    let (_, page) = split("<p>Nets are mended.</p><p> Nets are mended.\n</p><p>Nets</p>");
    assert_eq!(page.blocks[0].hash, page.blocks[1].hash);
    assert_ne!(page.blocks[0].hash, page.blocks[2].hash);
    let mut again = page.clone();
    let other = Parser::default().parse("<p>one</p>").unwrap();
    again.split(&other, &Odds::default());
    assert_eq!((again.blocks.len(), again.chains.len()), (1, 1));
}
