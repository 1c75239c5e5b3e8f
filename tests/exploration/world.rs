//! One moment of a session: what its log came to, whether a host lives, and who is about to act on an older look.

use std::mem::discriminant;

use agent::Next;
use events::{
    Actor, ClientId, Envelope, Epoch, GoalId, GoalRef, SessionCreated, SessionEvent, SessionOpened,
};
use goal_driver::Step;
use projections::{State, fold};
use sessions::{Command, Ids, Limits, Moment, Refusal, decide, repair};
use uuid::Uuid;

use crate::action::{Action, Sight};
use crate::bound::{ROUNDS_MAX, STEPS_MAX};
use crate::history::History;

/// Whether somebody owns the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// A host owns it and has repaired it.
    Lives,
    /// Its host died; another one acquired it and has not repaired it yet.
    Opened,
}

/// A session and everything beside its log that decides what may follow.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// The folded log.
    pub(crate) state: State,
    /// Whether somebody owns the session.
    pub(crate) host: Host,
    /// What the log said, kept apart from the folds that are checked against it.
    pub(crate) history: History,
    /// The last reference of the goal before the current one.
    pub(crate) gone: GoalRef,
    /// What the agent found due at a look since its last record, and has not submitted yet.
    pub(crate) agent_late: Vec<Next>,
    /// The same of the driver, as long as it names the newest revision.
    pub(crate) driver_late: Vec<Step>,
    moves: u64,
}

/// What an action led to.
pub(crate) enum Outcome {
    /// The rules said no.
    Refused(Refusal),
    /// The rules said yes, and nothing had to be recorded.
    Nothing,
    /// Facts were recorded.
    Moved(Box<World>, Vec<Envelope>),
}

impl World {
    /// Returns a new session that a host has just begun.
    pub(crate) fn begin() -> Self {
        let mut world = Self {
            state: State::default(),
            host: Host::Lives,
            history: History::default(),
            gone: GoalRef { id: GoalId::from("goal-of-yore"), revision: 1 },
            agent_late: Vec::new(),
            driver_late: Vec::new(),
            moves: 0,
        };
        let created = SessionCreated {
            title: Some("explored".to_owned()),
            workspace: "/home/somebody/project".to_owned(),
            parent: None,
            fork_seq: None,
            preset: None,
        };
        let at = world.moment(Actor::HOST, Epoch(1));
        let opened = SessionOpened { epoch: Epoch(1), host: "host 1".to_owned() };
        world.record(vec![created.into(), opened.into()], &at).expect("a beginning breaks nothing");
        world
    }

    /// Returns the epoch of the host that lives.
    pub(crate) fn host_epoch(&self) -> Option<Epoch> {
        (self.host == Host::Lives).then_some(self.state.epoch)
    }

    /// Returns what the agent has to do now.
    pub(crate) fn agent_due(&self) -> Next {
        agent::next(&self.state, self.host_epoch())
    }

    /// Returns what the driver has to do now.
    pub(crate) fn driver_due(&self) -> Step {
        goal_driver::next_step(&self.state, self.host_epoch(), self.moves)
    }

    /// Returns the goal as somebody with this sight of it names it.
    pub(crate) fn seen(&self, sight: Sight) -> GoalRef {
        match (sight, &self.state.goals.current) {
            (Sight::Now, Some(current)) => current.goal.reference(),
            (Sight::Past, Some(current)) => {
                GoalRef { id: current.goal.id.clone(), revision: current.goal.revision - 1 }
            }
            (Sight::Now | Sight::Past, None) | (Sight::Gone, _) => self.gone.clone(),
        }
    }

    /// Carries an action out; an error is a fact that breaks a rule.
    pub(crate) fn after(&self, action: &Action) -> Result<Outcome, String> {
        match action {
            Action::Crash => {
                let epoch = self.state.epoch.next();
                let opened = SessionOpened { epoch, host: format!("host {epoch}") };
                let (agent_late, driver_late) = (Vec::new(), Vec::new());
                let dead = Self { agent_late, driver_late, ..self.clone() };
                dead.moved(Host::Opened, vec![opened.into()], &self.moment(Actor::HOST, epoch))
            }
            Action::Repair => {
                let at = self.moment(Actor::HOST, self.state.epoch);
                self.moved(Host::Lives, repair(&self.state, &at), &at)
            }
            other => self.submitted(other),
        }
    }

