//! Where features are written: into rows, into tiles that trees score, or as names into the schema.

use crate::model::{TileRow, TileRows};

/// Receives features by name. Only the schema is interested in the names; a row takes the values.
pub(crate) trait FeatureSink {
    /// Adds a value to a row.
    fn add_value(&mut self, value: f32);

    #[inline(always)]
    fn add(&mut self, _name: &'static str, value: f32) {
        self.add_value(value);
    }

    /// Adds one of several features of a name: the one at this distance, level or width.
    #[inline(always)]
    fn add_at(&mut self, _name: &'static str, _position: i32, value: f32) {
        self.add_value(value);
    }

    /// Adds one of several features of a name: the one for this list, tag or hint.
    #[inline(always)]
    fn add_for(&mut self, _name: &'static str, _item: &'static str, value: f32) {
        self.add_value(value);
    }
}

/// Rows of values, concatenated.
impl FeatureSink for Vec<f32> {
    #[inline(always)]
    fn add_value(&mut self, value: f32) {
        self.push(value);
    }
}

/// One row of a tile.
impl FeatureSink for TileRow<'_> {
    #[inline(always)]
    fn add_value(&mut self, value: f32) {
        self.push(value);
    }
}

/// All rows of a tile at once, for values they share.
impl FeatureSink for TileRows<'_> {
    fn add_value(&mut self, value: f32) {
        self.push(value);
    }
}

/// The names of the features, in order.
impl FeatureSink for Vec<String> {
    fn add_value(&mut self, _: f32) {}

    fn add(&mut self, name: &'static str, _: f32) {
        self.push(name.to_string());
    }

    fn add_at(&mut self, name: &'static str, position: i32, _: f32) {
        self.push(format!("{name}[{position}]"));
    }

    fn add_for(&mut self, name: &'static str, item: &'static str, _: f32) {
        self.push(format!("{name}[{item}]"));
    }
}
