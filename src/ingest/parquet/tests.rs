use super::*;
use arrow::array::{
    ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array,
    DictionaryArray, FixedSizeBinaryArray, Float64Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray,
    LargeStringArray, StringArray, StringViewArray, StructArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, i256};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::path::PathBuf;
use tempfile::TempDir;

/// 2026-01-02T03:04:05Z in seconds.
const T: i64 = 1_767_323_045;

/// What a test looks at in a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    row: u64,
    url: String,
    status: Option<i16>,
    time: Option<i64>,
    body: Vec<u8>,
    total: u64,
    content_type: Option<String>,
    location: Option<String>,
    digest: Option<String>,
    truncated: Option<String>,
    repaired: Vec<Repair>,
}

#[derive(Default)]
struct Collect {
    seen: Vec<Seen>,
    problems: Vec<Problem>,
    walked: u64,
    stop_after: Option<usize>,
}

impl Sink for Collect {
    fn capture(&mut self, capture: &Capture<'_>) -> ControlFlow<()> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(capture.place.offset, None);
        self.seen.push(Seen {
            row: capture.place.source_row.unwrap(),
            url: capture.url.to_string(),
            status: capture.status,
            time: capture.fetch_time,
            body: capture.body.to_vec(),
            total: capture.body_total_bytes,
            content_type: capture.content_type.map(text),
            location: capture.location.map(text),
            digest: capture.digest.as_deref().map(str::to_owned),
            truncated: capture.truncated.as_deref().map(str::to_owned),
            repaired: capture.repaired.iter().collect(),
        });
        match self.stop_after {
            Some(most) if self.seen.len() >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn progress(&mut self, bytes: u64) {
        self.walked += bytes;
    }
}

/// A folder with one Parquet file in it.
struct Table {
    _folder: TempDir,
    path: PathBuf,
}

impl Table {
    fn of_bytes(bytes: &[u8]) -> Table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        std::fs::write(&path, bytes).unwrap();
        Table { _folder: folder, path }
    }

    fn write(columns: &[(&str, ArrayRef)], properties: WriterProperties) -> Table {
        let batch = RecordBatch::try_from_iter(columns.iter().map(|(name, array)| (*name, array.clone()))).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        Table::of_bytes(&bytes)
    }

    fn plain(columns: &[(&str, ArrayRef)]) -> Table {
        Table::write(columns, WriterProperties::default())
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.path).unwrap().len()
    }

    fn read_part(&self, start: u64, end: Option<u64>) -> (Completion, Collect) {
        let mut collect = Collect::default();
        let part = Part { origin: Origin::File(self.path.clone()), start, end };
        let completion = ParquetReader::new(Limits::default(), ColumnChoice::default()).read(&part, &mut collect);
        (completion, collect)
    }

    /// Reads all of a sound file.
    fn read(&self) -> Vec<Seen> {
        let (completion, collect) = self.read_part(0, None);
        assert_eq!(collect.problems, []);
        assert_eq!(completion, Completion::Complete);
        assert_eq!(collect.walked, self.length());
        collect.seen
    }
}

fn array<A: arrow::array::Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}

fn bodies(seen: &[Seen]) -> Vec<&[u8]> {
    seen.iter().map(|seen| seen.body.as_slice()).collect()
}

