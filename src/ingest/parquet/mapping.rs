//! Which column of a Parquet file serves as what: named by the user or guessed from common names.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::fmt;

/// What a column can serve as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The robots.txt itself.
    Body,
    /// The URL that was fetched.
    Url,
    /// The host, where a row has no URL.
    Host,
    /// The HTTP status.
    Status,
    /// The time of the fetch.
    Time,
    /// `Content-Type`.
    ContentType,
    /// `Location`.
    Location,
    /// The digest of the payload.
    Digest,
    /// Why the archive holds less than the server sent.
    Truncated,
}

/// The roles in order, each with its word and the names it is guessed from, the likeliest first. Names are compared
/// without regard to case, and a field of a struct also by its path with `_` for `.`.
const ROLES: &[(Role, &str, &[&str])] = &[
    (
        Role::Body,
        "body",
        &[
            "body",
            "robots_txt",
            "robotstxt",
            "robots",
            "robots_body",
            "robots_content",
            "content",
            "payload",
            "response_body",
            "http_body",
            "body_text",
            "raw",
            "raw_content",
            "file_content",
            "text",
            "html",
        ],
    ),
    (
        Role::Url,
        "url",
        &["url", "target_uri", "warc_target_uri", "robots_url", "robotstxt_url", "request_url", "uri", "url_url"],
    ),
    (
        Role::Host,
        "host",
        &[
            "url_host_name",
            "host",
            "hostname",
            "host_name",
            "origin",
            "domain",
            "domain_name",
            "site",
            "website",
            "url_host_registered_domain",
        ],
    ),
    (
        Role::Status,
        "status",
        &[
            "fetch_status",
            "status",
            "http_status",
            "status_code",
            "http_status_code",
            "response_status",
            "response_code",
        ],
    ),
    (
        Role::Time,
        "time",
        &[
            "fetch_time",
            "warc_date",
            "crawl_time",
            "fetched_at",
            "crawled_at",
            "retrieved_at",
            "captured_at",
            "timestamp",
            "datetime",
            "time",
            "date",
            "crawl_date",
            "fetch_date",
        ],
    ),
    (
        Role::ContentType,
        "content-type",
        &["content_type", "content_mime_type", "contenttype", "mime_type", "mimetype", "mime"],
    ),
    (
        Role::Location,
        "location",
        &["fetch_redirect", "location", "redirect_url", "redirect", "redirect_location", "redirect_target"],
    ),
    (Role::Digest, "digest", &["content_digest", "payload_digest", "warc_payload_digest", "digest"]),
    (Role::Truncated, "truncated", &["content_truncated", "warc_truncated", "truncated"]),
];

impl Role {
    /// The role's word, as in `--<word>-column`.
    pub fn word(self) -> &'static str {
        ROLES.iter().find(|(role, ..)| *role == self).map_or("", |(_, word, _)| word)
    }
}

/// The columns that the user named; every other role is guessed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    named: Vec<(Role, String)>,
}

impl ColumnChoice {
    /// Takes the names that are given.
    pub fn new(named: impl IntoIterator<Item = (Role, Option<String>)>) -> ColumnChoice {
        ColumnChoice { named: named.into_iter().filter_map(|(role, name)| Some((role, name?))).collect() }
    }

    /// The roles that a column was named for.
    pub fn named(&self) -> impl Iterator<Item = Role> {
        self.named.iter().map(|(role, _)| *role)
    }

    fn of(&self, role: Role) -> Option<&str> {
        self.named.iter().find(|(named, _)| *named == role).map(|(_, name)| name.as_str())
    }
}

/// How the values of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bytes or text.
    Bytes,
    /// Whole numbers.
    Integer,
    /// Whole numbers from 0 on, in the bits of signed ones.
    Unsigned,
    /// Decimal numbers, with so many digits after the point.
    Decimal(u32),
    /// Floating-point numbers: what integers with gaps become in some programs.
    Float,
    /// Timestamps in so many units a second.
    Timestamp(i64),
    /// Days since 1970-01-01.
    Days,
    /// The old 96-bit timestamps of Spark, Hive and Impala.
    Int96,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Bytes => "bytes",
            Kind::Integer => "integer",
            Kind::Unsigned => "unsigned integer",
            Kind::Decimal(_) => "decimal",
            Kind::Float => "float",
            Kind::Timestamp(1_000) => "timestamp in ms",
            Kind::Timestamp(1_000_000) => "timestamp in us",
            Kind::Timestamp(_) => "timestamp in ns",
            Kind::Days => "date",
            Kind::Int96 => "96-bit timestamp",
        })
    }
}

