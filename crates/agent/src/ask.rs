//! One request: built from the log, recorded, streamed into the log, and its answer recorded.

use events::{
    Block, CallId, Digest, ModeText, ProviderItem, RequestAttempt, RequestHeader, StepFinish, Usage,
};
use futures_util::StreamExt;
use model::{Assembly, Failure, FailureClass, Finish, Request};
use projections::{OpenStep, State};
use sessions::{AgentCommand, Answered, Outage, View};
use tokio::sync::watch;
use tokio::time::sleep_until;

use crate::agent::{Agent, Stumble};
use crate::flow::Flow;
use crate::models::Models;
use crate::prompt::system_prompt;
use crate::proposed_plan;
use crate::usage::{request_bytes, usage_of};

impl Agent {
    /// Asks the model once and records what it answers.
    pub(crate) async fn ask(&mut self, view: &View) -> Result<(), Stumble> {
        if self.is_stopped_before_retry(view).await {
            return Ok(());
        }
        self.transcript.catch_up(&self.session, view.state.head).await?;
        let mode_text = self.mode_text(&view.state);
        let request = self.request(&view.state, &mode_text);
        if let Some(header) = self.changed_header(&view.state, &request, &mode_text) {
            // What the model is told of the change comes with it, so that the request is built anew.
            return self.submit(AgentCommand::Header(header)).await;
        }
        let asked_bytes = request_bytes(&request);
        let assembly = match self.stream(view, request).await? {
            Streamed::Whole(assembly) => assembly,
            Streamed::Stopped => return Ok(()),
            Streamed::Failed(failure) => return self.failed(view, &failure).await,
        };
        let usage = usage_of(&assembly, asked_bytes);
        let answer = self.answered(&view.state, &assembly, usage);
        self.submit(AgentCommand::Answered(answer)).await
    }

    /// Returns the text of the mode in force, for the tools that the request has.
    fn mode_text(&self, state: &State) -> String {
        let modes = self.models.modes.get(&self.models.asked(state).model).unwrap_or(&self.modes);
        modes.text(state.plan.active, self.tool_specs.iter().map(|spec| spec.name.as_str()))
    }

    /// A step that only closes offers no tools.
    fn request(&self, state: &State, mode_text: &str) -> Request {
        let route = self.models.asked(state);
        let closes = state.turn.step().is_some_and(|step| step.wraps_up);
        Request {
            model: route.model.clone(),
            system: system_prompt(state, mode_text, self.session.limits()),
            messages: self.transcript.messages(),
            tools: if closes { Vec::new() } else { self.tool_specs.clone() },
            effort: route.effort,
            max_output_tokens: None,
        }
    }

    /// Returns the header of the request if it differs from the one before; texts new to the log are in it.
    fn changed_header(&self, state: &State, request: &Request, mode_text: &str) -> Option<RequestHeader> {
        let tools = serde_json::to_string(&request.tools).expect("tool schemas are JSON");
        let (system_hash, tools_hash) = (digest(&request.system), digest(&tools));
        let header = RequestHeader {
            turn: 0,
            step: 0,
            role: Some(Models::role(state).name().to_owned()),
            provider: self.models.asked(state).provider.name().to_owned(),
            model: request.model.clone(),
            effort: request.effort.map(|effort| effort.name().to_owned()),
            max_output_tokens: request.max_output_tokens,
            system_hash,
            tools_hash,
            mode_text: Some(ModeText { plan: state.plan.active, hash: digest(mode_text) }),
            system: None,
            tools: None,
        };
        let before = state.requests.header.clone().map(|before| RequestHeader { turn: 0, step: 0, ..before });
        if before.as_ref() == Some(&header) {
            return None;
        }
        let is_new = |hash: &Digest| !state.requests.texts.contains_key(hash);
        Some(RequestHeader {
            turn: state.turn.number,
            step: state.turn.open.as_ref().map_or(0, |open| open.steps),
            system: is_new(&header.system_hash).then(|| request.system.clone()),
            tools: is_new(&header.tools_hash).then_some(tools),
            ..header
        })
    }

    async fn stream(&self, view: &View, request: Request) -> Result<Streamed, Stumble> {
        let mut chunks = self.models.asked(&view.state).provider.stream(request);
        let mut assembly = Assembly::new();
        let mut flow = Flow::new(view);
        let mut watch = self.session.watch();
        loop {
            let flush_at = flow.flush_at();
            tokio::select! {
                biased;
                () = stopped(&mut watch, view) => {
                    // What has arrived was paid for and belongs to the history of the turn.
                    flow.end();
                    self.flush(&mut flow).await?;
                    return Ok(Streamed::Stopped);
                }
                () = sleep_until(flush_at), if flow.waits() => self.flush(&mut flow).await?,
                chunk = chunks.next() => match chunk {
                    Some(Ok(chunk)) => {
                        flow.take(&chunk);
                        assembly.push(&chunk);
                    }
                    Some(Err(failure)) => {
                        flow.end();
                        self.flush(&mut flow).await?;
                        return Ok(Streamed::Failed(failure));
                    }
                    None if assembly.finish().is_some() => return Ok(Streamed::Whole(assembly)),
                    None => {
                        flow.end();
                        self.flush(&mut flow).await?;
                        let failure = Failure::new(FailureClass::StreamCut, "the provider's answer broke off");
                        return Ok(Streamed::Failed(failure));
                    }
                },
            }
        }
    }

