//! Events by chance.

use events::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::strategy::Union;
use uuid::Uuid;

/// Any envelope.
pub(crate) fn envelope() -> impl Strategy<Value = Envelope> {
    let place = (1..=u64::MAX / 2, 0..9_u64, any::<u64>(), any::<u64>());
    (place, of(cause()), actor(), event()).prop_map(|((seq, rest, epoch, at_ms), cause, actor, event)| {
        Envelope {
            seq: Seq(seq),
            batch_end: Seq(seq + rest),
            epoch: Epoch(epoch),
            at_ms,
            cause,
            actor,
            event,
        }
    })
}

fn event() -> impl Strategy<Value = SessionEvent> {
    Union::new([
        sessions().boxed(),
        inputs().boxed(),
        turns().boxed(),
        requests().boxed(),
        messages().boxed(),
        tools().boxed(),
        plans().boxed(),
        goals().boxed(),
        questions().boxed(),
        commands().boxed(),
        compactions().boxed(),
        skipped().boxed(),
    ])
}

fn sessions() -> impl Strategy<Value = SessionEvent> {
    prop_oneof![
        (of(text()), text(), of(uuid()), of(seq()), of(text())).prop_map(
            |(title, workspace, parent, fork_seq, preset)| {
                SessionCreated { title, workspace, parent: parent.map(SessionId), fork_seq, preset }.into()
            }
        ),
        (any::<u64>(), text()).prop_map(|(epoch, host)| SessionOpened { epoch: Epoch(epoch), host }.into()),
        (text(), actor()).prop_map(|(title, by)| SessionTitled { title, by }.into()),
        (any::<bool>(), actor()).prop_map(|(archived, by)| SessionArchived { archived, by }.into()),
    ]
}

fn inputs() -> impl Strategy<Value = SessionEvent> {
    let id = || uuid().prop_map(InputId);
    prop_oneof![
        (id(), target(), source(), content(), any::<bool>()).prop_map(
            |(input_id, target, source, content, wakes)| {
                InputQueued { input_id, target, source, content, wakes }.into()
            }
        ),
        (id(), content()).prop_map(|(input_id, content)| InputEdited { input_id, content }.into()),
        (id(), target(), any::<u32>()).prop_map(|(input_id, target, position)| InputMoved {
            input_id,
            target,
            position
        }
        .into()),
        (any::<u32>(), vec(id(), 0..4)).prop_map(|(turn, input_ids)| InputClaimed { turn, input_ids }.into()),
        vec(id(), 0..4).prop_map(|input_ids| InputReturned { input_ids }.into()),
        (id(), text()).prop_map(|(input_id, why)| InputWithdrawn { input_id, why }.into()),
    ]
}

fn turns() -> impl Strategy<Value = SessionEvent> {
    prop_oneof![
        (any::<u32>(), of(text()), of(digest())).prop_map(|(turn, workspace_head, dirty_hash)| {
            TurnStart { turn, workspace_head, dirty_hash }.into()
        }),
        (any::<u32>(), actor(), any::<bool>()).prop_map(|(turn, by, keep_inbox)| TurnCancelled {
            turn,
            by,
            keep_inbox
        }
        .into()),
        turn_end().prop_map(SessionEvent::from),
        (any::<u32>(), any::<u32>(), any::<bool>()).prop_map(|(turn, step, wraps_up)| StepStart {
            turn,
            step,
            wraps_up
        }
        .into()),
        (any::<u32>(), step_finish(), of(usage()), of(text()), of(any::<u64>())).prop_map(
            |(turn, finish, usage, role, cost_micros)| {
                StepEnd { turn, step: turn / 2, finish, usage, model: role.clone(), role, cost_micros }.into()
            }
        ),
    ]
}

