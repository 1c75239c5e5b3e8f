//! `/model`: which model is asked for what in this session.

use events::{ModelSelected, SessionEvent};
use projections::State;

use crate::{Code, Moment, Refusal, Role};

/// The efforts that a model can be asked to make.
const EFFORTS: [&str; 3] = ["low", "medium", "high"];

/// What a line chooses.
struct Choice<'a> {
    role: Role,
    model: Option<&'a str>,
    effort: Option<&'a str>,
}

/// Carries `/model` out; without anything it tells what is chosen and what there is.
pub(super) fn line(state: &State, args: &str, at: &Moment) -> Result<(Vec<SessionEvent>, String), Refusal> {
    let choice = parse(args)?;
    if choice.model.is_none() && choice.effort.is_none() {
        return Ok((Vec::new(), told(state, at)));
    }
    let selected = select(state, &choice, at)?;
    let effort = selected.effort.as_ref().map(|effort| format!(" at {effort} effort")).unwrap_or_default();
    let text = format!(
        "{} is asked as {} from the next request on{effort}.",
        shown(&selected.provider, &selected.model),
        selected.role
    );
    let is_same = state.models.get(&selected.role).is_some_and(|now| {
        (&now.provider, &now.model, &now.effort) == (&selected.provider, &selected.model, &selected.effort)
    });
    Ok((if is_same { Vec::new() } else { vec![selected.into()] }, text))
}

/// Reads `[role ROLE] [MODEL] [effort=EFFORT]`.
fn parse(args: &str) -> Result<Choice<'_>, Refusal> {
    let mut words = args.split_whitespace().peekable();
    let mut choice = Choice { role: Role::Main, model: None, effort: None };
    if words.next_if_eq(&"role").is_some() {
        let name = words.next().unwrap_or_default();
        choice.role = Role::of_name(name).ok_or_else(|| {
            let names = Role::ALL.map(Role::name).join(", ");
            Refusal::new(Code::RoleUnknown, format!("no role is called {name:?}; there are {names}"))
        })?;
    }
    for word in words {
        match word.strip_prefix("effort=") {
            Some(effort) if !EFFORTS.contains(&effort) => {
                let message = format!("no effort is called {effort:?}; there are {}", EFFORTS.join(", "));
                return Refusal::err(Code::EffortUnknown, message);
            }
            Some(effort) => choice.effort = Some(effort),
            None if choice.model.is_none() => choice.model = Some(word),
            None => {
                let message = "write /model [role ROLE] [MODEL] [effort=low|medium|high]";
                return Refusal::err(Code::CommandInvalid, message);
            }
        }
    }
    Ok(choice)
}

/// An effort alone goes to the model that the role has now.
fn select(state: &State, choice: &Choice<'_>, at: &Moment) -> Result<ModelSelected, Refusal> {
    let role = choice.role.name().to_owned();
    let effort = choice.effort.map(str::to_owned);
    if let Some(model) = choice.model {
        let found = at.models.find(model)?;
        return Ok(ModelSelected { role, provider: found.provider, model: found.model, effort });
    }
    let now = state.models.get(&role).map(|now| (now.provider.clone(), now.model.clone()));
    let header = state.requests.header.as_ref().map(|header| (header.provider.clone(), header.model.clone()));
    let first = at.models.models.first().map(|choice| (choice.provider.clone(), choice.model.clone()));
    let unknown =
        || Refusal::new(Code::ModelUnknown, "name a model, too: /model [role ROLE] MODEL effort=EFFORT");
    let (provider, model) = now.or(header).or(first).ok_or_else(unknown)?;
    Ok(ModelSelected { role, provider, model, effort })
}

fn told(state: &State, at: &Moment) -> String {
    let role = |role: &Role| {
        let chosen = state.models.get(role.name()).map(|chosen| {
            let effort = chosen.effort.as_ref().map(|effort| format!(" effort={effort}")).unwrap_or_default();
            format!("{}{effort}", shown(&chosen.provider, &chosen.model))
        });
        format!("{}: {}", role.name(), chosen.unwrap_or_else(|| "as configured".to_owned()))
    };
    let mut lines: Vec<String> = Role::ALL.iter().map(role).collect();
    lines.push(format!("There are {}.", at.models.told()));
    lines.join("\n")
}

fn shown(provider: &str, model: &str) -> String {
    if provider == model { model.to_owned() } else { format!("{provider}/{model}") }
}
