//! The table holds together: names, defaults and choices can be used, and values are read as they should be.

use dehusk_options::definitions::{all, find, options_of};
use dehusk_options::{Command, Given, Surface, Value, Values};
use std::collections::BTreeSet;

#[test]
fn every_definition_can_be_used() {
    for definition in all() {
        let name = definition.name;
        assert!(definition.help.ends_with('.') && !definition.commands.is_empty(), "{name}");
        assert_eq!(
            definition.default_text().is_some(),
            definition.default_value().is_some(),
            "{name}: its default is none"
        );
        for choice in definition.kind.choices().into_iter().flatten() {
            assert!(!choice.help.is_empty(), "{name}: {} has no help", choice.name);
            assert!(definition.kind.read(&Given::Text(choice.name.into())).is_ok(), "{name}: {}", choice.name);
        }
        for command in definition.commands {
            assert!(std::ptr::eq(find(*command, name).unwrap(), definition), "{name}: twice in {command:?}");
            for other in [definition.conflicts_with, definition.requires].into_iter().flatten() {
                assert!(find(*command, other).is_some(), "{name} names {other}, which {command:?} has not");
            }
        }
    }
    for (number, command) in Command::ALL.into_iter().enumerate() {
        assert_eq!(command as usize, number);
        let letters: Vec<char> = options_of(command, Surface::Program).filter_map(|option| option.short).collect();
        assert_eq!(letters.len(), letters.iter().collect::<BTreeSet<_>>().len(), "{command:?} has a letter twice");
    }
}

fn set(name: &str, given: Given) -> Result<Values, String> {
    let mut values = Values::new(Command::Clean, Surface::Python);
    values.set(name, given).map_err(|error| error.to_string())?;
    Ok(values)
}

#[test]
fn values_are_read_or_refused() {
    let text = |text: &str| Given::Text(text.to_string());
    for (name, good) in [
        ("focus", text("recall")),
        ("focus", text("0.3")),
        ("focus", Given::Number(0.3)),
        ("focus", Given::Whole(1)),
        ("seed", Given::Whole(7)),
        ("seed", text("7")),
        ("links", Given::Flag(false)),
        ("metadata", text("true")),
        ("format", text("text,json")),
        ("format", Given::List(vec![text("text"), text("html")])),
        ("method", text("align-paper")),
        ("templates", Given::Path("x".into())),
        ("align_share", Given::Whole(1)),
    ] {
        assert!(set(name, good.clone()).is_ok(), "{name} {good}: {:?}", set(name, good.clone()).err());
    }
    for (name, bad, message) in [
        ("focus", Given::Number(1.5), "focus cannot be 1.5: give precision, balanced, recall or a number from 0 to 1"),
        ("focus", Given::Flag(true), "focus cannot be true: give precision, balanced, recall or a number from 0 to 1"),
        ("seed", Given::Whole(-1), "seed cannot be -1: give a whole number, 0 or more"),
        ("seed", Given::Number(1.5), "seed cannot be 1.5: give a whole number, 0 or more"),
        ("links", Given::Whole(3), "links cannot be 3: give true or false"),
        ("metadata", text("1"), "metadata cannot be \"1\": give true or false"),
        ("method", text("magic"), "method cannot be \"magic\": give sitelevel, treemap, align or auto"),
        ("align_share", Given::Whole(7), "align_share cannot be 7: give a number above 0 and at most 1"),
        ("threshold", Given::Number(f64::NAN), "threshold cannot be NaN: give a number"),
        ("carry", Given::List(vec![Given::List(vec![])]), "carry cannot be a list: a list has no lists in it"),
        ("url_column", Given::Whole(5), "url_column cannot be 5: give a text of at most 1000 characters"),
    ] {
        assert_eq!(set(name, bad).unwrap_err(), message);
    }
    assert!(
        set("no_links", Given::Flag(true))
            .unwrap_err()
            .starts_with("there is no option \"no_links\"; the options are ")
    );
    assert!(set("report", text("x")).unwrap_err().starts_with("there is no option \"report\""));
    let mut twice = set("seed", Given::Whole(1)).unwrap();
    assert_eq!(twice.set("seed", Given::Whole(1)).unwrap_err().to_string(), "seed is given more than once");
}

#[test]
fn options_that_do_not_go_together_are_named_in_the_words_of_the_surface() {
    let message = |surface, options: &[(&str, Given)]| {
        let mut values = Values::new(Command::Clean, surface);
        for (name, given) in options {
            values.set(name, given.clone()).unwrap();
        }
        values.extractor().unwrap_err().to_string()
    };
    let half = || Given::Number(0.5);
    let both = [("precision", half()), ("recall", half())];
    assert_eq!(message(Surface::Program, &both), "--precision cannot be used with --recall");
    assert_eq!(message(Surface::Service, &both), "precision cannot be used with recall");
    assert_eq!(message(Surface::Python, &both[..1]), "precision and recall need detector block");
    assert_eq!(message(Surface::Program, &both[1..]), "--precision and --recall need --detector block");
    assert_eq!(message(Surface::Python, &[("learn", Given::Flag(false))]), "learn=False needs templates");
}

#[test]
fn sets_that_ask_for_the_same_are_equal() {
    let mut given = Values::new(Command::Extract, Surface::Service);
    for (name, value) in [("format", "text"), ("focus", "0.5"), ("no_links", "false"), ("heading", "auto")] {
        given.set(name, Given::Text(value.into())).unwrap();
    }
    assert_eq!(given.normalized(), Values::new(Command::Extract, Surface::Service));
    let mut other = Values::new(Command::Extract, Surface::Service);
    other.set("format", Given::Text("html,text,html".into())).unwrap();
    assert_eq!(other.texts(&dehusk_options::definitions::FORMAT), ["html", "text"]);
    assert_ne!(other.normalized(), given.normalized());
}

#[test]
fn no_request_reaches_files_or_the_machine() {
    for command in [Command::Extract, Command::Learn, Command::Drift] {
        for definition in
            options_of(command, Surface::Program).filter(|option| !option.is_on(command, Surface::Service))
        {
            let mut values = Values::new(command, Surface::Service);
            let message = values.set(definition.name, Given::Text("x".into())).unwrap_err().to_string();
            assert!(message.contains("requests cannot set it"), "{message}");
        }
    }
    let is_path = |value: Option<Value>| matches!(value, Some(Value::Path(_)));
    let paths = all().filter(|option| is_path(option.kind.read(&Given::Path("x".into())).ok()));
    for definition in paths {
        assert!(!definition.surfaces.contains(&Surface::Service), "{} names a file", definition.name);
    }
}
