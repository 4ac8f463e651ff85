//! What some elements show, told to every renderer alike: formulas, pictures, tables, superscripts, check boxes.

pub(crate) mod formula;
pub(crate) mod pictures;
pub(crate) mod shown_tables;
pub(crate) mod superscripts;
pub(crate) mod task_box;