    async fn flush(&self, flow: &mut Flow) -> Result<(), Stumble> {
        for delta in flow.deltas() {
            match self.submit(AgentCommand::Delta(delta)).await {
                // The turn was stopped meanwhile; the text that came too late is not recorded.
                Err(Stumble::Refused) => return Ok(()),
                other => other?,
            }
        }
        Ok(())
    }

    /// Waits until the attempt that is due may be made; says whether the turn was stopped meanwhile.
    async fn is_stopped_before_retry(&self, view: &View) -> bool {
        let Some(retry) = view.state.turn.step().and_then(|step| step.retry.as_ref()) else { return false };
        let mut watch = self.session.watch();
        tokio::select! {
            biased;
            () = stopped(&mut watch, view) => true,
            () = self.session.reach(retry.not_before_ms) => false,
        }
    }

    /// Records what comes of a failure: another attempt, the fallback model, or the end of the turn.
    async fn failed(&self, view: &View, failure: &Failure) -> Result<(), Stumble> {
        let class = failure.class.name();
        tracing::warn!(session = %self.session.id(), class, "the model could not be asked");
        let retry = view.state.turn.step().and_then(|step| step.retry.as_ref());
        let failures = retry.map_or(0, |retry| retry.failures);
        let wait_ms = self.retry.wait_ms(failures, failure, (self.chance)());
        let fallback = self.models.untried(&view.state).filter(|_| failure.class.is_outage());
        let attempt = match (wait_ms, fallback) {
            (Some(delay_ms), _) => again(&view.state, failure, (delay_ms, None)),
            (None, Some(route)) => again(&view.state, failure, (0, Some(route.model.clone()))),
            (None, None) => return self.fail(failure).await,
        };
        self.submit(AgentCommand::Retry(attempt)).await
    }

    async fn fail(&self, failure: &Failure) -> Result<(), Stumble> {
        let code = failure.class.name().to_owned();
        let is_outage = failure.class.is_outage();
        let outage = is_outage.then_some(Outage { retry_after_ms: failure.retry_after_ms });
        self.submit(AgentCommand::Fail { code, message: failure.message.clone(), outage }).await
    }

    fn answered(&self, state: &State, assembly: &Assembly, usage: Usage) -> Answered {
        let mut content = Vec::new();
        if !assembly.reasoning().is_empty() {
            content.push(Block::Reasoning { text: assembly.reasoning().to_owned() });
        }
        if !assembly.text().is_empty() {
            content.push(Block::text(assembly.text()));
        }
        let calls = if assembly.finish() == Some(Finish::MaxTokens) { Vec::new() } else { assembly.calls() };
        let used = self.transcript.call_ids();
        let step = state.turn.open.as_ref().map_or(0, |open| open.steps);
        for call in calls {
            // A call id names one call in the whole session, also with providers that count anew in each answer.
            let call_id = if used.contains(call.call_id.as_str()) {
                format!("{}-{}-{step}", call.call_id, state.turn.number)
            } else {
                call.call_id
            };
            content.push(Block::ToolCall {
                call_id: CallId(call_id),
                name: call.name,
                arguments: call.arguments,
            });
        }
        let has_calls = content.iter().any(|block| matches!(block, Block::ToolCall { .. }));
        let finish = match assembly.finish() {
            Some(Finish::MaxTokens) => StepFinish::MaxTokens,
            Some(Finish::Refusal) => StepFinish::Refusal,
            _ if has_calls => StepFinish::ToolCalls,
            _ => StepFinish::Stop,
        };
        let plan = plan_of(state, assembly.text(), finish);
        let route = self.models.asked(state);
        let item = |(before_call, json): &(u32, String)| ProviderItem {
            provider: route.provider.name().to_owned(),
            model: route.model.clone(),
            before_call: *before_call,
            json: json.clone(),
        };
        let items = assembly.items().iter().map(item).collect();
        Answered { content, items, plan, usage: Some(usage), finish, model: route.model.clone() }
    }
}

/// Returns the record of the attempt that follows a failure.
fn again(state: &State, failure: &Failure, (delay_ms, fallback): (u64, Option<String>)) -> RequestAttempt {
    RequestAttempt {
        turn: state.turn.number,
        step: state.turn.open.as_ref().map_or(0, |open| open.steps),
        attempt: state.turn.step().map_or(1, OpenStep::attempt) + 1,
        class: failure.class.name().to_owned(),
        message: failure.message.clone(),
        delay_ms,
        fallback,
        usage: None,
    }
}

enum Streamed {
    /// The whole answer.
    Whole(Assembly),
    /// The turn was stopped, or the session is no longer ours.
    Stopped,
    /// The provider failed.
    Failed(Failure),
}

/// Returns once the turn of `view` is being stopped, or this process has lost the session.
pub(crate) async fn stopped(watch: &mut watch::Receiver<View>, view: &View) {
    let is_over = |now: &View| {
        let open = now.state.turn.open.as_ref();
        now.host_epoch != view.host_epoch
            || now.state.turn.number != view.state.turn.number
            || open.is_none_or(|open| open.cancelled.is_some())
    };
    // An error means that the session's door is gone, which stops everything too.
    let _ = watch.wait_for(is_over).await;
}

/// Returns the plan in an answer's text: in plan mode only, and none in an answer that was cut off.
fn plan_of(state: &State, text: &str, finish: StepFinish) -> Option<String> {
    let is_whole = matches!(finish, StepFinish::Stop | StepFinish::ToolCalls);
    if state.plan.active && is_whole { proposed_plan::extract(text) } else { None }
}

fn digest(text: &str) -> Digest {
    Digest(blake3::hash(text.as_bytes()).to_hex().to_string())
}