/// A column that serves as something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What it serves as.
    pub role: Role,
    /// Its name; a field of a struct has a path with dots.
    pub name: String,
    /// Its number among the leaves of the schema.
    pub leaf: usize,
    /// How its values are read.
    pub kind: Kind,
    /// Whether it was guessed from its name.
    pub guessed: bool,
}

/// A column whose name says that it serves as something and whose type says that it cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsuitable {
    /// What it would serve as.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// Its type.
    pub found: String,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unsuitable { role, name, found } = self;
        write!(f, "column `{name}` is {found}, which cannot serve as {}", role.word())
    }
}

/// The columns that are read, in the order of the roles; a body is always among them.
///
/// Shown as text it has a line a role, for `--dry-run`, and one for each unsuitable column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    columns: Vec<Column>,
    unsuitable: Vec<Unsuitable>,
}

impl Mapping {
    /// The columns that are read.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// For roles without a column: the one that would have been guessed if its type suited. None for the host where
    /// there is a URL, which makes up for it.
    pub fn unsuitable(&self) -> &[Unsuitable] {
        &self.unsuitable
    }

    /// The column that serves as this.
    pub fn get(&self, role: Role) -> Option<&Column> {
        self.columns.iter().find(|column| column.role == role)
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (role, word, _)) in ROLES.iter().enumerate() {
            let end = if i == 0 { "" } else { "\n" };
            match self.get(*role) {
                Some(column) => {
                    let how = if column.guessed { "guessed" } else { "named" };
                    write!(f, "{end}{word:<12} `{}` ({}, {how})", column.name, column.kind)?;
                }
                None => {
                    let instead = match role {
                        Role::Url if self.get(Role::Host).is_some() => "none: https://HOST/robots.txt",
                        Role::Status => "none: 200 where there is a body",
                        _ => "none",
                    };
                    write!(f, "{end}{word:<12} {instead}")?;
                }
            }
        }
        for unsuitable in &self.unsuitable {
            write!(f, "\n{unsuitable}")?;
        }
        Ok(())
    }
}

/// Why a file's columns cannot be read as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// No column looks like bodies.
    #[error("no column looks like the body of a robots.txt; name it with --body-column (columns: {columns})")]
    NoBody {
        /// The columns that there are.
        columns: String,
    },
    /// A column was named that the file does not have.
    #[error("no column `{name}` as --{role}-column asks (columns: {columns})")]
    NoSuchColumn {
        /// What it should have served as.
        role: &'static str,
        /// The name that was asked for.
        name: String,
        /// The columns that there are.
        columns: String,
    },
    /// The column is a struct.
    #[error(
        "column `{name}` is a struct; name one of its fields with --{role}-column, such as `{field}` (columns: {columns})"
    )]
    Struct {
        /// What it should have served as.
        role: &'static str,
        /// The column.
        name: String,
        /// The path of its first field.
        field: String,
        /// The columns that there are.
        columns: String,
    },
    /// The column holds several values a row.
    #[error(
        "column `{name}` holds lists, which cannot serve as {role}; name another with --{role}-column (columns: {columns})"
    )]
    List {
        /// What it should have served as.
        role: &'static str,
        /// The column.
        name: String,
        /// The columns that there are.
        columns: String,
    },
    /// The column's type does not suit.
    #[error(
        "column `{name}` is {found}, which cannot serve as {role}; name another with --{role}-column (columns: {columns})"
    )]
    WrongType {
        /// What it should have served as.
        role: &'static str,
        /// The column.
        name: String,
        /// Its type.
        found: String,
        /// The columns that there are.
        columns: String,
    },
}