#[test]
fn bodies_of_every_type_are_read() {
    let texts = [Some("User-agent: *\n"), None, Some(""), Some("User-agent: *\n")];
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let arrays: Vec<ArrayRef> = vec![
        array(StringArray::from_iter(texts)),
        array(LargeStringArray::from_iter(texts)),
        array(StringViewArray::from_iter(texts)),
        array(BinaryArray::from_iter(bytes.clone())),
        array(LargeBinaryArray::from_iter(bytes.clone())),
        array(BinaryViewArray::from_iter(bytes.clone())),
        array(texts.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for body in arrays {
        let kind = body.data_type().clone();
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [true, false] {
                let properties =
                    WriterProperties::builder().set_writer_version(version).set_dictionary_enabled(dictionary).build();
                let seen = Table::write(&[("body", body.clone())], properties).read();
                let expected: [&[u8]; 4] = [b"User-agent: *\n", b"", b"", b"User-agent: *\n"];
                assert_eq!(bodies(&seen), expected, "{kind} {version:?} {dictionary}");
                assert_eq!(seen.iter().map(|s| s.status).collect::<Vec<_>>(), [Some(200), None, Some(200), Some(200)]);
                assert_eq!(seen.iter().map(|s| s.row).collect::<Vec<_>>(), [0, 1, 2, 3]);
                assert!(seen.iter().all(|s| s.url.is_empty() && s.repaired.is_empty()));
            }
        }
    }
    let fixed = FixedSizeBinaryArray::try_from_iter([b"abc", b"def"].into_iter()).unwrap();
    assert_eq!(bodies(&Table::plain(&[("body", array(fixed))]).read()), [b"abc", b"def"]);
}

#[test]
fn bytes_that_are_not_utf8_survive() {
    let body: &[u8] = b"\xff\xfeU\x00s\x00\xc3\x28";
    let table = Table::plain(&[
        ("body", array(BinaryArray::from_iter([Some(body)]))),
        ("url", array(BinaryArray::from_iter([Some(b"https://a\xff.example/robots.txt".as_slice())]))),
    ]);
    let seen = table.read();
    assert_eq!(seen[0].body, body);
    assert_eq!(seen[0].url, "https://a\u{fffd}.example/robots.txt");
    assert_eq!(seen[0].repaired, [Repair::UrlNotUtf8]);
}

#[test]
fn encodings_and_compressions() {
    let texts: Vec<String> = (0..5_000).map(|i| format!("User-agent: bot{}\nDisallow: /{i}\n", i % 7)).collect();
    let column = array(StringArray::from_iter_values(&texts));
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4_RAW,
    ] {
        for encoding in [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_dictionary_enabled(false)
                    .set_encoding(encoding)
                    .set_writer_version(version)
                    .set_data_page_row_count_limit(700)
                    .set_write_batch_size(100)
                    .set_max_row_group_row_count(Some(3_000))
                    .build();
                let seen = Table::write(&[("body", column.clone())], properties).read();
                assert_eq!(seen.len(), texts.len());
                for (row, (seen, text)) in seen.iter().zip(&texts).enumerate() {
                    assert_eq!(
                        (seen.row, seen.body.as_slice()),
                        (row as u64, text.as_bytes()),
                        "{compression} {encoding}"
                    );
                }
            }
        }
    }
}

