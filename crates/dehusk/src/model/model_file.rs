//! The model file: the kind of the model, the schema of its features, the model card, and named arrays of numbers.
//!
//! The bytes are the same on every machine (little endian) and contain no code; a checksum covers all of them. A file of another
//! kind or schema is rejected with a message about the difference. Each model defines what its arrays mean.

use super::feature_schema::Schema;
use crate::error::{Error, ErrorKind};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"DEHUSKML";
const VERSION: u32 = 2;
/// The length of the header: magic, version and checksum.
const HEADER: usize = 8 + 4 + 8;

/// An array of numbers.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Array {
    /// Weights and values.
    F32(Vec<f32>),
    /// Hashes and counts.
    U32(Vec<u32>),
    /// Small numbers.
    U16(Vec<u16>),
    /// Bytes.
    U8(Vec<u8>),
}

impl Array {
    fn tag(&self) -> u8 {
        match self {
            Array::F32(_) => 0,
            Array::U32(_) => 1,
            Array::U16(_) => 2,
            Array::U8(_) => 3,
        }
    }

    fn append(&self, out: &mut Vec<u8>) {
        match self {
            Array::F32(values) => values.iter().for_each(|value| out.extend(value.to_le_bytes())),
            Array::U32(values) => values.iter().for_each(|value| out.extend(value.to_le_bytes())),
            Array::U16(values) => values.iter().for_each(|value| out.extend(value.to_le_bytes())),
            Array::U8(values) => out.extend(values),
        }
    }

    fn len(&self) -> usize {
        match self {
            Array::F32(values) => values.len(),
            Array::U32(values) => values.len(),
            Array::U16(values) => values.len(),
            Array::U8(values) => values.len(),
        }
    }
}

/// A model as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelFile {
    /// The kind of the model, such as `block`.
    pub kind: String,
    /// The features it was fitted on.
    pub schema: Schema,
    /// The model card: what the model was trained on and how well it does.
    pub card: String,
    arrays: Vec<(String, Array)>,
}

impl ModelFile {
    /// A file without arrays.
    pub fn new(kind: impl Into<String>, schema: Schema, card: impl Into<String>) -> ModelFile {
        ModelFile { kind: kind.into(), schema, card: card.into(), arrays: Vec::new() }
    }

