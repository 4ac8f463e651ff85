//! All surfaces have the same options, but for those that the table withholds from one.

use dehusk_options::definitions::{all, options_of};
use dehusk_options::{Command, Surface, Topic};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

type Names = BTreeSet<&'static str>;

fn names(command: Command, surface: Surface, topics: &[Topic]) -> Names {
    let of_topic = |topic: &Topic| topics.contains(topic);
    options_of(command, surface).filter(|option| of_topic(&option.topic)).map(|option| option.name).collect()
}

/// What is about a page, wherever it is extracted.
const PAGE: [Topic; 3] = [Topic::Detector, Topic::Content, Topic::Reading];

#[test]
fn pages_have_the_same_options_everywhere() {
    // The header of an answer goes with each page, and is no option where pages come from elsewhere than files.
    let program: Names = &names(Command::Extract, Surface::Program, &PAGE) - &Names::from(["content_type"]);
    for (command, surface) in [
        (Command::Clean, Surface::Python),
        (Command::Extract, Surface::Python),
        (Command::Clean, Surface::Spark),
        (Command::Clean, Surface::Datatrove),
    ] {
        assert_eq!(names(command, surface, &PAGE), program, "{command:?} on {surface:?}");
    }
    // Requests come from elsewhere: they name no file, and do not set the limit on bytes.
    let service = &program - &Names::from(["max_bytes", "model"]);
    assert_eq!(names(Command::Extract, Surface::Service, &PAGE), service);
}

#[test]
fn sites_are_learned_with_the_same_options_everywhere() {
    let sites = Names::from(["align_share", "method", "seed", "site_by"]);
    for surface in [Surface::Program, Surface::Python, Surface::Spark, Surface::Datatrove] {
        assert!(names(Command::Clean, surface, &[Topic::Sites]).is_superset(&sites), "{surface:?}");
    }
    // A site of the service is a host.
    assert_eq!(names(Command::Learn, Surface::Service, &[Topic::Sites]), &sites - &Names::from(["site_by"]));
}

#[test]
fn the_files_of_other_surfaces_have_every_option() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(crates.join(path)).unwrap();
    let (python, openapi) = (read("dehusk-python/python/dehusk/_options.py"), read("dehusk-server/openapi.json"));
    // The parameters of their own that functions of Python have for options.
    let own = ["format", "focus", "metadata"];
    for option in all() {
        let name = option.name_on(Surface::Python);
        if option.is_on(Command::Clean, Surface::Python) && !own.contains(&name) {
            assert!(python.contains(&format!("    {name}: ")), "Python has no {name}");
        }
        if option.surfaces.contains(&Surface::Service) {
            assert!(openapi.contains(&format!("\"name\": \"{}\"", option.name)), "openapi.json has no {}", option.name);
        }
    }
}
