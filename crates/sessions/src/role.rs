//! What a model is asked for, and the models that a person may choose from.

use crate::{Code, Refusal};

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// To work.
    Main,
    /// To plan.
    Plan,
    /// To sum a conversation up.
    Summary,
    /// To judge a claim of completion.
    Judge,
    /// To name a session.
    Title,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] = [Self::Main, Self::Plan, Self::Summary, Self::Judge, Self::Title];

    /// Returns the role's name in the log, in configuration and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Plan => "plan",
            Self::Summary => "summary",
            Self::Judge => "judge",
            Self::Title => "title",
        }
    }

    /// Returns the role with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// The provider's name.
    pub provider: String,
    /// The model, as the provider knows it.
    pub model: String,
}

/// What a person may choose from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCatalogue {
    /// The providers that are set up; any model of theirs may be named with them.
    pub providers: Vec<String>,
    /// The models that may be named without their provider.
    pub models: Vec<ModelChoice>,
}

impl ModelCatalogue {
    /// Returns the model that `written` names: `PROVIDER/MODEL`, or a model that is listed.
    ///
    /// # Errors
    ///
    /// `MODEL_UNKNOWN` when no provider that is set up is known to have it.
    pub fn find(&self, written: &str) -> Result<ModelChoice, Refusal> {
        let whole = written.split_once('/').filter(|(provider, model)| {
            !model.is_empty() && self.providers.iter().any(|known| known == provider)
        });
        if let Some((provider, model)) = whole {
            return Ok(ModelChoice { provider: provider.to_owned(), model: model.to_owned() });
        }
        let listed = self.models.iter().find(|choice| choice.model == written).cloned();
        listed.ok_or_else(|| {
            let message = format!("no model {written:?} is known; there are {}", self.told());
            Refusal::new(Code::ModelUnknown, message)
        })
    }

    /// Names what there is, for people.
    #[must_use]
    pub fn told(&self) -> String {
        let models = self.models.iter().map(|choice| format!("{}/{}", choice.provider, choice.model));
        let listed = |provider: &&String| !self.models.iter().any(|choice| choice.provider == **provider);
        let others = self.providers.iter().filter(listed).map(|provider| format!("{provider}/MODEL"));
        models.chain(others).collect::<Vec<_>>().join(", ")
    }
}