/// Says which column serves as what: those that are named, the others by common names.
///
/// A guess is only taken when its type suits; a named column must exist and suit.
pub fn mapping(schema: &SchemaDescriptor, choice: &ColumnChoice) -> Result<Mapping, MappingError> {
    let leaves: Vec<(String, &ColumnDescriptor)> =
        schema.columns().iter().map(|column| (column.path().string(), column.as_ref())).collect();
    let mut chosen = Vec::new();
    for (role, ..) in ROLES {
        if let Some(name) = choice.of(*role) {
            chosen.push(named(*role, name, &leaves)?);
        }
    }
    let plain: Vec<String> =
        leaves.iter().enumerate().map(|(leaf, (path, _))| plain_name(schema, leaf, path)).collect();
    let mut columns: Vec<Column> = Vec::new();
    let mut unsuitable: Vec<Unsuitable> = Vec::new();
    for (role, _, names) in ROLES {
        if let Some(column) = chosen.iter().find(|column| column.role == *role) {
            columns.push(column.clone());
            continue;
        }
        let mut refused = None;
        let guess = names.iter().find_map(|name| {
            let alike =
                plain.iter().zip(&leaves).enumerate().filter(|(_, (plain, _))| plain.eq_ignore_ascii_case(name));
            alike.map(|(leaf, (plain, column))| (leaf, plain, column)).find_map(|(leaf, plain, (path, descriptor))| {
                let taken = chosen.iter().chain(&columns).any(|column| column.leaf == leaf);
                if taken {
                    return None;
                }
                let Some(kind) = kind(*role, descriptor) else {
                    refused.get_or_insert_with(|| match descriptor.max_rep_level() {
                        0 => Unsuitable { role: *role, name: path.clone(), found: type_name(descriptor) },
                        _ => Unsuitable { role: *role, name: plain.clone(), found: "a list".to_owned() },
                    });
                    return None;
                };
                Some(Column { role: *role, name: path.clone(), leaf, kind, guessed: true })
            })
        });
        match guess {
            Some(column) => columns.push(column),
            None => unsuitable.extend(refused),
        }
    }
    if !columns.iter().any(|column| column.role == Role::Body) {
        return Err(MappingError::NoBody { columns: list(&leaves) });
    }
    if columns.iter().any(|column| column.role == Role::Url) {
        unsuitable.retain(|column| column.role != Role::Host);
    }
    Ok(Mapping { columns, unsuitable })
}

/// The name that a leaf is guessed by: its path with `_` for `.`, and for what a list holds the list's.
fn plain_name(schema: &SchemaDescriptor, leaf: usize, path: &str) -> String {
    let root = schema.get_column_root(leaf);
    let info = root.get_basic_info();
    let is_list = matches!(info.converted_type(), ConvertedType::LIST | ConvertedType::MAP)
        || matches!(info.logical_type_ref(), Some(LogicalType::List | LogicalType::Map));
    if is_list { root.name().to_owned() } else { path.replace('.', "_") }
}

fn named(role: Role, name: &str, leaves: &[(String, &ColumnDescriptor)]) -> Result<Column, MappingError> {
    let word = role.word();
    let exact = leaves.iter().position(|(path, _)| path == name);
    let Some(leaf) = exact.or_else(|| leaves.iter().position(|(path, _)| path.eq_ignore_ascii_case(name))) else {
        let inside = leaves.iter().find(|(path, _)| {
            path.len() > name.len()
                && path.as_bytes().get(name.len()) == Some(&b'.')
                && path.as_bytes().iter().zip(name.as_bytes()).all(|(a, b)| a.eq_ignore_ascii_case(b))
        });
        return Err(match inside {
            Some((_, descriptor)) if descriptor.max_rep_level() > 0 => {
                MappingError::List { role: word, name: name.to_owned(), columns: list(leaves) }
            }
            Some((path, _)) => {
                MappingError::Struct { role: word, name: name.to_owned(), field: path.clone(), columns: list(leaves) }
            }
            None => MappingError::NoSuchColumn { role: word, name: name.to_owned(), columns: list(leaves) },
        });
    };
    let (path, descriptor) = &leaves[leaf];
    if descriptor.max_rep_level() > 0 {
        return Err(MappingError::List { role: word, name: path.clone(), columns: list(leaves) });
    }
    match kind(role, descriptor) {
        Some(kind) => Ok(Column { role, name: path.clone(), leaf, kind, guessed: false }),
        None => Err(MappingError::WrongType {
            role: word,
            name: path.clone(),
            found: type_name(descriptor),
            columns: list(leaves),
        }),
    }
}

/// How the column's values would be read in this role, `None` where they would not make sense.
fn kind(role: Role, column: &ColumnDescriptor) -> Option<Kind> {
    if column.max_rep_level() > 0 {
        return None;
    }
    let kind = plain_kind(column)?;
    let suits = match role {
        Role::Status => {
            matches!(kind, Kind::Bytes | Kind::Integer | Kind::Unsigned | Kind::Decimal(_) | Kind::Float)
        }
        Role::Time => !matches!((kind, column.physical_type()), (Kind::Float, Type::FLOAT) | (Kind::Decimal(_), _)),
        _ => kind == Kind::Bytes,
    };
    suits.then_some(kind)
}

