//! Every Parquet type and every JSON number, as id and as carried column, from input to output.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::*;
use arrow_cast::cast;
use arrow_schema::{DataType, Field, IntervalUnit, Schema, TimeUnit};
use dehusk::{Extractor, Options};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::Crawl;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// A column of three rows, the last of which is null, and the JSON of the first two.
type Case = (&'static str, ArrayRef, [&'static str; 2]);

fn decimal(kind: DataType, texts: [&str; 2]) -> ArrayRef {
    cast(&StringArray::from(vec![Some(texts[0]), Some(texts[1]), None]), &kind).unwrap()
}

/// Integers as values of another type.
fn of_i64(kind: DataType, values: [i64; 2]) -> ArrayRef {
    cast(&Int64Array::from(vec![Some(values[0]), Some(values[1]), None]), &kind).unwrap()
}

fn of_i32(kind: DataType, values: [i32; 2]) -> ArrayRef {
    cast(&Int32Array::from(vec![Some(values[0]), Some(values[1]), None]), &kind).unwrap()
}

fn timestamp(unit: TimeUnit, zone: Option<&str>) -> ArrayRef {
    let per_second = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    of_i64(DataType::Timestamp(unit, zone.map(Into::into)), [1_700_000_000 * per_second, -per_second])
}

fn texts(kind: DataType) -> ArrayRef {
    cast(&StringArray::from(vec![Some("a \"é\"\n"), Some(""), None]), &kind).unwrap()
}

fn bytes(kind: DataType) -> ArrayRef {
    let values: Vec<Option<&[u8]>> = vec![Some(b"plain"), Some(b"\xff\x00\x01"), None];
    cast(&BinaryArray::from(values), &kind).unwrap()
}

fn map() -> ArrayRef {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k\"");
    map.values().append_value(1);
    map.keys().append_value("l");
    map.values().append_null();
    map.append(true).unwrap();
    map.append(true).unwrap();
    map.append(false).unwrap();
    Arc::new(map.finish())
}

fn texts_in_lists() -> ArrayRef {
    let mut list = ListBuilder::new(StringBuilder::new());
    list.append_value([Some("x"), None]);
    list.append_value(Vec::<Option<&str>>::new());
    list.append_null();
    Arc::new(list.finish())
}

fn structs() -> ArrayRef {
    let numbers = Arc::new(Int32Array::from(vec![Some(1), None, Some(0)])) as ArrayRef;
    let lists = texts_in_lists();
    let fields = vec![
        Field::new("n", DataType::Int32, true),
        Field::new("l", lists.data_type().clone(), true),
        Field::new("m", map().data_type().clone(), true),
    ];
    let nulls = Some(vec![true, true, false].into());
    Arc::new(StructArray::new(fields.into(), vec![numbers, lists, map()], nulls))
}

