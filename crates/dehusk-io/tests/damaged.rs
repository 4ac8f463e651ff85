//! Archives with every kind of damage: what is sound is read, what is not is named.

mod common;

use common::*;
use dehusk_io::{FaultKind, InputValue, Position, ReadOptions};

fn options() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn every_form_of_a_sound_warc_gives_the_same_pages() {
    let pages: Vec<Vec<u8>> = (0..20).map(page).collect();
    let info = record("warcinfo", "", "", b"software: x\r\n");
    let request = record("request", "http://a.example/0", "", b"GET / HTTP/1.1\r\n\r\n");
    let all = [info.clone(), request.clone(), pages.concat()].concat();
    let members = |pack: fn(&[u8]) -> Vec<u8>| {
        [pack(&info), pack(&request), pages.iter().flat_map(|page| pack(page)).collect()].concat()
    };
    let odd: Vec<u8> = all.chunks(777).flat_map(gzip).collect();
    let bare_line_ends = {
        let text = String::from_utf8(pages[3].clone()).unwrap();
        let (head, rest) = text.split_once("\r\n\r\n").unwrap();
        let head = head.replace("\r\n", "\n").replace("WARC-Type: response", "warc-TYPE:\n  response");
        // Content-Length stays right, since only the header changes.
        format!("{}\n\n{rest}", head.replace("\n  response", " response")).into_bytes()
    };
    let mixed = [pages[..3].concat(), bare_line_ends, pages[4..].concat()].concat();
    for bytes in [all.clone(), members(gzip), members(zstd), gzip(&all), zstd(&all), odd, mixed] {
        let items = read_warc(bytes, &options());
        assert_eq!(items.len(), 20);
        for (number, item) in items.iter().enumerate() {
            let record = item.as_ref().unwrap();
            assert_eq!(record.url, format!("http://a.example/{number}"));
            assert_eq!(record.html, body(number));
            assert_eq!(record.content_type.as_deref(), Some("text/html"));
        }
    }
}

#[test]
fn a_dictionary_in_the_first_frame_is_used() {
    let pages: Vec<Vec<u8>> = (0..40).map(page).collect();
    // Bytes without the magic number of trained dictionaries are one of bare content.
    let dictionary = pages[..3].concat();
    for packed in [dictionary.clone(), zstd(&dictionary)] {
        let mut file = [&[0x5d, 0x2a, 0x4d, 0x18][..], &(packed.len() as u32).to_le_bytes(), &packed].concat();
        for page in &pages {
            let mut encoder = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
            file.extend(encoder.compress(page).unwrap());
        }
        let items = read_file("x.warc.zst", &file, &options());
        assert_eq!(items.iter().filter(|item| item.is_ok()).count(), 40);
    }
}

#[test]
fn a_damaged_member_costs_only_its_page() {
    for pack in [gzip, zstd] {
        let members: Vec<Vec<u8>> = (0..5).map(|number| pack(&page(number))).collect();
        let offset = (members[0].len() + members[1].len()) as u64;
        let hurt = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut members = members.clone();
            change(&mut members[2]);
            members.concat()
        };
        let cases: Vec<Vec<u8>> = vec![
            hurt(&|member| member.truncate(member.len() / 2)),
            hurt(&|member| member.truncate(member.len() - 3)),
            hurt(&|member| {
                let at = member.len() / 2;
                member[at..at + 200].fill(0xff);
            }),
            hurt(&|member| member[0] = 7),
        ];
        for (case, bytes) in cases.into_iter().enumerate() {
            let items = read_warc(bytes, &options());
            assert_eq!(words(&items), ["0", "1", "damaged_archive", "3", "4"], "case {case}");
            let fault = items[2].as_ref().unwrap_err();
            assert_eq!(fault.location.position(), Position::Byte(offset), "case {case}: {fault}");
        }
    }
}

#[test]
fn a_wrong_checksum_alone_is_noticed() {
    let mut members: Vec<Vec<u8>> = (0..3).map(|number| gzip(&page(number))).collect();
    let at = members[1].len() - 6;
    members[1][at] ^= 1;
    assert_eq!(words(&read_warc(members.concat(), &options())), ["0", "damaged_archive", "2"]);
}

#[test]
fn a_file_cut_at_its_end_keeps_the_pages_before() {
    let all: Vec<Vec<u8>> = (0..4).map(page).collect();
    let plain = all.concat();
    let single = gzip(&plain);
    let members: Vec<u8> = all.iter().flat_map(|page| gzip(page)).collect();
    let frames: Vec<u8> = all.iter().flat_map(|page| zstd(page)).collect();
    for bytes in [plain, single, members, frames] {
        let cut = bytes[..bytes.len() - 700].to_vec();
        assert_eq!(words(&read_warc(cut, &options())), ["0", "1", "2", "damaged_archive"]);
    }
}