fn turn_end() -> impl Strategy<Value = TurnEnd> {
    let goal_retry =
        (any::<u32>(), any::<u64>()).prop_map(|(retry, not_before_ms)| GoalRetry { retry, not_before_ms });
    (any::<u32>(), turn_end_reason(), of(text()), of(digest()), of(goal_retry)).prop_map(
        |(turn, reason, workspace_head, dirty_hash, goal_retry)| TurnEnd {
            turn,
            reason,
            workspace_head,
            dirty_hash,
            goal_retry,
        },
    )
}

fn turn_end_reason() -> impl Strategy<Value = TurnEndReason> {
    prop_oneof![
        Just(TurnEndReason::Completed),
        actor().prop_map(|by| TurnEndReason::Aborted { by }),
        (text(), text()).prop_map(|(code, message)| TurnEndReason::Blocked { code, message }),
        (text(), text()).prop_map(|(code, message)| TurnEndReason::Error { code, message }),
        Just(TurnEndReason::MaxTokens),
        Just(TurnEndReason::StepLimit),
        Just(TurnEndReason::Interrupted),
    ]
}

fn step_finish() -> impl Strategy<Value = StepFinish> {
    one_of(&[
        StepFinish::Stop,
        StepFinish::ToolCalls,
        StepFinish::MaxTokens,
        StepFinish::Refusal,
        StepFinish::Error,
        StepFinish::Aborted,
        StepFinish::Interrupted,
    ])
}

fn requests() -> impl Strategy<Value = SessionEvent> {
    let header = ((any::<u32>(), any::<u32>()), text(), of(text()), of(any::<u32>()), digest());
    prop_oneof![
        header.prop_map(|((turn, step), provider, effort, max_output_tokens, hash)| {
            let system_text = effort.is_some();
            RequestHeader {
                turn,
                step,
                role: effort.clone(),
                model: provider.clone(),
                provider,
                system: effort.clone(),
                tools: effort.clone(),
                effort,
                max_output_tokens,
                system_hash: hash.clone(),
                mode_text: system_text.then(|| ModeText { plan: turn % 2 == 0, hash: hash.clone() }),
                tools_hash: hash,
            }
            .into()
        }),
        (any::<[u32; 2]>(), text(), text(), any::<u64>(), of(text()), of(usage())).prop_map(
            |([turn, attempt], class, message, delay_ms, fallback, usage)| {
                let step = turn / 2;
                RequestAttempt { turn, step, attempt, class, message, delay_ms, fallback, usage }.into()
            }
        ),
    ]
}

fn messages() -> impl Strategy<Value = SessionEvent> {
    let id = || uuid().prop_map(MessageId);
    let channel = one_of(&[Channel::Text, Channel::Reasoning, Channel::Plan]);
    prop_oneof![
        (id(), of(uuid()), source(), content()).prop_map(|(message_id, input_id, source, content)| {
            UserMessage { message_id, input_id: input_id.map(InputId), source, content }.into()
        }),
        (any::<u32>(), any::<u32>(), any::<u64>(), channel, text()).prop_map(
            |(turn, attempt, offset, channel, text)| {
                AssistantDelta { turn, step: turn / 2, attempt, offset, channel, text }.into()
            }
        ),
        (id(), any::<u32>(), content(), of(usage()), any::<bool>(), vec(provider_item(), 0..3)).prop_map(
            |(message_id, turn, content, usage, interrupted, items)| {
                AssistantMessage { message_id, turn, step: turn / 2, content, usage, interrupted, items }
                    .into()
            }
        ),
    ]
}

fn provider_item() -> impl Strategy<Value = ProviderItem> {
    (text(), text(), any::<u32>(), text()).prop_map(|(provider, model, before_call, json)| ProviderItem {
        provider,
        model,
        before_call,
        json,
    })
}