fn cases() -> Vec<Case> {
    use DataType::*;
    let time = |unit, zone| timestamp(unit, zone);
    let floats = |kind| cast(&Float32Array::from(vec![Some(0.1), Some(-0.0), None]), &kind).unwrap();
    let wide = |kind| cast(&Float64Array::from(vec![Some(f64::NAN), Some(f64::NEG_INFINITY), None]), &kind).unwrap();
    let category: DictionaryArray<Int8Type> = vec![Some("a"), Some("b"), None].into_iter().collect();
    let numbers: ListArray =
        ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(i64::MAX), None]), Some(vec![]), None]);
    let fixed = FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>(
        [Some(vec![Some(1), Some(2)]), Some(vec![None, Some(4)]), None],
        2,
    );
    vec![
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), ["true", "false"]),
        ("i8", of_i64(Int8, [127, -128]), ["127", "-128"]),
        ("i16", of_i64(Int16, [32767, -32768]), ["32767", "-32768"]),
        ("i32", of_i64(Int32, [2_147_483_647, -2_147_483_648]), ["2147483647", "-2147483648"]),
        ("i64", of_i64(Int64, [i64::MAX, i64::MIN]), ["9223372036854775807", "-9223372036854775808"]),
        ("u8", of_i64(UInt8, [255, 0]), ["255", "0"]),
        ("u16", of_i64(UInt16, [65535, 1]), ["65535", "1"]),
        ("u32", of_i64(UInt32, [4_294_967_295, 1]), ["4294967295", "1"]),
        ("u64", Arc::new(UInt64Array::from(vec![Some(u64::MAX), Some(0), None])), ["18446744073709551615", "0"]),
        ("f16", floats(Float16), ["0.0999755859375", "-0.0"]),
        ("f32", floats(Float32), ["0.1", "-0.0"]),
        ("f64", wide(Float64), ["\"NaN\"", "\"-Infinity\""]),
        ("f64 digits", Arc::new(Float64Array::from(vec![Some(0.1), Some(1e300), None])), ["0.1", "1e+300"]),
        ("d32", decimal(Decimal32(9, 2), ["1234567.89", "-0.10"]), ["1234567.89", "-0.10"]),
        ("d64", decimal(Decimal64(18, 3), ["123456789012345.678", "-1"]), ["123456789012345.678", "-1.000"]),
        (
            "d128",
            decimal(Decimal128(38, 10), ["1234567890123456789012345678.0123456789", "0"]),
            ["1234567890123456789012345678.0123456789", "0.0000000000"],
        ),
        (
            "d256",
            decimal(Decimal256(76, 0), ["123456789012345678901234567890123456789012345678901234567890", "-7"]),
            ["123456789012345678901234567890123456789012345678901234567890", "-7"],
        ),
        ("date32", of_i32(Date32, [19_675, -1]), ["\"2023-11-14\"", "\"1969-12-31\""]),
        ("date far away", of_i32(Date32, [i32::MAX, i32::MIN]), ["2147483647", "-2147483648"]),
        (
            "date64",
            of_i64(Date64, [1_699_920_000_000, -86_400_000]),
            ["\"2023-11-14T00:00:00\"", "\"1969-12-31T00:00:00\""],
        ),
        ("time32 s", of_i32(Time32(TimeUnit::Second), [86_399, 0]), ["\"23:59:59\"", "\"00:00:00\""]),
        ("time32 ms", of_i32(Time32(TimeUnit::Millisecond), [1, 0]), ["\"00:00:00.001\"", "\"00:00:00\""]),
        ("time64 us", of_i64(Time64(TimeUnit::Microsecond), [1, 0]), ["\"00:00:00.000001\"", "\"00:00:00\""]),
        ("time64 ns", of_i64(Time64(TimeUnit::Nanosecond), [1, 0]), ["\"00:00:00.000000001\"", "\"00:00:00\""]),
        ("ts s", time(TimeUnit::Second, None), ["\"2023-11-14T22:13:20\"", "\"1969-12-31T23:59:59\""]),
        ("ts ms", time(TimeUnit::Millisecond, None), ["\"2023-11-14T22:13:20\"", "\"1969-12-31T23:59:59\""]),
        ("ts us", time(TimeUnit::Microsecond, Some("UTC")), ["\"2023-11-14T22:13:20Z\"", "\"1969-12-31T23:59:59Z\""]),
        (
            "ts ns",
            time(TimeUnit::Nanosecond, Some("Europe/Berlin")),
            ["\"2023-11-14T22:13:20Z\"", "\"1969-12-31T23:59:59Z\""],
        ),
        ("duration", of_i64(Duration(TimeUnit::Millisecond), [1500, -1]), ["\"PT1.5S\"", "\"-PT0.001S\""]),
        (
            "interval",
            of_i32(Interval(IntervalUnit::YearMonth), [14, -1]),
            ["\"1 years 2 mons\"", "\"-1 years 11 mons\""],
        ),
        ("utf8", texts(Utf8), [r#""a \"é\"\n""#, "\"\""]),
        ("large utf8", texts(LargeUtf8), [r#""a \"é\"\n""#, "\"\""]),
        ("utf8 view", texts(Utf8View), [r#""a \"é\"\n""#, "\"\""]),
        ("binary", bytes(Binary), ["\"plain\"", "\"ff0001\""]),
        ("large binary", bytes(LargeBinary), ["\"plain\"", "\"ff0001\""]),
        ("binary view", bytes(BinaryView), ["\"plain\"", "\"ff0001\""]),
        (
            "fixed binary",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    [Some(b"abc".to_vec()), Some(vec![0, 1, 255]), None].into_iter(),
                    3,
                )
                .unwrap(),
            ),
            ["\"616263\"", "\"0001ff\""],
        ),
        ("category", Arc::new(category), ["\"a\"", "\"b\""]),
        ("list", Arc::new(numbers), ["[9223372036854775807,null]", "[]"]),
        ("list of texts", texts_in_lists(), ["[\"x\",null]", "[]"]),
        (
            "large list",
            cast(&texts_in_lists(), &LargeList(Arc::new(Field::new("item", Utf8, true)))).unwrap(),
            ["[\"x\",null]", "[]"],
        ),
        ("fixed list", Arc::new(fixed), ["[1,2]", "[null,4]"]),
        ("map", map(), [r#"{"k\"":1,"l":null}"#, "{}"]),
        ("struct", structs(), [r#"{"n":1,"l":["x",null],"m":{"k\"":1,"l":null}}"#, r#"{"n":null,"l":[],"m":{}}"#]),
        ("null", new_null_array(&Null, 3), ["null", "null"]),
    ]
}

fn write(path: &Path, values: &ArrayRef, properties: Option<WriterProperties>) {
    let texts = |prefix: &str| -> ArrayRef {
        Arc::new(StringArray::from((0..values.len()).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>()))
    };
    let fields = vec![
        Field::new("url", DataType::Utf8, false),
        Field::new("html", DataType::Utf8, false),
        Field::new("v", values.data_type().clone(), true),
    ];
    let columns = vec![texts("http://a.example/"), texts("<p>Some words of a page, number "), values.clone()];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), properties).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn run(inputs: &[PathBuf], output: &Path, read: ReadOptions) {
    let extractor = Extractor::new(Options::new()).unwrap();
    let crawl = Crawl::new(extractor, inputs.to_vec(), output).with_read_options(read).with_threads(2);
    let tally = crawl.run(&()).unwrap();
    assert_eq!(tally.failed, 0, "{:?}", tally.errors);
}

/// The columns of a Parquet file as one batch.
fn read(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = builder.schema().clone();
    let batches: Vec<_> = builder.with_batch_size(1 << 20).build().unwrap().map(Result::unwrap).collect();
    assert!(batches.len() <= 1);
    batches.into_iter().next().unwrap_or_else(|| RecordBatch::new_empty(schema))
}

fn carry() -> ReadOptions {
    ReadOptions::default().with_id_column("v").with_carry(vec!["v".into()])
}

#[test]
fn every_parquet_type_stays_what_it_is_from_parquet_to_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.parquet"));
    for (name, values, _) in cases() {
        write(&input, &values, None);
        // The type as a reader of the input sees it: Parquet itself does not have all of Arrow's.
        let given = read(&input).column_by_name("v").unwrap().clone();
        run(std::slice::from_ref(&input), &output, carry());
        let found = read(&output);
        for column in ["id", "v"] {
            let found = found.column_by_name(column).unwrap();
            let mut expected = given.clone();
            if let DataType::Dictionary(_, value) = given.data_type() {
                // Wide enough for the keys of several files.
                expected = cast(&given, &DataType::Dictionary(Box::new(DataType::Int32), value.clone())).unwrap();
            }
            assert_eq!(found.data_type(), expected.data_type(), "{name}");
            let plain = |array: &ArrayRef| match array.data_type() {
                DataType::Dictionary(_, value) => cast(array, value).unwrap(),
                _ => array.clone(),
            };
            assert_eq!(plain(found).to_data(), plain(&expected).to_data(), "{name} as {column}");
        }
    }
}

#[test]
fn every_parquet_type_has_its_json() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.jsonl"));
    for (name, values, json) in cases() {
        write(&input, &values, None);
        run(std::slice::from_ref(&input), &output, carry());
        let text = fs::read_to_string(&output).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        for (line, json) in lines.iter().zip([json[0], json[1], "null"]) {
            assert!(line.starts_with(&format!("{{\"id\":{json},")), "{name}: {json} is not the id of {line}");
            assert!(line.ends_with(&format!("\"v\":{json}}}")), "{name}: {json} is not at the end of {line}");
        }
    }
}

#[test]
fn json_numbers_keep_their_digits_and_give_typed_columns() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("i.jsonl");
    let (lines, table) = (folder.path().join("o.jsonl"), folder.path().join("o.parquet"));
    let cases: [(&[&str], DataType); 9] = [
        (&["1", "-9223372036854775808", "null"], DataType::Int64),
        (&["0", "18446744073709551615"], DataType::UInt64),
        (&["1.0", "-0", "0.5", "1e-7"], DataType::Float64),
        (&["true", "null", "false"], DataType::Boolean),
        (&["\"a\"", "\"é \\\" \\n\"", "\"\""], DataType::Utf8),
        (&["18446744073709551617", "-9223372036854775809"], DataType::Utf8),
        (&["1e400", "0.1000000000000000055511151231257827"], DataType::Utf8),
        (&["1", "\"1\"", "[1,{\"a\":1.50}]", "true"], DataType::Utf8),
        (&["null"], DataType::Utf8),
    ];
    for (values, kind) in cases {
        let line = |value: &&str| format!("{{\"id\":{value},\"url\":\"http://a/\",\"html\":\"<p>x\",\"v\":{value}}}\n");
        fs::write(&input, values.iter().map(line).collect::<String>()).unwrap();
        let options = ReadOptions::default().with_carry(vec!["v".into()]);
        run(std::slice::from_ref(&input), &lines, options.clone());
        let written = fs::read_to_string(&lines).unwrap();
        for (line, value) in written.lines().zip(values) {
            assert!(line.starts_with(&format!("{{\"id\":{value},")), "{line}");
            assert!(line.ends_with(&format!("\"v\":{value}}}")), "{line}");
        }
        run(std::slice::from_ref(&input), &table, options);
        let found = read(&table);
        for column in ["id", "v"] {
            let column = found.column_by_name(column).unwrap();
            assert_eq!(*column.data_type(), kind, "{values:?}");
            let text = cast(column, &DataType::Utf8).unwrap();
            let text = text.as_any().downcast_ref::<StringArray>().unwrap();
            for (found, value) in text.iter().zip(values) {
                let expected = match (*value, &kind) {
                    ("null", _) => None,
                    // A text is as it is, without quotes.
                    (value, DataType::Utf8) if value.starts_with('"') => Some(serde_json::from_str(value).unwrap()),
                    ("-0", _) => Some("-0.0".to_string()),
                    ("1e-7", _) => Some("1e-7".to_string()),
                    (value, _) => Some(value.to_string()),
                };
                assert_eq!(found.map(str::to_string), expected, "{values:?}");
            }
        }
    }
}

#[test]
fn columns_of_several_files_get_a_type_that_holds_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let one: ArrayRef = Arc::new(Int32Array::from(vec![Some(-1), None, Some(2)]));
    let two: ArrayRef = Arc::new(UInt32Array::from(vec![Some(u32::MAX), None]));
    write(&at("1.parquet"), &one, None);
    write(&at("2.parquet"), &two, None);
    write(&at("3.parquet"), &(Arc::new(StringArray::from(vec!["x"])) as ArrayRef), None);
    run(&[at("1.parquet"), at("2.parquet")], &at("o.parquet"), carry());
    let found = read(&at("o.parquet"));
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![Some(-1), None, Some(2), Some(4_294_967_295), None]));
    assert_eq!(found.column_by_name("v").unwrap(), &expected);
    // Numbers and texts have only their text in common.
    run(&[at("1.parquet"), at("3.parquet")], &at("o.parquet"), carry());
    let expected: ArrayRef = Arc::new(StringArray::from(vec![Some("-1"), None, Some("2"), Some("x")]));
    assert_eq!(read(&at("o.parquet")).column_by_name("id").unwrap(), &expected);
    // So do Parquet and JSON, unless all values are of one kind.
    fs::write(at("4.jsonl"), "{\"url\":\"u\",\"html\":\"<p>x\",\"v\":7}\n").unwrap();
    run(&[at("1.parquet"), at("4.jsonl")], &at("o.parquet"), carry());
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![Some(-1), None, Some(2), Some(7)]));
    assert_eq!(read(&at("o.parquet")).column_by_name("v").unwrap(), &expected);
}