    /// Adds an array, or replaces the one of that name.
    pub fn set(&mut self, name: impl Into<String>, array: Array) {
        let name = name.into();
        match self.arrays.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = array,
            None => self.arrays.push((name, array)),
        }
    }

    /// Returns whether there is an array of that name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.iter().any(|(known, _)| known == name)
    }

    fn array(&self, name: &str) -> Result<&Array, Error> {
        let found = self.arrays.iter().find(|(known, _)| known == name);
        found.map(|(_, array)| array).ok_or_else(|| damaged(format!("it has no array `{name:.60}`")))
    }

    /// An array of weights.
    pub fn f32s(&self, name: &str) -> Result<&[f32], Error> {
        match self.array(name)? {
            Array::F32(values) => Ok(values),
            _ => Err(damaged(format!("`{name}` has another number type than expected"))),
        }
    }

    /// An array of hashes or counts.
    pub fn u32s(&self, name: &str) -> Result<&[u32], Error> {
        match self.array(name)? {
            Array::U32(values) => Ok(values),
            _ => Err(damaged(format!("`{name}` has another number type than expected"))),
        }
    }

    /// An array of small numbers.
    pub fn u16s(&self, name: &str) -> Result<&[u16], Error> {
        match self.array(name)? {
            Array::U16(values) => Ok(values),
            _ => Err(damaged(format!("`{name}` has another number type than expected"))),
        }
    }

    /// An array of bytes.
    pub fn u8s(&self, name: &str) -> Result<&[u8], Error> {
        match self.array(name)? {
            Array::U8(values) => Ok(values),
            _ => Err(damaged(format!("`{name}` has another number type than expected"))),
        }
    }

    /// A single number.
    pub fn number(&self, name: &str) -> Result<f32, Error> {
        match self.f32s(name)? {
            [value] if value.is_finite() => Ok(*value),
            _ => Err(damaged(format!("`{name}` is not one finite number"))),
        }
    }

    /// Returns an error if the model is of another kind or schema.
    pub fn expect(&self, kind: &str, schema: &Schema) -> Result<(), Error> {
        if self.kind != kind {
            let message = format!("model of kind `{:.40}`, expected one of kind `{kind}`", self.kind);
            return Err(Error::new(ErrorKind::Incompatible, message));
        }
        match self.schema.difference(schema) {
            Some(what) => {
                Err(Error::new(ErrorKind::Incompatible, format!("incompatible model: {what}; train it again")))
            }
            None => Ok(()),
        }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        append_text(&self.kind, &mut body);
        append_text(&self.schema.name, &mut body);
        body.extend(self.schema.version.to_le_bytes());
        body.extend(self.schema.columns.to_le_bytes());
        body.extend(self.schema.hash.to_le_bytes());
        append_text(&self.card, &mut body);
        body.extend((self.arrays.len() as u32).to_le_bytes());
        for (name, array) in &self.arrays {
            append_text(name, &mut body);
            body.push(array.tag());
            body.extend((array.len() as u32).to_le_bytes());
            array.append(&mut body);
        }
        let mut out = Vec::with_capacity(HEADER + body.len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(xxh3_64(&body).to_le_bytes());
        out.extend(body);
        out
    }

    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<ModelFile, Error> {
        let mut reader = Reader { rest: bytes };
        if reader.take(8).ok() != Some(&MAGIC[..]) {
            return Err(damaged("it does not start with `DEHUSKML`".into()));
        }
        let version = reader.u32()?;
        if version != VERSION {
            let message = format!("model file version {version}; this program reads version {VERSION}");
            return Err(Error::new(ErrorKind::Incompatible, message));
        }
        let checksum = reader.take(8)?;
        if xxh3_64(reader.rest).to_le_bytes() != checksum {
            return Err(damaged("the checksum is wrong; copy or train it again".into()));
        }
        let kind = reader.text()?;
        let schema =
            Schema { name: reader.text()?, version: reader.u32()?, columns: reader.u32()?, hash: reader.u64()? };
        let mut file = ModelFile { kind, schema, card: reader.text()?, arrays: Vec::new() };
        for _ in 0..reader.u32()? {
            let name = reader.text()?;
            let array = reader.array()?;
            file.arrays.push((name, array));
        }
        if !reader.rest.is_empty() {
            return Err(damaged(format!("{} bytes follow its end", reader.rest.len())));
        }
        Ok(file)
    }
}

/// The error for a damaged file.
pub(super) fn damaged(what: String) -> Error {
    Error::new(ErrorKind::BadModel, format!("damaged model file: {what}"))
}

