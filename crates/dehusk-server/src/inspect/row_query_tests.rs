use super::super::page_table::PageFigures;
use super::*;
use std::cell::Cell;

/// A table whose pages are spread over three hosts; every tenth failed.
fn table(pages: usize) -> PageTable {
    let mut table = PageTable::default();
    for number in 0..pages {
        let figures = match number % 10 {
            9 => PageFigures::of_error("bad_json", "not JSON"),
            digit => {
                let fit = (digit < 6).then_some(json!(0.1 * digit as f64));
                let template = if digit > 0 { fit.as_ref().map(|_| digit % 2) } else { None };
                let line = json!({
                    "title": format!("Títle {}", number * 7919 % 100), "text": "x ".repeat(number % 50), "confidence": (number * 7919 % 1000) as f64 / 1000.0,
                    "page_type": if number % 2 == 0 { "article" } else { "listing" }, "kept_characters": 100 - number % 100,
                    "dropped_characters": number % 100, "template": template, "template_fit": fit,
                    "flags": if number % 3 == 0 { vec!["no_content"] } else { Vec::new() },
                });
                PageFigures::of_line(line.to_string().as_bytes())
            }
        };
        let site = ["b.example", "", "a.example"][number % 3];
        table.add(site, &format!("http://{site}/Page-{}", number * 31 % pages), figures, None, true);
    }
    table
}

fn asked(table: &PageTable, query: &str) -> Value {
    pages(table, &from_address(query).unwrap())
}

/// Reads a query as the router does.
fn from_address<T: serde::de::DeserializeOwned>(query: &str) -> Result<T, String> {
    let address = format!("http://127.0.0.1/api?{query}").parse().unwrap();
    axum::extract::Query::try_from_uri(&address).map(|query| query.0).map_err(|error| error.body_text())
}

fn numbers(answer: &Value) -> Vec<u64> {
    answer["rows"].as_array().unwrap().iter().map(|row| row["number"].as_u64().unwrap()).collect()
}

#[test]
fn the_parts_of_every_order_make_up_the_whole() {
    let table = table(300);
    let sorts =
        ["confidence", "dropped", "words", "fit", "template", "type", "url", "title", "site", "error", "number"];
    for (sort, order) in sorts.into_iter().flat_map(|sort| [(sort, "asc"), (sort, "desc")]) {
        let whole = asked(&table, &format!("sort={sort}&order={order}&limit=500"));
        assert_eq!((&whole["total"], &whole["matching"]), (&json!(300), &json!(300)));
        let parts: Vec<u64> = (0..300)
            .step_by(7)
            .flat_map(|offset| numbers(&asked(&table, &format!("sort={sort}&order={order}&limit=7&offset={offset}"))))
            .collect();
        assert_eq!(parts, numbers(&whole), "{sort} {order}");
        // Rows with a value come first, in order; equal ones keep the order of the input.
        let key = match sort {
            "type" => "page_type",
            key => key,
        };
        let rows = whole["rows"].as_array().unwrap();
        for pair in rows.windows(2) {
            let (one, two) = (&pair[0][key], &pair[1][key]);
            let is_missing = |value: &Value| value.is_null() || value == "";
            let ordered = match (one.as_f64().zip(two.as_f64()), one.as_str().zip(two.as_str())) {
                (Some((one, two)), _) => one.total_cmp(&two),
                (_, Some((one, two))) if !one.is_empty() && !two.is_empty() => one.cmp(two),
                _ => is_missing(one).cmp(&is_missing(two)),
            };
            let ordered =
                if order == "desc" && !is_missing(one) && !is_missing(two) { ordered.reverse() } else { ordered };
            let in_input = pair[0]["number"].as_u64().cmp(&pair[1]["number"].as_u64());
            // Pages that failed have no words, though they show none.
            if sort != "words" || pair.iter().all(|row| row["error"].is_null()) {
                assert_eq!(ordered.then(in_input), Ordering::Less, "{sort} {order}: {one} {two}");
            }
        }
    }
    assert!(numbers(&asked(&table, "offset=300")).is_empty());
    assert_eq!(numbers(&asked(&table, "")), numbers(&asked(&table, "sort=confidence&order=asc&limit=100")));
}