#[test]
fn dictionaries_inside_other_types_grow_with_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let tags = |prefix: &str| {
        let texts: Vec<String> = (0..100).map(|number| format!("{prefix}{number}")).collect();
        let tags: DictionaryArray<Int8Type> = texts.iter().map(|text| Some(text.as_str())).collect();
        let field = Field::new("tag", tags.data_type().clone(), true);
        Arc::new(StructArray::new(vec![field].into(), vec![Arc::new(tags) as ArrayRef], None)) as ArrayRef
    };
    let (one, two, output) =
        (folder.path().join("1.parquet"), folder.path().join("2.parquet"), folder.path().join("o.parquet"));
    write(&one, &tags("a"), None);
    write(&two, &tags("b"), None);
    run(&[one, two], &output, carry());
    let found = read(&output);
    let found = found.column_by_name("v").unwrap().as_any().downcast_ref::<StructArray>().unwrap().column(0).clone();
    let wide = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!((found.len(), found.data_type()), (200, &wide));
    let texts = cast(&found, &DataType::Utf8).unwrap();
    let texts = texts.as_any().downcast_ref::<StringArray>().unwrap();
    assert_eq!((texts.value(0), texts.value(199)), ("a0", "b99"));
}

#[test]
fn days_stay_days() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.parquet"));
    let days = of_i64(DataType::Date64, [1_699_920_000_000, -86_400_000]);
    let fields = vec![Field::new("n", DataType::Int64, true), Field::new("day", DataType::Date64, true)];
    let values = StructArray::new(fields.into(), vec![of_i64(DataType::Int64, [1, 2]), days], None);
    // As other writers do, which store days.
    let properties = WriterProperties::builder().set_coerce_types(true).build();
    write(&input, &(Arc::new(values) as ArrayRef), Some(properties));
    let options = ReadOptions::default().with_id_column("v.day").with_carry(vec!["v".into(), "v.day".into()]);
    run(std::slice::from_ref(&input), &output, options);
    let file = ParquetRecordBatchReaderBuilder::try_new(File::open(&output).unwrap()).unwrap();
    let is_day = |name: &str| {
        let leaf = file.parquet_schema().columns().iter().find(|leaf| leaf.path().string() == name).unwrap();
        leaf.logical_type_ref() == Some(&parquet::basic::LogicalType::Date)
    };
    assert!(is_day("id") && is_day("v.day"), "{:?}", file.parquet_schema());
    let expected = of_i32(DataType::Date32, [19_675, -1]);
    assert_eq!(read(&output).column_by_name("id").unwrap(), &expected);
}

