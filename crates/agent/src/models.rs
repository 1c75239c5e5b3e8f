//! The models that an agent may ask.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use model::{Effort, Provider};
use projections::State;
use sessions::{ModelCatalogue, ModelChoice, Role};

use crate::modes::Modes;

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
#[derive(Clone)]
pub struct Models {
    /// The model that works.
    pub main: Route,
    /// The model that takes over a turn when the other one has an outage.
    pub fallback: Option<Route>,
    /// What is set for single roles. Without anything, planning is the main model at medium effort where it makes any, and
    /// everything else the main model.
    pub roles: BTreeMap<Role, RoleRoute>,
    /// Everybody who can be asked, by name, for a person who chooses a model.
    pub providers: BTreeMap<String, Arc<dyn Provider>>,
    /// What single models are told of their mode, by the model's name; it comes before what everybody is told.
    pub modes: BTreeMap<String, Arc<Modes>>,
}

/// What is set for a role.
#[derive(Debug, Clone, Default)]
pub struct RoleRoute {
    /// Its model; none is the main one.
    pub route: Option<Route>,
    /// How hard it thinks; none is as its model does.
    pub effort: Option<Effort>,
}

impl Models {
    /// Returns one model for everything.
    #[must_use]
    pub fn only(main: Route) -> Self {
        let providers = BTreeMap::from([(main.provider.name().to_owned(), Arc::clone(&main.provider))]);
        Self { main, fallback: None, roles: BTreeMap::new(), providers, modes: BTreeMap::new() }
    }

    /// Returns what a person may choose from.
    #[must_use]
    pub fn catalogue(&self) -> ModelCatalogue {
        let set = self.roles.values().filter_map(|role| role.route.as_ref());
        let mut models: Vec<ModelChoice> = Vec::new();
        for route in [&self.main].into_iter().chain(&self.fallback).chain(set) {
            let (provider, model) = (route.provider.name().to_owned(), route.model.clone());
            let choice = ModelChoice { provider, model };
            if !models.contains(&choice) {
                models.push(choice);
            }
        }
        ModelCatalogue { providers: self.providers.keys().cloned().collect(), models }
    }

    /// Returns the role in which the open turn asks.
    pub(crate) fn role(state: &State) -> Role {
        if state.plan.active { Role::Plan } else { Role::Main }
    }

    /// Returns the model that the open turn asks.
    pub(crate) fn asked(&self, state: &State) -> Route {
        let falls_back = state.turn.open.as_ref().is_some_and(|open| open.falls_back);
        let fallback = self.fallback.as_ref().filter(|_| falls_back).cloned();
        fallback.unwrap_or_else(|| self.in_role(Self::role(state), state))
    }

    /// Returns the model of a role: what a person chose for it in this session comes before what is configured.
    pub(crate) fn in_role(&self, role: Role, state: &State) -> Route {
        if let Some(chosen) = self.chosen(role, state) {
            return chosen;
        }
        let main = self.chosen(Role::Main, state).unwrap_or_else(|| self.main.clone());
        let set = self.roles.get(&role).cloned().unwrap_or_default();
        let route = set.route.unwrap_or(main);
        let by_default = match role {
            Role::Plan => route.effort.map(|_| Effort::Medium),
            Role::Main | Role::Summary | Role::Judge | Role::Title => route.effort,
        };
        Route { effort: set.effort.or(by_default), ..route }
    }

    /// A model of a provider that is not set up any more counts as not chosen.
    fn chosen(&self, role: Role, state: &State) -> Option<Route> {
        let chosen = state.models.get(role.name())?;
        let provider = self.providers.get(&chosen.provider)?;
        let effort = chosen.effort.as_deref().and_then(Effort::of_name);
        Some(Route { effort, ..Route::new(Arc::clone(provider), chosen.model.clone()) })
    }

    /// Returns the model that is still to be tried when the one that the open turn asks has an outage.
    pub(crate) fn untried(&self, state: &State) -> Option<&Route> {
        let falls_back = state.turn.open.as_ref().is_some_and(|open| open.falls_back);
        self.fallback.as_ref().filter(|_| !falls_back)
    }
}

#[cfg(test)]
mod tests {
    use model::scripted::Scripted;
    use projections::ChosenModel;

    use super::*;

    fn route(model: &str, effort: Option<Effort>) -> Route {
        Route { effort, ..Route::new(Arc::new(Scripted::default()), model) }
    }

    fn told(route: &Route) -> (&str, Option<Effort>) {
        (route.model.as_str(), route.effort)
    }

    #[test]
    fn a_role_is_the_main_model_unless_it_is_set_and_planning_takes_medium_effort_where_there_is_any() {
        let state = State::default();
        let plain = Models::only(route("main", None));
        assert!(Role::ALL.iter().all(|role| told(&plain.in_role(*role, &state)) == ("main", None)));
        let judge = RoleRoute { route: Some(route("judge", None)), effort: Some(Effort::Low) };
        let roles = BTreeMap::from([(Role::Judge, judge)]);
        let models = Models { roles, ..Models::only(route("main", Some(Effort::High))) };
        assert_eq!(told(&models.in_role(Role::Main, &state)), ("main", Some(Effort::High)));
        assert_eq!(told(&models.in_role(Role::Plan, &state)), ("main", Some(Effort::Medium)));
        assert_eq!(told(&models.in_role(Role::Judge, &state)), ("judge", Some(Effort::Low)));
    }

    #[test]
    fn what_a_person_chose_comes_first_as_long_as_its_provider_is_set_up() {
        let chosen = |provider: &str| {
            let effort = Some("high".to_owned());
            let chosen = ChosenModel { provider: provider.to_owned(), model: "other".to_owned(), effort };
            State { models: BTreeMap::from([("main".to_owned(), chosen)]), ..State::default() }
        };
        let models = Models::only(route("main", None));
        assert_eq!(told(&models.in_role(Role::Main, &chosen("scripted"))), ("other", Some(Effort::High)));
        assert_eq!(told(&models.in_role(Role::Plan, &chosen("scripted"))), ("other", Some(Effort::Medium)));
        assert_eq!(told(&models.in_role(Role::Main, &chosen("gone"))), ("main", None));
    }
}