#[test]
fn status_of_every_type_is_read() {
    let body = array(StringArray::from(vec![Some("a"), None, Some("c"), Some("")]));
    let decimal = |precision, scale| {
        let unit = 10_i128.pow(scale);
        let values = vec![Some(200 * unit), None, Some(404 * unit), None];
        array(Decimal128Array::from(values).with_precision_and_scale(precision, scale as i8).unwrap())
    };
    let wide = vec![Some(i256::from(200)), None, Some(i256::from(404)), None];
    let arrays: Vec<ArrayRef> = vec![
        decimal(5, 0),
        decimal(12, 2),
        decimal(38, 10),
        array(Decimal256Array::from(wide).with_precision_and_scale(60, 0).unwrap()),
        array(UInt32Array::from(vec![Some(200), None, Some(404), None])),
        array(UInt64Array::from(vec![Some(200), None, Some(404), None])),
        array(Int16Array::from(vec![Some(200), None, Some(404), None])),
        array(UInt16Array::from(vec![Some(200), None, Some(404), None])),
        array(Int32Array::from(vec![Some(200), None, Some(404), None])),
        array(Int64Array::from(vec![Some(200), None, Some(404), None])),
        array(Float64Array::from(vec![Some(200.0), Some(f64::NAN), Some(404.0), Some(f64::NAN)])),
        array(StringArray::from(vec![Some("200"), None, Some(" 404 Not Found"), None])),
        array(StringArray::from(vec![Some("200"), Some(""), Some("404.0"), Some("  ")])),
        array(vec![Some("200"), None, Some("404"), None].into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for status in arrays {
        let kind = status.data_type().clone();
        let seen = Table::plain(&[("body", body.clone()), ("status", status)]).read();
        let statuses: Vec<_> = seen.iter().map(|s| s.status).collect();
        assert_eq!(statuses, [Some(200), None, Some(404), Some(200)], "{kind}");
    }
}

#[test]
fn a_status_that_is_no_number_is_told_once() {
    let table = Table::plain(&[
        ("body", array(StringArray::from(vec!["a", "b", "c"]))),
        ("status", array(StringArray::from(vec!["200", "ok", "2x"]))),
    ]);
    let (completion, collect) = table.read_part(0, None);
    assert_eq!(completion, Completion::Complete);
    assert_eq!(collect.seen.iter().map(|s| s.status).collect::<Vec<_>>(), [Some(200), None, None]);
    assert_eq!(collect.problems.len(), 1);
    assert_eq!((collect.problems[0].code, collect.problems[0].offset), (ProblemCode::RowUnreadable, Some(1)));
    assert!(collect.problems[0].detail.contains("`ok`"), "{}", collect.problems[0].detail);

    for (status, found) in [
        (array(Int64Array::from(vec![70_000])), "`70000`"),
        (array(UInt32Array::from(vec![u32::MAX])), "`4294967295`"),
        (array(UInt64Array::from(vec![u64::MAX])), "`18446744073709551615`"),
        (array(Decimal128Array::from(vec![20_050]).with_precision_and_scale(6, 2).unwrap()), "`20050e-2`"),
        (array(Decimal128Array::from(vec![-70_000]).with_precision_and_scale(20, 0).unwrap()), "`-70000`"),
        (array(Decimal256Array::from(vec![i256::MAX]).with_precision_and_scale(76, 0).unwrap()), "decimal of 32 bytes"),
    ] {
        let table = Table::plain(&[("body", array(StringArray::from(vec!["a"]))), ("status", status)]);
        let (completion, collect) = table.read_part(0, None);
        assert_eq!((completion, collect.seen[0].status), (Completion::Complete, None), "{found}");
        assert_eq!(collect.problems.iter().map(|p| p.code).collect::<Vec<_>>(), [ProblemCode::RowUnreadable]);
        assert!(collect.problems[0].detail.contains(found), "{}", collect.problems[0].detail);
    }
}

#[test]
fn a_guessed_column_that_cannot_serve_is_told_once_a_part() {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1)).build();
    let table = Table::write(
        &[
            ("body", array(StringArray::from(vec!["a", "b", "c"]))),
            ("status", array(BooleanArray::from(vec![true, false, true]))),
        ],
        properties,
    );
    let (completion, collect) = table.read_part(0, None);
    assert_eq!(completion, Completion::Complete);
    assert_eq!(collect.seen.iter().map(|s| s.status).collect::<Vec<_>>(), [Some(200); 3]);
    assert_eq!(collect.problems.len(), 1);
    let Problem { code, offset, detail, action } = &collect.problems[0];
    assert_eq!((*code, *offset), (ProblemCode::ColumnMissing, None));
    assert!(detail.contains("`status` is BOOLEAN") && detail.contains("--status-column"), "{detail}");
    assert!(action.contains("200"), "{action}");
    // The last bytes hold no row group.
    assert_eq!(table.read_part(table.length() - 4, None).1.problems, []);
}

