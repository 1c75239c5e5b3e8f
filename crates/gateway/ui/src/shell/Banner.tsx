import { reopen } from "../state/live";
import { usePage, useView } from "../state/store";

export function Banner() {
  const link = usePage((page) => page.link);
  const { slices, closed, deleted } = useView();
  const selected = usePage((page) => page.selected);
  const unsent = usePage((page) => page.outbox.length);
  if (link === "unauthorised") {
    return <p className="banner bad" role="alert">This page's sign-in is no longer valid: open the address that waymark printed.</p>;
  }
  if (link === "lost") {
    return (
      <p className="banner warn" role="status">
        <span className="spinner" aria-hidden="true" />Reconnecting…{unsent > 0 && ` ${unsent} unsent ${unsent === 1 ? "action" : "actions"} will be sent then.`}
      </p>
    );
  }
  if (slices?.session.damage) {
    const { code, seq } = slices.session.damage;
    return <p className="banner bad" role="alert">This session's log is damaged at {seq} ({code}): it can be read, not continued. Fork it before that point to go on.</p>;
  }
  if (closed && !deleted && slices && selected) {
    return (
      <p className="banner warn" role="status">
        No longer live here: {closed}
        <button className="link" onClick={() => reopen(selected)}>Open again</button>
      </p>
    );
  }
  return null;
}
