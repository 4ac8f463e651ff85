//! The table of all options, by what they are about. To add one, define it here and use it where it takes effect: every surface has it then.

mod content;
mod detector;
mod reading;
mod run;
mod sites;

pub use content::*;
pub use detector::*;
pub use reading::*;
pub use run::*;
pub use sites::*;

use crate::definition::{Command, Definition, Surface};

/// Defines options, and the list of them.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident = $definition:expr;)*) => {
        $($(#[$doc])* pub static $name: crate::definition::Definition = $definition;)*
        pub(super) static LIST: &[&crate::definition::Definition] = &[$(&$name),*];
    };
}
use options;

/// Wherever pages are extracted.
const EVERYWHERE: &[Surface] = &[Surface::Python, Surface::Spark, Surface::Datatrove, Surface::Service];
/// Wherever the machine is the user's own: not where requests come from elsewhere.
const OWN_MACHINE: &[Surface] = &[Surface::Python, Surface::Spark, Surface::Datatrove];

/// Every option, in the order of the help.
pub fn all() -> impl Iterator<Item = &'static Definition> + Clone {
    [sites::LIST, detector::LIST, content::LIST, run::LIST, reading::LIST].into_iter().flatten().copied()
}

/// The options that a command offers on a surface.
pub fn options_of(command: Command, surface: Surface) -> impl Iterator<Item = &'static Definition> + Clone {
    all().filter(move |definition| definition.is_on(command, surface))
}

/// The option of a command with a name, wherever it is offered; Python names some by their opposite.
pub fn find(command: Command, name: &str) -> Option<&'static Definition> {
    options_of(command, Surface::Program).find(|definition| definition.name == name)
}