#[test]
fn named_columns_are_checked_before_anything_is_read() {
    let table = Table::plain(&[
        ("body", array(StringArray::from(vec!["a"]))),
        ("ok", array(BooleanArray::from(vec![true]))),
        ("code", array(Int32Array::from(vec![200]))),
    ]);
    let bodiless = Table::plain(&[("code", array(Int32Array::from(vec![200])))]);
    let damaged = Table::of_bytes(b"PAR1 and no end");
    let input = |path: &Path, format| Input {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        origin: Origin::File(path.to_owned()),
        size: None,
        modified: None,
        format,
    };
    let warc = input(&table.path, Format::Warc);
    let parquet = |table: &Table| input(&table.path, Format::Parquet);
    let choose = |role, name: &str| ColumnChoice::new([(role, Some(name.to_owned()))]);
    let all = [warc.clone(), parquet(&damaged), parquet(&table)];
    assert_eq!(check_named(&all, &choose(Role::Status, "code")), Ok(()));
    assert_eq!(check_named(std::slice::from_ref(&warc), &ColumnChoice::default()), Ok(()));
    assert_eq!(check_named(&[parquet(&damaged)], &choose(Role::Status, "code")), Ok(()));
    assert_eq!(check_named(&[parquet(&bodiless)], &choose(Role::Status, "code")), Ok(()));
    for (choice, message) in [
        (choose(Role::Status, "kode"), "`table.parquet`: no column `kode`"),
        (choose(Role::Status, "ok"), "BOOLEAN"),
        (choose(Role::Body, "code"), "cannot serve as body"),
    ] {
        let error = check_named(&all, &choice).unwrap_err();
        assert!(error.contains(message) && error.contains("(columns: body, ok, code)"), "{error}");
    }
    let error = check_named(&[warc], &choose(Role::Status, "code")).unwrap_err();
    assert!(error.contains("--status-column") && error.contains("no input is one"), "{error}");
}

#[test]
fn times_of_every_type_are_read() {
    let arrays: Vec<(ArrayRef, i64)> = vec![
        (array(TimestampSecondArray::from(vec![Some(T), None])), 0),
        (array(TimestampMillisecondArray::from(vec![Some(T * 1_000 + 7), None])), 7_000),
        (array(TimestampMicrosecondArray::from(vec![Some(T * 1_000_000 + 7), None])), 7),
        (array(TimestampNanosecondArray::from(vec![Some(T * 1_000_000_000 + 7_999), None])), 7),
        (array(TimestampMillisecondArray::from(vec![Some(T * 1_000), None]).with_timezone("+02:00")), 0),
        (array(Int64Array::from(vec![Some(T), None])), 0),
        (array(Int64Array::from(vec![Some(20_260_102_030_405), None])), 0),
        (array(Float64Array::from(vec![Some(T as f64 + 0.5), None])), 500_000),
        (array(StringArray::from(vec![Some("2026-01-02T03:04:05Z"), None])), 0),
        (array(StringArray::from(vec![Some("20260102030405"), None])), 0),
    ];
    let body = array(StringArray::from(vec!["a", "b"]));
    for (time, more) in arrays {
        let kind = time.data_type().clone();
        let seen = Table::plain(&[("body", body.clone()), ("fetch_time", time)]).read();
        assert_eq!(seen.iter().map(|s| s.time).collect::<Vec<_>>(), [Some(T * 1_000_000 + more), None], "{kind}");
    }
    let days = array(Date32Array::from(vec![Some(20_455), None]));
    let seen = Table::plain(&[("body", body.clone()), ("date", days)]).read();
    assert_eq!(seen.iter().map(|s| s.time).collect::<Vec<_>>(), [Some(20_455 * 86_400_000_000), None]);
    let seen = Table::plain(&[("body", body), ("date", array(StringArray::from(vec!["soon", ""])))]).read();
    assert_eq!((seen[0].time, seen[0].repaired.as_slice()), (None, [Repair::DateOdd].as_slice()));
    assert_eq!((seen[1].time, seen[1].repaired.as_slice()), (None, [].as_slice()));
}

#[test]
fn the_url_is_taken_or_made_from_the_host() {
    for (url, host, expected) in [
        (Some("http://a.example/robots.txt"), Some("b.example"), "http://a.example/robots.txt"),
        (Some("http://a.example"), None, "http://a.example"),
        (Some("<http://a.example/robots.txt>"), None, "http://a.example/robots.txt"),
        (Some("a.example"), None, "https://a.example/robots.txt"),
        (Some("//a.example/x/robots.txt"), None, "https://a.example/x/robots.txt"),
        (Some(""), Some("b.example"), "https://b.example/robots.txt"),
        (None, Some("b.example:8443"), "https://b.example:8443/robots.txt"),
        (None, Some("b.example/"), "https://b.example/robots.txt"),
        (None, Some("b.example/robots.txt"), "https://b.example/robots.txt"),
        (None, Some("http://b.example"), "http://b.example/robots.txt"),
        (None, Some("http://b.example:80/"), "http://b.example:80/robots.txt"),
    ] {
        let table = Table::plain(&[
            ("body", array(StringArray::from(vec!["x"]))),
            ("URL", array(StringArray::from(vec![url]))),
            ("host", array(StringArray::from(vec![host]))),
        ]);
        assert_eq!(table.read()[0].url, expected);
    }
}

