//! The models that an agent may ask.

use std::fmt;
use std::sync::Arc;

use model::{Effort, Provider};
use projections::State;

/// A model, and how it is asked.
#[derive(Clone)]
pub struct Route {
    /// Who is asked.
    pub provider: Arc<dyn Provider>,
    /// The model's name, as the provider knows it.
    pub model: String,
    /// How hard it should think; none leaves it to the provider.
    pub effort: Option<Effort>,
}

impl Route {
    /// Returns the route to a model that thinks as hard as its provider has it.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>, model: impl Into<String>) -> Self {
        Self { provider, model: model.into(), effort: None }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider.name(), self.model)
    }
}

/// Which model is asked for what.
#[derive(Debug, Clone)]
pub struct Models {
    /// The model that works.
    pub main: Route,
    /// The model that takes over a turn when the other one has an outage.
    pub fallback: Option<Route>,
}

impl Models {
    /// Returns one model for everything.
    #[must_use]
    pub fn only(main: Route) -> Self {
        Self { main, fallback: None }
    }

    /// Returns the model that the open turn asks.
    pub(crate) fn asked(&self, state: &State) -> &Route {
        let falls_back = state.turn.open.as_ref().is_some_and(|open| open.falls_back);
        self.fallback.as_ref().filter(|_| falls_back).unwrap_or(&self.main)
    }

    /// Returns the model that is still to be tried when the one that the open turn asks has an outage.
    pub(crate) fn untried(&self, state: &State) -> Option<&Route> {
        let falls_back = state.turn.open.as_ref().is_some_and(|open| open.falls_back);
        self.fallback.as_ref().filter(|_| !falls_back)
    }
}
