//! Checks the footer of a Parquet file before anything is built from it: bytes in, nothing or a reason out.
//!
//! parquet-rs recurses over the schema, and makes room for as many things as the footer claims. So the footer is walked here first, in
//! Thrift's compact protocol, with a stack of bounded depth: all that it counts must be there, and the schema must be a tree that is
//! neither deep nor large.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::containers::parquet::footer_shape::{CHILDREN, FILE, Fields, NAME, SCHEMA_ELEMENT, Shape};

/// What is nested in each other in a footer: structs, lists and maps. The format itself has eight levels.
const MAX_DEPTH: usize = 40;
/// How deeply the schema may be nested, the root included. parquet-rs needs about a kilobyte of stack for a level, and the type of a column
/// that is read is bounded more narrowly.
const MAX_SCHEMA_DEPTH: usize = 128;
/// The bytes of the paths of all columns: every column holds the names of all groups around it.
const MAX_PATH_BYTES: u64 = 64 << 20;
/// The largest footer that is read.
const MAX_FOOTER: u64 = 256 << 20;
/// The length of the footer and the mark behind it.
const TAIL: u64 = 8;

/// Checks the footer of a file. What has none is left to parquet-rs, which says so.
pub(crate) fn check_footer(file: &mut File) -> Result<(), String> {
    let footer = read_footer(file).map_err(|error| error.to_string())?;
    match footer {
        Some(Ok(bytes)) => check_bytes(&bytes),
        Some(Err(length)) => Err(format!("its footer has {length} bytes, more than the limit of {MAX_FOOTER}")),
        None => Ok(()),
    }
}

/// The bytes of the footer, or their number if they are too many.
fn read_footer(file: &mut File) -> io::Result<Option<Result<Vec<u8>, u64>>> {
    let end = file.seek(SeekFrom::End(0))?;
    if end < TAIL {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(end - TAIL))?;
    let mut tail = [0; TAIL as usize];
    file.read_exact(&mut tail)?;
    let [a, b, c, d, mark @ ..] = tail;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    if mark != *b"PAR1" || length > end - TAIL {
        return Ok(None);
    }
    if length > MAX_FOOTER {
        return Ok(Some(Err(length)));
    }
    file.seek(SeekFrom::Start(end - TAIL - length))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(Some(Ok(bytes)))
}

/// Checks the bytes of a footer.
pub(crate) fn check_bytes(bytes: &[u8]) -> Result<(), String> {
    let mut walk =
        Walk { bytes, open: vec![Open::Struct { fields: Some(&FILE), last: 0 }], schema: SchemaTree::default() };
    while !walk.open.is_empty() {
        walk.step()?;
    }
    Ok(())
}

/// What has begun and not ended.
enum Open {
    /// Fields until a stop; `fields` says what they are, if that is known.
    Struct {
        fields: Option<&'static Fields>,
        last: i16,
    },
    /// Values of a type that the file declares.
    List {
        kind: u8,
        shape: Shape,
        left: u64,
    },
    Map {
        key: u8,
        value: u8,
        left: u64,
        is_key: bool,
    },
}

struct Walk<'a> {
    /// What is left of the footer.
    bytes: &'a [u8],
    open: Vec<Open>,
    schema: SchemaTree,
}

// The types of the compact protocol.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

