//! Texts with placeholders: read and checked once, then filled without fail.
//!
//! `{{read_file}}` is the name of a tool, `{{modes}}` the names of the modes. `{{if read_file}}…{{else}}…{{end}}` chooses by
//! whether a request has the tool; one choice does not stand within another.

use std::collections::BTreeSet;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A placeholder that means nothing.
    #[error("{{{{{name}}}}} is no placeholder; use the name of a tool, or {{{{modes}}}}")]
    Unknown {
        /// The placeholder.
        name: String,
    },
    /// A placeholder without end.
    #[error("a placeholder begins with {{{{ and is not closed with }}}}")]
    NotClosed,
    /// `if`, `else` and `end` that do not go together.
    #[error(
        "{{{{{word}}}}} is out of place; write {{{{if tool}}}}…{{{{else}}}}…{{{{end}}}}, one choice after another"
    )]
    OutOfPlace {
        /// The word.
        word: String,
    },
}

/// A text that is ready to be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    shown: Shown,
    says: Says,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Always,
    With(String),
    Without(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Says {
    Text(String),
    Modes,
}

impl Template {
    /// Reads `text`, in which the names of `tools` are placeholders.
    pub(crate) fn read(text: &str, tools: &BTreeSet<&str>) -> Result<Self, TemplateError> {
        let (mut pieces, mut shown, mut rest) = (Vec::new(), Shown::Always, text);
        while let Some((before, behind)) = rest.split_once("{{") {
            let (word, after) = behind.split_once("}}").ok_or(TemplateError::NotClosed)?;
            pieces.push(Piece { shown: shown.clone(), says: Says::Text(before.to_owned()) });
            match word.trim() {
                "modes" => pieces.push(Piece { shown: shown.clone(), says: Says::Modes }),
                tool if tools.contains(tool) => {
                    pieces.push(Piece { shown: shown.clone(), says: Says::Text(tool.to_owned()) });
                }
                choice => shown = shown.after(choice, tools)?,
            }
            rest = after;
        }
        if shown != Shown::Always {
            return Err(TemplateError::OutOfPlace { word: "if".to_owned() });
        }
        pieces.push(Piece { shown, says: Says::Text(rest.to_owned()) });
        Ok(Self { pieces })
    }

    /// Returns the text for a request that has `tools`.
    pub(crate) fn fill(&self, tools: &BTreeSet<&str>) -> String {
        let shown = self.pieces.iter().filter(|piece| piece.shown.holds(tools));
        shown.map(|piece| piece.says.text()).collect()
    }
}

impl Shown {
    /// Returns what holds behind `{{choice}}`.
    fn after(&self, choice: &str, tools: &BTreeSet<&str>) -> Result<Self, TemplateError> {
        let tool = choice.strip_prefix("if ").map(str::trim);
        match (self, choice, tool) {
            (Self::Always, _, Some(tool)) if tools.contains(tool) => Ok(Self::With(tool.to_owned())),
            (_, _, Some(tool)) if !tools.contains(tool) => {
                Err(TemplateError::Unknown { name: choice.to_owned() })
            }
            (Self::With(tool), "else", _) => Ok(Self::Without(tool.clone())),
            (Self::With(_) | Self::Without(_), "end", _) => Ok(Self::Always),
            (_, "else" | "end", _) | (_, _, Some(_)) => {
                Err(TemplateError::OutOfPlace { word: choice.to_owned() })
            }
            _ => Err(TemplateError::Unknown { name: choice.to_owned() }),
        }
    }

    fn holds(&self, tools: &BTreeSet<&str>) -> bool {
        match self {
            Self::Always => true,
            Self::With(tool) => tools.contains(tool.as_str()),
            Self::Without(tool) => !tools.contains(tool.as_str()),
        }
    }
}

impl Says {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Modes => "default and plan",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> BTreeSet<&'static str> {
        BTreeSet::from(["look", "ask"])
    }

    fn filled(text: &str, has: &[&str]) -> String {
        let template = Template::read(text, &tools()).expect("the text is in order");
        template.fill(&has.iter().copied().collect())
    }

    #[test]
    fn a_text_without_placeholders_stays_as_it_is() {
        for text in ["", "plain", "a } b }} c {", "{ {x} }"] {
            assert_eq!(filled(text, &[]), text);
        }
    }

    #[test]
    fn names_are_filled_in() {
        assert_eq!(filled("use {{look}} in {{ modes }}.", &["look"]), "use look in default and plan.");
    }

    #[test]
    fn a_choice_depends_on_the_tools_of_the_request() {
        let text = "{{if ask}}call {{ask}}{{else}}say it{{end}}, {{if look}}look{{end}}";
        assert_eq!(filled(text, &["ask", "look"]), "call ask, look");
        assert_eq!(filled(text, &["look"]), "say it, look");
        assert_eq!(filled(text, &[]), "say it, ");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let unknown = |name: &str| TemplateError::Unknown { name: name.to_owned() };
        let misplaced = |word: &str| TemplateError::OutOfPlace { word: word.to_owned() };
        for (text, error) in [
            ("{{run}}", unknown("run")),
            ("{{if run}}x{{end}}", unknown("if run")),
            ("{{}}", unknown("")),
            ("{{ask", TemplateError::NotClosed),
            ("{{if ask}}x", misplaced("if")),
            ("{{else}}", misplaced("else")),
            ("{{end}}", misplaced("end")),
            ("{{if ask}}{{if look}}x{{end}}{{end}}", misplaced("if look")),
            ("{{if ask}}a{{else}}b{{else}}c{{end}}", misplaced("else")),
        ] {
            assert_eq!(Template::read(text, &tools()), Err(error), "{text}");
        }
    }
}
