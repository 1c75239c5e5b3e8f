import type { CommandRow, ReplyRow, UserRow } from "../fold/rows";
import { when } from "../shell/time";

export function Prompt({ row }: { row: UserRow }) {
  return (
    <article className="bubble" aria-label="Your prompt" title={when(row.atMs)}>
      <p>{row.text}</p>
      {row.images > 0 && <p className="attached">{row.images === 1 ? "1 image" : `${row.images} images`}</p>}
    </article>
  );
}

export function Command({ row }: { row: CommandRow }) {
  return <article className="bubble command" aria-label="Command input" title={when(row.atMs)}><p>{row.line}</p></article>;
}

export function Reply({ row }: { row: ReplyRow }) {
  return <p className="reply" data-ok={row.ok}>{row.text}</p>;
}