#[test]
fn rows_with_neither_url_nor_host_are_kept_and_told() {
    let table = Table::plain(&[
        ("body", array(StringArray::from(vec!["x", "y", "z"]))),
        ("url", array(StringArray::from(vec![Some("http://a.example/robots.txt"), None, None]))),
    ]);
    let (completion, collect) = table.read_part(0, None);
    assert_eq!(completion, Completion::Complete);
    assert_eq!(bodies(&collect.seen), [b"x", b"y", b"z"]);
    assert_eq!(collect.problems.len(), 1);
    assert_eq!((collect.problems[0].code, collect.problems[0].offset), (ProblemCode::UrlMissing, Some(1)));
    assert!(collect.problems[0].detail.starts_with("2 rows"));
}

#[test]
fn the_other_columns_are_read_and_structs_entered() {
    let inner = |name: &str, array: ArrayRef| (Arc::new(Field::new(name, array.data_type().clone(), true)), array);
    let nulls = Some(vec![true, true, false].into());
    let fetch = StructArray::try_new(
        vec![Field::new("status", DataType::Int16, true), Field::new("redirect", DataType::Utf8, true)].into(),
        vec![
            array(Int16Array::from(vec![Some(301), None, Some(200)])),
            array(StringArray::from(vec![" /x ", "", "/y"])),
        ],
        nulls,
    )
    .unwrap();
    let content = StructArray::from(vec![
        inner("mime_type", array(StringArray::from(vec![Some("text/plain"), None, None]))),
        inner("digest", array(StringArray::from(vec![Some("sha1:ABC"), Some("DEF"), Some("é")]))),
        inner("truncated", array(StringArray::from(vec![Some("length"), None, None]))),
    ]);
    let table = Table::plain(&[
        ("body", array(StringArray::from(vec![None, Some("b"), Some("c")]))),
        ("fetch", array(fetch)),
        ("content", array(content)),
        ("ok", array(BooleanArray::from(vec![true, false, true]))),
    ]);
    let seen = table.read();
    assert_eq!(seen.iter().map(|s| s.status).collect::<Vec<_>>(), [Some(301), Some(200), Some(200)]);
    assert_eq!(seen.iter().map(|s| s.location.as_deref()).collect::<Vec<_>>(), [Some("/x"), None, None]);
    assert_eq!(seen[0].content_type.as_deref(), Some("text/plain"));
    assert_eq!(seen.iter().map(|s| s.digest.as_deref()).collect::<Vec<_>>(), [Some("ABC"), Some("DEF"), Some("é")]);
    assert_eq!(seen[0].truncated.as_deref(), Some("length"));
}

