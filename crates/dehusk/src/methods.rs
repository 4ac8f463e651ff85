//! Every method by itself, for research: the stages an [`Extractor`](crate::Extractor) runs, what they read and what they return.

/// PageLevel: templateness of the nodes of a single page.
pub mod pagelevel {
    pub use crate::page::{
        BANDS, FeatureContribution, LEVELS, MIN_AREA, ModelSettings, PageLevel, PageLevelModel, PageScores,
        PageSection, ScoredNodes, ScoredTree, append_contributions, detect_page_level, score_page, smooth_exact,
        smooth_quantized,
    };
}

/// Block: template blocks of pages of any site.
pub mod block {
    pub use crate::page::{
        Block, BlockClassifier, BlockModel, BlockScores, OperatingPoint, detect_block, score_blocks,
    };
}

/// Fusion: the default detector.
pub mod fusion {
    pub use crate::fusion::*;
}

/// Segment: pages as segments, by graph cuts (GCUTS) and correlation clustering (CCLUS).
pub mod segment {
    pub use crate::segment::*;
}

/// SITELEVEL: what appears on many pages of a site.
pub mod sitelevel {
    pub use crate::site::{SiteLevelLearner, SiteLevelSettings, SiteLevelTemplate, detect_site_level, page_evidence};
}

/// TreeMap: what the trees of pages have in common.
pub mod treemap {
    pub use crate::site::{
        PageTree, TreeMapLearner, TreeMapSettings, TreeMapTemplates, TreeMapping, detect_tree_map, map_trees,
        mapping_distance, mapping_similarity,
    };
}

/// Align: what pages have in the same order.
pub mod align {
    pub use crate::site::align::*;
}

/// What is known of a site beyond its templates.
pub mod site {
    pub use crate::site::{
        Combination, Drift, DriftCounter, GroupTemplate, MAX_SAMPLE_PAGES, Rules, Skeleton, SkeletonLine,
        SkeletonLineKind, TemplateDrift, Verdict, page_source, render_templates,
    };
}

/// What models read of a page.
pub mod features {
    pub use crate::features::*;
}

/// Model files, and how models are applied.
pub mod model {
    pub use crate::model::*;
}

/// Content outside the visible text of a page, used if hardly any text is visible.
pub mod fallback {
    pub use crate::fallback::{FallbackContent, fallback_content, fallback_from};
}

/// The metadata of a page.
pub mod metadata {
    pub use crate::metadata::metadata;
}
