//! The built-in models, and the names of the features they were trained on.

use dehusk::ErrorKind;
use dehusk::detect::fusion::{FusionModel, FusionPage, PageTypeModel};
use dehusk::model::{ModelFile, Schema};
use dehusk_papers::block::BlockModel;
use dehusk_papers::block::features as block;
use dehusk_papers::pagelevel::PageLevelModel;
use dehusk_papers::pagelevel::features as nodes;
use std::collections::HashSet;

/// Every list of columns in the library.
fn schemas() -> Vec<(&'static str, Vec<&'static str>)> {
    let fusion = FusionPage::column_names();
    let list = |names: &'static [String]| names.iter().map(String::as_str).collect();
    vec![
        ("fusion, first pass", list(&fusion.first)),
        ("fusion, second pass", list(&fusion.second)),
        ("fusion, choice of the threshold, and page types", list(&fusion.threshold)),
        ("nodes", nodes::column_names().collect()),
        ("block", block::FEATURES.to_vec()),
    ]
}

#[test]
fn no_two_columns_of_a_schema_have_the_same_name() {
    for (schema, names) in schemas() {
        let mut seen = HashSet::new();
        for name in &names {
            assert!(!name.is_empty() && seen.insert(name), "{schema}: `{name}` is duplicated");
        }
    }
    assert_eq!(nodes::column_names().count(), nodes::COLUMNS);
}

#[test]
fn the_built_in_models_read_back_and_their_cards_name_the_training_data() {
    let models = [
        (FusionModel::KIND, FusionModel::builtin().to_bytes(), FusionModel::builtin().card()),
        (PageTypeModel::KIND, PageTypeModel::builtin().to_bytes(), PageTypeModel::builtin().card()),
        (PageLevelModel::KIND, PageLevelModel::builtin().to_bytes(), PageLevelModel::builtin().card()),
        (BlockModel::KIND, BlockModel::builtin().to_bytes(), BlockModel::builtin().card()),
    ];
    for (kind, bytes, card) in models {
        let model = ModelFile::from_bytes(&bytes).unwrap();
        assert_eq!((&*model.kind, &*model.card), (kind, card));
        assert!(model.to_bytes() == bytes, "{kind}");
        for line in ["Trained on", "Source and licence", &format!("Rebuild: dehusk train {kind}"), "docs/"] {
            assert!(card.contains(line), "{kind}: no `{line}` in\n{card}");
        }
    }
    for kind in [FusionModel::builtin().card(), PageTypeModel::builtin().card()] {
        assert!(kind.contains("reference text") && kind.contains("CC BY 4.0"), "{kind}");
    }
}

#[test]
fn a_model_of_another_kind_or_of_other_features_is_rejected_with_the_difference() {
    let bytes = BlockModel::builtin().to_bytes();
    let error = FusionModel::from_bytes(&bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incompatible);
    assert!(error.to_string().contains("`block`") && error.to_string().contains("`fusion`"), "{error}");
    let mut file = ModelFile::from_bytes(&bytes).unwrap();
    let mut names = block::FEATURES.to_vec();
    names.swap(0, 1);
    for (schema, word) in [
        (Schema::new("block", block::VERSION + 1, block::FEATURES), "block-2"),
        (Schema::new("block", block::VERSION, &names), "order of the features"),
        (Schema::new("block", block::VERSION, &names[1..]), "79 features"),
    ] {
        file.schema = schema;
        let error = BlockModel::from_bytes(&file.to_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incompatible);
        assert!(error.to_string().contains(word), "{error}");
    }
    file.kind = "other".into();
    assert!(BlockModel::from_bytes(&file.to_bytes()).unwrap_err().to_string().contains("`other`"));
    assert_eq!(ModelFile::from_bytes(b"no model").unwrap_err().kind(), ErrorKind::BadModel);
}
