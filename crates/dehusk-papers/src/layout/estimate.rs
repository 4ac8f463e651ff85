//! Estimates the layout from the page alone: no fonts, no images, no linked style sheets, no scripts.
//!
//! Five linear passes over the nodes: styles, intrinsic widths, widths, placements within the parent, positions on the page.
//! Absolute positions differ from those of a browser, as they do between browsers; relative sizes, order and ranks are reliable.

use super::flow::{Flow, place_nodes};
use super::intrinsic_widths::intrinsic_widths;
use super::style::styles;
use super::widths::widths;
use crate::dom::Document;
use dehusk::layout::{Display, Layout, NodeBox};

/// Estimates the layout of a page in a window of 1280 by 1024 pixels.
pub fn estimate(document: &Document) -> Layout {
    let styles = styles(document);
    let intrinsic = intrinsic_widths(document, &styles);
    let widths = widths(document, &styles, &intrinsic);
    let placed = place_nodes(Flow { document, styles: &styles, intrinsic: &intrinsic, widths: &widths });
    let mut boxes: Vec<NodeBox> = Vec::with_capacity(document.len());
    for id in document.ids() {
        let at = id.index();
        let (x, y) = match document.parent(id) {
            Some(parent) => (boxes[parent.index()].x + placed[at].x, boxes[parent.index()].y + placed[at].y),
            None => (0.0, 0.0),
        };
        let style = &styles[at];
        let outside = x + widths[at] <= 0.0 || y + placed[at].height <= 0.0;
        let shown = style.visible && style.display != Display::None && !(outside && x + y < -100.0);
        boxes.push(
            NodeBox::new(x, y, widths[at], placed[at].height)
                .with_font(style.font_size, style.font_weight)
                .with_italic(style.italic)
                .with_font_family(style.font_family)
                .with_colors(style.color, style.background)
                .with_visible(shown)
                .with_display(style.display),
        );
    }
    Layout::new(boxes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Name, Parser};

    /// The boxes of the elements with an id, by id.
    fn boxes(page: &str) -> impl Fn(&str) -> NodeBox {
        let document = Parser::default().parse(page).unwrap();
        let layout = estimate(&document);
        move |name: &str| {
            let id = document.ids().find(|id| document.attribute(*id, Name::ID) == Some(name)).unwrap();
            *layout.node(id)
        }
    }

    #[test]
    fn blocks_are_stacked_and_fill_the_width() {
        let at = boxes("<body style='margin:0'><div id=a style='height:50px'>x</div><div id=b>y</div><p id=c>z");
        assert_eq!((at("a").width, at("a").height), (1280.0, 50.0));
        assert_eq!(at("b").y, 50.0);
        assert!(at("c").y > at("b").y + at("b").height);
    }

    #[test]
    fn columns_are_side_by_side() {
        let page = "<style>#side{float:left;width:200px} #main{margin-left:220px} .row{display:flex} .row div{width:25%}</style>
            <body style='margin:0'><div id=side>menu</div><div id=main>text</div>
            <div class=row><div id=a>1</div><div id=b>2</div></div>
            <table width=1000><tr><td id=c width='20%'>1<td id=d>2<tr><td colspan=2 id=e>3</table>";
        let at = boxes(page);
        assert_eq!((at("side").width, at("main").x), (200.0, 220.0));
        assert_eq!(at("side").y, at("main").y);
        assert_eq!((at("a").width, at("b").x), (320.0, 320.0));
        assert!((at("c").width - 200.0).abs() < 1.0 && (at("d").x - at("c").x - 200.0).abs() < 1.0);
        assert!((at("e").width - 1000.0).abs() < 1.0 && at("e").y > at("c").y);
        assert_eq!(at("c").height, at("d").height);
    }

    #[test]
    fn more_text_is_higher_and_centred_boxes_are_in_the_middle() {
        let words = "some words ".repeat(200);
        let page = format!(
            "<div id=a>{words}</div><div id=b>{words}{words}</div><div id=c style='width:600px;margin:0 auto'>x</div>
            <center><img id=d width=100 height=20></center>"
        );
        let at = boxes(&page);
        assert!(at("a").height > 100.0 && at("b").height > 1.8 * at("a").height);
        let middle = |name: &str| at(name).x + at(name).width / 2.0;
        assert!((middle("c") - 640.0).abs() < 5.0 && (middle("d") - 640.0).abs() < 5.0);
        assert_eq!((at("d").width, at("d").height), (100.0, 20.0));
    }

    #[test]
    fn hidden_elements_have_no_area() {
        let at = boxes(
            "<div id=a style='display:none'><p id=b>x</div><p id=c style='position:absolute;left:-9999px'>y<p id=d>z",
        );
        assert_eq!((at("a").area(), at("b").area(), at("c").area()), (0.0, 0.0, 0.0));
        assert!(at("d").area() > 0.0);
    }

    #[test]
    fn hostile_pages_are_laid_out() {
        let pages = [
            "<table>".repeat(3_000),
            "<div style='width:1e30px;height:9e9px;margin:-1e9px;padding:99999999px'>x".repeat(600),
            "<table><tr>".to_string() + &"<td colspan=99999999>x".repeat(20_000),
            "<div style='float:left;width:50%'>".repeat(2_000) + "x",
            "<b>".repeat(100_000) + "x",
            "<style>*{float:left;display:flex;width:0;font-size:0}</style>".to_string() + &"<p>x".repeat(5_000),
        ];
        for page in pages {
            let document = Parser::default().parse(&page).unwrap();
            let layout = estimate(&document);
            assert!(layout.height.is_finite() && layout.width.is_finite());
            assert!(layout.boxes().iter().all(|at| at.x.is_finite() && at.y.is_finite() && at.area().is_finite()));
        }
    }
}