    fn submitted(&self, action: &Action) -> Result<Outcome, String> {
        let command = action.command(self).ok_or_else(|| format!("{action:?} has no command here"))?;
        let at = self.moment(actor_of(action), self.state.epoch);
        match decide(&self.state, &command, &at) {
            Err(refusal) => Ok(Outcome::Refused(refusal)),
            Ok(events) if events.is_empty() => Ok(Outcome::Nothing),
            Ok(events) => self.moved(Host::Lives, events, &at).map(|outcome| self.aged(&command, outcome)),
        }
    }

    fn moved(&self, host: Host, events: Vec<SessionEvent>, at: &Moment) -> Result<Outcome, String> {
        let mut after = Self { host, moves: self.moves + 1, ..self.clone() };
        let recorded = after.record(events, at)?;
        Ok(Outcome::Moved(Box::new(after), recorded))
    }

    /// What one of the followers found due stays due to it, until it has recorded something itself.
    fn aged(&self, command: &Command, outcome: Outcome) -> Outcome {
        let Outcome::Moved(mut after, recorded) = outcome else { return outcome };
        match command {
            Command::Agent(_) => after.agent_late.clear(),
            _ => after.keep_agent_look(self.agent_due()),
        }
        match command {
            Command::Driver(_) => after.driver_late.clear(),
            _ => after.keep_driver_look(self.driver_due()),
        }
        if let Some(before) = &self.state.goals.current {
            let id = &before.goal.id;
            if after.state.goals.current.as_ref().is_none_or(|current| current.goal.id != *id) {
                after.gone = before.goal.reference();
            }
        }
        Outcome::Moved(after, recorded)
    }

    fn keep_agent_look(&mut self, look: Next) {
        if look != Next::Wait && !self.agent_late.contains(&look) {
            self.agent_late.push(look);
        }
    }

    fn keep_driver_look(&mut self, look: Step) {
        if !self.driver_late.iter().any(|late| discriminant(late) == discriminant(&look)) {
            self.driver_late.push(look);
        }
        let now = self.state.goals.current.as_ref();
        self.driver_late.retain(|late| {
            let (Step::Reserve { goal, .. } | Step::Block { goal, .. }) = late else { return false };
            let round_follows =
                |started| !matches!(late, Step::Reserve { round, .. } if *round != started + 1);
            now.is_some_and(|now| now.goal.reference() == *goal && round_follows(now.rounds_started))
        });
    }

    fn record(&mut self, events: Vec<SessionEvent>, at: &Moment) -> Result<Vec<Envelope>, String> {
        let batch_end = self.state.head.plus(events.len() as u64);
        let mut recorded = Vec::new();
        for event in events {
            let envelope = Envelope {
                seq: self.state.head.next(),
                batch_end,
                epoch: at.epoch,
                at_ms: at.at_ms,
                cause: None,
                actor: at.actor.clone(),
                event,
            };
            self.history.watch(&envelope, &self.state)?;
            fold(&mut self.state, &envelope);
            recorded.push(envelope);
        }
        Ok(recorded)
    }

    fn moment(&self, actor: Actor, epoch: Epoch) -> Moment {
        let limits = Limits {
            rounds_default: ROUNDS_MAX,
            rounds_max: ROUNDS_MAX,
            steps_per_turn_max: STEPS_MAX,
            no_progress_default: None,
            ..Limits::default()
        };
        // Each move has ids of its own, and the same moves have the same ids again.
        let ids = Ids::new(Uuid::from_u128(u128::from(self.moves) << 16));
        Moment { models: Default::default(), at_ms: self.moves, epoch, actor, ids, limits }
    }
}

fn actor_of(action: &Action) -> Actor {
    match action {
        Action::Drive(..) => Actor::DRIVER,
        Action::Agent(Next::Ask | Next::Call, _) => Actor::MODEL,
        Action::Agent(..) | Action::Crash | Action::Repair => Actor::HOST,
        _ => Actor::user(ClientId::from("tab")),
    }
}
