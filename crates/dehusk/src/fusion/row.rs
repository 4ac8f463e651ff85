//! Where features go: into rows, into tiles that trees score, or, for the schema, as names.

use crate::model::{TileRow, TileRows};

/// Takes features by name.
pub(crate) trait Take {
    fn take(&mut self, name: &'static str, value: f32);
    /// One of several features of a name, at a distance, level or width.
    fn take_at(&mut self, name: &'static str, place: i32, value: f32);
    /// One of several features of a name, for one of several things.
    fn take_of(&mut self, name: &'static str, what: &'static str, value: f32);
}

/// Rows of numbers, one after the other.
impl Take for Vec<f32> {
    #[inline(always)]
    fn take(&mut self, _: &'static str, value: f32) {
        self.push(value);
    }

    #[inline(always)]
    fn take_at(&mut self, _: &'static str, _: i32, value: f32) {
        self.push(value);
    }

    #[inline(always)]
    fn take_of(&mut self, _: &'static str, _: &'static str, value: f32) {
        self.push(value);
    }
}

/// A row among others that are scored together.
impl Take for TileRow<'_> {
    #[inline(always)]
    fn take(&mut self, _: &'static str, value: f32) {
        self.push(value);
    }

    #[inline(always)]
    fn take_at(&mut self, _: &'static str, _: i32, value: f32) {
        self.push(value);
    }

    #[inline(always)]
    fn take_of(&mut self, _: &'static str, _: &'static str, value: f32) {
        self.push(value);
    }
}

/// What is the same in all rows that are scored together.
impl Take for TileRows<'_> {
    fn take(&mut self, _: &'static str, value: f32) {
        self.push(value);
    }

    fn take_at(&mut self, _: &'static str, _: i32, value: f32) {
        self.push(value);
    }

    fn take_of(&mut self, _: &'static str, _: &'static str, value: f32) {
        self.push(value);
    }
}

/// The names of the features, in their order.
impl Take for Vec<String> {
    fn take(&mut self, name: &'static str, _: f32) {
        self.push(name.to_string());
    }

    fn take_at(&mut self, name: &'static str, place: i32, _: f32) {
        self.push(format!("{name}[{place}]"));
    }

    fn take_of(&mut self, name: &'static str, what: &'static str, _: f32) {
        self.push(format!("{name}[{what}]"));
    }
}
