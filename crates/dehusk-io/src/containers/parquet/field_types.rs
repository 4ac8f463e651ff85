//! Changes of types inside nested types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};

/// The same field with some types changed, at any depth. `change` is given each type that is not nested, in the order of the fields.
pub(crate) fn with_types(field: &FieldRef, change: &mut impl FnMut(&DataType) -> Option<DataType>) -> FieldRef {
    let mut inner = |field: &FieldRef| with_types(field, change);
    let kind = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(inner(item), *length),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        kind => match change(kind) {
            Some(kind) => kind,
            None => return field.clone(),
        },
    };
    Arc::new(Field::clone(field).with_data_type(kind))
}