fn tools() -> impl Strategy<Value = SessionEvent> {
    use ToolClass::{Ask, Exec, Read, Session, Write};
    let class = one_of(&[Read, Write, Exec, Session, Ask]);
    let outcome = one_of(&[ToolOutcome::Ok, ToolOutcome::Error]);
    let failure = (text(), text()).prop_map(|(code, message)| ToolFailure { code, message });
    let result = (call(), outcome, content(), of(failure), (of(text()), of(any::<u64>())));
    prop_oneof![
        (any::<u32>(), call(), text(), text()).prop_map(|(turn, call_id, name, arguments)| {
            ToolCall { turn, step: turn / 2, call_id, name, arguments }.into()
        }),
        (call(), class, of(sandbox())).prop_map(|(call_id, class, sandbox)| ToolStarted {
            call_id,
            class,
            sandbox
        }
        .into()),
        result.prop_map(|(call_id, outcome, content, error, (diff, duration_ms))| {
            ToolResult { call_id, outcome, content, error, diff, duration_ms }.into()
        }),
    ]
}

fn sandbox() -> impl Strategy<Value = ToolSandbox> {
    use SandboxProfile::{Off, ReadOnly, Workspace};
    (text(), one_of(&[ReadOnly, Workspace, Off]), any::<bool>())
        .prop_map(|(by, profile, network)| ToolSandbox { by, profile, network })
}

fn plans() -> impl Strategy<Value = SessionEvent> {
    use PlanVerdict::{Approved, Dismissed, KeepPlanning, Withdrawn};
    let id = || uuid().prop_map(PlanId);
    let verdict = one_of(&[Approved, KeepPlanning, Dismissed, Withdrawn]);
    let origin = one_of(&[PlanOrigin::Tool, PlanOrigin::Text]);
    prop_oneof![
        (any::<bool>(), actor(), any::<bool>()).prop_map(|(active, by, narrate)| PlanSelected {
            active,
            by,
            narrate
        }
        .into()),
        any::<bool>().prop_map(|active| PlanMode { active }.into()),
        (id(), any::<u32>(), text(), digest(), origin).prop_map(
            |(plan_id, revision, markdown, sha256, from)| {
                PlanProposed { plan_id, revision, title: markdown.clone(), markdown, sha256, from }.into()
            }
        ),
        (id(), any::<u32>(), verdict, of(text())).prop_map(|(plan_id, revision, verdict, feedback)| {
            PlanReviewed { plan_id, revision, verdict, feedback }.into()
        }),
    ]
}

fn goals() -> impl Strategy<Value = SessionEvent> {
    let status = one_of(&[TodoStatus::Pending, TodoStatus::InProgress, TodoStatus::Completed]);
    let todo = (text(), status).prop_map(|(content, status)| Todo { content, status });
    let verdict = one_of(&[Verdict::Accepted, Verdict::Refused, Verdict::Unjudged]);
    prop_oneof![
        goal_change().prop_map(SessionEvent::from),
        (goal_id(), any::<u64>(), any::<u32>(), uuid()).prop_map(|(goal_id, revision, round, input)| {
            GoalRound { goal_id, revision, round, input_id: InputId(input) }.into()
        }),
        (goal_id(), any::<u64>(), verdict, text(), of(usage())).prop_map(
            |(goal_id, revision, verdict, reason, usage)| {
                GoalJudged { goal_id, revision, verdict, reason, usage }.into()
            }
        ),
        vec(todo, 0..5).prop_map(|todos| TodoWrite { todos }.into()),
    ]
}

fn goal_change() -> impl Strategy<Value = GoalChange> {
    prop_oneof![
        goal_after().prop_map(GoalChange::Create),
        goal_after().prop_map(GoalChange::Edit),
        goal_after().prop_map(GoalChange::Pause),
        goal_after().prop_map(GoalChange::Resume),
        goal_after().prop_map(GoalChange::Complete),
        goal_after().prop_map(GoalChange::Block),
        (goal_id(), any::<u64>(), any::<u64>()).prop_map(|(id, revision, cleared_at)| {
            GoalChange::Clear { cleared: GoalRef { id, revision }, cleared_at }
        }),
    ]
}

