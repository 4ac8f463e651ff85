use std::io::{Cursor, Write};

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn stream(bytes: Vec<u8>) -> InflatedStream {
    InflatedStream::new(Box::new(Cursor::new(bytes))).unwrap()
}

fn read_all(stream: &mut InflatedStream) -> Vec<u8> {
    let mut all = Vec::new();
    while stream.ensure(1) > 0 {
        let count = stream.data().len();
        all.extend_from_slice(stream.data());
        stream.consume(count);
    }
    all
}

#[test]
fn plain_gzip_and_zstd_give_the_same_bytes() {
    let text: Vec<u8> = (0..3_000_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
    let halves = text.split_at(1_000_001);
    let packed_gzip = [gzip(halves.0), gzip(b""), gzip(halves.1), vec![0; 512]].concat();
    let frame = |bytes| zstd::encode_all(bytes, 1).unwrap();
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let packed_zstd = [frame(halves.0), skipped, frame(halves.1)].concat();
    for packed in [text.clone(), packed_gzip, packed_zstd] {
        let length = packed.len() as u64;
        let mut stream = stream(packed);
        assert!(read_all(&mut stream) == text);
        assert!(stream.error().is_none());
        assert_eq!(stream.bytes_read(), length);
    }
}

#[test]
fn positions_name_the_member_and_the_byte_inside_it() {
    let first = gzip(b"one");
    let mut stream = stream([first.clone(), gzip(b"second")].concat());
    assert_eq!((stream.ensure(9), stream.position()), (9, Position::Byte(0)));
    assert_eq!(stream.next_part_start(), Some(3));
    stream.consume(3);
    assert_eq!(stream.position(), Position::Byte(first.len() as u64));
    stream.consume(2);
    assert_eq!(stream.position(), Position::Inflated { member: first.len() as u64, offset: 2 });
}

#[test]
fn a_gzip_header_with_name_extra_and_comment_is_passed() {
    let mut encoder = flate2::GzBuilder::new()
        .filename("name")
        .comment("comment")
        .extra(vec![7; 5000])
        .write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"text").unwrap();
    assert_eq!(read_all(&mut stream(encoder.finish().unwrap())), b"text");
}

#[test]
fn after_a_truncated_member_the_next_matching_one_is_found() {
    let mut noise = 1u32;
    let random: Vec<u8> = (0..100_000)
        .map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        })
        .collect();
    let cut = &gzip(&random)[..60_000];
    let packed = [cut, &gzip(b"unwanted"), &gzip(b"wanted one"), &gzip(b", and more")].concat();
    let mut stream = stream(packed);
    assert!(random.starts_with(&read_all(&mut stream)[..50_000]));
    assert_eq!(stream.error().unwrap().kind, FaultKind::DamagedArchive);
    assert_eq!(stream.error().unwrap().part, 0);
    assert!(stream.recover(b"wanted"));
    assert_eq!(read_all(&mut stream), b"wanted one, and more");
    assert!(!stream.recover(b"wanted"));
}

#[test]
fn a_wrong_checksum_is_an_error() {
    let mut packed = gzip(b"text");
    let at = packed.len() - 8;
    packed[at] ^= 1;
    let mut stream = stream(packed);
    assert_eq!(read_all(&mut stream), b"text");
    assert!(stream.error().unwrap().message.contains("checksum"));
}

#[test]
fn overlapping_broken_parts_do_not_take_quadratic_time() {
    // Every three bytes look like a member; each probe is charged to the budget.
    let magic: Vec<u8> = [0x1f, 0x8b, 0x08].iter().copied().cycle().take(3 << 20).collect();
    let mut stream = stream(magic);
    assert_eq!(stream.ensure(1), 0);
    assert!(!stream.recover(b"WARC/"));
}

#[test]
fn a_skippable_frame_beyond_the_end_of_the_file_is_an_error() {
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    for length in [u32::MAX, 1_000_000, 40] {
        let skip = [&[0x50, 0x2a, 0x4d, 0x18][..], &length.to_le_bytes()].concat();
        let mut stream = stream([frame(b"one"), skip.clone(), frame(b"two")].concat());
        assert_eq!(read_all(&mut stream), b"one");
        assert_eq!(stream.error().unwrap().kind, FaultKind::DamagedArchive, "{length}");
        assert!(stream.recover(b"tw"));
        assert_eq!(read_all(&mut stream), b"two");
    }
}

#[test]
fn no_file_can_be_cut_unnoticed_except_between_its_parts() {
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    let skip = [&[0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    for parts in [vec![gzip(b"one"), gzip(b"two")], vec![frame(b"one"), skip, frame(b"two")]] {
        let ends: Vec<usize> = (0..=parts.len()).map(|count| parts[..count].concat().len()).collect();
        let whole = parts.concat();
        for length in 4..whole.len() {
            let mut stream = stream(whole[..length].to_vec());
            read_all(&mut stream);
            assert_eq!(stream.error().is_none(), ends.contains(&length), "{length} bytes of {}", whole.len());
        }
    }
}