fn plain_kind(column: &ColumnDescriptor) -> Option<Kind> {
    let logical = column.logical_type_ref();
    let converted = column.converted_type();
    let scale = match (logical, converted) {
        (Some(LogicalType::Decimal(decimal)), _) => Some(decimal.scale),
        (None, ConvertedType::DECIMAL) => Some(column.type_scale()),
        _ => None,
    };
    let physical = column.physical_type();
    if let (Some(scale), Type::INT32 | Type::INT64 | Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY) = (scale, physical)
    {
        return u32::try_from(scale).ok().map(Kind::Decimal);
    }
    match physical {
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => match (logical, converted) {
            (Some(LogicalType::String | LogicalType::Json | LogicalType::Bson | LogicalType::Enum), _) => {
                Some(Kind::Bytes)
            }
            (Some(_), _) => None,
            (
                None,
                ConvertedType::NONE
                | ConvertedType::UTF8
                | ConvertedType::JSON
                | ConvertedType::BSON
                | ConvertedType::ENUM,
            ) => Some(Kind::Bytes),
            (None, _) => None,
        },
        Type::INT32 | Type::INT64 => match (logical, converted) {
            (Some(LogicalType::Timestamp(timestamp)), _) => Some(Kind::Timestamp(match timestamp.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            })),
            (_, ConvertedType::TIMESTAMP_MILLIS) => Some(Kind::Timestamp(1_000)),
            (_, ConvertedType::TIMESTAMP_MICROS) => Some(Kind::Timestamp(1_000_000)),
            (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Some(Kind::Days),
            (Some(LogicalType::Integer(integer)), _) if integer.is_signed => Some(Kind::Integer),
            (Some(LogicalType::Integer(_)), _) => Some(Kind::Unsigned),
            (Some(_), _) => None,
            (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS | ConvertedType::INTERVAL) => None,
            (
                None,
                ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
            ) => Some(Kind::Unsigned),
            (None, _) => Some(Kind::Integer),
        },
        Type::INT96 => Some(Kind::Int96),
        Type::FLOAT | Type::DOUBLE => Some(Kind::Float),
        Type::BOOLEAN => None,
    }
}

/// The type as Parquet calls it, for messages.
fn type_name(column: &ColumnDescriptor) -> String {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(logical), _) => format!("{:?} ({logical:?})", column.physical_type()),
        (None, ConvertedType::NONE) => format!("{:?}", column.physical_type()),
        (None, converted) => format!("{:?} ({converted:?})", column.physical_type()),
    }
}

