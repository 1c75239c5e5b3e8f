//! What nothing here is called.

use crate::scan::declared;
use crate::{nothing_breaks, tree};

/// Ends of names that say nothing about what the thing is.
const ENDINGS: [&str; 8] = ["Manager", "Helper", "Util", "Service", "Processor", "Handler", "Impl", "Base"];
/// Modules that collect whatever is left over.
const MODULES: [&str; 5] = ["common", "utils", "types", "misc", "core"];

#[test]
fn a_type_is_called_what_it_is() {
    let empty = tree::sources().into_iter().flat_map(|source| {
        let found: Vec<String> = ["struct", "enum", "trait"]
            .iter()
            .flat_map(|keyword| declared(&source.code, keyword))
            .filter(|item| ENDINGS.iter().any(|ending| item.name.ends_with(ending)))
            .map(|item| format!("{}:{}: {}", source.path, item.line, item.name))
            .collect();
        found
    });

    nothing_breaks(&format!("no type's name ends in {}:", ENDINGS.join(", ")), empty);
}

#[test]
fn a_module_has_a_subject() {
    let declared_inside = tree::sources().into_iter().flat_map(|source| {
        let found: Vec<String> = declared(&source.code, "mod")
            .into_iter()
            .filter(|module| MODULES.contains(&module.name))
            .map(|module| format!("{}:{}: mod {}", source.path, module.line, module.name))
            .collect();
        found
    });
    let files = tree::files().into_iter().filter(|path| {
        path.strip_suffix(".rs").is_some_and(|path| path.split('/').any(|part| MODULES.contains(&part)))
    });

    nothing_breaks(&format!("no module is called {}:", MODULES.join(", ")), declared_inside.chain(files));
}