/// 10 row groups of 100 rows, incompressible enough that windows fall everywhere.
fn ten_row_groups() -> Table {
    let texts: Vec<String> = (0..1_000u64).map(|i| format!("{:x}", i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(100))
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(30)
        .set_write_batch_size(10)
        .build();
    let urls: Vec<String> = (0..1_000).map(|i| format!("https://h{i}.example/robots.txt")).collect();
    let body = array(StringArray::from_iter_values(texts));
    Table::write(&[("url", array(StringArray::from_iter_values(urls))), ("body", body)], properties)
}

#[test]
fn windows_share_the_row_groups_out() {
    let table = ten_row_groups();
    let whole = table.read();
    assert_eq!(whole.len(), 1_000);
    for step in [1_000, 3_333, 10_000, 1 << 40] {
        let (mut seen, mut walked, mut start) = (Vec::new(), 0, 0);
        while start < table.length() {
            let end = (start + step < table.length()).then_some(start + step);
            let (completion, collect) = table.read_part(start, end);
            assert_eq!(completion, Completion::Complete);
            assert_eq!(collect.problems, []);
            seen.extend(collect.seen);
            walked += collect.walked;
            start += step;
        }
        assert_eq!(seen, whole, "windows of {step} bytes");
        assert_eq!(walked, table.length());
    }
}

#[test]
fn the_sink_can_stop_it() {
    let table = ten_row_groups();
    let mut collect = Collect { stop_after: Some(150), ..Collect::default() };
    let part = Part { origin: Origin::File(table.path.clone()), start: 0, end: None };
    let completion = ParquetReader::new(Limits::default(), ColumnChoice::default()).read(&part, &mut collect);
    assert_eq!((completion, collect.seen.len()), (Completion::Stopped, 150));
}

#[test]
fn long_bodies_are_cut_and_counted() {
    let table = Table::plain(&[("body", array(StringArray::from(vec!["12345", "1234", ""])))]);
    let mut collect = Collect::default();
    let part = Part { origin: Origin::File(table.path.clone()), start: 0, end: None };
    let limits = Limits { body_cap: 4, ..Limits::default() };
    ParquetReader::new(limits, ColumnChoice::default()).read(&part, &mut collect);
    assert_eq!(bodies(&collect.seen), [b"1234".as_slice(), b"1234", b""]);
    assert_eq!(collect.seen.iter().map(|s| s.total).collect::<Vec<_>>(), [5, 4, 0]);
    assert_eq!(collect.seen[0].repaired, [Repair::BodyCapped]);
    assert_eq!(collect.seen[1].repaired, []);
}

#[test]
fn a_damaged_row_group_costs_itself() {
    let properties = |compression| {
        WriterProperties::builder()
            .set_max_row_group_row_count(Some(1_000))
            .set_compression(compression)
            .set_dictionary_enabled(false)
            .build()
    };
    let texts: Vec<String> = (0..3_000).map(|i| format!("User-agent: b\nDisallow: /{i}\n")).collect();
    let body = array(StringArray::from_iter_values(&texts));
    for compression in
        [Compression::ZSTD(ZstdLevel::default()), Compression::GZIP(GzipLevel::default()), Compression::LZ4_RAW]
    {
        let table = Table::write(&[("body", body.clone())], properties(compression));
        let mut bytes = std::fs::read(&table.path).unwrap();
        let metadata = footer::read(&File::open(&table.path).unwrap()).unwrap();
        let start = first_byte(metadata.row_group(1)) as usize;
        // The page header stays, what follows is noise.
        for byte in &mut bytes[start + 60..start + 200] {
            *byte ^= 0x5a;
        }
        let (completion, collect) = Table::of_bytes(&bytes).read_part(0, None);
        assert_eq!(completion, Completion::Incomplete);
        assert_eq!(collect.seen.iter().filter(|s| s.row < 1_000).count(), 1_000);
        assert_eq!(collect.seen.iter().filter(|s| s.row >= 2_000).count(), 1_000);
        for seen in collect.seen.iter().filter(|s| !(1_000..2_000).contains(&s.row)) {
            assert_eq!(seen.body, texts[seen.row as usize].as_bytes());
        }
        let codes: Vec<_> = collect.problems.iter().map(|p| p.code).collect();
        assert_eq!(codes, [ProblemCode::RowGroupUnreadable], "{compression}");
        assert!(collect.problems[0].offset.is_some_and(|row| (1_000..2_000).contains(&row)));
        assert_eq!(collect.walked, bytes.len() as u64);
    }
}

#[test]
fn what_is_no_whole_parquet_file_is_told() {
    let whole = std::fs::read(&ten_row_groups().path).unwrap();
    let mut encrypted = whole.clone();
    encrypted[..4].copy_from_slice(b"PARE");
    let mut huge_footer = whole.clone();
    let length = huge_footer.len();
    huge_footer[length - 8..length - 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    for (bytes, code) in [
        (&whole[..whole.len() - 1], ProblemCode::FileTruncated),
        (&whole[..whole.len() / 2], ProblemCode::FileTruncated),
        (&[][..], ProblemCode::NotAWarc),
        (b"PAR1", ProblemCode::NotAWarc),
        (b"a robots.txt and no table", ProblemCode::NotAWarc),
        (&encrypted, ProblemCode::FileUnreadable),
        (&huge_footer, ProblemCode::FileUnreadable),
        (b"PAR1\0\0\0\0PAR1", ProblemCode::FileUnreadable),
    ] {
        let table = Table::of_bytes(bytes);
        let (completion, collect) = table.read_part(0, None);
        assert_eq!(completion, Completion::Incomplete);
        assert_eq!(collect.problems.iter().map(|p| p.code).collect::<Vec<_>>(), [code]);
        assert_eq!(collect.walked, bytes.len() as u64);
        assert!(inspect(&table.path, &ColumnChoice::default()).is_err());
    }
    let part = Part { origin: Origin::Stdin, start: 0, end: None };
    let mut collect = Collect::default();
    let mut reader = ParquetReader::new(Limits::default(), ColumnChoice::default());
    assert_eq!(reader.read(&part, &mut collect), Completion::Incomplete);
    let part = Part { origin: Origin::File("/nonexistent/x.parquet".into()), start: 0, end: None };
    assert_eq!(reader.read(&part, &mut collect), Completion::Incomplete);
    assert_eq!(collect.problems.iter().map(|p| p.code).collect::<Vec<_>>(), [ProblemCode::FileUnreadable; 2]);
}

#[test]
fn a_table_without_bodies_is_told() {
    let table = Table::plain(&[("url", array(StringArray::from(vec!["http://a.example/robots.txt"])))]);
    let (completion, collect) = table.read_part(0, None);
    assert_eq!(completion, Completion::Incomplete);
    assert_eq!(collect.problems[0].code, ProblemCode::ColumnMissing);
    assert!(collect.problems[0].detail.contains("--body-column"));
    let choice = ColumnChoice::new([(Role::Body, Some("url".to_owned())), (Role::Url, None)]);
    let inspection = inspect(&table.path, &choice).unwrap();
    assert_eq!((inspection.rows, inspection.row_groups), (1, 1));
    assert_eq!(inspection.mapping.get(Role::Body).unwrap().name, "url");
}

#[test]
fn no_table_is_also_a_table() {
    let table = Table::plain(&[("body", array(StringArray::from(Vec::<&str>::new())))]);
    assert_eq!(table.read(), []);
}

/// Any byte of the file may be anything: reading ends, without a panic, and sound rows keep their numbers.
#[test]
fn damage_anywhere_never_panics() {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(40))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let texts: Vec<String> = (0..80).map(|i| format!("User-agent: b{}\nDisallow: /{i}\n", i % 3)).collect();
    let table = Table::write(
        &[
            ("body", array(StringArray::from_iter_values(texts))),
            ("status", array(Int16Array::from_iter((0..80).map(|i| (i % 5 > 0).then_some(200))))),
            ("time", array(TimestampMillisecondArray::from_iter_values((0..80).map(|i| T * 1_000 + i)))),
        ],
        properties,
    );
    let whole = std::fs::read(&table.path).unwrap();
    // The decoder's panics are caught; those of other tests are still shown.
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_decoding() {
            shown(info)
        }
    }));
    let mut bytes = whole.clone();
    for (at, change) in (0..whole.len()).zip([0x01, 0x80, 0xff, 0x10].into_iter().cycle()) {
        bytes[at] ^= change;
        std::fs::write(&table.path, &bytes).unwrap();
        let (_, collect) = table.read_part(0, None);
        assert!(collect.walked <= whole.len() as u64);
        bytes[at] = whole[at];
    }
    for cut in (0..whole.len()).step_by(50) {
        std::fs::write(&table.path, &whole[..cut]).unwrap();
        assert_eq!(table.read_part(0, None).0, Completion::Incomplete);
    }
}