#[test]
fn a_record_that_starts_inside_a_line_is_found_after_a_cut_one() {
    let cut = page(1);
    let bytes = [page(0), cut[..cut.len() - 700].to_vec(), page(2), page(3)].concat();
    assert_eq!(words(&read_warc(bytes, &options())), ["0", "damaged_archive", "2", "3"]);
    // Also where the window of the search ends.
    for length in (1 << 16) - 400..(1 << 16) + 40 {
        let long = response("http://a.example/1", "Content-Type: text/html\r\n", &vec![b'x'; 2 << 16]);
        let bytes = [&long[..length], &page(2)[..], &page(3)].concat();
        assert_eq!(words(&read_warc(bytes, &options())), ["damaged_archive", "2", "3"], "{length}");
    }
}

#[test]
fn a_wrong_length_costs_only_its_record() {
    let pages: Vec<Vec<u8>> = (0..5).map(page).collect();
    for length in ["7", "999", "3500", "999999", "99999999999", "18446744073709551615", "-1", "x", ""] {
        let text = String::from_utf8(pages[1].clone()).unwrap();
        let at = text.find("Content-Length: ").unwrap() + "Content-Length: ".len();
        let end = at + text[at..].find('\r').unwrap();
        let wrong = format!("{}{length}{}", &text[..at], &text[end..]).into_bytes();
        let all = [&pages[0][..], &wrong, &pages[2], &pages[3], &pages[4]];
        let members: Vec<u8> = all.iter().flat_map(|page| gzip(page)).collect();
        for (form, bytes) in [all.concat(), members, gzip(&all.concat())].into_iter().enumerate() {
            let single_and_huge = form == 2 && length.len() > 6;
            let words = words(&read_warc(bytes, &options()));
            if single_and_huge {
                // Inside one member nothing behind a record of this length can be told from its content.
                assert_eq!(words[0], "0");
            } else {
                assert_eq!(words, ["0", "damaged_archive", "2", "3", "4"], "length {length}, form {form}");
            }
        }
    }
}

#[test]
fn garbage_between_records_is_one_fault() {
    let bytes = [page(0), b"garbage\nmore WARC/1.0 garbage\n\n".to_vec(), page(1)].concat();
    // The record before the garbage does not end where a record starts, so it is in doubt too.
    assert_eq!(words(&read_warc(bytes, &options())), ["damaged_archive", "1"]);
    let leading = [b"garbage\n".to_vec(), page(0), page(1)].concat();
    assert_eq!(words(&read_warc(leading, &options())), ["damaged_archive", "0", "1"]);
}

#[test]
fn files_of_no_known_kind_are_one_clear_fault() {
    for (name, bytes) in
        [("x.bin", &b"\x7fELF\0\0\0"[..]), ("x", b""), ("x.txt", b"some text"), ("x.dat", b"[{\"url\":1}]")]
    {
        let items = read_file(name, bytes, &options());
        assert_eq!(words(&items), ["unknown_format"], "{name}");
        assert!(items[0].as_ref().unwrap_err().to_string().contains(name));
    }
    for name in ["x.warc", "x.warc.gz", "x.parquet"] {
        assert_eq!(words(&read_file(name, b"certainly not", &options())), ["damaged_archive"], "{name}");
    }
    assert_eq!(words(&read_file("x.parquet", b"PAR1 but cut", &options())), ["damaged_archive"]);
    assert_eq!(words(&read_file("x.warc.gz", &gzip(b"other")[..9], &options())), ["damaged_archive"]);
}

#[test]
fn the_content_tells_the_kind_where_the_name_does_not() {
    let line = br#"{"url":"http://a/u","html":"<p>"}"#;
    assert_eq!(words(&read_file("noname", &gzip(line), &options())), ["u"]);
    assert_eq!(words(&read_file("noname", &page(3), &options())), ["3"]);
    assert_eq!(words(&read_file("crawl.gz", &gzip(&page(3)), &options())), ["3"]);
    assert_eq!(words(&read_file("noname", b"  <!doctype html>", &options())), ["noname"]);
    assert_eq!(read_file("empty.jsonl", b"", &options()).len(), 0);
}

