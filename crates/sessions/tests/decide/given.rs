//! Given, when, then: a session in memory that is decided on and folded as a host would do it.

use events::{Actor, Envelope, Epoch, Seq, SessionCreated, SessionEvent, SessionOpened};
use projections::{Activation, CurrentGoal, State, fold};
use sessions::{Code, Command, Decision, Ids, Limits, Moment, decide, repair};
use uuid::Uuid;

use crate::facts::line;

/// One thing that happens to a session.
pub(crate) enum Step {
    /// Somebody wants something; what exactly depends on the state they look at.
    Wish(Actor, Box<dyn Fn(&State) -> Command>),
    /// A fact is recorded without being decided.
    Fact(SessionEvent),
    /// The host dies and another one takes over.
    Restart,
    /// The clock moves.
    Clock(u64),
    /// Other limits hold.
    Limits(Box<dyn Fn(&mut Limits)>),
}

/// What happens, in order.
pub(crate) type Steps = Vec<Step>;

/// A session in memory.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) log: Vec<Envelope>,
    pub(crate) state: State,
    pub(crate) epoch: Epoch,
    pub(crate) limits: Limits,
    now_ms: u64,
    moments: u128,
}

/// Returns a session to which all of `steps` happened; each of them must be accepted.
pub(crate) fn given(steps: impl IntoIterator<Item = Steps>) -> Session {
    let mut session = Session::new();
    session.go_through(steps.into_iter().flatten().collect());
    session
}

/// A decision that has not been looked at.
pub(crate) struct Outcome {
    session: Session,
    decided: Decision,
    actor: Actor,
}

impl Session {
    /// Returns a new session, owned in epoch 1, with a title so that none is made.
    pub(crate) fn new() -> Self {
        let mut session = Self {
            log: Vec::new(),
            state: State::default(),
            epoch: Epoch(1),
            // Rounds here change nothing, unless a test is about just that.
            limits: Limits { no_progress_default: None, ..Limits::default() },
            now_ms: 1_000,
            moments: 0,
        };
        let title = Some("a session".to_owned());
        let created =
            SessionCreated { title, workspace: "/w".to_owned(), parent: None, fork_seq: None, preset: None };
        session.record(&Actor::HOST, vec![created.into(), opened(Epoch(1))]);
        session
    }

    /// Returns the circumstances of the next decision.
    pub(crate) fn moment(&mut self, actor: &Actor) -> Moment {
        self.moments += 1;
        let seed = 0x0190_0000_0000_7000_8000_0000_0000_0000 + (self.moments << 16);
        Moment {
            models: Default::default(),
            at_ms: self.now_ms,
            epoch: self.epoch,
            actor: actor.clone(),
            ids: Ids::new(Uuid::from_u128(seed)),
            limits: self.limits,
        }
    }

    /// Appends one batch and folds it.
    pub(crate) fn record(&mut self, actor: &Actor, facts: Vec<SessionEvent>) {
        let batch_end = self.state.head.plus(facts.len() as u64);
        for event in facts {
            let envelope = Envelope {
                seq: self.state.head.next(),
                batch_end,
                epoch: self.epoch,
                at_ms: self.now_ms,
                cause: None,
                actor: actor.clone(),
                event,
            };
            fold(&mut self.state, &envelope);
            self.log.push(envelope);
        }
    }

    /// Decides one wish without recording what comes of it.
    pub(crate) fn decide(&mut self, actor: &Actor, command: &Command) -> Decision {
        let at = self.moment(actor);
        decide(&self.state, command, &at)
    }

    /// Takes the session over in the next epoch and returns the repairs, not yet recorded.
    pub(crate) fn take_over(&mut self) -> Vec<SessionEvent> {
        self.epoch = self.epoch.next();
        self.record(&Actor::HOST, vec![opened(self.epoch)]);
        let at = self.moment(&Actor::HOST);
        repair(&self.state, &at)
    }

    fn go_through(&mut self, steps: Steps) {
        for (index, step) in steps.into_iter().enumerate() {
            let outcome = self.take(step);
            let Some((actor, decided)) = outcome else { continue };
            match decided {
                Ok(facts) => self.record(&actor, facts),
                Err(refusal) => panic!("step {index} is refused: {refusal}"),
            }
            assert_eq!(
                self.state.damage,
                None,
                "step {index} left damage: {:#?}",
                self.lines_of_last_batch()
            );
        }
    }

    fn take(&mut self, step: Step) -> Option<(Actor, Decision)> {
        match step {
            Step::Wish(actor, wish) => {
                let command = wish(&self.state);
                let decided = self.decide(&actor, &command);
                Some((actor, decided))
            }
            Step::Restart => Some((Actor::HOST, Ok(self.take_over()))),
            Step::Fact(fact) => Some((Actor::HOST, Ok(vec![fact]))),
            Step::Clock(now_ms) => {
                self.now_ms = now_ms;
                None
            }
            Step::Limits(change) => {
                change(&mut self.limits);
                None
            }
        }
    }

