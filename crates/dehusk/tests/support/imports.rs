//! Which files of a crate use which others, by the syntax of the sources.
//!
//! Follows `mod` declarations from the root of a crate and reads every `use` and every path in the code, those in macro calls included.
//! What is compiled for tests only does not count. Names are followed through re-exports, which are no uses themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// A path such as `crate::dom::Name`, as its parts.
pub(crate) type Parts = Vec<String>;

/// One source file.
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    /// Its module, from the root of the crate; empty for the root.
    pub(crate) module: Parts,
    syntax: syn::File,
}

/// The files of a crate.
pub(crate) struct Sources {
    pub(crate) files: Vec<SourceFile>,
    /// What re-exported names stand for, by their paths.
    exports: BTreeMap<Parts, Parts>,
    /// The modules that a module re-exports as a whole.
    glob_exports: BTreeMap<Parts, Vec<Parts>>,
    /// The paths of all items.
    items: BTreeSet<Parts>,
}

impl Sources {
    /// Reads a crate, from its library, its program, or both.
    pub(crate) fn read(folder: &Path) -> Sources {
        let mut files = Vec::new();
        for root in ["lib.rs", "main.rs"].map(|name| folder.join(name)).into_iter().filter(|root| root.exists()) {
            read_file(root, Vec::new(), &mut files);
        }
        let (exports, glob_exports, items) = Default::default();
        let mut sources = Sources { files: Vec::new(), exports, glob_exports, items };
        let modules: BTreeSet<Parts> = files.iter().map(|file| file.module.clone()).collect();
        for file in &files {
            let mut found = Found::of(file, &modules);
            sources.exports.append(&mut found.exports);
            sources.items.append(&mut found.items);
            for (module, target) in found.glob_exports {
                sources.glob_exports.entry(module).or_default().push(target);
            }
        }
        sources.files = files;
        sources
    }

    /// For each file the files that it uses, by their numbers.
    pub(crate) fn uses(&self) -> Vec<BTreeSet<usize>> {
        let modules: BTreeSet<Parts> = self.files.iter().map(|file| file.module.clone()).collect();
        let of_file = |(from, file): (usize, &SourceFile)| {
            // The root of a crate only declares and re-exports.
            let is_other = |to: &usize| *to != from && !self.files[*to].module.is_empty();
            Found::of(file, &modules).uses.iter().filter_map(|path| self.resolve(path)).filter(is_other).collect()
        };
        self.files.iter().enumerate().map(of_file).collect()
    }

    /// The file that a path leads to, through re-exports.
    fn resolve(&self, path: &[String]) -> Option<usize> {
        let mut path = path.to_vec();
        for _ in 0..16 {
            let prefixes = (1..=path.len()).rev();
            if let Some((length, target)) =
                prefixes.clone().find_map(|length| Some((length, self.exports.get(&path[..length])?)))
            {
                path = target.iter().chain(&path[length..]).cloned().collect();
                continue;
            }
            let from_glob = prefixes.clone().find_map(|length| {
                let (name, module) = path[..length].split_last()?;
                if self.items.contains(&path[..length]) {
                    return None;
                }
                let targets = self.glob_exports.get(module)?;
                let with_name = |target: &Parts| target.iter().chain([name]).cloned().collect::<Parts>();
                let found = targets.iter().map(with_name).find(|path| self.items.contains(path))?;
                Some(found.iter().chain(&path[length..]).cloned().collect::<Parts>())
            });
            match from_glob {
                Some(next) => path = next,
                None => {
                    let file = |length: usize| self.files.iter().position(|file| file.module == path[..length]);
                    return (0..=path.len()).rev().find_map(file);
                }
            }
        }
        None
    }
}

/// Reads a file and the files of the modules that it declares.
fn read_file(path: PathBuf, module: Parts, files: &mut Vec<SourceFile>) {
    let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let syntax = syn::parse_file(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let here = path.parent().unwrap().to_path_buf();
    let below = match path.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => here.clone(),
        _ => path.with_extension(""),
    };
    let mut children = Vec::new();
    for item in &syntax.items {
        let syn::Item::Mod(child) = item else { continue };
        if child.content.is_some() || is_test(&child.attrs) {
            continue;
        }
        let name = child.ident.to_string();
        let files = [below.join(format!("{name}.rs")), below.join(&name).join("mod.rs")];
        let file =
            named_path(&child.attrs).map(|named| here.join(named)).or(files.into_iter().find(|file| file.exists()));
        let file = file.unwrap_or_else(|| panic!("{}: no file for the module {name}", path.display()));
        children.push((file, module.iter().cloned().chain([name]).collect()));
    }
    files.push(SourceFile { path, module, syntax });
    children.into_iter().for_each(|(path, module)| read_file(path, module, files));
}

