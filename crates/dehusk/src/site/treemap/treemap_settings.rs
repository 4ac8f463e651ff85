//! The settings of TreeMap.

/// The settings of the method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeMapSettings {
    /// Pages that are kept to learn from.
    pub sample: usize,
    /// Pages that are mapped for one template at most.
    pub max_pages: u32,
    /// The share of a template's pages something must stand on, at one kind of place, to go although not all of them have
    /// it. More than 1 turns this off.
    pub alternatives: f64,
}

impl Default for TreeMapSettings {
    fn default() -> TreeMapSettings {
        TreeMapSettings { sample: 100, max_pages: 24, alternatives: 0.1 }
    }
}