#[test]
fn only_pages_of_good_status_are_given_and_the_rest_is_skipped() {
    let image = response("http://a/i", "Content-Type: image/png\r\n", b"\x89PNG");
    let missing = record("response", "http://a/m", "", b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno");
    let untyped = response("http://a/u", "", b"\n <p>");
    let untyped_other = response("http://a/v", "", b"%PDF");
    let identified = {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n<p>";
        record("response", "<http://a/w>", "WARC-Identified-Payload-Type: application/xhtml+xml\r\n", block)
    };
    let resource = record("resource", "file:///a/r", "Content-Type: text/html\r\n", b"<p>resource");
    let bad = record("response", "http://a/b", "", b"\0\0\0");
    let name = record("response", "dns:a", "Content-Type: text/dns\r\n", b"a. 1 IN A 127.0.0.1");
    let all = [image, missing, untyped, untyped_other, identified, resource, bad, name].concat();
    let items = read_warc(all, &options());
    assert_eq!(words(&items), ["not_html", "not_ok", "u", "not_html", "w", "r", "bad_http", "not_html"]);
    let skips = items.iter().filter(|item| item.as_ref().is_err_and(|fault| fault.kind.is_skip()));
    assert_eq!(skips.count(), 4);
}

#[test]
fn warc_fields_can_be_carried() {
    let options = options().with_carry(vec!["warc-date".into(), "none".into()]);
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
    let items =
        read_warc(record("response", "http://a/1", "WARC-Date: 2020\r\nWARC-Truncated: length\r\n", block), &options);
    let record = items[0].as_ref().unwrap();
    assert_eq!(record.id, Some("<urn:http://a/1>".into()));
    assert_eq!(record.carried, [("warc-date".to_string(), "2020".into()), ("none".into(), InputValue::null())]);
    assert!(record.truncated);
}

#[test]
fn a_cut_jsonl_keeps_its_whole_lines() {
    let lines: String =
        (0..2000).map(|number| format!("{{\"url\":\"http://a/{number}\",\"html\":\"<p>{number}\"}}\n")).collect();
    for packed in [gzip(lines.as_bytes()), zstd(lines.as_bytes())] {
        let name = if packed[0] == 0x1f { "x.jsonl.gz" } else { "x.jsonl.zst" };
        let items = read_file(name, &packed[..packed.len() / 2], &options());
        let (last, good) = items.split_last().unwrap();
        assert!(good.iter().all(Result::is_ok), "{:?}", words(&items));
        let fault = last.as_ref().unwrap_err();
        assert_eq!(
            (fault.kind, fault.location.position()),
            (FaultKind::DamagedArchive, Position::Line(good.len() as u64 + 1))
        );
    }
}

#[test]
fn a_record_of_a_broken_type_is_a_fault_and_one_of_an_unknown_type_is_counted() {
    let untyped = String::from_utf8(page(1)).unwrap().replacen("WARC-Type: response\r\n", "", 1).into_bytes();
    let misspelt = String::from_utf8(page(2)).unwrap().replacen("response", "respomse", 1).into_bytes();
    let garbage = record("\u{1}\u{2}\u{3}", "http://a/g", "", b"x");
    let empty = record("", "http://a/e", "", b"x");
    let other = record("x-note", "http://a/o", "Content-Type: text/plain\r\n", b"x");
    let info = record("warcinfo", "", "", b"software: x\r\n");
    let all = [page(0), info, untyped, misspelt, garbage, empty, other, page(9)];
    let members: Vec<u8> = all.iter().flat_map(|record| gzip(record)).collect();
    for bytes in [all.concat(), members] {
        let items = read_warc(bytes, &options());
        let damaged = "damaged_archive";
        assert_eq!(words(&items), ["0", damaged, damaged, damaged, damaged, "unknown_type", "9"]);
        assert!(items[5].as_ref().unwrap_err().kind.is_skip());
        let known = items[1].as_ref().unwrap_err().page().unwrap();
        assert_eq!((known.url.as_str(), known.id.is_some()), ("http://a.example/1", true));
    }
}

#[test]
fn faults_of_warc_records_have_the_address_and_the_id() {
    let options = options().with_max_bytes(1000).with_carry(vec!["warc-date".into()]);
    let large = page(0);
    let bad = record("response", "http://a/b", "WARC-Date: 2020\r\n", b"\0\0\0");
    let cut = record("response", "http://a/c", "WARC-Date: 2021\r\n", b"HTTP/1.1 200 OK\r\n\r\n<p>");
    let cut = &cut[..cut.len() - 6];
    let items = read_warc([&large[..], &bad, cut].concat(), &options);
    let known = |number: usize| {
        let fault: &dehusk_io::Fault = items[number].as_ref().unwrap_err();
        let known = fault.page().unwrap();
        (fault.kind.name(), known.url.clone(), known.id.is_some(), known.carried[0].1.json().into_owned())
    };
    assert_eq!(known(0), ("too_large", "http://a.example/0".into(), true, "null".into()));
    assert_eq!(known(1), ("bad_http", "http://a/b".into(), true, "\"2020\"".into()));
    assert_eq!(known(2), ("damaged_archive", "http://a/c".into(), true, "\"2021\"".into()));
}

#[test]
fn a_skippable_frame_that_claims_too_much_is_a_fault() {
    let skip = [0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0x7f];
    let frames = [zstd(&page(0)), skip.to_vec(), zstd(&page(1)), zstd(&page(2))].concat();
    assert_eq!(words(&read_warc(frames, &options())), ["0", "damaged_archive", "1", "2"]);
    let line = |number: usize| zstd(format!("{{\"url\":\"http://a/{number}\",\"html\":\"<p>\"}}\n").as_bytes());
    let frames = [line(0), skip.to_vec(), line(1)].concat();
    assert_eq!(words(&read_file("x.jsonl.zst", &frames, &options())), ["0", "damaged_archive"]);
    let frames = [zstd(b"<p>one"), skip.to_vec()].concat();
    assert_eq!(words(&read_file("x.html.zst", &frames, &options())), ["damaged_archive"]);
}