fn append_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Parses a file. Every length is checked against the remaining bytes before anything is allocated.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(|| damaged("it ends too early".into()))?;
        self.rest = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, Error> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn u64(&mut self) -> Result<u64, Error> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn text(&mut self) -> Result<String, Error> {
        let length = self.u32()? as usize;
        let bytes = self.take(length)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| damaged("a text in it is not UTF-8".into()))
    }

    fn array(&mut self) -> Result<Array, Error> {
        let tag = self.take(1)?[0];
        let length = self.u32()? as usize;
        Ok(match tag {
            0 => Array::F32(self.numbers(length, f32::from_le_bytes)?),
            1 => Array::U32(self.numbers(length, u32::from_le_bytes)?),
            2 => Array::U16(self.numbers(length, u16::from_le_bytes)?),
            3 => Array::U8(self.take(length)?.to_vec()),
            _ => return Err(damaged(format!("numbers of the unknown kind {tag}"))),
        })
    }

    fn numbers<T, const N: usize>(&mut self, length: usize, read: fn([u8; N]) -> T) -> Result<Vec<T>, Error> {
        let bytes = self.take(length.checked_mul(N).ok_or_else(|| damaged("it ends too early".into()))?)?;
        let (chunks, _) = bytes.as_chunks::<N>();
        Ok(chunks.iter().map(|chunk| read(*chunk)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(version: u32, columns: &[&str]) -> Schema {
        Schema::new("block", version, columns)
    }

    fn file() -> ModelFile {
        let mut file = ModelFile::new("block", schema(3, &["words", "links"]), "trained on three pages");
        file.set("weights", Array::F32(vec![1.5, -0.25, f32::MIN_POSITIVE]));
        file.set("hashes", Array::U32(vec![7, u32::MAX]));
        file.set("cuts", Array::U16(vec![1, 2, 65_535]));
        file.set("bytes", Array::U8(vec![0, 255]));
        file.set("none", Array::F32(Vec::new()));
        file
    }

    #[test]
    fn a_file_reads_back() {
        let bytes = file().to_bytes();
        let read = ModelFile::from_bytes(&bytes).unwrap();
        assert_eq!(read, file());
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!(read.u32s("hashes").unwrap(), [7, u32::MAX]);
        assert!(read.f32s("hashes").unwrap_err().to_string().contains("`hashes`"));
        assert!(read.f32s("nothing").unwrap_err().to_string().contains("`nothing`"));
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = file().to_bytes();
        for length in 0..bytes.len() {
            assert!(ModelFile::from_bytes(&bytes[..length]).is_err(), "truncated to {length}");
        }
        for at in 0..bytes.len() {
            for flip in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                assert!(ModelFile::from_bytes(&damaged).is_err(), "flipped at {at}");
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(ModelFile::from_bytes(&longer).is_err());
    }

    /// A checksum protects against accidents, not against a forged file: lengths must be checked against the bytes.
    #[test]
    fn wrong_lengths_with_a_right_checksum_do_no_harm() {
        let bytes = file().to_bytes();
        let mut refused = 0;
        for at in HEADER..bytes.len() - 4 {
            for lie in [u32::MAX, u32::MAX / 4, 1 << 20] {
                let mut damaged = bytes.clone();
                damaged[at..at + 4].copy_from_slice(&lie.to_le_bytes());
                let checksum = xxh3_64(&damaged[HEADER..]);
                damaged[12..20].copy_from_slice(&checksum.to_le_bytes());
                match ModelFile::from_bytes(&damaged) {
                    // A weight was changed, and nothing else.
                    Ok(read) => assert_eq!(read.to_bytes(), damaged, "{lie} at {at}"),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::BadModel, "{lie} at {at}");
                        refused += 1;
                    }
                }
            }
        }
        // Three texts, the number of arrays, and the name and length of each array say how long they are.
        let lengths = 3 + 1 + 2 * file().arrays.len();
        assert!(refused >= 3 * lengths, "only {refused} lies were refused");
    }

    #[test]
    fn another_kind_or_schema_is_refused_with_what_differs() {
        let refused = |kind: &str, schema: Schema| {
            let error = file().expect(kind, &schema).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Incompatible);
            error.to_string()
        };
        let says = |message: String, words: &[&str]| {
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        };
        says(refused("pagelevel", schema(3, &["words", "links"])), &["`block`", "`pagelevel`"]);
        says(refused("block", schema(4, &["words", "links"])), &["block-3", "block-4"]);
        says(refused("block", schema(3, &["words", "links", "depth"])), &["2 features", "has 3"]);
        says(refused("block", schema(3, &["links", "words"])), &["names or the order"]);
        file().expect("block", &schema(3, &["words", "links"])).unwrap();
        let mut newer = file().to_bytes();
        newer[8] = 9;
        assert!(ModelFile::from_bytes(&newer).unwrap_err().to_string().contains("version 9"));
    }
}
