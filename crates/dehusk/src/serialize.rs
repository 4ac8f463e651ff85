//! Results as `serde` values, under the names that records have. Behind the feature `serde`.

use crate::detection::Detectors;
use crate::detection::PageType;
use crate::detection::{Decision, TemplateFit};
use crate::extraction::Extraction;
use crate::fallback_source::FallbackSource;
use crate::flags::Flag;
use crate::metadata::{Metadata, MetadataSource};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

/// Serializes a type by its name.
macro_rules! by_name {
    ($($type:ty => $name:expr),+ $(,)?) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let name: fn(&$type) -> &'static str = $name;
                serializer.serialize_str(name(self))
            }
        }
    )+};
}

by_name! {
    Decision => |decision| decision.name(),
    Flag => |flag| flag.name(),
    FallbackSource => |source| source.flag(),
    MetadataSource => |source| source.name(),
    PageType => |page_type| page_type.name(),
}

impl Serialize for Detectors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for TemplateFit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("TemplateFit", 2)?;
        fields.serialize_field("template", &self.template)?;
        fields.serialize_field("fit", &self.fit)?;
        fields.end()
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields();
        let mut map = serializer.serialize_map(None)?;
        for (name, field) in fields {
            map.serialize_entry(name, &field.map(|field| &field.value))?;
        }
        map.end()
    }
}

/// The record of a page: its text and what is known about it.
impl Serialize for Extraction<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Extraction", 9)?;
        fields.serialize_field("title", &self.title())?;
        fields.serialize_field("text", &self.text())?;
        fields.serialize_field("confidence", &self.confidence())?;
        fields.serialize_field("page_type", &self.page_type())?;
        fields.serialize_field("detector", &self.detection().detectors)?;
        fields.serialize_field("template_fit", &self.template_fit())?;
        fields.serialize_field("encoding", self.encoding().name)?;
        fields.serialize_field("flags", &self.flags())?;
        fields.serialize_field("metadata", &self.metadata())?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_extraction_is_a_record() {
        let page = "<title>Nets</title><body><div id=root></div><script>start()</script>";
        let record = serde_json::to_value(crate::extract(page).unwrap()).unwrap();
        assert_eq!((&record["title"], &record["text"]), (&"Nets".into(), &"".into()));
        assert_eq!((&record["flags"][0], &record["detector"]), (&"no_content".into(), &"fusion".into()));
        assert!(record["metadata"].is_null() && record["confidence"].is_number());
    }
}