impl Walk<'_> {
    /// Reads the next value of what was opened last, or closes it.
    fn step(&mut self) -> Result<(), String> {
        let (kind, shape, of) = match self.open.last_mut() {
            None => return Ok(()),
            Some(Open::List { left: 0, .. } | Open::Map { left: 0, .. }) => {
                self.open.pop();
                return Ok(());
            }
            Some(Open::List { kind, shape, left }) => {
                *left -= 1;
                (*kind, *shape, None)
            }
            Some(Open::Map { key, value, left, is_key }) => {
                let kind = if *is_key { *key } else { *value };
                *left -= u64::from(!*is_key);
                *is_key = !*is_key;
                (kind, Shape::Any, None)
            }
            Some(Open::Struct { .. }) => match self.field()? {
                Some(field) => field,
                None => return Ok(()),
            },
        };
        // A flag that is a field is in its type; one in a list or a map is a byte.
        match (kind, of) {
            (TRUE | FALSE, Some(_)) => Ok(()),
            _ => self.value(kind, shape, of),
        }
    }

    /// The next field of a struct: its type, its shape, and whose field it is. Nothing at the end of the struct.
    fn field(&mut self) -> Result<Option<(u8, Shape, Option<Field>)>, String> {
        let head = self.byte()?;
        let kind = head & 15;
        if kind == STOP {
            if let Some(Open::Struct { fields: Some(fields), .. }) = self.open.pop()
                && is_schema_element(fields)
            {
                self.schema.end_element()?;
            }
            return Ok(None);
        }
        let delta = i16::from(head >> 4);
        let written = if delta == 0 { Some(self.whole()?) } else { None };
        let Some(Open::Struct { fields, last }) = self.open.last_mut() else { return Ok(None) };
        let id = match written {
            Some(id) => i16::try_from(id).ok(),
            None => last.checked_add(delta),
        };
        let id = id.ok_or("the id of a field is no number of 16 bits")?;
        // A field that comes twice would be read twice.
        if fields.is_some() && id <= *last {
            return Err(format!("the field {id} comes after the field {last}"));
        }
        *last = id;
        let shape = fields.map_or(Shape::Any, |fields| fields.shape(id));
        if !fits(kind, shape) {
            return Err(format!("the field {id} has the type {kind}, which it cannot have"));
        }
        Ok(Some((kind, shape, Some(Field { id, of_element: fields.is_some_and(is_schema_element) }))))
    }

    /// Reads a value, or opens it if there are values in it.
    fn value(&mut self, kind: u8, shape: Shape, of: Option<Field>) -> Result<(), String> {
        let element_field = of.filter(|field| field.of_element).map(|field| field.id);
        match kind {
            TRUE | FALSE | BYTE => self.skip(1),
            I16..=I64 => {
                let number = self.whole()?;
                if element_field == Some(CHILDREN) {
                    self.schema.children = number;
                }
                Ok(())
            }
            DOUBLE => self.skip(8),
            UUID => self.skip(16),
            BINARY => {
                let length = self.varint()?;
                if element_field == Some(NAME) {
                    self.schema.name_bytes = length;
                }
                self.skip(length)
            }
            LIST | SET => self.list(shape),
            MAP => {
                let left = self.varint()?;
                let kinds = if left == 0 { 0 } else { self.byte()? };
                self.check_count(left)?;
                self.push(Open::Map { key: kinds >> 4, value: kinds & 15, left, is_key: true })
            }
            STRUCT => {
                let fields = if let Shape::Struct(fields) = shape { Some(fields) } else { None };
                self.push(Open::Struct { fields, last: 0 })
            }
            _ => Err(format!("there is no type {kind}")),
        }
    }

    fn list(&mut self, shape: Shape) -> Result<(), String> {
        let head = self.byte()?;
        let left = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        let (kind, item) = (head & 15, if let Shape::List(item) = shape { *item } else { Shape::Any });
        self.check_count(left)?;
        if left > 0 && !fits(kind, item) {
            return Err(format!("a list holds the type {kind}, which it cannot hold"));
        }
        if let Shape::Struct(fields) = item
            && is_schema_element(fields)
        {
            self.schema.left = left;
        }
        self.push(Open::List { kind, shape: item, left })
    }

    /// Every value has at least a byte.
    fn check_count(&self, count: u64) -> Result<(), String> {
        match count > self.bytes.len() as u64 {
            true => Err(format!("it counts {count} values where {} bytes are left", self.bytes.len())),
            false => Ok(()),
        }
    }

    fn push(&mut self, open: Open) -> Result<(), String> {
        if self.open.len() == MAX_DEPTH {
            return Err(format!("its footer is nested more than {MAX_DEPTH} deep"));
        }
        self.open.push(open);
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, String> {
        let (first, rest) = self.bytes.split_first().ok_or("its footer is cut off")?;
        self.bytes = rest;
        Ok(*first)
    }

    fn skip(&mut self, count: u64) -> Result<(), String> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.bytes = self.bytes.get(count..).ok_or("its footer is cut off")?;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number in its footer is too long".into())
    }

    /// A number with a sign, in zigzag order.
    fn whole(&mut self) -> Result<i64, String> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

/// A field of a struct.
#[derive(Clone, Copy)]
struct Field {
    id: i16,
    of_element: bool,
}

fn is_schema_element(fields: &'static Fields) -> bool {
    std::ptr::eq(fields, &SCHEMA_ELEMENT)
}

/// Whether a declared type is one that a value of this shape can have.
fn fits(kind: u8, shape: Shape) -> bool {
    match shape {
        Shape::Flag => matches!(kind, TRUE | FALSE),
        Shape::Byte => kind == BYTE,
        Shape::Whole => matches!(kind, I16..=I64),
        Shape::Double => kind == DOUBLE,
        Shape::Bytes => kind == BINARY,
        Shape::List(_) => kind == LIST,
        Shape::Struct(_) => kind == STRUCT,
        Shape::Any => true,
    }
}

/// The tree that the list of schema elements stands for: each element says how many of those after it are its children.
#[derive(Default)]
struct SchemaTree {
    /// Elements that come after the current one.
    left: u64,
    /// What the current element says.
    children: i64,
    name_bytes: u64,
    /// For each group that is not complete the children that it still needs, and the bytes of its path.
    groups: Vec<(u64, u64)>,
    /// The sum of the first.
    needed: u64,
    path_bytes: u64,
}

/// What a name in a path needs besides its characters.
const NAME_OVERHEAD: u64 = 24;

impl SchemaTree {
    fn end_element(&mut self) -> Result<(), String> {
        // Elements in the list count when they begin.
        self.left = self.left.saturating_sub(1);
        let children =
            u64::try_from(std::mem::take(&mut self.children)).map_err(|_| "a group has fewer than no children")?;
        let path = self.groups.last().map_or(0, |(_, path)| *path);
        let path = path.saturating_add(std::mem::take(&mut self.name_bytes)).saturating_add(NAME_OVERHEAD);
        if let Some((needed, _)) = self.groups.last_mut() {
            *needed -= 1;
            self.needed -= 1;
        }
        if children == 0 {
            self.path_bytes = self.path_bytes.saturating_add(path);
        } else {
            self.needed = self.needed.saturating_add(children);
            self.groups.push((children, path));
        }
        while self.groups.pop_if(|(needed, _)| *needed == 0).is_some() {}
        if self.needed > self.left {
            return Err(format!("its schema needs {} more columns and groups, and has {}", self.needed, self.left));
        }
        if self.groups.len() >= MAX_SCHEMA_DEPTH {
            return Err(format!("its schema is nested more than {MAX_SCHEMA_DEPTH} deep"));
        }
        if self.path_bytes > MAX_PATH_BYTES {
            return Err(format!("the paths of its columns have more than {MAX_PATH_BYTES} bytes"));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "footer_check_tests.rs"]
mod tests;
