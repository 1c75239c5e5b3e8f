//! The texts that tell a model what its mode asks of it: a model's own, else the configured, else ours.

mod template;

use std::collections::BTreeSet;

use template::Template;
pub use template::TemplateError;
use tools::Registry;

/// The tool that may be refused outside plan mode.
const ASKS: &str = "ask_user_question";
/// Our rules of plan mode.
const PLAN: &str = include_str!("texts/plan.md");
/// Our rules of the default mode.
const DEFAULT: &str = include_str!("texts/default.md");

/// Texts that replace ours; one that is missing replaces nothing, an empty one leaves its mode without any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModeTexts {
    /// The rules of plan mode.
    pub plan: Option<String>,
    /// The rules of the default mode.
    pub default: Option<String>,
}

/// The texts in force for one model, read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modes {
    plan: Template,
    default: Template,
    asks_in_default: bool,
}

/// A text that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the text of the {mode} mode cannot be used: {source}")]
pub struct ModeTextError {
    /// The mode's name.
    pub mode: &'static str,
    /// What is wrong with it.
    pub source: TemplateError,
}

impl Modes {
    /// Returns the texts in force: `of_model` before `configured` before ours.
    ///
    /// # Errors
    ///
    /// When one of them has a placeholder that is neither a tool of `registry` nor a word of its own.
    pub fn new(
        of_model: &ModeTexts,
        configured: &ModeTexts,
        registry: &Registry,
    ) -> Result<Self, ModeTextError> {
        let specs = registry.specs();
        let tools: BTreeSet<&str> = specs.iter().map(|spec| spec.name).collect();
        let read = |mode, sources: [Option<&String>; 2], ours| {
            let text = sources.into_iter().flatten().next().map_or(ours, String::as_str);
            Template::read(text, &tools).map_err(|source| ModeTextError { mode, source })
        };
        Ok(Self {
            plan: read("plan", [of_model.plan.as_ref(), configured.plan.as_ref()], PLAN)?,
            default: read("default", [of_model.default.as_ref(), configured.default.as_ref()], DEFAULT)?,
            asks_in_default: true,
        })
    }

    /// Returns the same texts where questions are asked in plan mode only.
    #[must_use]
    pub fn without_questions_in_default(mut self) -> Self {
        self.asks_in_default = false;
        self
    }

    /// Returns the text of a mode for a request that has `tools`; empty where it is suppressed.
    #[must_use]
    pub fn text<'a>(&self, planning: bool, tools: impl IntoIterator<Item = &'a str>) -> String {
        let usable = |tool: &&str| planning || self.asks_in_default || *tool != ASKS;
        let tools: BTreeSet<&str> = tools.into_iter().filter(usable).collect();
        let template = if planning { &self.plan } else { &self.default };
        template.fill(&tools).trim().to_owned()
    }
}

impl Default for Modes {
    fn default() -> Self {
        let none = ModeTexts::default();
        Self::new(&none, &none, &Registry::standard()).expect("our own texts name our own tools")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(plan: Option<&str>, default: Option<&str>) -> ModeTexts {
        ModeTexts { plan: plan.map(str::to_owned), default: default.map(str::to_owned) }
    }

    fn modes(of_model: &ModeTexts, configured: &ModeTexts) -> Modes {
        Modes::new(of_model, configured, &Registry::standard()).expect("the texts are in order")
    }

    #[test]
    fn a_models_own_text_comes_before_the_configured_one_and_that_before_ours() {
        let (own, configured) = (texts(Some("own"), None), texts(Some("configured"), Some("calm")));
        assert_eq!(modes(&own, &configured).text(true, []), "own");
        assert_eq!(modes(&own, &configured).text(false, []), "calm");
        assert_eq!(modes(&ModeTexts::default(), &configured).text(true, []), "configured");
        assert!(Modes::default().text(true, []).starts_with("Plan mode is on."));
        assert!(Modes::default().text(false, []).starts_with("The default mode is on"));
    }

    #[test]
    fn an_empty_text_suppresses_what_it_comes_before() {
        let configured = texts(Some("configured"), Some("calm"));
        let silent = modes(&texts(Some(""), Some("")), &configured);
        assert_eq!((silent.text(true, []), silent.text(false, [])), (String::new(), String::new()));
        assert_eq!(modes(&ModeTexts::default(), &texts(Some(""), None)).text(true, []), "");
    }

    #[test]
    fn a_text_with_an_unknown_placeholder_is_refused_and_says_which() {
        let error = Modes::new(&texts(None, Some("{{asks}}")), &ModeTexts::default(), &Registry::standard());
        let text = error.expect_err("no tool is called so").to_string();
        assert!(text.contains("default mode") && text.contains("{{asks}}"), "{text}");
    }

    #[test]
    fn our_texts_name_only_tools_that_the_request_has() {
        let specs = Registry::standard().specs();
        for planning in [true, false] {
            let none = Modes::default().text(planning, []);
            // A name of one word, such as `search`, is a word of the text too.
            let names = specs.iter().map(|spec| spec.name).filter(|name| name.contains('_'));
            let named: Vec<_> = names.filter(|name| none.contains(name)).collect();
            assert_eq!(named, [""; 0], "{none}");
            let all = Modes::default().text(planning, specs.iter().map(|spec| spec.name));
            assert!(all.contains(ASKS), "{all}");
        }
    }

    #[test]
    fn where_questions_are_for_planning_the_default_text_does_not_offer_them() {
        let modes = Modes::default().without_questions_in_default();
        assert!(!modes.text(false, [ASKS]).contains(ASKS));
        assert!(modes.text(true, [ASKS]).contains(ASKS));
    }
}