/// Whether something is compiled for tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// The file of a module, if an attribute names it.
fn named_path(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(syn::MetaNameValue { path, value: syn::Expr::Lit(value), .. })
            if path.is_ident("path") =>
        {
            match &value.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            }
        }
        _ => None,
    })
}

/// What is found in one file. All paths are from the root of the crate.
struct Found<'a> {
    /// The module of the code that is being visited: that of the file, or one inside it.
    module: Parts,
    modules: &'a BTreeSet<Parts>,
    uses: BTreeSet<Parts>,
    exports: BTreeMap<Parts, Parts>,
    glob_exports: Vec<(Parts, Parts)>,
    items: BTreeSet<Parts>,
}

impl Found<'_> {
    fn of<'a>(file: &SourceFile, modules: &'a BTreeSet<Parts>) -> Found<'a> {
        let mut found = Found {
            module: file.module.clone(),
            modules,
            uses: BTreeSet::new(),
            exports: BTreeMap::new(),
            glob_exports: Vec::new(),
            items: BTreeSet::new(),
        };
        found.visit_file(&file.syntax);
        found
    }

    /// A path as it is written, from the root of the crate; none where it leads out of the crate.
    fn absolute(&self, path: &[String]) -> Option<Parts> {
        let (mut base, mut rest) = (self.module.clone(), path);
        match path.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    base.pop()?;
                    rest = &rest[1..];
                }
            }
            first => {
                let child: Parts = base.iter().cloned().chain([first.to_string()]).collect();
                if let Some(target) = self.exports.get(&child) {
                    return Some(target.iter().chain(&path[1..]).cloned().collect());
                }
                if !self.modules.contains(&child) {
                    return None;
                }
            }
        }
        base.extend(rest.iter().filter(|part| *part != "self" && *part != "*").cloned());
        Some(base)
    }

    /// Adds a path in the code. A module may name its own children: it is their front, and they are part of it.
    fn add_use(&mut self, path: &[String]) {
        let names_child = path.first().is_some_and(|first| !matches!(first.as_str(), "crate" | "self" | "super"));
        let path = if names_child { None } else { self.absolute(path) };
        self.uses.extend(path);
    }

    fn own(&self, name: &syn::Ident) -> Parts {
        self.module.iter().cloned().chain([name.to_string()]).collect()
    }
}

/// Expands `a::{b, c::{d as e, *}}` into paths, each with the name it gets.
fn expand(tree: &syn::UseTree, prefix: &[String], out: &mut Vec<(Parts, String)>) {
    let with = |name: String| prefix.iter().cloned().chain([name]).collect::<Parts>();
    match tree {
        syn::UseTree::Path(path) => expand(&path.tree, &with(path.ident.to_string()), out),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| expand(tree, prefix, out)),
        syn::UseTree::Glob(_) => out.push((with("*".into()), "*".into())),
        syn::UseTree::Rename(rename) => out.push((with(rename.ident.to_string()), rename.rename.to_string())),
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            let own = if name == "self" { prefix.last().cloned().unwrap_or_default() } else { name.clone() };
            out.push((with(name), own));
        }
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item;
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Mod(item) => (&item.attrs, Some(&item.ident)),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Use(item) => (&item.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            let own = name.map(|name| self.own(name));
            self.items.extend(own);
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.content.is_some() {
            self.module.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_export = !matches!(item.vis, syn::Visibility::Inherited);
        let mut paths = Vec::new();
        expand(&item.tree, &[], &mut paths);
        for (path, name) in paths {
            let Some(target) = self.absolute(&path) else { continue };
            match is_export {
                false => drop(self.uses.insert(target)),
                true if name == "*" => self.glob_exports.push((self.module.clone(), target)),
                true => drop(self.exports.insert(self.module.iter().cloned().chain([name]).collect(), target)),
            }
        }
    }

    /// `pub(super)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Parts = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single name is a local one, or was imported and counted there; `self` is a value.
        if parts.len() > 1 && path.leading_colon.is_none() {
            self.add_use(&parts);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace("::", " :: ");
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, _) in words.iter().enumerate().filter(|(_, word)| matches!(**word, "crate" | "super" | "self")) {
            let after = words[at + 1..].chunks_exact(2).take_while(|pair| pair[0] == "::" && is_name(pair[1]));
            let path: Parts = std::iter::once(words[at]).chain(after.map(|pair| pair[1])).map(str::to_string).collect();
            if path.len() > 1 && at.checked_sub(1).is_none_or(|before| words[before] != "::") {
                self.add_use(&path);
            }
        }
        visit::visit_macro(self, call);
    }
}

fn is_name(word: &str) -> bool {
    word.chars().all(|character| character.is_alphanumeric() || character == '_')
}
