//! The structs of a Parquet footer, by the ids of their fields: what `parquet.thrift` of the format says about their types.
//!
//! parquet-rs reads a field by its id and does not look at the type that the file declares, so a walk that believed the file would
//! lose step with it.

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Flag,
    Byte,
    /// A number of 16, 32 or 64 bits: all are written alike.
    Whole,
    Double,
    Bytes,
    List(&'static Shape),
    Struct(&'static Fields),
    /// Anything: the field is not known, and read by the type that the file declares.
    Any,
}

/// The fields of a struct.
#[derive(Debug)]
pub(crate) struct Fields(&'static [(i16, Shape)]);

impl Fields {
    pub(crate) fn shape(&self, id: i16) -> Shape {
        self.0.iter().find(|(known, _)| *known == id).map_or(Shape::Any, |(_, shape)| *shape)
    }
}

use Shape::{Byte, Bytes, Double, Flag, List, Struct, Whole};

pub(crate) static FILE: Fields = Fields(&[
    (1, Whole),
    (2, List(&Struct(&SCHEMA_ELEMENT))),
    (3, Whole),
    (4, List(&Struct(&ROW_GROUP))),
    (5, List(&Struct(&KEY_VALUE))),
    (6, Bytes),
    (7, List(&Struct(&ONE_OF_EMPTY))),
    (8, Struct(&ONE_OF_EMPTY)),
    (9, Bytes),
]);

pub(crate) static SCHEMA_ELEMENT: Fields = Fields(&[
    (1, Whole),
    (2, Whole),
    (3, Whole),
    (NAME, Bytes),
    (CHILDREN, Whole),
    (6, Whole),
    (7, Whole),
    (8, Whole),
    (9, Whole),
    (10, Struct(&LOGICAL_TYPE)),
]);
/// The fields of a schema element that make it a tree.
pub(crate) const NAME: i16 = 4;
pub(crate) const CHILDREN: i16 = 5;

static LOGICAL_TYPE: Fields = Fields(&[
    (1, Struct(&EMPTY)),
    (2, Struct(&EMPTY)),
    (3, Struct(&EMPTY)),
    (4, Struct(&EMPTY)),
    (5, Struct(&DECIMAL)),
    (6, Struct(&EMPTY)),
    (7, Struct(&TIME)),
    (8, Struct(&TIME)),
    (10, Struct(&INTEGER)),
    (11, Struct(&EMPTY)),
    (12, Struct(&EMPTY)),
    (13, Struct(&EMPTY)),
    (14, Struct(&EMPTY)),
    (15, Struct(&EMPTY)),
    (16, Struct(&VARIANT)),
    (17, Struct(&GEOMETRY)),
    (18, Struct(&GEOMETRY)),
]);
static EMPTY: Fields = Fields(&[]);
static DECIMAL: Fields = Fields(&[(1, Whole), (2, Whole)]);
static TIME: Fields = Fields(&[(1, Flag), (2, Struct(&ONE_OF_EMPTY))]);
static INTEGER: Fields = Fields(&[(1, Byte), (2, Flag)]);
static VARIANT: Fields = Fields(&[(1, Byte)]);
static GEOMETRY: Fields = Fields(&[(1, Bytes), (2, Whole)]);
/// A union whose members say all by being there.
static ONE_OF_EMPTY: Fields = Fields(&[(1, Struct(&EMPTY)), (2, Struct(&EMPTY)), (3, Struct(&EMPTY))]);
static KEY_VALUE: Fields = Fields(&[(1, Bytes), (2, Bytes)]);

static ROW_GROUP: Fields = Fields(&[
    (1, List(&Struct(&COLUMN_CHUNK))),
    (2, Whole),
    (3, Whole),
    (4, List(&Struct(&SORTING_COLUMN))),
    (5, Whole),
    (6, Whole),
    (7, Whole),
]);
static SORTING_COLUMN: Fields = Fields(&[(1, Whole), (2, Flag), (3, Flag)]);
static COLUMN_CHUNK: Fields =
    Fields(&[(1, Bytes), (2, Whole), (3, Struct(&COLUMN)), (4, Whole), (5, Whole), (6, Whole), (7, Whole), (9, Bytes)]);
static COLUMN: Fields = Fields(&[
    (1, Whole),
    (2, List(&Whole)),
    (3, List(&Bytes)),
    (4, Whole),
    (5, Whole),
    (6, Whole),
    (7, Whole),
    (8, List(&Struct(&KEY_VALUE))),
    (9, Whole),
    (10, Whole),
    (11, Whole),
    (12, Struct(&STATISTICS)),
    (13, List(&Struct(&ENCODING_STATS))),
    (14, Whole),
    (15, Whole),
    (16, Struct(&SIZE_STATISTICS)),
    (17, Struct(&GEOSPATIAL)),
]);
static STATISTICS: Fields =
    Fields(&[(1, Bytes), (2, Bytes), (3, Whole), (4, Whole), (5, Bytes), (6, Bytes), (7, Flag), (8, Flag), (9, Whole)]);
static ENCODING_STATS: Fields = Fields(&[(1, Whole), (2, Whole), (3, Whole)]);
static SIZE_STATISTICS: Fields = Fields(&[(1, Whole), (2, List(&Whole)), (3, List(&Whole))]);
static GEOSPATIAL: Fields = Fields(&[(1, Struct(&BOX)), (2, List(&Whole))]);
static BOX: Fields =
    Fields(&[(1, Double), (2, Double), (3, Double), (4, Double), (5, Double), (6, Double), (7, Double), (8, Double)]);