fn goal_after() -> impl Strategy<Value = GoalAfter> {
    (goal(), any::<u32>(), any::<u64>(), any::<u64>()).prop_map(
        |(goal, rounds_started, created_at, updated_at)| GoalAfter {
            goal,
            rounds_started,
            created_at,
            updated_at,
        },
    )
}

fn goal() -> impl Strategy<Value = Goal> {
    use GoalPhase::{Active, Blocked, Complete, Paused};
    let reason = (text(), text()).prop_map(|(code, message)| BlockedReason { code, message });
    let amounts = (any::<u32>(), of(any::<u64>()), of(any::<u64>()), of(any::<u32>()), any::<bool>());
    let budgets = amounts.prop_map(|(rounds, tokens, time_ms, no_progress, cached_input_free)| Budgets {
        rounds,
        tokens,
        time_ms,
        no_progress,
        cached_input_free,
    });
    let phase = one_of(&[Active, Paused, Blocked, Complete]);
    ((goal_id(), any::<u64>()), text(), phase, of(reason), (budgets, of(text()))).prop_map(
        |((id, revision), objective, phase, blocked_reason, (budgets, evidence))| Goal {
            id,
            revision,
            objective,
            phase,
            blocked_reason,
            budgets,
            evidence,
        },
    )
}

fn questions() -> impl Strategy<Value = SessionEvent> {
    let id = || uuid().prop_map(QuestionId);
    let asked = (id(), any::<u32>(), of(call()), intent(), vec(item(), 1..3));
    prop_oneof![
        (asked, of(vec(answer(), 0..3)), of(any::<u64>())).prop_map(
            |((question_id, revision, call_id, intent, items), default, deadline)| {
                QuestionAsked { question_id, revision, call_id, intent, items, default, deadline }.into()
            }
        ),
        (id(), any::<u32>(), vec(answer(), 0..3), actor()).prop_map(
            |(question_id, revision, answers, by)| {
                QuestionAnswered { question_id, revision, answers, by }.into()
            }
        ),
        (id(), text()).prop_map(|(question_id, why)| QuestionWithdrawn { question_id, why }.into()),
    ]
}

fn intent() -> impl Strategy<Value = QuestionIntent> {
    prop_oneof![
        Just(QuestionIntent::AskUser),
        (uuid(), any::<u32>(), digest()).prop_map(|(plan, revision, sha256)| QuestionIntent::PlanReview {
            plan_id: PlanId(plan),
            revision,
            sha256
        }),
        Just(QuestionIntent::Permission),
    ]
}

fn item() -> impl Strategy<Value = QuestionItem> {
    let option = (text(), text(), any::<bool>())
        .prop_map(|(label, description, recommended)| QuestionOption { label, description, recommended });
    (text(), text(), of(text()), vec(option, 2..4), any::<bool>()).prop_map(
        |(id, question, detail, options, multi_select)| QuestionItem {
            header: id.clone(),
            id,
            question,
            detail,
            options,
            multi_select,
        },
    )
}

fn answer() -> impl Strategy<Value = Answer> {
    (text(), vec(text(), 0..3), of(text())).prop_map(|(id, selected, custom)| Answer { id, selected, custom })
}

fn commands() -> impl Strategy<Value = SessionEvent> {
    let id = || uuid().prop_map(CommandId);
    let outcome = one_of(&[CommandOutcome::Success, CommandOutcome::Error]);
    prop_oneof![
        (id(), text(), text())
            .prop_map(|(command_id, name, args)| CommandRun { command_id, name, args }.into()),
        (id(), outcome, of(text())).prop_map(|(command_id, kind, text)| CommandDone {
            command_id,
            kind,
            text
        }
        .into()),
        (call(), text(), of(any::<i32>())).prop_map(|(call_id, state, status)| CommandBackground {
            call_id,
            state,
            status
        }
        .into()),
        (uuid(), call(), text(), of(any::<u64>())).prop_map(|(child, call_id, task, tokens)| {
            AgentSpawned { child: SessionId(child), call_id, task, tokens }.into()
        }),
    ]
}

