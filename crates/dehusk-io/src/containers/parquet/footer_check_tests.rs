use super::*;
use crate::containers::inputs::test_source;
use crate::fault::FaultKind;
use crate::read_options::ReadOptions;
use parquet::file::metadata::ParquetMetaDataReader;

/// Writes the compact protocol, whatever it says.
#[derive(Clone, Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn varint(mut self, mut number: u64) -> Writer {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        self
    }

    fn head(mut self, delta: u8, kind: u8) -> Writer {
        self.0.push(delta << 4 | kind);
        self
    }

    fn whole(self, delta: u8, number: i64) -> Writer {
        self.head(delta, 5).varint((number << 1 ^ number >> 63) as u64)
    }

    fn text(self, delta: u8, text: &str) -> Writer {
        let mut out = self.head(delta, BINARY).varint(text.len() as u64);
        out.0.extend_from_slice(text.as_bytes());
        out
    }

    /// A list of structs, of which the count is written.
    fn list(self, delta: u8, count: u64) -> Writer {
        self.head(delta, LIST).head(15, STRUCT).varint(count)
    }

    fn stop(mut self) -> Writer {
        self.0.push(STOP);
        self
    }

    fn group(self, children: i64) -> Writer {
        self.whole(3, 1).text(1, "g").whole(1, children).stop()
    }

    fn leaf(self) -> Writer {
        self.whole(1, 6).whole(2, 1).text(1, "html").stop()
    }

    /// The fields after the schema, without rows.
    fn no_rows(self) -> Writer {
        self.whole(1, 0).list(1, 0).stop()
    }

    /// A file with this footer.
    fn file(self) -> Vec<u8> {
        let length = u32::try_from(self.0.len()).unwrap().to_le_bytes();
        [&b"PAR1"[..], &self.0, &length, b"PAR1"].concat()
    }
}

fn schema(count: u64) -> Writer {
    Writer::default().whole(1, 1).list(1, count)
}

/// Groups in each other around one column.
fn nested(depth: u64) -> Writer {
    (0..depth).fold(schema(depth + 1), |out, _| out.group(1)).leaf().no_rows()
}

fn reason(footer: Writer) -> String {
    check_bytes(&footer.0).unwrap_err()
}

#[test]
fn what_parquet_writes_is_accepted() {
    assert_eq!(check_bytes(&nested(100).0), Ok(()));
    assert!(ParquetMetaDataReader::decode_metadata(&nested(100).0).is_ok(), "the writer of this test writes footers");
}

#[test]
fn deep_schemas_and_counts_without_values_are_refused() {
    assert!(reason(nested(2000)).contains("deep"));
    assert!(reason(schema(2).group(i32::MAX.into()).leaf().no_rows()).contains("needs 2147483647 more"));
    assert!(reason(schema(2).group(-1).leaf().no_rows()).contains("fewer than no children"));
    assert!(reason(schema(i32::MAX as u64)).contains("counts 2147483647 values"));
    let row_groups = schema(2).group(1).leaf().whole(1, 0).list(1, i32::MAX as u64);
    assert!(reason(row_groups).contains("counts 2147483647 values"));
    let lists = (0..50).fold(schema(0).head(14, LIST), |out, _| out.head(1, LIST));
    assert!(reason(lists).contains("nested more than"));
    // Long names of groups around many columns.
    let long = Writer::default().whole(3, 1).text(1, &"n".repeat(1 << 16)).whole(1, 4000).stop();
    let wide = (0..4000).fold(Writer([schema(4001).0, long.0].concat()), |out, _| out.leaf()).no_rows();
    assert!(reason(wide).contains("the paths of its columns"));
}

/// parquet-rs goes by the ids of fields, so what a file calls a text would be read as a list.
#[test]
fn fields_have_the_types_of_the_format_and_come_once() {
    let called_text = Writer::default().whole(1, 1).text(1, "\u{fc}").no_rows();
    assert!(reason(called_text).contains("the field 2 has the type 8"));
    let children_as_text = Writer::default().whole(3, 1).text(1, "g").text(1, "2").stop();
    assert!(reason(Writer([schema(1).0, children_as_text.0].concat())).contains("the field 5 has the type 8"));
    let twice = schema(2).group(1).leaf().whole(1, 0).list(1, 0).head(0, LIST).varint(8).list(0, 9);
    assert!(reason(twice).contains("the field 4 comes after the field 4"));
}

/// Random numbers, the same in every run.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *seed >> 33
}

#[test]
fn damaged_footers_are_refused_or_harmless() {
    let whole = nested(30).0;
    for end in 0..whole.len() {
        assert!(check_bytes(&whole[..end]).is_err(), "cut at {end}");
    }
    let mut seed = 1;
    for _ in 0..20_000 {
        let length = random(&mut seed) as usize % 60;
        let noise: Vec<u8> = (0..length).map(|_| random(&mut seed) as u8).collect();
        let _ = check_bytes(&noise);
    }
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut hurt = whole.clone();
        for _ in 0..=random(&mut seed) % 3 {
            let at = random(&mut seed) as usize % hurt.len();
            hurt[at] = random(&mut seed) as u8;
        }
        if check_bytes(&hurt).is_ok() {
            accepted += 1;
            // It must neither ask for much memory nor recurse deeply; whether it can be read is another question.
            let _ = std::panic::catch_unwind(|| ParquetMetaDataReader::decode_metadata(&hurt).is_ok());
        }
    }
    assert!(accepted > 100, "{accepted} of the damaged footers got as far as parquet-rs");
}

#[test]
fn a_file_with_a_hostile_footer_is_one_fault() {
    let bombs = [nested(2000), schema(2).group(i32::MAX.into()).leaf().no_rows()];
    for bomb in bombs {
        for carry in [vec![], vec!["g".to_string()]] {
            let options = ReadOptions::default().with_html_column("g.html").with_carry(carry);
            let read = test_source("bomb.parquet", &bomb.clone().file(), &options);
            let [Err(fault)] = read.as_slice() else { panic!("{read:?}") };
            assert_eq!(fault.kind, FaultKind::DamagedArchive);
        }
    }
}