#[test]
fn fields_of_structs_are_columns_and_null_structs_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.jsonl"));
    write(&input, &structs(), None);
    let options = ReadOptions::default().with_id_column("v.n").with_carry(vec!["v.l".into(), "v.n".into()]);
    run(std::slice::from_ref(&input), &output, options);
    let text = fs::read_to_string(&output).unwrap();
    let ends: Vec<&str> = text.lines().map(|line| &line[line.find("\"v.l\"").unwrap()..]).collect();
    assert_eq!(ends, [r#""v.l":["x",null],"v.n":1}"#, r#""v.l":[],"v.n":null}"#, r#""v.l":null,"v.n":null}"#]);
}

#[test]
fn every_compression_of_parquet_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.jsonl"));
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        write(&input, &values, Some(WriterProperties::builder().set_compression(codec).build()));
        run(std::slice::from_ref(&input), &output, carry());
        assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 3, "{codec}");
    }
}

#[test]
fn a_page_may_be_binary_of_a_fixed_size_and_have_no_address() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.jsonl"));
    let pages = [b"<p>Some words.".to_vec(), b"<p>Some other ".to_vec()];
    let html: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter(pages.into_iter()).unwrap());
    let batch = RecordBatch::try_from_iter([("html", html)]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&input).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    run(std::slice::from_ref(&input), &output, ReadOptions::default());
    let text = fs::read_to_string(&output).unwrap();
    assert!(text.contains("Some words.") && text.contains("Some other"), "{text}");
}

#[test]
fn old_timestamps_of_any_year_are_right() {
    use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("i.parquet"), folder.path().join("o.jsonl"));
    let schema = "message m { required binary html (UTF8); required int96 v; }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(File::create(&input).unwrap(), schema, Default::default())
            .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let pages = vec![ByteArray::from("<p>Some words."); 2];
    column.typed::<ByteArrayType>().write_batch(&pages, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    // Nanoseconds of the day in two words, and the Julian day: 9999-12-31 and 2023-11-14.
    let days = [5_373_484, 2_460_263].map(|day| Int96::from(vec![1_000_000, 0, day]));
    column.typed::<Int96Type>().write_batch(&days, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    run(std::slice::from_ref(&input), &output, carry());
    let text = fs::read_to_string(&output).unwrap();
    let ids: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(ids, ["{\"id\":\"9999-12-31T00:00:00.001\"", "{\"id\":\"2023-11-14T00:00:00.001\""]);
}
