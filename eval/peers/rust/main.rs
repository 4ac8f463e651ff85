//! One peer as a program: `main PAGES OUT FIRST`.

mod harness;
mod peer;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pages, out, first] = &arguments[..] else { panic!("usage: PAGES OUT FIRST") };
    let first = first.parse().expect("a number of pages");
    if let Err(error) = harness::run(pages.as_ref(), out.as_ref(), first, peer::extract) {
        eprintln!("{error}");
        std::process::exit(2);
    }
}