    fn lines_of_last_batch(&self) -> Vec<String> {
        let end = self.log.last().map(|envelope| envelope.batch_end);
        self.log.iter().filter(|it| Some(it.batch_end) == end).map(|it| line(&it.event)).collect()
    }

    /// Goes on with `steps`; each of them must be accepted.
    pub(crate) fn and(mut self, steps: impl IntoIterator<Item = Steps>) -> Self {
        self.go_through(steps.into_iter().flatten().collect());
        self
    }

    /// Takes the one step in `steps`.
    pub(crate) fn when(mut self, steps: Steps) -> Outcome {
        let [step]: [Step; 1] = steps.try_into().ok().expect("exactly one step is looked at");
        let (actor, decided) = self.take(step).expect("the step decides something");
        Outcome { session: self, decided, actor }
    }

    /// Checks a claim about the state.
    #[track_caller]
    pub(crate) fn holds(self, claim: impl Fn(&State) -> bool) -> Self {
        assert!(claim(&self.state), "the claim does not hold of {:#?}", self.state);
        self
    }

    /// Returns the goal that stands.
    pub(crate) fn goal(&self) -> &CurrentGoal {
        self.state.goals.current.as_ref().expect("a goal stands")
    }

    /// Returns the round that is in flight, if a goal stands that has one.
    pub(crate) fn goal_flight(&self) -> Option<&projections::Flight> {
        self.state.goals.current.as_ref()?.flight.as_ref()
    }

    /// Says whether the goal that stands may go on by itself here.
    pub(crate) fn is_armed(&self) -> bool {
        self.goal().activation(Some(self.epoch)) == Activation::Armed
    }

    /// Returns the lines of all events whose type begins with `prefix`.
    pub(crate) fn lines(&self, prefix: &str) -> Vec<String> {
        self.log.iter().map(|it| line(&it.event)).filter(|line| line.starts_with(prefix)).collect()
    }

    /// Returns the last positions of all batches so far.
    pub(crate) fn batch_ends(&self) -> Vec<Seq> {
        let mut ends: Vec<Seq> = self.log.iter().map(|envelope| envelope.batch_end).collect();
        ends.dedup();
        ends
    }

    /// Returns the session as it was when `end` was its head.
    pub(crate) fn cut(&self, end: Seq) -> Self {
        let mut cut = self.clone();
        cut.log.retain(|envelope| envelope.seq <= end);
        cut.state = State::default();
        cut.log.iter().for_each(|envelope| fold(&mut cut.state, envelope));
        cut.epoch = cut.state.epoch;
        cut
    }
}

/// Returns the fact that a host owns the session.
pub(crate) fn opened(epoch: Epoch) -> SessionEvent {
    SessionOpened { epoch, host: format!("host {epoch}") }.into()
}

impl Outcome {
    /// Checks the facts and records them.
    #[track_caller]
    pub(crate) fn then<const N: usize>(self, expected: [&str; N]) -> Session {
        let Self { mut session, decided, actor } = self;
        let facts = decided.unwrap_or_else(|refusal| panic!("refused: {refusal}"));
        let lines: Vec<String> = facts.iter().map(line).collect();
        assert_eq!(lines, expected);
        session.record(&actor, facts);
        assert_eq!(session.state.damage, None);
        session
    }

    /// Checks that nothing had to change.
    #[track_caller]
    pub(crate) fn then_nothing(self) -> Session {
        self.then([])
    }

    /// Checks the refusal.
    #[track_caller]
    pub(crate) fn refused(self, code: Code) -> Session {
        match self.decided {
            Ok(facts) => panic!("accepted: {:#?}", facts.iter().map(line).collect::<Vec<_>>()),
            Err(refusal) => {
                assert_eq!(refusal.code, code, "{refusal}");
                assert!(!refusal.message.is_empty() && !refusal.message.ends_with('.'), "{refusal}");
                self.session
            }
        }
    }

    /// Records the facts, whatever they are, and returns their lines with the session.
    #[track_caller]
    pub(crate) fn told(self) -> (Session, Vec<String>) {
        let Self { mut session, decided, actor } = self;
        let facts = decided.unwrap_or_else(|refusal| panic!("refused: {refusal}"));
        let lines = facts.iter().map(line).collect();
        session.record(&actor, facts);
        assert_eq!(session.state.damage, None);
        (session, lines)
    }

    /// Returns the facts without recording them.
    pub(crate) fn facts(self) -> Vec<SessionEvent> {
        self.decided.unwrap_or_else(|refusal| panic!("refused: {refusal}"))
    }
}
