use super::find_page_kinds;
use crate::dom::{Parser, Stats};
use crate::site::learn::page_shape::Shape;
use crate::site::mapping::page_tree::PageTree;

fn kinds(pages: &[String]) -> Vec<Vec<usize>> {
    let documents: Vec<_> = pages.iter().map(|page| Parser::default().parse(page.as_str()).unwrap()).collect();
    let shapes: Vec<Shape> = documents.iter().map(|document| Shape::of(document, &Stats::of(document))).collect();
    let trees: Vec<PageTree> = documents.iter().map(PageTree::of).collect();
    find_page_kinds(&shapes, &trees)
}

const FRAME: &str = "<header class=top><nav id=menu><a href=/>Home</a></nav></header>";

fn article(text: &str) -> String {
    format!(
        "{FRAME}<main class=article><h1 class=headline>{text}</h1><div class=byline>by {text}</div><div class=body><p>{text}</p></div><aside class=author>{text}</aside></main><footer class=end>End</footer>"
    )
}

fn product(text: &str) -> String {
    format!(
        "{FRAME}<div class=product><div class=gallery><img class=photo></div><table class=specs><tr><td>{text}<td>1<tr><td>{text}<td>2</table><form class=buy><button class=cart>Buy</button></form></div><footer class=end>End</footer>"
    )
}

fn junk(number: usize) -> String {
    format!("<section class=j{number}><div class=k{number}><p class=l{number}>only here {number}</p></div></section>")
}

#[test]
fn pages_with_one_frame_but_other_elements_are_of_two_kinds() {
    let pages: Vec<String> =
        (0..6).map(|at| article(&format!("a{at}"))).chain((0..4).map(|at| product(&format!("p{at}")))).collect();
    assert_eq!(kinds(&pages), [vec![0, 1, 2, 3, 4, 5], vec![6, 7, 8, 9]], "the larger kind comes first");
}

#[test]
fn pages_like_no_others_are_of_no_kind() {
    let pages: Vec<String> = (0..5).map(|at| article(&format!("a{at}"))).chain((0..3).map(junk)).collect();
    assert_eq!(kinds(&pages), [vec![0, 1, 2, 3, 4]]);
    assert_eq!(kinds(&[]), Vec::<Vec<usize>>::new());
    assert_eq!(kinds(&(0..4).map(junk).collect::<Vec<_>>()), Vec::<Vec<usize>>::new());
}

#[test]
fn the_order_of_pages_does_not_matter() {
    let pages: Vec<String> =
        (0..5).map(|at| article(&format!("a{at}"))).chain((0..5).map(|at| product(&format!("p{at}")))).collect();
    let texts = |pages: &[String]| {
        let mut sets: Vec<Vec<String>> = kinds(pages)
            .into_iter()
            .map(|kind| {
                let mut own: Vec<String> = kind.into_iter().map(|at| pages[at].clone()).collect();
                own.sort();
                own
            })
            .collect();
        sets.sort();
        sets
    };
    let mut backwards = pages.clone();
    backwards.reverse();
    assert_eq!(texts(&pages), texts(&backwards));
}
