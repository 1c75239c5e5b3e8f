//! The calls of an answer: in model order, reads side by side, everything else alone.

use std::time::Instant;

use events::{Block, CallId, ToolClass, ToolFailure, ToolOutcome, ToolResult};
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use projections::{Call, CallStage, State};
use sessions::{AgentCommand, ToolAction, View};
use tokio_util::sync::CancellationToken;
use tools::{BodyCall, Confinement, Invocation, Outcome, Profile, SandboxKind, ToolError, Workspace};

use crate::agent::{Agent, Stumble};
use crate::ask::stopped;
use crate::judge::Judged;

/// Reads that run side by side.
const PARALLEL_CALLS_MAX: usize = 10;

impl Agent {
    /// Carries out the first call without a result, and with it the reads that may run beside it.
    pub(crate) async fn call(&self, view: &View) -> Result<(), Stumble> {
        let group = self.group(&view.state);
        let mut bodies = FuturesOrdered::new();
        for call in group {
            let confinement = self.confinement(&view.state);
            if let Some(body) = self.start(call, &confinement).await? {
                bodies.push_back(self.run_body((call, body), confinement, view));
            }
        }
        while let Some(result) = bodies.next().await {
            self.submit(AgentCommand::FinishCall(result)).await?;
        }
        Ok(())
    }

    /// Returns the first call that waits, with the reads right behind it if it is one.
    fn group<'a>(&self, state: &'a State) -> Vec<&'a Call> {
        let waiting = state.turn.step().into_iter().flat_map(|step| &step.calls);
        let mut waiting = waiting.skip_while(|call| call.stage == CallStage::Done).peekable();
        let is_read = |call: &&Call| self.registry.concurrency_safe(&call.name, &call.arguments);
        match waiting.peek() {
            Some(first) if is_read(first) => waiting.take_while(is_read).take(PARALLEL_CALLS_MAX).collect(),
            _ => waiting.take(1).collect(),
        }
    }

    /// Records the call's start and returns its body; none when the call has its result already.
    async fn start(&self, call: &Call, confinement: &Confinement) -> Result<Option<BodyCall>, Stumble> {
        let call_id = call.call_id.clone();
        match self.registry.parse(&call.name, &call.arguments) {
            Err(error) => {
                let failure = ToolFailure { code: error.code().to_owned(), message: error.to_string() };
                self.submit(AgentCommand::FailCall { call_id, failure }).await?;
                Ok(None)
            }
            Ok(Invocation::Session(action)) => {
                self.act(call_id, action).await?;
                Ok(None)
            }
            Ok(Invocation::Body(body)) => {
                let class = self.registry.class(&call.name, &call.arguments);
                let sandbox = (class == ToolClass::Exec).then(|| confinement.recorded());
                self.submit(AgentCommand::StartCall { call_id, class, sandbox }).await?;
                Ok(self.may_run(call).then_some(body))
            }
        }
    }

    /// Has a session tool's call decided; a claim that a goal is met may need a judge first.
    async fn act(&self, call_id: CallId, action: ToolAction) -> Result<(), Stumble> {
        let view = self.session.view();
        match self.judged(&view, &action).await {
            Judged::NotNeeded => self.submit(AgentCommand::Act { call_id, action }).await,
            Judged::Said(judgement) => self.submit(AgentCommand::Judge { call_id, action, judgement }).await,
            Judged::Stopped => Ok(()),
        }
    }

    /// Says whether the log lets the body run: the start may have been refused there.
    fn may_run(&self, call: &Call) -> bool {
        let state = self.session.view().state;
        let stage = state.turn.step().and_then(|step| step.call(&call.call_id)).map(|call| call.stage);
        matches!(stage, Some(CallStage::Started(_)))
    }

    /// Under plan mode a command gets the sandbox that keeps the workspace as it is, if there is one; whether it may run
    /// is decided where it is recorded.
    fn confinement(&self, state: &State) -> Confinement {
        let default = Confinement::default_of(&self.sandbox);
        if state.is_planning() && self.sandbox.kind() != SandboxKind::None {
            return Confinement { profile: Profile::ReadOnly, ..default };
        }
        default
    }

    async fn run_body(
        &self,
        (call, body): (&Call, BodyCall),
        confinement: Confinement,
        view: &View,
    ) -> ToolResult {
        let began = Instant::now();
        let outcome = match self.workspace(&view.state) {
            Ok(workspace) => self.run_in(&workspace, (body, &confinement), view).await,
            Err(error) => Outcome::from(error),
        };
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        result_of(call, outcome, duration_ms)
    }

    pub(crate) fn workspace(&self, state: &State) -> Result<Workspace, ToolError> {
        Workspace::open(&state.session.workspace)?.protecting(&self.protected)
    }

    /// Runs the body; stopping the turn stops it, and its outcome is still waited for.
    async fn run_in(
        &self,
        workspace: &Workspace,
        (body, confinement): (BodyCall, &Confinement),
        view: &View,
    ) -> Outcome {
        let cancel = CancellationToken::new();
        let mut watch = self.session.watch();
        let work = body.run(workspace, confinement, cancel.clone());
        tokio::pin!(work);
        tokio::select! {
            outcome = &mut work => outcome,
            () = stopped(&mut watch, view) => {
                cancel.cancel();
                work.await
            }
        }
    }
}

fn result_of(call: &Call, outcome: Outcome, duration_ms: u64) -> ToolResult {
    let error = outcome.is_error.then(|| ToolFailure {
        code: outcome.code.unwrap_or("TOOL_FAILED").to_owned(),
        message: outcome.text.lines().next().unwrap_or_default().to_owned(),
    });
    ToolResult {
        call_id: call.call_id.clone(),
        outcome: if outcome.is_error { ToolOutcome::Error } else { ToolOutcome::Ok },
        content: vec![Block::text(outcome.text)],
        error,
        diff: outcome.diff,
        duration_ms: Some(duration_ms),
    }
}