fn compactions() -> impl Strategy<Value = SessionEvent> {
    prop_oneof![
        (seq(), seq()).prop_map(|(first_seq, last_seq)| CompactionStart { first_seq, last_seq }.into()),
        (seq(), seq(), text(), of(usage())).prop_map(|(first_seq, last_seq, text, usage)| {
            CompactionSummary { first_seq, last_seq, text, usage }.into()
        }),
        of(text()).prop_map(|error| CompactionEnd { error }.into()),
    ]
}

/// An event of a type that this reader does not know; its data is any JSON on one line.
fn skipped() -> impl Strategy<Value = SessionEvent> {
    ("future/[a-z]{1,8}", text(), any::<i64>()).prop_map(|(type_name, text, number)| {
        let data = serde_json::value::to_raw_value(&(text, number)).expect("a pair can be written");
        SessionEvent::Skipped(Skipped { type_name, data: RawData(data) })
    })
}

fn cause() -> impl Strategy<Value = Cause> {
    prop_oneof!["[0-9a-f]{32}".prop_map(Cause::Operation), seq().prop_map(Cause::Seq)]
}

fn actor() -> impl Strategy<Value = Actor> {
    use ActorKind::{Driver, Host, Model, Tool, User};
    (one_of(&[User, Model, Driver, Host, Tool]), of(text()))
        .prop_map(|(kind, client)| Actor { kind, client: client.map(ClientId) })
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        Just(Source::User),
        (goal_id(), any::<u64>(), any::<u32>()).prop_map(|(goal_id, revision, round)| Source::Goal {
            goal_id,
            revision,
            round
        }),
        (text(), text()).prop_map(|(about, summary)| Source::Notice { about, summary }),
        (uuid(), any::<u32>(), digest()).prop_map(|(plan, revision, sha256)| Source::Plan {
            plan_id: PlanId(plan),
            revision,
            sha256
        }),
    ]
}

fn content() -> impl Strategy<Value = Vec<Block>> {
    vec(block(), 0..4)
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        text().prop_map(|text| Block::Text { text }),
        text().prop_map(|text| Block::Reasoning { text }),
        (call(), text(), text()).prop_map(|(call_id, name, arguments)| Block::ToolCall {
            call_id,
            name,
            arguments
        }),
        (digest(), text(), any::<u64>()).prop_map(|(object, media_type, bytes)| Block::Image {
            object,
            media_type,
            bytes
        }),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    (any::<[u64; 4]>(), any::<bool>()).prop_map(
        |([input_tokens, output_tokens, cached_input_tokens, reasoning_tokens], estimated)| Usage {
            input_tokens,
            output_tokens,
            cached_input_tokens,
            reasoning_tokens,
            estimated,
        },
    )
}

fn target() -> impl Strategy<Value = Target> {
    one_of(&[Target::NextTurn, Target::NextStep])
}

/// One of `choices`.
fn one_of<T: Copy + std::fmt::Debug + 'static>(choices: &[T]) -> impl Strategy<Value = T> + use<T> {
    prop::sample::select(choices.to_vec())
}

/// Any text: control characters, line ends, quotes and the empty text are in it.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[\\s\"\\\\{}\u{0}\u{7f}\u{2028}]{0,12}", "[ -~]{0,24}"]
}

fn digest() -> impl Strategy<Value = Digest> {
    "[0-9a-f]{64}".prop_map(Digest)
}

fn uuid() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

fn seq() -> impl Strategy<Value = Seq> {
    any::<u64>().prop_map(Seq)
}

fn goal_id() -> impl Strategy<Value = GoalId> {
    "goal-[0-9a-f]{1,8}".prop_map(GoalId)
}

fn call() -> impl Strategy<Value = CallId> {
    text().prop_map(CallId)
}
