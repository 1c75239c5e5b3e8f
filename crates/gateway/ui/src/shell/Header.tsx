import { useState } from "react";
import { select } from "../state/intents";
import { submitOrAlert } from "../state/live";
import { usePage, useView } from "../state/store";
import { Icon } from "./Icon";
import { TitleField } from "./TitleField";
import { count } from "./time";

export function Header({ session, onList }: { session: string; onList: () => void }) {
  const { slices, deleted } = useView();
  const hello = usePage((page) => page.hello);
  const workspace = slices?.session.workspace ?? hello?.workspace ?? "";
  const parent = slices?.session.parent;
  const isArchived = slices?.session.archived ?? false;
  return (
    <header className="head">
      <button className="button quiet square list-button" aria-label="Show the session list" onClick={onList}><Icon name="menu" /></button>
      <div className="head-names">
        <Title session={session} title={slices?.title ?? null} />
        <p className="head-meta">
          <span className="path" title={workspace}><bdi dir="ltr">{workspace}</bdi></span>
          {parent && <button className="link" onClick={() => select(parent.session)}>forked from its parent at {parent.fork_seq}</button>}
        </p>
      </div>
      <div className="head-side">
        {hello && <ModelName model={hello.model} provider={hello.provider} />}
        {slices && slices.usage.requests > 0 && (
          <span className="usage" title={`${slices.usage.requests} requests; ${slices.usage.cached_input_tokens} input tokens were cached`}>
            {count(slices.usage.input_tokens)} in · {count(slices.usage.output_tokens)} out
          </span>
        )}
      </div>
      {slices && !deleted && (
        <button
          className="button quiet square put-away"
          title={isArchived ? "Take out of the archive" : "Archive"}
          aria-label={isArchived ? "Take this session out of the archive" : "Archive this session"}
          aria-pressed={isArchived}
          onClick={() => void submitOrAlert(session, { type: "archive", archived: !isArchived })}
        >
          <Icon name="archive" />
        </button>
      )}
    </header>
  );
}

function ModelName({ model, provider }: { model: string; provider: string }) {
  if (model === "rehearsal") return <span className="model note" title="It follows a fixed script. Configure a provider to use a real model.">rehearsal model<span className="wide">: no provider configured</span></span>;
  return <span className="model" title={provider}>{model}</span>;
}

function Title({ session, title }: { session: string; title: string | null }) {
  const [isRenaming, setRenaming] = useState(false);
  const isViewer = usePage((page) => page.hello?.role === "viewer");
  if (isRenaming) return <TitleField session={session} title={title} onDone={() => setRenaming(false)} />;
  return (
    <h1 className="title">
      <button title={isViewer ? undefined : "Rename"} disabled={isViewer} onClick={() => setRenaming(true)}>{title ?? "New session"}</button>
    </h1>
  );
}
