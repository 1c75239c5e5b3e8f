import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Virtualizer } from "virtua";
import type { Row } from "../fold/rows";
import { isSpeech } from "../wire/frames";
import { loadOlder } from "../state/intents";
import { usePage, useView } from "../state/store";
import { Icon } from "../shell/Icon";
import { RowView } from "./RowView";
import { useStickToEnd } from "./stick";

const LOAD_OLDER_WITHIN_PX = 700;

export function Transcript({ session }: { session: string }) {
  const { transcript, more, loadingOlder, slices } = useView();
  const scroller = useRef<HTMLDivElement>(null);
  const { isAtEnd, jump } = useStickToEnd(scroller);
  // The list waits for a scroll event after it has corrected its offset; at the very top, where the offset is
  // clamped, none comes and rows would stay away. One pixel is enough.
  const leaveTop = () => {
    const element = scroller.current;
    if (element && element.scrollTop < 1 && element.scrollHeight > element.clientHeight) element.scrollTop = 1;
  };
  useJumpOnSpeech(session, jump);
  const isPrepended = usePrepended(transcript.rows);

  const considerOlder = () => {
    const element = scroller.current;
    if (element && more && !loadingOlder && element.scrollTop < LOAD_OLDER_WITHIN_PX) void loadOlder(session);
  };
  // A page shorter than the window never scrolls: look again after each change.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && element.scrollHeight <= element.clientHeight) considerOlder();
  });

  return (
    <div className="transcript-frame">
      <div className="transcript" ref={scroller} onScroll={considerOlder} tabIndex={0} role="log" aria-label="Transcript" aria-live="off">
        <div className="column">
          {loadingOlder && <p className="older" role="status">Loading earlier turns…</p>}
          <Virtualizer scrollRef={scroller} data={transcript.rows as Row[]} shift={isPrepended} bufferSize={600} onScrollEnd={leaveTop}>
            {(row) => <RowView key={row.key} row={row} session={session} />}
          </Virtualizer>
          {slices && transcript.rows.length === 0 && slices.questions.length === 0 && <Welcome />}
          <Activity />
        </div>
      </div>
      {!isAtEnd && (
        <button className="jump" onClick={jump}><Icon name="down" />Jump to latest</button>
      )}
    </div>
  );
}

/** Whoever says something wants to see what comes of it. */
function useJumpOnSpeech(session: string, jump: () => void): void {
  const said = usePage((page) => page.outbox.findLast((frame) => frame.session === session && isSpeech(frame.command))?.id);
  useEffect(() => { if (said) jump(); }, [said, jump]);
}

/** Says true in the one render that shows rows added at the front: the list then keeps its place. */
function usePrepended(rows: readonly Row[]): boolean {
  const first = useRef<string | null>(null);
  const key = rows[0]?.key ?? null;
  const isPrepended = first.current !== null && key !== first.current && rows.some((row) => row.key === first.current);
  useLayoutEffect(() => { first.current = key; }, [key]);
  return isPrepended;
}

/** Shown while a turn runs and nothing else of it moves. */
function Activity() {
  const { slices, transcript } = useView();
  const last = transcript.rows.at(-1);
  const [isStopping, phase] = [slices?.turn.cancelled, slices?.turn.phase];
  if (!slices || phase !== "running") return null;
  const isMoving = (last?.kind === "assistant" && last.state === "streaming") || (last?.kind === "tool" && last.state === "running");
  if (isMoving && !isStopping) return null;
  return <p className="activity" role="status"><span className="spinner" aria-hidden="true" />{isStopping ? "Stopping…" : "Working…"}</p>;
}

const HINTS = [
  ["/plan", "look first, propose a plan, change nothing until you approve it"],
  ["/goal", "keep going, round by round, until it is met, blocked or paused"],
] as const;

function Welcome() {
  const [hints] = useState(HINTS);
  return (
    <section className="welcome">
      <h2>What should be done?</h2>
      <p>Say it below. Or begin the line with</p>
      <dl>
        {hints.map(([name, help]) => (
          <div key={name}><dt>{name}</dt><dd>{help}</dd></div>
        ))}
      </dl>
    </section>
  );
}
