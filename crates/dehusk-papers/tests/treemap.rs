//! TreeMap on synthetic sites: several templates, junk, values that change per request, and pages built to be slow.

use dehusk::dom::{Document, Parser, Stats};
use dehusk::render::{RenderOptions, render_text};
use dehusk::{Detection, Reason};
use dehusk_papers::Rules;
use dehusk_papers::treemap::{
    PageTree, TreeMapLearner, TreeMapSettings, TreeMapTemplates, detect_tree_map, map_trees, mapping_distance,
    mapping_similarity,
};

fn parse(page: &str) -> Document {
    Parser::default().parse(page).unwrap()
}

fn learn(pages: &[String], settings: TreeMapSettings) -> TreeMapTemplates {
    let mut learner = TreeMapLearner::new(settings);
    for (number, page) in pages.iter().enumerate() {
        learner.observe(&format!("/page/{number}"), &parse(page));
    }
    learner.finish(0)
}

fn detect(page: &str, templates: &TreeMapTemplates) -> (Document, Detection) {
    let document = parse(page);
    let detection = detect_tree_map(&document, &Stats::of(&document), templates);
    assert!(detection.detectors.to_string().starts_with("treemap"));
    (document, detection)
}

fn clean(page: &str, templates: &TreeMapTemplates) -> String {
    let (document, detection) = detect(page, templates);
    render_text(&document, &detection, RenderOptions::default()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the template of a page.
fn template_of(page: &str, templates: &TreeMapTemplates) -> Option<u32> {
    let (document, detection) = detect(page, templates);
    document.ids().find_map(|id| match detection.reason(id) {
        Reason::InTemplate { template, .. } => Some(template),
        _ => None,
    })
}

fn article(number: usize) -> String {
    format!(
        "<body class=p{number}><nav><ul><li><a href=/>Home</a><li><a href=/a>All posts</a><li><a href=/b>Contact</a></ul></nav>
         <article><h1>Story {number}</h1><p>Once upon time {number} a boat left.</p></article>
         <footer><p>Printed on driftwood by the harbour press</p></footer>"
    )
}

fn shop(number: usize) -> String {
    format!(
        "<body><div class=top><form><input name=q><b>Find a tool</b></form><div class=cart>Your basket</div></div>
         <div class=product><h2>Plane no {number}</h2><div class=text>Made of wood {number}, heavy.</div></div>
         <div class=legal><p>Prices include tax</p><p>Returns within a month</p></div>"
    )
}

fn forum(number: usize) -> String {
    format!(
        "<body><table class=frame><tr><td>Board rules</td></tr><tr><td>Members online</td></tr></table>
         <blockquote>Post {number} says hello {number}</blockquote><address>Powered by a board</address>"
    )
}

fn junk(number: usize) -> String {
    match number % 3 {
        0 => format!("<body><pre>error {number}</pre>"),
        1 => format!("<body><center><h3>Nothing {number}</h3></center>"),
        _ => String::new(),
    }
}

#[test]
fn each_page_gets_its_template_and_junk_none() {
    let makers: [fn(usize) -> String; 3] = [article, shop, forum];
    let mut pages = Vec::new();
    for number in 0..36 {
        pages.push(makers[number % 3](number));
        if number % 6 == 0 {
            pages.push(junk(number / 6));
        }
    }
    let templates = learn(&pages, TreeMapSettings::default());
    assert_eq!(templates.len(), 3);
    assert!((0..3).all(|template| templates.support(template) == Some(12)));
    assert_eq!(templates.pages(), 42);
    let mut used: Vec<u32> = makers.iter().map(|make| template_of(&make(99), &templates).unwrap()).collect();
    used.sort_unstable();
    assert_eq!(used, [0, 1, 2]);
    for number in 50..60 {
        assert_eq!(template_of(&junk(number), &templates), None);
        assert_eq!(clean(&article(number), &templates), format!("Story {number} Once upon time {number} a boat left."));
        assert_eq!(clean(&shop(number), &templates), format!("Plane no {number} Made of wood {number}, heavy."));
        assert_eq!(clean(&forum(number), &templates), format!("Post {number} says hello {number}"));
    }
}

#[test]
fn values_that_change_per_request_do_not_matter() {
    let page = |number: usize| {
        let active = |item: usize| if number % 3 == item { " class=active" } else { "" };
        format!(
            "<body class=page-{number} data-time={}><div id=wrap-{number}9999 data-exp=a1b2c3d4e5f6{number:04}>
             <ul><li{}><a href=/?sid={number}aa11bb22>Home</a><li{}><a href=/n>News</a><li{}><a href=/c>Chat</a></ul>
             <form><input type=hidden name=csrf value=tok{number}><p>Write to us</p></form><p>Own text {number}</p></div>",
            1_718_000_000 + number,
            active(0),
            active(1),
            active(2)
        )
    };
    let templates = learn(&(0..12).map(page).collect::<Vec<_>>(), TreeMapSettings::default());
    assert_eq!((templates.len(), templates.support(0)), (1, Some(12)));
    for number in 100..106 {
        assert_eq!(clean(&page(number), &templates), format!("Own text {number}"));
    }
}

#[test]
fn what_some_pages_share_is_dropped_too() {
    let page = |number: usize| {
        let part = ["Ropes", "Oars", "Nets"][number % 3];
        article(number)
            .replace("</article>", &format!("</article><aside><h4>More on boats</h4><p>{part} for you</p></aside>"))
    };
    let pages: Vec<String> = (0..12).map(page).collect();
    let templates = learn(&pages, TreeMapSettings::default());
    assert_eq!(clean(&pages[4], &templates), "Story 4 Once upon time 4 a boat left.");
    let strict = learn(&pages, TreeMapSettings { alternatives: 2.0, ..TreeMapSettings::default() });
    assert_eq!(clean(&pages[4], &strict), "Story 4 Once upon time 4 a boat left. Oars for you");
}

#[test]
fn lists_of_links_that_groups_of_pages_share_are_dropped_everywhere() {
    let page = |number: usize, group: usize| {
        let link = |item: usize| format!("<li><a href=/{group}/{item}>Shelf {group} item {item}</a>");
        let list = (0..6).map(link).collect::<String>();
        article(number).replace("</article>", &format!("</article><aside><ul class=more>{list}</ul></aside>"))
    };
    let own = |number: usize| format!("Story {number} Once upon time {number} a boat left.");
    // Three groups, and a page that is alone in its group.
    let pages: Vec<String> = (0..12).map(|number| page(number, if number == 11 { 7 } else { number % 3 })).collect();
    let templates = learn(&pages, TreeMapSettings::default());
    assert_eq!(clean(&pages[11], &templates), own(11));
    assert_eq!(clean(&page(20, 9), &templates), own(20));
    // If every page has links of its own, they are kept.
    let pages: Vec<String> = (0..12).map(|number| page(number, number)).collect();
    assert!(clean(&pages[11], &learn(&pages, TreeMapSettings::default())).contains("Shelf 11 item 5"));
}

/// A page with what our rules are for: a line that differs between sections, a date, a label before a value.
fn dated(number: usize) -> String {
    let section = ["Ropes", "Oars", "Nets"][number % 3];
    article(number).replace(
        "</article>",
        &format!(
            "<p class=price>Price in the shop: <i>{number}00 crowns and a barrel</i></p></article>
             <aside><p>{section} for you</p></aside><time>{} March 2013</time>",
            number + 1
        ),
    )
}

#[test]
fn as_in_the_paper_exactly_what_all_pages_share_is_dropped() {
    let pages: Vec<String> = (0..12).map(dated).collect();
    let with = |rules: Rules| learn(&pages, TreeMapSettings { rules, ..TreeMapSettings::default() });
    let own = "Story 4 Once upon time 4 a boat left.";
    assert_eq!(clean(&pages[4], &with(Rules::All)), format!("{own} Price in the shop: 400 crowns and a barrel"));
    // Without the rules for slots and alternatives, the section and the date stay; a value keeps its label.
    let stays = "Oars for you 5 March 2013";
    assert_eq!(
        clean(&pages[4], &with(Rules::NoSlots)),
        format!("{own} Price in the shop: 400 crowns and a barrel {stays}")
    );
    // In the paper, the label goes.
    assert_eq!(clean(&pages[4], &with(Rules::Paper)), format!("{own} 400 crowns and a barrel {stays}"));
}

#[test]
fn as_in_the_paper_a_site_has_one_template_of_all_its_pages() {
    let pages: Vec<String> =
        (0..12).map(|number| if number % 4 == 3 { shop(number) } else { article(number) }).collect();
    let templates = learn(&pages, TreeMapSettings::as_in_paper());
    assert_eq!((templates.len(), templates.support(0)), (1, Some(12)));
    assert!(clean(&article(50), &templates).contains("Home"));
    assert!(clean(&shop(50), &templates).contains("Your basket"));
    // Two pages are enough, and no more than asked for are mapped.
    let settings = TreeMapSettings { max_pages: 2, ..TreeMapSettings::as_in_paper() };
    let same: Vec<String> = (0..3).map(|_| article(1)).collect();
    assert_eq!(clean(&same[0], &learn(&same, settings)), "");
    assert!(learn(&same[..1], settings).is_empty());
    // An item that one of the mapped pages lacks is no template.
    let lacking = |number: usize| match number {
        5 => article(number).replace("<li><a href=/a>All posts</a>", ""),
        _ => article(number),
    };
    let pages: Vec<String> = (0..12).map(lacking).collect();
    let paper = clean(&pages[4], &learn(&pages, TreeMapSettings::as_in_paper()));
    assert_eq!(paper, "- All posts Story 4 Once upon time 4 a boat left.");
    assert!(!clean(&pages[4], &learn(&pages, TreeMapSettings::default())).contains("All posts"));
}

#[test]
fn without_pages_everything_is_kept() {
    let templates = learn(&[], TreeMapSettings::default());
    assert!(templates.is_empty());
    assert!(clean(&article(1), &templates).contains("Home"));
    assert!(learn(&[article(1)], TreeMapSettings::default()).is_empty());
    assert_eq!(
        clean(&article(9), &learn(&[article(1), article(2)], TreeMapSettings::default())).split(' ').next(),
        Some("Story")
    );
}

#[test]
fn distances_of_pages() {
    let tree = |page: &str| PageTree::of(&parse(page));
    let (one, two) = (tree("<body><p>a</p><p>b</p>"), tree("<body><p>a</p><p>c</p><p>b</p>"));
    assert_eq!(mapping_distance(&one, &two), 2);
    assert_eq!(mapping_distance(&one, &tree("<body><div>a</div><p>b</p>")), 3);
    assert_eq!(mapping_similarity(&one, &one), 1.0);
    assert!(mapping_similarity(&tree(&article(1)), &tree(&article(2))) > 0.9);
    assert!(mapping_similarity(&tree(&article(1)), &tree(&shop(2))) < 0.3);
    assert_eq!(mapping_similarity(&PageTree::default(), &PageTree::default()), 1.0);
    assert_eq!(mapping_distance(&PageTree::default(), &one), one.len() as u64);
}

#[test]
fn pages_built_to_be_slow_finish() {
    let wide = |mark: usize| (0..100_000).map(|item| format!("<p>{}", item * 7 + mark)).collect::<String>();
    let deep = |mark: usize| format!("{}{mark}<p>x", "<div>".repeat(600));
    let nested = |mark: usize| format!("<ul>{}", format!("<li><ul><li><b>{mark}</b>x</ul>").repeat(800));
    let pages: Vec<String> = (1..4).flat_map(|mark| [wide(mark), deep(mark), nested(mark)]).collect();
    let (one, two) = (PageTree::of(&parse(&pages[0])), PageTree::of(&parse(&pages[3])));
    assert!(!map_trees(&one, &two).is_exact);
    let templates = learn(&pages, TreeMapSettings::default());
    for page in &pages {
        detect(page, &templates);
    }
}