#[test]
fn filters_leave_the_pages_that_have_all_that_is_asked_for() {
    let table = table(300);
    let all: Vec<Value> = (0..300).map(|number| table.row_json(number)).collect();
    let check = |query: &str, wanted: &dyn Fn(&Value) -> bool| {
        let answer = asked(&table, &format!("sort=number&limit=500&{query}"));
        let expected: Vec<u64> = (0..300).filter(|number| wanted(&all[*number as usize])).collect();
        assert!(!expected.is_empty() && expected.len() < 300, "{query} says nothing");
        assert_eq!(numbers(&answer), expected, "{query}");
        assert_eq!(answer["matching"], expected.len());
    };
    let has = |value: &Value, text: &str| value.as_str().unwrap().to_lowercase().contains(text);
    let between = |value: &Value, min: f64, max: f64| value.as_f64().is_some_and(|value| (min..=max).contains(&value));
    check("q=PAGE-12", &|row| has(&row["url"], "page-12"));
    check("q=%20T%C3%8DTLE%201", &|row| has(&row["title"], "títle 1"));
    check("site=a.example", &|row| row["site"] == "a.example");
    check("site=", &|row| row["site"] == "");
    check("type=listing", &|row| row["page_type"] == "listing");
    check("flag=no_content", &|row| row["flags"] == json!(["no_content"]));
    check("errors=1", &|row| !row["error"].is_null());
    check("template=1", &|row| row["template"] == 1);
    check("template=none", &|row| row["template"].is_null() && !row["fit"].is_null());
    check("min_confidence=0.25&max_confidence=0.75", &|row| between(&row["confidence"], 0.25, 0.75));
    check("min_dropped=0.9", &|row| between(&row["dropped"], 0.9, 1.0));
    check("max_dropped=0.1&min_dropped=&type=article&q=http", &|row| {
        between(&row["dropped"], 0.0, 0.1) && row["page_type"] == "article"
    });
    for nothing in ["site=c.example", "type=recipe", "flag=odd", "q=zebra"] {
        assert_eq!(asked(&table, nothing)["matching"], 0);
    }
    let choices = &asked(&table, "limit=0")["choices"];
    assert_eq!(choices["errors"], json!({ "bad_json": 30 }));
    assert_eq!(choices["types"], json!({ "article": 150, "listing": 120 }));
    assert_eq!(choices["flags"], json!({ "no_content": 90 }));
}

#[test]
fn wrong_questions_are_refused_with_a_reason() {
    let refused = [
        ("sort=colour", "confidence"),
        ("order=up", "asc"),
        ("limit=501", "500"),
        ("limit=-1", "500"),
        ("offset=x", "invalid digit"),
        ("min_confidence=2", "between 0 and 1"),
        ("max_dropped=NaN", "between 0 and 1"),
        ("errors=maybe", "neither 0 nor 1"),
        ("template=first", "none"),
        ("colour=red", "unknown field"),
    ];
    for (query, reason) in refused {
        let message = from_address::<PageQuery>(query).unwrap_err();
        assert!(message.contains(reason), "{query}: {message}");
    }
    assert!(from_address::<HostQuery>("sort=colour").unwrap_err().contains("unfit"));
    assert!(from_address::<HostQuery>("sort=unfit&order=desc&q=a&offset=3&limit=500").is_ok());
}

#[test]
fn hosts_are_summed_and_sorted() {
    let table = table(300);
    let names = |query: &str| {
        let answer = hosts(&table, &from_address(query).unwrap());
        let names = answer["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("sort=name"), ["", "a.example", "b.example"]);
    assert_eq!(names("sort=name&order=desc&limit=2"), ["b.example", "a.example"]);
    assert_eq!(names("q=A.EX"), ["a.example"]);
    assert_eq!(names("sort=pages"), ["b.example", "", "a.example"]);
    let answer = hosts(&table, &HostQuery::default());
    assert_eq!((&answer["total"], &answer["matching"]), (&json!(3), &json!(3)));
    for host in answer["rows"].as_array().unwrap() {
        let name = host["name"].as_str().unwrap();
        let rows = asked(&table, &format!("site={name}&limit=500"));
        let rows = rows["rows"].as_array().unwrap();
        let sum = |key: &str| rows.iter().filter_map(|row| row[key].as_f64()).sum::<f64>();
        let rated = rows.iter().filter(|row| !row["confidence"].is_null()).count() as f64;
        assert_eq!(host["pages"], rows.len());
        assert_eq!(host["failed"], rows.iter().filter(|row| !row["error"].is_null()).count());
        assert!((host["confidence"].as_f64().unwrap() - sum("confidence") / rated).abs() < 0.001);
        let dropped = sum("dropped_characters") / (sum("dropped_characters") + sum("kept_characters"));
        assert!((host["dropped"].as_f64().unwrap() - dropped).abs() < 0.001);
        let unfit = rows.iter().filter(|row| row["template"].is_null() && !row["fit"].is_null()).count();
        assert_eq!(host["unfit"], unfit);
    }
}

#[test]
fn the_work_for_a_part_grows_with_the_rows_and_not_faster() {
    let count = 100_000usize;
    for offset in [0, 49_950, 99_900] {
        let compared = Cell::new(0);
        let items: Vec<usize> = (0..count).map(|number| number * 7919 % count).collect();
        let shown = part(items, offset, 100, |one, two| {
            compared.set(compared.get() + 1);
            one.cmp(two)
        });
        assert_eq!(shown, (offset..offset + 100).collect::<Vec<_>>());
        // Sorting all of them takes about 17 comparisons for each.
        assert!(compared.get() < 8 * count, "{} comparisons at {offset}", compared.get());
    }
}

#[test]
fn texts_are_found_in_any_letters() {
    for (text, wanted) in
        [("Nets in MAY", "in may"), ("aaab", "AAB"), ("Ärger im Hafen", "ärger"), ("ÄRGER", "rger"), ("x", "")]
    {
        assert!(has_text(text, &wanted.to_lowercase()), "{wanted} in {text}");
    }
    for (text, wanted) in [("Nets", "nets in"), ("", "n"), ("Aerger", "ä"), ("Ärger", "arger")] {
        assert!(!has_text(text, wanted), "{wanted} in {text}");
    }
}