/// The columns for a message, not all of a very wide table.
fn list(leaves: &[(String, &ColumnDescriptor)]) -> String {
    const SHOWN: usize = 40;
    let names: Vec<&str> = leaves.iter().take(SHOWN).map(|(path, _)| path.as_str()).collect();
    match leaves.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    fn schema(fields: &str) -> SchemaDescriptor {
        let message = parse_message_type(&format!("message t {{ {fields} }}")).unwrap();
        SchemaDescriptor::new(Arc::new(message))
    }

    fn choose(named: &[(Role, &str)]) -> ColumnChoice {
        ColumnChoice::new(named.iter().map(|(role, name)| (*role, Some((*name).to_owned()))))
    }

    fn read_as(mapping: &Mapping, role: Role) -> Option<(&str, Kind)> {
        mapping.get(role).map(|column| (column.name.as_str(), column.kind))
    }

    #[test]
    fn columns_are_guessed_from_common_names_in_any_case() {
        let schema = schema(
            "optional binary Content (UTF8); optional binary URL (UTF8); optional int64 Timestamp (TIMESTAMP_MILLIS);
             optional int32 Status_Code; optional binary MIME (UTF8); optional binary redirect;",
        );
        let mapping = mapping(&schema, &ColumnChoice::default()).unwrap();
        assert_eq!(read_as(&mapping, Role::Body), Some(("Content", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Url), Some(("URL", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Time), Some(("Timestamp", Kind::Timestamp(1_000))));
        assert_eq!(read_as(&mapping, Role::Status), Some(("Status_Code", Kind::Integer)));
        assert_eq!(read_as(&mapping, Role::ContentType), Some(("MIME", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Location), Some(("redirect", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Host), None);
    }

    #[test]
    fn fields_of_structs_are_found_and_guessed_by_path() {
        let schema = schema(
            "optional group fetch { optional int32 status (INT_16); optional int96 time; }
             optional group url { required binary url (UTF8); optional group host { optional binary name (UTF8); } }
             optional group response { optional binary data; }",
        );
        let mapping = mapping(&schema, &choose(&[(Role::Body, "response.data")])).unwrap();
        assert_eq!(read_as(&mapping, Role::Body), Some(("response.data", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Url), Some(("url.url", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Host), Some(("url.host.name", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Status), Some(("fetch.status", Kind::Integer)));
        assert_eq!(read_as(&mapping, Role::Time), Some(("fetch.time", Kind::Int96)));
    }

    #[test]
    fn a_named_column_is_not_guessed_for_another_role_and_wrong_types_are_not_guessed() {
        let schema =
            schema("optional binary url (UTF8); optional boolean status; optional double time; optional binary text;");
        let mapping = mapping(&schema, &choose(&[(Role::Body, "URL")])).unwrap();
        assert_eq!(read_as(&mapping, Role::Body), Some(("url", Kind::Bytes)));
        assert_eq!(read_as(&mapping, Role::Url), None);
        assert_eq!(read_as(&mapping, Role::Status), None);
        assert_eq!(read_as(&mapping, Role::Time), Some(("time", Kind::Float)));
        let unsuitable: Vec<String> = mapping.unsuitable().iter().map(Unsuitable::to_string).collect();
        assert_eq!(unsuitable, ["column `status` is BOOLEAN, which cannot serve as status"]);
    }

    #[test]
    fn whole_numbers_of_every_form_serve_as_status() {
        for (column, kind) in [
            ("int32 status", Kind::Integer),
            ("int32 status (INT_16)", Kind::Integer),
            ("int32 status (UINT_16)", Kind::Unsigned),
            ("int64 status (INTEGER(64,false))", Kind::Unsigned),
            ("int32 status (DECIMAL(5,0))", Kind::Decimal(0)),
            ("int64 status (DECIMAL(10,2))", Kind::Decimal(2)),
            ("fixed_len_byte_array(3) status (DECIMAL(5,0))", Kind::Decimal(0)),
            ("binary status (DECIMAL(5,1))", Kind::Decimal(1)),
        ] {
            let schema = schema(&format!("optional binary body; optional {column};"));
            let mapping = mapping(&schema, &ColumnChoice::default()).unwrap();
            assert_eq!(read_as(&mapping, Role::Status), Some(("status", kind)), "{column}");
            assert_eq!(mapping.unsuitable(), []);
        }
    }

    #[test]
    fn a_guess_whose_type_does_not_suit_is_told_where_nothing_else_serves() {
        let schema = schema(
            "optional binary body; optional binary url; optional int64 site; optional int32 fetch_date (TIME_MILLIS);
             optional group status (LIST) { repeated group list { optional int32 element; } }
             repeated binary location; optional boolean mime; optional binary content_type;",
        );
        let mapping = mapping(&schema, &ColumnChoice::default()).unwrap();
        let told: Vec<(Role, &str)> = mapping.unsuitable().iter().map(|c| (c.role, c.name.as_str())).collect();
        assert_eq!(told, [(Role::Status, "status"), (Role::Time, "fetch_date"), (Role::Location, "location")]);
        let text = mapping.to_string();
        assert_eq!(text.lines().count(), ROLES.len() + 3);
        assert!(text.contains("\ncolumn `status` is a list, which cannot serve as status\n"), "{text}");
    }

    #[test]
    fn errors_name_the_columns_and_the_option() {
        let schema = schema(
            "optional int64 body; optional boolean ok; optional group s { optional binary a; }
             optional group l (LIST) { repeated group list { optional binary element; } }",
        );
        let error = |named: &[(Role, &str)]| mapping(&schema, &choose(named)).unwrap_err().to_string();
        assert!(error(&[]).contains("--body-column"), "{}", error(&[]));
        assert!(error(&[]).contains("body, ok, s.a"), "{}", error(&[]));
        assert!(error(&[(Role::Body, "nope")]).contains("no column `nope`"));
        assert!(error(&[(Role::Body, "s")]).contains("`s.a`"));
        assert!(error(&[(Role::Body, "l")]).contains("lists"));
        assert!(error(&[(Role::Body, "l.list.element")]).contains("lists"));
        assert!(error(&[(Role::Body, "s.a"), (Role::Status, "ok")]).contains("BOOLEAN"));
        assert!(error(&[(Role::Body, "s.a"), (Role::ContentType, "body")]).contains("--content-type-column"));
        for named in [("nope"), ("s"), ("l"), ("l.list.element"), ("ok")] {
            assert!(error(&[(Role::Body, named)]).contains("(columns: body, ok, s.a, l.list.element)"), "{named}");
        }
    }

    #[test]
    fn the_text_has_a_line_a_role() {
        let mapping =
            mapping(&schema("optional binary body; optional binary host;"), &ColumnChoice::default()).unwrap();
        let text = mapping.to_string();
        assert_eq!(text.lines().count(), ROLES.len());
        assert!(text.starts_with("body         `body` (bytes, guessed)"), "{text}");
        assert!(text.contains("https://HOST/robots.txt"), "{text}");
        assert!(text.contains("200 where there is a body"), "{text}");
    }
}
